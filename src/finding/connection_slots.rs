//! `connection-slots`: hardly a connection is left for ordinary roles.

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::picture::Picture;
use crate::snapshot::{Session, Sight};
use crate::words;

/// Few enough that a deploy or a crash loop takes them at once.
const FEW: i64 = 3;

pub(super) const RULE: Rule = Rule {
    name: "connection-slots",
    summary: "few connection slots, or none, are left for ordinary roles",
    help: "\
Of max_connections, superuser_reserved_connections and (16 and later) reserved_connections are the last
ones that ordinary roles can't use. Every client session counts, superusers' and monitoring too;
background workers and WAL senders have seats of their own.

How sure: `certain`, or `likely` where sessions are hidden and can't be told from workers.

How bad: critical when no slot is left, a warning when three or a tenth are left (of fewer than six,
half). A database's own CONNECTION LIMIT is judged the same way.

What to do: end sessions that do nothing, first those whose locks starve their own pool; check the
sum of all pools against the limit. For monitoring, grant pg_use_reserved_connections (16 and later).",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let databases = by_database(picture);
    std::iter::once(server_wide(picture))
        .chain(databases)
        .filter_map(|slots| finding(picture, &slots))
        .collect()
}

/// Slots that somebody can use, and the sessions that have taken one of them.
struct Slots<'a> {
    whom: String,
    usable: i64,
    clients: Vec<&'a Session>,
    /// What the numbers rest on.
    basis: String,
}

impl Slots<'_> {
    fn left(&self) -> i64 {
        let taken = i64::try_from(self.clients.len()).unwrap_or(i64::MAX);
        self.usable.saturating_sub(taken)
    }
}

fn server_wide<'a>(picture: &Picture<'a>) -> Slots<'a> {
    let limits = &picture.snapshot.limits;
    let clients = clients(picture, |_| true);
    let usable = limits.ordinary_slots();
    let reserved = limits.max_connections.saturating_sub(usable);
    Slots {
        whom: "ordinary roles".to_owned(),
        usable,
        basis: format!(
            "max_connections is {}, the last {reserved} are reserved; {} in use, this scan's among them",
            limits.max_connections,
            words::count(clients.len(), "connection")
        ),
        clients,
    }
}

/// The databases' own limits, which bind every role but superusers. A limit of 0 closes a database
/// on purpose.
fn by_database<'a>(picture: &Picture<'a>) -> impl Iterator<Item = Slots<'a>> {
    let databases = picture.snapshot.databases.iter();
    databases.filter_map(|(oid, database)| {
        let limit = database.connection_limit.filter(|limit| *limit > 0)?;
        let clients = clients(picture, |session| session.datid == Some(*oid));
        Some(Slots {
            whom: format!("database {}", database.name),
            usable: i64::from(limit),
            basis: format!(
                "its CONNECTION LIMIT is {limit}; {} in use",
                words::count(clients.len(), "connection")
            ),
            clients,
        })
    })
}

fn severity(left: i64, usable: i64) -> Option<Severity> {
    match left {
        ..=0 => Some(Severity::Critical),
        // Of few that ever were, half must be gone.
        few if few <= FEW.max(usable / 10).min(usable / 2) => Some(Severity::Warning),
        _ => None,
    }
}

fn title(Slots { whom, usable, .. }: &Slots<'_>, left: i64) -> String {
    match left {
        ..=0 => format!("no connection slot is left for {whom}: all {usable} are taken"),
        _ => format!("{left} of {usable} connection slots are left for {whom}"),
    }
}

fn finding(picture: &Picture<'_>, slots: &Slots<'_>) -> Option<Finding> {
    let left = slots.left();
    let mut sessions = slots.clients.iter();
    let guessed = sessions.any(|session| session.sight == Sight::Masked);
    Some(Finding {
        rule: RULE.name,
        severity: severity(left, slots.usable)?,
        certainty: if guessed {
            Certainty::Likely
        } else {
            Certainty::Certain
        },
        harms: 0,
        title: title(slots, left),
        evidence: evidence(picture, slots),
        pids: Vec::new(),
        keys: Vec::new(),
        advice: vec![Advice::say(
            "end sessions that do nothing, idle holders of advisory locks first; then check the sum \
             of all pools against max_connections",
        )],
    })
}

fn evidence(picture: &Picture<'_>, slots: &Slots<'_>) -> Vec<String> {
    let pinned: usize = picture.pools.iter().map(|pool| pool.pinned.len()).sum();
    let idle = (pinned > 0).then(|| {
        format!(
            "{} {} an advisory lock and {} nothing",
            words::count(pinned, "session"),
            words::verb(pinned, "holds", "hold"),
            words::verb(pinned, "does", "do")
        )
    });
    std::iter::once(slots.basis.clone()).chain(idle).collect()
}

fn clients<'a>(picture: &Picture<'a>, of: impl Fn(&Session) -> bool) -> Vec<&'a Session> {
    let sessions = picture.snapshot.sessions.iter();
    sessions
        .filter(|session| session.is_client_backend() && of(session))
        .collect()
}
