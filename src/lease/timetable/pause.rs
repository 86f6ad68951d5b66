//! How long is waited between two attempts. Chance, from 0 to 1, keeps many that wait from asking at once.

use std::time::Duration;

const FIRST_LOOK: Duration = Duration::from_secs(1);
const LATER_LOOKS: Duration = Duration::from_secs(5);
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LATER_RETRIES: Duration = Duration::from_secs(5);

/// Before the next look at a lease that somebody else has: a second, growing to five, and never past its
/// end, where that is known.
pub fn between_looks(looks: u32, left: Option<Duration>, chance: f64) -> Duration {
    let pause = grown(FIRST_LOOK, looks, 3, 2).min(LATER_LOOKS);
    let pause = jittered(pause, chance);
    left.map_or(pause, |left| pause.min(left))
}

/// Between the news that a lease was given back and the next look: all that wait hear it at once.
pub fn after_news(chance: f64) -> Duration {
    Duration::from_millis(50).mul_f64(chance.clamp(0.0, 1.0))
}

/// After attempts without a known outcome: a tenth of a second, doubled each time, up to five seconds, and
/// never longer than `longest`.
pub fn between_tries(failures: u32, longest: Duration, chance: f64) -> Duration {
    let pause = grown(FIRST_RETRY, failures, 2, 1).min(LATER_RETRIES);
    jittered(pause.min(longest), chance)
}

fn grown(first: Duration, times: u32, by: u32, of: u32) -> Duration {
    (0..times.min(16)).fold(first, |pause, _| pause.saturating_mul(by) / of)
}

/// A tenth more or less.
pub(super) fn jittered(length: Duration, chance: f64) -> Duration {
    length.mul_f64(0.9 + 0.2 * chance.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_grow_rarer_up_to_five_seconds() {
        let pauses: Vec<f64> = (0..6)
            .map(|looks| between_looks(looks, None, 0.5).as_secs_f64())
            .collect();
        assert_eq!(pauses, [1.0, 1.5, 2.25, 3.375, 5.0, 5.0]);
    }

    #[test]
    fn no_look_waits_past_the_end_of_the_lease() {
        let left = Duration::from_millis(30);
        assert_eq!(between_looks(9, Some(left), 1.0), left);
        assert!(between_looks(9, Some(Duration::MAX), 1.0) <= Duration::from_millis(5_500));
    }

    #[test]
    fn chance_moves_a_pause_by_a_tenth_at_most() {
        assert_eq!(between_looks(0, None, 0.0), Duration::from_millis(900));
        assert_eq!(between_looks(0, None, 1.0), Duration::from_millis(1_100));
    }

    #[test]
    fn retries_back_off_and_stay_bounded() {
        let longest = Duration::from_secs(2);
        assert_eq!(between_tries(0, longest, 0.5), Duration::from_millis(100));
        assert_eq!(between_tries(3, longest, 0.5), Duration::from_millis(800));
        assert_eq!(between_tries(u32::MAX, longest, 0.5), longest);
    }
}
