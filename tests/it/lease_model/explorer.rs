//! Owns the search through every state that a model can reach, the nearest first.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

pub trait Model: Copy + Eq + Hash {
    type Step: Copy + Debug;
    type Trouble: Copy + Debug;

    /// What can happen next, and what comes of it.
    fn next(&self) -> Vec<(Self::Step, Self)>;

    /// What must not be, if this step brought it about.
    fn trouble(&self, step: Self::Step, after: &Self) -> Option<Self::Trouble>;
}

/// All states reached, until there were no more or trouble was met.
pub struct Explored<M: Model> {
    reached: Vec<Reached<M>>,
    pub trouble: Option<Trouble<M>>,
}

/// A shortest way to what must not be.
#[derive(Debug)]
pub struct Trouble<M: Model> {
    pub what: M::Trouble,
    pub trace: Vec<M::Step>,
}

struct Reached<M: Model> {
    state: M,
    from: Option<(usize, M::Step)>,
}

pub fn explore<M: Model>(first: M) -> Explored<M> {
    let mut seen = HashSet::from([first]);
    let mut explored = Explored {
        reached: vec![Reached {
            state: first,
            from: None,
        }],
        trouble: None,
    };
    let mut at = 0;
    while at < explored.reached.len() && explored.trouble.is_none() {
        explored.visit(at, &mut seen);
        at += 1;
    }
    explored
}

impl<M: Model> Explored<M> {
    pub fn states(&self) -> impl Iterator<Item = &M> {
        self.reached.iter().map(|reached| &reached.state)
    }

    /// A shortest way to a state like this.
    pub fn way_to(&self, wanted: impl Fn(&M) -> bool) -> Option<Vec<M::Step>> {
        let at = self
            .reached
            .iter()
            .position(|reached| wanted(&reached.state))?;
        Some(self.trace(at))
    }

    fn visit(&mut self, at: usize, seen: &mut HashSet<M>) {
        let state = self.reached[at].state;
        for (step, after) in state.next() {
            if let Some(what) = state.trouble(step, &after) {
                let trace = self.trace(at).into_iter().chain([step]).collect();
                self.trouble = Some(Trouble { what, trace });
                return;
            }
            if seen.insert(after) {
                self.reached.push(Reached {
                    state: after,
                    from: Some((at, step)),
                });
            }
        }
    }

    fn trace(&self, at: usize) -> Vec<M::Step> {
        let way = std::iter::successors(self.reached[at].from, |(at, _)| self.reached[*at].from);
        let mut steps: Vec<_> = way.map(|(_, step)| step).collect();
        steps.reverse();
        steps
    }
}
