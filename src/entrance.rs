//! Getting in, whatever mode a name is in: does what the admission says, one thing after the other.
//!
//! Whoever takes leases brings a desk for them; old keys are held here, each on a session of its own.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::boot_clock;
use crate::cutover::admission::{Admission, Busy, Came, Hold, Next, Way};
use crate::key::AdvisoryKey;
use crate::lease::{Mode, Name, Seen, TableName, Term};
use crate::pg::lease::in_time;
use crate::pg::old_key::KeySession;
use crate::pg::target::Target;

/// Where leases are taken and released.
pub(crate) trait Desk {
    type Lease;

    /// Nothing: it was not granted.
    async fn take(&mut self) -> Result<Option<(Self::Lease, Mode)>>;
    async fn look(&mut self) -> Result<Looked>;
    /// A lease that can't be released runs out.
    async fn release(&mut self, lease: Self::Lease) -> Result<()>;
    fn term(lease: &Self::Lease) -> &Term;
}

/// A name's row.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    pub seen: Option<Seen>,
    pub key: Option<AdvisoryKey>,
}

/// What getting in is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'a> {
    pub name: &'a Name,
    pub table: &'a TableName,
    /// Where keys are held.
    pub target: &'a Target,
    pub way: Way,
    /// How long a key is waited for.
    pub wait: Duration,
}

/// A session that has the old key.
#[derive(Debug)]
pub(crate) struct Key {
    pub session: KeySession,
    /// It had the key after this moment.
    pub asked_at: Duration,
}

/// What the work stands on: one of them at least.
pub(crate) struct Standing<L> {
    pub lease: Option<L>,
    pub key: Option<Key>,
}

pub(crate) enum Entered<L> {
    In(Box<Standing<L>>),
    Not(Busy),
}

struct Entrance<'a, D: Desk> {
    wish: Wish<'a>,
    desk: &'a mut D,
    lease: Option<D::Lease>,
    key: Option<Key>,
    looked: Looked,
}

/// One attempt.
///
/// # Errors
/// When it can't be said whether the name is free. Nothing is held then but what nobody could give back.
pub(crate) async fn get_in<D: Desk>(wish: Wish<'_>, desk: &mut D) -> Result<Entered<D::Lease>> {
    let mut entrance = Entrance {
        wish,
        desk,
        lease: None,
        key: None,
        looked: Looked::default(),
    };
    let mut failure = None;
    let mut admission = Admission::begun(wish.way);
    loop {
        let next = admission.next();
        match (next, failure.take()) {
            (Next::Wait(_), Some(error)) => return Err(error),
            (Next::Wait(busy), None) => return Ok(Entered::Not(busy)),
            (Next::Work(_), _) => {
                return Ok(Entered::In(Box::new(Standing {
                    lease: entrance.lease,
                    key: entrance.key,
                })));
            }
            (_, before) => failure = before,
        }
        admission = match entrance.carry_out(next).await {
            Ok(came) => admission.came(came),
            Err(error) => {
                // What follows makes it good, and says less.
                failure = failure.or(Some(error));
                admission.came(Came::Failed)
            }
        };
    }
}

impl<D: Desk> Entrance<'_, D> {
    async fn carry_out(&mut self, next: Next) -> Result<Came<'_>> {
        match next {
            Next::Take => self.take().await,
            Next::Look => self.look().await,
            Next::GetKey(hold) => self.get_key(hold).await,
            Next::LookAgain => self.look_again().await,
            Next::Bridge => self.bridge().await,
            Next::ReleaseLease => {
                if let Some(lease) = self.lease.take() {
                    self.desk.release(lease).await?;
                }
                Ok(Came::GivenBack)
            }
            Next::GiveKeyBack => {
                if let Some(key) = self.key.take() {
                    key.session.close().await;
                }
                Ok(Came::GivenBack)
            }
            Next::Wait(_) | Next::Work(_) => Ok(Came::Failed),
        }
    }

    async fn take(&mut self) -> Result<Came<'_>> {
        Ok(match self.desk.take().await? {
            None => Came::NotGranted,
            Some((lease, mode)) => {
                self.lease = Some(lease);
                Came::Granted(mode)
            }
        })
    }

    async fn look(&mut self) -> Result<Came<'_>> {
        self.looked = self.desk.look().await?;
        Ok(Came::Seen(self.looked.seen.as_ref()))
    }

    async fn get_key(&mut self, hold: Hold) -> Result<Came<'_>> {
        if self.looked.key.is_none() {
            self.look().await?;
        }
        let name = self.wish.name;
        let key = self.looked.key.with_context(|| {
            format!("{name} has no old key any more: its migration was finished")
        })?;
        let session = in_time(KeySession::open(self.wish.target)).await?;
        let asked_at = boot_clock::now();
        match session.lock(key, hold, self.wish.wait).await? {
            true => {
                self.key = Some(Key { session, asked_at });
                Ok(Came::KeyGot)
            }
            false => {
                session.close().await;
                Ok(Came::KeyBusy)
            }
        }
    }

    async fn look_again(&mut self) -> Result<Came<'_>> {
        let key = self.key.as_mut().context(NO_SESSION)?;
        key.asked_at = boot_clock::now();
        let leases = key.session.leases(self.wish.table);
        self.looked.seen = in_time(leases.probe(self.wish.name)).await?;
        Ok(Came::Seen(self.looked.seen.as_ref()))
    }

    async fn bridge(&mut self) -> Result<Came<'_>> {
        let key = self.key.as_mut().context(NO_SESSION)?;
        let lease = self.lease.as_ref().context("there is no lease")?;
        key.asked_at = boot_clock::now();
        let leases = key.session.leases(self.wish.table);
        let bridged = in_time(leases.bridge(D::term(lease))).await?;
        Ok(match bridged {
            true => Came::Bridged,
            false => Came::LeaseLost,
        })
    }
}

const NO_SESSION: &str = "the old key has no session";
