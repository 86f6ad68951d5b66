//! What is wrong, how sure we are, and what to do: one small file a rule.
//!
//! A rule takes a picture and returns findings; it formats nothing for a screen, reads no clock and
//! knows no other rule.

pub(crate) mod advice;
mod blocked_waiters;
mod circle;
mod connection_slots;
mod extension_lock;
mod false_exclusion;
mod hidden_deadlock;
mod holder_churn;
mod idle_holder;
mod idle_in_transaction_holder;
mod key_in_many_databases;
mod key_in_two_forms;
mod limited_visibility;
mod lock_call_elsewhere;
mod lock_lost;
mod lock_manager_contention;
mod lock_table_pressure;
mod many_locks_one_session;
mod no_slot_left;
mod orphan_waiter;
mod pool_exhausted;
mod pool_waits_on_itself;
mod pooler_leak;
mod pooler_over_budget;
mod prepared_holder;
pub(crate) mod said;
mod standby_lock;
mod starved_pool;
mod timeout_breaks_lock;
mod timeouts_missing;
mod waiter_holds_back_vacuum;
mod zombie_holder;

pub use crate::certainty::Certainty;
pub use advice::Advice;

use crate::hold::Hold;
use crate::picture::{LockId, Picture};
use crate::pool::Starvation;
use crate::snapshot::{Pooler, Refusal};
use crate::waits::Wait;

/// How bad it is, by the harm that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Info,
    Warning,
    Critical,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static str,
    pub severity: Severity,
    pub certainty: Certainty,
    /// Sessions that can't go on because of it: of equally bad findings the larger comes first.
    pub harms: usize,
    /// One sentence, without a full stop.
    pub title: String,
    /// Facts from the snapshot, one a line.
    pub evidence: Vec<String>,
    pub pids: Vec<i32>,
    pub keys: Vec<LockId>,
    /// What to do, the safest first.
    pub advice: Vec<Advice>,
}

/// A rule: what it is called, what it means, and how it judges.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Kebab-case, fixed: `--include`, `--exclude`, `explain` and JSON use it.
    pub name: &'static str,
    /// What it finds, in a sentence.
    pub summary: &'static str,
    /// The page of `lockaudit explain`: what it means, how sure it is, what to do.
    pub help: &'static str,
    pub check: fn(&Picture<'_>) -> Vec<Finding>,
}

/// All rules, in the order in which equally bad findings are shown.
pub const RULES: [Rule; 28] = [
    no_slot_left::RULE,
    hidden_deadlock::RULE,
    blocked_waiters::RULE,
    starved_pool::RULE,
    pool_waits_on_itself::RULE,
    pooler_leak::RULE,
    false_exclusion::RULE,
    pool_exhausted::RULE,
    lock_lost::RULE,
    orphan_waiter::RULE,
    idle_holder::RULE,
    idle_in_transaction_holder::RULE,
    prepared_holder::RULE,
    zombie_holder::RULE,
    lock_table_pressure::RULE,
    connection_slots::RULE,
    pooler_over_budget::RULE,
    many_locks_one_session::RULE,
    standby_lock::RULE,
    lock_manager_contention::RULE,
    waiter_holds_back_vacuum::RULE,
    timeout_breaks_lock::RULE,
    key_in_two_forms::RULE,
    limited_visibility::RULE,
    holder_churn::RULE,
    key_in_many_databases::RULE,
    extension_lock::RULE,
    timeouts_missing::RULE,
];

/// The rule of this name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// What to say of a name that no rule has.
pub fn no_such_rule(name: &str) -> String {
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    format!("there is no rule `{name}`; there is {}", names.join(", "))
}

/// All findings of the chosen rules, worst first.
pub fn judge(picture: &Picture<'_>, chosen: impl Fn(&Rule) -> bool) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES
        .iter()
        .filter(|rule| chosen(rule))
        .flat_map(|rule| (rule.check)(picture))
        .map(|finding| with_owners_of_keys(picture, finding))
        .collect();
    // Stable: where both are equal the order of the rules and of their findings stays.
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.harms)));
    findings
}

/// What a connection that was refused says, and what the consoles of poolers know without the server.
pub fn judge_refusal(refusal: &Refusal, poolers: &[Pooler]) -> Vec<Finding> {
    let mut findings = vec![no_slot_left::judge(refusal, poolers)];
    findings.extend(pool_exhausted::from_consoles(poolers));
    findings.extend(lock_lost::from_consoles(poolers));
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.harms)));
    findings
}

/// Says of whose keys a finding speaks, where that is known.
fn with_owners_of_keys(picture: &Picture<'_>, mut finding: Finding) -> Finding {
    let lines = said::whose_keys(picture, &finding.keys);
    finding.evidence.extend(lines);
    finding
}

/// How bad a holder at rest is: by who waits for it or for another lock that it holds, by whether it starves its pool, by whether it
/// only just fell idle, and by whether it is meant to hold.
fn resting_severity(picture: &Picture<'_>, hold: &Hold<'_>, waits: &[&Wait<'_>]) -> Severity {
    let just_now = hold
        .at_least
        .is_some_and(|idle| idle < picture.expectations.idle_after);
    let starves = picture.pools.iter().any(|pool| {
        pool.starvation() == Starvation::Proven
            && hold.pid().is_some_and(|pid| pool.pinned.contains(&pid))
    });
    // A table or a row of its transaction may be what others wait for.
    let blocks = picture.waits.blocked_by(hold.owner()).next().is_some();
    match waits {
        [_, ..] => Severity::Critical,
        [] if starves || blocks => Severity::Critical,
        [] if just_now || picture.is_expected(hold.owner()) => Severity::Info,
        [] => Severity::Warning,
    }
}
