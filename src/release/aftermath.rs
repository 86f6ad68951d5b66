//! The locks of one key after its holder was ended: who has it now, and who still waits.

use crate::describe;
use crate::picture::Picture;
use crate::snapshot::{LockMode, Owner};
use crate::words;

/// One lock of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLock {
    /// `None`: a prepared transaction.
    pub pid: Option<i32>,
    pub mode: LockMode,
    pub granted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyNow {
    pub locks: Vec<KeyLock>,
}

impl KeyNow {
    pub fn is_held_by(&self, pid: i32) -> bool {
        self.held().any(|lock| lock.pid == Some(pid))
    }

    fn held(&self) -> impl Iterator<Item = &KeyLock> {
        self.locks.iter().filter(|lock| lock.granted)
    }

    pub fn waiting(&self) -> usize {
        self.locks.iter().filter(|lock| !lock.granted).count()
    }

    /// `pid 5 (worker-2) holds it now; 1 session still waits`. Names are those of the picture before.
    pub fn sentence(&self, before: &Picture<'_>) -> String {
        let mut holders: Vec<String> = self.held().map(|lock| name(before, lock)).collect();
        holders.sort_unstable();
        holders.dedup();
        let holds = words::verb(holders.len(), "holds", "hold");
        let now = match holders.is_empty() {
            true => "nobody holds it now".to_owned(),
            false => format!("{} {holds} it now", words::some_of(&holders, 5)),
        };
        let waiting = self.waiting();
        let waits = words::verb(waiting, "waits", "wait");
        match waiting {
            0 => format!("{now}; nobody waits"),
            _ => format!("{now}; {} still {waits}", words::count(waiting, "session")),
        }
    }
}

fn name(before: &Picture<'_>, lock: &KeyLock) -> String {
    match lock.pid {
        Some(pid) if before.snapshot.session(pid).is_some() => {
            describe::short(before, Owner::Session(pid))
        }
        Some(pid) => format!("pid {pid}"),
        None => "a prepared transaction".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, quiet};
    use crate::snapshot::SessionState::Active;

    fn lock(pid: i32, granted: bool) -> KeyLock {
        KeyLock {
            pid: Some(pid),
            mode: LockMode::Share,
            granted,
        }
    }

    fn said(locks: Vec<KeyLock>) -> String {
        let snapshot = quiet().session(11, Active);
        let expectations = Expectations::default();
        let before = Picture::of(&[], &snapshot, &expectations);
        KeyNow { locks }.sentence(&before)
    }

    #[test]
    fn says_who_has_the_key_and_who_waits() {
        assert_eq!(said(vec![]), "nobody holds it now; nobody waits");
        assert_eq!(
            said(vec![lock(11, true), lock(12, false)]),
            "pid 11 (api) holds it now; 1 session still waits"
        );
        assert_eq!(
            said(vec![
                lock(11, true),
                lock(12, true),
                lock(13, false),
                lock(14, false)
            ]),
            "pid 11 (api), pid 12 hold it now; 2 sessions still wait"
        );
    }
}
