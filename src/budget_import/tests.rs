//! Files from manifests: what they say, and that they are always understood.

use super::*;
use crate::budget::plan::Role;
use crate::budget_file::{self, Draft as Plan, ServerFrom};
use crate::manifest::{self, Source};

fn read(text: &str) -> Manifests {
    let source = Source {
        name: "m.yaml".to_owned(),
        text: text.to_owned(),
    };
    manifest::read(&[source]).unwrap_or_else(|mistake| panic!("{mistake}"))
}

pub(super) fn by_pool_variable() -> Wishes {
    Wishes {
        pool_variables: vec!["DB_POOL".to_owned()],
        ..Wishes::default()
    }
}

#[track_caller]
fn imported(text: &str, wishes: &Wishes) -> Import {
    import(&read(text), wishes).expect("it can be imported")
}

/// The file as `budget check` reads it, once every `"?"` is a 1.
#[track_caller]
pub(super) fn plan(import: &Import) -> Plan {
    let text = import.to_string();
    let lines = text.lines().map(|line| match line.starts_with("name") {
        true => line.to_owned(),
        false => line.replace("= \"?\"", "= 1"),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    budget_file::read("b.toml", &text, ServerFrom::Live)
        .unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

#[track_caller]
fn roles(text: &str, wishes: &Wishes) -> Vec<Role> {
    plan(&imported(text, wishes)).roles
}

/// A Deployment of one container, with these lines in its `spec` and this in its container.
pub(super) fn web(spec: &str, container: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  template: {{spec: {{containers: [{{name: app, {container}}}]}}}}\n{spec}\n"
    )
}

pub(super) const POOL_OF_TEN: &str = "env: [{name: DB_POOL, value: '10'}]";

fn autoscaler(namespace: &str, max: u64) -> String {
    format!(
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web-{max}{namespace}}}\nspec:\n  scaleTargetRef: {{kind: Deployment, name: web}}\n  minReplicas: 2\n  maxReplicas: {max}\n"
    )
}

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

/// What the file has for `key`, with its comment: beside it, or above it where it is long.
#[track_caller]
fn line(text: &str, wishes: &Wishes, key: &str) -> String {
    let file = imported(text, wishes).to_string();
    let begin = format!("{key} = ");
    let lines: Vec<&str> = file.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(&begin));
    let at = at.expect("the key is there");
    let above = lines[..at].iter().rposition(|line| !line.starts_with('#'));
    let above = lines[above.map_or(0, |above| above + 1)..at].iter();
    let comment: String = above.map(|line| line.trim_start_matches('#')).collect();
    let comment = match comment.is_empty() {
        true => String::new(),
        false => format!(" #{comment}"),
    };
    let words = format!("{}{comment}", lines[at]);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_pool_is_found_where_kubernetes_would_find_it() {
    let wishes = by_pool_variable();
    let map = |namespace: &str, value: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: env{namespace}}}\ndata: {{DB_POOL: '{value}', APP_DB_POOL: '9'}}\n"
        )
    };
    let from_map =
        "env: [{name: DB_POOL, valueFrom: {configMapKeyRef: {name: env, key: DB_POOL}}}]";
    for (container, more, expected) in [
        (POOL_OF_TEN, String::new(), "10 # DB_POOL"),
        (
            "env: [{name: DB_POOL, value: 7}]",
            String::new(),
            "7 # DB_POOL",
        ),
        (
            "env: [{name: DB_POOL, value: '1'}, {name: DB_POOL, value: '2'}]",
            String::new(),
            "2 # DB_POOL",
        ),
        (from_map, map("", "8"), "8 # DB_POOL, of ConfigMap `env`"),
        (
            from_map,
            map("", "8") + &map(", namespace: shop", "6"),
            "6 # DB_POOL, of ConfigMap `env`",
        ),
        (
            from_map,
            map(", namespace: other", "8"),
            "\"?\" # DB_POOL is in ConfigMap `env`, which is not among the manifests",
        ),
        (
            "env: [{name: DB_POOL, valueFrom: {configMapKeyRef: {name: env, key: x}}}]",
            map("", "8"),
            "\"?\" # DB_POOL, of ConfigMap `env`, which has no key `x`",
        ),
        (
            "env: [{name: DB_POOL, valueFrom: {secretKeyRef: {name: s, key: x}}}]",
            String::new(),
            "\"?\" # DB_POOL is in Secret `s`, which is not read",
        ),
        (
            "env: [{name: DB_POOL, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]",
            String::new(),
            "\"?\" # DB_POOL is set only when the pod runs",
        ),
        (
            "envFrom: [{configMapRef: {name: env}}]",
            map("", "8"),
            "8 # DB_POOL, of ConfigMap `env`",
        ),
        (
            "envFrom: [{secretRef: {name: s}}, {configMapRef: {name: env}}]",
            map("", "8"),
            "8 # DB_POOL, of ConfigMap `env`",
        ),
        (
            "envFrom: [{prefix: DB_, configMapRef: {name: env}}]",
            map("", "8"),
            "\"?\" # DB_POOL is not set in app",
        ),
        (
            "envFrom: [{secretRef: {name: s}}], env: [{name: DB_POOL, value: '3'}]",
            String::new(),
            "3 # DB_POOL",
        ),
        (
            "image: x",
            String::new(),
            "\"?\" # DB_POOL is not set in app",
        ),
        (
            "env: [{name: DB_POOL}]",
            String::new(),
            "\"?\" # DB_POOL: it is empty",
        ),
        (
            "env: [{name: DB_POOL, value: '$(N)'}]",
            String::new(),
            "\"?\" # DB_POOL: it is made of other variables",
        ),
        (
            "env: [{name: DB_POOL, value: 'postgres://u:secret@db/x'}]",
            String::new(),
            "\"?\" # DB_POOL: it is no whole number of at least 1",
        ),
        (
            "env: [{name: DB_POOL, value: '99999999999'}]",
            String::new(),
            "\"?\" # DB_POOL: it is no whole number of at least 1",
        ),
    ] {
        let text = web("", container) + &more;
        assert_eq!(
            line(&text, &wishes, "pool"),
            format!("pool = {expected}"),
            "{container}"
        );
    }
}

#[test]
fn no_library_reads_no_limit_as_a_number() {
    for value in ["0", "-1"] {
        let text = web("", &format!("env: [{{name: DB_POOL, value: '{value}'}}]"));
        let file = imported(&text, &by_pool_variable()).to_string();
        assert!(file.contains("pool = \"?\""), "{file}");
        assert!(
            file.contains(&format!("{value} means \"no limit\"")),
            "{file}"
        );
    }
}

#[test]
fn processes_and_overflow_have_variables_of_their_own() {
    let mut wishes = by_pool_variable();
    wishes.process_variables = vec!["WEB_CONCURRENCY".to_owned()];
    wishes.overflow_variables = vec!["DB_OVERFLOW".to_owned()];
    let both = "env: [{name: DB_POOL, value: '5'}, {name: WEB_CONCURRENCY, value: '3'}, {name: DB_OVERFLOW, value: '0'}]";
    let role = roles(&web("", both), &wishes).remove(0);
    assert_eq!((role.pool, role.processes, role.overflow), (5, 3, 0));
    let neither = web("", POOL_OF_TEN);
    assert_eq!(
        line(&neither, &wishes, "processes"),
        "processes = 1 # WEB_CONCURRENCY is not set: one process"
    );
    assert_eq!(
        line(&neither, &wishes, "overflow"),
        "overflow = \"?\" # DB_OVERFLOW is not set: the library's own default"
    );
    wishes.pools.insert("web".to_owned(), 15);
    let role = roles(&neither, &wishes).remove(0);
    assert_eq!((role.pool, role.overflow), (15, 0));
}

/// Each has a pool of its own, and a deadlock is judged by the pool.
#[test]
fn containers_of_one_pod_become_roles_of_their_own() {
    let pod = "{name: a, env: [{name: DB_POOL, value: '5'}]}, {name: b, env: [{name: DB_POOL, value: '3'}]}, {name: c}";
    let text = format!(
        "{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: web}}, spec: {{replicas: 2, template: {{spec: {{containers: [{pod}], initContainers: [INIT]}}}}}}}}"
    );
    let found = |init: &str| {
        let import = imported(&text.replace("INIT", init), &by_pool_variable());
        let roles = plan(&import)
            .roles
            .into_iter()
            .map(|role| (role.name, role.pool));
        (roles.collect::<Vec<_>>(), import.to_string())
    };
    let named = |name: &str, pool| (name.to_owned(), pool);
    let two = vec![named("web/a", 5), named("web/b", 3)];
    let (roles, file) = found("");
    assert_eq!(roles, two);
    assert!(
        file.contains("# Not counted, since DB_POOL is not set there: c."),
        "{file}"
    );
    let init = |more: &str| format!("{{name: init, {more}}}");
    // It ends before the others begin, and opens no more than they do.
    let (roles, file) = found(&init("env: [{name: DB_POOL, value: '8'}]"));
    assert_eq!(roles, two);
    assert!(
        file.contains("Init container init has a pool too"),
        "{file}"
    );
    for more in [
        "env: [{name: DB_POOL, value: '9'}]",
        "restartPolicy: Always, env: [{name: DB_POOL, value: '9'}]",
    ] {
        let three = [two.clone(), vec![named("web/init", 9)]].concat();
        assert_eq!(found(&init(more)).0, three);
    }
}

#[test]
fn names_tell_roles_apart() {
    let object = |kind: &str, namespace: &str, name: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: '{name}', namespace: {namespace}}}, spec: {{template: {{spec: {{containers: [{{name: a}}]}}}}}}}}"
        )
    };
    let text = [
        object("Deployment", "shop", "web"),
        object("Deployment", "billing", "web"),
        object("StatefulSet", "shop", "web"),
        object("Deployment", "shop", "api"),
        object("Deployment", "shop", "shop:web (Deployment)"),
    ]
    .join("\n---\n");
    let names: Vec<String> = roles(&text, &by_pool_variable())
        .into_iter()
        .map(|role| role.name)
        .collect();
    assert_eq!(
        names,
        [
            "shop:web (Deployment)",
            "billing:web",
            "shop:web (StatefulSet)",
            "api",
            "shop:web (Deployment) 2"
        ]
    );
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

#[test]
fn a_wish_for_nobody_is_refused() {
    let manifests = read(&web("", POOL_OF_TEN));
    let wishes = |pool: &str, skip: &str| Wishes {
        pools: BTreeMap::from([(pool.to_owned(), 3)]),
        skipped: vec![skip.to_owned()],
        ..by_pool_variable()
    };
    let no_such = |name: &str| {
        Err(Refusal::NoSuchRole {
            name: name.to_owned(),
            roles: vec!["web".to_owned()],
        })
    };
    assert_eq!(import(&manifests, &wishes("wbe", "web")), no_such("wbe"));
    assert_eq!(import(&manifests, &wishes("web", "wbe")), no_such("wbe"));
    assert_eq!(
        import(&manifests, &wishes("web", "web")),
        Err(Refusal::AllSkipped)
    );
}
