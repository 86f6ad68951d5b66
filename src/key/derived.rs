//! The keys that one name gives: under every scheme, and in the hands of known tools.

use super::AdvisoryKey;
use super::hash;
use super::known::{Shape, Tool, registry};
use super::pattern::{Pattern, Slot};
use super::scheme::{Kind, Scheme, schemes};
use crate::text::sql_literal;

/// What a name is hashed with.
#[derive(Debug, Clone, Default)]
pub struct Question {
    pub name: String,
    /// For the formulas that a database's name is part of.
    pub database: Option<String>,
    /// For `hashtextextended`.
    pub seed: i64,
    /// The first half of pairs whose second is the hash.
    pub namespace: Option<i32>,
}

/// One key, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The scheme's name, or the tool's.
    pub by: String,
    pub formula: String,
    pub key: AdvisoryKey,
    /// The arguments of a lock function that the server computes to the same key, where it can.
    pub sql: Option<String>,
}

/// Under the schemes that any application may use.
pub fn by_scheme(question: &Question) -> Vec<Derived> {
    let plain = schemes().filter(|scheme| scheme.kind == Kind::Plain);
    plain.filter_map(|scheme| under(scheme, question)).collect()
}

fn under(scheme: &'static Scheme, question: &Question) -> Option<Derived> {
    let name = &question.name;
    let derived = match scheme.name {
        "hashtextextended" => seeded(question),
        _ => Derived {
            by: scheme.name.to_owned(),
            formula: scheme.formula.trim_end_matches(',').to_owned(),
            key: (scheme.key)(name)?,
            sql: scheme.sql(name),
        },
    };
    match question.namespace {
        None => Some(derived),
        Some(first) => Some(Derived {
            key: AdvisoryKey::Pair(first, scheme.half(name).filter(|_| scheme.bits() == 32)?),
            formula: format!("{first}, and {}", derived.formula),
            sql: derived.sql.and_then(|sql| pair(scheme, first, &sql)),
            ..derived
        }),
    }
}

/// Arguments for the two halves: only `hashtext` is of the type that they need.
fn pair(scheme: &Scheme, first: i32, sql: &str) -> Option<String> {
    (scheme.name == "hashtext").then(|| format!("{first}, {sql}"))
}

fn seeded(question: &Question) -> Derived {
    let Question { name, seed, .. } = question;
    Derived {
        by: "hashtextextended".to_owned(),
        formula: format!("hashtextextended with seed {seed}"),
        key: AdvisoryKey::Single(hash::hashtextextended(name, *seed)),
        sql: Some(format!("hashtextextended({}, {seed})", sql_literal(name))),
    }
}

/// What known tools take when the name is the one that they ask for, or the database has that name.
pub fn by_tool(question: &Question) -> Vec<Derived> {
    let tools = registry().tools.iter();
    tools.flat_map(|tool| of_tool(tool, question)).collect()
}

fn of_tool(tool: &Tool, question: &Question) -> Vec<Derived> {
    let forms = tool.forms.iter().filter_map(|form| match &form.shape {
        Shape::Derived { scheme, of, first } => Some((*scheme, of, *first)),
        _ => None,
    });
    let depends = forms.filter(|(_, of, _)| of.has(Slot::Name) || of.has(Slot::Database));
    let derived = depends.flat_map(|(scheme, of, first)| {
        let texts: Vec<String> = filled(of, question).names().collect();
        texts
            .into_iter()
            .filter_map(move |text| by_form(tool, scheme, (&text, first)))
    });
    derived.collect()
}

/// Nothing where a database's name is needed and none was said.
fn filled(pattern: &Pattern, question: &Question) -> Pattern {
    let databases: Vec<String> = question.database.iter().cloned().collect();
    pattern
        .filled(Slot::Name, std::slice::from_ref(&question.name))
        .filled(Slot::Schema, &["public".to_owned()])
        .filled(Slot::Database, &databases)
}

fn by_form(tool: &Tool, scheme: &Scheme, (text, first): (&str, Option<i32>)) -> Option<Derived> {
    let key = match first {
        None => (scheme.key)(text)?,
        Some(first) => AdvisoryKey::Pair(first, scheme.half(text)?),
    };
    let sql = scheme.sql(text);
    Some(Derived {
        by: tool.name.clone(),
        formula: format!("{} of `{}`", scheme.formula, text.replace('\0', "\\0")),
        key,
        sql: match first {
            None => sql,
            Some(first) => sql.and_then(|sql| pair(scheme, first, &sql)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(namespace: Option<i32>) -> Question {
        Question {
            name: "my-lock".to_owned(),
            database: Some("app".to_owned()),
            seed: 42,
            namespace,
        }
    }

    fn key(derived: &[Derived], by: &str) -> Option<AdvisoryKey> {
        derived.iter().find(|one| one.by == by).map(|one| one.key)
    }

    #[test]
    fn a_name_has_a_key_under_every_plain_scheme() {
        let derived = by_scheme(&question(None));
        assert_eq!(
            key(&derived, "hashtext"),
            Some(AdvisoryKey::Single(577_534_659))
        );
        assert_eq!(
            key(&derived, "hashtextextended"),
            Some(AdvisoryKey::Single(-5_891_037_799_910_581_900))
        );
        let plain = schemes().filter(|scheme| scheme.kind == Kind::Plain);
        assert_eq!(derived.len(), plain.count());
    }

    #[test]
    fn a_namespace_leaves_the_schemes_that_fit_half_a_pair() {
        let derived = by_scheme(&question(Some(7)));
        assert_eq!(
            key(&derived, "hashtext"),
            Some(AdvisoryKey::Pair(7, 577_534_659))
        );
        assert_eq!(derived[0].sql.as_deref(), Some("7, hashtext('my-lock')"));
        assert_eq!(key(&derived, "md5"), None);
    }

    #[test]
    fn a_tool_s_formula_needs_its_database() {
        let derived = by_tool(&question(None));
        let rails = Some(AdvisoryKey::Single(6_939_591_962_871_035_475));
        assert_eq!(key(&derived, "Rails migrations"), rails);
        let nowhere = Question {
            database: None,
            ..question(None)
        };
        assert_eq!(key(&by_tool(&nowhere), "Rails migrations"), None);
        assert!(key(&by_tool(&nowhere), "Symfony Lock").is_some());
    }
}
