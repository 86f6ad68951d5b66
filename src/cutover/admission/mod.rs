//! How new code gets in, whatever mode its name is in: what it does next, given what came of the last thing.
//!
//! In `lease` it takes the lease. In `both` it takes the lease, then gets the old key, shared, then notes
//! that the lease is bridged. In `advisory` it does what old code does: it gets the old key, exclusively,
//! and looks at the row again once it has it. Nobody tells it the mode: the take reads it under the row's
//! lock. It decides and does nothing, and it never waits for more than a key while it has anything.

#[cfg(test)]
mod explored;

use crate::cutover::look::{Verdict, once_the_key_is_held};
use crate::lease::{Bridge, Mode, Seen, Standing};

/// What is done about the old key in mode `both`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Way {
    /// Held, shared, on a session of its own.
    #[default]
    Hold,
    /// Asked for as the lease is taken: where old code looks for a lease once it has the key.
    Probe,
}

impl Way {
    pub fn bridge(self) -> Bridge {
        match self {
            Self::Hold => Bridge::Hold,
            Self::Probe => Bridge::Probe,
        }
    }
}

/// How the old key is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hold {
    /// In the lease's place, as old code holds it.
    Exclusive,
    /// Beside a lease, which keeps new code apart.
    Shared,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// Ask for the lease, which reads the mode.
    Take,
    /// Look at the row: its mode, and who has the lease.
    Look,
    /// Get the old key on a session of its own, and wait for that a short time at most.
    GetKey(Hold),
    /// On the key's session: look at the row again.
    LookAgain,
    /// On the key's session: note that the key is held beside the lease.
    Bridge,
    GiveKeyBack,
    ReleaseLease,
    /// Nothing is held: try again later.
    Wait(Busy),
    Work(Footing),
}

/// Why it has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Busy {
    /// Somebody has the lease, or had it a moment ago.
    Leased,
    /// Somebody has the old key, or waits for it.
    Key,
    /// What it asked for last came to nothing known.
    Unknown,
}

/// What the work stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Footing {
    Lease,
    LeaseAndKey,
    /// There is no lease, and so no token.
    Key,
}

impl Footing {
    pub fn has_lease(self) -> bool {
        self != Self::Key
    }

    pub fn has_key(self) -> bool {
        self != Self::Lease
    }
}

/// What came of the last thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Came<'a> {
    Granted(Mode),
    NotGranted,
    /// To a look; nothing where there is no such name.
    Seen(Option<&'a Seen>),
    KeyGot,
    KeyBusy,
    Bridged,
    /// The lease ended before it was bridged.
    LeaseLost,
    /// What was held was given back.
    GivenBack,
    /// It can't be said what came of it; whatever it was, it must be made good.
    Failed,
}

/// One attempt to get in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Admission {
    way: Way,
    next: Next,
    has_lease: bool,
    has_key: bool,
    /// What comes once nothing is held.
    then: Then,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Then {
    Wait(Busy),
    /// The mode has changed.
    BeginAnew,
}

impl Admission {
    pub fn begun(way: Way) -> Self {
        Self {
            way,
            next: Next::Take,
            has_lease: false,
            has_key: false,
            then: Then::BeginAnew,
        }
    }

    pub fn next(&self) -> Next {
        self.next
    }

    /// What to do, now that this came of what was to be done. What does not belong to it is taken as a failure.
    pub fn came(mut self, came: Came<'_>) -> Self {
        match (self.next, came) {
            (Next::Take, Came::Granted(mode)) => {
                self.has_lease = true;
                self.next = self.with_lease(mode);
            }
            (Next::Take, Came::NotGranted) => self.next = Next::Look,
            (Next::Look, Came::Seen(seen)) => self.next = seen_without_lease(seen),
            (Next::GetKey(hold), Came::KeyGot) => {
                self.has_key = true;
                self.next = match hold {
                    Hold::Exclusive => Next::LookAgain,
                    Hold::Shared => Next::Bridge,
                };
            }
            (Next::GetKey(_), Came::KeyBusy) => self.undo(Then::Wait(Busy::Key)),
            (Next::LookAgain, Came::Seen(seen)) => match once_the_key_is_held(seen) {
                Verdict::Work => self.next = Next::Work(Footing::Key),
                Verdict::ModeIs(_) => self.undo(Then::BeginAnew),
                Verdict::Leased => self.undo(Then::Wait(Busy::Leased)),
            },
            (Next::Bridge, Came::Bridged) => self.next = Next::Work(Footing::LeaseAndKey),
            (Next::Bridge, Came::LeaseLost) => {
                self.has_lease = false;
                self.undo(Then::Wait(Busy::Leased));
            }
            (Next::GiveKeyBack, _) => {
                self.has_key = false;
                self.undo(self.then);
            }
            (Next::ReleaseLease, _) => {
                self.has_lease = false;
                self.undo(self.then);
            }
            (Next::Wait(_) | Next::Work(_), _) => {}
            (asked, _) => {
                // A session that may have got the key is ended. A lease that may have been granted has no
                // token to release it by: it runs out, or the same holder asks for it again.
                self.has_key |= matches!(asked, Next::GetKey(_));
                self.undo(Then::Wait(Busy::Unknown));
            }
        }
        self
    }

    fn with_lease(&self, mode: Mode) -> Next {
        match (mode, self.way) {
            (Mode::Both, Way::Hold) => Next::GetKey(Hold::Shared),
            _ => Next::Work(Footing::Lease),
        }
    }

    /// The key last: it goes by itself if we do.
    fn undo(&mut self, then: Then) {
        self.then = then;
        self.next = match then {
            _ if self.has_lease => Next::ReleaseLease,
            _ if self.has_key => Next::GiveKeyBack,
            Then::Wait(busy) => Next::Wait(busy),
            Then::BeginAnew => Next::Take,
        };
    }
}

fn seen_without_lease(seen: Option<&Seen>) -> Next {
    let Some(seen) = seen else {
        return Next::Wait(Busy::Leased);
    };
    let standing = seen.held.as_ref().map(|held| held.standing);
    let is_held = matches!(standing, Some(Standing::Valid { .. }));
    match (seen.mode, is_held) {
        (_, true) | (Mode::Lease, false) => Next::Wait(Busy::Leased),
        (Mode::Advisory, false) => Next::GetKey(Hold::Exclusive),
        // It is free, and was not granted: a probe found the key in use.
        (Mode::Both, false) => Next::Wait(Busy::Key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(way: Way, came: &[Came<'_>]) -> Next {
        let admission = Admission::begun(way);
        let after = came.iter().fold(admission, |now, came| now.came(*came));
        after.next()
    }

    fn in_mode(mode: Mode) -> Seen {
        Seen {
            held: None,
            token: crate::lease::Token(0),
            mode,
        }
    }

    #[test]
    fn each_mode_has_its_footing() {
        use Came::{Bridged, Granted, KeyGot, NotGranted};
        let advisory = in_mode(Mode::Advisory);
        let seen = Came::Seen(Some(&advisory));
        for way in [Way::Hold, Way::Probe] {
            assert_eq!(
                walk(way, &[Granted(Mode::Lease)]),
                Next::Work(Footing::Lease)
            );
            let by_key = [NotGranted, seen, KeyGot, seen];
            assert_eq!(walk(way, &by_key), Next::Work(Footing::Key));
        }
        let both = [Granted(Mode::Both), KeyGot, Bridged];
        assert_eq!(walk(Way::Hold, &both), Next::Work(Footing::LeaseAndKey));
        assert_eq!(walk(Way::Probe, &both[..1]), Next::Work(Footing::Lease));
    }

    #[test]
    fn a_key_that_is_busy_gives_the_lease_back_before_anybody_waits() {
        let busy = [Came::Granted(Mode::Both), Came::KeyBusy];
        assert_eq!(walk(Way::Hold, &busy), Next::ReleaseLease);
        let free = [busy[0], busy[1], Came::GivenBack];
        assert_eq!(walk(Way::Hold, &free), Next::Wait(Busy::Key));
    }

    #[test]
    fn a_mode_that_changed_while_the_key_was_waited_for_begins_anew() {
        let (advisory, both) = (in_mode(Mode::Advisory), in_mode(Mode::Both));
        let mut came = vec![
            Came::NotGranted,
            Came::Seen(Some(&advisory)),
            Came::KeyGot,
            Came::Seen(Some(&both)),
        ];
        assert_eq!(walk(Way::Hold, &came), Next::GiveKeyBack);
        came.push(Came::GivenBack);
        assert_eq!(walk(Way::Hold, &came), Next::Take);
    }

    #[test]
    fn what_failed_may_have_been_done_and_is_undone() {
        assert_eq!(walk(Way::Hold, &[Came::Failed]), Next::Wait(Busy::Unknown));
        let at_the_key = [Came::Granted(Mode::Both), Came::Failed];
        assert_eq!(walk(Way::Hold, &at_the_key), Next::ReleaseLease);
        let undone = [at_the_key[0], at_the_key[1], Came::Failed];
        assert_eq!(walk(Way::Hold, &undone), Next::GiveKeyBack);
        let all = [undone[0], undone[1], undone[2], Came::Failed];
        assert_eq!(walk(Way::Hold, &all), Next::Wait(Busy::Unknown));
    }
}
