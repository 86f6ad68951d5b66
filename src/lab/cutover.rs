//! `cutover`: pods of old code are replaced by pods that take leases, without modes and with them.

use super::Step::{
    CompareDoubleWork, CountDoubleWork, EndFence, Insist, Operate, Replace, SitDown, StartFence,
    StartPods, StopPods, Tell, Turns, WriteMap,
};
use super::{DoubleWork, Job, MAP, Scenario, Step};
use crate::cutover::double_work::Code;

const SWEEP: Job = Job("hourly-sweep");
const REPORT: Job = Job("nightly-report");
const PODS: usize = 4;

/// Between two pods.
const SOME_TURNS: usize = 3;
const MORE_TURNS: usize = 6;

/// The lab's period: a run takes 10 ms, and all pods together have many a second.
const PERIOD: &str = "2s";

const NO_DOUBLE_WORK: Step = CountDoubleWork {
    expected: DoubleWork::Nothing,
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "cutover",
    summary: "locks give way to leases, pod by pod: work is done twice, unless names have modes",
    incident: &[
        Tell(
            "Four pods of old code do the hourly sweep, which two must never do at once: each asks for the \
             advisory lock of its name, works for 10 ms, unlocks, and asks again. A checker writes down when \
             each run begins and ends; two runs that overlap are double work.",
        ),
        StartPods {
            job: SWEEP,
            code: Code::Old,
            pods: PODS,
        },
        Turns(MORE_TURNS),
        NO_DOUBLE_WORK,
        Tell(
            "The naive way: the new release takes a lease in place of the lock, and the pods are replaced one by \
             one. Old code knows nothing of leases; new code does not ask for the lock any more.",
        ),
        SitDown,
        operate(&["lease", "init"]),
        Replace {
            with: Code::New,
            turns: SOME_TURNS,
            expected: DoubleWork::Something,
        },
        CountDoubleWork {
            expected: DoubleWork::Something,
        },
    ],
    remedy: &[
        StopPods,
        Tell(
            "Nobody saw an error: each pod was told that it alone may work. Now another job, by the same deploy, \
             with modes. Four pods of old code, as before; then the name and its old key are put beside each \
             other, which changes nothing for anybody.",
        ),
        StartPods {
            job: REPORT,
            code: Code::Old,
            pods: PODS,
        },
        WriteMap(REPORT),
        operate(&["migrate", "plan", "--map", MAP, "-o", "migration.toml"]),
        operate(&["migrate", "apply"]),
        Tell(
            "Expand. The same new release as above. It asks the table first; the name is in mode `advisory`, so it \
             takes the old lock, as old code does.",
        ),
        Replace {
            with: Code::New,
            turns: SOME_TURNS,
            expected: DoubleWork::Nothing,
        },
        NO_DOUBLE_WORK,
        Tell(
            "Bridge. In mode `both` new code takes the lease, and the lock beside it, shared: the lease keeps \
             new code apart, the lock keeps old code out.",
        ),
        Insist(&["migrate", "advance", REPORT.0]),
        Turns(MORE_TURNS),
        NO_DOUBLE_WORK,
        Tell(
            "Prove. Has the last of the old code gone? A fence holds the old locks too, and writes down what it \
             meets, for a whole period: here two seconds, at work the longest time between two runs.",
        ),
        StartFence,
        Operate {
            words: &[
                "migrate",
                "status",
                "--name",
                REPORT.0,
                "--wait-for",
                "lease",
                "--period",
                PERIOD,
                "--timeout",
                "4s",
            ],
            exit: 1,
        },
        Tell(
            "One gate stays shut: this server does not count calls (pg_stat_statements is not loaded), so nobody \
             can say that none was made. We know that no other code runs here, and say so; the log keeps it.",
        ),
        Insist(&[
            "migrate",
            "advance",
            REPORT.0,
            "--period",
            PERIOD,
            "--force",
            "the lab has no other pods",
        ]),
        Tell("Contract. The lease alone counts."),
        Turns(MORE_TURNS),
        NO_DOUBLE_WORK,
        Tell(
            "And back, since the new release turned out to be bad. First the mode, then the fence, which would keep \
             old code out, and only then the pods.",
        ),
        Insist(&["migrate", "rollback", REPORT.0]),
        operate(&[
            "migrate",
            "status",
            "--name",
            REPORT.0,
            "--wait-for",
            "both",
            "--timeout",
            "10s",
        ]),
        EndFence,
        Replace {
            with: Code::Old,
            turns: SOME_TURNS,
            expected: DoubleWork::Nothing,
        },
        Insist(&["migrate", "rollback", REPORT.0]),
        Turns(MORE_TURNS),
        NO_DOUBLE_WORK,
        StopPods,
        CompareDoubleWork,
        Tell(
            "How to do it at work, step by step, and what it does not protect from: docs/migrating.md.",
        ),
    ],
    cure: &[],
};

const fn operate(words: &'static [&'static str]) -> Step {
    Operate { words, exit: 0 }
}
