//! Many names in one line: `tenant-{1..500}`, `{blue,green}-worker`.
//!
//! A pattern is never spelled out: it knows how many names it stands for and makes each by its number.

use std::fmt;

/// A text with braces in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// `{first..last}`, padded with zeros to `width` digits.
    Numbers {
        first: u64,
        last: u64,
        width: usize,
    },
    Words(Vec<String>),
    Slot(Slot),
}

/// A place for something that is known later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    Database,
    Schema,
    Name,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoPattern(String);

impl Pattern {
    /// Reads a pattern. `\` takes the meaning from the brace, comma or backslash after it.
    ///
    /// # Errors
    /// A brace without its partner, or with nothing sensible in it.
    pub fn parse(text: &str) -> Result<Self, NoPattern> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            match character {
                '\\' => plain.push(escaped(&mut rest)?),
                '{' => {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(braced(&mut rest)?);
                }
                '}' => {
                    return Err(NoPattern(
                        "`}` without its `{`: write \\} for a brace".to_owned(),
                    ));
                }
                other => plain.push(other),
            }
        }
        parts.push(Part::Text(plain));
        parts.retain(|part| *part != Part::Text(String::new()));
        Ok(Self { parts })
    }

    /// How many names it stands for.
    pub fn count(&self) -> u64 {
        let counts = self.parts.iter().map(Part::count);
        counts.fold(1, u64::saturating_mul)
    }

    /// The name of this number, from 0 to one less than [`Pattern::count`]; the last part changes first.
    pub fn name(&self, number: u64) -> String {
        let mut number = number;
        let mut parts: Vec<String> = Vec::with_capacity(self.parts.len());
        for part in self.parts.iter().rev() {
            parts.push(part.name(number % part.count()));
            number /= part.count();
        }
        parts.reverse();
        parts.concat()
    }

    /// All its names, in order.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..self.count()).map(|number| self.name(number))
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.parts.contains(&Part::Slot(slot))
    }

    pub fn has_slots(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Slot(_)))
    }

    /// Whether it is nothing but this slot.
    pub fn is_only(&self, slot: Slot) -> bool {
        self.parts == [Part::Slot(slot)]
    }

    /// The pattern with these words in every such slot.
    pub fn filled(&self, slot: Slot, words: &[String]) -> Self {
        let fill = |part: &Part| match part {
            Part::Slot(found) if *found == slot => Part::Words(words.to_vec()),
            other => other.clone(),
        };
        Self {
            parts: self.parts.iter().map(fill).collect(),
        }
    }
}

impl Part {
    fn count(&self) -> u64 {
        match self {
            Self::Text(_) => 1,
            Self::Numbers { first, last, .. } => (last - first).saturating_add(1),
            Self::Words(words) => words.len() as u64,
            // Nothing until it is filled.
            Self::Slot(_) => 0,
        }
    }

    fn name(&self, number: u64) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Numbers { first, width, .. } => format!("{:0width$}", first + number),
            Self::Words(words) => words[number as usize].clone(),
            Self::Slot(_) => String::new(),
        }
    }
}

fn escaped(rest: &mut impl Iterator<Item = char>) -> Result<char, NoPattern> {
    match rest.next() {
        Some(character @ ('{' | '}' | ',' | '\\')) => Ok(character),
        _ => Err(NoPattern(
            "`\\` stands before `{`, `}`, `,` or `\\`".to_owned(),
        )),
    }
}

/// What is between the braces, the first of which has been read.
fn braced(rest: &mut impl Iterator<Item = char>) -> Result<Part, NoPattern> {
    let mut words = vec![String::new()];
    loop {
        let last = words.last_mut().expect("it begins with one word");
        match rest.next() {
            None => {
                return Err(NoPattern(
                    "`{` without its `}`: write \\{ for a brace".to_owned(),
                ));
            }
            Some('{') => return Err(NoPattern("braces do not go into braces".to_owned())),
            Some('}') => break,
            Some(',') => words.push(String::new()),
            Some('\\') => last.push(escaped(rest)?),
            Some(other) => last.push(other),
        }
    }
    match words.as_slice() {
        [one] => slot(one)
            .or_else(|| numbers(one))
            .ok_or_else(|| no_list(one)),
        _ => Ok(Part::Words(words)),
    }
}

fn no_list(text: &str) -> NoPattern {
    NoPattern(format!(
        "`{{{text}}}` is neither a range such as {{1..500}} nor a list such as {{blue,green}}"
    ))
}

fn slot(text: &str) -> Option<Part> {
    let slot = match text {
        "database" => Slot::Database,
        "schema" => Slot::Schema,
        "name" => Slot::Name,
        _ => return None,
    };
    Some(Part::Slot(slot))
}

fn numbers(text: &str) -> Option<Part> {
    let (first, last) = text.split_once("..")?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let width = match first.starts_with('0') {
        true => first.len(),
        false => 0,
    };
    let read = |text: &str| is_number(text).then(|| text.parse::<u64>().ok()).flatten();
    let (first, last) = (read(first)?, read(last)?);
    (first <= last).then_some(Part::Numbers { first, last, width })
}

/// As it is written, but for backslashes: for people.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(&text.replace('\0', "\\0"))?,
                Part::Numbers { first, last, width } => write!(f, "{{{first:0width$}..{last}}}")?,
                Part::Words(words) => write!(f, "{{{}}}", words.join(","))?,
                Part::Slot(Slot::Database) => f.write_str("{database}")?,
                Part::Slot(Slot::Schema) => f.write_str("{schema}")?,
                Part::Slot(Slot::Name) => f.write_str("{name}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for NoPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoPattern {}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let pattern = Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        pattern.names().collect()
    }

    #[test]
    fn stands_for_every_combination() {
        assert_eq!(names("plain"), ["plain"]);
        assert_eq!(names(""), [""]);
        assert_eq!(names("t-{8..11}"), ["t-8", "t-9", "t-10", "t-11"]);
        assert_eq!(names("{08..10}"), ["08", "09", "10"]);
        assert_eq!(names("{a,b}{,x}"), ["a", "ax", "b", "bx"]);
    }

    #[test]
    fn a_backslash_takes_the_meaning_away() {
        assert_eq!(names(r"a\{b\}\\"), [r"a{b}\"]);
        assert_eq!(names(r"{a\,b,c}"), ["a,b", "c"]);
    }

    #[test]
    fn is_counted_without_being_spelled_out() {
        let huge = Pattern::parse("{0..18446744073709551615}{1..9}").expect("it is a pattern");
        assert_eq!(huge.count(), u64::MAX);
        assert_eq!(huge.name(12), "14");
    }

    #[test]
    fn a_slot_is_nothing_until_it_is_filled() {
        let pattern = Pattern::parse("{database}.jobs").expect("it is a pattern");
        assert!(pattern.has(Slot::Database) && !pattern.has(Slot::Name));
        assert_eq!(pattern.count(), 0);
        let filled = pattern.filled(Slot::Database, &["app".to_owned()]);
        assert_eq!(filled.names().collect::<Vec<_>>(), ["app.jobs"]);
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        for wrong in [
            "{", "}", "a{b", "{}", "{x}", "{9..1}", "{-1..3}", "{1..}", "{a{b}}", r"a\b", r"\",
        ] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
