//! How many pods there may be, and how many more during a deploy.

use super::*;

#[test]
fn surge_rounds_up_and_a_second_set_may_still_shut_down() {
    for (replicas, strategy, live, peak) in [
        (3, "", 4, 6),
        (4, "", 5, 8),
        (5, "", 7, 10),
        (10, "", 13, 20),
        (10, "  strategy: {rollingUpdate: {maxSurge: 11%}}", 12, 20),
        (10, "  strategy: {rollingUpdate: {maxSurge: 0}}", 10, 20),
        (
            10,
            "  strategy: {rollingUpdate: {maxSurge: 3, maxUnavailable: 0}}",
            13,
            20,
        ),
        (10, "  strategy: {type: Recreate}", 10, 10),
    ] {
        let text = web(&format!("  replicas: {replicas}\n{strategy}"), POOL_OF_TEN);
        let role = roles(&text, &by_pool_variable()).remove(0);
        let instances = role.deploy.instances(role.desired()).expect("it fits");
        assert_eq!(
            (instances.live, instances.peak),
            (live, peak),
            "{replicas} {strategy}"
        );
    }
}

#[test]
fn the_ceiling_of_an_autoscaler_is_budgeted() {
    let sizes = |text: &str| {
        let role = roles(text, &by_pool_variable()).remove(0);
        (role.nodes, role.max_nodes)
    };
    for (replicas, expected) in [
        ("", (2, Some(6))),
        ("  replicas: 1", (2, Some(6))),
        ("  replicas: 4", (4, Some(6))),
        // Until the autoscaler takes them away.
        ("  replicas: 9", (9, None)),
        ("  replicas: 0", (6, Some(6))),
    ] {
        let text = web(replicas, POOL_OF_TEN) + &autoscaler("", 6);
        assert_eq!(sizes(&text), expected, "{replicas}");
    }
    let two = web("", POOL_OF_TEN) + &autoscaler("", 6) + &autoscaler(", namespace: shop", 8);
    assert_eq!(sizes(&two), (2, Some(8)));
    let elsewhere = web("", POOL_OF_TEN) + &autoscaler(", namespace: other", 6);
    assert_eq!(sizes(&elsewhere), (1, None));
    let import = imported(&elsewhere, &by_pool_variable());
    assert_eq!(
        import.notes,
        [
            "HorizontalPodAutoscaler other/web-6 is for Deployment web, which is not among the manifests"
        ]
    );
}

/// Sums that people found out in production, from the manifests that they had: (replicas, the
/// autoscaler's ceiling, pool), then connections without a deploy, in one, and with what shuts down.
#[test]
fn known_incidents_add_up_from_their_manifests() {
    for (replicas, ceiling, pool, steady, live, peak) in [
        // An autoscaler's ceiling and surge against 197 usable.
        (3, Some(6), 25, 150, 200, 300),
        (3, Some(6), 10, 60, 80, 120),
        // 5 x 20 is 100, of 97 usable.
        (5, None, 20, 100, 140, 200),
        (5, None, 13, 65, 91, 130),
        (3, None, 10, 30, 40, 60),
        (2, None, 10, 20, 30, 40),
    ] {
        let container = format!("env: [{{name: DB_POOL, value: '{pool}'}}]");
        let deployment = web(&format!("  replicas: {replicas}"), &container);
        let text = deployment + &ceiling.map_or(String::new(), |ceiling| autoscaler("", ceiling));
        let role = roles(&text, &by_pool_variable()).remove(0);
        let instances = role.deploy.instances(role.desired()).expect("it fits");
        let found = [instances.desired, instances.live, instances.peak];
        assert_eq!(found.map(|pods| pods * role.pool), [steady, live, peak]);
    }
}

#[test]
fn runs_count_as_often_as_they_may_overlap() {
    let nodes = |policy: &str, wishes: &Wishes| {
        let text = format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: a}}, spec: {{{policy} jobTemplate: {{spec: {{parallelism: 2, template: {{spec: {{containers: [{{name: a, {POOL_OF_TEN}}}]}}}}}}}}}}}}"
        );
        let file = imported(&text, wishes).to_string();
        let line = file.lines().find(|line| line.contains("nodes = "));
        line.and_then(|line| line.split_whitespace().nth(2))
            .map(str::to_owned)
    };
    let known = |number: &str| Some(number.to_owned());
    let wishes = by_pool_variable();
    assert_eq!(nodes("", &wishes), known("\"?\""));
    assert_eq!(nodes("concurrencyPolicy: Forbid,", &wishes), known("2"));
    assert_eq!(nodes("concurrencyPolicy: Replace,", &wishes), known("4"));
    let wishes = Wishes {
        overlapping_runs: Some(3),
        ..wishes
    };
    assert_eq!(nodes("", &wishes), known("6"));
    assert_eq!(nodes("concurrencyPolicy: Forbid,", &wishes), known("2"));
}

#[test]
fn the_grace_period_says_how_many_deploys_overlap() {
    let rollouts = |spec: &str, every: u64| {
        let wishes = Wishes {
            deploy_every: Some(Duration::from_secs(every)),
            ..by_pool_variable()
        };
        let container = format!("{POOL_OF_TEN}}}], {spec} x: [{{");
        roles(&web("", &container), &wishes)
            .remove(0)
            .deploy
            .rollouts
    };
    assert_eq!(rollouts("", 60), 1);
    assert_eq!(rollouts("", 10), 3);
    assert_eq!(rollouts("terminationGracePeriodSeconds: 3600,", 600), 6);
    assert_eq!(rollouts("terminationGracePeriodSeconds: 601,", 600), 2);
    assert_eq!(rollouts("terminationGracePeriodSeconds: 0,", 600), 1);
}

#[test]
fn a_hook_of_a_deploy_is_no_role() {
    let text = format!(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: migrate, annotations: {{helm.sh/hook: 'pre-upgrade,test'}}}}, spec: {{template: {{spec: {{containers: [{{name: a, {POOL_OF_TEN}}}]}}}}}}}}"
    );
    let plan = plan(&imported(&text, &by_pool_variable()));
    assert_eq!(plan.roles, []);
    let external = &plan.externals[0];
    assert_eq!(
        (external.name.as_str(), external.connections),
        ("migrate", 10)
    );
    assert_eq!(external.when, crate::budget::plan::When::OnlyDuringADeploy);
}

#[test]
fn what_has_no_pods_now_is_there_as_a_comment() {
    let text =
        web("  replicas: 0", POOL_OF_TEN) + "---\n" + &web("", POOL_OF_TEN).replace("web", "api");
    let import = imported(&text, &by_pool_variable());
    assert_eq!(plan(&import).roles.len(), 1);
    assert_eq!(import.notes, ["commented out, since without pods now: web"]);
    assert!(
        import
            .to_string()
            .contains("\n#[[role]]\n#name = \"web\"\n")
    );
}
