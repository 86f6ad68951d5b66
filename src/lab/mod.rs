//! The known failures, as data: what happens in each, step by step, and what must be seen then.
//!
//! A scenario touches no server. The lab plays it on a throwaway one, and the integration tests
//! replay the same.

mod cutover;
mod false_exclusion;
mod pool_of_four;
mod pooler_leak;

use std::time::Duration;

use crate::cutover::double_work::Code;

/// All scenarios, in the order in which they are listed.
pub const SCENARIOS: [&Scenario; 4] = [
    &pool_of_four::SCENARIO,
    &pooler_leak::SCENARIO,
    &false_exclusion::SCENARIO,
    &cutover::SCENARIO,
];

/// One failure and what ends it.
#[derive(Debug)]
pub struct Scenario {
    pub name: &'static str,
    /// What goes wrong, in one sentence without a full stop.
    pub summary: &'static str,
    /// Up to what shows it, a scan or a count; `--keep` stops here.
    pub incident: &'static [Step],
    pub remedy: &'static [Step],
    /// How the same work is done without the failure; nothing where the remedy is the cure.
    pub cure: &'static [Step],
}

/// What happens, or what must be the case by now: the run fails where it does not come true.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// What a reader should know before the next steps.
    Tell(&'static str),
    /// The instance opens all the connections of its pool.
    Start(Instance),
    /// The job takes a connection from the pool and locks its own name on it.
    Lock(Job),
    /// The job, which holds its lock, asks the pool for a second connection to work on.
    Work(Job),
    /// So many advisory locks are granted and waited for on the server.
    ExpectLocks { granted: i64, waiting: i64 },
    /// So many connections of the pool are taken and asked for.
    ExpectPool { taken: usize, asked_for: usize },
    /// The readiness probe asks the pool for a connection.
    Probe { within: Duration, answer: Answer },
    /// The real scan, which must have a finding of this rule.
    Scan { finds: &'static str },
    /// The same, through the pooler instead of beside it.
    ScanThroughPooler { finds: &'static str },
    /// PgBouncer starts in transaction mode, with so many connections for each pool; scans ask its console
    /// from now on.
    StartPooler { size: usize },
    /// A client connects.
    Come(Client),
    /// The client asks for the lock of the job's name without waiting, and is told so.
    Ask {
        client: Client,
        job: Job,
        answer: bool,
    },
    /// The client disconnects, its lock not given back.
    Leave(Client),
    /// The first statement that the scan's findings advise, run as it stands.
    FollowAdvice,
    /// All jobs at work come to an end: so many by losing their lock, so many by being done.
    ExpectEnds { lost: usize, done: usize },
    /// The instance keeps leases from now on, all on one connection beside its pool.
    KeepLeases,
    /// The job takes the lease of its name.
    Lease(Job),
    /// The leases as `lockaudit lease list` shows them; so many are held.
    ListLeases { held: usize },
    /// The job writes through the pool, and commits.
    Write { job: Job, within: Duration },
    /// All leases are given back.
    ReleaseLeases,
    /// So many pods start, one job for all of them, which they do again and again.
    StartPods { job: Job, code: Code, pods: usize },
    /// One pod after the other is replaced by one with this code. Between two of them every code that is there
    /// gets so many turns, and goes on until double work is seen where some is expected.
    Replace {
        with: Code,
        turns: usize,
        expected: DoubleWork,
    },
    /// The pods go on until every code that is there has had so many turns.
    Turns(usize),
    /// The job's runs until now, by old code and by new, and whether any two of them overlapped.
    CountDoubleWork { expected: DoubleWork },
    /// All pods end, after their work.
    StopPods,
    /// Somebody writes down the job's name and its key, in the file [`MAP`].
    WriteMap(Job),
    /// An operator says once where the server is.
    SitDown,
    /// An operator runs `lockaudit` with these words, which exits so.
    Operate {
        words: &'static [&'static str],
        exit: u8,
    },
    /// The same, which exits with 0, and is run again until it does: some gate is shut for the moment in which a pod
    /// takes its lease.
    Insist(&'static [&'static str]),
    /// `lockaudit migrate fence` starts beside the pods; it holds all keys now.
    StartFence,
    /// It is told to end.
    EndFence,
    /// The figures of both ways of replacing pods, side by side.
    CompareDoubleWork,
}

/// The file of names and keys.
pub const MAP: &str = "keys.toml";

/// What a count of double work must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubleWork {
    Nothing,
    Something,
}

/// An application instance: its `application_name`, and how many connections its pool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instance {
    pub name: &'static str,
    pub pool: usize,
}

/// A program with one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    pub name: &'static str,
    pub way: Way,
}

/// How a client gets to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Direct,
    Pooler,
}

/// One kind of work, called by the name that it locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job(pub &'static str);

/// What a readiness probe may come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Ready,
    NotReady,
}

/// The scenario of that name.
pub fn scenario(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.into_iter().find(|scenario| scenario.name == name)
}

/// For an error: there is no scenario of that name, but these.
pub fn no_such_scenario(name: &str) -> String {
    let names: Vec<String> = SCENARIOS
        .iter()
        .map(|scenario| format!("`{}`", scenario.name))
        .collect();
    format!(
        "there is no scenario `{name}`; there is {}",
        names.join(", ")
    )
}

impl Scenario {
    /// The instances that take part.
    pub fn instances(&self) -> impl Iterator<Item = Instance> {
        self.incident.iter().filter_map(|step| match step {
            Step::Start(instance) => Some(*instance),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding;

    #[test]
    fn a_scenario_is_found_by_its_name_and_a_wrong_one_lists_them() {
        assert!(SCENARIOS.iter().all(|it| scenario(it.name).is_some()));
        assert!(scenario("pool-of-five").is_none());
        assert!(no_such_scenario("pool-of-five").contains("`pool-of-four`"));
    }

    #[test]
    fn every_incident_ends_with_what_shows_it() {
        for scenario in SCENARIOS {
            match scenario.incident.last() {
                Some(Step::Scan { finds } | Step::ScanThroughPooler { finds }) => {
                    assert!(finding::rule(finds).is_some(), "{finds}");
                }
                Some(Step::CountDoubleWork { expected }) => {
                    assert_eq!(*expected, DoubleWork::Something, "{}", scenario.name);
                }
                _ => panic!("{} ends with neither scan nor count", scenario.name),
            }
        }
    }
}
