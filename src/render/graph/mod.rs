//! The wait graph as formats draw it: so many nodes that a picture stays readable, and what was left
//! out counted. Texts are raw: whoever draws them makes them safe.

mod node;

use std::collections::HashMap;

use crate::describe;
use crate::picture::Picture;
use crate::snapshot::Owner;
use crate::waits::Wait;
pub(super) use node::{Kind, Node};

/// How much of it is drawn.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub nodes: usize,
    /// Waiters directly behind one owner.
    pub queue: usize,
    /// Holders that nobody waits for.
    pub lone: usize,
}

pub(super) struct Graph {
    /// Depth first: an owner, then what waits for it.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Owners and waiters for whom there was no room.
    pub left_out: usize,
}

/// A waiter's edge to who is ahead of it, by their places among the nodes.
pub(super) struct Edge {
    pub waiter: usize,
    pub ahead: usize,
    /// What it waits for: `key 42 in orders`.
    pub target: String,
    pub strength: Strength,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// It holds the lock.
    Hard,
    /// It waits for the lock too, further ahead in the queue.
    Soft,
}

impl Graph {
    /// Everybody who waits, and for whom.
    pub(super) fn of_waits(picture: &Picture<'_>, limits: Limits) -> Self {
        Selection::of(picture, limits).finish(0)
    }

    /// The same, and the holders that nobody waits for.
    pub(super) fn of_holders_too(picture: &Picture<'_>, limits: Limits) -> Self {
        let mut selection = Selection::of(picture, limits);
        let holders = picture.holders();
        let lone: Vec<Owner> = holders
            .into_iter()
            .filter(|owner| !is_in_the_tangle(picture, *owner))
            .collect();
        for owner in lone.iter().take(limits.lone) {
            selection.add(*owner, None);
        }
        selection.finish(lone.len())
    }
}

fn is_in_the_tangle(picture: &Picture<'_>, owner: Owner) -> bool {
    let waits = owner.pid().and_then(|pid| picture.waits.wait_of(pid));
    waits.is_some() || picture.waits.directly_behind(owner).next().is_some()
}

struct Selection<'b, 'a> {
    picture: &'b Picture<'a>,
    limits: Limits,
    nodes: Vec<Node>,
    places: HashMap<Owner, usize>,
}

impl<'b, 'a> Selection<'b, 'a> {
    fn of(picture: &'b Picture<'a>, limits: Limits) -> Self {
        let mut selection = Self {
            picture,
            limits,
            nodes: Vec::new(),
            places: HashMap::new(),
        };
        for root in picture.waits.roots() {
            selection.add_with_queue(root, None);
        }
        for wait in picture.waits.in_a_circle() {
            selection.add_with_queue(Owner::Session(wait.pid), None);
        }
        selection
    }

    fn add_with_queue(&mut self, owner: Owner, parent: Option<usize>) {
        let Some(place) = self.add(owner, parent) else {
            return;
        };
        let queue = queue_behind(self.picture, owner);
        for wait in queue.iter().take(self.limits.queue) {
            self.add_with_queue(Owner::Session(wait.pid), Some(place));
        }
    }

    /// `None` for one that is there already, and when there is no more room.
    fn add(&mut self, owner: Owner, parent: Option<usize>) -> Option<usize> {
        let place = self.nodes.len();
        if place >= self.limits.nodes || self.places.contains_key(&owner) {
            return None;
        }
        self.places.insert(owner, place);
        self.nodes.push(Node::of(self.picture, owner, parent));
        Some(place)
    }

    fn finish(mut self, lone_holders: usize) -> Graph {
        for place in 0..self.nodes.len() {
            let queue = queue_behind(self.picture, self.nodes[place].owner);
            let missing = queue.iter().filter(|wait| !self.is_drawn(wait));
            self.nodes[place].more = missing.count();
        }
        let waits = self.picture.waits.waits();
        let all = self.picture.waits.roots().len() + waits.len() + lone_holders;
        Graph {
            edges: waits.iter().flat_map(|wait| self.edges(wait)).collect(),
            left_out: all - self.nodes.len(),
            nodes: self.nodes,
        }
    }

    fn is_drawn(&self, wait: &Wait<'_>) -> bool {
        self.places.contains_key(&Owner::Session(wait.pid))
    }

    fn edges(&self, wait: &Wait<'_>) -> Vec<Edge> {
        let Some(waiter) = self.places.get(&Owner::Session(wait.pid)) else {
            return Vec::new();
        };
        let hard = wait.blockers.iter().map(|owner| (*owner, Strength::Hard));
        let soft = wait.queued_behind.map(Owner::Session);
        let soft = soft
            .filter(|owner| !wait.is_blocked_by(*owner))
            .map(|owner| (owner, Strength::Soft));
        hard.chain(soft)
            .filter_map(|(owner, strength)| {
                Some(Edge {
                    waiter: *waiter,
                    ahead: *self.places.get(&owner)?,
                    target: describe::target(self.picture, &wait.lock.target),
                    strength,
                })
            })
            .collect()
    }
}

/// Who is drawn behind an owner, in the order of the queue: those that it blocks; behind a waiter
/// those, too, that only the queue keeps waiting.
pub(super) fn queue_behind<'b, 'a>(picture: &'b Picture<'a>, owner: Owner) -> Vec<&'b Wait<'a>> {
    let mut queue: Vec<&Wait<'a>> = picture
        .waits
        .directly_behind(owner)
        .filter(|wait| wait.is_blocked_by(owner) || wait.blockers.is_empty())
        .collect();
    queue.sort_by_key(|wait| (wait.queue_position, wait.pid));
    queue
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, quiet};
    use crate::render::planted::{crowd, incident};
    use crate::snapshot::Snapshot;

    const ROOMY: Limits = Limits {
        nodes: 100,
        queue: 100,
        lone: 0,
    };

    fn drawn(snapshot: &Snapshot, limits: Limits) -> Graph {
        let expectations = crate::picture::Expectations::default();
        let picture = Picture::of(&[], snapshot, &expectations);
        Graph::of_waits(&picture, limits)
    }

    fn edges(graph: &Graph) -> Vec<(String, String, bool)> {
        let who = |place: usize| graph.nodes[place].who.clone();
        graph
            .edges
            .iter()
            .map(|edge| {
                let is_soft = edge.strength == Strength::Soft;
                (who(edge.waiter), who(edge.ahead), is_soft)
            })
            .collect()
    }

    #[test]
    fn draws_each_owner_once_and_tells_the_edges_apart() {
        let graph = drawn(&incident(), ROOMY);
        let names: Vec<&str> = graph.nodes.iter().map(|node| &node.who[..]).collect();
        assert_eq!(
            names,
            [
                "pid 10 (worker)",
                "pid 11 (api)",
                "pid 12 (api)",
                "prepared transaction 'order-17'",
                "pid 13 (api)",
                "pid 14 (api)",
            ]
        );
        let edge = |waiter: &str, ahead: &str, soft| (waiter.to_owned(), ahead.to_owned(), soft);
        assert_eq!(
            edges(&graph),
            [
                edge("pid 11 (api)", "pid 10 (worker)", false),
                edge("pid 12 (api)", "pid 10 (worker)", false),
                edge("pid 12 (api)", "pid 11 (api)", true),
                edge("pid 13 (api)", "prepared transaction 'order-17'", false),
                edge("pid 14 (api)", "pid 13 (api)", false),
            ]
        );
        assert_eq!(graph.left_out, 0);
    }

    #[test]
    fn a_long_queue_is_cut_and_counted() {
        let limits = Limits {
            nodes: 100,
            queue: 5,
            lone: 0,
        };
        let graph = drawn(&crowd(1_000), limits);
        assert_eq!(graph.nodes.len(), 6);
        assert_eq!(graph.nodes[0].more, 995);
        assert_eq!(graph.left_out, 995);
    }

    #[test]
    fn a_circle_is_drawn_from_one_of_its_members() {
        let snapshot = quiet()
            .holds(10, 1)
            .holds(11, 2)
            .waits(10, 2, 9)
            .waits(11, 1, 8);
        let graph = drawn(&snapshot, ROOMY);
        assert_eq!(graph.nodes.len(), 2);
        assert_eq!(graph.edges.len(), 2);
        assert_eq!(graph.left_out, 0);
    }

    #[test]
    fn where_nobody_waits_there_is_nothing_to_draw() {
        assert!(drawn(&quiet(), ROOMY).nodes.is_empty());
    }
}
