//! Two programs in pairs, one after the other, and what their ratio is.

use std::time::Duration;

use anyhow::Result;

use crate::program::Program;
use crate::sheet::Verdict;

/// Counted pairs; an odd number, so that the median is one of them.
const PAIRS: usize = 21;

/// Runs of each that come before and are not counted.
const WARM_UP: usize = 3;

/// The least, the middle and the greatest of some figures.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub greatest: f64,
}

impl Spread {
    /// Of at least one figure.
    pub fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        Self {
            least: figures[0],
            median: figures[figures.len() / 2],
            greatest: figures[figures.len() - 1],
        }
    }
}

/// What came of comparing.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// In milliseconds.
    pub ours: Spread,
    /// In milliseconds.
    pub theirs: Spread,
    /// Of the two runs of each pair.
    pub ratio: Spread,
}

impl Comparison {
    /// Ours, theirs, ours, theirs, …
    pub fn of(ours: &Program, theirs: &Program) -> Result<Self> {
        for _ in 0..WARM_UP {
            pair(ours, theirs)?;
        }
        let pairs = (0..PAIRS)
            .map(|_| pair(ours, theirs))
            .collect::<Result<Vec<_>>>()?;
        let spread =
            |figure: fn(&(f64, f64)) -> f64| Spread::of(pairs.iter().map(figure).collect());
        Ok(Self {
            ours: spread(|(ours, _)| *ours),
            theirs: spread(|(_, theirs)| *theirs),
            ratio: spread(|(ours, theirs)| ours / theirs),
        })
    }

    /// By the median.
    pub fn against(&self, goal: f64) -> Verdict {
        Verdict::of(self.ratio.median, goal)
    }
}

fn pair(ours: &Program, theirs: &Program) -> Result<(f64, f64)> {
    Ok((milliseconds(ours.run()?), milliseconds(theirs.run()?)))
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
