//! Every course that a short term can take, a second at a time: what must hold in all of them.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use super::{Action, Course, Event, Moment, Outcome, Timetable, Why, Wished};

/// Long after anything that begins at zero is over.
const LAST_SECOND: u64 = 26;

/// A course, and what is true around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct World {
    course: Course,
    now: u64,
    /// When the renewal that is under way was sent, and until when it may last.
    under_way: Option<(u64, u64)>,
    /// The latest moment from which a confirmed call counts.
    confirmed: u64,
    lost_at: Option<u64>,
    key_lost_at: Option<u64>,
    told_to_stop: bool,
    by_guardian: bool,
    killed: bool,
    finished: bool,
}

fn table() -> Timetable {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let wished = Wished {
        ttl: Duration::from_secs(12),
        renew: seconds(3),
        grace: seconds(2),
        margin: seconds(1),
    };
    Timetable::of(wished).expect("they fit")
}

#[test]
fn in_every_course_work_ends_before_its_lease_and_a_release_comes_after_it() {
    let table = table();
    let first = World {
        course: Course::begun(&table, Duration::ZERO, 0.5),
        now: 0,
        under_way: None,
        confirmed: 0,
        lost_at: None,
        key_lost_at: None,
        told_to_stop: false,
        by_guardian: false,
        killed: false,
        finished: false,
    };
    let (mut known, mut open) = (HashSet::from([first]), VecDeque::from([first]));
    let mut outcomes = HashSet::new();
    while let Some(world) = open.pop_front() {
        for next in world.successors(&table, &mut outcomes) {
            if known.insert(next) {
                open.push_back(next);
            }
        }
    }
    assert!(known.len() > 1_000, "{} states are not all", known.len());
    let all = HashSet::from([
        Outcome::Ended,
        Outcome::Stopped(Why::Lost),
        Outcome::Stopped(Why::KeyLost),
        Outcome::Stopped(Why::Unconfirmed),
    ]);
    assert_eq!(outcomes, all);
}

impl World {
    fn successors(self, table: &Timetable, outcomes: &mut HashSet<Outcome>) -> Vec<Self> {
        if self.finished || self.now >= LAST_SECOND {
            return Vec::new();
        }
        // A process that was killed is gone; any other may end at any time.
        let mut events = vec![Event::GroupEmpty];
        // The guardian acts where it has heard of no renewal.
        if self.now >= self.confirmed + 9 && !self.told_to_stop {
            events.push(Event::StoppedByGuardian);
        }
        if self.key_lost_at.is_none() {
            events.push(Event::KeyLost);
        }
        if let Some((sent_at, _)) = self.under_way {
            let sent_at = Duration::from_secs(sent_at);
            events.extend([Event::Confirmed { sent_at }, Event::Unknown, Event::Lost]);
        }
        let mut worlds: Vec<Self> = events
            .into_iter()
            .map(|event| self.after(table, event, outcomes))
            .collect();
        worlds.extend(
            self.later()
                .map(|later| later.after(table, Event::Tick, outcomes)),
        );
        worlds
    }

    /// A second later; not past the end of an attempt, which must be reported first, nor of a kill.
    fn later(self) -> Option<Self> {
        let late = self.under_way.is_some_and(|(_, until)| self.now >= until);
        (!late && !self.killed).then_some(Self {
            now: self.now + 1,
            ..self
        })
    }

    fn after(mut self, table: &Timetable, event: Event, outcomes: &mut HashSet<Outcome>) -> Self {
        match event {
            Event::Confirmed { sent_at } => {
                self.confirmed = self.confirmed.max(sent_at.as_secs());
                self.under_way = None;
            }
            Event::Unknown => self.under_way = None,
            Event::Lost => {
                self.under_way = None;
                self.lost_at = Some(self.now);
            }
            Event::KeyLost => self.key_lost_at = Some(self.now),
            Event::StoppedByGuardian => {
                self.told_to_stop = true;
                self.by_guardian = true;
            }
            Event::GroupEmpty | Event::Tick => {}
        }
        let moment = Moment {
            now: Duration::from_secs(self.now),
            chance: 0.5,
        };
        let (course, actions) = self.course.next(table, event, moment);
        self.course = course;
        for action in actions {
            self.heed(action, event, outcomes);
        }
        self.check(table);
        self
    }

    fn heed(&mut self, action: Action, event: Event, outcomes: &mut HashSet<Outcome>) {
        match action {
            Action::Renew { within } => {
                assert!(self.under_way.is_none(), "one renewal at a time: {self:?}");
                assert!(self.lost_at.is_none(), "what is lost stays lost: {self:?}");
                assert!(within > Duration::ZERO);
                self.under_way = Some((self.now, self.now + within.as_secs().max(1)));
            }
            Action::TellGuardian { stop_at, kill_at } => {
                assert!(!self.told_to_stop, "the guardian must not let go again");
                assert_eq!(stop_at.as_secs(), self.confirmed + 9);
                assert_eq!(kill_at.as_secs(), self.confirmed + 11);
            }
            Action::Terminate { kill_at, .. } => {
                assert!(!self.told_to_stop, "told once: {self:?}");
                assert!(kill_at.as_secs() <= (self.confirmed + 11).max(self.now));
                self.told_to_stop = true;
            }
            Action::Kill => {
                assert!(self.told_to_stop, "asked before it is killed: {self:?}");
                self.killed = true;
            }
            Action::Finish(outcome) => {
                assert_eq!(event, Event::GroupEmpty, "released too early: {self:?}");
                assert_eq!(outcome != Outcome::Ended, self.told_to_stop, "{self:?}");
                outcomes.insert(outcome);
                self.finished = true;
            }
        }
    }

    /// After each step, whatever has happened.
    fn check(&self, table: &Timetable) {
        if self.finished {
            assert_eq!(self.course.wakes_at(table), None);
            return;
        }
        let deadline = self.confirmed + 12;
        assert_eq!(self.course.deadline().as_secs(), deadline);
        assert!(self.now < deadline - 3 || self.told_to_stop, "{self:?}");
        assert!(self.lost_at.is_none() || self.told_to_stop, "{self:?}");
        assert!(self.key_lost_at.is_none() || self.told_to_stop, "{self:?}");
        let key_lost = self.key_lost_at.map(|lost| lost + 1);
        assert!(
            key_lost.is_none_or(|by| self.now < by || self.killed),
            "{self:?}"
        );
        // It was told to stop by the times that held then, and those are not put off.
        let kill_by = self.lost_at.map_or(deadline - 1, |lost| lost + 5);
        assert!(self.now < kill_by || self.killed, "{self:?}");
        let wakes_at = self.course.wakes_at(table).expect("something is to come");
        assert!(wakes_at > Duration::from_secs(self.now), "{self:?}");
    }
}
