//! What is generated from the command line is committed, and the same as what the command prints:
//! completions, man pages, the JSON Schema, and the help in the README.
//!
//! `LOCKAUDIT_WRITE_GENERATED=1 cargo test generated` writes them all anew.

#![expect(
    clippy::disallowed_methods,
    reason = "one variable says that the files are to be written"
)]

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::harness::lockaudit;

const SHELLS: [(&str, &str); 5] = [
    ("bash", "lockaudit.bash"),
    ("zsh", "_lockaudit"),
    ("fish", "lockaudit.fish"),
    ("elvish", "lockaudit.elv"),
    ("powershell", "_lockaudit.ps1"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a committed file with what it should hold, or writes it.
pub fn keep(file: &Path, wanted: &str) {
    if std::env::var_os("LOCKAUDIT_WRITE_GENERATED").is_some() {
        fs::write(root().join(file), wanted).expect("the file can be written");
        return;
    }
    let committed = fs::read_to_string(root().join(file)).unwrap_or_default();
    assert!(
        committed == wanted,
        "{} is out of date: run `LOCKAUDIT_WRITE_GENERATED=1 cargo test generated`",
        file.display()
    );
}

fn printed(arguments: &[&str]) -> String {
    lockaudit(arguments).succeeds().without_complaint().stdout
}

#[test]
fn completions_are_those_of_the_command() {
    for (shell, file) in SHELLS {
        keep(
            &Path::new("completions").join(file),
            &printed(&["completions", shell]),
        );
    }
}

/// Every command as its path: `[]`, `["scan"]`, `["lab", "run"]`.
fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut todo = vec![(Vec::new(), lockaudit::cli::Cli::command())];
    while let Some((path, command)) = todo.pop() {
        for below in command.get_subcommands() {
            let mut path = path.clone();
            path.push(below.get_name().to_owned());
            found.push(path.clone());
            todo.push((path, below.clone()));
        }
    }
    found
}

#[test]
fn every_command_has_its_man_page() {
    let mut pages = Vec::new();
    for path in commands() {
        let words: Vec<&str> = std::iter::once("lockaudit")
            .chain(path.iter().map(String::as_str))
            .collect();
        let file = PathBuf::from("man").join(format!("{}.1", words.join("-")));
        let arguments: Vec<&str> = std::iter::once("man")
            .chain(words[1..].iter().copied())
            .collect();
        keep(&file, &printed(&arguments));
        pages.push(file);
    }
    let committed = fs::read_dir(root().join("man"))
        .expect("there are man pages")
        .count();
    assert_eq!(
        committed,
        pages.len(),
        "a man page of a command that is gone"
    );
}

#[test]
fn the_schema_is_the_one_that_is_printed() {
    let committed = fs::read_to_string(root().join("schema/scan.json")).expect("it is committed");
    assert_eq!(printed(&["schema"]), committed);
    let committed = fs::read_to_string(root().join("schema/keys.json")).expect("it is committed");
    assert_eq!(printed(&["schema", "keys"]), committed);
    let committed = fs::read_to_string(root().join("schema/lease.json")).expect("it is committed");
    assert_eq!(printed(&["schema", "lease"]), committed);
    let committed =
        fs::read_to_string(root().join("schema/migrate.json")).expect("it is committed");
    assert_eq!(printed(&["schema", "migrate"]), committed);
}

/// What stands in the README between a mark and `<!-- end -->` is generated.
#[test]
fn the_readme_shows_what_the_commands_print() {
    let file = Path::new("README.md");
    let mut readme = fs::read_to_string(root().join(file)).expect("there is a README");
    let mut shown = 0;
    let mut from = 0;
    while let Some((start, mark)) = next_mark(&readme, from) {
        let end = start
            + readme[start..]
                .find("<!-- end -->")
                .expect("the block ends");
        let block = generated(&mark);
        readme.replace_range(start..end, &block);
        from = start + block.len();
        shown += 1;
    }
    assert_eq!(shown, 3, "help, rules and the picture");
    keep(file, &readme);
}

/// Where the block after the next mark begins, and what the mark says.
fn next_mark(text: &str, from: usize) -> Option<(usize, String)> {
    const OPENING: &str = "<!-- ";
    let mut at = from;
    loop {
        at += text[at..].find(OPENING)? + OPENING.len();
        let length = text[at..].find(" -->\n")?;
        let mark = &text[at..at + length];
        if mark != "end" {
            return Some((at + length + " -->\n".len(), mark.to_owned()));
        }
    }
}

fn generated(mark: &str) -> String {
    match mark.split_once(": ") {
        Some(("help", command)) => {
            let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
            format!("```text\n{}```\n", printed(&arguments))
        }
        Some(("picture", name)) => format!("```text\n{}\n```\n", picture(name)),
        _ => rules(),
    }
}

/// The screen for a snapshot that was saved on a real server.
fn picture(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let screen = lockaudit(&words).exits_with(1).stdout;
    screen.trim_end().to_owned()
}

fn rules() -> String {
    let rules = lockaudit::finding::RULES.iter();
    rules
        .map(|rule| format!("| `{}` | {} |\n", rule.name, rule.summary))
        .collect()
}

#[test]
fn as_many_tools_are_known_as_is_claimed() {
    let known = lockaudit::key::known::registry().tools.len();
    for file in ["README.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(file)).expect("it is committed");
        let words: Vec<&str> = text.split_whitespace().collect();
        let claimed: Vec<usize> = words
            .windows(2)
            .filter(|pair| pair[1] == "tools")
            .filter_map(|pair| pair[0].parse().ok())
            .collect();
        assert_eq!(claimed, [known], "tools, by {file}");
    }
}

#[test]
fn every_rule_has_a_page() {
    for rule in &lockaudit::finding::RULES {
        let page = printed(&["explain", rule.name]);
        let words: Vec<&str> = page.split_whitespace().collect();
        let page = words.join(" ");
        for part in [rule.name, rule.summary, "How sure", "How bad", "What to do"] {
            assert!(
                page.contains(part),
                "the page of {} lacks: {part}",
                rule.name
            );
        }
    }
}
