//! Owns the only pause of the tests, between two looks at a state that is to come, and their clock.

use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until `condition` holds, and fails with `what` when it does not come.
#[track_caller]
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for_some(what, || condition().then_some(()));
}

/// Looks until there is a value, and gives it.
#[track_caller]
pub fn wait_for_some<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = look() {
            return value;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "waited {PATIENCE:?} in vain for: {what}"
        );
        thread::sleep(PAUSE);
    }
}

/// Since the first question, for all threads of the test.
pub fn now() -> Duration {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed()
}
