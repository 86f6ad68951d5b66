//! Connection strings: the same words found, or both refuse.

use std::fmt::Write as _;

use lockaudit::pg::settings::{Source, parse_connection_string};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::ask;

/// Strings from the field, from the manual, and from the corners of libpq's grammar.
const TRICKY: &[&str] = &[
    "",
    " ",
    "=",
    "=x",
    "host",
    "host =",
    "host=h",
    "host = h user = u",
    "\thost\n=\r\x0bh\x0cuser=u",
    "host=h bogus=1",
    "HOST=h",
    "host=a host=b",
    "host=a,b port=1,2",
    "host=a,b port=,5433",
    "host= user=u",
    "host='' user=u",
    "host=",
    "host=''",
    "host='h'user='u'",
    "host='h",
    "host='h\\'",
    "host='h\\",
    "host=h\\",
    "host=h\\ i",
    "host=h\\'i",
    "host=h'i'",
    "host=\u{a0}h",
    "user=u password= host=h",
    "user=u host=h password=",
    "password='a b\\'c\\\\d' host=h",
    "password=ä€𝄞",
    "password=YQ==",
    "options='-c statement_timeout=5s'",
    "options=-csearch_path=x",
    "requiressl=1",
    "requiressl=0",
    "requiressl=",
    "requiressl=10",
    "ssl=true",
    "authtype=x",
    "tty=x",
    "service=foo",
    "host=h passfile=/x",
    "host=h connect_timeout=1 keepalives_count=3 tcp_user_timeout=5000",
    "host=h sslmode=verify-full sslrootcert=system sslcert=c sslkey=k sslpassword=x sslsni=0",
    "host=h target_session_attrs=prefer-standby channel_binding=require",
    "host=h gssencmode=disable krbsrvname=x client_encoding=UTF8 replication=database",
    "host=h fallback_application_name=x requirepeer=p sslcompression=1",
    "hostaddr=1.2.3.4 user=u",
    "dbname=postgresql://h/db2 user=u",
    "mysql://u:p@h/db?x=y",
    "postgresql:/u:p@h/db",
    "POSTGRESQL://h",
    " postgresql://h",
    "postgresql://",
    "postgres://",
    "postgresql:///",
    "postgresql://?",
    "postgresql://@",
    "postgresql://:@",
    "postgresql://:p@h",
    "postgresql://u:@h",
    "postgresql://u@",
    "postgresql://u:p@/db",
    "postgresql://u:p@h/db?application_name=a@b",
    "postgresql://h/db?application_name=a@b",
    "postgresql://h?application_name=a@b",
    "postgresql://h/db?options=-c%20search_path%3Dx@y",
    "postgresql:///db?host=/tmp",
    "postgresql://h:5433,h2/db?target_session_attrs=primary",
    "postgresql://h:,h2:/db",
    "postgresql://,/db",
    "postgresql://,,",
    "postgresql://h:1:2/db",
    "postgresql://[::1]:5433/db",
    "postgresql://[::1],[::2]:1/db",
    "postgresql://[::1",
    "postgresql://[]",
    "postgresql://[::1]x",
    "postgresql://[::1]?user=u",
    "postgresql://[::1]@h/",
    "postgresql://u@[::1]/",
    "postgresql://[a/b]:1/db",
    "postgresql://h[::1]/db",
    "postgresql://h]/db",
    "postgresql://h?ssl=true",
    "postgresql://h?ssl=false",
    "postgresql://h?ssl=TRUE",
    "postgresql://h?requiressl=1",
    "postgresql://h?sslmode=verify-full&ssl=true",
    "postgresql://u%40x:p%3Aw@h/d%2Fb",
    "postgresql://h:/db",
    "postgresql://%2Ftmp%2Fx:5433/db",
    "postgresql://%2Ftmp%2Fx:543%33/db",
    "postgresql://a%2Cb/db",
    "postgresql://h/db?",
    "postgresql://h/db?&",
    "postgresql://h/db?user=a&",
    "postgresql://h/db?user=a&&user=b",
    "postgresql://h/db?user=a&user=b",
    "postgresql://h/db?user",
    "postgresql://h/db?user=",
    "postgresql://h/db?=a",
    "postgresql://h/db?user=a=b",
    "postgresql://h/db?user=a?b",
    "postgresql://h/db?us%65r=a",
    "postgresql://h/db?bogus=a",
    "postgresql://h/db?host=x&port=1",
    "postgresql://h/a/b/c?user=u",
    "postgresql://h//db",
    "postgresql://u@h@x/db",
    "postgresql://u:p:q@h/db",
    "postgresql://u:p/q@h/db",
    "postgresql://u:p?q@h/db",
    "postgresql://u:p#q@h/db#x",
    "postgresql://u:p%zz@h",
    "postgresql://u:p%2@h",
    "postgresql://u:p%@h",
    "postgresql://u:p%00@h",
    "postgresql://h/d%ffb",
    "postgresql://h/%",
    "postgresql://h/db?user=%4",
    "postgresql://ä.example/ö?user=€",
];

/// Pieces that the generated strings are made of: words and everything with a meaning to the parser.
const PIECES: &[&str] = &[
    "host",
    "port",
    "user",
    "password",
    "dbname",
    "options",
    "sslmode",
    "requiressl",
    "ssl",
    "true",
    "bogus",
    "a",
    "é",
    "1",
    "5432",
    "=",
    "=",
    "=",
    "='",
    "' ",
    "'",
    "\\",
    "\\'",
    " ",
    " ",
    "\t",
    "@",
    ":",
    "/",
    "?",
    "&",
    ",",
    "[",
    "]",
    "[::1]",
    "%",
    "%41",
    "%2c",
    "%20",
    "%00",
    "%f",
    "#",
    "//",
    "-",
    "+",
    "host=",
    " user=",
    "&user=",
    "?dbname=",
    "postgresql://",
    "postgres://",
];

const GENERATED: usize = 6000;

/// Parameters that libpq 15 does not know: an older libpq refuses what lockaudit reads.
const NEWER_THAN_15: &[&str] = &[
    "require_auth",
    "sslcertmode",
    "load_balance_hosts",
    "gssdelegation",
    "sslnegotiation",
    "servicefile",
    "min_protocol_version",
    "max_protocol_version",
    "sslkeylogfile",
    "scram_client_key",
    "scram_server_key",
    "oauth_issuer",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_scope",
];

#[test]
fn reads_connection_strings_as_libpq_does() {
    let strings: Vec<String> = TRICKY
        .iter()
        .map(|text| (*text).to_owned())
        .chain(generated())
        .collect();
    let questions = strings.iter().map(|text| hex(text)).collect();
    let Some(mut answers) = ask("conninfo_parse.py", questions) else {
        return;
    };
    let version: u32 = answers.remove(0).parse().expect("a version number");
    assert_eq!(answers.len(), strings.len());
    let accepted = answers.iter().filter(|theirs| *theirs != "refused").count();
    assert!(
        accepted * 5 > strings.len(),
        "only {accepted} strings are valid: the generator is off"
    );
    let compared = strings
        .iter()
        .zip(&answers)
        .filter(|(text, _)| is_comparable(text, version));
    let differing: Vec<String> = compared
        .filter_map(|(text, theirs)| difference(text, theirs))
        .collect();
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

/// libpq 17 began to trim blanks in URIs; lockaudit follows 15.
fn is_comparable(text: &str, version: u32) -> bool {
    version < 170_000 || !(text.contains("://") && text.contains(char::is_whitespace))
}

fn difference(text: &str, theirs: &str) -> Option<String> {
    let ours = ours(text)?;
    (ours != theirs).then(|| format!("{text:?}\n  libpq: {theirs}\n  ours:  {ours}"))
}

/// Nothing where lockaudit refuses bytes that are no UTF-8: libpq hands them on.
fn ours(text: &str) -> Option<String> {
    let source = Source::ConnectionString("the connection string");
    let found = match parse_connection_string(text, &source) {
        Ok(found) => found,
        Err(error) if error.to_string().contains("UTF-8") => return None,
        Err(_) => return Some("refused".to_owned()),
    };
    let pairs = found
        .values
        .iter()
        .filter(|(name, _)| !NEWER_THAN_15.contains(name));
    let shown: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={}", hex(&value.text)))
        .collect();
    Some(shown.join(" "))
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("a string takes all");
        digits
    })
}

/// The same strings on each run.
fn generated() -> Vec<String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 1..14)
        .prop_map(|pieces| pieces.concat());
    let start = prop::sample::select(vec![
        "",
        "",
        "postgresql://",
        "postgres://",
        "host=h ",
        "postgresql://u:p@",
    ]);
    let strings = (start, pieces).prop_map(|(start, rest)| format!("{start}{rest}"));
    let mut runner = TestRunner::deterministic();
    let one = |_| {
        strings
            .new_tree(&mut runner)
            .expect("nothing is filtered")
            .current()
    };
    (0..GENERATED).map(one).collect()
}
