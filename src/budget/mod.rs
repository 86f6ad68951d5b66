//! The connection budget: how many connections a plan may open, whether the server has room for
//! them, and whether a pool can starve itself.
//!
//! Every verdict is integer arithmetic, and a sum that does not fit is an error. What is estimated
//! (how long somebody waits) is a note, unless the plan itself sets a limit. Nothing here knows a
//! file, a server, a clock or a screen.

pub mod answers;
pub mod assessment;
pub mod demand;
pub mod deploy;
pub mod finding;
pub mod fit;
pub mod judge;
pub mod live;
pub mod plan;
pub mod pooler;
pub mod said;
pub mod server;
pub mod starvation;
pub mod waiting;

#[cfg(test)]
mod exhaustive;
#[cfg(test)]
mod monotone;

pub use assessment::{Assessment, assess};
pub use finding::{Code, Finding, Level, Note};
pub use plan::Plan;

/// A sum that no server could ever hold: nothing is judged by a number that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfRange {
    /// Whose numbers they are: ``role `web` ``
    pub whose: String,
    pub place: Option<crate::place::Place>,
}

impl OutOfRange {
    fn of(whose: impl Into<String>) -> Self {
        Self {
            whose: whose.into(),
            place: None,
        }
    }

    fn at(self, place: Option<crate::place::Place>) -> Self {
        Self { place, ..self }
    }
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "the connections of {} are out of range: the numbers multiply to more than 64 bits hold",
            self.whose
        )
    }
}

impl std::error::Error for OutOfRange {}
