//! Owns the whole state: a primary and its standby, the holders, what is on the wire, and every step
//! that may come next.

use super::explorer::Model;
use super::flaw::Flaw;
use super::holder::Holder;
use super::invariant::{Invariant, broken};
use super::server::{Answer, FLOOR, Row, Sent, Statement, Statements, Ticks, Token};

/// Statements under way at once: one that is awaited, and one that is late, of whomever.
const WIRE: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct World<const N: usize> {
    pub primary: Database<N>,
    /// What is known to the standby, or, without one, on disk.
    pub standby: Database<N>,
    pub timeline: u8,
    pub holders: [Holder; N],
    pub wire: [Option<Sent>; WIRE],
    /// The highest token that anybody was ever granted.
    pub highest: Token,
    pub scope: Scope,
}

/// The row, and what the log table tells of it: a failover takes both back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Database<const N: usize> {
    pub row: Option<Row>,
    /// To each holder, by the answers so far.
    pub promised: [Ticks; N],
    /// A bit for each token: released, expired, broken.
    ended: u16,
    broken: u16,
}

/// Which misfortunes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope {
    pub flaw: Flaw,
    pub replication: Replication,
    /// Statements under way at once.
    pub wire: usize,
    /// Grants and breaks a timeline.
    pub tokens: Token,
    /// Whether a holder may crash, rather than fall silent, which looks the same from outside.
    pub crashes: bool,
    /// Whether an operator may break the lease, once.
    pub breaks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Replication {
    None,
    Synchronous,
    Asynchronous,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Send(usize, Statement),
    /// The statement at this place gets the row's lock, is judged, changes the row and commits.
    Apply(usize),
    /// The statement at this place never arrives.
    Lose(usize),
    Receive(usize),
    /// Timed out or cut off: the answer is lost, the statement may still arrive.
    GiveUp(usize),
    Crash(usize),
    Break,
    Tick,
    /// A tick that one machine sleeps through: a tick as any, if its clock does not stand still. A pause
    /// needs no step of its own, since a holder may do nothing for any number of ticks.
    Suspend(usize),
    Replicate,
    /// The standby takes over with what it knows, on a new timeline.
    FailOver,
    /// Connections and answers are gone; what was committed is not. Nothing changes if there are none.
    Restart,
}

impl<const N: usize> World<N> {
    pub fn first(scope: Scope) -> Self {
        let empty = Database {
            row: None,
            promised: [0; N],
            ended: 0,
            broken: 0,
        };
        Self {
            primary: empty,
            standby: empty,
            timeline: 0,
            holders: [Holder::default(); N],
            wire: [None; WIRE],
            highest: 0,
            scope,
        }
    }

    pub fn statements(&self) -> Statements {
        Statements {
            flaw: self.scope.flaw,
            timeline: self.timeline,
        }
    }

    pub fn workers(&self) -> impl Iterator<Item = usize> {
        (0..N).filter(|name| self.holders[*name].works(self.scope.flaw))
    }

    /// Whether this holder's belief is the present primary's word, not broken since.
    pub fn is_informed(&self, name: usize) -> bool {
        self.holders[name].belief.is_some_and(|belief| {
            belief.timeline == self.timeline && !self.primary.has_broken(belief.token)
        })
    }

    pub fn ends_in_time(&self, name: usize) -> bool {
        self.holders[name]
            .belief
            .zip(self.primary.row)
            .is_some_and(|(belief, row)| {
                row.is_held_by(name as u8, belief.token) && belief.left <= row.remaining
            })
    }

    /// Its next renewal, were it to come through at once.
    pub fn renewed_by(&self, name: usize) -> Self {
        let mut world = Self {
            wire: [None; WIRE],
            ..*self
        };
        let belief = world.holders[name].belief.expect("it works");
        world.holders[name].call = None;
        world.send(name, Statement::Renew(belief.token));
        let place = world.wire.iter().position(Option::is_some);
        world.apply(place.expect("it was sent"));
        world.holders[name].receives(self.scope.flaw);
        world
    }

    fn possible(&self) -> Vec<Step> {
        let mut steps = vec![Step::Tick];
        let awaited = self.holders.iter().any(|holder| holder.call.is_some());
        let forgets = self.scope.flaw == Flaw::CommitsAreLostByARestart;
        steps.extend((awaited || forgets).then_some(Step::Restart));
        let places = (0..WIRE).filter(|place| self.wire[*place].is_some());
        steps.extend(places.flat_map(|place| [Step::Apply(place), Step::Lose(place)]));
        steps.extend((0..N).flat_map(|name| self.possible_for(name)));
        let may_break = self.scope.breaks && self.primary.broken == 0;
        let unexpired = self.primary.row.is_some_and(|row| row.is_unexpired());
        steps.extend((may_break && unexpired).then_some(Step::Break));
        if self.scope.replication == Replication::Asynchronous && self.primary != self.standby {
            steps.push(Step::Replicate);
        }
        if self.scope.replication != Replication::None && self.timeline == 0 {
            steps.push(Step::FailOver);
        }
        steps
    }

    fn possible_for(&self, name: usize) -> Vec<Step> {
        let holder = &self.holders[name];
        let mut steps = vec![];
        if holder.belief.is_some() || holder.call.is_some() {
            let sleeps = self.scope.flaw == Flaw::DeadlineStandsStillInSuspend;
            steps.extend(sleeps.then_some(Step::Suspend(name)));
            steps.extend(self.scope.crashes.then_some(Step::Crash(name)));
        }
        if let Some(call) = holder.call {
            steps.push(Step::GiveUp(name));
            steps.extend(call.answer.map(|_| Step::Receive(name)));
        }
        if self.wire.iter().flatten().count() < self.scope.wire {
            let sent = holder.may_send().into_iter();
            steps.extend(sent.map(|statement| Step::Send(name, statement)));
        }
        steps
    }

    fn after(mut self, step: Step) -> Self {
        let flaw = self.scope.flaw;
        match step {
            Step::Send(name, statement) => self.send(name, statement),
            Step::Apply(place) => self.apply(place),
            Step::Lose(place) => self.wire[place] = None,
            Step::Receive(name) => self.holders[name].receives(flaw),
            Step::GiveUp(name) => self.give_up(name),
            Step::Crash(name) => self.crash(name),
            Step::Break => self.break_lease(),
            Step::Tick => self.tick(),
            Step::Suspend(name) => self.suspend(name),
            Step::Replicate => self.standby = self.primary,
            Step::FailOver => self.fail_over(),
            Step::Restart => self.restart(),
        }
        if self.scope.replication == Replication::Synchronous {
            self.standby = self.primary;
        }
        self.wire.sort();
        self
    }

    fn send(&mut self, name: usize, statement: Statement) {
        self.holders[name].sends(statement);
        let free = self.wire.iter_mut().find(|place| place.is_none());
        *free.expect("the wire has room") = Some(Sent {
            from: name as u8,
            statement,
            late: false,
            waited: 0,
        });
    }

    fn apply(&mut self, place: usize) {
        let sent = self.wire[place].take().expect("a statement is there");
        let (row, answer) = self.statements().apply(self.primary.row, &sent);
        self.primary.write(row);
        if let (Answer::Held(token), Some(row)) = (answer, row.filter(Row::is_unexpired)) {
            self.primary.promised[usize::from(sent.from)] = row.remaining;
            self.highest = self.highest.max(token);
        }
        if !sent.late {
            self.holders[usize::from(sent.from)].is_answered(answer, self.timeline);
        }
    }

    fn break_lease(&mut self) {
        let row = self.primary.row.expect("there is a lease to break");
        self.primary.broken |= 1 << row.token;
        self.primary.write(Some(self.statements().break_lease(row)));
    }

    fn tick(&mut self) {
        self.primary.tick();
        self.standby.tick();
        self.holders.iter_mut().for_each(Holder::tick);
        for name in 0..N {
            if self.holders[name].has_waited_too_long() {
                self.give_up(name);
            }
        }
        if self.scope.flaw == Flaw::RenewJudgesAtItsStart {
            self.wire
                .iter_mut()
                .flatten()
                .for_each(|sent| sent.waited += 1);
        }
    }

    fn give_up(&mut self, name: usize) {
        self.cut_off(|sent| usize::from(sent.from) == name);
        self.holders[name].gives_up(self.scope.flaw);
    }

    fn crash(&mut self, name: usize) {
        self.cut_off(|sent| usize::from(sent.from) == name);
        self.holders[name].crashes();
    }

    /// What was sent may still arrive.
    fn cut_off(&mut self, whose: impl Fn(&Sent) -> bool) {
        for sent in self.wire.iter_mut().flatten().filter(|sent| whose(sent)) {
            sent.late = true;
        }
    }

    fn suspend(&mut self, name: usize) {
        let asleep = self.holders[name];
        self.tick();
        if self.scope.flaw == Flaw::DeadlineStandsStillInSuspend {
            self.holders[name] = asleep;
        }
    }

    fn fail_over(&mut self) {
        self.primary = self.standby;
        self.timeline += 1;
        self.lose_connections();
    }

    fn restart(&mut self) {
        if self.scope.flaw == Flaw::CommitsAreLostByARestart {
            self.primary = self.standby;
        }
        self.lose_connections();
    }

    fn lose_connections(&mut self) {
        self.cut_off(|_| true);
        for holder in &mut self.holders {
            if holder.call.is_some() {
                holder.gives_up(self.scope.flaw);
            }
        }
    }

    /// A trace may be of any length, but there are so many tokens only.
    fn is_in_bounds(&self) -> bool {
        let token = self.primary.row.map_or(0, |row| row.token);
        token % FLOOR <= self.scope.tokens
    }
}

impl<const N: usize> Database<N> {
    pub fn has_ended(&self, token: Token) -> bool {
        self.ended & 1 << token != 0
    }

    fn has_broken(&self, token: Token) -> bool {
        self.broken & 1 << token != 0
    }

    /// Whoever does not hold the row any more has ended.
    fn write(&mut self, new: Option<Row>) {
        let old = self.row.filter(Row::is_unexpired);
        self.row = new;
        if let Some((old, holder)) = old.and_then(|old| Some((old, old.holder?)))
            && !new.is_some_and(|new| new.is_held_by(holder, old.token))
        {
            self.ended |= 1 << old.token;
            let unexpired = new.is_some_and(|new| new.is_unexpired());
            // Nobody took this promise back if somebody else has the row now.
            if !unexpired {
                self.promised[usize::from(holder)] = 0;
            }
        }
    }

    fn tick(&mut self) {
        self.promised = self.promised.map(|left| left.saturating_sub(1));
        if let Some(row) = self.row.as_mut().filter(|row| row.is_unexpired()) {
            row.remaining -= 1;
            if !row.is_unexpired() {
                self.ended |= 1 << row.token;
            }
        }
    }
}

impl<const N: usize> Model for World<N> {
    type Step = Step;
    type Trouble = Invariant;

    fn next(&self) -> Vec<(Step, Self)> {
        let steps = self.possible().into_iter();
        let all = steps.map(|step| (step, self.after(step)));
        all.filter(|(_, after)| after.is_in_bounds()).collect()
    }

    fn trouble(&self, step: Step, after: &Self) -> Option<Invariant> {
        broken(self, step, after)
    }
}
