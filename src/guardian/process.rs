//! The guardian's own process: it waits for news and for time, and signals.

#[cfg(target_os = "linux")]
use std::ffi::CStr;
use std::io;
use std::time::Duration;

use nix::sys::signal::SigSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::process::setsid;
use rustix::stdio::stdin;

use super::news::{News, Word};
use super::watch::{Action, Because, Event, Watch};
use crate::boot_clock;
use crate::exit::Exit;
use crate::job::Group;
use crate::terminal;

/// What a guardian is called.
pub const CALLED: &str = "lockaudit-lease-guardian";

/// For `ps`, `top` and `pkill`, which know fifteen characters: whoever ends all of `lockaudit` by name does not
/// end the guardian with it.
#[cfg(target_os = "linux")]
const SHORT_NAME: &CStr = c"lease-guardian";

/// The longest sleep: `poll` does not count the time of a suspend, so what fell into one is seen this late.
const NAP: Duration = Duration::from_millis(500);
/// Between two looks at a group that is to end.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

pub(super) fn run() -> Exit {
    if let Err(error) = keep_apart() {
        terminal::note(&format!("the lease's guardian could not start: {error}"));
        return Exit::OwnFailure;
    }
    say(Word::Ready);
    let mut ear = Ear::default();
    let mut watch = Watch::begun();
    loop {
        let mut events = ear.hear(nap(&watch));
        let ended = |group| Group::of(group).is_empty();
        if watch.awaits_the_end_of().is_some_and(ended) {
            events.push(Event::GroupEmpty);
        }
        for event in events {
            let (next, actions) = watch.next(event, boot_clock::now());
            watch = next;
            if actions.contains(&Action::Leave) {
                terminal::notes::finish();
                return Exit::Clean;
            }
            actions.into_iter().for_each(perform);
        }
    }
}

/// Out of reach of the terminal, of whoever reads stderr, and of polite signals, which a service manager sends to
/// all processes of a unit, and in nobody's folder.
fn keep_apart() -> io::Result<()> {
    setsid()?;
    SigSet::all().thread_block()?;
    rustix::process::chdir("/")?;
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(SHORT_NAME)?;
    // Its stderr is the job's, which may be full.
    terminal::notes::begin()
}

fn nap(watch: &Watch) -> Duration {
    if watch.awaits_the_end_of().is_some() {
        return LOOK_AGAIN;
    }
    let left = |at: Duration| at.saturating_sub(boot_clock::now());
    watch.wakes_at().map_or(NAP, |at| left(at).min(NAP))
}

fn perform(action: Action) {
    match action {
        Action::Say(word) => say(word),
        Action::Terminate(group, because) => {
            terminal::note(match because {
                Because::WrapperGone => {
                    "lockaudit was killed; its guardian stops the job, since nobody renews the lease"
                }
                Because::NoNews => {
                    "lockaudit does not answer; its guardian stops the job before the lease runs out"
                }
            });
            Group::of(group).terminate();
        }
        Action::Kill(group) => Group::of(group).kill(),
        Action::Leave => {}
    }
}

/// A wrapper that does not listen any more is noticed by the ear.
fn say(word: Word) {
    let _ = write(stdin(), format!("{}\n", word.as_str()).as_bytes());
}

/// Hears lines on stdin, which is a socket.
#[derive(Default)]
struct Ear {
    begun: Vec<u8>,
    closed: bool,
}

impl Ear {
    /// All that was heard within this time, and a tick after it: what is past may have been put off since.
    fn hear(&mut self, within: Duration) -> Vec<Event> {
        let mut events = Vec::new();
        if self.closed {
            std::thread::sleep(within);
        } else {
            let mut waits = within;
            while !self.closed && waited_for_news(waits) {
                self.read(&mut events);
                waits = Duration::ZERO;
            }
        }
        events.push(Event::Tick);
        events
    }

    fn read(&mut self, events: &mut Vec<Event>) {
        let mut bytes = [0; 512];
        match read(stdin(), &mut bytes) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(0) | Err(_) => {
                self.closed = true;
                events.push(Event::WrapperGone);
            }
            Ok(many) => {
                self.begun.extend_from_slice(&bytes[..many]);
                self.take_lines(events);
            }
        }
    }

    fn take_lines(&mut self, events: &mut Vec<Event>) {
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let news = News::read(String::from_utf8_lossy(&line[..end]).as_ref());
            events.extend(news.map(Event::Told));
        }
    }
}

fn waited_for_news(within: Duration) -> bool {
    let stdin = stdin();
    let mut waited = [PollFd::from_borrowed_fd(stdin, PollFlags::IN)];
    let within = Timespec::try_from(within).ok();
    poll(&mut waited, within.as_ref()).is_ok_and(|ready| ready > 0)
}
