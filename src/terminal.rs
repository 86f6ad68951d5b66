//! stdout and stderr: who owns them, how wide they are, and whether they want colour.

#![expect(
    clippy::disallowed_methods,
    reason = "the one module that owns stdout and stderr and reads what they want"
)]

pub mod notes;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use crate::render::style::{Colour, Style};
use crate::text::{printable, without_passwords};

/// `--color`
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourChoice {
    Auto,
    Always,
    Never,
}

pub fn stdout() -> impl Write {
    io::BufWriter::with_capacity(64 * 1024, io::stdout().lock())
}

pub fn stderr() -> impl Write {
    io::stderr().lock()
}

/// A note on stderr: progress, warnings; never the answer.
pub fn note(text: &str) {
    let line = format!("note: {}", printable(&without_passwords(text)));
    if let Err(line) = notes::hand_over(line) {
        write_line(&line);
    }
}

fn write_line(line: &str) {
    // A note that nobody can read is no reason to fail.
    let _ = writeln!(stderr(), "{line}");
}

/// What failed, on stderr, where no answer of ours is to come after it.
pub fn complain(text: &str) {
    // A complaint that nobody can read is no reason to fail twice.
    let _ = writeln!(stderr(), "error: {}", printable(&without_passwords(text)));
}

/// Whether somebody can be asked.
pub fn stdin_is_a_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Asks on stderr, and reads one line from stdin: empty at its end.
///
/// # Errors
/// What stdin or stderr says.
pub fn ask(question: &str) -> io::Result<String> {
    write!(stderr(), "{} ", crate::text::printable(question))?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

pub fn stdout_is_a_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The file to which a step of a GitHub workflow may add its summary.
pub fn step_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// How to write to stdout.
pub fn style(choice: ColourChoice) -> Style {
    let is_terminal = stdout_is_a_terminal();
    Style {
        colour: colour(choice, is_terminal, |name| std::env::var(name).ok()),
        width: is_terminal.then(width).flatten(),
    }
}

/// How to write to a file: nobody's screen is known.
pub fn style_for_files(choice: ColourChoice) -> Style {
    Style {
        colour: match choice {
            ColourChoice::Always => Colour::Ansi,
            _ => Colour::Plain,
        },
        width: None,
    }
}

/// The flag wins, then `NO_COLOR` (any text but none), then `CLICOLOR_FORCE` (any but `0`), then
/// what stdout is.
fn colour(
    choice: ColourChoice,
    is_terminal: bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Colour {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let wanted = match choice {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto if set("NO_COLOR").is_some() => false,
        ColourChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColourChoice::Auto if set("CLICOLOR").is_some_and(|value| value == "0") => false,
        ColourChoice::Auto => is_terminal && set("TERM").is_none_or(|term| term != "dumb"),
    };
    if wanted { Colour::Ansi } else { Colour::Plain }
}

fn width() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(choice: ColourChoice, is_terminal: bool, variables: &[(&str, &str)]) -> Colour {
        colour(choice, is_terminal, |name| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_flag_wins_over_every_variable() {
        let no_color = [("NO_COLOR", "1")];
        let force = [("CLICOLOR_FORCE", "1")];
        assert_eq!(
            decided(ColourChoice::Always, false, &no_color),
            Colour::Ansi
        );
        assert_eq!(decided(ColourChoice::Never, true, &force), Colour::Plain);
    }

    #[test]
    fn no_color_wins_over_force_and_an_empty_one_says_nothing() {
        let both = [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")];
        assert_eq!(decided(ColourChoice::Auto, true, &both), Colour::Plain);
        assert_eq!(
            decided(ColourChoice::Auto, true, &[("NO_COLOR", "")]),
            Colour::Ansi
        );
    }

    #[test]
    fn a_pipe_gets_colour_only_when_forced() {
        assert_eq!(decided(ColourChoice::Auto, false, &[]), Colour::Plain);
        assert_eq!(
            decided(ColourChoice::Auto, false, &[("CLICOLOR_FORCE", "0")]),
            Colour::Plain
        );
        assert_eq!(
            decided(ColourChoice::Auto, false, &[("CLICOLOR_FORCE", "1")]),
            Colour::Ansi
        );
        assert_eq!(
            decided(ColourChoice::Auto, true, &[("TERM", "dumb")]),
            Colour::Plain
        );
    }
}
