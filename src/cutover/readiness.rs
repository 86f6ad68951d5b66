//! Whether a name is where a deploy waits for it to be.

use std::time::Duration;

use super::gate::{State, judge};
use super::{Direction, Position, Step};
use crate::lease::Mode;

/// Whether it is settled in `mode`, or one step away from it with every gate open. Settled in `both` is a
/// name whose lease nobody has, or whose holder has the old key too: old code may start then.
pub fn is_ready_for(mode: Mode, position: &Position, period: Duration) -> bool {
    if position.mode == mode {
        return is_settled(position);
    }
    let ways = [Direction::Advance, Direction::Rollback];
    let steps = ways
        .iter()
        .filter_map(|way| Step::of(*way, position.mode))
        .find(|step| step.to == mode);
    steps.is_some_and(|step| {
        let gates = judge(step, position, period);
        gates.iter().all(|judged| judged.state == State::Open)
    })
}

fn is_settled(position: &Position) -> bool {
    let lease = position.lease.as_ref();
    position.mode == Mode::Lease || lease.is_none_or(|lease| lease.bridged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutover::LiveLease;
    use crate::key::AdvisoryKey;
    use crate::lease::Holder;

    fn position(mode: Mode, bridged: Option<bool>) -> Position {
        Position {
            name: "sweep".parse().expect("a name"),
            mode,
            mode_for: None,
            key: Some(AdvisoryKey::Single(42)),
            lease: bridged.map(|bridged| LiveLease {
                holder: Holder::of("host", 7, 1),
                remaining: Duration::from_secs(9),
                bridged,
            }),
            locks: Vec::new(),
            watched: None,
        }
    }

    #[test]
    fn both_is_settled_once_every_lease_is_bridged() {
        let ready =
            |mode, bridged| is_ready_for(Mode::Both, &position(mode, bridged), Duration::ZERO);
        assert!(ready(Mode::Both, None) && ready(Mode::Both, Some(true)));
        assert!(!ready(Mode::Both, Some(false)));
        assert!(ready(Mode::Lease, Some(false)), "the way back is open");
    }

    #[test]
    fn two_steps_are_not_one() {
        let ready = |to, mode| is_ready_for(to, &position(mode, None), Duration::ZERO);
        assert!(!ready(Mode::Lease, Mode::Advisory));
        assert!(!ready(Mode::Advisory, Mode::Lease));
        assert!(ready(Mode::Lease, Mode::Lease));
    }
}
