//! YAML and JSON texts as documents, every value with its line.
//!
//! Values stand in one list and are named by their number there: an alias is a second use of a
//! number, so that no text can unfold into more memory than it has itself.

mod compose;

use granit_parser::{Event, Parser};
use serde::de::IgnoredAny;

use super::Source;
use super::mistake::{Mistake, Origin};
use compose::Composer;

/// One document of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    pub file: String,
    /// From 1.
    pub number: usize,
    pub nodes: Vec<Node>,
    /// Which of the nodes is all of it.
    pub root: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// In the file, from 1.
    pub line: usize,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Scalar(Scalar),
    List(Vec<usize>),
    /// In the text's order, then what was merged into it; no key is there twice.
    Map(Vec<(String, usize)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scalar {
    pub text: String,
    pub writing: Writing,
}

/// What a scalar may mean besides text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// A number, a truth, nothing.
    Plain,
    /// Text only: in quotes, as a block, or with a tag that says so.
    Quoted,
}

/// All documents of a text; those that are empty too, so that their numbers are right.
pub(super) fn documents(source: &Source) -> Result<Vec<Document>, Mistake> {
    let text = source.text.trim_start_matches('\u{FEFF}');
    let mut found = Vec::new();
    for part in parts(text) {
        read_part(source, &part, &mut found)?;
    }
    Ok(found)
}

/// What stands for itself: a YAML stream, or one of several JSON values.
struct Part<'a> {
    text: &'a str,
    /// In the file, before it.
    lines_before: usize,
}

/// JSON values one after the other are no YAML, though kubectl takes them.
fn parts(text: &str) -> Vec<Part<'_>> {
    let whole = || {
        let lines_before = 0;
        vec![Part { text, lines_before }]
    };
    if !text.trim_start().starts_with('{') {
        return whole();
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut parts = Vec::new();
    let (mut begin, mut lines_before) = (0, 0);
    while let Some(value) = values.next() {
        let end = values.byte_offset();
        let Some(part) = text.get(begin..end).filter(|_| value.is_ok()) else {
            return whole();
        };
        parts.push(Part {
            text: part,
            lines_before,
        });
        lines_before += part.matches('\n').count();
        begin = end;
    }
    parts
}

fn read_part(source: &Source, part: &Part<'_>, found: &mut Vec<Document>) -> Result<(), Mistake> {
    let mut open = None;
    for next in Parser::new_from_str(part.text) {
        let number = found.len() + 1;
        let refuse = |line: usize, message: String, instead: &str| {
            let origin = Origin {
                file: source.name.clone(),
                document: number,
                line,
            };
            with_hint(source, Mistake::at(origin, message), instead)
        };
        let (event, span) = next.map_err(|error| {
            let line = error.marker().line().max(1) + part.lines_before;
            refuse(line, format!("no YAML: {}", error.info()), LOOK)
        })?;
        match (event, &mut open) {
            (Event::DocumentStart(..), _) => open = Some(Composer::default()),
            (Event::DocumentEnd, _) => {
                let finished = open.take().and_then(Composer::finish);
                found.extend(finished.map(|(nodes, root)| Document {
                    file: source.name.clone(),
                    number,
                    nodes,
                    root,
                }));
            }
            (event, Some(composer)) => {
                let line = span.start.line() + part.lines_before;
                let added = composer.add(event, line);
                added.map_err(|wrong| refuse(wrong.line, wrong.message, wrong.instead))?;
            }
            (_, None) => {}
        }
    }
    Ok(())
}

const LOOK: &str = "look at that line and the one before: a quote or a bracket without its partner, a tab, an indentation";

/// A template is what people give by mistake, and then no other advice helps.
fn with_hint(source: &Source, mistake: Mistake, instead: &str) -> Mistake {
    match source.text.contains("{{") {
        true => mistake.instead(
            "the file has `{{`: a template must be rendered first, for example `helm template RELEASE CHART | lockaudit budget import -`",
        ),
        false => mistake.instead(instead),
    }
}
