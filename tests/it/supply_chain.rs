//! What the binary is made of keeps the promises of deny.toml, the lists of which are read from
//! there.
//!
//! The graph is `cargo tree`'s: `cargo metadata` also lists optional dependencies that nobody
//! switched on.

mod licence;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use toml::Table;

/// A bound, not a goal: whoever adds a crate looks at what comes with it.
const MOST_CRATES: usize = 175;

#[test]
fn every_licence_is_an_allowed_one() {
    let allowed = strings(&deny_toml()["licenses"]["allow"]);
    let refused: Vec<_> = shipped()
        .into_iter()
        .filter(|found| !licence::is_allowed(&found.licence, &allowed))
        .collect();
    assert!(refused.is_empty(), "not allowed by deny.toml: {refused:#?}");
}

#[test]
fn no_banned_crate_is_there() {
    let banned = crates_of(&deny_toml()["bans"]["deny"]);
    let found: Vec<_> = shipped()
        .into_iter()
        .filter(|found| banned.contains(&found.name))
        .collect();
    assert!(found.is_empty(), "banned by deny.toml: {found:#?}");
}

#[test]
fn no_crate_is_there_twice() {
    let skipped = crates_of(&deny_toml()["bans"]["skip"]);
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for found in shipped()
        .into_iter()
        .filter(|found| !found.is_one_of(&skipped))
    {
        versions.entry(found.name).or_default().push(found.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(
        versions.is_empty(),
        "more than one version of: {versions:#?}"
    );
}

#[test]
fn every_skipped_crate_is_still_there_twice() {
    let shipped = shipped();
    for skipped in crates_of(&deny_toml()["bans"]["skip"]) {
        let name = skipped.split('@').next().expect("a name comes first");
        let versions = shipped.iter().filter(|found| found.name == name).count();
        assert!(versions > 1, "deny.toml need not skip {skipped} any more");
    }
}

#[test]
fn the_graph_stays_small() {
    let count = shipped().len();
    assert!(
        count <= MOST_CRATES,
        "{count} crates, of {MOST_CRATES} at most"
    );
}

/// One crate of the graph that a release build compiles, on this platform.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shipped {
    name: String,
    version: String,
    licence: String,
}

impl Shipped {
    /// A line such as `syn v2.0.119 (proc-macro)|MIT OR Apache-2.0`.
    fn read(line: &str) -> Option<Self> {
        let (package, licence) = line.split_once('|')?;
        let mut words = package.split_whitespace();
        Some(Self {
            name: words.next()?.to_owned(),
            version: words.next()?.trim_start_matches('v').to_owned(),
            licence: licence.trim_end_matches(" (*)").to_owned(),
        })
    }

    /// `skipped` holds names with the first numbers of a version: `const-oid@0.9`.
    fn is_one_of(&self, skipped: &[String]) -> bool {
        let full = format!("{}@{}.", self.name, self.version);
        skipped
            .iter()
            .any(|skipped| full.starts_with(&format!("{skipped}.")))
    }
}

fn shipped() -> BTreeSet<Shipped> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo, which runs this test, can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let graph: BTreeSet<_> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(Shipped::read)
        .collect();
    assert!(
        graph.iter().any(|found| found.name == "tokio-postgres"),
        "not the graph: {graph:?}"
    );
    graph
}

fn deny_toml() -> Table {
    include_str!("../../deny.toml")
        .parse()
        .expect("deny.toml is TOML")
}

fn strings(list: &toml::Value) -> Vec<String> {
    let list = list.as_array().expect("a list");
    list.iter()
        .map(|entry| entry.as_str().expect("a list of strings").to_owned())
        .collect()
}

fn crates_of(list: &toml::Value) -> Vec<String> {
    let list = list.as_array().expect("a list");
    list.iter()
        .map(|entry| entry["crate"].as_str().expect("a crate").to_owned())
        .collect()
}
