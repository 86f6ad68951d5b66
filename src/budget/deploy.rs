//! How many instances live at once while a new version takes the place of the old, with each
//! platform's own rounding.

/// A number of instances, or per cent of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    Count(u64),
    Percent(u64),
}

impl Share {
    /// `None` when it does not fit.
    fn rounded_up(self, total: u64) -> Option<u64> {
        match self {
            Self::Count(count) => Some(count),
            Self::Percent(percent) => Some(percent.checked_mul(total)?.div_ceil(100)),
        }
    }

    fn rounded_down(self, total: u64) -> Option<u64> {
        match self {
            Self::Count(count) => Some(count),
            Self::Percent(percent) => Some(percent.checked_mul(total)? / 100),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deploy {
    pub strategy: Strategy,
    pub draining: Draining,
    /// Deploys that may overlap within the grace period.
    pub rollouts: u64,
}

/// Whether an instance that is told to stop keeps its connections until it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draining {
    Counted,
    /// It closes its pool as soon as it is told to.
    Released,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The old ones are gone before the new ones come: Recreate, StatefulSet, in place.
    Replace,
    /// Every instance twice: blue/green, preboot.
    Double { green: Share },
    /// A Kubernetes Deployment. Rounds as `ResolveFenceposts` in its controller does: surge up,
    /// unavailable down, and one unavailable where both come out as none.
    Rolling {
        max_surge: Share,
        max_unavailable: Share,
    },
    /// An ECS service: running and pending tasks stay below this, rounded down.
    Ecs { maximum_percent: u64 },
    /// So many new ones beside the old, which are then replaced in place: Nomad, Fly.
    Canary { canaries: Share },
    /// New ones start beside the old, one group of hosts after another: Kamal's `boot.limit`, where
    /// per cent round down, to one at least.
    Batch { limit: Share },
    /// So many per cent of all instances, rounded up.
    Factor { percent: u64 },
}

impl Default for Deploy {
    fn default() -> Self {
        Self::with(Strategy::Double {
            green: Share::Percent(100),
        })
    }
}

/// How many instances there are, without a deploy and during one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instances {
    pub desired: u64,
    /// At the peak of a deploy, without those that are shutting down.
    pub live: u64,
    /// At the peak, with all that may still hold connections.
    pub peak: u64,
}

impl Deploy {
    pub fn with(strategy: Strategy) -> Self {
        Self {
            strategy,
            draining: Draining::Counted,
            rollouts: 1,
        }
    }

    /// `None` when the numbers do not fit.
    pub fn instances(&self, desired: u64) -> Option<Instances> {
        let live = self.live(desired)?;
        let peak = match self.draining {
            Draining::Counted => self.with_draining(desired, live)?,
            Draining::Released => live,
        };
        Some(Instances {
            desired,
            live,
            peak,
        })
    }

    fn live(&self, desired: u64) -> Option<u64> {
        let twice = desired.checked_mul(2)?;
        match self.strategy {
            Strategy::Replace => Some(desired),
            Strategy::Double { green } => desired.checked_add(green.rounded_up(desired)?),
            Strategy::Rolling { max_surge, .. } => {
                let surge = max_surge.rounded_up(desired)?;
                Some(desired.checked_add(surge)?.min(twice))
            }
            Strategy::Ecs { maximum_percent } => {
                let most = desired.checked_mul(maximum_percent)? / 100;
                Some(most.clamp(desired, twice))
            }
            Strategy::Canary { canaries } => desired.checked_add(canaries.rounded_up(desired)?),
            Strategy::Batch { limit } => {
                let hosts = match limit {
                    Share::Count(count) => count,
                    percent => percent.rounded_down(desired)?.max(1),
                };
                desired.checked_add(hosts.min(desired))
            }
            Strategy::Factor { percent } => {
                let scaled = Share::Percent(percent).rounded_up(desired)?;
                Some(scaled.max(desired))
            }
        }
    }

    /// Kubernetes and ECS do not count what is shutting down, so that each rollout may leave a whole
    /// set behind for as long as the grace period lasts.
    fn with_draining(&self, desired: u64, live: u64) -> Option<u64> {
        let sets = |set: u64| desired.checked_add(set.checked_mul(self.rollouts)?);
        match self.strategy {
            Strategy::Double { green } => sets(green.rounded_up(desired)?),
            Strategy::Rolling { .. } | Strategy::Ecs { .. } => sets(desired),
            _ => Some(live),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Strategy;
    use super::*;
    use proptest::prelude::*;
    use proptest::strategy::Strategy as _;

    fn peaks(strategy: Strategy, desired: u64) -> (u64, u64) {
        let deploy = Deploy::with(strategy);
        let found = deploy.instances(desired).expect("small numbers fit");
        (found.live, found.peak)
    }

    fn rolling(max_surge: Share, max_unavailable: Share) -> Strategy {
        Strategy::Rolling {
            max_surge,
            max_unavailable,
        }
    }

    #[test]
    fn every_strategy_has_its_own_rounding() {
        use Share::{Count, Percent};
        let quarter = rolling(Percent(25), Percent(25));
        assert_eq!(peaks(Strategy::Replace, 3), (3, 3));
        assert_eq!(peaks(Deploy::default().strategy, 3), (6, 6));
        assert_eq!(peaks(Strategy::Double { green: Count(1) }, 3), (4, 4));
        // Surge rounds up; what is shutting down comes on top.
        assert_eq!(peaks(quarter, 3), (4, 6));
        assert_eq!(peaks(quarter, 4), (5, 8));
        assert_eq!(peaks(quarter, 5), (7, 10));
        assert_eq!(peaks(rolling(Count(0), Percent(1)), 3), (3, 6));
        assert_eq!(peaks(rolling(Count(9), Count(0)), 3), (6, 6));
        let ecs = |maximum_percent| Strategy::Ecs { maximum_percent };
        assert_eq!(peaks(ecs(150), 3), (4, 6));
        assert_eq!(peaks(ecs(100), 3), (3, 6));
        assert_eq!(peaks(ecs(400), 3), (6, 6));
        assert_eq!(peaks(Strategy::Canary { canaries: Count(1) }, 3), (4, 4));
        assert_eq!(
            peaks(
                Strategy::Canary {
                    canaries: Percent(34)
                },
                3
            ),
            (5, 5)
        );
        let batch = |limit| Strategy::Batch { limit };
        assert_eq!(peaks(batch(Percent(25)), 4), (5, 5));
        assert_eq!(peaks(batch(Percent(10)), 4), (5, 5));
        assert_eq!(peaks(batch(Percent(100)), 4), (8, 8));
        assert_eq!(peaks(batch(Count(9)), 4), (8, 8));
        assert_eq!(peaks(Strategy::Factor { percent: 150 }, 3), (5, 5));
        assert_eq!(peaks(Strategy::Factor { percent: 101 }, 100), (101, 101));
    }

    #[test]
    fn rollouts_that_overlap_leave_a_set_behind_each() {
        let mut deploy = Deploy::with(rolling(Share::Percent(25), Share::Percent(25)));
        deploy.rollouts = 2;
        assert_eq!(deploy.instances(10).map(|found| found.peak), Some(30));
        deploy.rollouts = 3;
        assert_eq!(deploy.instances(10).map(|found| found.peak), Some(40));
        deploy.draining = Draining::Released;
        assert_eq!(deploy.instances(10).map(|found| found.peak), Some(13));
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        assert_eq!(Deploy::default().instances(u64::MAX), None);
        let factor = Deploy::with(Strategy::Factor { percent: u64::MAX });
        assert_eq!(factor.instances(2), None);
    }

    fn share(most: u64) -> BoxedStrategy<Share> {
        prop_oneof![
            (0..=most).prop_map(Share::Count),
            (0..=100_u64).prop_map(Share::Percent)
        ]
        .boxed()
    }

    proptest! {
        /// Whatever surge is allowed, what lives is no more than with what is shutting down, and
        /// that no more than every instance twice.
        #[test]
        fn live_is_within_draining_and_draining_within_double(
            desired in 1..200_u64, surge in share(40), unavailable in share(40), percent in 100..400_u64,
        ) {
            for strategy in [
                Strategy::Replace,
                rolling(surge, unavailable),
                Strategy::Ecs { maximum_percent: percent },
                Strategy::Double { green: Share::Percent(percent.min(100)) },
                Strategy::Batch { limit: surge },
            ] {
                let (live, draining) = peaks(strategy, desired);
                prop_assert!(desired <= live && live <= draining && draining <= 2 * desired);
            }
        }

        #[test]
        fn more_nodes_never_mean_fewer_instances(
            desired in 1..200_u64, surge in share(40), rollouts in 1..4_u64,
        ) {
            for strategy in [
                rolling(surge, Share::Percent(25)),
                Strategy::Batch { limit: surge },
                Strategy::Canary { canaries: surge },
                Strategy::Double { green: surge },
                Strategy::Factor { percent: 137 },
                Strategy::Ecs { maximum_percent: 137 },
            ] {
                let deploy = Deploy { rollouts, ..Deploy::with(strategy) };
                let (few, more) = (deploy.instances(desired), deploy.instances(desired + 1));
                let (few, more) = (few.expect("it fits"), more.expect("it fits"));
                prop_assert!(few.live <= more.live && few.peak <= more.peak);
            }
        }
    }
}
