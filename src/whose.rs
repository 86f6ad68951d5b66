//! Whose keys the locks of a snapshot have: each asked for once, by what the snapshot itself knows.

use std::collections::{BTreeSet, HashMap};

use crate::key::names::Names;
use crate::key::naming::{Candidate, Namer, NamingContext, Ranges};
use crate::snapshot::LockId;
use crate::snapshot::Snapshot;

/// Application names that are tried as names of locks; a server with more has them from somewhere
/// else than its developers.
const MOST_WORDS: usize = 200;

/// Who may have taken each lock; only locks of which something is known.
#[derive(Debug, Default)]
pub struct Whose {
    by_lock: HashMap<LockId, Vec<Candidate>>,
}

impl Whose {
    pub fn of(snapshot: &Snapshot, names: &Names) -> Self {
        let locks = advisory_locks(snapshot);
        if locks.is_empty() {
            return Self::default();
        }
        let namer = Namer::new(context(snapshot, &locks), names);
        let known = locks.into_iter().filter_map(|id| {
            let candidates = namer.who_takes(id.tag, snapshot.database_name(id.database));
            (!candidates.is_empty()).then_some((id, candidates))
        });
        Self {
            by_lock: known.collect(),
        }
    }

    /// The surest first; nothing where nobody is known.
    pub fn of_lock(&self, id: LockId) -> &[Candidate] {
        self.by_lock.get(&id).map_or(&[], Vec::as_slice)
    }
}

fn advisory_locks(snapshot: &Snapshot) -> BTreeSet<LockId> {
    let targets = snapshot
        .locks
        .iter()
        .filter_map(|lock| lock.target.advisory());
    targets
        .map(|(database, tag)| LockId { database, tag })
        .collect()
}

fn context(snapshot: &Snapshot, locks: &BTreeSet<LockId>) -> NamingContext {
    let databases: BTreeSet<u32> = locks.iter().map(|id| id.database).collect();
    let databases: Vec<String> = databases
        .into_iter()
        .filter_map(|oid| snapshot.database_name(oid))
        .map(str::to_owned)
        .collect();
    let applications: BTreeSet<&String> = snapshot
        .sessions
        .iter()
        .filter_map(|session| session.application_name.as_ref())
        .filter(|name| !name.is_empty())
        .collect();
    NamingContext {
        schemas: databases.clone(),
        databases,
        // That a range holds a number names nobody; `keys explain` tells it to who asks.
        ranges: Ranges::LeftOut,
        words: applications.into_iter().take(MOST_WORDS).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::AdvisoryKey;
    use crate::key::hash::hashtext;
    use crate::planted::{DATABASE, Plant, quiet};
    use crate::snapshot::SessionState;

    fn ids(whose: &Whose, key: i64) -> Vec<&str> {
        let tag = AdvisoryKey::Single(key).tag();
        let id = LockId {
            database: DATABASE,
            tag,
        };
        let candidates = whose.of_lock(id).iter();
        candidates.map(|one| one.id.as_str()).collect()
    }

    #[test]
    fn names_come_from_the_database_and_the_sessions_of_the_snapshot() {
        let rails = 2_053_462_845 * i64::from(crate::key::hash::crc32("orders"));
        let named_like_the_application = i64::from(hashtext("invoicer"));
        let snapshot = quiet()
            .session(7, SessionState::Idle)
            .named(7, "invoicer")
            .holds(7, rails)
            .holds(7, named_like_the_application)
            .holds(7, 123_456);
        let whose = Whose::of(&snapshot, &Names::default());
        assert_eq!(ids(&whose, rails), ["rails-migrations"]);
        assert_eq!(ids(&whose, named_like_the_application)[0], "invoicer");
        assert!(
            ids(&whose, 123_456).is_empty(),
            "a counter's range names nobody"
        );
    }

    #[test]
    fn waiters_keys_are_named_too() {
        let snapshot = quiet()
            .session(8, SessionState::Active)
            .waits(8, 72_707_369, 5);
        let whose = Whose::of(&snapshot, &Names::default());
        assert_eq!(ids(&whose, 72_707_369), ["prisma-migrate"]);
    }
}
