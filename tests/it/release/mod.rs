//! `lockaudit release` on real servers: what it ends, and what it leaves alone.

mod dry_run;
mod ends;
mod pooler;
mod prompt;
mod races;
mod refuses;
mod rights;
mod shown;

use crate::harness::{Database, Outcome, Session, lockaudit};

/// `lockaudit release` as `postgres`, without a question.
#[track_caller]
fn release(db: &Database<'_>, holder: &Session, key: &str) -> Outcome {
    release_with(&db.url(), holder, key, &["--yes"])
}

#[track_caller]
fn release_with(url: &str, holder: &Session, key: &str, more: &[&str]) -> Outcome {
    let pid = holder.pid().to_string();
    let arguments = [&["release", url, "--pid", &pid, "--key", key], more].concat();
    lockaudit(&arguments).tame()
}

impl Outcome {
    /// On stdout, wherever the lines break.
    #[track_caller]
    fn tells(self, part: &str) -> Self {
        let words: Vec<&str> = self.stdout.split_whitespace().collect();
        assert!(
            words.join(" ").contains(part),
            "expected {part:?} in {self}"
        );
        self
    }
}

/// Whether the server still answers in this session.
fn lives(session: &Session) -> bool {
    session.tries("SELECT 1").is_ok()
}
