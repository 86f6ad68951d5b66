//! Whatever number of a plan grows, the demand never shrinks.

use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use super::demand::{self, Connections};
use super::deploy::{Deploy, Draining, Share, Strategy};
use super::fit;
use super::plan::{
    ConnectionKind, Deploys, External, Lock, Plan, Policy, PoolMode, Pooler, Role, Scope, When,
};
use super::server::Server;

fn total(plan: &Plan) -> Connections {
    let parts = demand::parts(plan).expect("small numbers fit");
    demand::total(&parts, plan.policy.deploys).expect("small numbers fit")
}

fn strategy() -> impl proptest::strategy::Strategy<Value = Strategy> {
    let share = || {
        prop_oneof![
            (0..9_u64).prop_map(Share::Count),
            (0..=100_u64).prop_map(Share::Percent)
        ]
    };
    prop_oneof![
        Just(Strategy::Replace),
        share().prop_map(|green| Strategy::Double { green }),
        (share(), share()).prop_map(|(max_surge, max_unavailable)| Strategy::Rolling {
            max_surge,
            max_unavailable
        }),
        (100..300_u64).prop_map(|maximum_percent| Strategy::Ecs { maximum_percent }),
        share().prop_map(|canaries| Strategy::Canary { canaries }),
        share().prop_map(|limit| Strategy::Batch { limit }),
        (100..300_u64).prop_map(|percent| Strategy::Factor { percent }),
    ]
}

prop_compose! {
    fn role()(
        strategy in strategy(),
        rollouts in 1..4_u64,
        released in any::<bool>(),
        pooled in any::<bool>(),
        numbers in (1..9_u64, 1..4_u64, 1..20_u64, 0..9_u64, 0..4_u64, 1..5_u64),
        names in (0..2_u8, 0..2_u8),
    ) -> Role {
        let (nodes, processes, pool, overflow, extra, own_pool) = numbers;
        let draining = if released { Draining::Released } else { Draining::Counted };
        Role {
            name: "role".to_owned(),
            nodes,
            max_nodes: None,
            processes,
            pool,
            overflow,
            extra,
            user: format!("user{}", names.0),
            database: format!("database{}", names.1),
            application_name: "role".to_owned(),
            via: pooled.then(|| "main".to_owned()),
            deploy: Deploy { strategy, draining, rollouts },
            locks: vec![lock(own_pool)],
            place: None,
        }
    }
}

fn lock(own_pool: u64) -> Lock {
    Lock {
        name: "lock".to_owned(),
        concurrency: 1,
        needs: 1,
        hold: None,
        scope: Scope::Transaction,
        own_pool: Some(own_pool),
        rate: None,
        max_wait: None,
        place: None,
    }
}

prop_compose! {
    fn plan()(
        roles in prop::collection::vec(role(), 1..4),
        caps in (0..60_u64, 0..60_u64),
        numbers in (1..4_u64, 1..30_u64, 0..9_u64, 0..5_u64),
        together in any::<bool>(),
        external in (1..9_u64, any::<bool>()),
    ) -> Plan {
        let (processes, pool_size, reserve_pool_size, other_pairs) = numbers;
        let cap = |cap: u64| (cap > 0).then_some(cap);
        let pooler = Pooler {
            name: "main".to_owned(),
            processes,
            pool_size,
            reserve_pool_size,
            max_db_connections: cap(caps.0),
            max_user_connections: cap(caps.1),
            max_client_conn: 100,
            mode: PoolMode::Transaction,
            other_pairs,
            deploy: Deploy::default(),
            place: None,
        };
        let external = External {
            name: "backup".to_owned(),
            connections: external.0,
            when: if external.1 { When::Always } else { When::OnlyDuringADeploy },
            kind: ConnectionKind::Client,
            user: None,
            database: None,
            place: None,
        };
        let deploys = if together { Deploys::Together } else { Deploys::OneAtATime };
        Plan {
            server: Server::with_max_connections(100),
            policy: Policy { deploys, ..Policy::default() },
            roles,
            poolers: vec![pooler],
            externals: vec![external],
            limits: Vec::new(),
        }
    }
}

type Growth = fn(&mut Plan, usize);

/// Each makes one number of the plan larger.
const GROWTHS: &[(&str, Growth)] = &[
    ("nodes", |plan, at| plan.roles[at].nodes += 1),
    ("max_nodes", |plan, at| {
        plan.roles[at].max_nodes = Some(plan.roles[at].nodes + 1);
    }),
    ("processes", |plan, at| plan.roles[at].processes += 1),
    ("pool", |plan, at| plan.roles[at].pool += 1),
    ("overflow", |plan, at| plan.roles[at].overflow += 1),
    ("extra", |plan, at| plan.roles[at].extra += 1),
    ("own_pool", |plan, at| plan.roles[at].locks.push(lock(1))),
    ("rollouts", |plan, at| plan.roles[at].deploy.rollouts += 1),
    ("draining", |plan, at| {
        plan.roles[at].deploy.draining = Draining::Counted;
    }),
    ("strategy", |plan, at| {
        grow_strategy(&mut plan.roles[at].deploy.strategy)
    }),
    ("external", |plan, _| plan.externals[0].connections += 1),
    ("pooler's processes", |plan, _| {
        plan.poolers[0].processes += 1
    }),
    ("pool_size", |plan, _| plan.poolers[0].pool_size += 1),
    ("reserve_pool_size", |plan, _| {
        plan.poolers[0].reserve_pool_size += 1
    }),
    ("other_pairs", |plan, _| plan.poolers[0].other_pairs += 1),
    ("max_db_connections", |plan, _| {
        grow_cap(&mut plan.poolers[0].max_db_connections)
    }),
    ("max_user_connections", |plan, _| {
        grow_cap(&mut plan.poolers[0].max_user_connections)
    }),
    ("deploys", |plan, _| plan.policy.deploys = Deploys::Together),
    ("another role", |plan, at| {
        let role = plan.roles[at].clone();
        plan.roles.push(role);
    }),
];

fn grow_cap(cap: &mut Option<u64>) {
    *cap = cap.map(|cap| cap + 1);
}

fn grow_strategy(strategy: &mut Strategy) {
    match strategy {
        Strategy::Replace => *strategy = Deploy::default().strategy,
        Strategy::Double { green: share }
        | Strategy::Rolling {
            max_surge: share, ..
        }
        | Strategy::Canary { canaries: share }
        | Strategy::Batch { limit: share } => match share {
            Share::Count(number) | Share::Percent(number) => *number += 1,
        },
        Strategy::Ecs {
            maximum_percent: percent,
        }
        | Strategy::Factor { percent } => *percent += 1,
    }
}

proptest! {
    #[test]
    fn demand_is_monotone_in_every_input(plan in plan(), at in any::<prop::sample::Index>()) {
        let at = at.index(plan.roles.len());
        let before = total(&plan);
        prop_assert!(before.steady <= before.live && before.live <= before.peak);
        for (input, grow) in GROWTHS {
            let mut grown = plan.clone();
            grow(&mut grown, at);
            let after = total(&grown);
            prop_assert!(before.steady <= after.steady, "{input}: {before:?}, {after:?}");
            prop_assert!(before.live <= after.live, "{input}: {before:?}, {after:?}");
            prop_assert!(before.peak <= after.peak, "{input}: {before:?}, {after:?}");
        }
    }

    /// One more than the largest that fits does not.
    #[test]
    fn the_largest_pool_that_fits_is_the_largest(mut plan in plan(), room in 10..400_u64) {
        plan.server = Server::with_max_connections(room);
        plan.poolers[0].max_client_conn = 10_000;
        let fits = |pool| total(&fit::with_pool(&plan, fit::Whom::Everybody, pool)).peak <= plan.server.usable();
        match fit::largest_pool(&plan, fit::Whom::Everybody) {
            Some(pool) if plan.roles.iter().any(|role| role.via.is_none()) => {
                prop_assert!(fits(pool) && !fits(pool + 1));
            }
            Some(_) => prop_assert!(fits(1)),
            None => prop_assert!(!fits(1)),
        }
    }
}
