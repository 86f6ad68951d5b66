//! A program's way in: leases by orders to the desk, keys on sessions of their own.

use anyhow::{Context, Result};
use tokio::sync::{mpsc, oneshot};

use super::CLOSED;
use super::key::HeldKey;
use super::lease::{Kept, Lease};
use super::orders::Order;
use super::watch::Fate;
use crate::cutover::admission::Way;
use crate::entrance::{self, Entered, Looked, Standing, Wish};
use crate::lease::timetable::Timetable;
use crate::lease::{Holder, Mode, Name, TableName, Term};
use crate::pg::target::Target;

/// What a keeper needs to hold a key.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub target: Target,
    pub table: TableName,
    pub timetable: Timetable,
    pub way: Way,
    pub orders: mpsc::Sender<Order>,
}

/// Who wants to get in.
struct Caller<'a> {
    door: &'a Door,
    name: &'a Name,
    holder: Holder,
    reason: Option<&'a str>,
}

impl Door {
    /// Nothing: somebody else is in.
    pub async fn let_in(
        &self,
        name: &Name,
        holder: Holder,
        reason: Option<&str>,
    ) -> Result<Option<Lease>> {
        let wish = Wish {
            name,
            table: &self.table,
            target: &self.target,
            way: self.way,
            wait: self.timetable.wait_for_key(),
        };
        let mut caller = Caller {
            door: self,
            name,
            holder,
            reason,
        };
        match entrance::get_in(wish, &mut caller).await? {
            Entered::Not(_) => Ok(None),
            Entered::In(standing) => Ok(Some(caller.lease(*standing))),
        }
    }
}

impl Caller<'_> {
    fn lease(self, standing: Standing<Kept>) -> Lease {
        let Standing { lease: kept, key } = standing;
        let (table, orders) = (self.door.timetable, self.door.orders.clone());
        let fate = kept
            .as_ref()
            .map_or_else(Fate::open, |kept| kept.fate.clone());
        let key = key.map(|key| {
            let times = (table, key.asked_at);
            HeldKey::keep(key.session, times, fate.clone(), &orders)
        });
        Lease {
            name: self.name.clone(),
            holder: self.holder,
            table,
            fate,
            kept,
            key,
            orders,
        }
    }

    async fn order<T>(&self, order: impl FnOnce(oneshot::Sender<Result<T>>) -> Order) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let sent = self.door.orders.send(order(answer)).await;
        sent.context(CLOSED)?;
        answered.await.context(CLOSED)?
    }
}

impl entrance::Desk for Caller<'_> {
    type Lease = Kept;

    async fn take(&mut self) -> Result<Option<(Kept, Mode)>> {
        let taken = self.order(|answer| Order::Take {
            name: self.name.clone(),
            holder: self.holder.clone(),
            reason: self.reason.map(str::to_owned),
            answer,
        });
        Ok(taken.await?.map(|kept| {
            let mode = kept.mode;
            (kept, mode)
        }))
    }

    async fn look(&mut self) -> Result<Looked> {
        self.order(|answer| Order::Look {
            name: self.name.clone(),
            answer,
        })
        .await
    }

    async fn release(&mut self, kept: Kept) -> Result<()> {
        let released = self.order(|answer| Order::Release {
            term: kept.term.clone(),
            reason: Some("the old key was in use".to_owned()),
            answer,
        });
        released.await.map(drop)
    }

    fn term(kept: &Kept) -> &Term {
        &kept.term
    }
}
