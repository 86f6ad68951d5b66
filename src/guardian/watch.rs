//! What a guardian does, given what it hears and what time it is.

use std::time::Duration;

use rustix::process::Pid;

use super::news::{News, Times, Word};

/// What it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Watch {
    wrapper: Wrapper,
    job: Job,
    /// What a job gets to end in when its wrapper has gone.
    grace: Duration,
}

/// The process that renews the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Wrapper {
    Lives,
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Job {
    None,
    Runs { group: Pid, times: Times },
    Stops { group: Pid, kill_at: Duration },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing but time.
    Tick,
    Told(News),
    /// The wrapper's end of the socket was closed, which the system does when it dies.
    WrapperGone,
    GroupEmpty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Say(Word),
    Terminate(Pid, Because),
    Kill(Pid),
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    WrapperGone,
    NoNews,
}

/// The lease lasts longer than its wrapper.
const GRACE: Duration = Duration::from_secs(5);
/// An old key does not, and old code may be at work already.
const GRACE_WITH_A_KEY: Duration = Duration::from_secs(1);
/// A wrapper that is well stops its job itself; it is not to be told twice.
const PATIENCE: Duration = Duration::from_millis(250);
/// A group that was killed and is still there is killed again after this.
const KILL_AGAIN: Duration = Duration::from_secs(1);

impl Watch {
    pub(super) fn begun() -> Self {
        Self {
            wrapper: Wrapper::Lives,
            job: Job::None,
            grace: GRACE,
        }
    }

    /// The group whose end is waited for.
    pub(super) fn awaits_the_end_of(&self) -> Option<Pid> {
        match (self.wrapper, self.job) {
            (Wrapper::Gone, Job::Runs { group, .. } | Job::Stops { group, .. }) => Some(group),
            _ => None,
        }
    }

    /// When something is to be done though nothing happens.
    pub(super) fn wakes_at(&self) -> Option<Duration> {
        match self.job {
            Job::None => None,
            Job::Runs { times, .. } => Some(times.without_news()),
            Job::Stops { kill_at, .. } => Some(kill_at),
        }
    }

    /// What comes of it, and what is to be done. News never move the clock on: who was stopped hears old ones
    /// first, whose times are past, and must hear the rest before it acts.
    pub(super) fn next(mut self, event: Event, now: Duration) -> (Self, Vec<Action>) {
        let mut actions = Vec::new();
        match event {
            Event::Told(news) => self.heed(news, &mut actions),
            Event::Tick => self.look_after_the_job(now, &mut actions),
            Event::WrapperGone => {
                self.wrapper = Wrapper::Gone;
                self.look_after_the_job(now, &mut actions);
            }
            Event::GroupEmpty => self.job = Job::None,
        }
        if self.wrapper == Wrapper::Gone && self.job == Job::None {
            actions.push(Action::Leave);
        }
        (self, actions)
    }

    fn heed(&mut self, news: News, actions: &mut Vec<Action>) {
        match (news, self.job) {
            (News::Watch { group, times }, _) => {
                self.job = Job::Runs { group, times };
                actions.push(Action::Say(Word::Watching));
            }
            (News::Until(times), Job::Runs { group, .. }) => {
                self.job = Job::Runs { group, times };
            }
            (News::Stopping { kill_at }, Job::Runs { group, .. }) => {
                self.job = Job::Stops { group, kill_at };
            }
            (News::EndsWithUs, _) => self.grace = GRACE_WITH_A_KEY,
            // What was told to stop is not let go again.
            (News::Until(_) | News::Stopping { .. }, _) => {}
            (News::Over, _) => self.job = Job::None,
        }
    }

    fn look_after_the_job(&mut self, now: Duration, actions: &mut Vec<Action>) {
        if let Job::Runs { group, times } = self.job
            && let Some(because) = self.must_stop(times, now)
        {
            let kill_at = match because {
                Because::WrapperGone => times.kill_at.min(now + self.grace),
                Because::NoNews => times.kill_at,
            };
            self.job = Job::Stops { group, kill_at };
            actions.extend([
                Action::Terminate(group, because),
                Action::Say(Word::Stopped),
            ]);
        }
        if let Job::Stops { group, kill_at } = self.job
            && now >= kill_at
        {
            let kill_at = now + KILL_AGAIN;
            self.job = Job::Stops { group, kill_at };
            actions.push(Action::Kill(group));
        }
    }

    fn must_stop(&self, times: Times, now: Duration) -> Option<Because> {
        match self.wrapper {
            Wrapper::Gone => Some(Because::WrapperGone),
            Wrapper::Lives => (now >= times.without_news()).then_some(Because::NoNews),
        }
    }
}

impl Times {
    /// When the job is stopped that nobody else has stopped: soon enough for most of its grace.
    fn without_news(&self) -> Duration {
        let grace = self.kill_at.saturating_sub(self.stop_at);
        self.stop_at + PATIENCE.min(grace / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn group() -> Pid {
        Pid::from_raw(4711).unwrap()
    }

    fn times(stop_at: u64, kill_at: u64) -> Times {
        Times {
            stop_at: seconds(stop_at),
            kill_at: seconds(kill_at),
        }
    }

    fn watch(stop_at: u64, kill_at: u64) -> (u64, Event) {
        let news = News::Watch {
            group: group(),
            times: times(stop_at, kill_at),
        };
        (0, Event::Told(news))
    }

    fn until(at: u64, stop_at: u64, kill_at: u64) -> (u64, Event) {
        (at, Event::Told(News::Until(times(stop_at, kill_at))))
    }

    fn stopping(at: u64, kill_at: u64) -> (u64, Event) {
        let kill_at = seconds(kill_at);
        (at, Event::Told(News::Stopping { kill_at }))
    }

    fn played(events: &[(u64, Event)]) -> Vec<(u64, Action)> {
        let mut watch = Watch::begun();
        let mut done = Vec::new();
        for (at, event) in events {
            let (next, actions) = watch.next(*event, seconds(*at));
            watch = next;
            done.extend(actions.into_iter().map(|action| (*at, action)));
        }
        done
    }

    const WATCHING: (u64, Action) = (0, Action::Say(Word::Watching));

    #[test]
    fn a_killed_wrapper_s_job_is_told_to_stop_and_killed_five_seconds_later() {
        let done = played(&[
            watch(100, 110),
            (50, Event::WrapperGone),
            (54, Event::Tick),
            (55, Event::Tick),
            (55, Event::GroupEmpty),
        ]);
        let expected = [
            WATCHING,
            (50, Action::Terminate(group(), Because::WrapperGone)),
            (50, Action::Say(Word::Stopped)),
            (55, Action::Kill(group())),
            (55, Action::Leave),
        ];
        assert_eq!(done, expected);
    }

    #[test]
    fn a_job_that_stands_on_a_key_is_killed_a_second_after_its_wrapper() {
        let done = played(&[
            watch(100, 110),
            (1, Event::Told(News::EndsWithUs)),
            (50, Event::WrapperGone),
            (51, Event::Tick),
        ]);
        let last = done.last();
        assert_eq!(last, Some(&(51, Action::Kill(group()))));
    }

    #[test]
    fn a_killed_wrapper_s_job_never_outlives_the_lease() {
        let done = played(&[
            watch(100, 110),
            (108, Event::WrapperGone),
            (110, Event::Tick),
        ]);
        assert_eq!(done.last(), Some(&(110, Action::Kill(group()))));
    }

    #[test]
    fn a_stop_that_passes_without_news_stops_the_job() {
        let done = played(&[
            watch(100, 110),
            until(50, 130, 140),
            (129, Event::Tick),
            (131, Event::Tick),
            until(132, 190, 200),
            (140, Event::Tick),
            (141, Event::Tick),
            (141, Event::Told(News::Over)),
            (142, Event::WrapperGone),
        ]);
        let expected = [
            WATCHING,
            (131, Action::Terminate(group(), Because::NoNews)),
            (131, Action::Say(Word::Stopped)),
            (140, Action::Kill(group())),
            (141, Action::Kill(group())),
            (142, Action::Leave),
        ];
        assert_eq!(done, expected);
    }

    #[test]
    fn news_that_waited_are_all_heard_before_the_clock_is_looked_at() {
        let done = played(&[
            watch(100, 110),
            until(300, 200, 210),
            until(300, 400, 410),
            (300, Event::Tick),
        ]);
        assert_eq!(done, [WATCHING]);
        let over = played(&[
            watch(100, 110),
            until(300, 200, 210),
            (300, Event::Told(News::Over)),
            (300, Event::WrapperGone),
        ]);
        assert_eq!(over, [WATCHING, (300, Action::Leave)]);
    }

    #[test]
    fn a_wrapper_that_stops_its_job_itself_is_not_helped_before_the_kill() {
        let done = played(&[
            watch(100, 110),
            stopping(40, 45),
            (44, Event::Tick),
            (45, Event::Tick),
        ]);
        assert_eq!(done, [WATCHING, (45, Action::Kill(group()))]);
    }

    #[test]
    fn a_wrapper_that_goes_while_its_job_stops_is_replaced_and_not_repeated() {
        let done = played(&[
            watch(100, 110),
            stopping(40, 45),
            (41, Event::WrapperGone),
            (45, Event::Tick),
            (46, Event::GroupEmpty),
        ]);
        let expected = [WATCHING, (45, Action::Kill(group())), (46, Action::Leave)];
        assert_eq!(done, expected);
    }

    #[test]
    fn without_a_job_it_leaves_with_its_wrapper() {
        assert_eq!(played(&[(1, Event::WrapperGone)]), [(1, Action::Leave)]);
        let done = played(&[
            watch(9, 10),
            (2, Event::Told(News::Over)),
            (99, Event::Tick),
        ]);
        assert_eq!(done, [WATCHING]);
    }
}
