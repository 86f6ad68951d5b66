//! `lockaudit budget` without a file: the sum, the verdict, what would fit, and wrong words.

use crate::harness::{Outcome, lockaudit};

/// Three roles of two nodes with this pool, every instance twice during a deploy, of 120.
fn three_roles(command: &str, pool: u64, more: &[&str]) -> Outcome {
    let roles: Vec<String> = ["api", "jobs", "web"]
        .iter()
        .map(|name| format!("{name}:nodes=2,pool={pool}"))
        .collect();
    let mut arguments = vec![
        "budget",
        command,
        "--max-connections",
        "120",
        "--overlap",
        "2",
    ];
    for role in &roles {
        arguments.extend(["--role", role]);
    }
    arguments.extend(more);
    lockaudit(&arguments)
}

#[test]
fn the_sum_of_three_roles_fits() {
    let outcome = three_roles("check", 4, &[]).succeeds().without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
OK  48 of 120 connections at the peak: 117 are usable (3 are kept for
    superusers), 69 stay free; 24 without a deploy

WHO   INSTANCES               EACH  STEADY  DEPLOY
api   2 nodes, 4 in a deploy     4       8      16
jobs  2 nodes, 4 in a deploy     4       8      16
web   2 nodes, 4 in a deploy     4       8      16
all                                     24      48
"
    );
}

#[test]
fn what_fits_max_connections_may_still_be_too_much() {
    let outcome = three_roles("check", 10, &[])
        .exits_with(1)
        .without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
ERROR  120 of 120 connections at the peak: 117 are usable (3 are kept for
       superusers), 3 too many; 60 without a deploy

WHO   INSTANCES               EACH  STEADY  DEPLOY
api   2 nodes, 4 in a deploy    10      20      40
jobs  2 nodes, 4 in a deploy    10      20      40
web   2 nodes, 4 in a deploy    10      20      40
all                                     60     120

error B100
   during a deploy 120 connections may be open, but only 117 of max_connections
   120 are usable (3 are kept for superusers): 3 too many
   - api 4 x 10 = 40, jobs 4 x 10 = 40, web 4 x 10 = 40
   - the largest pool that fits all 3 roles is 9
   - or max_connections = 123 (a restart)
"
    );
}

#[test]
fn a_warning_fails_only_a_strict_run_and_exit_zero_fails_none() {
    three_roles("check", 9, &[]).succeeds().says("warning B102");
    three_roles("check", 9, &["--strict"]).exits_with(1);
    three_roles("check", 10, &["--exit-zero"])
        .succeeds()
        .says("error B100");
    three_roles("check", 10, &["--exit-zero", "--strict"]).exits_with(2);
}

#[test]
fn flags_describe_the_server_too() {
    three_roles(
        "check",
        4,
        &[
            "--reserved",
            "10",
            "--superuser-reserved",
            "5",
            "--provider-reserved",
            "2",
        ],
    )
    .succeeds()
    .says("103 are usable (5 are kept for");
    three_roles("check", 4, &["--min-free", "70"])
        .exits_with(1)
        .says("69 of 117 usable slots stay free at the peak, but min_free asks for 70");
}

#[test]
fn what_would_fit_is_said_with_its_sum() {
    let outcome = three_roles("fit", 4, &[]).succeeds().without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
largest pool for all roles: 9
   api 4 x 9 = 36, jobs 4 x 9 = 36, web 4 x 9 = 36: 108 of 117 usable
largest pool of `api`: 21
   api 4 x 21 = 84, jobs 4 x 4 = 16, web 4 x 4 = 16: 116 of 117 usable
most nodes of `api`: 10
   api 20 x 4 = 80, jobs 4 x 4 = 16, web 4 x 4 = 16: 112 of 117 usable
largest pool of `jobs`: 21
   api 4 x 4 = 16, jobs 4 x 21 = 84, web 4 x 4 = 16: 116 of 117 usable
most nodes of `jobs`: 10
   api 4 x 4 = 16, jobs 20 x 4 = 80, web 4 x 4 = 16: 112 of 117 usable
largest pool of `web`: 21
   api 4 x 4 = 16, jobs 4 x 4 = 16, web 4 x 21 = 84: 116 of 117 usable
most nodes of `web`: 10
   api 4 x 4 = 16, jobs 4 x 4 = 16, web 20 x 4 = 80: 112 of 117 usable
smallest max_connections: 51
   48 at the peak + 3 kept back
"
    );
    three_roles("fit", 4, &["--of", "jobs"])
        .succeeds()
        .keeps_quiet_about("`api`");
    three_roles("fit", 4, &["--of", "job"])
        .exits_with(2)
        .complains("no role is called `job`; there is api, jobs, web");
    three_roles("fit", 30, &["--of", "web"])
        .exits_with(1)
        .says("largest pool of `web`: none");
}

#[test]
fn bars_show_roles_and_the_whole_at_80_columns() {
    let outcome = three_roles("show", 10, &[]).succeeds().without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
120 of 120 connections at the peak: 117 are usable (3 are kept for superusers),
3 too many; 60 without a deploy

      STEADY  DEPLOY
api       20      40  ██████████▒▒▒▒▒▒▒▒▒
jobs      20      40  ██████████▒▒▒▒▒▒▒▒▒
web       20      40  ██████████▒▒▒▒▒▒▒▒▒
all       60     120  █████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒╳

█ without a deploy  ▒ more during one  · free  ░ kept back  ╳ too many
"
    );
    let svg = three_roles("show", 4, &["--format", "svg"])
        .succeeds()
        .stdout;
    let picture = roxmltree::Document::parse(&svg).expect("it is XML");
    let bars = picture
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")));
    assert_eq!(
        bars.count(),
        1 + 2 * 4,
        "the ground, and two for each of three roles and all"
    );
    three_roles("show", 4, &["--format", "html"])
        .succeeds()
        .says("<svg xmlns");
}

#[test]
fn wrong_words_on_the_command_line_are_answered() {
    let refused =
        |arguments: &[&str]| lockaudit(&[&["budget", "check"], arguments].concat()).exits_with(2);
    refused(&["--role", "api"]).complains("NAME:nodes=N,pool=N");
    refused(&["--role", "api:nodes=2,pool=-1"]).complains("`pool=-1` is not a whole number");
    refused(&["--role", "api:nodes=2,pool=4,size=1"]).complains("`size` is none of nodes");
    refused(&["--role", "api:nodes=2,pool=4"]).complains("--max-connections N, or --live");
    refused(&["--role", "api:nodes=2,pool=4", "--max-connections", "3"])
        .complains("nothing is left");
    refused(&["--role", "api:nodes=2,pool=4", "--max-connections", "0"]).complains("0 is not in");
    refused(&[
        "--role",
        "api:nodes=2,pool=4",
        "--max-connections",
        "9",
        "--overlap",
        "0",
    ])
    .complains("150%");
    refused(&[
        "--role",
        "api:nodes=2,pool=4",
        "--max-connections",
        "9",
        "-h",
        "db",
    ])
    .complains("add --live");
    refused(&["b.toml", "--role", "api:nodes=2,pool=4"]).complains("cannot be used with");
    refused(&["b.toml", "--max-connections", "9"]).complains("cannot be used with");
    refused(&["--max-connections", "9"]).complains("--role");
}

#[test]
fn numbers_that_no_server_holds_are_an_error_and_no_verdict() {
    let role = "api:nodes=4294967295,processes=4294967295,pool=4294967295";
    lockaudit(&[
        "budget",
        "check",
        "--role",
        role,
        "--max-connections",
        "100",
    ])
    .exits_with(2)
    .complains("the connections of role `api` are out of range");
}
