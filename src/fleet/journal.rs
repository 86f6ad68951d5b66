//! Who was at work, from when to when, by the clock of this machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::boot_clock;
use crate::cutover::double_work::{Code, Run, overlaps};

/// Shared by all who write into it.
#[derive(Debug, Clone, Default)]
pub struct Journal(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    begun: u64,
    ended: Vec<Run>,
    /// Each as if it had ended as it began.
    under_way: BTreeMap<u64, Run>,
}

/// A run that is under way. It ends when this is dropped, however that comes.
#[derive(Debug)]
pub struct AtWork {
    journal: Journal,
    number: u64,
}

impl Journal {
    /// Called once the worker has been let in.
    pub fn begins(&self, worker: u32, code: Code) -> AtWork {
        let mut entries = self.entries();
        entries.begun += 1;
        let number = entries.begun;
        // Under the lock: the journal's order is that of the clock.
        let now = boot_clock::now();
        let run = Run {
            worker,
            code,
            began: now,
            ended: now,
        };
        entries.under_way.insert(number, run);
        drop(entries);
        AtWork {
            journal: self.clone(),
            number,
        }
    }

    /// All runs; what is under way lasts until now.
    pub fn runs(&self) -> Vec<Run> {
        let entries = self.entries();
        let now = boot_clock::now();
        let under_way = entries.under_way.values();
        let under_way = under_way.map(|run| Run { ended: now, ..*run });
        entries.ended.iter().copied().chain(under_way).collect()
    }

    /// How many runs have begun.
    pub fn count(&self, code: Code) -> usize {
        let entries = self.entries();
        let runs = entries.ended.iter().chain(entries.under_way.values());
        runs.filter(|run| run.code == code).count()
    }

    /// How many pairs of runs overlap.
    pub fn double_work(&self) -> usize {
        overlaps(&self.runs()).len()
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let mut entries = self.journal.entries();
        if let Some(run) = entries.under_way.remove(&self.number) {
            let ended = boot_clock::now();
            entries.ended.push(Run { ended, ..run });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_lasts_until_it_is_dropped() {
        let journal = Journal::default();
        let first = journal.begins(1, Code::Old);
        assert_eq!(journal.count(Code::Old), 1);
        drop(first);
        let second = journal.begins(2, Code::New);
        assert_eq!((journal.count(Code::New), journal.double_work()), (1, 0));
        let third = journal.begins(3, Code::New);
        assert_eq!(journal.double_work(), 1);
        drop((second, third));
        assert_eq!((journal.runs().len(), journal.double_work()), (3, 1));
    }
}
