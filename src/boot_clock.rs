//! A clock that runs while the machine is suspended, which `Instant` does not on Linux.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
/// On macOS this one runs during sleep.
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Since the machine started. All processes of a machine read the same.
pub fn now() -> Duration {
    let time = clock_gettime(CLOCK);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_goes_back() {
        let first = now();
        assert!(first > Duration::ZERO);
        assert!(now() >= first);
    }
}
