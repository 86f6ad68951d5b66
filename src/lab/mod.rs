//! The known failures, as data: what happens in each, step by step, and what must be seen then.
//!
//! A scenario touches no server. The lab plays it on a throwaway one, and the integration tests
//! replay the same.

mod false_exclusion;
mod pool_of_four;
mod pooler_leak;

use std::time::Duration;

/// All scenarios, in the order in which they are listed.
pub const SCENARIOS: [&Scenario; 3] = [
    &pool_of_four::SCENARIO,
    &pooler_leak::SCENARIO,
    &false_exclusion::SCENARIO,
];

/// One failure and what ends it.
#[derive(Debug)]
pub struct Scenario {
    pub name: &'static str,
    /// What goes wrong, in one sentence without a full stop.
    pub summary: &'static str,
    /// Up to the scan that shows it; `--keep` stops here.
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
    fn every_incident_ends_with_a_scan_for_a_rule_that_exists() {
        for scenario in SCENARIOS {
            let Some(Step::Scan { finds } | Step::ScanThroughPooler { finds }) =
                scenario.incident.last()
            else {
                panic!("{} does not end with a scan", scenario.name);
            };
            assert!(finding::rule(finds).is_some(), "{finds}");
        }
    }
}
