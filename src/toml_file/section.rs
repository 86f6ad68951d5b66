//! One table of the file, read key by key: what is wrong is written down and reading goes on, so
//! that all mistakes are told at once. A file with a mistake gives no plan, so that no default can
//! stand in for a bad value.

use std::cell::RefCell;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Mistake;
use super::value::{self, Wrong};

/// What is wrong with the file so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger(RefCell<Vec<Mistake>>);

impl Ledger {
    pub(crate) fn note(&self, span: Range<usize>, wrong: Wrong) {
        let Wrong { message, instead } = wrong;
        self.0.borrow_mut().push(Mistake {
            span,
            message,
            instead,
        });
    }

    pub(crate) fn into_mistakes(self) -> Vec<Mistake> {
        self.0.into_inner()
    }
}

/// One table, and what has been asked for.
pub(crate) struct Section<'a> {
    /// As people call it: `[[role]] "web"`
    title: String,
    table: &'a DeTable<'a>,
    span: Range<usize>,
    asked: RefCell<Vec<&'static str>>,
    ledger: &'a Ledger,
}

impl<'a> Section<'a> {
    pub(crate) fn of(
        title: impl Into<String>,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        ledger: &'a Ledger,
    ) -> Self {
        Self {
            title: title.into(),
            table,
            span,
            asked: RefCell::default(),
            ledger,
        }
    }

    /// The table of this value, or a mistake.
    pub(crate) fn open(
        title: &str,
        value: &'a Spanned<DeValue<'a>>,
        ledger: &'a Ledger,
    ) -> Option<Self> {
        match value.get_ref() {
            DeValue::Table(table) => {
                let title = match name_in(table) {
                    Some(name) => format!("{title} \"{name}\""),
                    None => title.to_owned(),
                };
                Some(Self::of(title, table, value.span(), ledger))
            }
            _ => {
                let message = format!("{title} must be a table");
                ledger.note(value.span(), Wrong::saying(message));
                None
            }
        }
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Where the key's value stands, or the table if there is none.
    pub(crate) fn span_of(&self, key: &'static str) -> Range<usize> {
        self.table.get(key).map_or(self.span(), Spanned::span)
    }

    pub(crate) fn has(&self, key: &'static str) -> bool {
        self.table.contains_key(key)
    }

    pub(crate) fn value(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.asked.borrow_mut().push(key);
        self.table.get(key)
    }

    /// Something is wrong with the value of `key`.
    pub(crate) fn refuse(&self, key: &'static str, wrong: Wrong) {
        self.ledger.note(self.span_of(key), self.in_words(wrong));
    }

    /// Something is wrong with the table as a whole.
    pub(crate) fn complain(&self, wrong: Wrong) {
        self.ledger.note(self.span(), wrong);
    }

    fn in_words(&self, wrong: Wrong) -> Wrong {
        Wrong {
            message: format!("{}: {}", self.title, wrong.message),
            ..wrong
        }
    }

    pub(crate) fn missing(&self, key: &str, instead: &str) {
        let message = format!("{}: `{key}` is missing", self.title);
        self.complain(Wrong::saying(message).write(instead));
    }

    /// What `read` makes of the value; what it finds wrong is noted.
    pub(crate) fn read<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&DeValue<'_>) -> Result<T, Wrong>,
    ) -> Option<T> {
        let value = self.value(key)?;
        match read(value.get_ref()) {
            Ok(read) => Some(read),
            Err(wrong) => {
                let message = format!("`{key}` {}", wrong.message);
                self.refuse(key, Wrong { message, ..wrong });
                None
            }
        }
    }

    /// A whole number of at least `least`.
    pub(crate) fn whole_number(&self, key: &'static str, least: u64) -> Option<u64> {
        self.read(key, |value| value::whole_number(key, value, least))
    }

    pub(crate) fn text(&self, key: &'static str) -> Option<String> {
        self.read(key, value::text)
    }

    /// A list of texts; none where the key is not there.
    pub(crate) fn texts(&self, key: &'static str) -> Vec<String> {
        self.read(key, value::texts).unwrap_or_default()
    }

    /// A name that is needed.
    pub(crate) fn name(&self) -> Option<String> {
        if !self.has("name") {
            self.missing("name", "name = \"…\"");
        }
        let name = self.text("name")?;
        if name.is_empty() {
            self.refuse("name", Wrong::saying("`name` is empty"));
            return None;
        }
        Some(name)
    }

    pub(crate) fn flag(&self, key: &'static str) -> Option<bool> {
        self.read(key, |value| value::flag(key, value))
    }

    pub(crate) fn duration(&self, key: &'static str) -> Option<Duration> {
        self.read(key, |value| value::duration(key, value))
    }

    /// One of these words.
    pub(crate) fn word<T: Copy>(&self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        self.read(key, |value| value::word(key, value, words))
    }

    /// Any of these words, in a list; none where the key is not there.
    pub(crate) fn words<T: Copy>(&self, key: &'static str, words: &[(&str, T)]) -> Vec<T> {
        let read = self.read(key, |value| value::each_word(key, value, words));
        read.unwrap_or_default()
    }

    /// The tables under a key: `[[role]]`.
    pub(crate) fn sections(&self, key: &'static str, title: &str) -> Vec<Section<'a>> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let DeValue::Array(array) = value.get_ref() else {
            let wrong = Wrong::saying(format!("`{key}` must be a list of tables"));
            self.refuse(key, wrong.write(title));
            return Vec::new();
        };
        let elements = array.iter();
        elements
            .filter_map(|element| Section::open(title, element, self.ledger))
            .collect()
    }

    /// The table under a key: `[server]`.
    pub(crate) fn section(&self, key: &'static str, title: &str) -> Option<Section<'a>> {
        Section::open(title, self.value(key)?, self.ledger)
    }

    /// To be called when all keys have been asked for: others are mistakes.
    pub(crate) fn finish(self) {
        let asked = self.asked.borrow();
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !asked.contains(&name) {
                let wrong = value::unknown_key(&self.title, name, &asked);
                self.ledger.note(key.span(), wrong);
            }
        }
    }
}

fn name_in(table: &DeTable<'_>) -> Option<String> {
    Some(table.get("name")?.get_ref().as_str()?.to_owned())
}
