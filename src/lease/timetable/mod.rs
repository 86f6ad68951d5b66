//! When a lease is renewed, and when the work under it must stop.
//!
//! All moments are lengths on one clock that runs during suspend. A deadline counts from *before* the
//! first byte of the last confirmed call was sent, so it is never later than the lease's true end.
//!
//! ```text
//! sent             renew again        stop                 kill      deadline
//!  |- renew ±10 % ------|---- ... -----|------ grace ------|- margin -|
//! ```

mod course;
#[cfg(test)]
mod exhaustive;
mod pause;

use std::fmt;
use std::time::Duration;

use crate::words;

pub use course::{Action, Course, Event, Moment, Outcome, Why};
pub use pause::{after_news, between_looks, between_tries};

/// As typed; what was not is derived from `ttl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wished {
    pub ttl: Duration,
    pub renew: Option<Duration>,
    pub grace: Option<Duration>,
    pub margin: Option<Duration>,
}

/// Lengths that fit together: two renewals may go unanswered before the work is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Timetable {
    ttl: Duration,
    renew: Duration,
    grace: Duration,
    margin: Duration,
}

/// Why lengths do not fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(String);

pub const DEFAULT_TTL: Duration = Duration::from_secs(120);

/// Below it, one slow answer of a server is a lost lease.
const SHORTEST_TTL: Duration = Duration::from_secs(1);
/// A lease is renewed all the time; a long one only keeps everybody waiting after a crash.
const LONGEST_TTL: Duration = Duration::from_secs(24 * 60 * 60);
const SHORTEST_RENEWAL: Duration = Duration::from_millis(100);

/// A lease that is known to be lost leaves the work this long.
const GRACE_WHEN_LOST: Duration = Duration::from_secs(5);
/// Old code waits for its key, and begins the moment that it is free.
const GRACE_WHEN_KEY_LOST: Duration = Duration::from_secs(1);
/// Beside a lease that was taken; long enough not to starve behind old code that works in turns.
const LONGEST_WAIT_FOR_KEY: Duration = Duration::from_secs(2);
/// The longest that one attempt waits for its answer.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(5);

impl Timetable {
    /// # Errors
    /// When a lease of these lengths could not be kept.
    pub fn of(wished: Wished) -> Result<Self, Unfit> {
        let ttl = wished.ttl;
        if ttl < SHORTEST_TTL || ttl > LONGEST_TTL {
            return Err(Unfit(format!(
                "--ttl {} is out of range: 1s to 24h",
                typed(ttl)
            )));
        }
        let at_most = |seconds| Duration::from_secs(seconds);
        Self {
            ttl,
            renew: wished.renew.unwrap_or((ttl / 4).min(at_most(30))),
            grace: wished.grace.unwrap_or((ttl / 12).min(at_most(10))),
            margin: wished.margin.unwrap_or((ttl / 24).min(at_most(5))),
        }
        .checked()
    }

    fn checked(self) -> Result<Self, Unfit> {
        if self.renew < SHORTEST_RENEWAL {
            return Err(Unfit(format!(
                "--renew {} is out of range: 100ms at least",
                typed(self.renew)
            )));
        }
        let reserved = self.grace.saturating_add(self.margin);
        if reserved >= self.ttl {
            return Err(Unfit(format!(
                "--grace {} and --margin {} leave nothing of --ttl {} to work in",
                typed(self.grace),
                typed(self.margin),
                typed(self.ttl)
            )));
        }
        let twice = longest_renewal(self.renew).saturating_mul(2);
        if twice > self.ttl - reserved {
            return Err(Unfit(format!(
                "--renew {} is too rare: the work is stopped {} after the last renewal (--ttl {} less --grace {} and --margin {}), \
                 and two renewals, each up to a tenth late, must fit into that",
                typed(self.renew),
                typed(self.ttl - reserved),
                typed(self.ttl),
                typed(self.grace),
                typed(self.margin)
            )));
        }
        Ok(self)
    }

    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    pub fn renew(&self) -> Duration {
        self.renew
    }

    pub fn grace(&self) -> Duration {
        self.grace
    }

    pub fn margin(&self) -> Duration {
        self.margin
    }

    /// The end of a lease whose confirmed call was sent then.
    pub fn deadline(&self, sent_at: Duration) -> Duration {
        sent_at.saturating_add(self.ttl)
    }

    /// When the work is told to stop, unless the lease has been renewed.
    pub fn stop_at(&self, deadline: Duration) -> Duration {
        deadline.saturating_sub(self.margin + self.grace)
    }

    /// When the work is killed.
    pub fn kill_at(&self, deadline: Duration) -> Duration {
        deadline.saturating_sub(self.margin)
    }

    /// How long one attempt may take, of what is left.
    pub fn attempt(&self, left: Duration) -> Duration {
        left.min(LONGEST_ATTEMPT)
    }

    /// How long the old key is waited for at a time: what is left of the lease must be worth beginning.
    pub fn wait_for_key(&self) -> Duration {
        LONGEST_WAIT_FOR_KEY.min(self.renew / 2)
    }

    /// How long one attempt to take the lease may take: more than half of it must be left to work in.
    pub fn attempt_to_take(&self) -> Duration {
        self.attempt(self.ttl / 3)
    }
}

/// A tenth later than on average.
fn longest_renewal(renew: Duration) -> Duration {
    renew.saturating_add(renew / 10)
}

/// As it could be typed.
fn typed(length: Duration) -> String {
    match length.as_secs() {
        0 => words::duration(length),
        _ => humantime::format_duration(Duration::from_millis(
            u64::try_from(length.as_millis()).unwrap_or(u64::MAX),
        ))
        .to_string(),
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn only(ttl: Duration) -> Wished {
        Wished {
            ttl,
            renew: None,
            grace: None,
            margin: None,
        }
    }

    #[test]
    fn without_a_word_an_outage_of_seventy_seconds_costs_nothing() {
        let usual = Timetable::of(only(DEFAULT_TTL)).unwrap();
        assert_eq!(
            (usual.renew, usual.grace, usual.margin),
            (seconds(30), seconds(10), seconds(5))
        );
        let worst = usual.stop_at(usual.deadline(Duration::ZERO)) - longest_renewal(usual.renew);
        assert!(worst >= seconds(70), "{worst:?}");
    }

    #[test]
    fn a_shorter_lease_is_renewed_more_often() {
        let asked = Wished {
            renew: Some(seconds(5)),
            ..only(seconds(20))
        };
        assert_eq!(Timetable::of(asked).unwrap().renew, seconds(5));
        assert_eq!(
            Timetable::of(only(seconds(20))).unwrap().renew,
            seconds(5),
            "by itself"
        );
        assert_eq!(
            Timetable::of(only(seconds(7_200))).unwrap().renew,
            seconds(30),
            "a longer one is not renewed less often"
        );
    }

    #[test]
    fn says_which_flags_do_not_fit() {
        let refusal = |wished| Timetable::of(wished).unwrap_err().to_string();
        let rare = Wished {
            renew: Some(seconds(20)),
            ..only(seconds(30))
        };
        insta::assert_snapshot!(refusal(rare), @"--renew 20s is too rare: the work is stopped 26s 250ms after the last renewal (--ttl 30s less --grace 2s 500ms and --margin 1s 250ms), and two renewals, each up to a tenth late, must fit into that");
        let all_grace = Wished {
            grace: Some(seconds(30)),
            ..only(seconds(30))
        };
        insta::assert_snapshot!(refusal(all_grace), @"--grace 30s and --margin 1s 250ms leave nothing of --ttl 30s to work in");
        insta::assert_snapshot!(refusal(only(Duration::from_millis(900))), @"--ttl 900 ms is out of range: 1s to 24h");
        let hasty = Wished {
            renew: Some(Duration::from_millis(9)),
            ..only(seconds(30))
        };
        insta::assert_snapshot!(refusal(hasty), @"--renew 9 ms is out of range: 100ms at least");
    }

    proptest! {
        #[test]
        fn every_lease_of_a_possible_length_can_be_kept_without_other_flags(ms in 1_000u64..=86_400_000) {
            let table = Timetable::of(only(Duration::from_millis(ms)));
            prop_assert!(table.is_ok(), "{table:?}");
        }

        #[test]
        fn what_is_accepted_leaves_room_for_two_renewals_and_keeps_the_order(
            ttl in 0u64..200_000,
            renew in proptest::option::of(0u64..200_000),
            grace in proptest::option::of(0u64..200_000),
            margin in proptest::option::of(0u64..200_000),
        ) {
            let length = |given: Option<u64>| given.map(Duration::from_millis);
            let wished = Wished {
                ttl: Duration::from_millis(ttl),
                renew: length(renew),
                grace: length(grace),
                margin: length(margin),
            };
            if let Ok(table) = Timetable::of(wished) {
                let deadline = table.deadline(seconds(1_000));
                let (stop, kill) = (table.stop_at(deadline), table.kill_at(deadline));
                prop_assert!(seconds(1_000) + longest_renewal(table.renew) * 2 <= stop);
                prop_assert!(stop <= kill && kill <= deadline);
            }
        }

        #[test]
        fn any_length_is_judged(ttl: u64, renew: u64, grace: u64, margin: u64) {
            let _ = Timetable::of(Wished {
                ttl: seconds(ttl),
                renew: Some(seconds(renew)),
                grace: Some(seconds(grace)),
                margin: Some(seconds(margin)),
            });
        }
    }
}
