//! Owns what is printed: a heading and a line for each comparison.

use std::fmt;
use std::io::Write;

use anyhow::Result;

use crate::pairs::Comparison;

/// Whether a figure is as small as was promised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    Met(f64),
    Missed(f64),
    NoGoal,
}

impl Verdict {
    pub fn of(figure: f64, goal: f64) -> Self {
        if figure <= goal {
            Self::Met(goal)
        } else {
            Self::Missed(goal)
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Met(goal) => write!(f, "<= {goal}: met"),
            Self::Missed(goal) => write!(f, "<= {goal}: MISSED"),
            Self::NoGoal => write!(f, "-"),
        }
    }
}

pub fn heading(text: &str) -> Result<()> {
    line(&format!("\n{text}"))
}

/// The heads of what [`comparison`] prints. The ratio of the least times of both is what is left
/// when nothing else runs; the goal is held against the median.
pub fn comparison_heads(ours: &str, theirs: &str) -> Result<()> {
    line(&format!(
        "{:<34}{ours:>12}{theirs:>12}{:>20}{:>14}   goal",
        "medians of milliseconds", "ratio (least-most)", "least/least"
    ))
}

pub fn comparison(what: &str, found: &Comparison, verdict: Verdict) -> Result<()> {
    let ratio = format!(
        "{:.2} ({:.2}-{:.2})",
        found.ratio.median, found.ratio.least, found.ratio.greatest
    );
    line(&format!(
        "{what:<34}{:>12.1}{:>12.1}{ratio:>20}{:>14.2}   {verdict}",
        found.ours.median,
        found.theirs.median,
        found.ours.least / found.theirs.least
    ))
}

/// What a benchmark prints, it prints at once: it runs for minutes.
pub fn line(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{text}")?;
    Ok(stdout.flush()?)
}
