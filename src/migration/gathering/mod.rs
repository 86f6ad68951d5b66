//! Samples, one after the other, made into what is known of each key. Each is looked at in the light of
//! the one before and then forgotten, so that an hour of samples takes no more room than one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime};

use super::statement;
use super::usage::{Mode, ScopeSeen, Subject, Upper, Usage};
use crate::history::History;
use crate::hold::{Doing, Hold, Holder, Scope};
use crate::key::{AdvisoryTag, Sharing};
use crate::snapshot::{BlindSpot, ConnectionPath, Lock, LockMode, Owner, SessionState, Snapshot};
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

/// A hold that was in every sample since it was first seen.
#[derive(Debug, Clone, Copy)]
struct Run {
    first_seen: SystemTime,
    /// The sample before, in which it was not there yet.
    absent_at: Option<SystemTime>,
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
            self.add_names(&subject, &history, &snapshot, hold.lock);
            seen.insert(subject);
        }
        seen.extend(self.add_waiters(&snapshot));
        seen.extend(self.add_askers(&snapshot));
        self.count(&seen, snapshot.captured_at);
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
        self.through_pooler |= snapshot.server.path == ConnectionPath::PoolerOrNat;
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
        let begun = Run {
            first_seen: snapshot.captured_at,
            absent_at: self.series.previous.as_ref().map(|one| one.captured_at),
        };
        let run = self.series.runs.get(&id).copied().unwrap_or(begun);
        (id, run)
    }

    fn usage(&mut self, subject: &Subject) -> &mut Usage {
        if let Some(name) = &subject.database {
            self.databases.insert(name.clone());
        }
        self.usages.entry(subject.clone()).or_default()
    }

    fn add_hold(&mut self, subject: &Subject, snapshot: &Snapshot, hold: &Hold<'_>, run: Run) {
        let usage = self.usage(subject);
        let since = |moment| snapshot.age(moment);
        let by_samples = run.absent_at.map(since);
        let at_most = [by_samples, hold.at_most].into_iter().flatten().min();
        let at_least = hold.at_least.max(Some(since(run.first_seen)));
        usage.modes.insert(Mode::of(&hold.lock.mode));
        usage.scopes.insert(scope(hold.scope));
        usage.held_at_least = usage.held_at_least.max(at_least);
        let upper = at_most.map_or(Upper::Unknown, Upper::Of);
        usage.held_at_most = usage.held_at_most.max(Some(upper));
        if hold.doing() == Doing::IdleInTransaction {
            usage.idle_in_transaction = usage.idle_in_transaction.max(hold.at_least);
        }
        usage.lent_to_us |= hold.pid() == Some(snapshot.viewer.pid);
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

    /// Several clients on one backend, one after the other.
    fn add_names(
        &mut self,
        subject: &Subject,
        history: &History,
        snapshot: &Snapshot,
        lock: &Lock,
    ) {
        let names = history.applications(snapshot, lock);
        if names.len() > 1 {
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
        self.usages.iter().map(|(subject, usage)| {
            let usage = Usage {
                samples: self.samples,
                ..usage.clone()
            };
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

    /// How long the samples took.
    pub fn length(&self) -> Duration {
        self.span()
            .and_then(|(first, last)| last.duration_since(first).ok())
            .unwrap_or_default()
    }

    /// Databases with keys in them.
    pub fn databases(&self) -> &BTreeSet<String> {
        &self.databases
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
