//! The course of one term: what happens next, given what has happened and what time it is.
//!
//! It decides and does nothing: the caller renews, signals and tells. The work never runs past its stop
//! because an answer has not come: time alone moves it on.

use std::time::Duration;

use super::pause::{between_tries, jittered};
use super::{GRACE_WHEN_KEY_LOST, GRACE_WHEN_LOST, Timetable};

/// Where a term stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Course {
    deadline: Duration,
    renewal: Renewal,
    work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Renewal {
    Due {
        at: Duration,
        failures: u32,
    },
    UnderWay {
        failures: u32,
    },
    /// The lease is lost for certain: there is nothing to renew.
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    Runs,
    Stops { why: Why, kill_at: Duration },
    Gone,
}

/// Why the work was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The server said that the lease is not ours.
    Lost,
    /// The session that held the old key has ended: old code may have begun.
    KeyLost,
    /// No renewal was confirmed in time.
    Unconfirmed,
}

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Nothing but time.
    Tick,
    /// A renewal was confirmed whose first byte left after this moment.
    Confirmed { sent_at: Duration },
    /// A renewal came to nothing known.
    Unknown,
    /// A renewal found that the lease is not ours.
    Lost,
    /// The session that held the old key has ended.
    KeyLost,
    /// The guardian told the work to stop, since it heard of no renewal.
    StoppedByGuardian,
    /// No process of the work's group is left.
    GroupEmpty,
}

/// The time, and a number from 0 to 1 that nobody can foresee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    pub now: Duration,
    pub chance: f64,
}

/// What the caller is to do, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Ask the server, and report what comes of it within this time.
    Renew {
        within: Duration,
    },
    /// The guardian must learn of these times.
    TellGuardian {
        stop_at: Duration,
        kill_at: Duration,
    },
    /// Tell the group to stop, and the guardian when it will be killed.
    Terminate {
        why: Why,
        kill_at: Duration,
    },
    Kill,
    /// Only now may the lease be released.
    Finish(Outcome),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The work ended by itself, under a valid lease.
    Ended,
    Stopped(Why),
}

/// A group that was killed and is still there is killed again after this.
const KILL_AGAIN: Duration = Duration::from_secs(1);

impl Course {
    /// Begins with a confirmed call whose first byte left after `sent_at`.
    pub fn begun(table: &Timetable, sent_at: Duration, chance: f64) -> Self {
        Self {
            deadline: table.deadline(sent_at),
            renewal: Renewal::after(table, sent_at, chance),
            work: Work::Runs,
        }
    }

    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// When something is to be done though nothing happens; nothing once all is over.
    pub fn wakes_at(&self, table: &Timetable) -> Option<Duration> {
        let work = match self.work {
            Work::Runs => table.stop_at(self.deadline),
            Work::Stops { kill_at, .. } => kill_at,
            Work::Gone => return None,
        };
        match self.renewal {
            Renewal::Due { at, .. } if self.may_renew(at) => Some(work.min(at)),
            _ => Some(work),
        }
    }

    /// What comes of it, and what is to be done.
    pub fn next(mut self, table: &Timetable, event: Event, moment: Moment) -> (Self, Vec<Action>) {
        let mut actions = Vec::new();
        if self.work == Work::Gone {
            return (self, actions);
        }
        if event == Event::GroupEmpty {
            actions.push(Action::Finish(self.outcome()));
            self.work = Work::Gone;
            return (self, actions);
        }
        self.heed(table, event, moment, &mut actions);
        self.heed_the_clock(table, moment.now, &mut actions);
        (self, actions)
    }

    fn outcome(&self) -> Outcome {
        match self.work {
            Work::Stops { why, .. } => Outcome::Stopped(why),
            Work::Runs | Work::Gone => Outcome::Ended,
        }
    }

    fn heed(&mut self, table: &Timetable, event: Event, moment: Moment, actions: &mut Vec<Action>) {
        match event {
            Event::Tick | Event::GroupEmpty => {}
            Event::Confirmed { sent_at } => {
                self.deadline = self.deadline.max(table.deadline(sent_at));
                self.renewal = Renewal::after(table, sent_at, moment.chance);
                if self.work == Work::Runs {
                    actions.push(self.news(table));
                }
            }
            Event::Unknown => self.renewal = self.renewal.retried(table, moment),
            Event::Lost => {
                self.renewal = Renewal::Over;
                self.stop_soon(table, (Why::Lost, GRACE_WHEN_LOST), moment.now, actions);
            }
            // The lease beside it is renewed on, while anything of the work is left.
            Event::KeyLost => {
                self.stop_soon(
                    table,
                    (Why::KeyLost, GRACE_WHEN_KEY_LOST),
                    moment.now,
                    actions,
                );
            }
            // It has told the group already.
            Event::StoppedByGuardian => {
                let kill_at = table.kill_at(self.deadline);
                self.stop(Why::Unconfirmed, kill_at, &mut Vec::new());
            }
        }
    }

    fn heed_the_clock(&mut self, table: &Timetable, now: Duration, actions: &mut Vec<Action>) {
        if now >= table.stop_at(self.deadline) {
            let kill_at = table.kill_at(self.deadline);
            self.stop(Why::Unconfirmed, kill_at, actions);
        }
        if let Work::Stops { kill_at, .. } = &mut self.work
            && now >= *kill_at
        {
            *kill_at = now + KILL_AGAIN;
            actions.push(Action::Kill);
        }
        if let Renewal::Due { at, failures } = self.renewal
            && now >= at
            && self.may_renew(now)
        {
            self.renewal = Renewal::UnderWay { failures };
            let within = table.attempt(self.time_left(table, now));
            actions.push(Action::Renew { within });
        }
    }

    /// For certain it is lost: what winds down already, for a lesser reason, gets no more time than this either.
    fn stop_soon(
        &mut self,
        table: &Timetable,
        (why, grace): (Why, Duration),
        now: Duration,
        actions: &mut Vec<Action>,
    ) {
        let at_last = table.kill_at(self.deadline).max(now);
        let kill_at = at_last.min(now + grace);
        self.stop(why, kill_at, actions);
        if let Work::Stops { kill_at: known, .. } = &mut self.work {
            *known = kill_at.min(*known);
        }
    }

    fn stop(&mut self, why: Why, kill_at: Duration, actions: &mut Vec<Action>) {
        if self.work == Work::Runs {
            self.work = Work::Stops { why, kill_at };
            actions.push(Action::Terminate { why, kill_at });
        }
    }

    /// A lease is kept while anything of the work is left, but its end is not outlived.
    fn may_renew(&self, at: Duration) -> bool {
        at < self.deadline
    }

    fn time_left(&self, table: &Timetable, now: Duration) -> Duration {
        match self.work {
            Work::Runs => table.stop_at(self.deadline).saturating_sub(now),
            Work::Stops { .. } | Work::Gone => self.deadline.saturating_sub(now),
        }
    }

    /// What the guardian must know.
    pub fn news(&self, table: &Timetable) -> Action {
        Action::TellGuardian {
            stop_at: table.stop_at(self.deadline),
            kill_at: table.kill_at(self.deadline),
        }
    }
}

impl Renewal {
    fn after(table: &Timetable, sent_at: Duration, chance: f64) -> Self {
        Self::Due {
            at: sent_at + jittered(table.renew, chance),
            failures: 0,
        }
    }

    fn retried(self, table: &Timetable, moment: Moment) -> Self {
        match self {
            Self::Due { failures, .. } | Self::UnderWay { failures } => Self::Due {
                at: moment.now + between_tries(failures, table.renew, moment.chance),
                failures: failures.saturating_add(1),
            },
            Self::Over => Self::Over,
        }
    }
}

#[cfg(test)]
mod tests;
