//! Where a name stands and where it can go from there: what `migrate status` shows.

use std::time::Duration;

use super::gate::{Judged, State, judge};
use super::readiness::is_ready_for;
use super::{Calls, Direction, Position, Step};
use crate::lease::Mode;

/// All names of one table, seen at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    pub database: String,
    /// As SQL.
    pub table: String,
    /// What old code must not have been seen for.
    pub period: Duration,
    pub calls: Calls,
    pub names: Vec<Prospect>,
}

/// One name, and the steps that it can make.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    pub position: Position,
    pub steps: Vec<Considered>,
    pub ready_for: Vec<Mode>,
}

/// A step, and its gates.
#[derive(Debug, Clone, PartialEq)]
pub struct Considered {
    pub direction: Direction,
    pub step: Step,
    pub gates: Vec<Judged>,
}

impl Prospect {
    pub fn of(position: Position, period: Duration) -> Self {
        let steps = [Direction::Advance, Direction::Rollback];
        let steps = steps
            .into_iter()
            .filter_map(|direction| Considered::of(direction, &position, period))
            .collect();
        let modes = [Mode::Advisory, Mode::Both, Mode::Lease].into_iter();
        let ready_for = modes
            .filter(|mode| is_ready_for(*mode, &position, period))
            .collect();
        Self {
            steps,
            ready_for,
            position,
        }
    }
}

impl Considered {
    /// Nothing at the end of the way.
    pub fn of(direction: Direction, position: &Position, period: Duration) -> Option<Self> {
        let step = Step::of(direction, position.mode)?;
        Some(Self {
            direction,
            step,
            gates: judge(step, position, period),
        })
    }

    pub fn in_the_way(&self) -> impl Iterator<Item = &Judged> {
        let gates = self.gates.iter();
        gates.filter(|judged| judged.state != State::Open)
    }

    pub fn is_open(&self) -> bool {
        self.in_the_way().next().is_none()
    }

    /// Whether a reason would do: all that is in the way is of the past.
    pub fn may_be_forced(&self) -> bool {
        self.in_the_way().all(|judged| judged.gate.is_of_the_past())
    }
}

impl Direction {
    /// As the command is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Advance => "advance",
            Self::Rollback => "rollback",
        }
    }
}
