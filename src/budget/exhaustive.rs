//! The verdict on a pool, against a search of every state that it can come into.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::deploy::Deploy;
use super::plan::{Lock, Role, Scope};
use super::starvation::{self, Verdict};

/// Holders of one kind: how many at once, and how many further connections each takes.
type Class = (u64, u64);

fn role(pool: u64, classes: &[Class]) -> Role {
    let locks = classes.iter().map(|&(concurrency, needs)| Lock {
        name: "lock".to_owned(),
        concurrency,
        needs,
        hold: None,
        scope: Scope::Transaction,
        own_pool: None,
        rate: None,
        max_wait: None,
        place: None,
    });
    Role {
        name: "jobs".to_owned(),
        nodes: 1,
        max_nodes: None,
        processes: 1,
        pool,
        overflow: 0,
        extra: 0,
        user: "jobs".to_owned(),
        database: "app".to_owned(),
        application_name: "jobs".to_owned(),
        via: None,
        deploy: Deploy::default(),
        locks: locks.collect(),
        place: None,
    }
}

fn verdict(pool: u64, classes: &[Class]) -> Verdict {
    let pressure = starvation::of_role(&role(pool, classes)).expect("small numbers fit");
    pressure.expect("there are locks").verdict
}

/// Connections that each holder has, and how many each must have to end.
struct Search {
    goals: Vec<u64>,
    pool: u64,
    seen: BTreeSet<Vec<u64>>,
}

impl Search {
    fn of(pool: u64, classes: &[Class]) -> Self {
        let goals = classes
            .iter()
            .flat_map(|&(holders, needs)| (0..holders).map(move |_| needs + 1));
        Self {
            goals: goals.collect(),
            pool,
            seen: BTreeSet::new(),
        }
    }

    /// Whether some order of taking connections ends where nobody can go on.
    fn finds_a_standstill(&mut self, held: &[u64]) -> bool {
        if !self.seen.insert(held.to_vec()) {
            return false;
        }
        let next = self.next(held);
        let is_at_rest = held.iter().all(|held| *held == 0);
        (next.is_empty() && !is_at_rest) || next.iter().any(|held| self.finds_a_standstill(held))
    }

    /// One takes a connection, or one that has all lets go of them.
    fn next(&self, held: &[u64]) -> Vec<Vec<u64>> {
        let is_free = held.iter().sum::<u64>() < self.pool;
        let mut next = Vec::new();
        for (at, goal) in self.goals.iter().enumerate() {
            let mut after = held.to_vec();
            match held[at] {
                all if all == *goal => after[at] = 0,
                _ if is_free => after[at] += 1,
                _ => continue,
            }
            next.push(after);
        }
        next
    }
}

fn is_deadlock_reachable(pool: u64, classes: &[Class]) -> bool {
    let mut search = Search::of(pool, classes);
    let nothing = vec![0; search.goals.len()];
    search.finds_a_standstill(&nothing)
}

proptest! {
    #[test]
    fn the_verdict_is_what_a_search_of_all_states_finds(
        classes in prop::collection::vec((1..=2_u64, 0..=2_u64), 1..=2),
        pool in 1..=10_u64,
    ) {
        let said = verdict(pool, &classes) == Verdict::DeadlockReachable;
        prop_assert_eq!(said, is_deadlock_reachable(pool, &classes));
    }
}

#[test]
fn every_pool_of_equal_holders_up_to_four_is_judged_as_the_search_does() {
    for holders in 1..=4 {
        for needs in 0..=2 {
            for pool in 1..=10 {
                let classes = [(holders, needs)];
                let said = verdict(pool, &classes) == Verdict::DeadlockReachable;
                let found = is_deadlock_reachable(pool, &classes);
                assert_eq!(said, found, "{holders} holders need {needs} of {pool}");
            }
        }
    }
}

#[test]
fn four_holders_that_need_one_more_each_starve_a_pool_of_four() {
    assert_eq!(verdict(4, &[(4, 1)]), Verdict::DeadlockReachable);
    assert_eq!(verdict(5, &[(4, 1)]), Verdict::Safe);
    assert_eq!(verdict(4, &[(3, 1)]), Verdict::Safe);
    assert_eq!(verdict(4, &[(4, 0)]), Verdict::AllPinned);
    assert_eq!(verdict(4, &[(3, 1), (5, 0)]), Verdict::AllPinned);
}
