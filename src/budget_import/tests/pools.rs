//! Where the size of a pool is found, and whose pool it is.

use super::*;

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
