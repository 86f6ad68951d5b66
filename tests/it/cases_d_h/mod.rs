//! Public incidents, rebuilt on a real server: their keys, queries, blind views, full tables and
//! starved pools, and what a scan says of each. `README.md` lists those that are not here.

mod keys;
mod lock_calls_in_queries;
mod lock_table;
mod observability;
mod starved_pools;

use std::cell::RefCell;

use crate::harness::{Database, Lockaudit, Running, Scan, Session, wait_for_some};

/// A scan of several samples, between which the test does something.
struct Samples {
    run: Running,
    observer: Session,
    rested_since: RefCell<Option<String>>,
}

impl Samples {
    fn of(db: &Database<'_>, samples: &str, more: &[&str]) -> Self {
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
    fn takes_one(&self) {
        let resting = "SELECT state_change FROM pg_stat_activity
            WHERE application_name = 'lockaudit' AND datname = current_database()
                AND state = 'idle' AND query = 'COMMIT' AND state_change < clock_timestamp() - interval '500 ms'";
        let since = wait_for_some("a sample", || {
            let since = self.observer.value(resting)?;
            (Some(&since) != self.rested_since.borrow().as_ref()).then_some(since)
        });
        self.rested_since.replace(Some(since));
    }

    fn finish(self) -> Scan {
        Scan::from(self.run.finish())
    }
}
