//! Keys that names give: every formula of the registry worked out for the names that are known,
//! and these names under the hashes that applications use by themselves.

use std::collections::HashMap;

use super::{Candidate, NamingContext, Origin};
use crate::certainty::Certainty;
use crate::key::AdvisoryKey;
use crate::key::known::{FormId, Shape, registry};
use crate::key::pattern::{Pattern, Slot};
use crate::key::scheme::Scheme;

#[derive(Debug, Default)]
pub(super) struct Formulas {
    by_key: HashMap<AdvisoryKey, Vec<Match>>,
}

/// A text that gives a key.
#[derive(Debug)]
struct Match {
    by: By,
    text: String,
}

#[derive(Debug, Clone, Copy)]
enum By {
    Form(FormId),
    Usual(&'static Scheme),
}

impl Formulas {
    /// Those without a database's name.
    pub(super) fn anywhere(context: &NamingContext) -> Self {
        let mut formulas = Self::default();
        let words = words(context);
        for (id, scheme, pattern, first) in derived() {
            if !pattern.has(Slot::Database) {
                let pattern = filled(pattern, context, &words);
                formulas.add_form(id, scheme, &pattern, first);
            }
        }
        formulas.add_usual(&words);
        formulas
    }

    /// Those with a database's name, for this one.
    pub(super) fn in_database(context: &NamingContext, database: &str) -> Self {
        let mut formulas = Self::default();
        let database = [database.to_owned()];
        for (id, scheme, pattern, first) in derived() {
            if pattern.has(Slot::Database) {
                let pattern = filled(pattern, context, &words(context));
                let pattern = pattern.filled(Slot::Database, &database);
                formulas.add_form(id, scheme, &pattern, first);
            }
        }
        formulas
    }

    fn add_form(&mut self, id: FormId, scheme: &Scheme, pattern: &Pattern, first: Option<i32>) {
        for text in pattern.names() {
            let key = match first {
                None => (scheme.key)(&text),
                Some(first) => scheme
                    .half(&text)
                    .map(|second| AdvisoryKey::Pair(first, second)),
            };
            self.add(key, By::Form(id), text);
        }
    }

    fn add_usual(&mut self, words: &[String]) {
        for word in words {
            for scheme in &registry().usual_schemes {
                self.add((scheme.key)(word), By::Usual(scheme), word.clone());
            }
        }
    }

    fn add(&mut self, key: Option<AdvisoryKey>, by: By, text: String) {
        if let Some(key) = key {
            self.by_key.entry(key).or_default().push(Match { by, text });
        }
    }

    pub(super) fn candidates(&self, key: AdvisoryKey) -> impl Iterator<Item = Candidate> {
        self.by_key
            .get(&key)
            .into_iter()
            .flatten()
            .map(Match::candidate)
    }
}

impl Match {
    fn candidate(&self) -> Candidate {
        match self.by {
            By::Form(id) => self.of_form(id),
            By::Usual(scheme) => Candidate::of_name(
                Origin::UsualHash,
                &self.text,
                Certainty::Likely,
                format!("{} of `{}`", scheme.formula, self.text),
            ),
        }
    }

    fn of_form(&self, id: FormId) -> Candidate {
        let (tool, form) = registry().form(id);
        let purpose = form.what.as_ref().unwrap_or(&tool.purpose).clone();
        let basis = match &form.shape {
            Shape::Derived { scheme, of, first } => {
                let text = self.text.replace('\0', "\\0");
                let whose = match of.is_only(Slot::Database) {
                    true => "the database's name ",
                    false => "",
                };
                let first = first.map_or(String::new(), |first| format!("{first}, and "));
                format!("{first}{} of {whose}`{text}`", scheme.formula)
            }
            _ => String::new(),
        };
        Candidate::of_form(tool, form, purpose, basis)
    }
}

fn derived() -> impl Iterator<Item = (FormId, &'static Scheme, &'static Pattern, Option<i32>)> {
    registry()
        .forms()
        .filter_map(|(id, form)| match &form.shape {
            Shape::Derived { scheme, of, first } => Some((id, *scheme, of, *first)),
            _ => None,
        })
}

/// What locks may be called: usual words, and what the context knows.
fn words(context: &NamingContext) -> Vec<String> {
    let usual = registry().usual_names.iter();
    let known = context.words.iter().chain(&context.databases);
    let mut words: Vec<String> = usual.chain(known).cloned().collect();
    words.sort();
    words.dedup();
    words
}

fn filled(pattern: &Pattern, context: &NamingContext, words: &[String]) -> Pattern {
    let mut schemas = context.schemas.clone();
    schemas.push("public".to_owned());
    pattern
        .filled(Slot::Schema, &schemas)
        .filled(Slot::Name, words)
}
