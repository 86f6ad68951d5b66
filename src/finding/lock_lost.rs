//! `lock-lost`: a pooler that gives up session-level locks behind its clients' backs.

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::picture::Picture;
use crate::snapshot::{PoolMode, Pooler, is_console};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "lock-lost",
    summary: "a pooler's settings give session-level locks up right after they were taken (needs --pgbouncer)",
    help: "\
With server_reset_query_always PgBouncer runs its reset query whenever a connection comes back, also in
transaction and statement mode. DISCARD ALL unlocks everything, so a session-level lock is gone right after
the statement that took it. The client was told `true`; the next one is told `true` too, and both work.
Nothing of it is to be seen in pg_locks, neither before nor after: only the settings tell.

How sure: `certain` that such a pool keeps no session-level lock. Whether a program relies on one can't be
seen: it leaves no trace.

How bad: a warning.

What to do: turn server_reset_query_always off; give programs that lock a direct connection or a pool in
session mode, or use transaction-level locks or leases. (With it off a session-level lock in such a pool is
left behind instead: pooler-leak.)",
    check: |picture: &Picture<'_>| from_consoles(&picture.snapshot.poolers),
};

/// Settings need no server to be read.
pub(super) fn from_consoles(poolers: &[Pooler]) -> Vec<Finding> {
    poolers.iter().filter_map(finding).collect()
}

fn finding(pooler: &Pooler) -> Option<Finding> {
    let settings = &pooler.settings;
    if settings.server_reset_query_always != Some(true) || settings.reset_unlocks() != Some(true) {
        return None;
    }
    let pools = shared_pools(pooler)?;
    let query = settings.server_reset_query.as_deref().unwrap_or_default();
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "PgBouncer {} gives session-level locks up at the end of each transaction",
            pooler.console
        ),
        evidence: vec![
            format!("server_reset_query_always = 1, server_reset_query = '{query}'"),
            pools,
        ],
        pids: Vec::new(),
        keys: Vec::new(),
        advice: vec![Advice::say(
            "turn server_reset_query_always off, and give programs that take session-level locks a direct connection or a pool in session mode, or let them use transaction-level locks or leases",
        )],
    })
}

/// Which pools are concerned; `None` where every pool keeps a connection for its client.
fn shared_pools(pooler: &Pooler) -> Option<String> {
    const NAMED: usize = 5;
    let queues = pooler.queues.iter().map(|queue| &queue.alias);
    let aliases = pooler.aliases.iter().map(|alias| &alias.name);
    let mut shared: Vec<&str> = queues
        .chain(aliases)
        .filter(|alias| !is_console(alias) && is_shared(pooler, alias))
        .map(String::as_str)
        .collect();
    shared.sort_unstable();
    shared.dedup();
    if !shared.is_empty() {
        return Some(format!(
            "connections are shared by the transaction or the statement in the pools of {}",
            words::some_of(&shared, NAMED)
        ));
    }
    // Databases without an entry of their own appear when they are first used.
    let everywhere = PoolMode::from_word(pooler.settings.pool_mode.as_deref().unwrap_or_default());
    let has_own = pooler.aliases.iter().any(|alias| !alias.is_console());
    (everywhere.shares_connections() && !has_own)
        .then(|| format!("pool_mode = {}", everywhere.as_str()))
}

fn is_shared(pooler: &Pooler, alias: &str) -> bool {
    let mut queues = pooler.queues.iter().filter(|queue| queue.alias == alias);
    match queues.next() {
        None => pooler.mode(alias, "").shares_connections(),
        Some(first) => std::iter::once(first)
            .chain(queues)
            .any(|queue| pooler.mode(alias, &queue.user).shares_connections()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{PlantPooler, pooler};

    fn resetting(mode: &str) -> Pooler {
        let mut pooler = pooler(mode).has_a_pool();
        pooler.settings.server_reset_query_always = Some(true);
        pooler
    }

    fn finds(pooler: Pooler) -> usize {
        from_consoles(&[pooler]).len()
    }

    #[test]
    fn a_reset_after_each_transaction_loses_locks() {
        assert_eq!(finds(resetting("transaction")), 1);
        assert_eq!(finds(resetting("statement")), 1);
        let found = from_consoles(&[resetting("transaction")]);
        assert!(found[0].evidence[1].ends_with("shop"), "{found:?}");
    }

    #[test]
    fn it_loses_none_in_session_mode_or_without_a_reset_or_with_one_that_keeps_them() {
        assert_eq!(finds(resetting("session")), 0);
        assert_eq!(finds(pooler("transaction").has_a_pool()), 0);
        assert_eq!(finds(resetting("transaction").resets_by("RESET ALL")), 0);
    }

    #[test]
    fn a_pool_of_another_mode_than_the_others_is_told() {
        let mut one = resetting("session");
        one.aliases[0].mode = Some(PoolMode::Transaction);
        one.queues.clear();
        assert_eq!(finds(one), 1);
    }
}
