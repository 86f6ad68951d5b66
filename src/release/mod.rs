//! What ending one holder means: which hold is meant, what must still be true when it is ended, what
//! a person must know before, and what came of it. It ends nothing itself.

mod aftermath;
mod briefing;
mod guard;
mod not_held;

pub use aftermath::{KeyLock, KeyNow};
pub use briefing::{Briefing, Fact};
pub use guard::{Change, Guard, Unguarded};
pub use not_held::NotHeld;

use crate::finding::Advice;
use crate::finding::advice::roll_back;
use crate::hold::{Hold, Holder};
use crate::key::{AdvisoryTag, Sharing};
use crate::picture::Picture;
use crate::snapshot::PreparedTransaction;

/// The hold that somebody wants to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub holder: Named,
    pub database: u32,
    pub tag: AdvisoryTag,
}

/// A holder as it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Pid(i32),
    /// A prepared transaction, by its global id.
    Gid(String),
}

/// What a person can do about a prepared transaction, which has no session to end.
pub fn way_out(picture: &Picture<'_>, prepared: &PreparedTransaction) -> Advice {
    roll_back(picture, prepared, "if it is abandoned, roll it back")
}

impl Wanted {
    /// The hold that is meant; of two modes the exclusive one.
    ///
    /// # Errors
    /// [`NotHeld`] says what the named one holds instead, and who holds the key.
    pub fn find<'p, 'a>(&self, picture: &'p Picture<'a>) -> Result<&'p Hold<'a>, NotHeld> {
        let meant = picture
            .holds
            .iter()
            .filter(|hold| self.is_of_key(hold) && self.holder.is_holder_of(hold));
        let strongest =
            meant.max_by_key(|hold| hold.lock.mode.sharing() == Some(Sharing::Exclusive));
        strongest.ok_or_else(|| NotHeld::explain(picture, self))
    }

    /// An extension's lock may be of no database.
    fn is_of_key(&self, hold: &Hold<'_>) -> bool {
        hold.tag == self.tag && (hold.database == self.database || hold.database == 0)
    }
}

impl Named {
    fn is_holder_of(&self, hold: &Hold<'_>) -> bool {
        match (self, &hold.holder) {
            (Self::Pid(pid), _) => hold.pid() == Some(*pid),
            (Self::Gid(gid), Holder::Prepared(Some(prepared))) => prepared.gid == *gid,
            (Self::Gid(_), _) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::AdvisoryKey;
    use crate::picture::Expectations;
    use crate::planted::{DATABASE, Plant, quiet};
    use crate::snapshot::{LockMode, SessionState::Idle, Snapshot};

    fn find(snapshot: &Snapshot, holder: Named) -> Result<LockMode, Vec<String>> {
        let expectations = Expectations::default();
        let picture = Picture::of(&[], snapshot, &expectations);
        let wanted = Wanted {
            holder,
            database: DATABASE,
            tag: AdvisoryKey::Single(7).tag(),
        };
        match wanted.find(&picture) {
            Ok(hold) => Ok(hold.lock.mode.clone()),
            Err(NotHeld { first, more }) => Err([vec![first], more].concat()),
        }
    }

    #[test]
    fn finds_the_stronger_of_two_modes_and_a_prepared_transaction() {
        let snapshot = quiet()
            .session(10, Idle)
            .holds(10, 7)
            .shares(10, 7)
            .prepared("order-17", 736, 7);
        let exclusive = Ok(LockMode::Exclusive);
        assert_eq!(find(&snapshot, Named::Pid(10)), exclusive);
        assert_eq!(
            find(&snapshot, Named::Gid("order-17".to_owned())),
            exclusive
        );
    }

    #[test]
    fn a_wrong_pid_is_told_what_it_holds_and_who_holds_the_key() {
        let snapshot = quiet()
            .session(10, Idle)
            .holds(10, 8)
            .session(11, Idle)
            .holds(11, 7);
        assert_eq!(
            find(&snapshot, Named::Pid(10)).unwrap_err(),
            [
                "pid 10 (api, app@orders, 10.0.0.7) does not hold key 7 in orders",
                "it holds key 8 in orders",
                "key 7 in orders is held by pid 11 (api, app@orders, 10.0.0.7)",
            ]
        );
        assert_eq!(
            find(&snapshot, Named::Pid(12)).unwrap_err(),
            [
                "there is no session with pid 12",
                "key 7 in orders is held by pid 11 (api, app@orders, 10.0.0.7)",
            ]
        );
    }

    #[test]
    fn a_waiter_is_called_so_and_a_prepared_holder_has_its_way_out() {
        let snapshot = quiet()
            .session(10, Idle)
            .waits(10, 7, 5)
            .prepared("order-17", 736, 7);
        assert_eq!(
            find(&snapshot, Named::Pid(10)).unwrap_err(),
            [
                "pid 10 (api, app@orders, 10.0.0.7) waits for key 7 in orders and does not hold it",
                "it holds no advisory lock",
                "key 7 in orders is held by prepared transaction 'order-17'; if it is abandoned, \
                 roll it back (connected to orders as app or a superuser): \
                 ROLLBACK PREPARED 'order-17';",
            ]
        );
    }
}
