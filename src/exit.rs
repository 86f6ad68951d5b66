//! How a run ends, and the one place that says on stderr why it could not answer.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::pg::failure::ConnectFailure;
use crate::text::{printable, without_passwords};
use crate::toml_file::Mistakes;

pub use crate::hint::Hint;

/// The exit status: a sentence a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The question was answered, and nothing at or above `--fail-on` was found.
    Clean,
    /// The question was answered, and something at or above `--fail-on` was found.
    Findings,
    /// The question could not be answered: usage, connection, a bad file; with `--strict` also blind spots.
    Unanswered,
    /// Ctrl-C ended it before it was done.
    Interrupted,
    /// `lease run`: the command's own status, or 128 and the number of the signal that ended it.
    Command(u8),
    /// `lease run`: a signal ended it before its command began.
    Signal(u8),
    /// `lease run`: somebody else had the lease, and no command was run. `-E` sets the number.
    NotAcquired(u8),
    /// `lease run`: the lease was lost, and the job was stopped.
    LeaseLost,
    /// `lease run`: lockaudit itself failed, and no command was run.
    OwnFailure,
    /// `lease run`: the command was found and could not be executed.
    CommandNotExecutable,
    /// `lease run`: the command was not found.
    CommandNotFound,
}

impl Exit {
    pub fn status(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Unanswered => 2,
            Self::Interrupted => 130,
            Self::Command(status) | Self::NotAcquired(status) => status,
            Self::Signal(number) => 128 + number,
            Self::LeaseLost => 76,
            Self::OwnFailure => 125,
            Self::CommandNotExecutable => 126,
            Self::CommandNotFound => 127,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

/// Says what clap has to say: help, the version, or what is wrong with what was typed. Whoever runs a command
/// of their own must not take our refusal for its status.
pub fn refused(refusal: &clap::Error, runs_a_command: bool) -> Exit {
    // Nobody is left to tell when stderr is gone too.
    let _ = refusal.print();
    match (refusal.use_stderr(), runs_a_command) {
        (false, _) => Exit::Clean,
        (true, false) => Exit::Unanswered,
        (true, true) => Exit::OwnFailure,
    }
}

/// Says what failed, its causes one a line, and a hint where there is one.
pub fn explain(error: &anyhow::Error, stderr: &mut impl Write) {
    let mut said = Vec::new();
    // Writing into memory does not fail.
    let _ = write_error(error, &mut said);
    let said = without_passwords(&String::from_utf8_lossy(&said));
    // Nobody is left to tell when stderr is gone too.
    let _ = stderr.write_all(said.as_bytes());
}

fn write_error(error: &anyhow::Error, stderr: &mut impl Write) -> io::Result<()> {
    if let Some(failure) = error.downcast_ref::<ConnectFailure>() {
        return writeln!(stderr, "error: {}", failure.report());
    }
    if let Some(mistakes) = error.downcast_ref::<Mistakes>() {
        return write!(
            stderr,
            "error: could not use {}\n{mistakes}",
            printable(&mistakes.file)
        );
    }
    let mut chain = error.chain();
    if let Some(first) = chain.next() {
        writeln!(stderr, "error: {}", printable(&format!("{first:#}")))?;
    }
    for cause in chain {
        if cause.is::<Hint>() {
            writeln!(stderr, "{}", printable(&cause.to_string()))?;
            continue;
        }
        match cause.downcast_ref::<ConnectFailure>() {
            Some(failure) => writeln!(stderr, "  {}", failure.report())?,
            None => writeln!(stderr, "  {}", printable(&format!("{cause:#}")))?,
        }
    }
    Ok(())
}

/// Whether the reader of our output has gone away, which ends a run quietly.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
