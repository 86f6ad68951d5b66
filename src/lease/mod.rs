//! Leases: what one is called, who holds it, under which token, until when.
//!
//! A lease is a row. It holds no connection, and it ends by itself. Whoever holds it has a term: the
//! name, a holder that is new for every attempt to work, and the fencing token of this grant. A term
//! that was released or has run out never becomes valid again.

mod name;
mod table;
mod term;
pub mod timetable;

use std::time::{Duration, SystemTime};

pub use name::{Name, NotAName};
pub use table::{NotATable, TableName};
pub use term::{Holder, NotAHolder, Term, Token};

/// Who keeps old and new code apart while a name moves from its advisory key to its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The key alone: nobody gets a lease.
    Advisory,
    /// The lease, and the key beside it.
    Both,
    /// The lease alone.
    Lease,
}

impl Mode {
    /// As the table has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Advisory => "advisory",
            Self::Both => "both",
            Self::Lease => "lease",
        }
    }

    pub fn from_table(word: &str) -> Option<Self> {
        [Self::Advisory, Self::Both, Self::Lease]
            .into_iter()
            .find(|mode| mode.as_str() == word)
    }
}

/// What a taker does about the old key in mode [`Mode::Both`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bridge {
    /// Nothing, so it is refused in that mode.
    None,
    /// Holds it, shared, on a session of its own, for as long as it has the lease.
    Hold,
    /// Asks for it as it takes the lease: enough where old code looks for leases once it has the key.
    Probe,
}

impl Bridge {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Hold => "hold",
            Self::Probe => "probe",
        }
    }
}

/// What a taker asks for.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    pub name: &'a Name,
    pub holder: &'a Holder,
    pub ttl: Duration,
    pub bridge: Bridge,
    /// For the log: why, or the command.
    pub reason: Option<&'a str>,
}

/// A lease that was granted or renewed.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    pub token: Token,
    pub left: Left,
    pub mode: Mode,
    /// Whether the old key is known to be held, or was free, beside it.
    pub bridged: bool,
}

/// How long a lease lasts. The holder's own deadline counts from before it sent the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Left {
    /// By the server's clock.
    pub expires_at: SystemTime,
    /// Until then, when the server answered, less the time since the question was sent; nothing if that had passed.
    pub remaining: Duration,
}

/// What a look at one name shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Nobody: the lease was given back, or never taken.
    pub held: Option<Held>,
    /// The last one granted.
    pub token: Token,
    pub mode: Mode,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub holder: Holder,
    pub standing: Standing,
}

/// Where a lease stands between two renewals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Valid {
        remaining: Duration,
    },
    /// It ran out this long ago, and nobody has taken it since.
    Expired {
        since: Duration,
    },
}

impl Standing {
    /// From the seconds that are left, which are below zero once there are none.
    pub fn of_seconds(left: f64) -> Self {
        let length = Duration::try_from_secs_f64(left.abs()).unwrap_or(Duration::MAX);
        match left > 0.0 {
            true => Self::Valid { remaining: length },
            false => Self::Expired { since: length },
        }
    }
}

/// A row of the table of leases.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub name: Name,
    pub token: Token,
    pub mode: Mode,
    pub bridged: bool,
    pub tenure: Option<Tenure>,
}

/// How somebody has a lease.
#[derive(Debug, Clone, PartialEq)]
pub struct Tenure {
    pub holder: Holder,
    /// Nothing where somebody else than `take` wrote the row; so it is with `held` and `ttl`.
    pub taken_at: Option<SystemTime>,
    pub held: Option<Duration>,
    pub expires_at: SystemTime,
    pub ttl: Option<Duration>,
    pub standing: Standing,
}

impl Tenure {
    /// Whether more than half of its time has passed since it was last confirmed. Whoever renews
    /// four times in that time has missed at least one renewal.
    pub fn is_overdue(&self) -> bool {
        match self.standing {
            Standing::Valid { remaining } => self.ttl.is_some_and(|ttl| remaining < ttl / 2),
            Standing::Expired { .. } => false,
        }
    }
}

/// What happened to a lease, as the log has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub at: SystemTime,
    pub name: Name,
    pub token: Token,
    /// `granted`, `released`, `expired`, `broken`, `mode`.
    pub event: String,
    pub holder: Option<Holder>,
    /// Why, or the command.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenure(ttl: u64, standing: Standing) -> Tenure {
        Tenure {
            holder: Holder::of("host", 7, 1),
            taken_at: Some(SystemTime::UNIX_EPOCH),
            held: Some(Duration::from_secs(60)),
            expires_at: SystemTime::UNIX_EPOCH,
            ttl: Some(Duration::from_secs(ttl)),
            standing,
        }
    }

    #[test]
    fn a_mode_is_read_as_it_is_written() {
        for mode in [Mode::Advisory, Mode::Both, Mode::Lease] {
            assert_eq!(Mode::from_table(mode.as_str()), Some(mode));
        }
        assert_eq!(Mode::from_table("Lease"), None);
    }

    #[test]
    fn a_renewal_is_overdue_when_more_than_half_of_the_time_has_passed() {
        assert!(!tenure(120, Standing::of_seconds(60.0)).is_overdue());
        assert!(tenure(120, Standing::of_seconds(59.9)).is_overdue());
        assert!(!tenure(120, Standing::of_seconds(-1.0)).is_overdue());
    }

    #[test]
    fn a_lease_has_run_out_once_nothing_is_left() {
        let expired = |seconds| Standing::Expired {
            since: Duration::from_secs(seconds),
        };
        assert_eq!(Standing::of_seconds(0.0), expired(0));
        assert_eq!(Standing::of_seconds(-3.0), expired(3));
        assert_eq!(
            Standing::of_seconds(f64::NEG_INFINITY),
            Standing::Expired {
                since: Duration::MAX
            }
        );
    }
}
