//! `lockaudit budget import`: whole files from charts and clusters, and what `budget check` makes of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use crate::harness::{Lockaudit, Outcome, lockaudit};

const CHART: &str = "tests/it/budget_import/manifests/chart.yaml";
const CLUSTER: &str = "tests/it/budget_import/manifests/cluster.json";

/// Imports this text.
fn import(text: &str, more: &[&str]) -> Outcome {
    let arguments = [&["budget", "import", "-", "--pool-env", "DB_POOL"], more].concat();
    Lockaudit::new(&arguments).stdin(text).run()
}

/// What `budget check` says of a file's text.
fn check(text: &str) -> Outcome {
    Lockaudit::new(&["budget", "check", "-"]).stdin(text).run()
}

/// A file and what is said beside it.
fn both(outcome: Outcome) -> String {
    format!("{}--- stderr\n{}", outcome.stdout, outcome.stderr)
}

#[test]
fn a_chart_becomes_roles_with_a_reason_for_each_number() {
    let outcome = lockaudit(&[
        "budget",
        "import",
        CHART,
        "--pool-env",
        "DB_POOL",
        "--processes-env",
        "WEB_CONCURRENCY",
    ]);
    insta::assert_snapshot!(both(outcome.succeeds()));
}

#[test]
fn a_cluster_becomes_roles_named_by_namespace() {
    let outcome = lockaudit(&["budget", "import", CLUSTER, "--pool-env", "PGPOOL_SIZE"]);
    insta::assert_snapshot!(both(outcome.succeeds()));
}

#[test]
fn what_is_not_known_is_refused_where_it_stands_until_it_is_filled_in() {
    let imported = lockaudit(&["budget", "import", CHART, "--pool-env", "DB_POOL"]).succeeds();
    let refused = check(&imported.stdout).exits_with(2);
    assert_eq!(refused.stdout, "");
    insta::assert_snapshot!(refused.stderr);
}

/// By hand, of the chart: web 6 x 3 x 5, sidekiq 4 x 8, cable 4 x 2, agent 5 x 1, nightly 2 x 2 are
/// 139; twice all but nightly, and the migration's 2, are 276.
#[test]
fn a_chart_and_what_flags_fill_in_add_up() {
    let imported = lockaudit(&[
        "budget",
        "import",
        CHART,
        "--pool-env",
        "DB_POOL",
        "--processes-env",
        "WEB_CONCURRENCY",
        "--pool",
        "shop-jobs/cable=2",
        "--skip",
        "shop-search",
        "--nodes",
        "5",
        "--overlapping-runs",
        "1",
        "--max-connections",
        "300",
    ])
    .succeeds()
    .keeps_quiet_about("= \"?\"");
    let checked = check(&imported.stdout).succeeds();
    insta::assert_snapshot!(checked.stdout);
}

/// By hand, of the cluster: 3 x 10, 2 x 4, 5 x 1, 1 x 2 are 45, and 30 more while the first rolls.
#[test]
fn several_files_add_up_to_one_budget() {
    let web = fs::read_to_string(CLUSTER).expect("it is there");
    let folder = TempDir::new().expect("a folder");
    let more = folder.path().join("more.yaml");
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: shell}\nspec:\n  containers:\n    - {name: psql, env: [{name: PGPOOL_SIZE, value: '3'}]}\n";
    fs::write(&more, text).expect("it can be written");
    let arguments = [
        "budget",
        "import",
        "-",
        &more.display().to_string(),
        "--pool-env",
        "PGPOOL_SIZE",
        "--max-connections",
        "200",
    ];
    let imported = Lockaudit::new(&arguments).stdin(web).run().succeeds();
    assert!(imported.stdout.contains("(stdin, document 1, line 6)"));
    check(&imported.stdout)
        .succeeds()
        .says("OK  78 of 200 connections at the peak")
        .says("48 without a deploy");
}

#[test]
fn a_file_is_written_whole_and_not_over_another() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("budget.toml");
    let name = file.display().to_string();
    let arguments = ["budget", "import", CLUSTER, "--pool-env", "PGPOOL_SIZE"];
    let with = |more: &[&str]| lockaudit(&[&arguments, more].concat());
    let printed = with(&[]).succeeds().stdout;
    let written = with(&["-o", &name])
        .succeeds()
        .complains(&format!("{name} is written: now `lockaudit budget check"));
    assert_eq!(written.stdout, "");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), printed);
    fs::write(&file, "mine").expect("it can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let refused = with(&["-o", &name]).exits_with(2);
    assert_eq!(
        refused.stderr,
        format!(
            "error: {name} exists and is left alone\nhint: name another file, or write it anew with --force\n"
        )
    );
    lockaudit(&["budget", "import", "nowhere.yaml", "-o", &name, "--force"]).exits_with(2);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine");
    with(&["-o", &name, "--force"]).succeeds();
    assert_eq!(fs::read_to_string(&file).expect("it is there"), printed);
    let mode = fs::metadata(&file)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    with(&["-o", "/no/such/folder/b.toml"])
        .exits_with(2)
        .complains("error: could not write /no/such/folder/b.toml\n");
    with(&["-o", &folder.path().display().to_string()]).exits_with(2);
    with(&["--force"]).exits_with(2).complains("--output");
}

#[test]
fn bad_yaml_names_the_file_the_document_and_the_line() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("web.yaml");
    let name = file.display().to_string();
    let text =
        "apiVersion: v1\r\nkind: Service\r\n---\r\nkind: Deployment\r\nspec:\r\n\treplicas: 3\r\n";
    fs::write(&file, text).expect("it can be written");
    let refused = lockaudit(&["budget", "import", CHART, &name]).exits_with(2);
    assert_eq!(refused.stdout, "");
    insta::assert_snapshot!(refused.stderr.replace(&name, "web.yaml"));
}

#[test]
fn a_template_is_to_be_rendered_first() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n";
    let refused = import(text, &[]).exits_with(2);
    insta::assert_snapshot!(refused.stderr);
}

#[test]
fn what_holds_nothing_to_budget_is_no_budget() {
    let empty = import("# nothing\n---\n", &[]).exits_with(2);
    assert!(
        empty
            .stderr
            .starts_with("error: nothing in the manifests runs pods\nhint: ")
    );
    import("{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: web}}", &[])
        .exits_with(2)
        .complains("note: not understood (if it runs pods that connect, add a [[role]] by hand): Rollout.argoproj.io web\n");
    let utf16: Vec<u8> = "\u{feff}kind: List"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    Lockaudit::new(&["budget", "import", "-"])
        .stdin(utf16)
        .run()
        .exits_with(2)
        .complains("error: stdin is UTF-16\nhint: write it as UTF-8");
    lockaudit(&["budget", "import", "-", "-"])
        .exits_with(2)
        .complains("`-` is there twice");
}

#[test]
fn wrong_words_on_the_command_line_are_answered() {
    let refused =
        |more: &[&str]| lockaudit(&[&["budget", "import", CHART], more].concat()).exits_with(2);
    refused(&["--pool", "shop-wbe=3"])
        .complains("error: no role is called `shop-wbe`\nhint: there is shop-web, ");
    refused(&["--pool", "shop-web"]).complains("write ROLE=N, for example web=5");
    refused(&["--pool", "shop-web=3", "--pool", "shop-web=4"])
        .complains("--pool is there twice for `shop-web`");
    refused(&["--pool-env", "A=B"]).complains("write the name of a variable");
    refused(&["--nodes", "0"]).complains("--nodes");
    lockaudit(&["budget", "import"])
        .exits_with(2)
        .complains("<FILE>");
}

/// A name is data: in the file, on the screen, and to whoever reads the file.
#[test]
fn hostile_names_stay_names() {
    let name = "a\\\"\\n[[role]]\\nname = \\\"x\\u001b[2J\\u202e";
    let text = format!(
        "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"{name}\"}}, \"spec\": {{\"containers\": [{{\"name\": \"{name}\", \"env\": [{{\"name\": \"DB_POOL\", \"value\": \"4\"}}]}}]}}}}\n\
         {{\"apiVersion\": \"x/v1\", \"kind\": \"{name}\", \"metadata\": {{\"name\": \"{name}\"}}}}\n"
    );
    let outcome = import(&text, &["--max-connections", "50"]).succeeds();
    check(&outcome.stdout).succeeds().says("OK  4 of 50");
    insta::assert_snapshot!(both(outcome));
}

#[test]
fn a_password_under_the_wrong_name_is_repeated_nowhere() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, env: [{name: DB_POOL, value: hunter2}]}]}\n";
    let outcome = import(text, &[]).succeeds();
    assert!(!both(outcome).contains("hunter2"));
}

#[test]
fn the_page_explains_every_flag() {
    let page = fs::read_to_string("docs/budget.md").expect("there is a page");
    let help = lockaudit(&["budget", "import", "--help"]).succeeds().stdout;
    let flags = help
        .split_whitespace()
        .filter(|word| word.starts_with("--") && !word.starts_with("--help"));
    for flag in flags {
        let flag = flag.trim_end_matches([',', '.', ':', ')']);
        assert!(page.contains(flag), "the page lacks {flag}");
    }
}
