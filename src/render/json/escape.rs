//! JSON that is safe to look at: characters that could act on a terminal are written as escapes,
//! which every reader turns back into the same text.

use std::io::{self, Write};

use serde_json::ser::{Formatter, PrettyFormatter};

use crate::text::is_hostile;

/// Indented, for one document.
#[derive(Default)]
pub(super) struct Pretty {
    inner: PrettyFormatter<'static>,
}

/// Without a line break, for one object a line.
pub(super) struct Compact;

fn write_visible<W: ?Sized + Write>(writer: &mut W, fragment: &str) -> io::Result<()> {
    let mut written = 0;
    for (at, character) in fragment.char_indices().filter(|(_, one)| is_hostile(*one)) {
        writer.write_all(&fragment.as_bytes()[written..at])?;
        write!(writer, "\\u{:04x}", u32::from(character))?;
        written = at + character.len_utf8();
    }
    writer.write_all(&fragment.as_bytes()[written..])
}

impl Formatter for Compact {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        write_visible(writer, fragment)
    }
}

impl Formatter for Pretty {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        write_visible(writer, fragment)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.inner.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.inner.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    fn written(text: &str, formatter: impl Formatter) -> String {
        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        text.serialize(&mut serializer).expect("a string is JSON");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn writes_terminal_controls_as_escapes_that_read_back() {
        let hostile = "a\u{9b}2J\u{202e}b\x1b[1m\n\"ü漢";
        let json = written(hostile, Pretty::default());
        assert_eq!(json, written(hostile, Compact));
        assert_eq!(json, r#""a\u009b2J\u202eb\u001b[1m\n\"ü漢""#);
        let back: String = serde_json::from_str(&json).expect("it reads back");
        assert_eq!(back, hostile);
    }
}
