//! Owns the lease's row and what each statement does to it: to be held against `sql/lease/`.
//!
//! Times are relative. `remaining` stands for `expires_at - clock_timestamp()` as the server sees it,
//! so that `remaining > 0` is `expires_at > clock_timestamp()`, and a released row has nothing left.

use super::flaw::Flaw;

pub type Name = u8;
pub type Token = u8;
pub type Ticks = u8;

/// How long a lease lasts. Everything between two ticks happens at one instant.
pub const TTL: Ticks = 2;

/// How far apart the floors of two timelines are: `timeline << 40` in the real one.
pub const FLOOR: Token = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    pub holder: Option<Name>,
    pub token: Token,
    pub remaining: Ticks,
}

/// A statement on its way, or waiting for the row's lock: it is applied when it has that lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sent {
    pub from: Name,
    pub statement: Statement,
    /// Its connection is gone: it may still be applied, but nobody is told.
    pub late: bool,
    /// Since it was sent, where a flaw looks at that: `now()` stands still as long.
    pub waited: Ticks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statement {
    Take,
    Renew(Token),
    Release(Token),
}

/// What a client is told: the token of a lease that it holds now, or no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    Held(Token),
    NoRow,
}

/// The protocol as its statements have it, or with one guard removed.
#[derive(Debug, Clone, Copy)]
pub struct Statements {
    pub flaw: Flaw,
    pub timeline: u8,
}

impl Row {
    pub fn is_held_by(&self, name: Name, token: Token) -> bool {
        self.holder == Some(name) && self.token == token
    }

    pub fn is_unexpired(&self) -> bool {
        self.remaining > 0
    }
}

impl Statements {
    pub fn apply(self, row: Option<Row>, sent: &Sent) -> (Option<Row>, Answer) {
        match sent.statement {
            Statement::Take => self.take(row, sent),
            Statement::Renew(token) => self.renew(row, sent, token),
            Statement::Release(token) => self.release(row, sent, token),
        }
    }

    /// `INSERT … ON CONFLICT DO UPDATE … WHERE` free, ours or expired.
    fn take(self, row: Option<Row>, sent: &Sent) -> (Option<Row>, Answer) {
        let Some(row) = row else {
            return self.grants(sent, self.floor() + 1);
        };
        let ours = row.holder == Some(sent.from);
        let keeps = row.is_unexpired() || self.flaw == Flaw::TakeKeepsTheTokenOfAnExpiredLease;
        match (row.is_unexpired(), ours) {
            (true, false) if self.flaw != Flaw::TakeAsksNobody => (Some(row), Answer::NoRow),
            (_, true) if keeps => self.grants(sent, row.token),
            _ => self.grants(sent, self.next_token(row)),
        }
    }

    /// `UPDATE … WHERE holder AND token AND expires_at > clock_timestamp()`.
    fn renew(self, row: Option<Row>, sent: &Sent, token: Token) -> (Option<Row>, Answer) {
        if self.flaw == Flaw::RenewIsAnUpsert {
            return self.grants(sent, token);
        }
        let Some(held) = row.filter(|row| row.is_held_by(sent.from, token)) else {
            return (row, Answer::NoRow);
        };
        let unexpired = match self.flaw {
            Flaw::RenewAsksForNoExpiry => true,
            // What remained when the statement began.
            Flaw::RenewJudgesAtItsStart => held.remaining + sent.waited > 0,
            _ => held.is_unexpired(),
        };
        match unexpired {
            true => self.grants(sent, token),
            false => (row, Answer::NoRow),
        }
    }

    /// `UPDATE … SET holder = NULL, expires_at = '-infinity' WHERE holder AND token`.
    fn release(self, row: Option<Row>, sent: &Sent, token: Token) -> (Option<Row>, Answer) {
        let by_holder = self.flaw == Flaw::ReleaseAsksForTheHolderOnly;
        let held = row.filter(|row| {
            row.is_held_by(sent.from, token) || by_holder && row.holder == Some(sent.from)
        });
        let Some(held) = held else {
            return (row, Answer::NoRow);
        };
        let freed = Row {
            token: held.token,
            ..FREE
        };
        match self.flaw {
            Flaw::ReleaseDeletesTheRow => (None, Answer::Held(token)),
            Flaw::ReleaseResetsTheToken => (Some(Row { token: 0, ..FREE }), Answer::Held(token)),
            _ => (Some(freed), Answer::Held(token)),
        }
    }

    /// The operator's override: frees the row, and raises the token past the holder's.
    pub fn break_lease(self, row: Row) -> Row {
        let token = self.next_token(row);
        Row { token, ..FREE }
    }

    fn grants(self, sent: &Sent, token: Token) -> (Option<Row>, Answer) {
        let remaining = match self.flaw {
            Flaw::ExpiryCountsFromTheTransaction => TTL - 1,
            _ => TTL,
        };
        let row = Row {
            holder: Some(sent.from),
            token,
            remaining,
        };
        (Some(row), Answer::Held(token))
    }

    /// `greatest(token + 1, floor + 1)`.
    fn next_token(self, row: Row) -> Token {
        row.token.max(self.floor()) + 1
    }

    fn floor(self) -> Token {
        match self.flaw {
            Flaw::NoFloor => 0,
            _ => self.timeline * FLOOR,
        }
    }
}

const FREE: Row = Row {
    holder: None,
    token: 0,
    remaining: 0,
};
