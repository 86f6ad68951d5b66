//! A document, put together from the parser's events.

use std::collections::HashMap;

use granit_parser::{Event, ScalarStyle, Tag};

use super::{Content, Node, Scalar, Writing};

/// How many values the aliases of one document may unfold to, together.
const MOST_UNFOLDED: u64 = 1_000_000;

/// What can't be part of a document.
pub(super) struct Wrong {
    pub line: usize,
    pub message: String,
    /// What to do instead.
    pub instead: &'static str,
}

impl Wrong {
    fn at(line: usize, message: impl Into<String>, instead: &'static str) -> Self {
        Self {
            line,
            message: message.into(),
            instead,
        }
    }

    fn no_text(line: usize) -> Self {
        let instead = "give each key as text, as Kubernetes wants it";
        Self::at(line, "a key that is no text", instead)
    }

    fn no_mapping(line: usize) -> Self {
        let instead = "let `<<` name a mapping, or write the keys out";
        Self::at(line, "`<<` names what is no mapping", instead)
    }
}

#[derive(Default)]
pub(super) struct Composer {
    nodes: Vec<Node>,
    /// Of each node: how many values it is when every alias is written out.
    weights: Vec<u64>,
    anchors: HashMap<usize, usize>,
    open: Vec<Open>,
    root: Option<usize>,
    unfolded: u64,
}

/// A collection that is not at its end.
struct Open {
    line: usize,
    /// 0: none.
    anchor: usize,
    collection: Collection,
}

enum Collection {
    List(Vec<usize>),
    Map(Map),
}

#[derive(Default)]
struct Map {
    entries: Vec<(String, usize)>,
    /// With the line of each.
    keys: HashMap<String, usize>,
    /// What `<<` names.
    merged: Vec<usize>,
    /// That which waits for its value.
    key: Option<String>,
}

impl Composer {
    /// All nodes, and which of them is the root.
    pub(super) fn finish(self) -> Option<(Vec<Node>, usize)> {
        Some((self.nodes, self.root?))
    }

    pub(super) fn add(&mut self, event: Event<'_>, line: usize) -> Result<(), Wrong> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let writing = writing(style, tag.as_deref());
                let scalar = Scalar {
                    text: text.into_owned(),
                    writing,
                };
                self.scalar(scalar, anchor, line)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(Collection::List(Vec::new()), anchor, line)
            }
            Event::MappingStart(_, anchor, _) => {
                self.open(Collection::Map(Map::default()), anchor, line)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, line),
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, scalar: Scalar, anchor: usize, line: usize) -> Result<(), Wrong> {
        let is_key = self.waits_for_a_key();
        if is_key && anchor == 0 {
            return self.key(scalar.text, line);
        }
        let text = is_key.then(|| scalar.text.clone());
        let node = self.keep(Content::Scalar(scalar), anchor, line, 1);
        match text {
            Some(text) => self.key(text, line),
            None => self.place(node, line),
        }
    }

    fn waits_for_a_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open { collection: Collection::Map(map), .. }) if map.key.is_none()
        )
    }

    fn key(&mut self, key: String, line: usize) -> Result<(), Wrong> {
        let Some(Collection::Map(map)) = self.open.last_mut().map(|open| &mut open.collection)
        else {
            return Ok(());
        };
        if let Some(first) = map.keys.insert(key.clone(), line) {
            let message = format!("`{key}` is there twice (lines {first} and {line})");
            return Err(Wrong::at(line, message, "leave one of the two"));
        }
        map.key = Some(key);
        Ok(())
    }

    fn open(&mut self, collection: Collection, anchor: usize, line: usize) -> Result<(), Wrong> {
        if self.waits_for_a_key() {
            return Err(Wrong::no_text(line));
        }
        self.open.push(Open {
            line,
            anchor,
            collection,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Wrong> {
        let Some(Open {
            line,
            anchor,
            collection,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let content = match collection {
            Collection::List(items) => Content::List(items),
            Collection::Map(map) => Content::Map(self.merge(map, line)?),
        };
        let weight = self.weight(&content);
        let node = self.keep(content, anchor, line, weight);
        self.place(node, line)
    }

    fn weight(&self, content: &Content) -> u64 {
        let weight_of = |node: &usize| self.weights[*node];
        let inside: Box<dyn Iterator<Item = u64>> = match content {
            Content::Scalar(_) => Box::new(std::iter::empty()),
            Content::List(items) => Box::new(items.iter().map(weight_of)),
            Content::Map(entries) => Box::new(entries.iter().map(|(_, node)| weight_of(node))),
        };
        inside.fold(1, u64::saturating_add)
    }

    /// The map's own keys, then those of the maps that `<<` names, unless they are there already.
    fn merge(&mut self, map: Map, line: usize) -> Result<Vec<(String, usize)>, Wrong> {
        let Map {
            mut entries,
            mut keys,
            merged,
            ..
        } = map;
        for source in merged {
            let Content::Map(others) = self.nodes[source].content.clone() else {
                return Err(Wrong::no_mapping(line));
            };
            for (key, node) in others {
                self.unfold(self.weights[node], line)?;
                if keys.insert(key.clone(), line).is_none() {
                    entries.push((key, node));
                }
            }
        }
        Ok(entries)
    }

    fn alias(&mut self, anchor: usize, line: usize) -> Result<(), Wrong> {
        let Some(&node) = self.anchors.get(&anchor) else {
            let message = "an alias that stands inside of what it names";
            return Err(Wrong::at(line, message, "write the value out"));
        };
        self.unfold(self.weights[node], line)?;
        match (self.waits_for_a_key(), &self.nodes[node].content) {
            (false, _) => self.place(node, line),
            (true, Content::Scalar(scalar)) => self.key(scalar.text.clone(), line),
            (true, _) => Err(Wrong::no_text(line)),
        }
    }

    fn unfold(&mut self, weight: u64, line: usize) -> Result<(), Wrong> {
        self.unfolded = self.unfolded.saturating_add(weight);
        if self.unfolded <= MOST_UNFOLDED {
            return Ok(());
        }
        let message = format!("the aliases unfold to more than {MOST_UNFOLDED} values");
        Err(Wrong::at(
            line,
            message,
            "write the values out, without aliases",
        ))
    }

    fn keep(&mut self, content: Content, anchor: usize, line: usize, weight: u64) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node { line, content });
        self.weights.push(weight);
        if anchor != 0 {
            self.anchors.insert(anchor, node);
        }
        node
    }

    /// Puts a value where it belongs: in the innermost collection, or at the root.
    fn place(&mut self, node: usize, line: usize) -> Result<(), Wrong> {
        match self.open.last_mut().map(|open| &mut open.collection) {
            None => self.root = Some(node),
            Some(Collection::List(items)) => items.push(node),
            Some(Collection::Map(map)) => {
                let key = map.key.take().unwrap_or_default();
                if key != "<<" {
                    map.entries.push((key, node));
                    return Ok(());
                }
                match &self.nodes[node].content {
                    Content::List(items) => map.merged.extend(items),
                    Content::Map(_) => map.merged.push(node),
                    Content::Scalar(_) => return Err(Wrong::no_mapping(line)),
                }
            }
        }
        Ok(())
    }
}

fn writing(style: ScalarStyle, tag: Option<&Tag>) -> Writing {
    match tag.map(|tag| tag.suffix()) {
        Some("int" | "null" | "bool" | "float") => Writing::Plain,
        Some(_) => Writing::Quoted,
        None if style == ScalarStyle::Plain => Writing::Plain,
        None => Writing::Quoted,
    }
}
