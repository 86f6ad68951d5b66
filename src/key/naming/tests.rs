//! Every example of the registry is recognised, and what is nobody's is not.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::key::AdvisoryKey;

/// A key that is known to be a tool's, and what must be known to tell.
#[derive(Deserialize)]
struct Vector {
    id: String,
    key: Option<[i64; 1]>,
    pair: Option<[i32; 2]>,
    tag: Option<(u32, u32, i16)>,
    #[serde(default)]
    database: Option<String>,
    #[serde(default)]
    word: Option<String>,
    #[serde(default)]
    schema: Option<String>,
}

impl Vector {
    fn tag(&self) -> AdvisoryTag {
        match (self.key, self.pair, self.tag) {
            (Some([key]), ..) => AdvisoryKey::Single(key).tag(),
            (_, Some([first, second]), _) => AdvisoryKey::Pair(first, second).tag(),
            (.., Some((classid, objid, objsubid))) => AdvisoryTag {
                classid,
                objid,
                objsubid,
            },
            _ => panic!("{} has no key", self.id),
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let context = NamingContext {
            databases: self.database.iter().cloned().collect(),
            schemas: self.schema.iter().cloned().collect(),
            words: self.word.iter().cloned().collect(),
            ranges: Ranges::Told,
        };
        who_takes(self.tag(), self.database.as_deref(), &context)
    }
}

fn vectors() -> Vec<Vector> {
    #[derive(Deserialize)]
    struct File {
        vector: Vec<Vector>,
    }
    let file: File = toml::from_str(include_str!("vectors.toml")).expect("the vectors are TOML");
    file.vector
}

fn ids(candidates: &[Candidate]) -> Vec<&str> {
    candidates.iter().map(|one| one.id.as_str()).collect()
}

fn single(key: i64, database: &str) -> Vec<Candidate> {
    let context = NamingContext {
        databases: vec![database.to_owned()],
        ..NamingContext::default()
    };
    who_takes(AdvisoryKey::Single(key).tag(), Some(database), &context)
}

#[test]
fn every_example_is_recognised_as_its_tool_s() {
    for vector in vectors() {
        let found = vector.candidates();
        assert!(
            found.iter().any(|one| one.id == vector.id),
            "{} {:?}: {:?}",
            vector.id,
            vector.tag(),
            ids(&found)
        );
    }
}

#[test]
fn every_tool_has_an_example() {
    let vectors = vectors();
    let without: Vec<&str> = registry()
        .tools
        .iter()
        .map(|tool| tool.id.as_str())
        .filter(|id| !vectors.iter().any(|vector| vector.id == *id))
        .collect();
    // Upstream has no value of its own to compare with.
    assert_eq!(without, ["river-legacy"]);
}

#[test]
fn a_formula_over_the_databases_name_needs_that_name() {
    let key = 6_939_591_962_871_035_475;
    let own = single(key, "app");
    assert_eq!(own[0].id, "rails-migrations");
    assert_eq!(own[0].certainty, Certainty::Certain);
    assert_eq!(
        own[0].basis,
        "2053462845 times the CRC-32 of the database's name `app`"
    );
    let other = single(key, "orders");
    assert_eq!(other[0].id, "rails-migrations");
    assert_eq!(other[0].certainty, Certainty::Likely);
    assert!(single(key + 1, "app").is_empty());
}

#[test]
fn golang_migrate_and_grafana_share_a_key() {
    let found = single(620_236_277, "app");
    assert_eq!(ids(&found), ["golang-migrate-3-4.0", "grafana-migrator"]);
    assert!(found.iter().all(|one| one.certainty == Certainty::Possible));
}

#[test]
fn a_small_number_is_several_tools_and_none_for_sure() {
    for key in [1, 2, 5, 42, 1000] {
        let found = single(key, "app");
        assert!(found.len() >= 3, "{key}: {:?}", ids(&found));
        assert!(
            found.iter().all(|one| one.certainty == Certainty::Possible),
            "{key}"
        );
    }
}

#[test]
fn a_well_known_key_is_not_blurred_by_ranges_that_hold_it() {
    assert_eq!(ids(&single(72_707_369, "app")), ["prisma-migrate"]);
}

#[test]
fn the_parts_of_a_key_are_put_into_its_purpose() {
    let pair = AdvisoryKey::Pair(16_185_446, -2_147_467_264).tag();
    let found = who_takes(pair, None, &NamingContext::default());
    assert_eq!(
        found[0].purpose,
        "one repack at a time of the table with oid 16384"
    );
    let shard = AdvisoryTag {
        classid: 0,
        objid: 102_008,
        objsubid: 5,
    };
    let found = who_takes(shard, None, &NamingContext::default());
    assert_eq!(found[0].purpose, "shard 102008");
    assert_eq!(found[0].certainty, Certainty::Certain);
}

#[test]
fn key_spaces_of_two_extensions_are_not_decided_between() {
    let tag = AdvisoryTag {
        classid: 0,
        objid: 7,
        objsubid: 10,
    };
    let found = who_takes(tag, None, &NamingContext::default());
    assert_eq!(ids(&found), ["citus", "pg_auto_failover"]);
    assert!(found.iter().all(|one| one.certainty == Certainty::Possible));
}

#[test]
fn a_usual_name_under_a_usual_hash_is_told() {
    let found = single(
        i64::from(crate::key::hash::hashtext("leader_election")),
        "app",
    );
    assert_eq!(found[0].id, "leader_election");
    assert_eq!(found[0].origin, Origin::UsualHash);
    assert_eq!(found[0].basis, "hashtext of `leader_election`");
}

#[test]
fn the_summary_names_one_tool_or_says_that_it_is_a_guess() {
    assert_eq!(
        summary(&single(72_707_369, "app")).as_deref(),
        Some("Prisma Migrate")
    );
    assert_eq!(
        summary(&single(620_236_277, "app")).as_deref(),
        Some("golang-migrate up to 4.0 and its forks or Grafana, migrations?")
    );
    assert_eq!(summary(&[]), None);
}

#[test]
fn any_other_key_is_nobody_s() {
    let context = NamingContext {
        databases: vec!["app".to_owned(), "orders".to_owned()],
        schemas: Vec::new(),
        words: vec!["api".to_owned(), "worker".to_owned()],
        ranges: Ranges::Told,
    };
    let names = Names::default();
    let namer = Namer::new(context, &names);
    // A multiplicative walk over 64 bits: always the same, and nobody's.
    let mut key: u64 = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..20_000 {
        key = key
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let found = namer.who_takes(AdvisoryKey::Single(key.cast_signed()).tag(), Some("app"));
        assert!(found.is_empty(), "{key}: {:?}", ids(&found));
    }
}

proptest! {
    #[test]
    fn no_tag_is_too_odd_to_ask_for(classid: u32, objid: u32, objsubid: i16) {
        let tag = AdvisoryTag { classid, objid, objsubid };
        let context = NamingContext::default();
        for candidate in structure::candidates(tag, &context) {
            prop_assert!(!candidate.purpose.contains('{'), "{}", candidate.purpose);
        }
    }
}
