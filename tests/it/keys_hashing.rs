//! The hashes that are computed here are the server's own, on every major.

use std::fmt::Write;

use lockaudit::key::derived::{Question, by_scheme, by_tool};
use lockaudit::key::hash::{hashtext, hashtextextended};
use lockaudit::text::sql_literal;

use crate::harness::Server;

const STRINGS: usize = 3_000;
const LONGEST: u64 = 60;

/// 32-bit and 64-bit seeds of either sign; 0 is a case of its own.
const SEEDS: [i64; 5] = [0, 42, -1, i64::MAX, i64::MIN + 7];

const CHARACTERS: [char; 24] = [
    'a', 'b', 'z', 'A', '0', '9', '-', '_', ':', '/', ' ', '\'', '\\', '"', '$', 'ä', 'ß', 'é',
    'λ', 'Ж', '日', '語', '😀', '\u{301}',
];

/// The same strings in every run, of every length around the blocks of twelve bytes.
fn strings() -> Vec<String> {
    let mut state: u64 = 0x5bd1_e995;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..STRINGS)
        .map(|_| {
            let length = next(LONGEST);
            let characters = CHARACTERS.len() as u64;
            (0..length)
                .map(|_| CHARACTERS[next(characters) as usize])
                .collect()
        })
        .collect()
}

fn question(strings: &[String]) -> String {
    let literals: Vec<String> = strings.iter().map(|text| sql_literal(text)).collect();
    let mut columns = "hashtext(s)".to_owned();
    for seed in SEEDS {
        write!(columns, ", hashtextextended(s, '{seed}')").expect("a string takes all");
    }
    format!(
        "SELECT {columns} FROM unnest(ARRAY[{}]) WITH ORDINALITY AS t (s, n) ORDER BY n",
        literals.join(", ")
    )
}

#[test]
fn hashtext_and_hashtextextended_are_every_server_s() {
    let strings = strings();
    Server::each(|server| {
        let db = server.database("hashing");
        let session = db.session("hasher");
        let rows = session.rows(&question(&strings));
        assert_eq!(rows.len(), strings.len());
        for (text, row) in strings.iter().zip(rows) {
            let mut expected = vec![hashtext(text).to_string()];
            expected.extend(SEEDS.map(|seed| hashtextextended(text, seed).to_string()));
            let found: Vec<String> = row.into_iter().flatten().collect();
            assert_eq!(found, expected, "{text:?}");
        }
    });
}

#[test]
fn what_derive_gives_to_paste_is_the_key_beside_it() {
    let server = Server::any();
    let db = server.database("pasting");
    let session = db.session("paster");
    let names = ["my-lock", "it's", r"back\slash", "größe 日本", ""];
    for (name, namespace) in names
        .into_iter()
        .flat_map(|name| [(name, None), (name, Some(-7))])
    {
        let question = Question {
            name: name.to_owned(),
            database: Some("app".to_owned()),
            seed: -7,
            namespace,
        };
        for derived in by_scheme(&question).iter().chain(&by_tool(&question)) {
            if let Some(sql) = &derived.sql {
                let value = session.value(&format!("SELECT concat_ws(', ', {sql})"));
                assert_eq!(value, Some(derived.key.arguments()), "{name:?}: {sql}");
                session.runs(&format!("SELECT pg_try_advisory_xact_lock({sql})"));
            }
        }
    }
}
