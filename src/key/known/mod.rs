//! The registry of known keys: read from data/known_keys.toml, once, when there is a key to name.

mod form;
mod tool;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub use form::{Form, Range, Shape};
pub use tool::{Evidence, Tool};

use super::scheme::{Scheme, scheme};
use super::{AdvisoryKey, AdvisoryTag};

/// Everything that is known without looking at a server.
#[derive(Debug)]
pub struct Registry {
    pub tools: Vec<Tool>,
    /// Words that applications like to name locks by.
    pub usual_names: Vec<String>,
    /// Hashes that applications use by themselves.
    pub usual_schemes: Vec<&'static Scheme>,
    constants: HashMap<AdvisoryKey, Vec<FormId>>,
    told_by_shape: ByKeySpace,
}

/// A form of a tool, by their places in the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormId {
    pub tool: usize,
    pub form: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    usual_names: Vec<String>,
    usual_schemes: Vec<String>,
    tool: Vec<tool::WrittenTool>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    read(include_str!("../../../data/known_keys.toml")).expect("a test reads the committed file")
});

/// The registry.
pub fn registry() -> &'static Registry {
    &REGISTRY
}

fn read(text: &str) -> anyhow::Result<Registry> {
    let written: Written = toml::from_str(text)?;
    let tools = written.tool.into_iter().map(tool::WrittenTool::read);
    let tools: Vec<Tool> = tools.collect::<Result<_, _>>()?;
    let usual_schemes = written
        .usual_schemes
        .iter()
        .map(|name| scheme(name).ok_or_else(|| anyhow::anyhow!("there is no scheme `{name}`")));
    Ok(Registry {
        usual_schemes: usual_schemes.collect::<Result<_, _>>()?,
        usual_names: written.usual_names,
        constants: constants(&tools),
        told_by_shape: told_by_shape(&tools),
        tools,
    })
}

fn constants(tools: &[Tool]) -> HashMap<AdvisoryKey, Vec<FormId>> {
    let mut constants: HashMap<AdvisoryKey, Vec<FormId>> = HashMap::new();
    for (id, form) in forms(tools) {
        if let Shape::Constant(key) = form.shape {
            constants.entry(key).or_default().push(id);
        }
    }
    constants
}

/// Forms that a key's shape tells, by the key space that they can be in: a scan asks this of each of
/// thousands of keys.
#[derive(Debug, Default)]
struct ByKeySpace {
    singles: Vec<FormId>,
    pairs: Vec<FormId>,
    extensions: Vec<FormId>,
}

fn told_by_shape(tools: &[Tool]) -> ByKeySpace {
    let mut told = ByKeySpace::default();
    for (id, form) in forms(tools) {
        match form.shape {
            Shape::Constant(_) | Shape::Derived { .. } => (),
            Shape::Pair(..) => told.pairs.push(id),
            Shape::KeySpace(_) => told.extensions.push(id),
            _ => told.singles.push(id),
        }
    }
    told
}

fn forms(tools: &[Tool]) -> impl Iterator<Item = (FormId, &Form)> {
    tools.iter().enumerate().flat_map(|(tool, entry)| {
        let forms = entry.forms.iter().enumerate();
        forms.map(move |(form, found)| (FormId { tool, form }, found))
    })
}

impl Registry {
    /// Every form of every tool.
    pub fn forms(&self) -> impl Iterator<Item = (FormId, &Form)> {
        forms(&self.tools)
    }

    /// Forms in this tag's key space that are neither a constant nor made of a name: a key's shape
    /// tells them.
    pub fn told_by_shape(&self, tag: AdvisoryTag) -> &[FormId] {
        match tag.key() {
            Some(AdvisoryKey::Single(_)) => &self.told_by_shape.singles,
            Some(AdvisoryKey::Pair(..)) => &self.told_by_shape.pairs,
            None => &self.told_by_shape.extensions,
        }
    }

    pub fn form(&self, id: FormId) -> (&Tool, &Form) {
        let tool = &self.tools[id.tool];
        (tool, &tool.forms[id.form])
    }

    /// Forms that are this very key.
    pub fn constants(&self, key: AdvisoryKey) -> &[FormId] {
        self.constants.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The entries that a name means: that id, or every entry whose name or id begins with it.
    pub fn tools_called(&self, name: &str) -> Vec<&Tool> {
        let wanted = name.to_lowercase();
        if let Some(exact) = self.tools.iter().find(|tool| tool.id == wanted) {
            return vec![exact];
        }
        let begins = |text: &str| text.to_lowercase().starts_with(&wanted);
        let tools = self.tools.iter();
        tools
            .filter(|tool| begins(&tool.id) || begins(&tool.name))
            .collect()
    }

    /// The ids that a misspelled name may have meant, the nearest first.
    pub fn near(&self, name: &str) -> Vec<&str> {
        let wanted = name.to_lowercase();
        let length = wanted.chars().count();
        let distance = |id: &str| -> usize {
            let beginning: String = id.chars().take(length).collect();
            match id.contains(&wanted) || wanted.contains(id) {
                true => 0,
                false => edits(&wanted, &beginning),
            }
        };
        let mut near: Vec<(usize, &str)> = self
            .tools
            .iter()
            .map(|tool| {
                (
                    distance(&tool.id).min(distance(&tool.name.to_lowercase())),
                    tool.id.as_str(),
                )
            })
            .filter(|(distance, _)| *distance <= length.div_ceil(3))
            .collect();
        near.sort();
        near.into_iter().take(5).map(|(_, id)| id).collect()
    }
}

/// How many characters must be put in, left out or changed to make one word of the other.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, character) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, theirs) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(character != *theirs);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::key::scheme as schemes;

    #[test]
    fn the_committed_file_is_read_and_every_entry_says_where_it_is_from() {
        let registry = registry();
        assert!(
            registry.tools.len() >= 100,
            "{} entries",
            registry.tools.len()
        );
        let ids: HashSet<&str> = registry.tools.iter().map(|tool| tool.id.as_str()).collect();
        assert_eq!(ids.len(), registry.tools.len(), "an id stands twice");
        for tool in &registry.tools {
            assert!(tool.source.contains(": "), "{}: {}", tool.id, tool.source);
            assert!(!tool.forms.is_empty(), "{}", tool.id);
            assert!(!tool.advice.is_empty(), "{}", tool.id);
        }
    }

    #[test]
    fn a_constant_has_one_owner_that_is_more_than_possible() {
        for (key, owners) in &registry().constants {
            let sure = owners
                .iter()
                .filter(|id| registry().form(**id).1.sure > crate::certainty::Certainty::Possible);
            assert!(sure.count() <= 1, "{key}");
        }
    }

    #[test]
    fn every_scheme_of_a_tool_is_some_tool_s() {
        let used: HashSet<&str> = registry()
            .forms()
            .filter_map(|(_, form)| match &form.shape {
                Shape::Derived { scheme, .. } => Some(scheme.name),
                Shape::PackedName => Some("ascii-name"),
                _ => None,
            })
            .collect();
        for scheme in schemes::schemes() {
            assert!(
                scheme.kind == schemes::Kind::Plain || used.contains(scheme.name),
                "{}",
                scheme.name
            );
        }
    }

    #[test]
    fn a_misspelled_tool_is_guessed() {
        assert_eq!(registry().near("primsa-migrate"), ["prisma-migrate"]);
        assert_eq!(registry().near("primsa"), ["prisma-migrate"]);
        assert_eq!(registry().near("lucid"), ["adonisjs-lucid"]);
        assert!(registry().near("nothing-like-it").is_empty());
        assert_eq!(registry().tools_called("wolverine").len(), 4);
    }
}
