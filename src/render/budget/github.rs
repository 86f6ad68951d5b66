//! Workflow commands that GitHub turns into annotations at the plan's lines, the worst first, since
//! it shows only the first few of a step.

use std::io::{self, Write};

use super::Shown;
use crate::budget::said;
use crate::budget::{Finding, Level};
use crate::place::Place;
use crate::toml_file::Mistakes;

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    for finding in &shown.assessment.findings {
        annotate(shown.file, finding, out)?;
    }
    // A line of the log that no text of the plan can turn into a command.
    writeln!(
        out,
        "{}",
        crate::text::printable(&said::verdict(shown.assessment))
    )
}

fn annotate(file: Option<&str>, finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let command = match finding.level() {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let text: Vec<&str> = std::iter::once(&finding.message)
        .chain(&finding.details)
        .map(String::as_str)
        .collect();
    let title = format!("lockaudit {}", finding.code.as_str());
    line(
        command,
        (file, finding.place),
        &title,
        &text.join("\n"),
        out,
    )
}

/// A file that could not be used, mistake by mistake.
///
/// # Errors
/// What the writer says.
pub fn mistakes(mistakes: &Mistakes, out: &mut impl Write) -> io::Result<()> {
    for (place, mistake) in mistakes.listed() {
        let text = match &mistake.instead {
            Some(instead) => format!("{}\nwrite {instead}", mistake.message),
            None => mistake.message.clone(),
        };
        let at = (Some(mistakes.file.as_str()), Some(place));
        line(
            "error",
            at,
            "lockaudit: the budget can't be read",
            &text,
            out,
        )?;
    }
    Ok(())
}

/// `::error file=budget.toml,line=9,title=lockaudit B100::…`; the path as the repository has it.
fn line(
    command: &str,
    (file, place): (Option<&str>, Option<Place>),
    title: &str,
    text: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let at = match (file, place) {
        (Some(file), Some(place)) => format!(
            "file={},line={line},endLine={line},",
            property(file.strip_prefix("./").unwrap_or(file)),
            line = place.line
        ),
        _ => String::new(),
    };
    writeln!(
        out,
        "::{command} {at}title={}::{}",
        property(title),
        message(text)
    )
}

/// GitHub takes the escapes of `%`, CR and LF back; other controls are shown as such.
fn message(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(crate::text::printable).collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_neither_end_a_command_nor_begin_one() {
        assert_eq!(message("100%\n::error::x\r"), "100%25%0A::error::x\\r");
        assert_eq!(property("a:b,c\nd"), "a%3Ab%2Cc%0Ad");
    }
}
