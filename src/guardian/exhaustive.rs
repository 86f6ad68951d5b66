//! Everything that a guardian can hear, a second at a time: what must hold in all of it.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use rustix::process::Pid;

use super::news::{News, Times};
use super::watch::{Action, Event, Watch};

/// From the confirmed call to the stop, and to the kill.
const STOP: u64 = 4;
const KILL: u64 = 7;
const LAST_SECOND: u64 = 16;

/// A watch, and what is true around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct World {
    watch: Watch,
    now: u64,
    wrapper_lives: bool,
    /// By when the group must be dead.
    kill_by: u64,
    told_to_stop: bool,
    by_guardian: bool,
    killed: bool,
    over: bool,
    left: bool,
}

fn times(from: u64) -> Times {
    Times {
        stop_at: Duration::from_secs(from + STOP),
        kill_at: Duration::from_secs(from + KILL),
    }
}

#[test]
fn whatever_a_guardian_hears_its_group_is_told_once_and_dead_in_time() {
    let news = News::Watch {
        group: Pid::from_raw(4711).expect("a pid"),
        times: times(0),
    };
    let (watch, _) = Watch::begun().next(Event::Told(news), Duration::ZERO);
    let first = World {
        watch,
        now: 0,
        wrapper_lives: true,
        kill_by: KILL,
        told_to_stop: false,
        by_guardian: false,
        killed: false,
        over: false,
        left: false,
    };
    let (mut known, mut open) = (HashSet::from([first]), VecDeque::from([first]));
    while let Some(world) = open.pop_front() {
        for next in world.successors() {
            if known.insert(next) {
                open.push_back(next);
            }
        }
    }
    let ended = |how: fn(&World) -> bool| known.iter().any(|world| world.left && how(world));
    assert!(ended(|world| world.killed) && ended(|world| !world.told_to_stop));
    assert!(ended(|world| world.by_guardian) && ended(|world| !world.by_guardian));
}

impl World {
    fn successors(self) -> Vec<Self> {
        if self.left || self.now >= LAST_SECOND {
            return Vec::new();
        }
        let mut next = Vec::new();
        if self.wrapper_lives {
            next.push(self.wrapper_goes());
            next.extend(self.renewed());
            next.extend(self.stopping());
            next.extend(self.over_for_the_wrapper());
        } else if !self.over {
            next.push(Self { over: true, ..self }.after(Event::GroupEmpty));
        }
        // What was killed is gone, and somebody sees it.
        if !self.killed || self.over {
            let later = Self {
                now: self.now + 1,
                ..self
            };
            next.push(later.after(Event::Tick));
        }
        next
    }

    fn wrapper_goes(mut self) -> Self {
        self.wrapper_lives = false;
        if !self.told_to_stop {
            self.kill_by = self.kill_by.min(self.now + 5);
        }
        self.after(Event::WrapperGone)
    }

    /// A wrapper that was frozen may be late with its news.
    fn renewed(mut self) -> Option<Self> {
        if self.over {
            return None;
        }
        if !self.told_to_stop {
            self.kill_by = self.now + KILL;
        }
        Some(self.after(Event::Told(News::Until(times(self.now)))))
    }

    fn stopping(mut self) -> Option<Self> {
        if self.over || self.told_to_stop {
            return None;
        }
        self.told_to_stop = true;
        self.kill_by = self.kill_by.min(self.now + 2);
        let kill_at = Duration::from_secs(self.kill_by);
        Some(self.after(Event::Told(News::Stopping { kill_at })))
    }

    fn over_for_the_wrapper(self) -> Option<Self> {
        let over = Self { over: true, ..self };
        (!self.over).then(|| over.after(Event::Told(News::Over)))
    }

    fn after(mut self, event: Event) -> Self {
        let (watch, actions) = self.watch.next(event, Duration::from_secs(self.now));
        self.watch = watch;
        for action in actions {
            match action {
                Action::Terminate(..) => {
                    assert!(!self.told_to_stop && !self.over, "told once: {self:?}");
                    self.told_to_stop = true;
                    self.by_guardian = true;
                }
                Action::Kill(_) => {
                    assert!(self.told_to_stop && !self.over, "{self:?}");
                    self.killed = true;
                }
                Action::Leave => self.left = true,
                Action::Say(_) => {}
            }
        }
        assert_eq!(self.left, self.over && !self.wrapper_lives, "{self:?}");
        let alive = !self.over && !self.killed;
        assert!(!alive || self.now < self.kill_by, "{self:?}");
        self
    }
}
