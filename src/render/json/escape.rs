//! JSON that is safe to look at: characters that could act on a terminal are written as escapes,
//! which every reader turns back into the same text.

use std::io::{self, Write};

use serde_json::ser::Formatter;

use crate::text::is_hostile;

const DELETE: u8 = 0x7f;

/// Without a line break, for one object a line.
pub(super) struct Compact;

/// Writes a part of a string in which JSON itself has nothing to escape.
pub(super) fn write_visible<W: ?Sized + Write>(writer: &mut W, fragment: &str) -> io::Result<()> {
    // Nearly every text, and told without decoding it: of ASCII's controls JSON escapes all but one.
    if fragment.is_ascii() && !fragment.as_bytes().contains(&DELETE) {
        return writer.write_all(fragment.as_bytes());
    }
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

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
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
        let hostile = "a\u{9b}2J\u{202e}b\x1b[1m\n\"ü漢\x7f";
        let json = written(hostile, Layout::default());
        assert_eq!(json, written(hostile, Compact));
        assert_eq!(json, r#""a\u009b2J\u202eb\u001b[1m\n\"ü漢\u007f""#);
        assert_eq!(written("a\x7fb", Compact), r#""a\u007fb""#);
        let back: String = serde_json::from_str(&json).expect("it reads back");
        assert_eq!(back, hostile);
    }
}
