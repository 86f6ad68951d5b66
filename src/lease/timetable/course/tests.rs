use super::*;
use crate::lease::timetable::Wished;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn usual() -> Timetable {
    let wished = Wished {
        ttl: seconds(120),
        renew: None,
        grace: None,
        margin: None,
    };
    Timetable::of(wished).unwrap()
}

/// What is done at these seconds after a take at 1000 s.
fn played(events: &[(u64, Event)]) -> Vec<(u64, Action)> {
    let table = usual();
    let mut course = Course::begun(&table, seconds(1_000), 0.5);
    let mut done = Vec::new();
    for (at, event) in events {
        let moment = Moment {
            now: seconds(1_000 + at),
            chance: 0.5,
        };
        let (next, actions) = course.next(&table, *event, moment);
        course = next;
        done.extend(actions.into_iter().map(|action| (*at, action)));
    }
    done
}

fn renewal(within: u64) -> Action {
    Action::Renew {
        within: seconds(within),
    }
}

fn terminated(why: Why, kill_at: u64) -> Action {
    Action::Terminate {
        why,
        kill_at: seconds(1_000 + kill_at),
    }
}

#[test]
fn a_confirmed_renewal_counts_from_before_it_was_sent() {
    let sent_at = seconds(1_030);
    let done = played(&[
        (29, Event::Tick),
        (30, Event::Tick),
        (34, Event::Confirmed { sent_at }),
        (59, Event::Tick),
        (60, Event::Tick),
        (61, Event::GroupEmpty),
    ]);
    let told = Action::TellGuardian {
        stop_at: seconds(1_135),
        kill_at: seconds(1_145),
    };
    let expected = [
        (30, renewal(5)),
        (34, told),
        (60, renewal(5)),
        (61, Action::Finish(Outcome::Ended)),
    ];
    assert_eq!(done, expected);
}

#[test]
fn a_lost_lease_stops_the_work_at_once_and_kills_it_after_five_seconds() {
    let done = played(&[
        (30, Event::Tick),
        (31, Event::Lost),
        (35, Event::Tick),
        (36, Event::Tick),
        (37, Event::GroupEmpty),
    ]);
    let expected = [
        (30, renewal(5)),
        (31, terminated(Why::Lost, 36)),
        (36, Action::Kill),
        (37, Action::Finish(Outcome::Stopped(Why::Lost))),
    ];
    assert_eq!(done, expected);
}

#[test]
fn a_loss_that_is_learnt_while_the_work_winds_down_leaves_it_five_seconds_too() {
    let done = played(&[
        (104, Event::Tick),
        (105, Event::Tick),
        (106, Event::Lost),
        (110, Event::Tick),
        (111, Event::Tick),
        (112, Event::GroupEmpty),
    ]);
    let expected = [
        (104, renewal(1)),
        (105, terminated(Why::Unconfirmed, 115)),
        (111, Action::Kill),
        (112, Action::Finish(Outcome::Stopped(Why::Unconfirmed))),
    ];
    assert_eq!(done, expected);
}

#[test]
fn without_a_confirmation_the_work_is_told_to_stop_and_killed_before_the_deadline() {
    let done = played(&[
        (30, Event::Tick),
        (104, Event::Tick),
        (105, Event::Tick),
        (114, Event::Tick),
        (115, Event::Tick),
        (116, Event::Tick),
        (116, Event::GroupEmpty),
    ]);
    let expected = [
        (30, renewal(5)),
        (105, terminated(Why::Unconfirmed, 115)),
        (115, Action::Kill),
        (116, Action::Kill),
        (116, Action::Finish(Outcome::Stopped(Why::Unconfirmed))),
    ];
    assert_eq!(done, expected);
}

#[test]
fn an_attempt_takes_no_longer_than_is_left_to_work_in() {
    let done = played(&[
        (102, Event::Tick),
        (104, Event::Unknown),
        (105, Event::Tick),
    ]);
    assert_eq!(done[0], (102, renewal(3)));
    assert_eq!(done[1].1, terminated(Why::Unconfirmed, 115));
    assert_eq!(done[2].1, renewal(5), "kept while the work winds down");
}

#[test]
fn frozen_past_its_end_it_stops_and_kills_in_one_step() {
    let done = played(&[(500, Event::Tick)]);
    let expected = [
        (500, terminated(Why::Unconfirmed, 115)),
        (500, Action::Kill),
    ];
    assert_eq!(
        done, expected,
        "and the lease that has ended is not renewed"
    );
}

#[test]
fn unknown_answers_are_asked_for_again_ever_later() {
    let table = usual();
    let mut course = Course::begun(&table, Duration::ZERO, 0.5);
    let mut moment = Moment {
        now: seconds(30),
        chance: 0.5,
    };
    let mut pauses = Vec::new();
    for _ in 0..8 {
        let (asked, actions) = course.next(&table, Event::Tick, moment);
        assert_eq!(actions, [renewal(5)]);
        let (failed, actions) = asked.next(&table, Event::Unknown, moment);
        assert_eq!(actions, []);
        let again = failed.wakes_at(&table).unwrap();
        pauses.push((again - moment.now).as_millis());
        moment.now = again;
        course = failed;
    }
    assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
}
