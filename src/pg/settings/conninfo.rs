//! `key=value` pairs, with libpq's quotes, escapes and blanks.

use anyhow::{bail, ensure};

use super::keyword::{Keyword, Kind, find, looks_like_a_keyword, suggestion};
use super::parameters::{ConnectionString, translate};
use super::values::Source;

/// Reads the pairs; the last value of a key counts.
pub(super) fn parse(text: &str, source: &Source) -> anyhow::Result<ConnectionString> {
    let mut found = ConnectionString::default();
    let mut scanner = Scanner::new(text, source);
    while scanner.skip_blanks() {
        let name = scanner.name()?;
        let word = scanner.value()?;
        let keyword = scanner.known(&name, &word)?;
        found.doubts.extend(doubt(keyword, &word));
        let (_, value) = translate(&name, word.text);
        found.store(keyword, value, source);
    }
    Ok(found)
}

/// A value as it was written.
struct Word {
    text: String,
    quoting: Quoting,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Quoted,
    /// Blanks after the `=` were skipped: `host= user=u` gives the host `user=u`.
    BareAfterBlanks,
    Bare,
}

/// `host= password=x` makes a host of `password=x`, which every later error would show.
fn doubt(keyword: &Keyword, word: &Word) -> Option<String> {
    let name = keyword.name;
    let misplaced = match (word.quoting, keyword.kind) {
        (Quoting::BareAfterBlanks, Kind::Secret) => starts_with_a_pair(&word.text),
        (_, Kind::Secret) => false,
        (Quoting::Quoted, Kind::Plain) => false,
        // `options=-csearch_path=x` is everyday; `layers` still looks for a password in it.
        (_, Kind::Plain) => name != "options" && word.text.contains('='),
    };
    misplaced.then(|| {
        format!(
            "the value of `{name}` looks like another parameter; is a value, a blank or a quote missing? \
             (write {name}='' for an empty value, and put a value that holds `=` in quotes)"
        )
    })
}

fn starts_with_a_pair(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| find(name).is_some())
}

struct Scanner<'a> {
    rest: std::str::Chars<'a>,
    length: usize,
    source: &'a Source,
    /// The keyword before this one, if its value was a secret: what follows may be the secret's tail.
    after_secret: Option<&'static str>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, source: &'a Source) -> Self {
        Self {
            rest: text.chars(),
            length: text.chars().count(),
            source,
            after_secret: None,
        }
    }

    /// False at the end of the text.
    fn skip_blanks(&mut self) -> bool {
        self.rest = self.rest.as_str().trim_start_matches(is_blank).chars();
        !self.rest.as_str().is_empty()
    }

    /// Counted from one, in characters.
    fn position(&self) -> usize {
        self.length - self.rest.clone().count() + 1
    }

    fn name(&mut self) -> anyhow::Result<String> {
        let position = self.position();
        let text = self.rest.as_str();
        let end = text.find(|c| c == '=' || is_blank(c)).unwrap_or(text.len());
        self.rest = text[end..].chars();
        self.skip_blanks();
        ensure!(
            self.rest.next() == Some('='),
            "no `=` after the word at character {position} of {}{}",
            self.source,
            self.remedy()
        );
        Ok(text[..end].to_owned())
    }

    fn remedy(&self) -> String {
        match self.after_secret {
            Some(name) => {
                format!("; if the value of `{name}` holds a blank or a quote, quote it: {name}='…'")
            }
            None => "; a value with blanks is written key='…'".to_owned(),
        }
    }

    fn value(&mut self) -> anyhow::Result<Word> {
        let before = self.position();
        self.skip_blanks();
        if self.rest.as_str().starts_with('\'') {
            return self.quoted();
        }
        let quoting = match self.position() == before {
            true => Quoting::Bare,
            false => Quoting::BareAfterBlanks,
        };
        let text = self.bare();
        Ok(Word { text, quoting })
    }

    fn bare(&mut self) -> String {
        let mut text = String::new();
        while let Some(character) = self.rest.next() {
            match character {
                '\\' => text.extend(self.rest.next()),
                blank if is_blank(blank) => break,
                other => text.push(other),
            }
        }
        text
    }

    fn quoted(&mut self) -> anyhow::Result<Word> {
        let position = self.position();
        self.rest.next();
        let mut text = String::new();
        let quoting = Quoting::Quoted;
        loop {
            match self.rest.next() {
                Some('\'') => return Ok(Word { text, quoting }),
                Some('\\') => text.extend(self.rest.next()),
                Some(other) => text.push(other),
                None => bail!(
                    "the quote at character {position} of {} is never closed",
                    self.source
                ),
            }
        }
    }

    fn known(&mut self, name: &str, word: &Word) -> anyhow::Result<&'static Keyword> {
        let Some(keyword) = translate(name, word.text.clone()).0 else {
            bail!(self.unknown(name));
        };
        self.after_secret = (keyword.kind == Kind::Secret).then_some(keyword.name);
        Ok(keyword)
    }

    /// Names the word only where it can't be a piece of a password.
    fn unknown(&self, name: &str) -> String {
        let source = self.source;
        match self.after_secret {
            Some(secret) => format!(
                "what follows the value of `{secret}` in {source} is no known parameter{}",
                self.remedy()
            ),
            None if looks_like_a_keyword(name) => {
                format!("unknown parameter `{name}` in {source}{}", suggestion(name))
            }
            None => format!(
                "{source} holds `=`, so it is read as key=value pairs, but a word before a `=` is no parameter's \
                 name; a URI starts with postgresql://"
            ),
        }
    }
}

/// C's `isspace` in the locales libpq runs in.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source::ConnectionString("the connection string");

    fn read(text: &str) -> Vec<(String, String)> {
        let found = parse(text, &SOURCE).expect("a valid string");
        let pair = |(name, value): (&'static str, &super::super::values::Value)| {
            (name.to_owned(), value.text.clone())
        };
        found.values.iter().map(pair).collect()
    }

    fn refusal(text: &str) -> String {
        parse(text, &SOURCE)
            .expect_err("an invalid string")
            .to_string()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        expected.iter().map(owned).collect()
    }

    #[test]
    fn reads_quotes_escapes_and_blanks() {
        let text = r"host = h password='a b\'c\\d' user=x\ y";
        let expected = [("host", "h"), ("password", r"a b'c\d"), ("user", "x y")];
        assert_eq!(read(text), pairs(&expected));
    }

    #[test]
    fn takes_the_last_value_of_a_key() {
        assert_eq!(read("host=a host=b"), pairs(&[("host", "b")]));
    }

    #[test]
    fn translates_requiressl() {
        assert_eq!(read("requiressl=1"), pairs(&[("sslmode", "require")]));
        assert_eq!(read("requiressl=0"), pairs(&[("sslmode", "prefer")]));
    }

    #[test]
    fn names_an_unknown_key_and_the_one_that_was_meant() {
        let expected =
            "unknown parameter `pasword` in the connection string; did you mean `password`?";
        assert_eq!(refusal("host=h pasword=hunter2"), expected);
    }

    #[test]
    fn does_not_repeat_a_password_with_a_blank() {
        for text in [
            "password=hun ter2=x",
            "password=hun ter2",
            "password='hun'ter2=x",
        ] {
            let message = refusal(text);
            assert!(!message.contains("ter2"), "{message}");
            assert!(message.contains("quote it"), "{message}");
        }
    }

    #[test]
    fn doubts_a_value_that_swallowed_the_next_pair() {
        for text in ["host= password=p", "password= host=h", "host=hpassword=p"] {
            assert_eq!(
                parse(text, &SOURCE).expect("as libpq").doubts.len(),
                1,
                "{text}"
            );
        }
        for text in [
            "password=YQ==",
            "options=-csearch_path=x",
            "dbname='a=b'",
            "host=",
        ] {
            assert!(
                parse(text, &SOURCE).expect("as libpq").doubts.is_empty(),
                "{text}"
            );
        }
    }
}
