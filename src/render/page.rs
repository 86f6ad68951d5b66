//! A rule's page for `explain`, its paragraphs as wide as the screen lets them be.

use std::io::{self, Write};

use super::style::Style;
use super::table::prose::paragraph;
use crate::finding::Rule;

/// Writes the rule's name, what it finds, and its help.
///
/// # Errors
/// What the writer says.
pub fn write(rule: &Rule, style: Style, mut out: &mut dyn Write) -> io::Result<()> {
    let name = style.heading(rule.name);
    let width = rule.name.len() + 2;
    paragraph(style, (&format!("{name}: "), width), rule.summary, &mut out)?;
    for block in rule.help.split("\n\n") {
        writeln!(out)?;
        let words: Vec<&str> = block.split_whitespace().collect();
        paragraph(style, ("", 0), &words.join(" "), &mut out)?;
    }
    Ok(())
}
