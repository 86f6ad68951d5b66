//! Paragraphs with a hanging first part, wrapped to the screen.

use std::io::{self, Write};

use textwrap::{Options, WordSplitter};

use crate::render::style::Style;

/// Writes `text` after `first`, later lines under its beginning. `first` comes with its width on
/// the screen, since it may hold escape codes; `text` must be printable already.
pub(in crate::render) fn paragraph(
    style: Style,
    (first, first_width): (&str, usize),
    text: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let room = style.prose_width().saturating_sub(first_width).max(20);
    let options = Options::new(room)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    let indent = " ".repeat(first_width);
    for (at, line) in textwrap::wrap(text, options).iter().enumerate() {
        let before = if at == 0 { first } else { &indent };
        writeln!(out, "{}", format!("{before}{line}").trim_end())?;
    }
    Ok(())
}

/// Writes a statement as it stands, so that it can be copied: never wrapped.
pub(in crate::render) fn statement(
    style: Style,
    indent: usize,
    sql: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    for line in sql.lines() {
        writeln!(
            out,
            "{:indent$}{}",
            "",
            style.command(&crate::text::printable(line))
        )?;
    }
    Ok(())
}
