//! The budget as one page that needs nothing else: the verdict, the picture, what was found.

use std::io::{self, Write};

use super::xml::text;
use super::{Shown, svg};
use crate::budget::said;

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
    )?;
    writeln!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    )?;
    writeln!(out, "<title>Connection budget</title>")?;
    writeln!(
        out,
        "<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}}svg{{max-width:100%;height:auto}}</style>"
    )?;
    writeln!(out, "</head>\n<body>\n<h1>Connection budget</h1>")?;
    writeln!(out, "<p>{}</p>", text(&said::verdict(shown.assessment)))?;
    svg::write(shown, out)?;
    writeln!(out, "<ul>")?;
    for finding in &shown.assessment.findings {
        let level = finding.level().as_str();
        writeln!(
            out,
            "<li><strong>{level} {}</strong> {}<br>{}</li>",
            finding.code.as_str(),
            text(&finding.message),
            text(&finding.details.join("; "))
        )?;
    }
    for note in &shown.assessment.notes {
        writeln!(out, "<li>{}</li>", text(&note.text))?;
    }
    writeln!(out, "</ul>\n</body>\n</html>")
}
