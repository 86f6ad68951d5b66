//! `false-exclusion`: two clients of a pooler are both told that they own one key.

use super::Step::{Ask, Come, ExpectLocks, Leave, ScanThroughPooler, StartPooler, Tell};
use super::{Client, Job, Scenario, Way};

const BILLING: Client = Client {
    name: "billing",
    way: Way::Pooler,
};
const SHIPPING: Client = Client {
    name: "shipping",
    way: Way::Pooler,
};
const DIRECT: [Client; 2] = [
    Client {
        name: "billing-direct",
        way: Way::Direct,
    },
    Client {
        name: "shipping-direct",
        way: Way::Direct,
    },
];

const INVOICES: Job = Job("invoices");

pub(super) const SCENARIO: Scenario = Scenario {
    name: "false-exclusion",
    summary: "two clients of PgBouncer in transaction mode are both told that they own one lock",
    incident: &[
        Tell(
            "A session may take its own lock again: PostgreSQL says yes. Behind PgBouncer in transaction \
             mode several clients share a session.",
        ),
        StartPooler { size: 1 },
        Come(BILLING),
        Come(SHIPPING),
        Ask {
            client: BILLING,
            job: INVOICES,
            answer: true,
        },
        Ask {
            client: SHIPPING,
            job: INVOICES,
            answer: true,
        },
        ExpectLocks {
            granted: 1,
            waiting: 0,
        },
        Tell(
            "Both were told that they own it, and both work now. pg_locks has one row, nobody waits, no \
             error is logged: everything looks well. A scan that comes through the same pooler is lent the \
             connection too, and finds a lock on its own session that it never took:",
        ),
        ScanThroughPooler {
            finds: "false-exclusion",
        },
    ],
    remedy: &[
        Tell("The way out is to stop one of the two, and to look at what both of them did."),
        Leave(SHIPPING),
        Leave(BILLING),
    ],
    cure: &[
        Tell(
            "The cure: a connection of their own, and another name for the lock while the old one is stranded.",
        ),
        Come(DIRECT[0]),
        Come(DIRECT[1]),
        Ask {
            client: DIRECT[0],
            job: Job("invoices-direct"),
            answer: true,
        },
        Ask {
            client: DIRECT[1],
            job: Job("invoices-direct"),
            answer: false,
        },
    ],
};
