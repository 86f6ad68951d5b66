use super::*;
use crate::cutover::{KeyLock, LiveLease};
use crate::key::AdvisoryKey;
use crate::lease::Holder;
use crate::snapshot::LockMode;

const HOUR: Duration = Duration::from_secs(3600);
const CONTRACT: Step = Step {
    from: Mode::Both,
    to: Mode::Lease,
};

/// In `both` for two hours, watched and fenced all the time.
fn proven() -> Position {
    Position {
        name: "sweep".parse().expect("a name"),
        mode: Mode::Both,
        mode_for: Some(2 * HOUR),
        key: Some(AdvisoryKey::Single(42)),
        lease: None,
        locks: Vec::new(),
        watched: Some(Watched {
            ago: Duration::from_secs(1),
            quiet_for: 2 * HOUR,
            seen_ago: None,
            calls_quiet_for: Some(2 * HOUR),
            fenced_ago: Some(Duration::from_secs(1)),
        }),
    }
}

fn not_open(position: &Position) -> Vec<(Gate, State)> {
    let judged = judge(CONTRACT, position, HOUR).into_iter();
    let shut = judged.filter(|judged| judged.state != State::Open);
    shut.map(|judged| (judged.gate, judged.state)).collect()
}

#[test]
fn what_is_proven_goes_on() {
    assert_eq!(not_open(&proven()), []);
}

#[test]
fn a_waiter_shuts_the_gate_as_a_holder_does_and_a_shared_lock_does_not() {
    let with = |mode, granted| Position {
        locks: vec![KeyLock {
            pid: Some(7),
            application: Some("app\u{1b}".to_owned()),
            mode,
            granted,
        }],
        ..proven()
    };
    let shut = [(Gate::KeyFree, State::Shut)];
    assert_eq!(not_open(&with(LockMode::Exclusive, true)), shut);
    assert_eq!(not_open(&with(LockMode::Exclusive, false)), shut);
    assert_eq!(not_open(&with(LockMode::Share, true)), []);
    let judged = judge(CONTRACT, &with(LockMode::Exclusive, false), HOUR);
    assert_eq!(
        judged[1].because,
        r"the old key is in use: pid 7 (app\u{1b}) waits for it"
    );
}

#[test]
fn a_lease_without_the_key_keeps_old_code_out_of_both_ways() {
    let lease = |bridged| Position {
        lease: Some(LiveLease {
            holder: Holder::of("host", 7, 1),
            remaining: HOUR,
            bridged,
        }),
        ..proven()
    };
    assert_eq!(not_open(&lease(true)), []);
    assert_eq!(not_open(&lease(false)), [(Gate::LeaseBridged, State::Shut)]);
    let back = Step {
        from: Mode::Both,
        to: Mode::Advisory,
    };
    let judged = judge(back, &lease(false), HOUR);
    assert_eq!(judged[1].state, State::Shut);
}

#[test]
fn what_nobody_looked_at_is_unseen_and_never_open() {
    let never = Position {
        watched: None,
        ..proven()
    };
    let unseen = |gate| (gate, State::Unseen);
    let past = [Gate::OldCodeQuiet, Gate::NoNewCalls, Gate::FenceSeen];
    assert_eq!(not_open(&never), past.map(unseen));
    let mut stale = proven();
    stale.watched = stale.watched.map(|watched| Watched {
        ago: 2 * LONGEST_GAP,
        ..watched
    });
    let ended = [Gate::OldCodeQuiet, Gate::NoNewCalls];
    assert_eq!(not_open(&stale), ended.map(unseen));
}

#[test]
fn what_was_quiet_before_the_mode_proves_nothing_for_it() {
    let young = Position {
        mode_for: Some(HOUR / 2),
        ..proven()
    };
    let shut = |gate| (gate, State::Shut);
    let both = [Gate::OldCodeQuiet, Gate::NoNewCalls];
    assert_eq!(not_open(&young), both.map(shut));
    let unknown = Position {
        mode_for: None,
        ..proven()
    };
    assert!(not_open(&unknown).contains(&(Gate::FenceSeen, State::Unseen)));
}

#[test]
fn a_reason_stands_for_the_past_only() {
    let forced = |gate: &&Gate| gate.is_of_the_past();
    let past: Vec<&Gate> = Gate::of(CONTRACT).iter().filter(forced).collect();
    assert_eq!(
        past,
        [&Gate::OldCodeQuiet, &Gate::NoNewCalls, &Gate::FenceSeen]
    );
    let nothing = Moment {
        key_known: false,
        key_free: false,
        bridged: false,
    };
    assert!(
        shut_now(CONTRACT, nothing)
            .iter()
            .all(|gate| !gate.is_of_the_past())
    );
}
