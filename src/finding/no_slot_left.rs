//! `no-slot-left`: the server has no room for us either, which is itself the answer.

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::snapshot::{Refusal, RefusalKind};

pub(super) const RULE: Rule = Rule {
    name: "no-slot-left",
    summary: "the server or its pooler refused our own connection for want of room",
    help: "\
Every connection slot is taken (SQLSTATE 53300), or the shared lock table is full so that no session
can start (53200). The application is refused for the same reason.

How sure: `certain` that there is no room; what takes it can't be seen from outside.

How bad: critical.

What to do: get in by a slot that is kept free: as a superuser, or with a role that has
pg_use_reserved_connections (16 and later); through the pooler's console; or end a session on the
server's own host. Then scan again.",
    check: |_| Vec::new(),
};

/// The finding for a connection that was refused.
pub fn judge(refusal: &Refusal) -> Finding {
    Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: Certainty::Certain,
        harms: 0,
        title: title(refusal.kind).to_owned(),
        evidence: vec![format!(
            "the server said: {} (SQLSTATE {})",
            refusal.message, refusal.sqlstate
        )],
        pids: Vec::new(),
        keys: Vec::new(),
        advice: advice(refusal.kind).into_iter().map(Advice::say).collect(),
    }
}

fn title(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::AllSlotsTaken => {
            "no connection slot is left, not even for superusers: this scan was refused too"
        }
        RefusalKind::OnlySuperuserSlotsLeft => {
            "no connection slot is left for ordinary roles: this scan was refused too"
        }
        RefusalKind::OnlyReservedSlotsLeft => {
            "no connection slot is left but the reserved ones: this scan was refused too"
        }
        RefusalKind::RoleLimit => {
            "the role's CONNECTION LIMIT is reached: this scan was refused too"
        }
        RefusalKind::DatabaseLimit => {
            "the database's CONNECTION LIMIT is reached: this scan was refused too"
        }
        RefusalKind::PoolerFull => "the pooler accepts no more clients: this scan was refused too",
        RefusalKind::LockTableFull => {
            "the shared lock table is full: no session can start, this scan's neither"
        }
        RefusalKind::Unknown => {
            "no connection slot is left for this role: this scan was refused too"
        }
    }
}

fn advice(kind: RefusalKind) -> Vec<&'static str> {
    const OWN_HOST: &str = "on the server's host, look for idle backends in `ps` (`postgres: … idle`) and end one of an instance that is stuck with `kill -TERM PID` (never -KILL: that restarts the whole server)";
    match kind {
        RefusalKind::AllSlotsTaken => vec![
            "stop one instance of an application, so that its pool lets go, and scan again at once",
            OWN_HOST,
        ],
        RefusalKind::OnlySuperuserSlotsLeft => vec![
            "scan as a superuser: the last slots are kept for them",
            "for the next time: GRANT pg_use_reserved_connections to the scanning role and set reserved_connections (PostgreSQL 16 and later)",
            OWN_HOST,
        ],
        RefusalKind::OnlyReservedSlotsLeft => vec![
            "scan with a role that has pg_use_reserved_connections, or as a superuser",
            "for the next time: GRANT pg_use_reserved_connections to the scanning role",
            OWN_HOST,
        ],
        RefusalKind::RoleLimit => vec![
            "scan with another role, or as a superuser, which no CONNECTION LIMIT binds",
            "raise the limit if it is meant to be higher: ALTER ROLE … CONNECTION LIMIT …",
        ],
        RefusalKind::DatabaseLimit => vec![
            "scan from another database: locks of all databases are seen from each",
            "scan as a superuser, which no CONNECTION LIMIT binds",
        ],
        RefusalKind::PoolerFull => vec![
            "connect to the server directly, past the pooler",
            "ask the pooler's console (SHOW POOLS, SHOW SERVERS) who waits",
        ],
        RefusalKind::LockTableFull => vec![
            "in a session that is still open, find who holds most: SELECT pid, count(*) FROM pg_locks GROUP BY pid ORDER BY count(*) DESC LIMIT 5",
            OWN_HOST,
            "then raise max_locks_per_transaction (needs a restart)",
        ],
        RefusalKind::Unknown => vec![
            "scan as a superuser, or with a role that has pg_use_reserved_connections (PostgreSQL 16 and later)",
            OWN_HOST,
        ],
    }
}
