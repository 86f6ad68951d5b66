//! A budget's verdict on the screen: the sum, who makes it, and what is wrong.

use std::io::{self, Write};

use super::grid;
use super::prose::paragraph;
use crate::budget::demand::Part;
use crate::budget::live::Group;
use crate::budget::{Finding, Level, said};
use crate::finding::Severity;
use crate::render::budget::Shown;
use crate::render::column::Column;
use crate::render::style::Style;
use crate::text::printable;

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    let assessment = shown.assessment;
    let (word, width) = word(style, assessment.worst());
    let verdict = printable(&said::verdict(assessment));
    paragraph(style, (&format!("{word}  "), width + 2), &verdict, out)?;
    writeln!(out)?;
    grid::write(&columns(), &rows(shown), style, out)?;
    if let Some(groups) = &assessment.connected {
        writeln!(out)?;
        grid::write(&group_columns(), groups, style, out)?;
    }
    for finding in &assessment.findings {
        writeln!(out)?;
        one(shown, finding, style, out)?;
    }
    if !assessment.notes.is_empty() {
        writeln!(out)?;
    }
    for note in &assessment.notes {
        paragraph(style, ("note  ", 6), &printable(&note.text), out)?;
    }
    Ok(())
}

fn word(style: Style, worst: Option<Level>) -> (String, usize) {
    match worst {
        None => (style.well("OK"), 2),
        Some(Level::Warning) => (style.severity(Severity::Warning, "WARNING"), 7),
        Some(Level::Error) => (style.severity(Severity::Critical, "ERROR"), 5),
    }
}

/// A line of the sum.
struct Row {
    who: String,
    instances: String,
    each: String,
    steady: String,
    deploy: String,
}

fn columns() -> [Column<Row>; 5] {
    [
        Column::left("WHO", |row: &Row| row.who.clone()),
        Column::left("INSTANCES", |row| row.instances.clone()),
        Column::right("EACH", |row| row.each.clone()),
        Column::right("STEADY", |row| row.steady.clone()),
        Column::right("DEPLOY", |row| row.deploy.clone()),
    ]
}

fn rows(shown: &Shown<'_>) -> Vec<Row> {
    let assessment = shown.assessment;
    let mut rows: Vec<Row> = assessment.parts.iter().map(row).collect();
    rows.push(Row {
        who: "all".to_owned(),
        instances: String::new(),
        each: String::new(),
        steady: assessment.total.steady.to_string(),
        deploy: assessment.total.peak.to_string(),
    });
    rows
}

/// Clients of a pooler take no slot of the server: their numbers stand in brackets.
fn row(part: &Part) -> Row {
    let number = |number: u64| match part.takes_slots() {
        true => number.to_string(),
        false => format!("({number})"),
    };
    Row {
        who: match &part.via {
            Some(pooler) => format!("{} via {pooler}", part.name),
            None => part.name.clone(),
        },
        instances: said::instances(part),
        each: part.how.clone(),
        steady: number(part.connections.steady),
        deploy: number(part.connections.peak),
    }
}

fn group_columns() -> [Column<Group>; 5] {
    [
        Column::left("CONNECTED NOW", |group: &Group| group.who()),
        Column::right("NOW", |group| group.now.to_string()),
        Column::right("STEADY", |group| {
            planned(group.planned.map(|one| one.steady))
        }),
        Column::right("DEPLOY", |group| planned(group.planned.map(|one| one.peak))),
        Column::left("", |group| group.standing().as_str().to_owned()),
    ]
}

fn planned(number: Option<u64>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

fn one(shown: &Shown<'_>, finding: &Finding, style: Style, out: &mut impl Write) -> io::Result<()> {
    let severity = match finding.level() {
        Level::Error => Severity::Critical,
        Level::Warning => Severity::Warning,
    };
    let head = format!("{} {}", finding.level().as_str(), finding.code.as_str());
    let place = shown.place(finding.place);
    let line = format!("{}  {}", style.severity(severity, &head), printable(&place));
    writeln!(out, "{}", line.trim_end())?;
    paragraph(style, ("   ", 3), &printable(&finding.message), out)?;
    for detail in &finding.details {
        paragraph(style, ("   - ", 5), &printable(detail), out)?;
    }
    Ok(())
}
