//! `pooler-over-budget`: poolers that may open more connections than the server has for them.

use std::collections::BTreeMap;

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::picture::Picture;
use crate::snapshot::{Alias, Pooler, is_console};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "pooler-over-budget",
    summary: "the pools of the poolers may grow beyond the server's connection slots (needs --pgbouncer)",
    help: "\
PgBouncer has a pool for each pair of database and user, and each may grow to pool_size (and the reserve).
The sum over all pools that lead to this server is what the poolers may open. Where it exceeds the slots of
ordinary roles, the last pools to grow are refused, at the worst time.

How sure: `certain` for the arithmetic. It counts the pools that exist now, so it is the least that may come:
another user of the same database is another pool. What bounds the sum is counted (max_db_connections,
max_user_connections, and from 1.23 on limits of single users).

How bad: a warning; a remark where the pools alone would fit and only the connections that others have open now
are too many beside them.

What to do: lower pool_size, or set max_db_connections, so that the sum fits; see `lockaudit budget` for the
whole sum.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let parts: Vec<Part> = picture
        .snapshot
        .poolers
        .iter()
        .flat_map(|pooler| parts(picture, pooler))
        .collect();
    finding(picture, &parts).into_iter().collect()
}

/// What one alias of one pooler may open.
struct Part {
    most: u64,
    said: String,
}

/// Of the aliases that lead to this server: those at the host and port of a connection that is a backend
/// here.
fn parts(picture: &Picture<'_>, pooler: &Pooler) -> Vec<Part> {
    let here: Vec<&Alias> = picture
        .behind
        .all()
        .filter(|(_, behind)| behind.pooler.console == pooler.console)
        .filter_map(|(_, behind)| pooler.alias(behind.alias()))
        .collect();
    let leads_here = |alias: &&Alias| {
        let place = |one: &Alias| (one.host.clone(), one.port);
        !alias.is_console() && here.iter().any(|one| place(one) == place(alias))
    };
    let mut left = user_limits(pooler);
    let aliases = pooler.aliases.iter().filter(leads_here);
    aliases
        .filter_map(|alias| part(pooler, alias, &mut left))
        .collect()
}

/// What each user may still open; no entry is no limit.
fn user_limits(pooler: &Pooler) -> BTreeMap<&str, u64> {
    let of_all = pooler.settings.max_user_connections;
    let named = pooler.queues.iter().map(|queue| queue.user.as_str());
    named
        .filter_map(|user| {
            let own = pooler.users.iter().find(|one| one.name == user);
            let limit = own.and_then(|one| one.most_connections).or(of_all)?;
            Some((user, u64::from(limit)))
        })
        .collect()
}

fn part<'a>(pooler: &'a Pooler, alias: &Alias, left: &mut BTreeMap<&'a str, u64>) -> Option<Part> {
    let pools = pooler.queues.iter();
    let mut sum = 0_u64;
    let mut users = 0;
    for queue in pools.filter(|queue| queue.alias == alias.name && !is_console(&queue.alias)) {
        let own = pooler.users.iter().find(|one| one.name == queue.user);
        let size = own.and_then(|one| one.pool_size).unwrap_or(alias.pool_size);
        let mut most = u64::from(size) + u64::from(alias.reserve_pool);
        if let Some(left) = left.get_mut(queue.user.as_str()) {
            most = most.min(*left);
            *left -= most;
        }
        sum += most;
        users += 1;
    }
    let most = alias
        .most_connections
        .map_or(sum, |most| sum.min(most.into()));
    (users > 0).then(|| Part {
        most,
        said: format!(
            "{most}: {} of {} in {}{}",
            words::count(users, "pool"),
            words::count(alias.pool_size as usize, "connection"),
            said::alias(&pooler.console, &alias.name),
            bounds(alias)
        ),
    })
}

fn bounds(alias: &Alias) -> String {
    let reserve = (alias.reserve_pool > 0).then(|| format!("reserve {}", alias.reserve_pool));
    let most = alias
        .most_connections
        .map(|most| format!("max_db_connections {most}"));
    let said: Vec<String> = reserve.into_iter().chain(most).collect();
    match said.is_empty() {
        true => String::new(),
        false => format!(" ({})", said.join(", ")),
    }
}

fn finding(picture: &Picture<'_>, parts: &[Part]) -> Option<Finding> {
    let most: u64 = parts.iter().map(|part| part.most).sum();
    let slots = u64::try_from(picture.snapshot.limits.ordinary_slots()).unwrap_or(0);
    let others = connections_of_others(picture);
    let severity = match (most > slots, most + others > slots) {
        (true, _) => Severity::Warning,
        (false, true) if most > 0 => Severity::Info,
        _ => return None,
    };
    let beside = match severity {
        Severity::Info => format!(", beside {others} that others have open now"),
        _ => String::new(),
    };
    let mut evidence: Vec<String> = parts.iter().map(|part| part.said.clone()).collect();
    evidence.push(format!(
        "the server has {slots} slots for ordinary roles; {others} in use by others than these poolers"
    ));
    Some(Finding {
        rule: RULE.name,
        severity,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "the poolers may open {most} connections{beside}, and the server has {slots} slots"
        ),
        evidence,
        pids: Vec::new(),
        keys: Vec::new(),
        advice: vec![Advice::say(
            "lower pool_size or set max_db_connections, so that the sum of all pools fits; `lockaudit budget` has the whole sum",
        )],
    })
}

fn connections_of_others(picture: &Picture<'_>) -> u64 {
    let sessions = picture.snapshot.sessions.iter();
    let others = sessions.filter(|session| {
        session.is_client_backend()
            && session.pid != picture.snapshot.viewer.pid
            && picture.behind.session(session.pid).is_none()
    });
    others.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::Idle;
    use crate::snapshot::{Queue, Snapshot};

    /// Two users, each with a pool of this size, on a server with 97 slots.
    fn two_users(size: u32) -> Pooler {
        let mut pooler = pooler("transaction").serves(10);
        pooler.aliases[0].pool_size = size;
        pooler.queues.push(Queue {
            user: "report".to_owned(),
            ..pooler.queues[0].clone()
        });
        pooler
    }

    fn findings(poolers: Vec<Pooler>, others: i32) -> Vec<Finding> {
        let mut now = Snapshot {
            poolers,
            ..quiet().session(10, Idle)
        };
        for pid in 20..20 + others {
            now = now.session(pid, Idle);
        }
        check(&Picture::of(&[], &now, &Expectations::default()))
    }

    fn severity(poolers: Vec<Pooler>, others: i32) -> Option<Severity> {
        findings(poolers, others).first().map(|it| it.severity)
    }

    #[test]
    fn pools_that_may_outgrow_the_server_are_a_warning() {
        assert_eq!(severity(vec![two_users(49)], 0), Some(Severity::Warning));
        assert_eq!(severity(vec![two_users(48)], 0), None);
        assert_eq!(severity(vec![two_users(48)], 2), Some(Severity::Info));
        let found = findings(vec![two_users(49)], 0);
        assert!(found[0].title.contains("98 connections"), "{found:?}");
    }

    #[test]
    fn what_bounds_the_sum_is_counted() {
        let mut bounded = two_users(49);
        bounded.aliases[0].most_connections = Some(60);
        assert_eq!(severity(vec![bounded], 0), None);
        let mut by_user = two_users(49);
        by_user.settings.max_user_connections = Some(40);
        assert_eq!(severity(vec![by_user], 0), None);
        let mut reserve = two_users(48);
        reserve.aliases[0].reserve_pool = 1;
        assert_eq!(severity(vec![reserve], 0), Some(Severity::Warning));
    }

    #[test]
    fn a_pool_that_leads_elsewhere_does_not_count() {
        let mut elsewhere = two_users(10);
        elsewhere.aliases.push(Alias {
            name: "archive".to_owned(),
            host: Some("10.0.0.2".to_owned()),
            pool_size: 500,
            ..elsewhere.aliases[0].clone()
        });
        elsewhere.queues.push(Queue {
            alias: "archive".to_owned(),
            ..elsewhere.queues[0].clone()
        });
        assert_eq!(severity(vec![elsewhere], 0), None);
    }

    #[test]
    fn without_a_pooler_there_is_nothing_to_say() {
        assert_eq!(severity(Vec::new(), 200), None);
    }
}
