//! Owns waiting: for a state, up to a deadline.

use std::thread;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(5);

/// Asks until `answer` gives a value, and gives `None` when `patience` is over.
pub fn poll<T>(patience: Duration, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    loop {
        if let Some(value) = answer() {
            return Some(value);
        }
        if started.elapsed() > patience {
            return None;
        }
        thread::sleep(PAUSE);
    }
}
