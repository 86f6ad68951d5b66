//! How long somebody waits: estimates from queueing theory, for arrivals at random moments.
//!
//! Only [`Offered::is_too_much`] is exact; the rest is floating point, and no verdict unless the
//! plan sets a limit of its own.

use std::time::Duration;

use super::plan::Rate;

/// Work that arrives, and how many can be worked on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    pub rate: Rate,
    pub hold: Duration,
    /// Holders at once.
    pub servers: u64,
}

/// What is to be expected, if holds end at random; constant ones halve the mean wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Servers busy on average: rate times hold.
    pub load: f64,
    /// The share that finds all busy and has to wait (Erlang C).
    pub waiting: f64,
    /// The share that would be turned away if nobody waited (Erlang B).
    pub turned_away: f64,
    pub mean: Duration,
    /// Of 100, 99 wait no longer.
    pub p99: Duration,
}

impl Offered {
    /// Whether more comes than can ever be done, so that the queue grows for ever.
    pub fn is_too_much(&self) -> bool {
        let work = u128::from(self.rate.events).checked_mul(self.hold.as_nanos());
        let done = u128::from(self.servers).checked_mul(self.rate.per.as_nanos());
        match (work, done) {
            (Some(work), Some(done)) => work >= done,
            // What has no bound in 128 bits is more than anything that has.
            (None, _) => true,
            (_, None) => false,
        }
    }

    /// `None` when the queue grows for ever.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.is_too_much() {
            return None;
        }
        let hold = self.hold.as_secs_f64();
        let load = self.load();
        let servers = self.servers as f64;
        let turned_away = erlang_b(self.servers, load);
        let waiting = servers * turned_away / (servers - load * (1.0 - turned_away));
        let spare = (servers - load) / hold;
        Some(Estimate {
            load,
            waiting,
            turned_away,
            mean: seconds(waiting / spare),
            p99: seconds((waiting / 0.01).ln().max(0.0) / spare),
        })
    }

    pub fn load(&self) -> f64 {
        self.rate.events as f64 * self.hold.as_secs_f64() / self.rate.per.as_secs_f64()
    }
}

/// How many of so many holders can be done in a second.
pub fn ceiling_per_second(holders: u64, hold: Duration) -> f64 {
    holders as f64 / hold.as_secs_f64()
}

/// The usual recurrence: factorials would not fit. Above this many servers the rest changes nothing
/// that a person could see, and the loop must end.
const MOST_SERVERS: u64 = 1_000_000;

fn erlang_b(servers: u64, load: f64) -> f64 {
    (1..=servers.min(MOST_SERVERS)).fold(1.0, |before, number| {
        load * before / (number as f64 + load * before)
    })
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(servers: u64, events: u64, hold_ms: u64) -> Offered {
        Offered {
            rate: Rate {
                events,
                per: Duration::from_secs(1),
            },
            hold: Duration::from_millis(hold_ms),
            servers,
        }
    }

    fn near(found: f64, wanted: f64) {
        assert!(
            (found - wanted).abs() < wanted.abs() / 500.0 + 1e-6,
            "{found} is not {wanted}"
        );
    }

    #[test]
    fn agrees_with_what_is_worked_out_by_hand() {
        for (servers, events, hold_ms, waiting) in [
            (1, 5, 100, 0.5),
            (2, 1, 1000, 1.0 / 3.0),
            (3, 2, 1000, 4.0 / 9.0),
        ] {
            let found = offered(servers, events, hold_ms)
                .estimate()
                .expect("it is stable");
            near(found.waiting, waiting);
        }
        near(erlang_b(2, 1.0), 0.2);
        near(erlang_b(10, 12.0), 0.3019);
    }

    /// Numbers of a table that was checked against a simulation of 400,000 arrivals.
    #[test]
    fn agrees_with_the_known_table() {
        let found = offered(10, 400, 20).estimate().expect("it is stable");
        near(found.load, 8.0);
        near(found.turned_away, 0.1217);
        near(found.waiting, 0.4092);
        near(found.mean.as_secs_f64(), 0.00409);
        near(found.p99.as_secs_f64(), 0.0371);
        let found = offered(50, 16, 3000).estimate().expect("it is stable");
        near(found.mean.as_secs_f64(), 1.042);
        near(found.p99.as_secs_f64(), 6.36);
        let rarely = offered(50, 10, 3000).estimate().expect("it is stable");
        assert_eq!(rarely.p99, Duration::ZERO);
    }

    #[test]
    fn a_queue_that_grows_for_ever_has_no_estimate() {
        assert_eq!(offered(10, 600, 20).estimate(), None);
        assert!(
            offered(10, 500, 20).is_too_much(),
            "as much as can be done is too much"
        );
        assert!(!offered(10, 499, 20).is_too_much());
        assert!(offered(1, u64::MAX, u64::MAX).is_too_much());
    }

    #[test]
    fn forty_holders_of_three_seconds_do_thirteen_in_a_second() {
        near(ceiling_per_second(40, Duration::from_secs(3)), 13.333);
    }
}
