//! The keeper's desk: takes and releases as ordered, and renews all leases by one statement.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use anyhow::Result;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::chance;
use super::lease::Kept;
use super::session::Session;
use super::watch::{Fate, watch as watch_over};
use crate::boot_clock;
use crate::entrance::Looked;
use crate::lease::timetable::{Timetable, Why, between_tries};
use crate::lease::{Bridge, Grant, Holder, Name, Term, Wanted};
use crate::pg::old_key;

/// A lost answer is asked for once more: the same holder gets the same lease.
const TRIES: u32 = 2;

/// While nothing is kept, nothing is due.
const IDLE: Duration = Duration::from_secs(3_600);

pub(super) enum Order {
    Take {
        name: Name,
        holder: Holder,
        reason: Option<String>,
        answer: oneshot::Sender<Result<Option<Kept>>>,
    },
    Look {
        name: Name,
        answer: oneshot::Sender<Result<Looked>>,
    },
    Release {
        term: Term,
        reason: Option<String>,
        answer: oneshot::Sender<Result<bool>>,
    },
    Close,
}

pub(super) struct Desk {
    session: Session,
    table: Timetable,
    bridge: Bridge,
    kept: BTreeMap<Name, Entry>,
    renew_at: Duration,
    failures: u32,
}

struct Entry {
    term: Term,
    deadline: watch::Sender<Duration>,
    fate: Fate,
    /// Its owner let go of it.
    dropped: CancellationToken,
}

impl Desk {
    pub fn new(session: Session, table: Timetable, bridge: Bridge) -> Self {
        Self {
            session,
            table,
            bridge,
            kept: BTreeMap::new(),
            renew_at: boot_clock::now(),
            failures: 0,
        }
    }

    /// Until it is told to close, or nobody is left who could give an order.
    pub async fn serve(mut self, mut orders: mpsc::Receiver<Order>) {
        loop {
            let pause = self.until_renewal();
            tokio::select! {
                // Renewals first: a crowd of takers must not cost a lease.
                biased;
                () = tokio::time::sleep(pause) => self.renew_if_due().await,
                order = orders.recv() => match order {
                    Some(Order::Close) | None => break,
                    Some(order) => self.carry_out(order).await,
                },
            }
        }
        self.session.close().await;
    }

    fn until_renewal(&self) -> Duration {
        match self.kept.is_empty() {
            true => IDLE,
            false => self
                .renew_at
                .saturating_sub(boot_clock::now())
                .min(Duration::from_secs(1)),
        }
    }

    async fn carry_out(&mut self, order: Order) {
        // Whoever ordered may have gone: a grant that nobody wants runs out.
        match order {
            Order::Take {
                name,
                holder,
                reason,
                answer,
            } => {
                let taken = self.take(name, holder, reason).await;
                let _ = answer.send(taken);
            }
            Order::Look { name, answer } => {
                let looked = self.look(&name).await;
                let _ = answer.send(looked);
            }
            Order::Release {
                term,
                reason,
                answer,
            } => {
                let released = self.release(&term, reason.as_deref()).await;
                let _ = answer.send(released);
            }
            Order::Close => {}
        }
    }

    async fn take(
        &mut self,
        name: Name,
        holder: Holder,
        reason: Option<String>,
    ) -> Result<Option<Kept>> {
        let wanted = Wanted {
            name: &name,
            holder: &holder,
            ttl: self.table.ttl(),
            bridge: self.bridge,
            reason: reason.as_deref(),
        };
        let within = self.table.attempt_to_take();
        let mut sent_at = boot_clock::now();
        let mut taken = self
            .session
            .ask(within, async |leases| leases.take(&wanted).await)
            .await;
        for _ in 1..TRIES {
            if taken.is_err() {
                sent_at = boot_clock::now();
                taken = self
                    .session
                    .ask(within, async |leases| leases.take(&wanted).await)
                    .await;
            }
        }
        let granted = taken?.map(|(grant, _)| grant);
        Ok(granted
            .filter(|grant| !grant.left.remaining.is_zero())
            .map(|grant| self.keep(name, holder, &grant, sent_at)))
    }

    async fn look(&mut self, name: &Name) -> Result<Looked> {
        let within = self.table.attempt_to_take();
        let looked = self.session.ask(within, async |leases| {
            Ok(Looked {
                seen: leases.probe(name).await?,
                key: old_key::of_name(leases, name).await?,
            })
        });
        looked.await
    }

    fn keep(&mut self, name: Name, holder: Holder, grant: &Grant, sent_at: Duration) -> Kept {
        let term = Term {
            name: name.clone(),
            holder,
            token: grant.token,
        };
        let (deadline, follows) = watch::channel(self.table.deadline(sent_at));
        let fate = Fate::open();
        let dropped = CancellationToken::new();
        let watched = watch_over(self.table, follows.clone(), fate.clone());
        tokio::spawn(dropped.clone().run_until_cancelled_owned(watched));
        if self.kept.is_empty() {
            self.renew_at = self.next_renewal();
        }
        let entry = Entry {
            term: term.clone(),
            deadline,
            fate: fate.clone(),
            dropped: dropped.clone(),
        };
        self.kept.insert(name, entry);
        Kept {
            term,
            mode: grant.mode,
            deadline: follows,
            fate,
            _dropped: dropped.drop_guard(),
        }
    }

    async fn release(&mut self, term: &Term, reason: Option<&str>) -> Result<bool> {
        self.forget(term);
        let within = self.table.attempt(self.table.ttl());
        let mut released = self
            .session
            .ask(within, async |leases| leases.release(term, reason).await)
            .await;
        for _ in 1..TRIES {
            if released.is_err() {
                let again = self
                    .session
                    .ask(within, async |leases| leases.release(term, reason).await);
                released = again.await;
            }
        }
        if matches!(released, Ok(true)) {
            // Those who wait and are not told find out by looking.
            let _ = self
                .session
                .ask(within, async |leases| leases.notify(&term.name).await)
                .await;
        }
        released
    }

    fn forget(&mut self, term: &Term) {
        if self
            .kept
            .get(&term.name)
            .is_some_and(|entry| entry.term == *term)
        {
            self.kept.remove(&term.name);
        }
    }

    async fn renew_if_due(&mut self) {
        // A lease whose owner dropped it runs out.
        self.kept.retain(|_, entry| !entry.dropped.is_cancelled());
        if self.kept.is_empty() || boot_clock::now() < self.renew_at {
            return;
        }
        let terms: Vec<Term> = self.kept.values().map(|entry| entry.term.clone()).collect();
        let (sent_at, within) = (boot_clock::now(), self.table.attempt(self.table.renew()));
        let ttl = self.table.ttl();
        let renewed = self
            .session
            .ask(within, async |leases| leases.renew_many(&terms, ttl).await)
            .await;
        match renewed {
            Ok(renewed) => self.confirm(&terms, &renewed, sent_at),
            Err(_) => {
                let pause = between_tries(self.failures, self.table.renew(), chance());
                self.failures = self.failures.saturating_add(1);
                self.renew_at = boot_clock::now() + pause;
            }
        }
    }

    fn confirm(&mut self, asked: &[Term], renewed: &[(Term, Grant)], sent_at: Duration) {
        self.failures = 0;
        self.renew_at = self.next_renewal();
        let renewed: HashSet<&Term> = renewed.iter().map(|(term, _)| term).collect();
        for term in asked {
            let is_kept = renewed.contains(term);
            match self.kept.get(&term.name) {
                Some(entry) if is_kept => {
                    entry.deadline.send_replace(self.table.deadline(sent_at));
                }
                Some(entry) => {
                    entry.fate.stop(Why::Lost);
                    self.kept.remove(&term.name);
                }
                None => {}
            }
        }
    }

    fn next_renewal(&self) -> Duration {
        boot_clock::now() + self.table.renew().mul_f64(0.9 + 0.2 * chance())
    }
}
