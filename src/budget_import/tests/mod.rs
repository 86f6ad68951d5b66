//! Files from manifests: what they say, and that they are always understood.

mod instances;
mod pools;

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
