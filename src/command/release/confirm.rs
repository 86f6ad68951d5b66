//! Asks whether to go on. Only a person at a terminal is asked: a script says `--yes`.

use std::io;
use std::thread;

use anyhow::{Context, Result};
use tokio::sync::oneshot;

use crate::exit::Hint;
use crate::terminal;

/// Whether the answer is yes; anything else, also the end of input, is no.
///
/// # Errors
/// When stdin is no terminal.
pub(super) async fn end_this_session() -> Result<bool> {
    if !terminal::stdin_is_a_terminal() {
        return Err(Hint::error("pass --yes to end it without being asked")
            .context("nothing done: there is no terminal to ask on"));
    }
    let answer = answer().await.context("could not ask")?;
    Ok(is_yes(&answer))
}

/// Read in a thread of its own, which Ctrl-C leaves behind: a read of a terminal can't be cancelled.
async fn answer() -> io::Result<String> {
    let (give, take) = oneshot::channel();
    thread::spawn(move || give.send(terminal::ask("End this session? [y/N]")));
    take.await.unwrap_or_else(|_| Ok(String::new()))
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_yes_is_yes() {
        for yes in ["y", "Y", "yes", "YES"] {
            assert!(is_yes(yes), "{yes}");
        }
        for no in ["", "n", "no", "ye", "yes please", "j", "1"] {
            assert!(!is_yes(no), "{no}");
        }
    }
}
