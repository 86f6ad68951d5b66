//! The screen of somebody who watches the lab: what is told, and who does what.

use std::io::{self, Write};

use super::style::Style;
use super::table::prose::{paragraph, statement};
use crate::text::printable;

/// Room for the names of those who act.
const NAME_WIDTH: usize = 18;

/// What is about to be shown.
///
/// # Errors
/// What the writer says, here and below.
pub fn title(style: Style, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.heading(&printable(text)))
}

/// A paragraph to the reader, set apart.
pub fn tell(style: Style, text: &str, mut out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    paragraph(style, ("", 0), &printable(text), &mut out)
}

/// Who does or shows what.
pub fn event(style: Style, who: &str, what: &str, mut out: &mut dyn Write) -> io::Result<()> {
    let who = format!("  {:NAME_WIDTH$}  ", printable(who));
    let width = who.chars().count();
    paragraph(style, (&who, width), &printable(what), &mut out)
}

/// What can be typed as it stands.
pub fn command(style: Style, text: &str, mut out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    statement(style, 2, text, &mut out)?;
    writeln!(out)
}
