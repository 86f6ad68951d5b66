//! One explanation of a key.

use crate::certainty::Certainty;
use crate::key::known::{Form, Tool};

/// Who may have taken a lock, why we think so, and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub origin: Origin,
    /// The registry's id; for the user's own names, and names hashed as usual, the name.
    pub id: String,
    /// What the tool is called; for an application's own lock, its name.
    pub tool: String,
    /// What the lock is for.
    pub purpose: String,
    pub certainty: Certainty,
    /// Why we think so.
    pub basis: String,
    /// The scope that the tool uses, in words; `None` where nobody said.
    pub scope: Option<String>,
    /// What the operator should know.
    pub advice: Option<String>,
    /// Where it is known from.
    pub source: String,
    /// Fits a whole range of keys.
    pub(super) wide: bool,
}

/// Which kind of knowledge it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user's file of names.
    Names,
    /// The registry of known tools.
    Registry,
    /// A likely name, hashed by a usual function.
    UsualHash,
}

impl Origin {
    /// A stable word, in JSON too.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Registry => "registry",
            Self::UsualHash => "usual_hash",
        }
    }
}

impl Candidate {
    /// `Prisma Migrate (one run of its migrations at a time), likely`
    pub fn sentence(&self) -> String {
        format!(
            "{} ({}), {}",
            self.tool,
            self.purpose,
            self.certainty.as_str()
        )
    }

    pub(super) fn of_form(tool: &Tool, form: &Form, purpose: String, basis: String) -> Self {
        Self {
            origin: Origin::Registry,
            id: tool.id.clone(),
            tool: tool.name.clone(),
            purpose,
            certainty: form.sure,
            basis,
            scope: Some(tool.scope.clone()),
            advice: Some(tool.advice.clone()),
            source: tool.source.clone(),
            wide: form.shape.is_wide(),
        }
    }

    /// The application's own name for a lock.
    pub(crate) fn of_name(origin: Origin, name: &str, certainty: Certainty, basis: String) -> Self {
        Self {
            origin,
            id: name.to_owned(),
            tool: format!("`{name}`"),
            purpose: "a lock that the application names".to_owned(),
            certainty,
            basis,
            scope: None,
            advice: None,
            source: String::new(),
            wide: false,
        }
    }
}

/// The best explanation in a few words: `Prisma Migrate`, `Airflow, Coder or 2 others?`; nothing
/// where there is none.
pub fn summary(candidates: &[Candidate]) -> Option<String> {
    const SPELLED: usize = 2;
    let first = candidates.first()?;
    if first.certainty > Certainty::Possible {
        return Some(first.tool.clone());
    }
    let tools: Vec<&str> = candidates.iter().map(|one| one.tool.as_str()).collect();
    Some(
        match (tools.as_slice(), tools.len().saturating_sub(SPELLED)) {
            (few, 0) => format!("{}?", few.join(" or ")),
            (many, 1) => format!("{} or 1 other?", many[..SPELLED].join(", ")),
            (many, more) => format!("{} or {more} others?", many[..SPELLED].join(", ")),
        },
    )
}
