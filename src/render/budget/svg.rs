//! The budget as a picture that needs nothing else: bars to one scale, numbers beside them.

use std::io::{self, Write};

use super::Shown;
use super::drawing::{Bar, Drawing};
use super::xml::text;
use crate::budget::said;

const WIDTH: u64 = 760;
const LEFT: u64 = 180;
const ROOM: u64 = WIDTH - LEFT - 100;
const ROW: u64 = 28;
const TOP: u64 = 44;

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    let drawing = Drawing::of(shown);
    let rows = drawing.bars.len() as u64 + 1;
    let height = TOP + rows * ROW + 44;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">"
    )?;
    writeln!(
        out,
        "<title>{}</title>",
        text(&said::verdict(shown.assessment))
    )?;
    writeln!(
        out,
        "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>"
    )?;
    for (row, bar) in drawing.bars.iter().chain([&drawing.all]).enumerate() {
        self::bar(bar, &drawing, TOP + row as u64 * ROW, out)?;
    }
    limit(&drawing, TOP + rows * ROW, out)?;
    legend(height - 14, out)?;
    writeln!(out, "</svg>")
}

fn bar(bar: &Bar, drawing: &Drawing, y: u64, out: &mut impl Write) -> io::Result<()> {
    let (steady, peak) = (scaled(bar.steady, drawing), scaled(bar.peak, drawing));
    let baseline = y + 15;
    writeln!(
        out,
        "<text x=\"{}\" y=\"{baseline}\" text-anchor=\"end\" fill=\"#1f2328\">{}</text>",
        LEFT - 10,
        text(&bar.name)
    )?;
    writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{peak}\" height=\"20\" fill=\"#9ec5fe\"/>"
    )?;
    writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{steady}\" height=\"20\" fill=\"#1f6feb\"/>"
    )?;
    writeln!(
        out,
        "<text x=\"{}\" y=\"{baseline}\" fill=\"#1f2328\">{} / {}</text>",
        LEFT + peak + 6,
        bar.steady,
        bar.peak
    )
}

/// A line where the slots of ordinary roles end.
fn limit(drawing: &Drawing, bottom: u64, out: &mut impl Write) -> io::Result<()> {
    let x = LEFT + scaled(drawing.usable, drawing);
    writeln!(
        out,
        "<line x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#cf222e\" stroke-width=\"2\"/>",
        TOP - 8
    )?;
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#cf222e\">{} usable</text>",
        TOP - 14,
        drawing.usable
    )
}

fn legend(y: u64, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{y}\" fill=\"#59636e\">dark: without a deploy; light: more during one; \
         numbers: steady / deploy</text>"
    )
}

fn scaled(number: u64, drawing: &Drawing) -> u64 {
    let scaled = u128::from(number) * u128::from(ROOM) / u128::from(drawing.whole);
    u64::try_from(scaled).unwrap_or(ROOM)
}
