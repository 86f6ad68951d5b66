//! The desk of one attempt to get in: leases are taken, looked at and released over the line.

use std::time::Duration;

use anyhow::Result;

use super::acquire::Request;
use super::give_back::release;
use super::line::{Answer, Line};
use crate::entrance::{Desk, Looked};
use crate::lease::{Holder, Mode, Term, Wanted};
use crate::pg::lease::Floor;
use crate::pg::old_key;
use crate::terminal;

/// One who takes leases over a line.
pub(super) struct Asking<'r, 'l, 's> {
    pub(super) request: &'r Request<'r>,
    pub(super) holder: &'r Holder,
    pub(super) line: &'l mut Line<'s>,
    /// The holder must take nothing again then.
    pub(super) has_released: bool,
}

pub(super) struct Leased {
    pub(super) term: Term,
    /// A moment before it was asked for.
    pub(super) sent_at: Duration,
}

impl Desk for Asking<'_, '_, '_> {
    type Lease = Leased;

    async fn take(&mut self) -> Result<Option<(Leased, Mode)>> {
        let Request {
            name,
            reason,
            table,
            way,
            ..
        } = *self.request;
        let holder = self.holder;
        let wanted = Wanted {
            name,
            holder,
            ttl: table.ttl(),
            bridge: way.bridge(),
            reason: Some(reason),
        };
        let asked = self.line.ask(table.attempt_to_take(), async |leases| {
            leases.take(&wanted).await
        });
        let Answer { sent_at, told } = asked.await?;
        let Some((grant, floor)) = told else {
            return Ok(None);
        };
        heed_floor(floor);
        // The same holder asks again for what was waited for on a locked row for too long.
        let is_over = grant.left.remaining.is_zero();
        let term = Term {
            name: name.clone(),
            holder: holder.clone(),
            token: grant.token,
        };
        Ok((!is_over).then_some((Leased { term, sent_at }, grant.mode)))
    }

    async fn look(&mut self) -> Result<Looked> {
        let name = self.request.name;
        let within = self.request.table.attempt_to_take();
        let asked = self.line.ask(within, async |leases| {
            Ok(Looked {
                seen: leases.probe(name).await?,
                key: old_key::of_name(leases, name).await?,
            })
        });
        Ok(asked.await?.told)
    }

    async fn release(&mut self, lease: Leased) -> Result<()> {
        self.has_released = true;
        release(
            self.line,
            self.request.table,
            &lease.term,
            "the old key was in use",
        )
        .await;
        Ok(())
    }

    fn term(lease: &Leased) -> &Term {
        &lease.term
    }
}

fn heed_floor(floor: Floor) {
    if floor == Floor::None {
        terminal::note(
            "the server does not say which timeline it is on: after an asynchronous failover a token may be granted again",
        );
    }
}
