//! Owns the marks that stand in a compared output for what changes from run to run.
//!
//! ```ignore
//! insta::assert_snapshot!(Marks::of(&outcome.stdout).replacing(db.name(), "<database>"));
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The width of what is written to a pipe.
const WIDTH: usize = 80;

/// What stands below a paragraph and is no part of it: another item of a list, an advised statement.
const BEGINNINGS: [&str; 6] = [
    "- ",
    "> ",
    "<- ",
    "SELECT pg_terminate_backend(",
    "SELECT pg_cancel_backend(",
    "ROLLBACK PREPARED ",
];

/// In this order: a later pattern sees the marks of the earlier ones.
static PATTERNS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
        (r"/(tmp|dev/shm)/lockaudit-[\w-]+(/[\w.-]+)*", "<folder>"),
        (
            r"\bPostgreSQL \d+(\.\d+|beta\d+|rc\d+)( \(\w+ [^)]+\))?",
            "PostgreSQL <version>",
        ),
        (r"[\w.-]+:\d+:[0-9a-f]{16}\b", "<holder>"),
        (r"\bvirtualxid \d+/\d+", "virtualxid <number>"),
        (r"(<folder>|127\.0\.0\.1|localhost):\d+", "$1:<port>"),
        (r"\bport=\d+", "port=<port>"),
        (r"\b(l\.database = |database )\d+", "$1<oid>"),
        (r"\b\d+ ms\b", "<duration>"),
        (r"\b\d+[smhd]( \d+[smhd])?\b", "<duration>"),
    ]
    .into_iter()
    .map(|(pattern, mark)| (regex(pattern), mark))
    .collect()
});

/// `pid 7`, `pids 7, 8 and 3 more`, `a.pid = 7`.
static PIDS: LazyLock<Regex> = LazyLock::new(|| regex(r"\bpids?(?: =)? (\d+(?:, \d+)*)"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"\b\d+\b"));

/// The gap between two cells, which is as wide as the widest pid asks for.
static GAP: LazyLock<Regex> = LazyLock::new(|| regex(r"(\S) {2,}"));

/// An output with its volatile parts marked: pids (`<pid>`, wherever a number was called a pid
/// once), times, durations, ports, private folders, versions, and the gaps of tables.
///
/// Paragraphs are joined again: where they break depends on the width of what was marked.
pub struct Marks(String);

impl Marks {
    pub fn of(output: &str) -> Self {
        let mut text = joined(output);
        for (pattern, mark) in PATTERNS.iter() {
            text = pattern.replace_all(&text, *mark).into_owned();
        }
        let text = with_pids_marked(&text);
        Self(GAP.replace_all(&text, "$1  ").into_owned())
    }

    /// A mark for what only the test knows: the name of its database.
    pub fn replacing(self, part: &str, mark: &str) -> Self {
        Self(self.0.replace(part, mark))
    }
}

impl fmt::Display for Marks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of this file")
}

fn with_pids_marked(text: &str) -> String {
    let called_pids = PIDS
        .captures_iter(text)
        .flat_map(|found| numbers(&found[1]))
        .collect::<BTreeSet<String>>();
    let mark = |found: &Captures<'_>| match called_pids.contains(&found[0]) {
        true => "<pid>".to_owned(),
        false => found[0].to_owned(),
    };
    NUMBER.replace_all(text, mark).into_owned()
}

fn numbers(list: &str) -> Vec<String> {
    let found = NUMBER.find_iter(list);
    found.map(|number| number.as_str().to_owned()).collect()
}

fn joined(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut before = "";
    for line in text.lines() {
        match lines.last_mut() {
            Some(paragraph) if continues(before, line) => {
                paragraph.push(' ');
                paragraph.push_str(line.trim_start());
            }
            _ => lines.push(line.to_owned()),
        }
        before = line;
    }
    lines.join("\n") + "\n"
}

/// Whether only want of room can have put `line` below `before`.
fn continues(before: &str, line: &str) -> bool {
    let Some(word) = line.split_whitespace().next() else {
        return false;
    };
    let had_no_room = before.chars().count() + 1 + word.chars().count() > WIDTH;
    let text = line.trim_start();
    let is_prose = !text.contains("  ") && !BEGINNINGS.iter().any(|it| text.starts_with(it));
    had_no_room && is_prose && beginnings(before).contains(&indent(line))
}

/// Where the text of a line may begin: after its indent, after a bullet, after a label.
fn beginnings(line: &str) -> Vec<usize> {
    let text = line.trim_start();
    let label = text.find("  ").map(|gap| gap + indent(&text[gap..]));
    let bullet = ["- ", "> ", "not seen: "]
        .into_iter()
        .find(|bullet| text.starts_with(bullet));
    [Some(0), label, bullet.map(str::len)]
        .into_iter()
        .flatten()
        .map(|offset| indent(line) + offset)
        .collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[test]
fn marks_what_changes_from_run_to_run() {
    let output = "\
pid 4711 of PostgreSQL 15.18 at /tmp/lockaudit-7-aB3/data, port=5433, 840 ms
  KEY  HOLDER         HELD
  42   4711 api       >= 1m 3s
WHERE a.pid = 99 AND a.backend_start = '2026-10-03T10:00:00.000001Z'
  AND l.database = 16384 AND l.objid = 42, which 99 holds
";
    let marked = "\
pid <pid> of PostgreSQL <version> at <folder>, port=<port>, <duration>
  KEY  HOLDER  HELD
  42  <pid> api  >= <duration>
WHERE a.pid = <pid> AND a.backend_start = '<time>'
  AND l.database = <oid> AND l.objid = 42, which <pid> holds
";
    assert_eq!(Marks::of(output).to_string(), marked);
}

#[test]
fn joins_a_paragraph_wherever_its_words_broke_it() {
    let words = "word ".repeat(13);
    let broken =
        format!("   > {words}another-one\n     and on\n   - {words}another-one\n   - next\n");
    let whole = format!("   > {words}another-one and on\n   - {words}another-one\n   - next\n");
    assert_eq!(joined(&broken), whole);
    assert_eq!(joined("short\nlines\n"), "short\nlines\n");
}
