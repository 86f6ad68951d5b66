//! lockaudit's settings beside those of this machine's libpq.
//!
//! Without python3 or libpq the comparison is left out and says so; `LOCKAUDIT_REQUIRE_LIBPQ=1` makes that
//! a failure.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test may read the variable that demands it, and tell why it was left out"
)]

mod precedence;
mod strings;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// The script's answers, a line each; nothing where libpq can't be asked.
fn ask(script: &str, questions: Vec<String>) -> Option<Vec<String>> {
    let output = run(script, questions).filter(|output| output.status.code() != Some(3));
    let Some(output) = output else {
        let demanded = std::env::var("LOCKAUDIT_REQUIRE_LIBPQ").is_ok_and(|text| text == "1");
        assert!(!demanded, "python3 or libpq.so.5 is missing");
        eprintln!("left out: python3 or libpq.so.5 is missing");
        return None;
    };
    assert!(output.status.success(), "the oracle failed: {output:?}");
    let text = String::from_utf8(output.stdout).expect("plain answers");
    Some(text.lines().map(str::to_owned).collect())
}

fn run(script: &str, questions: Vec<String>) -> Option<Output> {
    let script = format!("{}/tests/oracle/{script}", env!("CARGO_MANIFEST_DIR"));
    let mut oracle = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = oracle.stdin.take().expect("stdin is a pipe");
    // Asked from a thread: both pipes can be full at once. A script that ends early is seen by its status.
    let asking = std::thread::spawn(move || {
        questions
            .iter()
            .try_for_each(|line| writeln!(stdin, "{line}"))
    });
    let output = oracle.wait_with_output().expect("the oracle ends");
    let _ = asking.join();
    Some(output)
}
