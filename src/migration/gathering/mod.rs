//! Samples, one after the other, made into what is known of each key. Each is looked at in the light of
//! the one before and then forgotten, so that an hour of samples takes no more room than one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime};

use super::statement;
use super::usage::{Mode, ScopeSeen, Subject, Upper, Usage};
use crate::history::History;
use crate::hold::{Doing, Hold, Holder, Scope};
use crate::key::{AdvisoryTag, Sharing};
use crate::snapshot::{
    BlindSpot, ConnectionPath, Lock, LockMode, Owner, SessionState, Snapshot, VirtualTransaction,
};
use crate::try_lock::Asker;

/// All that was seen so far.
#[derive(Debug, Default)]
pub struct Gathering {
    /// Only keys of these databases; none: of all.
    only: Vec<String>,
    usages: BTreeMap<Subject, Usage>,
    /// Where the present series comes from.
    series: Series,
    samples: usize,
    first: Option<SystemTime>,
    last: Option<SystemTime>,
    /// Databases that the servers have.
    databases: BTreeSet<String>,
    blind_spots: BTreeMap<&'static str, BlindSpot>,
    through_pooler: bool,
}

/// Samples of one server, oldest first.
#[derive(Debug, Default)]
struct Series {
    previous: Option<Snapshot>,
    runs: HashMap<RunId, Run>,
}

/// One session's hold of one lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RunId {
    owner: Owner,
    backend_start: Option<SystemTime>,
    database: u32,
    tag: AdvisoryTag,
    mode: LockMode,
}

/// A hold that was in every sample since it was first seen. It may have been given back and taken again
/// in between, but not while its transaction went on.
#[derive(Debug, Clone, Copy)]
struct Run {
    transaction: VirtualTransaction,
    /// The first sample that saw it in this transaction.
    held_since: SystemTime,
    /// The sample before, in which it was not there yet.
    absent_at: Option<SystemTime>,
    /// What bounds it besides the samples, when it was last seen: the age of its session.
    at_most: Option<Duration>,
    last_seen: SystemTime,
}

impl Gathering {
    /// For keys of these databases; of all if none is named. The samples hold no others' locks, but the
    /// sessions of all.
    pub fn of_databases(names: &[String]) -> Self {
        Self {
            only: names.to_vec(),
            ..Self::default()
        }
    }

    /// What comes now is of another server, or of another time: no hold goes on from what came before.
    pub fn begin_series(&mut self) {
        for subject in self.going_on() {
            self.usage(&subject).held_at_most = Some(Upper::Unknown);
        }
        self.series = Series::default();
    }

    /// Looks at the next sample.
    pub fn add(&mut self, snapshot: Snapshot) {
        let history = History::of(self.series.previous.as_slice());
        self.note(&snapshot);
        let holds = Hold::all(&snapshot, &history);
        let mut seen = BTreeSet::new();
        let mut runs = HashMap::with_capacity(holds.len());
        for hold in &holds {
            let subject = subject(&snapshot, hold.database, hold.tag);
            let (id, run) = self.run(&snapshot, hold);
            runs.insert(id, run);
            self.add_hold(&subject, &snapshot, hold, run);
            self.add_names(&subject, &history, &snapshot, hold);
            seen.insert(subject);
        }
        seen.extend(self.add_waiters(&snapshot));
        seen.extend(self.add_askers(&snapshot));
        self.count(&seen, snapshot.captured_at);
        self.bound_what_ended(&snapshot, &runs);
        self.series = Series {
            previous: Some(snapshot),
            runs,
        };
    }

    fn note(&mut self, snapshot: &Snapshot) {
        let at = snapshot.captured_at;
        self.samples += 1;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
        let databases = snapshot.databases.values();
        self.databases
            .extend(databases.map(|database| database.name.clone()));
        self.through_pooler |= matches!(
            snapshot.server.path,
            ConnectionPath::PoolerOrNat | ConnectionPath::Pooler(_)
        );
        let spots = snapshot.blind_spots.iter().cloned();
        self.blind_spots
            .extend(spots.map(|spot| (spot.code(), spot)));
    }

    /// Goes on with the run that this hold is in, or begins one.
    fn run(&self, snapshot: &Snapshot, hold: &Hold<'_>) -> (RunId, Run) {
        let id = RunId {
            owner: hold.owner(),
            backend_start: hold.holder.session().and_then(|one| one.backend_start),
            database: hold.database,
            tag: hold.tag,
            mode: hold.lock.mode.clone(),
        };
        let transaction = hold.lock.virtualtransaction;
        let goes_on =
            |run: &Run| run.transaction == transaction && !transaction.is_outside_transaction();
        let before = self.series.runs.get(&id);
        let run = Run {
            transaction,
            held_since: before
                .filter(|run| goes_on(run))
                .map_or(snapshot.captured_at, |run| run.held_since),
            absent_at: match before {
                Some(run) => run.absent_at,
                None => self.series.previous.as_ref().map(|one| one.captured_at),
            },
            at_most: hold.at_most,
            last_seen: snapshot.captured_at,
        };
        (id, run)
    }

    fn usage(&mut self, subject: &Subject) -> &mut Usage {
        self.usages.entry(subject.clone()).or_default()
    }

    fn add_hold(&mut self, subject: &Subject, snapshot: &Snapshot, hold: &Hold<'_>, run: Run) {
        let usage = self.usage(subject);
        let at_least = hold.at_least.max(Some(snapshot.age(run.held_since)));
        usage.modes.insert(Mode::of(&hold.lock.mode));
        let is_ours = hold.pid() == Some(snapshot.viewer.pid);
        usage.scopes.insert(match is_ours {
            // We take none: it was there before our transaction.
            true => ScopeSeen::Session,
            false => scope(hold.scope),
        });
        usage.held_at_least = usage.held_at_least.max(at_least);
        if hold.doing() == Doing::IdleInTransaction {
            usage.idle_in_transaction = usage.idle_in_transaction.max(hold.at_least);
        }
        usage.lent_to_us |= is_ours;
        match hold.holder {
            Holder::Session(session) => {
                usage.applications.extend(name(&session.application_name));
                usage.roles.extend(name(&session.usename));
            }
            Holder::Prepared(prepared) => {
                usage
                    .roles
                    .extend(prepared.and_then(|one| one.owner.clone()));
            }
            Holder::Vanished(_) => (),
        }
    }

    /// Only a hold that has ended has an upper bound: it was there from the sample before it at the
    /// earliest to the sample after it at the latest.
    fn bound_what_ended(&mut self, snapshot: &Snapshot, runs: &HashMap<RunId, Run>) {
        let before = std::mem::take(&mut self.series.runs);
        for (id, run) in before.iter().filter(|(id, _)| !runs.contains_key(id)) {
            let by_samples = run.absent_at.map(|absent| snapshot.age(absent));
            let by_session = run.at_most.map(|most| most + snapshot.age(run.last_seen));
            let least = [by_samples, by_session].into_iter().flatten().min();
            let usage = self.usage(&subject(snapshot, id.database, id.tag));
            let upper = least.map_or(Upper::Unknown, Upper::Of);
            usage.held_at_most = usage.held_at_most.max(Some(upper));
        }
    }

    /// The keys that are held in the latest sample.
    fn going_on(&self) -> BTreeSet<Subject> {
        let Some(latest) = &self.series.previous else {
            return BTreeSet::new();
        };
        let held = self.series.runs.keys();
        held.map(|id| subject(latest, id.database, id.tag))
            .collect()
    }

    /// Several clients on one backend, one after the other. A lock of the transaction is none of that: each
    /// of them took its own.
    fn add_names(
        &mut self,
        subject: &Subject,
        history: &History,
        snapshot: &Snapshot,
        hold: &Hold<'_>,
    ) {
        let names = history.applications(snapshot, hold.lock);
        if names.len() > 1 && hold.scope == Scope::Session {
            self.usage(subject).names_of_one_backend.extend(names);
        }
    }

    fn add_waiters(&mut self, snapshot: &Snapshot) -> BTreeSet<Subject> {
        let mut waiters: BTreeMap<Subject, usize> = BTreeMap::new();
        for lock in snapshot.locks.iter().filter(|lock| !lock.granted) {
            let Some((database, tag)) = lock.target.advisory() else {
                continue;
            };
            let subject = subject(snapshot, database, tag);
            self.add_waiter(&subject, snapshot, lock);
            *waiters.entry(subject).or_default() += 1;
        }
        for (subject, count) in &waiters {
            let usage = self.usage(subject);
            usage.most_waiters = usage.most_waiters.max(*count);
        }
        waiters.into_keys().collect()
    }

    fn add_waiter(&mut self, subject: &Subject, snapshot: &Snapshot, lock: &Lock) {
        let usage = self.usage(subject);
        usage.modes.insert(Mode::of(&lock.mode));
        let session = lock.owner.pid().and_then(|pid| snapshot.session(pid));
        let Some(session) = session else {
            return;
        };
        usage.asked_by.extend(name(&session.application_name));
        let statement = session.query.as_deref();
        let at_work = session.state == Some(SessionState::Active);
        let statement = statement.filter(|_| at_work);
        usage.calls.extend(statement.and_then(statement::call));
    }

    /// Who asks without waiting is in no row of `pg_locks`.
    fn add_askers(&mut self, snapshot: &Snapshot) -> BTreeSet<Subject> {
        let mut asked = BTreeSet::new();
        for asker in Asker::all(snapshot) {
            let (Some(key), Some(database)) = (asker.asked.key, &asker.session.datname) else {
                continue;
            };
            if !self.only.is_empty() && !self.only.contains(database) {
                continue;
            }
            let subject = Subject {
                database: Some(database.clone()),
                tag: key.tag(),
            };
            let usage = self.usage(&subject);
            let statement = asker.session.query.as_deref();
            usage.calls.extend(statement.and_then(statement::call));
            usage.asked_by.extend(name(&asker.session.application_name));
            usage.modes.insert(match asker.asked.sharing {
                Sharing::Exclusive => Mode::Exclusive,
                Sharing::Shared => Mode::Shared,
            });
            asked.insert(subject);
        }
        asked
    }

    fn count(&mut self, seen: &BTreeSet<Subject>, at: SystemTime) {
        for subject in seen {
            let usage = self.usage(subject);
            usage.seen_in += 1;
            usage.last_seen = usage.last_seen.max(Some(at));
        }
    }

    /// What was seen of each key.
    pub fn usages(&self) -> impl Iterator<Item = (&Subject, Usage)> {
        let going_on = self.going_on();
        self.usages.iter().map(move |(subject, usage)| {
            let mut usage = usage.clone();
            usage.samples = self.samples;
            if going_on.contains(subject) {
                usage.held_at_most = Some(Upper::Unknown);
            }
            (subject, usage)
        })
    }

    pub fn samples(&self) -> usize {
        self.samples
    }

    /// By the servers' clocks: when the first sample was taken, and when the last.
    pub fn span(&self) -> Option<(SystemTime, SystemTime)> {
        self.first.zip(self.last)
    }

    /// Whether this key would have been seen, had it been used in the moments that were looked at.
    pub fn looked_for(&self, subject: &Subject) -> bool {
        let Some(database) = &subject.database else {
            return self.samples > 0;
        };
        let is_there = self.databases.is_empty() || self.databases.contains(database);
        self.samples > 0 && is_there && (self.only.is_empty() || self.only.contains(database))
    }

    /// What could not be seen, each once.
    pub fn blind_spots(&self) -> impl Iterator<Item = &BlindSpot> {
        self.blind_spots.values()
    }

    /// Whether some sample came through a pooler, or address translation.
    pub fn came_through_pooler(&self) -> bool {
        self.through_pooler
    }
}

fn subject(snapshot: &Snapshot, database: u32, tag: AdvisoryTag) -> Subject {
    let called = || match snapshot.database_name(database) {
        Some(name) => name.to_owned(),
        None => format!("database {database}"),
    };
    Subject {
        database: (database != 0).then(called),
        tag,
    }
}

fn scope(scope: Scope) -> ScopeSeen {
    match scope {
        Scope::Session => ScopeSeen::Session,
        Scope::Transaction => ScopeSeen::Transaction,
        Scope::Unknown => ScopeSeen::Unknown,
    }
}

fn name(name: &Option<String>) -> Option<String> {
    name.clone().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
