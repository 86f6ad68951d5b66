//! What must be true before a name goes from one mode to the next.
//!
//! Three gates are about this very moment: the statement that makes the step judges them again, under the
//! row's lock. No reason opens those: a reason stands for what can't be seen, never against what is seen.
//! The others are about the past, and a reason that is logged may stand in for them.

use std::time::Duration;

use super::{Position, Step, Watched};
use crate::lease::Mode;
use crate::text::printable;
use crate::words;

/// Looks that lie further apart leave room for old code to work unseen.
pub const LONGEST_GAP: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The name's old key is known.
    KeyKnown,
    /// Nobody holds the old key exclusively, or waits for it so.
    KeyFree,
    /// Whoever has the lease has the old key beside it.
    LeaseBridged,
    /// Somebody has looked for old code for a whole period, and saw none.
    OldCodeQuiet,
    /// No further advisory call was counted in a whole period.
    NoNewCalls,
    /// The fence has kept a forgotten old process out, and would have shown it.
    FenceSeen,
}

impl Gate {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::KeyKnown => "key-known",
            Self::KeyFree => "key-free",
            Self::LeaseBridged => "lease-bridged",
            Self::OldCodeQuiet => "old-code-quiet",
            Self::NoNewCalls => "no-new-calls",
            Self::FenceSeen => "fence-seen",
        }
    }

    /// Whether a reason may stand in for it.
    pub fn is_of_the_past(self) -> bool {
        matches!(
            self,
            Self::OldCodeQuiet | Self::NoNewCalls | Self::FenceSeen
        )
    }

    /// Those of a step, in the order in which a person meets them.
    pub fn of(step: Step) -> &'static [Self] {
        match (step.from, step.to) {
            (Mode::Both, Mode::Lease) => &[
                Self::KeyKnown,
                Self::KeyFree,
                Self::LeaseBridged,
                Self::OldCodeQuiet,
                Self::NoNewCalls,
                Self::FenceSeen,
            ],
            (Mode::Both, _) => &[Self::KeyKnown, Self::LeaseBridged],
            _ => &[Self::KeyKnown],
        }
    }
}

/// The three things that the statement which makes a step sees under the row's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub key_known: bool,
    /// Nobody holds it exclusively or waits for it so.
    pub key_free: bool,
    /// Also when nobody has the lease.
    pub bridged: bool,
}

/// The gates of this moment that are shut: what `sql/cutover/step.sql` does.
pub fn shut_now(step: Step, moment: Moment) -> Vec<Gate> {
    let is_open = |gate: &Gate| match gate {
        Gate::KeyKnown => moment.key_known,
        Gate::KeyFree => moment.key_free,
        Gate::LeaseBridged => moment.bridged,
        Gate::OldCodeQuiet | Gate::NoNewCalls | Gate::FenceSeen => true,
    };
    let gates = Gate::of(step).iter().copied();
    gates.filter(|gate| !is_open(gate)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open,
    Shut,
    /// What would open it can't be seen.
    Unseen,
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Shut => "shut",
            Self::Unseen => "unseen",
        }
    }
}

/// A gate, how it is, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub gate: Gate,
    pub state: State,
    pub because: String,
}

/// All gates of a step. `period` is the longest time that passes between two runs of the work, or that one takes.
pub fn judge(step: Step, position: &Position, period: Duration) -> Vec<Judged> {
    let gates = Gate::of(step).iter();
    gates
        .map(|gate| {
            let (state, because) = match gate {
                Gate::KeyKnown => key_known(position),
                Gate::KeyFree => key_free(position),
                Gate::LeaseBridged => lease_bridged(position),
                Gate::OldCodeQuiet => old_code_quiet(position, period),
                Gate::NoNewCalls => no_new_calls(position, period),
                Gate::FenceSeen => fence_seen(position),
            };
            Judged {
                gate: *gate,
                state,
                because,
            }
        })
        .collect()
}

fn key_known(position: &Position) -> (State, String) {
    match position.key {
        Some(key) => (State::Open, format!("the old key is {key}")),
        None => (
            State::Shut,
            "the old key is not known any more: the migration was finished".to_owned(),
        ),
    }
}

fn key_free(position: &Position) -> (State, String) {
    let users: Vec<String> = position
        .old_users()
        .map(|lock| {
            let does = if lock.granted { "holds" } else { "waits for" };
            let who = match lock.pid {
                Some(pid) => format!("pid {pid}"),
                None => "a prepared transaction".to_owned(),
            };
            let named = lock.application.as_deref().filter(|name| !name.is_empty());
            let named = named.map(|name| format!(" ({})", printable(name)));
            format!("{who}{} {does} it", named.unwrap_or_default())
        })
        .collect();
    match users.is_empty() {
        true => (State::Open, "nobody has the old key exclusively".to_owned()),
        false => (
            State::Shut,
            format!("the old key is in use: {}", words::some_of(&users, 3)),
        ),
    }
}

fn lease_bridged(position: &Position) -> (State, String) {
    match &position.lease {
        None => (State::Open, "nobody has the lease".to_owned()),
        Some(lease) if lease.bridged => (
            State::Open,
            "whoever has the lease has the old key beside it".to_owned(),
        ),
        Some(lease) => (
            State::Shut,
            format!(
                "{} has the lease for {} still, without the old key",
                printable(lease.holder.as_str()),
                words::duration(lease.remaining)
            ),
        ),
    }
}

fn old_code_quiet(position: &Position, period: Duration) -> (State, String) {
    let Some(watched) = current(position) else {
        return (State::Unseen, nobody_looks(position));
    };
    let quiet = quiet_in_mode(position, watched.quiet_for);
    let since = words::duration(quiet);
    match quiet >= period {
        true => (
            State::Open,
            format!("no old holder or waiter was seen for {since}"),
        ),
        false => (
            State::Shut,
            format!(
                "no old holder or waiter was seen for {since} only, of {}",
                words::duration(period)
            ),
        ),
    }
}

/// What somebody saw who still looks.
fn current(position: &Position) -> Option<Watched> {
    position
        .watched
        .filter(|watched| watched.ago <= LONGEST_GAP)
}

fn nobody_looks(position: &Position) -> String {
    match position.watched {
        None => "nobody has looked for old code yet".to_owned(),
        Some(watched) => format!(
            "nobody has looked for old code for {}",
            words::duration(watched.ago)
        ),
    }
}

/// What was quiet before the name came into its mode proves nothing for it.
fn quiet_in_mode(position: &Position, quiet: Duration) -> Duration {
    quiet.min(position.mode_for.unwrap_or_default())
}

fn no_new_calls(position: &Position, period: Duration) -> (State, String) {
    let counted = current(position).and_then(|watched| watched.calls_quiet_for);
    let Some(quiet) = counted.map(|quiet| quiet_in_mode(position, quiet)) else {
        return (
            State::Unseen,
            "advisory calls are not counted: pg_stat_statements can't be read, or nobody looks"
                .to_owned(),
        );
    };
    let since = words::duration(quiet);
    match quiet >= period {
        true => (
            State::Open,
            format!("no further advisory call was counted for {since}"),
        ),
        false => (
            State::Shut,
            format!(
                "no further advisory call was counted for {since} only, of {}",
                words::duration(period)
            ),
        ),
    }
}

fn fence_seen(position: &Position) -> (State, String) {
    let ago = position.watched.and_then(|watched| watched.fenced_ago);
    match (ago, position.mode_for) {
        (Some(ago), Some(mode_for)) if ago <= mode_for => (
            State::Open,
            format!("the fence looked {} ago", words::duration(ago)),
        ),
        _ => (
            State::Unseen,
            "no fence held it in this mode: `lockaudit migrate fence`".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests;
