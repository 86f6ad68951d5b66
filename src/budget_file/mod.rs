//! The file of a connection budget, from TOML to the plan that the core judges.
//!
//! The format is described in docs/budget.md, and `lockaudit budget init` writes one to start from.
//! What is not understood is an error with its line and what to write instead: an unknown key, a
//! number without a limit, a unit that is missing. No value is ever guessed.

mod deploy;
mod init;
mod pooler;
mod role;
mod server;
#[cfg(test)]
mod tests;
mod value;
#[cfg(test)]
mod worked_cases;

pub use init::TEMPLATE;

use crate::budget::Plan;
use crate::budget::plan::{External, Limit, Policy, Pooler, Role};
use crate::budget::server::{Numbers, Server};
use crate::place::Place;
use crate::toml_file::{self, Mistakes, Section, Wrong};

/// The format that this program reads.
const VERSION: u64 = 1;

/// Where the server's numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerFrom {
    /// They must be in the file.
    File,
    /// The server is asked; those in the file are what is expected of it.
    Live,
}

/// A file that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub numbers: Numbers,
    pub policy: Policy,
    pub roles: Vec<Role>,
    pub poolers: Vec<Pooler>,
    pub externals: Vec<External>,
    pub limits: Vec<Limit>,
}

impl Draft {
    /// The plan, on this server.
    pub fn on(self, server: Server) -> Plan {
        Plan {
            server,
            policy: self.policy,
            roles: self.roles,
            poolers: self.poolers,
            externals: self.externals,
            limits: self.limits,
        }
    }
}

/// Reads a file's text.
///
/// # Errors
/// All that is wrong with it.
pub fn read(file: &str, text: &str, server_from: ServerFrom) -> Result<Draft, Mistakes> {
    let as_text = Text { text, server_from };
    toml_file::read(file, text, |section| in_words(section, &as_text))
}

/// The text, to tell places in it, and what it must hold.
struct Text<'a> {
    text: &'a str,
    server_from: ServerFrom,
}

impl Text<'_> {
    fn place(&self, section: &Section<'_>) -> Option<Place> {
        Some(toml_file::place(self.text, section.span().start))
    }

    fn line(&self, section: &Section<'_>) -> usize {
        toml_file::place(self.text, section.span().start).line
    }
}

fn in_words(file: Section<'_>, text: &Text<'_>) -> Option<Draft> {
    version(&file);
    let numbers = server::numbers(&file, text);
    let policy = server::policy(&file);
    let poolers = pooler::all(&file, text);
    let roles = role::all(&file, text, &poolers);
    let externals = server::externals(&file, text);
    let limits = server::limits(&file, text);
    if !file.has("role") && !file.has("external") {
        let wrong = Wrong::saying("nothing to budget: there is no [[role]] and no [[external]]");
        file.complain(wrong.write("a [[role]], or begin with `lockaudit budget init`"));
    }
    file.finish();
    Some(Draft {
        numbers: numbers?,
        policy,
        roles,
        poolers,
        externals,
        limits,
    })
}

fn version(file: &Section<'_>) {
    if !file.has("version") {
        file.missing("version", &format!("version = {VERSION}"));
    }
    if let Some(other) = file
        .whole_number("version", 1)
        .filter(|version| *version != VERSION)
    {
        let message =
            format!("version {other} is newer than this lockaudit understands ({VERSION})");
        file.refuse("version", Wrong::saying(message));
    }
}

/// Names must tell things apart.
fn refuse_doubles(text: &Text<'_>, what: &str, named: &[(&Section<'_>, &str)]) {
    for (at, (section, name)) in named.iter().enumerate() {
        if let Some((first, _)) = named[..at].iter().find(|(_, earlier)| earlier == name) {
            let message = format!(
                "{what} \"{name}\" appears twice (lines {} and {})",
                text.line(first),
                text.line(section)
            );
            section.refuse("name", Wrong::saying(message));
        }
    }
}
