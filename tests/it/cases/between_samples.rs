//! A scan of several samples, between which a test does something.

use std::cell::RefCell;

use crate::harness::{Database, Lockaudit, Running, Scan, Session, wait_for_some};

/// The scan that is under way.
pub(super) struct Samples {
    run: Running,
    observer: Session,
    rested_since: RefCell<Option<String>>,
}

impl Samples {
    pub(super) fn of(db: &Database<'_>, samples: &str, more: &[&str]) -> Self {
        let (url, observer) = (db.url(), db.session("harness"));
        let taking = ["--samples", samples, "--interval", "2s", "--format", "json"];
        let scan = ["scan", &url, "--database", db.name()];
        Self {
            run: Lockaudit::new(&[&scan[..], &taking, more].concat()).start(),
            observer,
            rested_since: RefCell::new(None),
        }
    }

    /// Returns when the next sample is taken and the one after it is yet to come.
    pub(super) fn takes_one(&self) {
        let resting = "SELECT state_change FROM pg_stat_activity
            WHERE application_name = 'lockaudit' AND datname = current_database()
                AND state = 'idle' AND query = 'COMMIT' AND state_change < clock_timestamp() - interval '500 ms'";
        let since = wait_for_some("a sample", || {
            let since = self.observer.value(resting)?;
            (Some(&since) != self.rested_since.borrow().as_ref()).then_some(since)
        });
        self.rested_since.replace(Some(since));
    }

    pub(super) fn finish(self) -> Scan {
        Scan::from(self.run.finish())
    }
}
