//! The old key beside a lease, or in its place: its session is asked as often as leases are renewed.
//!
//! The end of that session stops the work at once, and so does a clock when no answer comes: a session that
//! can't be reached may have ended.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::chance;
use super::orders::Order;
use super::watch::{Fate, watch as watch_over};
use crate::boot_clock;
use crate::lease::timetable::{Timetable, Why, between_tries};
use crate::pg::old_key::KeySession;

/// A sleep does not count suspended time, so the clock is looked at this often.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// A key that is held until it is given back, lost or, dropped, for as long as a lease would run.
#[derive(Debug)]
pub(super) struct HeldKey {
    pub deadline: watch::Receiver<Duration>,
    give_back: oneshot::Sender<()>,
    /// Whether it was held until it was given back.
    task: JoinHandle<bool>,
    _dropped: DropGuard,
}

struct Keeping {
    session: KeySession,
    table: Timetable,
    deadline: watch::Sender<Duration>,
    fate: Fate,
    ask_at: Duration,
    failures: u32,
}

enum Happening {
    Ended,
    GiveBack,
    LetGo,
    Time,
}

impl HeldKey {
    /// Of a session that was known to have it after `asked_at`. While the keeper lives it is asked on.
    pub fn keep(
        session: KeySession,
        (table, asked_at): (Timetable, Duration),
        fate: Fate,
        keeper: &mpsc::Sender<Order>,
    ) -> Self {
        let (deadline, follows) = watch::channel(table.deadline(asked_at));
        let dropped = CancellationToken::new();
        let watched = watch_over(table, follows.clone(), fate.clone());
        tokio::spawn(dropped.clone().run_until_cancelled_owned(watched));
        let keeping = Keeping {
            session,
            table,
            deadline,
            fate,
            ask_at: asked_at + table.renew(),
            failures: 0,
        };
        let (give_back, given_back) = oneshot::channel();
        let task = keeping.serve(given_back, dropped.clone(), keeper.downgrade());
        Self {
            deadline: follows,
            give_back,
            task: tokio::spawn(task),
            _dropped: dropped.drop_guard(),
        }
    }

    /// False: it was lost before.
    pub async fn give_back(self) -> bool {
        // Whoever has lost it hears nothing any more.
        let _ = self.give_back.send(());
        self.task.await.unwrap_or(false)
    }
}

impl Keeping {
    async fn serve(
        mut self,
        mut given_back: oneshot::Receiver<()>,
        dropped: CancellationToken,
        keeper: mpsc::WeakSender<Order>,
    ) -> bool {
        loop {
            let pause = self.ask_at.saturating_sub(boot_clock::now());
            let happening = tokio::select! {
                biased;
                () = self.session.ended() => Happening::Ended,
                // An error: the lease was dropped.
                told = &mut given_back => match told {
                    Ok(()) => Happening::GiveBack,
                    Err(_) => Happening::LetGo,
                },
                () = dropped.cancelled() => Happening::LetGo,
                () = sleep(pause.min(LONGEST_SLEEP)) => Happening::Time,
            };
            match happening {
                Happening::Ended => return self.lost(),
                Happening::GiveBack => {
                    self.session.close().await;
                    return true;
                }
                Happening::LetGo => {
                    self.run_out().await;
                    return false;
                }
                Happening::Time if boot_clock::now() < self.ask_at => {}
                // Nobody keeps leases any more: this one stops its work in time, as all do.
                Happening::Time if keeper.upgrade().is_none_or(|desk| desk.is_closed()) => {
                    self.ask_at = boot_clock::now() + LONGEST_SLEEP;
                }
                Happening::Time => {
                    if !self.ask().await {
                        return self.lost();
                    }
                }
            }
        }
    }

    /// False: the session is not the one that got the key.
    async fn ask(&mut self) -> bool {
        let (sent_at, within) = (boot_clock::now(), self.table.attempt(self.table.renew()));
        match timeout(within, self.session.is_ours()).await {
            Ok(Ok(ours)) => {
                self.failures = 0;
                self.ask_at = sent_at + self.table.renew().mul_f64(0.9 + 0.2 * chance());
                if ours {
                    self.deadline.send_replace(self.table.deadline(sent_at));
                }
                ours
            }
            // It may have ended, which is heard of by itself.
            Ok(Err(_)) | Err(_) => {
                let pause = between_tries(self.failures, self.table.renew(), chance());
                self.failures = self.failures.saturating_add(1);
                self.ask_at = boot_clock::now() + pause;
                true
            }
        }
    }

    fn lost(&self) -> bool {
        self.fate.stop(Why::KeyLost);
        false
    }

    /// Whoever dropped a lease may be at work for a moment still.
    async fn run_out(self) {
        loop {
            let left = (*self.deadline.borrow()).saturating_sub(boot_clock::now());
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = self.session.ended() => return,
                () = sleep(left.min(LONGEST_SLEEP)) => {}
            }
        }
    }
}
