//! How long a lease should last without a renewal.
//!
//! The rule: work that fits into one lease needs no renewal, so the ttl is twice the longest hold that
//! was seen, in whole minutes, from 2 to 10. A longer hold has to be renewed anyway, every 30 seconds,
//! and there a longer ttl would only delay the next holder after a crash: it gets the usual 2 minutes,
//! in which four renewals must fail before the lease is lost.

use std::time::Duration;

use super::usage::{Upper, Usage};

/// Never below it: four renewals of 30 seconds.
pub const USUAL: Duration = Duration::from_secs(120);

/// What a lease may last, as `lease take` has it.
pub const SHORTEST: Duration = Duration::from_secs(1);
pub const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// A quarter of it.
const RENEWED_EVERY: Duration = Duration::from_secs(30);

/// How long a crash may keep everybody else out.
const MOST: Duration = Duration::from_secs(600);

const MINUTE: Duration = Duration::from_secs(60);

/// The proposal for a key that was used so.
pub fn proposed(usage: &Usage) -> Duration {
    let twice = longest(usage).saturating_mul(2);
    if twice > MOST {
        return USUAL;
    }
    let minutes = twice.as_nanos().div_ceil(MINUTE.as_nanos());
    let whole = MINUTE * u32::try_from(minutes).expect("ten at most");
    whole.clamp(USUAL, MOST)
}

/// What so many leases cost when all are held at once: writes a second.
pub fn renewals_per_second(leases: usize) -> f64 {
    let leases = u32::try_from(leases).unwrap_or(u32::MAX);
    f64::from(leases) / RENEWED_EVERY.as_secs_f64()
}

/// The upper bound where samples made it a close one, else the lower.
fn longest(usage: &Usage) -> Duration {
    let least = usage.held_at_least.unwrap_or(Duration::ZERO);
    match usage.held_at_most {
        Some(Upper::Of(most)) if most.saturating_mul(2) <= MOST => most.max(least),
        _ => least,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(least: u64, most: Option<Upper>) -> u64 {
        let usage = Usage {
            held_at_least: Some(Duration::from_secs(least)),
            held_at_most: most,
            ..Usage::default()
        };
        proposed(&usage).as_secs()
    }

    #[test]
    fn what_fits_a_lease_gets_twice_its_length() {
        assert_eq!(after(0, None), 120);
        assert_eq!(after(60, Some(Upper::Unknown)), 120);
        assert_eq!(after(61, Some(Upper::Unknown)), 180);
        assert_eq!(after(300, None), 600);
    }

    #[test]
    fn a_close_upper_bound_counts_and_the_age_of_a_connection_does_not() {
        let of = |seconds| Some(Upper::Of(Duration::from_secs(seconds)));
        assert_eq!(after(10, of(100)), 240);
        assert_eq!(after(10, of(36_000)), 120);
    }

    /// 6.7 for 200 leases; with a renewal every 10 seconds it would be 20.
    #[test]
    fn renewals_cost_a_write_each() {
        assert!((renewals_per_second(200) - 200.0 / 30.0).abs() < 1e-9);
    }

    /// Four renewals must fail before a lease is lost.
    #[test]
    fn the_usual_ttl_is_four_renewals() {
        assert_eq!(RENEWED_EVERY * 4, USUAL);
    }

    #[test]
    fn what_must_be_renewed_gets_the_usual_ttl() {
        assert_eq!(after(301, None), 120);
        assert_eq!(after(1_000_000, None), 120);
        let endless = Usage {
            held_at_least: Some(Duration::MAX),
            ..Usage::default()
        };
        assert_eq!(proposed(&endless), USUAL);
    }
}
