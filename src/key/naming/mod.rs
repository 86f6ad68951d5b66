//! Whose key is it: every explanation that is known for a key, the surest first.

mod formulas;
mod structure;

pub use super::candidate::{Candidate, Origin, summary};

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::AdvisoryTag;
use super::known::registry;
use super::names::Names;
use crate::certainty::Certainty;
use formulas::Formulas;

/// What is known besides the key.
#[derive(Debug, Clone, Default)]
pub struct NamingContext {
    /// Databases with locks in them: formulas with a database's name are tried with these.
    pub databases: Vec<String>,
    /// Schemas to try beside `public`.
    pub schemas: Vec<String>,
    /// Names that the application may call its locks by: application names, what the user says.
    pub words: Vec<String>,
    pub ranges: Ranges,
}

/// Whether a tool is named whose keys are any numbers of a range, a counter's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranges {
    #[default]
    Told,
    LeftOut,
}

/// Names keys. It works everything out once, so that thousands of keys cost little more than one.
#[derive(Debug)]
pub struct Namer<'a> {
    context: NamingContext,
    names: &'a Names,
    /// Formulas without a database's name.
    anywhere: Formulas,
    in_database: HashMap<String, Formulas>,
}

impl<'a> Namer<'a> {
    pub fn new(context: NamingContext, names: &'a Names) -> Self {
        let anywhere = Formulas::anywhere(&context);
        let databases = context.databases.iter();
        let in_database =
            databases.map(|name| (name.clone(), Formulas::in_database(&context, name)));
        Self {
            anywhere,
            in_database: in_database.collect(),
            names,
            context,
        }
    }

    /// Who may have taken this lock in a database of this name, the surest first. A tool is named
    /// once, by its best form.
    pub fn who_takes(&self, tag: AdvisoryTag, database: Option<&str>) -> Vec<Candidate> {
        let mut found = self.by_name(tag, database);
        found.extend(structure::candidates(tag, &self.context));
        sorted(found)
    }

    /// The same for a lock that may be in any of these databases.
    pub fn who_takes_in_any(&self, tag: AdvisoryTag, databases: &[String]) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = databases
            .iter()
            .flat_map(|database| self.by_name(tag, Some(database)))
            .collect();
        found.extend(structure::candidates(tag, &self.context));
        sorted(found)
    }

    fn by_name(&self, tag: AdvisoryTag, database: Option<&str>) -> Vec<Candidate> {
        let Some(key) = tag.key() else {
            return Vec::new();
        };
        let mut found = self.names.candidates(key, database);
        if let Some(formulas) = database.and_then(|name| self.in_database.get(name)) {
            found.extend(formulas.candidates(key));
        }
        found.extend(self.anywhere.candidates(key));
        found
    }
}

/// The best of each, a form that fits whole ranges only where nothing better does.
fn sorted(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by_key(|candidate| (Reverse(candidate.certainty), candidate.wide));
    let well_known = found.iter().any(|one| one.certainty > Certainty::Possible);
    let mut named = HashSet::new();
    found.retain(|one| !(one.wide && well_known) && named.insert(one.id.clone()));
    found
}

/// Who may have taken a lock, from one question to the next.
pub fn who_takes(
    tag: AdvisoryTag,
    database: Option<&str>,
    context: &NamingContext,
) -> Vec<Candidate> {
    Namer::new(context.clone(), &Names::default()).who_takes(tag, database)
}

/// Ids that a rule for expected holders may name: the registry's.
pub fn is_known_tool(id: &str) -> bool {
    registry().tools.iter().any(|tool| tool.id == id)
}

#[cfg(test)]
mod tests;
