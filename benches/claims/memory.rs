//! How much memory a scan needs at most.

use anyhow::Result;

use crate::crowd::{Crowd, Waiting};
use crate::places::{Places, scan};
use crate::sheet::{self, Verdict};

const RUNS: usize = 5;

const GOAL_IN_MB: f64 = 64.0;

pub fn measure(places: &Places) -> Result<()> {
    let mut crowd = Crowd::gather(places, Waiting::Apart)?;
    sheet::heading("memory: the most that a scan had at once (VmHWM), the worst of five runs")?;
    for (locks_each, has_goal) in [(20, true), (50, false)] {
        crowd.hold(locks_each)?;
        for format in ["table", "json"] {
            let peak = worst(&crowd, format)?;
            let verdict = match (peak, has_goal) {
                (Some(peak), true) => Verdict::of(peak, GOAL_IN_MB),
                _ => Verdict::NoGoal,
            };
            say(&format!("{format}, {}", crowd.size()), peak, verdict)?;
        }
    }
    Ok(())
}

/// In MB of 1,024 kB.
fn worst(crowd: &Crowd, format: &str) -> Result<Option<f64>> {
    let program = scan(&crowd.connection(), format);
    let peaks = (0..RUNS)
        .map(|_| program.peak_memory())
        .collect::<Result<Vec<_>>>()?;
    let worst = peaks.into_iter().flatten().max();
    Ok(worst.map(|kilobytes| kilobytes as f64 / 1024.0))
}

fn say(what: &str, peak: Option<f64>, verdict: Verdict) -> Result<()> {
    let figure = peak.map_or("not seen".to_owned(), |peak| format!("{peak:.1} MB"));
    sheet::line(&format!("{what:<76}{figure:>10}   {verdict}"))
}
