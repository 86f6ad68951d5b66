//! What would fit, on the screen: the number, and below it the sum.

use std::io::{self, Write};

use super::prose::paragraph;
use crate::budget::answers::Answer;
use crate::render::style::Style;
use crate::text::printable;

/// # Errors
/// What the writer says.
pub fn write(answers: &[Answer], style: Style, out: &mut impl Write) -> io::Result<()> {
    for answer in answers {
        let value = match answer.value {
            Some(value) => value.to_string(),
            None => "none: not even 1 fits".to_owned(),
        };
        let head = format!("{}: {value}", printable(&answer.question));
        writeln!(out, "{}", style.heading(&head))?;
        paragraph(style, ("   ", 3), &printable(&answer.sum), out)?;
        if let Some(objection) = &answer.objection {
            paragraph(style, ("   but ", 7), &printable(objection), out)?;
        }
    }
    Ok(())
}
