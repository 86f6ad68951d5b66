//! The screen on a terminal: nothing wider than it but what must stay in one piece.

use std::fs::OpenOptions;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use unicode_width::UnicodeWidthStr;

use crate::harness::{Database, Server};

#[test]
fn no_line_is_wider_than_the_terminal_but_statements_and_long_words() {
    let server = Server::any();
    let db = server.database("width");
    let sessions = tangle(&db);
    for width in [80, 200] {
        let screen = on_a_terminal(width, &["scan", &db.url(), "--pool-size", "api=3"]);
        assert!(screen.contains("Who waits for whom"), "{screen}");
        let lines = screen.lines().filter(|line| !line.starts_with("     "));
        for line in lines {
            let one_word = line.split_whitespace().count() == 1;
            assert!(one_word || line.width() <= width.into(), "{width}: {line}");
        }
    }
    drop(sessions);
}

#[test]
fn a_terminal_gets_colour_and_a_dumb_one_does_not() {
    let url = Server::any().address().url();
    let scan = ["scan", &url, "--include", "standby-lock"];
    assert!(written_to_a_terminal(80, &scan, "xterm").contains('\u{1b}'));
    assert!(!written_to_a_terminal(80, &scan, "dumb").contains('\u{1b}'));
}

fn tangle(db: &Database<'_>) -> Vec<crate::harness::Session> {
    let long = "a service with quite a long name indeed, number one of many";
    let names = ["api", "api", "api", long, "größe 日本語 日本語 日本語"];
    let sessions: Vec<_> = names.iter().map(|name| db.session(name)).collect();
    sessions[0]
        .idle_with(-8_046_644_073_709_551_615)
        .idle_with((-2_000_000_000, -2_100_000_000));
    sessions[1].waits_for(-8_046_644_073_709_551_615);
    sessions[3].in_transaction_with(7);
    sessions[2].waits_for(7);
    sessions[4].waits_for((-2_000_000_000, -2_100_000_000));
    db.session("x").prepared_with(8, "a global id with some words, and_one_very_long_word_that_is_one_piece_of_ninety_characters_at_least");
    sessions
}

fn on_a_terminal(width: u16, arguments: &[&str]) -> String {
    let plain = [arguments, &["--color", "never"]].concat();
    written_to_a_terminal(width, &plain, "xterm")
}

/// What lockaudit writes on a pseudo-terminal of this width.
fn written_to_a_terminal(width: u16, arguments: &[&str], kind: &str) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&ours)
        .and_then(|()| unlockpt(&ours))
        .expect("it is ours");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().expect("ASCII"))
        .expect("its other end");
    let size = Winsize {
        ws_row: 50,
        ws_col: width,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&theirs, size).expect("a terminal has a size");
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockaudit"))
        .args(arguments)
        .env_clear()
        .env("TERM", kind)
        .stdin(Stdio::null())
        .stdout(theirs)
        .stderr(Stdio::null())
        .spawn()
        .expect("lockaudit can be started");
    let mut written = Vec::new();
    // A terminal whose last writer is gone answers with an error, not with an end.
    let _ = std::fs::File::from(ours).read_to_end(&mut written);
    child.wait().expect("it is our child");
    String::from_utf8(written)
        .expect("UTF-8")
        .replace("\r\n", "\n")
}
