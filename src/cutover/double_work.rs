//! Double work: runs of one job, by different workers, that were under way at the same time.

use std::time::Duration;

/// What a worker knows of the job's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The advisory key alone.
    Old,
    /// Whatever mode the name is in.
    New,
}

/// From one moment to another, both by the clock of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub worker: u32,
    pub code: Code,
    pub began: Duration,
    pub ended: Duration,
}

/// All pairs of runs of different workers that overlap, the one that began first before the other. A run that
/// begins the moment another ends does not overlap it.
pub fn overlaps(runs: &[Run]) -> Vec<(Run, Run)> {
    let mut runs = runs.to_vec();
    runs.sort_by_key(|run| run.began);
    let mut under_way: Vec<Run> = Vec::new();
    let mut found = Vec::new();
    for run in runs {
        under_way.retain(|earlier| earlier.ended > run.began);
        let others = under_way.iter().filter(|other| other.worker != run.worker);
        found.extend(others.map(|other| (*other, run)));
        under_way.push(run);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(worker: u32, began: u64, ended: u64) -> Run {
        Run {
            worker,
            code: Code::Old,
            began: Duration::from_millis(began),
            ended: Duration::from_millis(ended),
        }
    }

    #[test]
    fn runs_that_take_turns_do_not_overlap() {
        assert_eq!(overlaps(&[]), []);
        assert_eq!(overlaps(&[run(2, 5, 9), run(1, 0, 5)]), []);
    }

    #[test]
    fn each_pair_that_was_under_way_at_once_counts_once() {
        let (long, first, second) = (run(1, 0, 100), run(2, 10, 20), run(3, 15, 30));
        let pairs = [(long, first), (long, second), (first, second)];
        assert_eq!(overlaps(&[second, first, long]), pairs);
    }

    #[test]
    fn a_worker_does_not_overlap_itself() {
        assert_eq!(overlaps(&[run(1, 0, 10), run(1, 5, 15)]), []);
    }

    #[test]
    fn a_run_within_another_is_found_behind_one_that_has_ended() {
        let (long, short, late) = (run(1, 0, 100), run(2, 10, 11), run(2, 50, 60));
        assert_eq!(
            overlaps(&[long, short, late]),
            [(long, short), (long, late)]
        );
    }
}
