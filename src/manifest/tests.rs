//! Manifests as people write them, and as nobody should.

use super::*;
use crate::budget::deploy::Share;

fn read_text(text: &str) -> Result<Manifests, Mistake> {
    read(&[Source {
        name: "m.yaml".to_owned(),
        text: text.to_owned(),
    }])
}

#[track_caller]
fn manifests(text: &str) -> Manifests {
    read_text(text).unwrap_or_else(|mistake| panic!("{mistake}"))
}

/// What is said of a text that can't be used.
#[track_caller]
fn refusal(text: &str) -> String {
    let mistake = read_text(text).expect_err("it can't be used");
    match mistake.instead.as_deref() {
        Some(instead) => format!("{mistake}; {instead}"),
        None => mistake.to_string(),
    }
}

/// A Deployment with these lines in its `spec`.
fn deployment(spec: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template: {{spec: {{containers: [{{name: app}}]}}}}\n{spec}"
    )
}

fn only(text: &str) -> Workload {
    let mut workloads = manifests(text).workloads;
    assert_eq!(workloads.len(), 1);
    workloads.remove(0)
}

#[test]
fn a_rollout_is_a_quarter_unless_it_says_otherwise() {
    use Share::{Count, Percent};
    let rollout = |spec: &str| match only(&deployment(spec)).rollout {
        Rollout::Rolling {
            max_surge,
            max_unavailable,
        } => Some((max_surge, max_unavailable)),
        Rollout::InPlace => None,
    };
    let quarter = Some((Percent(25), Percent(25)));
    assert_eq!(rollout(""), quarter);
    assert_eq!(rollout("  strategy: {type: RollingUpdate}"), quarter);
    assert_eq!(
        rollout("  strategy: {rollingUpdate: {maxSurge: 2}}"),
        Some((Count(2), Percent(25)))
    );
    assert_eq!(
        rollout("  strategy: {rollingUpdate: {maxSurge: '150%', maxUnavailable: 0}}"),
        Some((Percent(150), Count(0)))
    );
    assert_eq!(rollout("  strategy: {type: Recreate}"), None);
    for nothing in [
        "maxSurge: 0, maxUnavailable: 0",
        "maxSurge: 0%, maxUnavailable: 0",
    ] {
        let spec = format!("  strategy: {{rollingUpdate: {{{nothing}}}}}");
        assert!(refusal(&deployment(&spec)).contains("both 0, which Kubernetes rejects"));
    }
}

#[test]
fn a_number_is_one_as_kubernetes_has_them() {
    let replicas = |value: &str| only(&deployment(&format!("  replicas: {value}\n"))).scale;
    assert_eq!(replicas("3"), Scale::Replicas(Some(3)));
    assert_eq!(replicas("!!int '3'"), Scale::Replicas(Some(3)));
    assert_eq!(replicas("2147483647"), Scale::Replicas(Some(2_147_483_647)));
    for nothing in ["", "~", "null"] {
        assert_eq!(replicas(nothing), Scale::Replicas(None));
    }
    for wrong in [
        "-1",
        "3.0",
        "'3'",
        "!!str 3",
        "010",
        "0x3",
        "1_000",
        ".nan",
        ".inf",
        "2147483648",
        "99999999999999999999",
        "three",
        "[3]",
        "{}",
    ] {
        let said = refusal(&deployment(&format!("  replicas: {wrong}\n")));
        assert!(
            said.starts_with("m.yaml, document 1, line 6: `replicas` must be a whole number, not "),
            "{said}"
        );
    }
    let long = refusal(&deployment(&format!(
        "  replicas: {}\n",
        "9".repeat(10_000)
    )));
    assert!(long.len() < 250, "{long}");
}

#[test]
fn each_kind_says_how_many_in_its_own_way() {
    let job = "{parallelism: 4, completions: 3, template: {spec: {containers: [{name: a}]}}}";
    let scale = |kind: &str, spec: &str| {
        let group = if kind == "DaemonSet" { "apps" } else { "batch" };
        only(&format!(
            "{{apiVersion: {group}/v1, kind: {kind}, metadata: {{name: a}}, {spec}}}"
        ))
        .scale
    };
    let runs = |concurrency| Scale::Runs {
        at_once: 3,
        concurrency,
    };
    assert_eq!(
        scale("Job", &format!("spec: {job}")),
        runs(Concurrency::Once)
    );
    for (policy, concurrency) in [
        ("", Concurrency::Allow),
        ("concurrencyPolicy: Allow,", Concurrency::Allow),
        ("concurrencyPolicy: Forbid,", Concurrency::Forbid),
        ("concurrencyPolicy: Replace,", Concurrency::Replace),
    ] {
        let spec = format!("spec: {{{policy} jobTemplate: {{spec: {job}}}}}");
        assert_eq!(scale("CronJob", &spec), runs(concurrency));
    }
    let spec = "spec: {template: {spec: {containers: [{name: a}]}}}";
    assert_eq!(
        scale("DaemonSet", spec),
        Scale::EachNode { scheduled: None }
    );
    assert_eq!(
        scale(
            "DaemonSet",
            &format!("{spec}, status: {{desiredNumberScheduled: 7}}")
        ),
        Scale::EachNode { scheduled: Some(7) }
    );
}

#[test]
fn lists_of_every_sort_are_taken_apart() {
    let web = "metadata: {name: web}, spec: {template: {spec: {containers: [{name: a}]}}}";
    let named = format!("{{apiVersion: apps/v1, kind: Deployment, {web}}}");
    for list in [
        format!("{{apiVersion: v1, kind: List, items: [{named}]}}"),
        format!("{{apiVersion: apps/v1, kind: DeploymentList, items: [{{{web}}}]}}"),
        format!(
            "{{apiVersion: v1, kind: List, items: [{{apiVersion: v1, kind: List, items: [{named}]}}]}}"
        ),
        format!("\u{feff}{named}"),
        format!("{named}\r\n---\r\n# nothing\r\n---\r\n"),
    ] {
        assert_eq!(only(&list).kind, Kind::Deployment);
    }
    let deep = "{apiVersion: v1, kind: List, items: [".repeat(6) + &"]}".repeat(6);
    assert!(refusal(&deep).contains("lists stand in lists"));
}

#[test]
fn json_values_one_after_the_other_are_documents() {
    let map = |name: &str| {
        format!(
            "{{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\",\n\t\"metadata\": {{\"name\": \"{name}\"}}\n}}\n"
        )
    };
    let text = map("a") + &map("\\ud83d\\ude00") + "{\"kind\": 1,\n\"kind\": 2}";
    let said = refusal(&text);
    assert!(
        said.starts_with("m.yaml, document 3, line 12: `kind` is there twice"),
        "{said}"
    );
    let found = manifests(&(map("a") + &map("\\ud83d\\ude00"))).config_maps;
    let names: Vec<&str> = found.iter().map(|map| map.name.name.as_str()).collect();
    assert_eq!(names, ["a", "😀"]);
}

#[test]
fn what_is_no_manifest_is_said_with_its_place() {
    for (text, said) in [
        (
            "replicaCount: 3",
            "line 1: no Kubernetes object: it has no `kind`; give manifests, not values",
        ),
        (
            "kind: Service",
            "line 1: no Kubernetes object: it has no `apiVersion`",
        ),
        ("- 1", "no Kubernetes object: it is no mapping"),
        (
            "a: 1\n---\nb: [1\n---\n",
            "document 2, line 3: no YAML: unclosed bracket",
        ),
        ("a: &a [*a]", "line 1: an alias that stands inside"),
        ("a: *b", "line 1: no YAML"),
        (
            "a: 1\nb: 2\na: 3",
            "line 3: `a` is there twice (lines 1 and 3); leave one",
        ),
        ("a:\n\tb: 1", "line 2: no YAML"),
        ("? [a]\n: 1", "line 1: a key that is no text"),
        ("a: {<<: 3}", "line 1: `<<` names what is no mapping"),
        (
            "apiVersion: v1\nkind: List\nitems: 3",
            "line 3: `items` must be a list",
        ),
        (
            "apiVersion: apps/v1\nkind: Deployment",
            "line 1: `the document` has no `spec`",
        ),
        (
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1}}",
            "`spec` has no `template`",
        ),
        (
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {}}}}",
            "has no containers; give whole manifests",
        ),
        (
            "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {kind: Deployment, name: a}, minReplicas: 3, maxReplicas: 2}}",
            "`maxReplicas` 2 is below `minReplicas` 3",
        ),
    ] {
        let found = refusal(text);
        assert!(found.contains(said), "{found}");
    }
}

#[test]
fn a_template_is_to_be_rendered_first() {
    for text in [
        "apiVersion: v1\nkind: {{ .Values.kind }}\n",
        "apiVersion: v1\n{{- if .Values.x }}\nkind: List\n{{- end }}\n",
        "a: {{ include \"name\" . }}-web\n",
    ] {
        assert!(refusal(text).contains("helm template"), "{text}");
    }
    // Rendered, with somebody else's template in a string.
    manifests(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {alert: '{{ $value }}'}}",
    );
}

#[test]
fn aliases_are_followed_but_do_not_unfold_without_end() {
    let text = deployment(
        "  replicas: &three 3\n  strategy: &strategy {rollingUpdate: {maxSurge: *three}}\n  other: {<<: *strategy, type: Recreate}\n",
    );
    assert!(matches!(
        only(&text).rollout,
        Rollout::Rolling {
            max_surge: Share::Count(3),
            ..
        }
    ));
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let ten = format!("*a{}, ", level - 1).repeat(10);
        laughs += &format!("a{level}: &a{level} [{ten}]\n");
    }
    assert!(refusal(&laughs).contains("the aliases unfold to more than 1000000 values"));
    let mut merges = "m0: &m0 {a: 1, b: 2}\n".to_owned();
    for level in 1..40 {
        let two = format!("*m{}, ", level - 1).repeat(2);
        merges += &format!("m{level}: &m{level} {{<<: [{two}]}}\n");
    }
    // Twice the same keys are the same keys.
    assert!(refusal(&merges).contains("no `kind`"));
    assert!(refusal(&"[".repeat(100_000)).contains("no YAML"));
}

#[test]
fn what_runs_no_pods_of_its_own_is_kept_by_name() {
    let owner =
        "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, controller: true}]";
    let text = [
        "{apiVersion: v1, kind: Service, metadata: {name: s}}",
        "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: r}}",
        "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: v}}",
        &format!("{{apiVersion: v1, kind: Pod, metadata: {{name: p, {owner}}}, spec: {{containers: [{{name: a}}]}}}}"),
        "{apiVersion: v1, kind: Pod, metadata: {name: t, annotations: {helm.sh/hook: 'test-success'}}, spec: {}}",
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {}, status: {conditions: [{type: Complete, status: 'True'}]}}",
        "{apiVersion: apps/v1, kind: Deploymnt, metadata: {name: d}}",
    ]
    .join("\n---\n");
    let found = manifests(&text);
    let left_out: Vec<(&str, Why)> = found
        .left_out
        .iter()
        .map(|left_out| (left_out.kind.as_str(), left_out.why))
        .collect();
    assert_eq!(
        left_out,
        [
            ("Service", Why::RunsNoPods),
            ("Rollout.argoproj.io", Why::NotUnderstood),
            ("Job.batch.volcano.sh", Why::NotUnderstood),
            ("Pod", Why::Owned),
            ("Pod", Why::ChartTest),
            ("Job", Why::Finished),
            ("Deploymnt", Why::NotUnderstood),
        ]
    );
    assert_eq!(found.workloads, []);
}

#[test]
fn what_an_operator_makes_counts_in_its_place() {
    let owner =
        "ownerReferences: [{apiVersion: shop.example/v1, kind: Shop, name: s, controller: true}]";
    let text = format!(
        "{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: a, {owner}}}, spec: {{template: {{spec: {{containers: [{{name: a}}]}}}}}}}}"
    );
    assert_eq!(only(&text).kind, Kind::StatefulSet);
}

#[test]
fn the_same_object_twice_is_a_mistake_with_both_places() {
    let web = deployment("");
    let said = refusal(&format!("{web}\n---\n{web}"));
    assert!(
        said.starts_with("m.yaml, document 2, line 8: Deployment web is there already: m.yaml, document 1, line 1"),
        "{said}"
    );
}
