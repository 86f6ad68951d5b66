//! Owns what one holder knows: the lease it believes in, the call it waits for.

use super::flaw::Flaw;
use super::server::{Answer, Statement, TTL, Ticks, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Holder {
    pub belief: Option<Belief>,
    pub call: Option<Call>,
    /// Crashed, or done: whoever comes next has another name.
    pub gone: bool,
}

/// A confirmed lease, until its own deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Belief {
    pub token: Token,
    /// Until the deadline, on the holder's clock; the guardian ends the work when nothing is left.
    pub left: Ticks,
    /// Whose word it is: the primary of this timeline.
    pub timeline: u8,
    /// The work has ended and the release was sent: this name takes nothing again.
    pub released: bool,
}

/// A statement whose answer is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Call {
    pub statement: Statement,
    /// Since it was sent, on the holder's clock.
    pub age: Ticks,
    /// On its way back.
    pub answer: Option<(Answer, u8)>,
}

impl Holder {
    pub fn works(&self, flaw: Flaw) -> bool {
        let early = flaw == Flaw::ReleaseGoesOutBeforeTheWorkEnds;
        let works = |belief: Belief| belief.left > 0 && (!belief.released || early);
        self.belief.is_some_and(works)
    }

    /// What it may send now: one call at a time.
    pub fn may_send(&self) -> Vec<Statement> {
        match (self.gone, self.call, self.belief) {
            (true, _, _) | (_, Some(_), _) => vec![],
            (_, _, None) => vec![Statement::Take],
            (_, _, Some(belief)) if belief.released => vec![Statement::Release(belief.token)],
            (_, _, Some(Belief { token, .. })) => {
                vec![Statement::Renew(token), Statement::Release(token)]
            }
        }
    }

    pub fn sends(&mut self, statement: Statement) {
        if let (Statement::Release(_), Some(belief)) = (statement, &mut self.belief) {
            belief.released = true;
        }
        self.call = Some(Call {
            statement,
            age: 0,
            answer: None,
        });
    }

    pub fn is_answered(&mut self, answer: Answer, timeline: u8) {
        let call = self.call.as_mut().expect("what is not late is awaited");
        call.answer = Some((answer, timeline));
    }

    pub fn receives(&mut self, flaw: Flaw) {
        let call = self.call.take().expect("a call is answered");
        let (answer, timeline) = call.answer.expect("its answer is here");
        match (call.statement, answer) {
            (Statement::Take | Statement::Renew(_), Answer::Held(token)) => {
                self.belief = confirmed(&call, token, timeline, flaw);
            }
            (Statement::Renew(_), Answer::NoRow)
                if flaw == Flaw::ALostLeaseIsKeptUntilItsDeadline =>
            {
                if let Some(belief) = &mut self.belief {
                    belief.timeline = timeline;
                }
            }
            (Statement::Release(_), _) => {
                *self = Self {
                    gone: flaw != Flaw::AReleasedNameTakesAgain,
                    ..Self::default()
                }
            }
            // A refused take, or a definite loss.
            _ => self.belief = None,
        }
    }

    /// The attempt's time is over or its connection is lost: whether it was applied is unknown.
    pub fn gives_up(&mut self, flaw: Flaw) {
        let call = self.call.take().expect("a call is awaited");
        if flaw == Flaw::AnUnansweredRenewalCounts
            && let (Statement::Renew(_), Some(belief)) = (call.statement, &mut self.belief)
        {
            belief.left = TTL - call.age.min(TTL - 1);
        }
    }

    pub fn crashes(&mut self) {
        *self = Self {
            gone: true,
            ..Self::default()
        };
    }

    pub fn tick(&mut self) {
        if let Some(call) = &mut self.call {
            call.age += 1;
        }
        if let Some(belief) = &mut self.belief {
            belief.left = belief.left.saturating_sub(1);
        }
        self.belief = self
            .belief
            .filter(|belief| belief.left > 0 || belief.released);
    }

    /// No attempt waits for as long as a lease lasts.
    pub fn has_waited_too_long(&self) -> bool {
        self.call.is_some_and(|call| call.age >= TTL)
    }
}

/// The deadline counts from before the send, however late the answer comes.
fn confirmed(call: &Call, token: Token, timeline: u8, flaw: Flaw) -> Option<Belief> {
    let age = match flaw {
        Flaw::DeadlineCountsFromTheAnswer => 0,
        _ => call.age,
    };
    (age < TTL).then(|| Belief {
        token,
        left: TTL - age,
        timeline,
        released: false,
    })
}
