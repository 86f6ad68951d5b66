use super::*;

fn refusal(text: &str) -> String {
    match read("budget.toml", text, ServerFrom::File) {
        Ok(draft) => panic!("it was understood: {draft:?}"),
        Err(mistakes) => mistakes.to_string(),
    }
}

/// A file that holds, with one role of these lines.
fn with_role(lines: &str) -> String {
    format!("version = 1\n[server]\nmax_connections = 100\n[[role]]\nname = \"web\"\n{lines}")
}

#[test]
fn the_template_is_understood_and_fits() {
    let draft = read("budget.toml", TEMPLATE, ServerFrom::File).expect("it is understood");
    let server = draft.numbers.server().expect("it says max_connections");
    let assessment = crate::budget::assess(&draft.on(server)).expect("it is in range");
    assert_eq!(assessment.findings, []);
}

/// Every line that is commented out is a key that exists.
#[test]
fn what_the_template_leaves_out_is_understood_too() {
    let uncommented: String = TEMPLATE
        .lines()
        .map(|line| {
            let line = line.trim_start();
            let key = line.strip_prefix('#').unwrap_or(line);
            let is_key = key.starts_with(|first: char| first.is_ascii_lowercase() || first == '[');
            let is_second_deploy = key.starts_with("deploy = { strategy = \"ecs\"");
            match is_key && !is_second_deploy {
                true => format!("{key}\n"),
                false => "\n".to_owned(),
            }
        })
        .collect();
    read("budget.toml", &uncommented, ServerFrom::File).unwrap_or_else(|found| panic!("{found}"));
}

#[test]
fn a_mistake_is_shown_with_its_line_its_mark_and_what_to_write() {
    assert_eq!(
        refusal(&with_role("nodes = 2\npol = 4\n")),
        "\
budget.toml:4:1: [[role]] \"web\": `pool` is missing
  4 | [[role]]
    | ^^^^^^^^
  write the most connections that one process's pool may open: pool = 10

budget.toml:7:1: unknown key `pol` in [[role]] \"web\"
  7 | pol = 4
    | ^^^
  write `pool`
"
    );
}

#[test]
fn what_has_no_limit_is_refused() {
    for line in [
        "pool = -1",
        "pool = 0",
        "pool = \"unlimited\"",
        "pool = inf",
        "overflow = -1",
    ] {
        let rest = if line.starts_with("pool") {
            ""
        } else {
            "\npool = 1"
        };
        let said = refusal(&with_role(&format!("nodes = 1\n{line}{rest}\n")));
        assert!(said.starts_with("budget.toml:7:"), "{said}");
        assert!(
            said.contains("limit") && said.contains("the real ceiling"),
            "{said}"
        );
    }
}

#[test]
fn each_bad_value_says_what_to_write() {
    let lock = "nodes = 2\npool = 4\n[[role.lock]]\nname = \"a\"\nconcurrency = 1\n";
    let role = "nodes = 2\npool = 4\n";
    for (lines, said, instead) in [
        (
            "nodes = 0\npool = 4",
            "`nodes` must be a whole number, 1 or more",
            "",
        ),
        (
            "nodes = \"2\"\npool = 4",
            "`nodes` must be a whole number, 1 or more, not a string",
            "nodes = 2 (without",
        ),
        ("nodes = 2.0\npool = 4", "not a float", ""),
        (
            "nodes = 99999999999999999999999\npool = 4",
            "out of range",
            "",
        ),
        ("pool = 4", "`nodes` is missing", "max_nodes"),
        (
            "nodes = \"?\"\npool = 4",
            "`nodes` is still to be filled in",
            "nodes = 2",
        ),
        (
            "nodes = 2\npool = \"?\"",
            "`pool` is still to be filled in",
            "the real ceiling",
        ),
        (
            "nodes = 6\nmax_nodes = 4\npool = 1",
            "`max_nodes` 4 is below `nodes` 6",
            "",
        ),
        (
            &format!("{role}via = \"mian\""),
            "no [[pgbouncer]] is called \"mian\"",
            "a [[pgbouncer]]",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"roling\" }}"),
            "\"roling\"",
            "strategy = \"rolling\"",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"rolling\", maximum_percent = \"200%\" }}"),
            "`maximum_percent` belongs to strategy \"ecs\", not \"rolling\"",
            "",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"none\", draining = true }}"),
            "`draining` belongs to strategy \"double\", \"rolling\", \"ecs\", not \"none\"",
            "",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"ecs\", maximum_percent = \"50%\" }}"),
            "must be at least 100%",
            "\"200%\"",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"ecs\", maximum_percent = 200 }}"),
            "per cent, in quotes",
            "maximum_percent = \"200%\"",
        ),
        (
            &format!(
                "{role}deploy = {{ strategy = \"rolling\", max_surge = 0, max_unavailable = \"0%\" }}"
            ),
            "Kubernetes rejects",
            "max_surge = 1",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"rolling\", max_surge = \"25pct\" }}"),
            "neither a whole number nor a percentage",
            "\"25%\"",
        ),
        (
            &format!("{role}deploy = {{ strategy = \"factor\" }}"),
            "`factor` is missing",
            "150%",
        ),
        (
            &format!("{role}deploy = \"none\""),
            "`deploy` must be a table",
            "strategy",
        ),
        (
            &format!("{lock}hold = 3"),
            "`hold` has no unit",
            "hold = \"3s\" or \"3ms\"",
        ),
        (
            &format!("{lock}hold = \"3\""),
            "`hold` has no unit",
            "hold = \"3s\"",
        ),
        (&format!("{lock}hold = \"0s\""), "longer than nothing", ""),
        (&format!("{lock}hold = \"soon\""), "is no duration", ""),
        (
            &format!("{lock}rate = \"fast\"\nhold = \"1s\""),
            "is no rate",
            "\"5/s\"",
        ),
        (&format!("{lock}rate = \"1/s\""), "`hold` is missing", ""),
        (&format!("{lock}max_wait = \"1s\""), "`rate` is missing", ""),
        (
            &format!("{lock}scope = \"row\""),
            "\"row\"",
            "one of \"transaction\", \"session\"",
        ),
        (
            &format!("{role}[[role]]\nname = \"web\"\nnodes = 1\npool = 1"),
            "\"web\" appears twice (lines 4 and 8)",
            "",
        ),
        (
            &format!("{role}[[limit]]\nconnections = 4"),
            "either `user` or `database`",
            "",
        ),
        (
            &format!("{role}[[external]]\nname = \"x\"\nconnections = 0"),
            "1 or more",
            "",
        ),
        (
            &format!("{role}[policy]\nwarn_above = 0.8"),
            "per cent, in quotes",
            "warn_above = \"80%\"",
        ),
        (
            &format!("{role}[policy]\ndeploys = \"one at a time\""),
            "none of",
            "\"one-at-a-time\"",
        ),
        (
            &format!("{role}[[rol]]\nname = \"x\""),
            "unknown key `rol` in the file",
            "`role`",
        ),
        (&format!("{role}processes = "), "", ""),
    ] {
        let found = refusal(&with_role(lines));
        assert!(
            found.contains(said) && found.contains(instead),
            "{lines}\n{found}"
        );
    }
}

#[test]
fn the_servers_numbers_must_agree_with_each_other() {
    for (server, said) in [
        ("", "`max_connections` is missing"),
        ("max_connections = 3", "nothing is left"),
        ("max_connections = 300000", "262143"),
        (
            "max_connections = 100\npostgres = 15\nreserved_connections = 2",
            "needs PostgreSQL 16",
        ),
    ] {
        let role = "[[role]]\nname = \"web\"\nnodes = 1\npool = 1\n";
        let found = refusal(&format!("version = 1\n[server]\n{server}\n{role}"));
        assert!(found.contains(said), "{server}\n{found}");
    }
}

#[test]
fn the_version_is_needed_and_known() {
    let rest = "[server]\nmax_connections = 10\n[[role]]\nname = \"a\"\nnodes = 1\npool = 1\n";
    assert!(refusal(rest).contains("`version` is missing"));
    assert!(refusal(&format!("version = 2\n{rest}")).contains("newer than this lockaudit"));
    assert!(refusal("version = 1\n[server]\nmax_connections = 10\n").contains("nothing to budget"));
}

#[test]
fn a_live_server_needs_no_numbers() {
    let text = "version = 1\n[[external]]\nname = \"a\"\nconnections = 1\n";
    assert!(read("budget.toml", text, ServerFrom::Live).is_ok());
    assert!(read("budget.toml", text, ServerFrom::File).is_err());
}

#[test]
fn foreign_text_cannot_move_the_cursor() {
    let said = refusal(&with_role(
        "nodes = 2\npool = 4\n\"\\u001b[2J\\u202e\" = 1\n",
    ));
    assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    let said = refusal(&with_role("nodes = \"\u{202e}2\"\npool = 4 # \u{9b}\n"));
    assert!(!said.contains(['\u{9b}', '\u{202e}']), "{said:?}");
}
