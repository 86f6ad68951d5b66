//! What is kept, what is written anew, and what is refused.

use proptest::prelude::*;

use super::*;
use crate::key::AdvisoryKey;
use crate::key::names::Names;
use crate::migration::{Decision, Former, Gathering, Plan, Words};
use crate::planted::{Plant, quiet};
use crate::snapshot::SessionState::{Active, Idle};
use crate::snapshot::Snapshot;
use crate::toml_file::Mistakes;

fn gathered(samples: Vec<Snapshot>) -> Gathering {
    let mut gathering = Gathering::default();
    samples.into_iter().for_each(|sample| gathering.add(sample));
    gathering
}

fn some() -> Gathering {
    gathered(vec![
        quiet()
            .session(10, Idle)
            .named(10, "sweeper")
            .holds(10, 7)
            .session(11, Active)
            .waits(11, 7, 5)
            .session(12, Idle)
            .shares(12, 9),
    ])
}

fn document(text: &str) -> Document {
    Document {
        name: "migration.toml".to_owned(),
        text: text.to_owned(),
    }
}

fn former(text: &str) -> Vec<Former> {
    read_former(&document(text)).unwrap_or_else(|mistakes| panic!("{mistakes}in:\n{text}"))
}

fn mistakes(text: &str) -> String {
    let refused: Mistakes = read_former(&document(text)).expect_err(text);
    refused.to_string()
}

/// What a run makes of a file, if there is one.
fn run(text: Option<&str>, gathering: &Gathering) -> String {
    let former = text.map(former).unwrap_or_default();
    let names = Names::default();
    let words = Words {
        names: &names,
        map: &[],
        former: &former,
    };
    let plan = Plan::of(gathering, words);
    merged(text, &plan).unwrap_or_else(|error| panic!("{error:#}"))
}

fn of_key(formers: &[Former], key: i64) -> &Former {
    let tag = AdvisoryKey::Single(key).tag();
    let mut formers = formers.iter();
    formers
        .find(|former| former.told.tag == tag)
        .unwrap_or_else(|| panic!("key {key} stands in the file"))
}

#[test]
fn a_new_file_is_commented_and_reads_back() {
    let text = run(None, &some());
    insta::assert_snapshot!(text);
    let formers = former(&text);
    assert_eq!(of_key(&formers, 7).decision, Some(Decision::Lease));
    assert_eq!(of_key(&formers, 9).decision, Some(Decision::Refuse));
    assert_eq!(of_key(&formers, 7).seen.most_waiters, 1);
}

#[test]
fn what_a_person_changed_and_remarked_stays() {
    let written = run(None, &some());
    let edited = written
        .replace("name = \"7\"", "name = 'night sweep' # Anna: since 2019")
        .replace(
            "ttl = \"2m\"\ndecision = \"refuse\"",
            "ttl = \"90s\"\ndecision = \"keep\"",
        )
        .replace("version = 1\n", "version = 1\n# ours\n");
    let again = run(Some(&edited), &some());
    assert_eq!(again, edited);
}

#[test]
fn a_decision_that_nobody_changed_follows_what_is_seen() {
    let written = run(None, &some());
    let shared = gathered(vec![quiet().session(12, Idle).shares(12, 7)]);
    let again = run(Some(&written), &shared);
    let formers = former(&again);
    assert_eq!(of_key(&formers, 7).decision, Some(Decision::Refuse));
    let kept = written.replace(
        "decision = \"lease\"\ncertainty",
        "decision = \"keep\"\ncertainty",
    );
    let formers = former(&run(Some(&kept), &shared));
    let one = of_key(&formers, 7);
    assert_eq!(one.decision, Some(Decision::Keep));
    let proposed = one.proposed.as_ref().map(|(decision, _)| *decision);
    assert_eq!(
        proposed,
        Some(Decision::Refuse),
        "what was seen is told beside it"
    );
}

#[test]
fn a_ttl_that_nobody_changed_follows_the_holds_that_are_seen() {
    let written = run(None, &some());
    let longer = || {
        let mut sample = quiet().session(10, Idle).holds(10, 7);
        sample.sessions[0].state_change = Some(crate::planted::ago(240));
        gathered(vec![sample])
    };
    let ttl = |text: &str| of_key(&former(text), 7).told.ttl.map(|ttl| ttl.as_secs());
    assert_eq!(ttl(&run(Some(&written), &longer())), Some(480));
    let (first, rest) = written.split_once("ttl = \"2m\"").expect("it is there");
    let edited = format!("{first}ttl = \"90s\"{rest}");
    assert_eq!(ttl(&run(Some(&edited), &longer())), Some(90));
}

#[test]
fn a_key_that_is_not_seen_any_more_is_left_with_a_note() {
    let written = run(None, &some());
    let again = run(Some(&written), &gathered(vec![quiet()]));
    let notes: Vec<&str> = again
        .lines()
        .filter(|line| line.starts_with("note = "))
        .collect();
    assert_eq!(
        notes,
        [r#"note = "not seen any more in 1 sample until 2027-01-15T08:00:00Z""#; 2]
    );
    let without: Vec<&str> = again
        .lines()
        .filter(|line| !line.starts_with("note = "))
        .collect();
    assert_eq!(without, written.lines().collect::<Vec<_>>());
    assert_eq!(run(Some(&again), &some()), written, "it is seen again");
}

#[test]
fn a_table_that_a_person_wrote_is_completed_and_keeps_its_words() {
    let written = "[[name]] # ours\nname = \"sweep\"\nkey = 7\n";
    let again = run(Some(written), &some());
    assert!(
        again.starts_with("[[name]] # ours\nname = \"sweep\"\nkey = 7\n"),
        "{again}"
    );
    let formers = former(&again);
    let one = of_key(&formers, 7);
    assert_eq!(one.decision, Some(Decision::Lease));
    assert_eq!(one.told.database.as_deref(), Some("orders"));
    assert_eq!(run(Some(&again), &some()), again);
}

#[test]
fn keys_are_read_in_every_spelling() {
    for (written, key) in [
        ("\"-42\"", AdvisoryKey::Single(-42)),
        ("-42", AdvisoryKey::Single(-42)),
        ("\"-7,-42\"", AdvisoryKey::Pair(-7, -42)),
        ("[-7, -42]", AdvisoryKey::Pair(-7, -42)),
    ] {
        let formers = former(&format!("[[name]]\nname = \"x\"\nkey = {written}\n"));
        assert_eq!(formers[0].told.tag, key.tag(), "{written}");
    }
}

#[test]
fn mistakes_are_told_with_their_places() {
    for (text, told) in [
        ("[[name]\n", "migration.toml:1:"),
        (
            "version = 2\n",
            "migration.toml:1:11: the file: version 2 is newer",
        ),
        ("[[name]]\nname = \"x\"\n", "`key` is missing"),
        (
            "[[name]]\nname = \"x\"\nkey = \"1/2\"\n",
            "migration.toml:3:7: [[name]] \"x\": `key` is no key",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\nform = \"int4x2\"\n",
            "the key is bigint",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\nttl = \"10ms\"\n",
            "`ttl` is shorter than a lease lasts",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\nttl = 30\n",
            "`ttl` has no unit",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\ndecision = \"leese\"\n",
            "decision = \"lease\"",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\nkind = 3\n",
            "unknown key `kind`",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\n[[name]]\nname = \"x\"\nkey = 2\n",
            "the name stands above already",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\n[[name]]\nname = \"y\"\nkey = 1\n",
            "that of \"x\" already",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\n[name.seen]\nscopes = [\"sesion\"]\n",
            "scopes = \"session\"",
        ),
    ] {
        let said = mistakes(text);
        assert!(said.contains(told), "{told:?} of {text:?}: {said}");
    }
    let long = format!("[[name]]\nname = \"{}\"\nkey = 1\n", "x".repeat(256));
    assert!(mistakes(&long).contains("has 255 bytes at most"));
}

#[test]
fn one_key_in_two_databases_may_stand_twice() {
    let text = "[[name]]\nname = \"x\"\nkey = 1\ndatabase = \"a\"\n\
                [[name]]\nname = \"y\"\nkey = 1\ndatabase = \"b\"\n";
    assert_eq!(former(text).len(), 2);
}

/// A server with some locks on it, by hostile names.
fn any_sample() -> impl Strategy<Value = Snapshot> {
    let lock = (0..4_i64, 0..4_u8, "[a-c\"\\\\\n\u{202e}#\\]=é]{0,6}");
    proptest::collection::vec(lock, 0..6).prop_map(|locks| {
        let mut snapshot = quiet();
        for (pid, (key, kind, name)) in (20..).zip(locks) {
            let seen = snapshot.session(pid, Idle).named(pid, &name);
            snapshot = match kind {
                0 => seen.shares(pid, key),
                1 => seen.holds_in_transaction(pid, key),
                2 => seen.waits(pid, key, 5),
                _ => seen.holds(pid, key),
            };
        }
        snapshot
    })
}

/// What a person does to one table.
fn any_edit() -> impl Strategy<Value = (prop::sample::Index, usize, u8)> {
    (
        any::<prop::sample::Index>(),
        0..Decision::WORDS.len(),
        0..4_u8,
    )
}

fn edited(text: &str, (at, word, what): (prop::sample::Index, usize, u8)) -> String {
    let mut document: toml_edit::DocumentMut = text.parse().expect("it was written by us");
    let Some(names) = document
        .get_mut("name")
        .and_then(|names| names.as_array_of_tables_mut())
    else {
        return text.to_owned();
    };
    let at = at.index(names.len());
    let name = names.get_mut(at).expect("it is one of them");
    match what {
        0 => name["name"] = toml_edit::value(format!("mine {at}")),
        1 => name["ttl"] = toml_edit::value("77s"),
        2 => name["decision"] = toml_edit::value(Decision::WORDS[word].0),
        _ => name["reason"] = toml_edit::value("I know it"),
    }
    name.decor_mut().set_prefix("\n# a remark of mine\n");
    document.to_string()
}

proptest! {
    // Whose keys they are is worked out anew in each case.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn merging_again_changes_nothing(first in any_sample(), second in any_sample()) {
        let written = run(None, &gathered(vec![first.clone()]));
        prop_assert_eq!(&run(Some(&written), &gathered(vec![first])), &written);
        let gathering = gathered(vec![second]);
        let merged = run(Some(&written), &gathering);
        prop_assert_eq!(run(Some(&merged), &gathering), merged);
    }

    #[test]
    fn merging_keeps_every_edited_value(
        first in any_sample(),
        second in any_sample(),
        edit in any_edit(),
    ) {
        let written = run(None, &gathered(vec![first]));
        let edited = edited(&written, edit);
        let merged = run(Some(&edited), &gathered(vec![second]));
        let (before, mine, after) = (former(&written), former(&edited), former(&merged));
        prop_assert!(after.len() >= mine.len());
        for ((before, mine), after) in before.iter().zip(&mine).zip(&after) {
            prop_assert_eq!(&mine.told, &after.told);
            if (mine.decision, &mine.reason) != (before.decision, &before.reason) {
                prop_assert_eq!(mine.decision, after.decision);
                prop_assert_eq!(&mine.reason, &after.reason);
            }
        }
        let remarks = |text: &str| text.matches("# a remark of mine\n").count();
        prop_assert_eq!(remarks(&edited), remarks(&merged));
    }
}
