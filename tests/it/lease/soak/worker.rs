//! One worker: takes a lease, works until its own deadline at most, renews, and gives it back or not.

use std::fmt;
use std::iter::Sum;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lockaudit::lease::{Bridge, Holder, Name, TableName, Term, Wanted};
use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::lease::Leases;
use lockaudit::words::count;
use tokio::time::{sleep, timeout};

use super::super::record::Pen;
use super::{Chance, NAMES, TTL};
use crate::destination::{Destination, runtime};
use crate::harness::now;

/// The longest that one attempt waits for its answer.
const ATTEMPT: Duration = Duration::from_millis(200);
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

pub struct Worker {
    number: u64,
    chance: Chance,
    way: Destination,
    table: TableName,
    connection: Option<Connection>,
    pen: Pen,
    counts: Counts,
}

/// What was answered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub grants: usize,
    pub renewals: usize,
    refusals: usize,
    /// Renewals that came back before the deadline with "lost".
    pub losses: usize,
    /// No answer, an error, a connection that broke.
    unknown: usize,
    pauses: usize,
}

/// A lease that this worker was told of.
struct Granted {
    term: Term,
    deadline: Duration,
}

impl Worker {
    pub fn new(number: u64, port: u16, pen: Pen) -> Self {
        Self {
            number,
            chance: Chance::of(number + 1),
            way: Destination::localhost(port)
                .user("postgres")
                .with(|it| it.application_name = "soak".to_owned())
                .with(|it| it.connect_timeout = Some(Duration::from_secs(1))),
            table: TableName::default(),
            connection: None,
            pen,
            counts: Counts::default(),
        }
    }

    pub fn works_until(mut self, over: &AtomicBool) -> Counts {
        runtime().block_on(async {
            while !over.load(Ordering::Relaxed) {
                self.attempts().await;
            }
        });
        self.counts
    }

    /// A name, a new holder, and all that comes of it.
    async fn attempts(&mut self) {
        let name: Name = NAMES[self.chance.below(2) as usize]
            .parse()
            .expect("a name");
        let holder = Holder::of("soak", self.number as u32, self.chance.number());
        // The answer may be lost: the same holder asks again.
        for _ in 0..3 {
            match self.takes(&name, &holder).await {
                Some(Some(granted)) => return self.works_under(granted).await,
                Some(None) => break,
                None => (),
            }
        }
        let rest = self.chance.between(5, 60);
        sleep(rest).await;
    }

    /// `None`: unknown.
    async fn takes(&mut self, name: &Name, holder: &Holder) -> Option<Option<Granted>> {
        let wanted = Wanted {
            name,
            holder,
            ttl: TTL,
            bridge: Bridge::None,
            reason: None,
        };
        let sent = now();
        let table = self.table.clone();
        let answer = self.ask(ATTEMPT, async |connection| {
            Leases::of(connection, &table).take(&wanted).await
        });
        let Some((grant, _)) = answer.await? else {
            self.counts.refusals += 1;
            return Some(None);
        };
        let term = Term {
            name: name.clone(),
            holder: holder.clone(),
            token: grant.token,
        };
        Some(Some(Granted {
            term,
            deadline: sent + TTL,
        }))
    }

    async fn works_under(&mut self, mut granted: Granted) {
        self.counts.grants += 1;
        let renewals = self.chance.below(6);
        self.says_that_it_works(&granted);
        for _ in 0..renewals {
            let work = self.works_or_pauses();
            sleep(work).await;
            if !self.renews(&mut granted).await {
                return self.stops(&granted);
            }
            self.says_that_it_works(&granted);
        }
        self.stops(&granted);
        // Now and then nobody gives it back, as after a crash.
        if !self.chance.one_in(5) {
            self.releases(&granted).await;
        }
    }

    fn works_or_pauses(&mut self) -> Duration {
        if self.chance.one_in(12) {
            self.counts.pauses += 1;
            return TTL + self.chance.between(50, 400);
        }
        self.chance.between(10, 150)
    }

    /// Whether it was confirmed before the deadline; an unknown answer is asked for again until then.
    async fn renews(&mut self, granted: &mut Granted) -> bool {
        loop {
            let sent = now();
            let Some(left) = granted
                .deadline
                .checked_sub(sent)
                .filter(|left| !left.is_zero())
            else {
                return false;
            };
            let (table, term) = (self.table.clone(), granted.term.clone());
            let answer = self.ask(left.min(ATTEMPT), async |connection| {
                Leases::of(connection, &table).renew(&term, TTL).await
            });
            match answer.await {
                Some(Some(_)) => {
                    self.counts.renewals += 1;
                    granted.deadline = sent + TTL;
                    return true;
                }
                Some(None) => {
                    self.counts.losses += 1;
                    return false;
                }
                None => (),
            }
        }
    }

    async fn releases(&mut self, granted: &Granted) {
        let (table, term) = (self.table.clone(), granted.term.clone());
        let answer = self.ask(ATTEMPT, async |connection| {
            Leases::of(connection, &table).release(&term, None).await
        });
        // Unknown or not, it is over.
        let _ = answer.await;
    }

    /// `None`: unknown, and the connection is dropped.
    async fn ask<T>(
        &mut self,
        patience: Duration,
        question: impl AsyncFnOnce(&Connection) -> anyhow::Result<T>,
    ) -> Option<T> {
        let answer = timeout(patience, async {
            if self.connection.is_none() {
                self.connection = connect(&self.way.0).await.ok();
            }
            question(self.connection.as_ref()?).await.ok()
        });
        let answer = answer.await.ok().flatten();
        if answer.is_none() {
            self.counts.unknown += 1;
            self.connection = None;
            sleep(BETWEEN_TRIES).await;
        }
        answer
    }

    fn says_that_it_works(&mut self, granted: &Granted) {
        let Granted { term, deadline } = granted;
        self.pen.works(term.name.as_str(), term.token.0, *deadline);
    }

    fn stops(&mut self, granted: &Granted) {
        let term = &granted.term;
        self.pen.stops(term.name.as_str(), term.token.0);
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self {
            grants: sum.grants + one.grants,
            renewals: sum.renewals + one.renewals,
            refusals: sum.refusals + one.refusals,
            losses: sum.losses + one.losses,
            unknown: sum.unknown + one.unknown,
            pauses: sum.pauses + one.pauses,
        })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            count(self.grants, "grant"),
            count(self.renewals, "renewal"),
            count(self.refusals, "refusal"),
            format!("{} lost", self.losses),
            format!("{} unknown", self.unknown),
            format!("{} past the end", count(self.pauses, "pause")),
        ];
        f.write_str(&words.join(", "))
    }
}
