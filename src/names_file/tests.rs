use super::*;
use crate::key::AdvisoryKey;
use crate::key::naming::{Candidate, Namer, NamingContext};

fn told(text: &str) -> Told {
    read_text(text).unwrap_or_else(|error| panic!("{error:#}"))
}

fn read_text(text: &str) -> Result<Told> {
    read(&[Source {
        name: "names.toml".to_owned(),
        text: text.to_owned(),
    }])
}

fn refusal(text: &str) -> String {
    match read_text(text) {
        Ok(_) => panic!("this is read: {text}"),
        Err(error) => format!("{error:#}"),
    }
}

fn found(text: &str, key: AdvisoryKey) -> Vec<Candidate> {
    let told = told(text);
    Namer::new(NamingContext::default(), &told.names).who_takes(key.tag(), Some("app"))
}

fn name(text: &str, key: AdvisoryKey) -> Option<String> {
    found(text, key)
        .first()
        .map(|candidate| candidate.id.clone())
}

#[test]
fn names_are_hashed_as_the_application_does() {
    let single = AdvisoryKey::Single;
    let named = |how: &str, key: AdvisoryKey| {
        name(&format!("[[name]]\nnames = ['my-lock', 'app']\n{how}"), key)
    };
    let app = Some("app".to_owned());
    assert_eq!(named("hash = 'hashtext'", single(-233_024_878)), app);
    assert_eq!(named("hash = 'crc32'", single(3_379_458_255)), app);
    assert_eq!(named("hash = 'crc32-signed'", single(-915_509_041)), app);
    assert_eq!(
        named("hash = 'fnv1-64'", single(-2_820_172_453_568_866_898)),
        app
    );
    assert_eq!(
        named("hash = 'md5'", single(-3_268_067_683_072_738_015)),
        app
    );
    assert_eq!(
        named(
            "hash = 'sha256-little-endian'",
            single(5_424_383_092_545_450_657)
        ),
        app
    );
    assert_eq!(
        named(
            "hash = 'hashtextextended'\nseed = 42",
            single(-5_891_037_799_910_581_900)
        ),
        Some("my-lock".to_owned())
    );
    assert_eq!(
        named(
            "hash = 'sha256'\nbytes = { take = 8, order = 'little' }",
            single(5_424_383_092_545_450_657)
        ),
        app
    );
    assert_eq!(
        named(
            "hash = 'hashtext'\nnamespace = 4711",
            AdvisoryKey::Pair(4711, -233_024_878)
        ),
        app
    );
    assert_eq!(
        named(
            "hash = 'hashtext'\nnamespace = { hash = 'hashtext', of = 'my-lock' }",
            AdvisoryKey::Pair(577_534_659, -233_024_878)
        ),
        app
    );
}

#[test]
fn a_pattern_names_the_one_of_many() {
    let file = "[[name]]\nnames = ['t-{1..500}']\nhash = 'hashtext'\npurpose = 'a tenant'";
    let key = AdvisoryKey::Single(crate::key::hash::hashtext("t-417").into());
    let found = found(file, key);
    assert_eq!(found[0].id, "t-417");
    assert_eq!(found[0].purpose, "a tenant");
    assert_eq!(found[0].basis, "hashtext of `t-417`");
    assert_eq!(found[0].source, "names.toml, line 1");
}

#[test]
fn a_key_may_be_given_as_it_is() {
    let pair = "[[name]]\nname = 'import'\nkey = [7, -42]";
    assert_eq!(
        name(pair, AdvisoryKey::Pair(7, -42)),
        Some("import".to_owned())
    );
    let single = "[[name]]\nname = 'import'\nkey = 42\ndatabase = 'app'";
    assert_eq!(
        name(single, AdvisoryKey::Single(42)),
        Some("import".to_owned())
    );
}

#[test]
fn what_is_wrong_is_shown_where_it_stands() {
    let cases = [
        (
            "[[name]]\nname = 'a'\nhsah = 'x'",
            "line 3, column 1, `hsah = 'x'`: unknown field `hsah`",
        ),
        (
            "[[name]]\nname = 7\nhash = 'crc32'",
            "line 2, column 8, `name = 7`: invalid type: integer `7`",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'crc'",
            "line 3, column 8, `hash = 'crc'`: there is no hash `crc`",
        ),
        (
            "[[name]]\nnames = ['ü', 'b{']\nhash = 'crc32'",
            "line 2, column 15, `names = ['ü', 'b{']`: `{` without",
        ),
        (
            "[[name]]\nname = 'a{name}'\nhash = 'crc32'",
            "write ranges and lists between braces",
        ),
        (
            "[[name]]\nname = 'a'",
            "line 1, column 1, `[[name]]`: a [[name]] needs `hash`",
        ),
        (
            "[[name]]\nhash = 'crc32'",
            "a [[name]] needs `name` or `names`",
        ),
        (
            "[[name]]\nname = 'a'\nkey = 1\nhash = 'crc32'",
            "exclude each other",
        ),
        (
            "[[name]]\nname = 'a'\nkey = [1, 9999999999]",
            "line 3, column 7, `key = [1, 9999999999]`: a key is",
        ),
        ("[[name]]\nname = 'a{1..2}'\nkey = 1", "a key has one name"),
        (
            "[[name]]\nname = 'a'\nkey = 1\nseed = 2",
            "line 4, column 8, `seed = 2`: `seed` goes with `hash`",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'md5'\nseed = 2",
            "`seed` goes with hash = \"hashtextextended\"",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'crc32'\nbytes = { take = 4 }",
            "`bytes` goes with md5",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'md5'\nbytes = { from = 12, take = 8 }",
            "1 to 8 of the 16 bytes",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'md5'\nbytes = { take = 9 }",
            "1 to 8 of the 16 bytes",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'md5'\nnamespace = 1",
            "more than the 32 bits of half a pair",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'crc32'\nnamespace = 9999999999",
            "a namespace is an integer",
        ),
        (
            "[[name]]\nname = 'a'\nhash = 'crc32'\ndatabase = 7",
            "a database is a name",
        ),
        (
            "[[name]]\nname = '{1..9999999}'\nhash = 'crc32'",
            "the names are 9999999 in all; 1000000 are the most",
        ),
        (
            "[[expect]]\ndatabase = 'app'",
            "an [[expect]] needs `key`, `name` or `application_name`",
        ),
        (
            "[[expect]]\nkey = 1\nname = 'a'",
            "`key` and `name` exclude each other",
        ),
        (
            "[[expect]]\nkey = 1\nat_most = '2 moons'",
            "line 3, column 11, `at_most = '2 moons'`",
        ),
        (
            "[[expect]]\nname = 'a'",
            "names.toml, line 1: `a` is neither a [[name]] nor a tool",
        ),
        ("[[name]", "line 1, column"),
    ];
    for (text, expected) in cases {
        let said = refusal(text);
        assert!(said.contains(expected), "{said}\nexpected: {expected}");
    }
}

#[test]
fn a_holder_may_be_expected_by_a_tool_s_id() {
    assert!(read_text("[[expect]]\nname = 'marten-daemon'").is_ok());
}
