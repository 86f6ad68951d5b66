//! Test results: a case for each check, also for those that found nothing, since a report without
//! cases looks like no run at all.

use std::io::{self, Write};

use super::Shown;
use super::xml::text;
use crate::budget::Finding;

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    let checks = &shown.assessment.checks;
    let failed = checks
        .iter()
        .filter(|check| failures(shown, check).next().is_some())
        .count();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let counts = format!(
        "tests=\"{}\" failures=\"{failed}\" errors=\"0\"",
        checks.len()
    );
    writeln!(out, "<testsuites {counts}>")?;
    writeln!(out, "  <testsuite name=\"lockaudit budget\" {counts}>")?;
    for check in checks {
        case(shown, check, out)?;
    }
    let verdict = crate::budget::said::verdict(shown.assessment);
    writeln!(out, "    <system-out>{}</system-out>", text(&verdict))?;
    writeln!(out, "  </testsuite>")?;
    writeln!(out, "</testsuites>")
}

fn case(shown: &Shown<'_>, check: &str, out: &mut impl Write) -> io::Result<()> {
    let class = shown.file.unwrap_or("command line");
    write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\"",
        text(class),
        text(check)
    )?;
    let found: Vec<&Finding> = of_check(shown, check).collect();
    if found.is_empty() {
        return writeln!(out, "/>");
    }
    writeln!(out, ">")?;
    for finding in failures(shown, check) {
        let message = text(&finding.message);
        let code = finding.code.as_str();
        writeln!(
            out,
            "      <failure type=\"{code}\" message=\"{message}\">{}</failure>",
            body(shown, finding)
        )?;
    }
    for finding in found
        .into_iter()
        .filter(|finding| finding.level() < shown.fails_from)
    {
        writeln!(
            out,
            "      <system-out>{}</system-out>",
            body(shown, finding)
        )?;
    }
    writeln!(out, "    </testcase>")
}

fn of_check<'a>(shown: &'a Shown<'_>, check: &'a str) -> impl Iterator<Item = &'a Finding> {
    let findings = shown.assessment.findings.iter();
    findings.filter(move |finding| finding.check == check)
}

fn failures<'a>(shown: &'a Shown<'_>, check: &'a str) -> impl Iterator<Item = &'a Finding> {
    of_check(shown, check).filter(|finding| finding.level() >= shown.fails_from)
}

fn body(shown: &Shown<'_>, finding: &Finding) -> String {
    let head = format!(
        "{} {} {}",
        finding.level().as_str(),
        finding.code.as_str(),
        shown.place(finding.place)
    );
    let lines = [head.trim_end().to_owned(), finding.message.clone()].into_iter();
    let lines: Vec<String> = lines.chain(finding.details.iter().cloned()).collect();
    text(&lines.join("\n"))
}
