//! The budget as bars of characters, all to one scale. Every part is told by its own character, so
//! that it can be read without colour.

use std::io::{self, Write};

use textwrap::core::display_width;

use super::Shown;
use crate::budget::said;
use crate::render::style::Style;
use crate::render::table::prose::paragraph;
use crate::text::printable;

/// A longer name is cut.
const LONGEST_NAME: usize = 20;

/// A bar that is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bar {
    pub name: String,
    pub steady: u64,
    pub peak: u64,
}

/// All bars, and what they are measured by.
pub(super) struct Drawing {
    pub bars: Vec<Bar>,
    pub all: Bar,
    pub usable: u64,
    /// What the whole width stands for.
    pub whole: u64,
}

impl Drawing {
    pub(super) fn of(shown: &Shown<'_>) -> Self {
        let assessment = shown.assessment;
        let parts = assessment.parts.iter().filter(|part| part.takes_slots());
        let total = assessment.total;
        Self {
            bars: parts
                .map(|part| Bar {
                    name: part.name.clone(),
                    steady: part.connections.steady,
                    peak: part.connections.peak,
                })
                .collect(),
            all: Bar {
                name: "all".to_owned(),
                steady: total.steady,
                peak: total.peak,
            },
            usable: assessment.usable(),
            whole: assessment.server.max_connections.max(total.peak).max(1),
        }
    }
}

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    let drawing = Drawing::of(shown);
    paragraph(
        style,
        ("", 0),
        &printable(&said::verdict(shown.assessment)),
        out,
    )?;
    writeln!(out)?;
    let names = drawing
        .bars
        .iter()
        .map(|bar| display_width(&shown_name(bar)));
    let name_width = names.max().unwrap_or(0).max(3);
    let room = style.prose_width().saturating_sub(name_width + 18).max(10);
    writeln!(out, "{:name_width$}  STEADY  DEPLOY", "")?;
    for bar in &drawing.bars {
        line(bar, &of_part(bar, &drawing, room), name_width, out)?;
    }
    line(&drawing.all, &of_all(&drawing, room), name_width, out)?;
    writeln!(out)?;
    let legend = "█ without a deploy  ▒ more during one  · free  ░ kept back  ╳ too many";
    paragraph(style, ("", 0), legend, out)
}

fn line(bar: &Bar, drawn: &str, name_width: usize, out: &mut impl Write) -> io::Result<()> {
    let name = shown_name(bar);
    let padding = " ".repeat(name_width - display_width(&name));
    let text = format!(
        "{name}{padding}  {:>6}  {:>6}  {drawn}",
        bar.steady, bar.peak
    );
    writeln!(out, "{}", text.trim_end())
}

fn shown_name(bar: &Bar) -> String {
    let name = printable(&bar.name);
    if display_width(&name) <= LONGEST_NAME {
        return name;
    }
    let mut cut = String::new();
    for character in name.chars() {
        if display_width(&cut) + 2 > LONGEST_NAME - 1 {
            break;
        }
        cut.push(character);
    }
    cut + "…"
}

fn of_part(bar: &Bar, drawing: &Drawing, room: usize) -> String {
    let steady = cells(bar.steady, drawing.whole, room);
    let peak = cells(bar.peak, drawing.whole, room).max(steady);
    "█".repeat(steady) + &"▒".repeat(peak - steady)
}

/// What is beyond the usable is marked whoever takes it.
fn of_all(drawing: &Drawing, room: usize) -> String {
    let whole = drawing.whole;
    let steady = cells(drawing.all.steady, whole, room);
    let peak = cells(drawing.all.peak, whole, room).max(steady);
    let usable = match drawing.usable {
        all if all >= whole => room,
        usable => cells(usable, whole, room).min(room - 1),
    };
    let cell = |at: usize| match at {
        beyond if beyond >= usable && drawing.all.peak > drawing.usable => match beyond < peak {
            true => '╳',
            false => '░',
        },
        kept if kept >= usable => '░',
        at if at < steady => '█',
        at if at < peak => '▒',
        _ => '·',
    };
    (0..room).map(cell).collect()
}

/// To the nearest cell, and one at least for what is not nothing.
fn cells(number: u64, whole: u64, room: usize) -> usize {
    let rounded = (u128::from(number) * room as u128 + u128::from(whole) / 2) / u128::from(whole);
    let rounded = usize::try_from(rounded).unwrap_or(room).min(room);
    rounded.max(usize::from(number > 0))
}
