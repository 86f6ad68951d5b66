//! What CI reads: annotations, test results, code scanning, JSON. Each is read back by a parser.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Outcome, items, lockaudit};

/// A plan that fails in two ways, with text that is hostile to each format.
const PLAN: &str = "\
version = 1
[server]
max_connections = 20

[[role]]
name = \"a,b:c%d\\n::error::<&>\\\"'\\u001b[2J\"
nodes = 2
pool = 8

  [[role.lock]]
  name = \"l\"
  concurrency = 8

[[limit]]
user = \"nobody\"
connections = 1
";

fn check(format: &str, more: &[&str]) -> (TempDir, Outcome) {
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("budget.toml");
    fs::write(&file, PLAN).expect("it can be written");
    let file = file.display().to_string();
    let outcome = lockaudit(&[&["budget", "check", &file, "--format", format], more].concat());
    (folder, outcome.without_complaint().tame())
}

#[test]
fn annotations_stand_at_their_lines_and_nothing_else_becomes_one() {
    let (folder, outcome) = check("github", &[]);
    let outcome = outcome.exits_with(1);
    let file = folder.path().join("budget.toml").display().to_string();
    let commands: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.starts_with("::"))
        .collect();
    let heads: Vec<String> = commands
        .iter()
        .map(|line| line.replace(&file, "budget.toml"))
        .map(|line| line[..line[2..].find("::").expect("a command ends") + 2].to_owned())
        .collect();
    assert_eq!(
        heads,
        [
            "::error file=budget.toml,line=3,endLine=3,title=lockaudit B100",
            "::error file=budget.toml,line=10,endLine=10,title=lockaudit B200",
            "::warning file=budget.toml,line=14,endLine=14,title=lockaudit B111",
        ]
    );
    assert!(
        commands[0].contains("a,b:c%25d%0A::error::"),
        "{}",
        commands[0]
    );
}

#[test]
fn mistakes_of_a_file_are_annotated_too() {
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("budget.toml").display().to_string();
    fs::write(&file, PLAN.replace("pool = 8", "pool = -1")).expect("it can be written");
    lockaudit(&["budget", "check", &file, "--format", "github"])
        .exits_with(2)
        .says(",line=8,endLine=8,title=lockaudit%3A the budget can't be read::")
        .complains("has no limit");
}

#[test]
fn junit_has_a_case_for_each_check_and_reads_back() {
    let (_folder, outcome) = check("junit", &[]);
    let text = outcome.exits_with(1).stdout;
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let cases: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .collect();
    let failed: Vec<&str> = cases
        .iter()
        .flat_map(|case| {
            case.children()
                .filter(|child| child.has_tag_name("failure"))
        })
        .filter_map(|failure| failure.attribute("type"))
        .collect();
    assert_eq!(failed, ["B100", "B200"]);
    let names: Vec<&str> = cases
        .iter()
        .filter_map(|case| case.attribute("name"))
        .collect();
    assert_eq!(
        names[..3],
        ["steady fits", "peak fits", "limit of user nobody"]
    );
    let role = "a,b:c%d\n::error::<&>\"'\\u{1b}[2J";
    assert_eq!(
        names[3],
        format!("role {role}: the pool can't starve itself")
    );
    let suite = document
        .descendants()
        .find(|node| node.has_tag_name("testsuite"));
    let suite = suite.expect("there is a suite");
    assert_eq!(
        (suite.attribute("tests"), suite.attribute("failures")),
        (Some("4"), Some("2"))
    );
    let (_folder, strict) = check("junit", &["--strict"]);
    strict.exits_with(1).says("failures=\"3\"");
}

/// What SARIF 2.1.0 asks of the parts that we write: the names, their types, and that every index
/// leads to its rule. Properties that the standard does not know are not allowed there.
fn conforms_to_sarif(log: &Value) {
    let keys = |value: &Value, allowed: &[&str]| {
        let object = value.as_object().expect("an object");
        for key in object.keys() {
            assert!(allowed.contains(&key.as_str()), "{key} in {value}");
        }
    };
    keys(log, &["$schema", "version", "runs"]);
    assert_eq!(log["version"], "2.1.0");
    let levels = ["none", "note", "warning", "error"];
    for run in items(&log["runs"]) {
        keys(run, &["tool", "results", "columnKind"]);
        assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&text(&run["columnKind"])));
        let driver = &run["tool"]["driver"];
        keys(driver, &["name", "version", "rules"]);
        text(&driver["name"]);
        let rules: Vec<&Value> = items(&driver["rules"]).collect();
        for rule in &rules {
            keys(rule, &["id", "shortDescription", "defaultConfiguration"]);
            text(&rule["shortDescription"]["text"]);
            assert!(levels.contains(&text(&rule["defaultConfiguration"]["level"])));
        }
        for result in items(&run["results"]) {
            keys(
                result,
                &["ruleId", "ruleIndex", "level", "message", "locations"],
            );
            let index = result["ruleIndex"].as_u64().expect("an index");
            let rule = rules[usize::try_from(index).expect("a small one")];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(levels.contains(&text(&result["level"])));
            text(&result["message"]["text"]);
            for location in items(&result["locations"]) {
                let place = &location["physicalLocation"];
                keys(place, &["artifactLocation", "region"]);
                let uri = text(&place["artifactLocation"]["uri"]);
                assert!(
                    uri.chars()
                        .all(|one| one.is_ascii_graphic() && !"<>\"\\^`{|}".contains(one))
                );
                for number in ["startLine", "startColumn"] {
                    assert!(
                        place["region"][number]
                            .as_u64()
                            .is_some_and(|number| number >= 1)
                    );
                }
            }
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

#[test]
fn sarif_is_as_the_standard_says() {
    let (_folder, outcome) = check("sarif", &[]);
    let log = outcome.exits_with(1).json();
    conforms_to_sarif(&log);
    let found: Vec<(&str, u64)> = items(&log["runs"][0]["results"])
        .map(|result| {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            (
                text(&result["ruleId"]),
                region["startLine"].as_u64().expect("a line"),
            )
        })
        .collect();
    assert_eq!(found, [("B100", 3), ("B200", 10), ("B111", 14)]);
}

#[test]
fn a_plan_without_a_file_has_results_without_places() {
    let arguments = [
        "budget",
        "check",
        "--role",
        "api:nodes=9,pool=9",
        "--max-connections",
        "20",
        "--format",
    ];
    let sarif = lockaudit(&[&arguments[..], &["sarif"]].concat())
        .exits_with(1)
        .json();
    conforms_to_sarif(&sarif);
    assert_eq!(
        items(&sarif["runs"][0]["results"][0]["locations"]).count(),
        0
    );
    lockaudit(&[&arguments[..], &["github"]].concat())
        .exits_with(1)
        .says("::error title=lockaudit B100::");
}

#[test]
fn json_is_as_its_schema_says() {
    let (_folder, outcome) = check("json", &[]);
    let document = outcome.exits_with(1).json();
    let schema = lockaudit(&["schema", "budget"]).succeeds().json();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let mistakes: Vec<String> = validator
        .iter_errors(&document)
        .map(|one| one.to_string())
        .collect();
    assert!(mistakes.is_empty(), "{mistakes:#?}");
    assert_eq!(
        (&document["steady"], &document["peak"], &document["free"]),
        (&16.into(), &32.into(), &(-15).into())
    );
    let finding = &document["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["line"]),
        (&"B100".into(), &3.into())
    );
    assert_eq!(document["pools"][0]["verdict"], "deadlock");
    assert_eq!(document["connected"], Value::Null);
}

#[test]
fn markdown_keeps_foreign_text_in_its_cell() {
    let (_folder, outcome) = check("markdown", &[]);
    let outcome = outcome.exits_with(1);
    let rows: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(rows.len(), 4, "{}", outcome.stdout);
    assert!(rows[2].contains("&lt;&amp;&gt;"), "{}", rows[2]);
    assert!(
        outcome
            .stdout
            .starts_with("### Connection budget: it fails\n")
    );
}

#[test]
fn hostile_text_is_tame_on_the_screen_too() {
    let (folder, outcome) = check("text", &[]);
    outcome.exits_with(1).says("\\u{1b}[2J");
    let file = folder.path().join("budget.toml").display().to_string();
    for format in ["text", "svg", "html"] {
        lockaudit(&["budget", "show", &file, "--format", format])
            .succeeds()
            .tame();
    }
    lockaudit(&["budget", "fit", &file]).tame();
}
