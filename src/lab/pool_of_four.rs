//! `pool-of-four`: four advisory locks in a pool of four connections.

use std::time::Duration;

use super::Step::{
    ExpectEnds, ExpectLocks, ExpectPool, FollowAdvice, KeepLeases, Lease, ListLeases, Lock, Probe,
    ReleaseLeases, Scan, Start, Tell, Work, Write,
};
use super::{Answer, Instance, Job, Scenario};

const WEB_NODE: Instance = Instance {
    name: "web-node-a",
    pool: 4,
};

/// The same instance, with as few connections as a pool can have.
const WEB_NODE_OF_ONE: Instance = Instance {
    pool: 1,
    ..WEB_NODE
};

const SWEEP: Job = Job("hourly-sweep");
const ALERTS: Job = Job("alert-evaluation");
const MAIL: Job = Job("mail-checks");
const UPTIME: Job = Job("uptime-checks");

const ONE_SECOND: Duration = Duration::from_secs(1);
const THREE_SECONDS: Duration = Duration::from_secs(3);

pub(super) const SCENARIO: Scenario = Scenario {
    name: "pool-of-four",
    summary: "four jobs hold advisory locks on all four connections of a pool and wait for a fifth",
    incident: &[
        Tell(
            "web-node-a is one instance of an application. Four kinds of work run in it, and none of \
             them may run on two instances at once: so each begins by locking its own name.",
        ),
        Start(WEB_NODE),
        Lock(SWEEP),
        Lock(ALERTS),
        Lock(MAIL),
        Lock(UPTIME),
        ExpectLocks {
            granted: 4,
            waiting: 0,
        },
        Tell(
            "A session-level lock stays on its connection until it is unlocked, so each job keeps that \
             connection, and asks the pool for another one to run its queries on.",
        ),
        Work(SWEEP),
        Work(ALERTS),
        Work(MAIL),
        Work(UPTIME),
        ExpectPool {
            taken: 4,
            asked_for: 4,
        },
        Tell(
            "Nobody will ever give a connection back: the jobs unlock when their work is done, and \
             their work waits for the connections that their locks keep.",
        ),
        Probe {
            within: ONE_SECOND,
            answer: Answer::NotReady,
        },
        Tell(
            "The wait is inside the application. For PostgreSQL four sessions are idle and no lock is \
             waited for. The scan:",
        ),
        Scan {
            finds: "starved-pool",
        },
    ],
    remedy: &[
        Tell("The way out: the first statement that the scan advises ends one session."),
        FollowAdvice,
        ExpectEnds { lost: 1, done: 3 },
        ExpectLocks {
            granted: 0,
            waiting: 0,
        },
        Probe {
            within: ONE_SECOND,
            answer: Answer::Ready,
        },
        Tell(
            "It works because this application watches the sessions of its locks. One that does not \
             still counts the ended session's connection as taken: restart that one instead. And it is \
             a way out, not a cure: four locks still cost four connections.",
        ),
    ],
    cure: &[
        Tell(
            "The same four jobs with leases, on a pool of one connection. A lease is a row: who has it, under \
             which token, until when. Holding one takes no connection.",
        ),
        Start(WEB_NODE_OF_ONE),
        KeepLeases,
        Lease(SWEEP),
        Lease(ALERTS),
        Lease(MAIL),
        Lease(UPTIME),
        ExpectLocks {
            granted: 0,
            waiting: 0,
        },
        ExpectPool {
            taken: 0,
            asked_for: 0,
        },
        ListLeases { held: 4 },
        Write {
            job: SWEEP,
            within: THREE_SECONDS,
        },
        Write {
            job: ALERTS,
            within: THREE_SECONDS,
        },
        Probe {
            within: ONE_SECOND,
            answer: Answer::Ready,
        },
        ReleaseLeases,
        Tell(
            "Two connections, four held names, and nothing waits. Four advisory locks would have needed five. \
             How to get there without a moment of double work: `lockaudit migrate`.",
        ),
    ],
};
