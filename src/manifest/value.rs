//! One value of a document, and what may be asked of it. Nothing and `null` are the same to Kubernetes.

use super::mistake::{Mistake, Origin};
use super::yaml::{Content, Document, Scalar, Writing};
use crate::budget::deploy::Share;

/// As far as Kubernetes counts.
const MOST: u32 = i32::MAX as u32;

/// How much of a value an error repeats.
const MOST_SHOWN: usize = 40;

#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    document: &'a Document,
    node: usize,
    /// The key that it stands under.
    name: &'a str,
}

impl<'a> Value<'a> {
    pub(super) fn root(document: &'a Document) -> Self {
        Self {
            document,
            node: document.root,
            name: "the document",
        }
    }

    fn content(self) -> &'a Content {
        &self.document.nodes[self.node].content
    }

    pub(super) fn origin(self) -> Origin {
        Origin {
            file: self.document.file.clone(),
            document: self.document.number,
            line: self.document.nodes[self.node].line,
        }
    }

    pub(super) fn refuse(self, message: impl Into<String>) -> Mistake {
        Mistake::at(self.origin(), message)
    }

    pub(super) fn is_null(self) -> bool {
        matches!(self.content(), Content::Scalar(Scalar { text, writing: Writing::Plain })
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// What stands under a key.
    pub(super) fn get(self, key: &'a str) -> Result<Option<Self>, Mistake> {
        let found = self.map()?.iter().find(|(name, _)| name == key);
        let found = found.map(|(name, node)| self.inside(*node, name));
        Ok(found.filter(|value| !value.is_null()))
    }

    /// What stands at the end of a path; nothing if the path ends before.
    pub(super) fn find(self, path: &[&'a str]) -> Result<Option<Self>, Mistake> {
        let mut at = Some(self);
        for key in path {
            at = match at {
                Some(value) => value.get(key)?,
                None => return Ok(None),
            };
        }
        Ok(at)
    }

    /// What must stand under a key.
    pub(super) fn need(self, key: &'a str) -> Result<Self, Mistake> {
        let message = || format!("`{}` has no `{key}`", self.name);
        self.get(key)?.ok_or_else(|| self.refuse(message()))
    }

    pub(super) fn entries(self) -> Result<Vec<(&'a str, Self)>, Mistake> {
        let entries = self.map()?.iter();
        let entries = entries.map(|(key, node)| (key.as_str(), self.inside(*node, key)));
        Ok(entries.collect())
    }

    fn map(self) -> Result<&'a [(String, usize)], Mistake> {
        match self.content() {
            Content::Map(entries) => Ok(entries),
            _ => Err(self.refuse(format!("`{}` must be a mapping", self.name))),
        }
    }

    pub(super) fn is_map(self) -> bool {
        matches!(self.content(), Content::Map(_))
    }

    /// The elements of the list under a key; none if there is no list.
    pub(super) fn list(self, key: &'a str) -> Result<Vec<Self>, Mistake> {
        let Some(list) = self.get(key)? else {
            return Ok(Vec::new());
        };
        match list.content() {
            Content::List(items) => Ok(items.iter().map(|node| self.inside(*node, key)).collect()),
            _ => Err(list.refuse(format!("`{key}` must be a list"))),
        }
    }

    fn inside(self, node: usize, name: &'a str) -> Self {
        Self { node, name, ..self }
    }

    /// As it is written, in quotes or not.
    pub(super) fn text(self) -> Result<&'a str, Mistake> {
        match self.content() {
            Content::Scalar(scalar) => Ok(&scalar.text),
            _ => Err(self.refuse(format!("`{}` must be text", self.name))),
        }
    }

    pub(super) fn text_at(self, key: &'a str) -> Result<Option<&'a str>, Mistake> {
        self.get(key)?.map(Self::text).transpose()
    }

    pub(super) fn is_true(self) -> bool {
        self.plain()
            .is_some_and(|text| matches!(text, "true" | "True" | "TRUE"))
    }

    fn plain(self) -> Option<&'a str> {
        match self.content() {
            Content::Scalar(Scalar {
                text,
                writing: Writing::Plain,
            }) => Some(text),
            _ => None,
        }
    }

    /// A whole number as Kubernetes has them: 0 to 2147483647. In quotes it is none, and with a 0
    /// before it old YAML takes it for octal.
    pub(super) fn count(self) -> Result<u64, Mistake> {
        let number = self.plain().and_then(digits);
        number.ok_or_else(|| {
            let message = format!(
                "`{}` must be a whole number, not {}",
                self.name,
                self.shown()
            );
            self.refuse(message).instead(format!(
                "write `{}: 3`, without quotes, from 0 to {MOST}",
                self.name
            ))
        })
    }

    pub(super) fn count_at(self, key: &'a str) -> Result<Option<u64>, Mistake> {
        self.get(key)?.map(Self::count).transpose()
    }

    /// `3` or `25%`, as Kubernetes takes it.
    pub(super) fn share(self) -> Result<Share, Mistake> {
        if let Some(number) = self.plain().and_then(digits) {
            return Ok(Share::Count(number));
        }
        let percent = self.text()?.strip_suffix('%').and_then(digits);
        percent.map(Share::Percent).ok_or_else(|| {
            let message = format!(
                "`{}` must be a whole number or per cent, not {}",
                self.name,
                self.shown()
            );
            self.refuse(message)
                .instead(format!("write `{0}: 1` or `{0}: 25%`", self.name))
        })
    }

    /// For an error: cut, and without what a list holds.
    fn shown(self) -> String {
        match self.content() {
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a mapping".to_owned(),
            Content::Scalar(Scalar { text, writing }) => {
                let quote = match writing {
                    Writing::Plain => "",
                    Writing::Quoted => "\"",
                };
                match text.char_indices().nth(MOST_SHOWN) {
                    Some((at, _)) => format!("`{quote}{}…`", &text[..at]),
                    None => format!("`{quote}{text}{quote}`"),
                }
            }
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_octal = text.len() > 1 && text.starts_with('0');
    let number: u32 = text.parse().ok().filter(|_| is_plain && !is_octal)?;
    (number <= MOST).then_some(number.into())
}
