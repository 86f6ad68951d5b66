//! One form of a tool's key, as the registry's file writes it and as it is understood.

use std::fmt;

use serde::Deserialize;

use crate::certainty::Certainty;
use crate::key::AdvisoryKey;
use crate::key::pattern::Pattern;
use crate::key::scheme::{Scheme, scheme};

/// How a tool's key looks.
#[derive(Debug)]
pub struct Form {
    pub shape: Shape,
    pub sure: Certainty,
    /// What this form is for; the tool's purpose where it says nothing else.
    pub what: Option<String>,
}

#[derive(Debug)]
pub enum Shape {
    Constant(AdvisoryKey),
    /// A scheme over a text; with `first`, its 32 bits are the second half of a pair.
    Derived {
        scheme: &'static Scheme,
        of: Pattern,
        first: Option<i32>,
    },
    /// This factor times a 32-bit number.
    MultipleOf(i64),
    /// This number and a signed 32-bit number.
    Near(i64),
    Between(i64, i64),
    Pair(Range, Range),
    /// A key space that no SQL function reaches.
    KeySpace(i16),
    /// The key holds its name in ASCII.
    PackedName,
}

/// Numbers from the one to the other, both included.
#[derive(Debug, Clone, Copy)]
pub struct Range(i32, i32);

impl Range {
    pub fn holds(self, number: i32) -> bool {
        (self.0..=self.1).contains(&number)
    }

    fn is_one_number(self) -> bool {
        self.0 == self.1
    }
}

impl Shape {
    /// Whether the form fits a whole range of keys, so that a better one goes before it.
    pub fn is_wide(&self) -> bool {
        match self {
            Self::Between(..) => true,
            Self::Pair(first, _) => !first.is_one_number(),
            _ => false,
        }
    }
}

impl Form {
    /// The key in words: `72707369`, `2053462845 times the CRC-32 of {database}`.
    pub fn sentence(&self) -> String {
        match &self.shape {
            Shape::Constant(key) => key.to_string(),
            Shape::Derived { scheme, of, first } => {
                let first = first.map_or(String::new(), |first| format!("{first}, and "));
                format!("{first}{} of {of}", scheme.formula)
            }
            Shape::MultipleOf(factor) => format!("{factor} times a 32-bit number"),
            Shape::Near(number) => format!("{number} and a 32-bit number"),
            Shape::Between(from, to) => format!("a number from {from} to {to}"),
            Shape::Pair(first, second) => format!("({first}, {second})"),
            Shape::KeySpace(objsubid) => format!("objsubid {objsubid}"),
            Shape::PackedName => "a name in ASCII, seven bits a character".to_owned(),
        }
    }
}

/// `7`, `1 to 9`, `any`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(i32::MIN, i32::MAX) => f.write_str("any"),
            Self(from, to) if from == to => from.fmt(f),
            Self(from, to) => write!(f, "{from} to {to}"),
        }
    }
}

/// A form as written: which fields go together is checked afterwards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    key: Option<Key>,
    scheme: Option<String>,
    of: Option<String>,
    multiple_of: Option<i64>,
    near: Option<i64>,
    between: Option<(i64, i64)>,
    first: Option<Numbers>,
    second: Option<Numbers>,
    objsubid: Option<i16>,
    packed_name: Option<bool>,
    sure: Option<Sure>,
    what: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Key {
    Single(i64),
    Pair(i32, i32),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum Numbers {
    One(i32),
    Range(i32, i32),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sure {
    Certain,
    Likely,
    Possible,
}

impl From<Numbers> for Range {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::One(number) => Self(number, number),
            Numbers::Range(from, to) => Self(from, to),
        }
    }
}

impl Written {
    pub(super) fn read(self) -> anyhow::Result<Form> {
        let sure = match self.sure {
            Some(Sure::Certain) => Certainty::Certain,
            Some(Sure::Possible) => Certainty::Possible,
            Some(Sure::Likely) | None => Certainty::Likely,
        };
        let what = self.what.clone();
        let shape = self.shape()?;
        Ok(Form { shape, sure, what })
    }

    fn shape(self) -> anyhow::Result<Shape> {
        Ok(match self {
            Self {
                key: Some(Key::Single(key)),
                ..
            } => Shape::Constant(AdvisoryKey::Single(key)),
            Self {
                key: Some(Key::Pair(first, second)),
                ..
            } => Shape::Constant(AdvisoryKey::Pair(first, second)),
            Self {
                scheme: Some(name),
                of: Some(of),
                first,
                ..
            } => derived(&name, &of, first)?,
            Self {
                multiple_of: Some(factor),
                ..
            } => Shape::MultipleOf(factor),
            Self {
                near: Some(number), ..
            } => Shape::Near(number),
            Self {
                between: Some((from, to)),
                ..
            } => Shape::Between(from, to),
            Self {
                first: Some(first),
                second,
                ..
            } => {
                let any = Range(i32::MIN, i32::MAX);
                Shape::Pair(first.into(), second.map_or(any, Range::from))
            }
            Self {
                objsubid: Some(objsubid),
                ..
            } => Shape::KeySpace(objsubid),
            Self {
                packed_name: Some(true),
                ..
            } => Shape::PackedName,
            _ => anyhow::bail!("a form says nothing of its key"),
        })
    }
}

fn derived(name: &str, of: &str, first: Option<Numbers>) -> anyhow::Result<Shape> {
    let Some(scheme) = scheme(name) else {
        anyhow::bail!("there is no scheme `{name}`");
    };
    let first = match first {
        None => None,
        Some(Numbers::One(first)) => Some(first),
        Some(Numbers::Range(..)) => anyhow::bail!("a derived pair has one first half"),
    };
    let of = Pattern::parse(of)?;
    Ok(Shape::Derived { scheme, of, first })
}
