//! `pooler-leak`: a session's lock stays on a pooled connection when its client has gone.

use super::Step::{Ask, Come, ExpectLocks, FollowAdvice, Leave, Scan, StartPooler, Tell};
use super::{Client, Job, Scenario, Way};

const MIGRATION: Client = Client {
    name: "migration",
    way: Way::Pooler,
};
const REPORT: Client = Client {
    name: "report",
    way: Way::Pooler,
};
const NEXT: Client = Client {
    name: "next-deploy",
    way: Way::Direct,
};

const DEPLOY: Job = Job("deploy");

pub(super) const SCENARIO: Scenario = Scenario {
    name: "pooler-leak",
    summary: "PgBouncer in transaction mode strands a lock on a server connection, and a stranger inherits it",
    incident: &[
        Tell(
            "PgBouncer in transaction mode lends a server connection for the length of a transaction. A \
             session-level lock belongs to the server connection, and PgBouncer does not know of it.",
        ),
        StartPooler { size: 1 },
        Come(MIGRATION),
        Ask {
            client: MIGRATION,
            job: DEPLOY,
            answer: true,
        },
        Tell("The migration is killed, as at the end of a deploy that takes too long."),
        Leave(MIGRATION),
        ExpectLocks {
            granted: 1,
            waiting: 0,
        },
        Tell(
            "Its client is gone, and the lock is still there: on a connection that PgBouncer keeps for the \
             next one. Who happens to get that connection inherits the lock, and is told yes; who comes \
             straight to the server is told no, now and for as long as the connection lives.",
        ),
        Come(REPORT),
        Ask {
            client: REPORT,
            job: DEPLOY,
            answer: true,
        },
        Leave(REPORT),
        Come(NEXT),
        Ask {
            client: NEXT,
            job: DEPLOY,
            answer: false,
        },
        Tell(
            "For PostgreSQL the holder is `report`, the last one who had the connection. The scan asks \
             PgBouncer's console as well:",
        ),
        Scan {
            finds: "pooler-leak",
        },
    ],
    remedy: &[
        Tell(
            "The way out: RECONNECT in the console, or the statement that the scan advises. It ends the idle \
             backend, which no client has; PgBouncer opens another one when it needs it.",
        ),
        FollowAdvice,
        ExpectLocks {
            granted: 0,
            waiting: 0,
        },
        Ask {
            client: NEXT,
            job: DEPLOY,
            answer: true,
        },
    ],
    cure: &[Tell(
        "The cure: programs that lock get a direct connection or a pool in session mode, or use \
         transaction-level locks (pg_advisory_xact_lock) or leases.",
    )],
};
