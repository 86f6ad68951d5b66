//! Owns what must hold: after each step, and for each statement that is applied.

use super::server::{Row, Sent, Statement, Statements};
use super::world::{Step, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// I1: the primary has promised the present to one holder at most.
    OneHolder,
    /// I2: a grant's token is higher than every token before it, on any timeline.
    TokensRise,
    /// I3: what was released, broken or expired is not valid again.
    NoRevival,
    /// I4: a call with a holder or token that is not the row's changes nothing.
    LateCallsChangeNothing,
    /// I5: a statement applied twice is as good as applied once.
    RetriesAreHarmless,
    /// I6: the deadline of a holder at work is not later than the expiry in the primary's row,
    /// once it has heard from this primary, and unless an operator broke its lease.
    DeadlineBeforeExpiry,
    /// So no two work at once, unless one has not heard from this primary, or was broken.
    OneWorker,
}

/// The invariant that this step breaks, if it breaks one.
pub fn broken<const N: usize>(
    before: &World<N>,
    step: Step,
    after: &World<N>,
) -> Option<Invariant> {
    let by_statement = match step {
        Step::Apply(place) => before.wire[place].and_then(|sent| by(&sent, before, after)),
        _ => None,
    };
    by_statement.or_else(|| in_state(after))
}

fn by<const N: usize>(sent: &Sent, before: &World<N>, after: &World<N>) -> Option<Invariant> {
    let (old, new) = (before.primary.row, after.primary.row);
    if is_grant(sent, old, new) && token(new) <= before.highest {
        Some(Invariant::TokensRise)
    } else if is_late(sent, old) && old != new {
        Some(Invariant::LateCallsChangeNothing)
    } else if !is_idempotent(before.statements(), sent, old) {
        Some(Invariant::RetriesAreHarmless)
    } else {
        None
    }
}

/// A take that did more than to prolong what its holder had.
fn is_grant(sent: &Sent, old: Option<Row>, new: Option<Row>) -> bool {
    let prolongs =
        old.is_some_and(|row| row.is_unexpired() && row.is_held_by(sent.from, token(new)));
    sent.statement == Statement::Take && old != new && !prolongs
}

fn is_late(sent: &Sent, old: Option<Row>) -> bool {
    match sent.statement {
        Statement::Take => false,
        Statement::Renew(token) | Statement::Release(token) => {
            !old.is_some_and(|row| row.is_held_by(sent.from, token))
        }
    }
}

/// The same again gives the same row, and to who wants to hold it the same answer.
fn is_idempotent(statements: Statements, sent: &Sent, old: Option<Row>) -> bool {
    let (row, answer) = statements.apply(old, sent);
    let (row_again, answer_again) = statements.apply(row, sent);
    let is_release = matches!(sent.statement, Statement::Release(_));
    row_again == row && (is_release || answer_again == answer)
}

fn in_state<const N: usize>(world: &World<N>) -> Option<Invariant> {
    let promised = world.primary.promised.iter().filter(|left| **left > 0);
    let informed: Vec<usize> = world
        .workers()
        .filter(|name| world.is_informed(*name))
        .collect();
    if promised.count() > 1 {
        Some(Invariant::OneHolder)
    } else if world
        .primary
        .row
        .is_some_and(|row| row.is_unexpired() && world.primary.has_ended(row.token))
    {
        Some(Invariant::NoRevival)
    } else if informed.len() > 1 {
        Some(Invariant::OneWorker)
    } else if !informed.iter().all(|name| world.ends_in_time(*name)) {
        Some(Invariant::DeadlineBeforeExpiry)
    } else {
        None
    }
}

fn token(row: Option<Row>) -> u8 {
    row.map_or(0, |row| row.token)
}
