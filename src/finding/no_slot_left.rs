//! `no-slot-left`: the server has no room for us either, which is itself the answer.

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::snapshot::{Pooler, Queue, Refusal, RefusalKind, is_console};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "no-slot-left",
    summary: "the server or its pooler refused our own connection for want of room",
    help: "\
Every connection slot is taken (SQLSTATE 53300), or the shared lock table is full so that no session
can start (53200). The application is refused for the same reason.

How sure: `certain` that there is no room; what takes it can't be seen from outside, but for the connections
of poolers whose consoles were given (--pgbouncer): which pools have them, and which clients.

How bad: critical.

What to do: get in by a slot that is kept free: as a superuser, or with a role that has
pg_use_reserved_connections (16 and later); through the pooler's console; or end a session on the
server's own host. Then scan again.",
    check: |_| Vec::new(),
};

/// The finding for a connection that was refused.
pub(super) fn judge(refusal: &Refusal, poolers: &[Pooler]) -> Finding {
    let said = format!(
        "the server said: {} (SQLSTATE {})",
        refusal.message, refusal.sqlstate
    );
    Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: Certainty::Certain,
        harms: 0,
        title: title(refusal.kind).to_owned(),
        evidence: std::iter::once(said)
            .chain(poolers.iter().flat_map(known_by))
            .collect(),
        pids: Vec::new(),
        keys: Vec::new(),
        advice: advice(refusal.kind).into_iter().map(Advice::say).collect(),
    }
}

/// What a pooler knows without the server: which of its pools have the connections, and who of its clients.
fn known_by(pooler: &Pooler) -> Vec<String> {
    const POOLS: usize = 3;
    let mut queues: Vec<&Queue> = pooler
        .queues
        .iter()
        .filter(|queue| !is_console(&queue.alias))
        .collect();
    queues.sort_by_key(|queue| std::cmp::Reverse((queue.servers, queue.clients_waiting)));
    let open: usize = queues.iter().map(|queue| queue.servers as usize).sum();
    let total = format!(
        "PgBouncer {} has {} open",
        pooler.console,
        words::count(open, "server connection")
    );
    let pools = queues.iter().take(POOLS).map(|queue| {
        format!(
            "of these {} in the pool {} (as {}): {} lent{}{}",
            queue.servers,
            queue.alias,
            queue.user,
            queue.servers_active,
            lent_to(pooler, queue),
            waiting(queue)
        )
    });
    std::iter::once(total).chain(pools).collect()
}

/// Those that have a connection of the pool, by application and address.
fn lent_to(pooler: &Pooler, queue: &Queue) -> String {
    const NAMED: usize = 3;
    let servers = pooler.servers.iter();
    let own = servers.filter(|server| server.alias == queue.alias && server.user == queue.user);
    let mut names: Vec<String> = own
        .filter_map(|server| pooler.borrower(server))
        .map(|client| {
            let name = client.application_name.as_deref();
            format!(
                "{} at {}",
                name.unwrap_or("(no application_name)"),
                client.addr
            )
        })
        .collect();
    names.sort();
    names.dedup();
    match names.is_empty() {
        true => String::new(),
        false => format!(" to {}", words::some_of(&names, NAMED)),
    }
}

fn waiting(queue: &Queue) -> String {
    match queue.clients_waiting as usize {
        0 => String::new(),
        waiting => format!(
            ", {} {}, the longest for {}",
            words::count(waiting, "client"),
            words::verb(waiting, "waits", "wait"),
            words::duration(queue.longest_wait)
        ),
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
