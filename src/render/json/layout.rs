//! How a document lies on its lines: each field of the document on its own, each item of its lists
//! on one, whatever is in it. A person finds what a program finds, and `grep` finds whole rows; with
//! everything on a line of its own, most of a large document would be spaces.

use std::io::{self, Write};

use serde_json::ser::Formatter;

use super::escape;

/// Objects and lists that lie this deep or less have their items on lines of their own: the
/// document is 1, its lists and its summary are 2.
const SPREAD: usize = 2;

#[derive(Default)]
pub(super) struct Layout {
    depth: usize,
    /// Whether what was begun last has an item.
    filled: bool,
}

impl Layout {
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn item<W: ?Sized + Write>(&self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.new_line(writer, self.depth)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.filled {
            self.new_line(writer, self.depth - 1)?;
        }
        self.depth -= 1;
        self.filled = true;
        writer.write_all(bracket)
    }

    fn new_line<W: ?Sized + Write>(&self, writer: &mut W, indent: usize) -> io::Result<()> {
        if self.is_spread() {
            writer.write_all(b"\n")?;
            for _ in 0..indent {
                writer.write_all(b"  ")?;
            }
        }
        Ok(())
    }

    fn is_spread(&self) -> bool {
        self.depth <= SPREAD
    }
}

impl Formatter for Layout {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        escape::write_visible(writer, fragment)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let colon: &[u8] = if self.is_spread() { b": " } else { b":" };
        writer.write_all(colon)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde_json::json;

    #[test]
    fn puts_each_field_of_the_document_and_each_item_of_its_lists_on_a_line() {
        let document = json!({
            "empty": [],
            "rows": [{"key": {"one": [1, 2], "two": {}}, "pid": 7}, {}],
            "summary": {"locks": 2, "verdict": "fine"},
        });
        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, Layout::default());
        document
            .serialize(&mut serializer)
            .expect("a value is JSON");
        let expected = r#"{
  "empty": [],
  "rows": [
    {"key":{"one":[1,2],"two":{}},"pid":7},
    {}
  ],
  "summary": {
    "locks": 2,
    "verdict": "fine"
  }
}"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
