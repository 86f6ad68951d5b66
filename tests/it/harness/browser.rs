//! Owns runs of programs that draw what lockaudit writes: a headless browser, Graphviz.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::program::program;

/// Without a window, a profile of its own, or anything that asks a network.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--virtual-time-budget=5000",
];

pub struct Browser {
    program: PathBuf,
}

impl Browser {
    /// `None`, with a printed line, where Chromium is not installed; `LOCKAUDIT_REQUIRE_CHROMIUM=1`
    /// makes that a failure.
    #[track_caller]
    pub fn found() -> Option<Self> {
        let program = program("chromium", "LOCKAUDIT_REQUIRE_CHROMIUM")?;
        Some(Self { program })
    }

    /// The document that a page has become once its scripts are through.
    #[track_caller]
    pub fn dom_of(&self, page: &str) -> String {
        let folder = TempDir::new().expect("a folder can be made");
        let file = folder.path().join("page.html");
        fs::write(&file, page).expect("a page can be written");
        let output = Command::new(&self.program)
            .args(FLAGS)
            .arg(format!(
                "--user-data-dir={}",
                folder.path().join("profile").display()
            ))
            .arg("--dump-dom")
            .arg(format!("file://{}", file.display()))
            .env("HOME", folder.path())
            .output()
            .expect("Chromium can be started");
        text_of(output)
    }
}

/// How Graphviz understands a graph: its `-Tplain` lines. `None` where it is not installed;
/// `LOCKAUDIT_REQUIRE_GRAPHVIZ=1` makes that a failure.
#[track_caller]
pub fn graphviz(graph: &str) -> Option<String> {
    let mut dot = Command::new(program("dot", "LOCKAUDIT_REQUIRE_GRAPHVIZ")?)
        .arg("-Tplain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("dot can be started");
    let mut stdin = dot.stdin.take().expect("stdin is a pipe");
    stdin.write_all(graph.as_bytes()).expect("dot reads it");
    drop(stdin);
    Some(text_of(dot.wait_with_output().expect("dot is our child")))
}

#[track_caller]
fn text_of(output: Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    String::from_utf8(output.stdout).expect("it writes UTF-8")
}
