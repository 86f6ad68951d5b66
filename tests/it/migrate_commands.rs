//! `lockaudit migrate apply`, `advance`, `rollback`, `status` and `finish` as an operator types them.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::harness::{Database, Lockaudit, Outcome, Psql, Server, lockaudit};

const PLAN: &str = r#"version = 1

[[name]]
name = "sweep"
key = "42"
decision = "lease"

[[name]]
name = "nightly report"
key = "-7,42"
decision = "lease"

[[name]]
name = "prisma"
key = "72707369"
decision = "keep"

[[name]]
name = "elsewhere"
key = "43"
database = "another"
decision = "lease"

[[name]]
name = "undecided"
key = "7"
"#;

/// A reviewed plan in a folder of its own.
struct Plan {
    folder: TempDir,
}

impl Plan {
    fn of(text: &str) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        fs::write(folder.path().join("migration.toml"), text).expect("it can be written");
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("migration.toml")
    }

    #[track_caller]
    fn applies(&self, db: &Database<'_>, more: &[&str]) -> Outcome {
        let file = self.path();
        let file = file.to_str().expect("UTF-8");
        migrate(db, &[&["apply", "--file", file], more].concat())
    }
}

#[track_caller]
fn migrate(db: &Database<'_>, words: &[&str]) -> Outcome {
    lockaudit(&[&["migrate"], words, &["-d", &db.url()]].concat())
}

fn status(db: &Database<'_>, more: &[&str]) -> serde_json::Value {
    let outcome = migrate(db, &[&["status", "-f", "json"], more].concat());
    let document = serde_json::from_str(&outcome.stdout).expect("it is JSON");
    let schema = fs::read_to_string("schema/migrate.json").expect("it is committed");
    let schema = serde_json::from_str(&schema).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let mistakes: Vec<String> = validator
        .iter_errors(&document)
        .map(|mistake| format!("{mistake} at {}", mistake.instance_path()))
        .collect();
    assert!(mistakes.is_empty(), "{mistakes:#?}");
    document
}

fn modes(db: &Database<'_>) -> Vec<(String, String)> {
    let status = status(db, &[]);
    let names = status["names"].as_array().expect("a list").clone();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    names
        .iter()
        .map(|name| (text(&name["name"]), text(&name["mode"])))
        .collect()
}

#[test]
fn a_team_goes_from_keys_to_leases_and_forgets_the_keys_on_every_major() {
    Server::each(|server| {
        let db = server.database("team");
        let plan = Plan::of(PLAN);
        let applied = plan.applies(&db, &[]).succeeds();
        for said in [
            "`elsewhere` is of database another",
            "`undecided` has no decision",
        ] {
            assert!(applied.stderr.contains(said), "{}", applied.stderr);
        }
        let again = plan.applies(&db, &[]).succeeds();
        assert!(
            again
                .stdout
                .contains("`sweep`: there already, and left as it is")
        );
        let both =
            |mode: &str| ["nightly report", "sweep"].map(|name| (name.to_owned(), mode.to_owned()));
        assert_eq!(modes(&db), both("advisory"));
        migrate(&db, &["advance", "--all", "--to", "both"]).succeeds();
        migrate(&db, &["advance", "--all", "--to", "both"]).succeeds();
        assert_eq!(modes(&db), both("both"));
        let unproven = migrate(&db, &["advance", "sweep"]).exits_with(1);
        for gate in ["old-code-quiet", "no-new-calls", "fence-seen"] {
            assert!(unproven.stdout.contains(gate), "{}", unproven.stdout);
        }
        migrate(
            &db,
            &["advance", "--all", "--force", "no old code since May"],
        )
        .succeeds();
        assert_eq!(modes(&db), both("lease"));
        let early = migrate(&db, &["finish"]).exits_with(1);
        assert!(
            early.stdout.contains("`sweep` is in `lease` for "),
            "{}",
            early.stdout
        );
        let file = plan.path();
        let file = file.to_str().expect("UTF-8");
        let dry = ["finish", "--period", "0s", "--file", file, "--dry-run"];
        migrate(&db, &dry).succeeds();
        migrate(&db, &dry[..5]).succeeds();
        let copy = fs::read_to_string(format!("{file}.finished")).expect("it is kept");
        assert!(copy.starts_with("# Finished") && copy.ends_with(PLAN));
        let reader = db.session("reader");
        let log = "SELECT string_agg(reason, '; ' ORDER BY id) FROM lockaudit_lease_log WHERE name = 'sweep'";
        assert_eq!(
            reader.value(log).as_deref(),
            Some(
                "seeded: advisory; advisory to both; both to lease: forced past old-code-quiet, no-new-calls, fence-seen: no old code since May; finished: lease; the old key was 42"
            )
        );
        let refused = plan.applies(&db, &[]).exits_with(2);
        assert!(
            refused.stderr.contains("was finished"),
            "{}",
            refused.stderr
        );
    });
}

#[test]
fn what_is_seen_now_shuts_a_gate_that_no_reason_opens() {
    let server = Server::any();
    let db = server.database("unforced");
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    migrate(&db, &["advance", "sweep"]).succeeds();
    let old = db.session("old worker");
    old.idle_with(42);
    let shut = migrate(&db, &["advance", "sweep", "--force", "because"]).exits_with(1);
    let said = format!("pid {} (old worker) holds it", old.pid());
    // The screen is wrapped.
    let shown: Vec<&str> = shut.stdout.split_whitespace().collect();
    let shown = shown.join(" ");
    assert!(
        shown.contains(&said) && shown.contains("no reason opens"),
        "{shown}"
    );
    let row = "UPDATE lockaudit_lease SET holder = 'h', expires_at = now() + interval '1 h'";
    db.session("new worker").runs(row);
    migrate(&db, &["rollback", "sweep", "--force", "because"]).exits_with(1);
    assert!(modes(&db).contains(&("sweep".to_owned(), "both".to_owned())));
}

#[test]
fn a_deploy_waits_until_every_lease_is_bridged() {
    let server = Server::any();
    let db = server.database("waits");
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    let owner = db.session("owner");
    owner.runs("UPDATE lockaudit_lease SET mode = 'both', holder = 'h', expires_at = now() + interval '1 h' WHERE name = 'sweep'");
    let wait = [
        "status",
        "--wait-for",
        "both",
        "--name",
        "sweep",
        "--timeout",
    ];
    let late = migrate(&db, &[&wait[..], &["0s"]].concat()).exits_with(1);
    assert!(
        late.stderr.contains("not ready for `both`"),
        "{}",
        late.stderr
    );
    let url = db.url();
    let words = [&["migrate"], &wait[..], &["1m", "-f", "json", "-d", &url]].concat();
    let waiting = Lockaudit::new(&words).start();
    owner.runs("UPDATE lockaudit_lease SET bridged = true WHERE name = 'sweep'");
    waiting.finish().succeeds();
}

#[test]
fn ctrl_c_ends_the_waiting_with_130() {
    let server = Server::any();
    let db = server.database("interrupted");
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    let url = db.url();
    let words = ["migrate", "status", "--wait-for", "lease", "-d", &url];
    let waiting = Lockaudit::new(&words).start();
    let seen = format!(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{}' AND application_name = 'lockaudit' AND state = 'idle')",
        db.name()
    );
    crate::harness::wait_for("lockaudit at its looks", || server.admin().says(&seen));
    waiting.interrupt();
    waiting.finish().exits_with(130);
}

#[test]
fn a_name_with_another_key_and_a_table_of_somebody_else_are_refused_and_left() {
    let server = Server::any();
    let db = server.database("refused");
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    let other = PLAN.replace("\"42\"", "\"4711\"");
    let refused = Plan::of(&other).applies(&db, &[]).exits_with(2);
    let said = "`sweep` is there with the old key 42, and was to get 4711";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    db.session("owner").runs("CREATE TABLE theirs (name text)");
    let refused = Plan::of(PLAN)
        .applies(&db, &["--table", "theirs"])
        .exits_with(2);
    assert!(refused.stderr.contains("is not ours"), "{}", refused.stderr);
    assert_eq!(
        db.session("reader")
            .number("SELECT count(*) FROM lockaudit_lease"),
        2
    );
}

#[test]
fn what_dry_run_prints_psql_runs() {
    let server = Server::any();
    let db = server.database("printed");
    let printed = Plan::of(PLAN)
        .applies(&db, &["--dry-run", "--functions"])
        .succeeds();
    let session = db.session("reader");
    let functions = "SELECT count(*) FROM pg_proc WHERE proname LIKE 'lockaudit_lease_%'";
    assert_eq!(session.number(functions), 0);
    let mut psql = Psql::open(&db.address(), "psql");
    psql.starts(&printed.stdout);
    crate::harness::wait_for("the functions", || session.number(functions) == 4);
    assert_eq!(modes(&db).len(), 2);
    let dry = migrate(&db, &["apply", "--uninstall-functions", "--dry-run"]).succeeds();
    assert_eq!(dry.stdout.matches("DROP FUNCTION").count(), 4);
    migrate(&db, &["apply", "--uninstall-functions"]).succeeds();
    assert_eq!(session.number(functions), 0);
}

#[test]
fn a_role_that_may_only_read_sees_the_status_and_is_told_what_it_may_not() {
    let server = Server::any();
    let reader = server.role("reader");
    let db = server.database("reading");
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    let owner = db.session("owner");
    owner.runs(&format!(
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}",
        reader.name()
    ));
    owner.runs("UPDATE lockaudit_lease SET mode = 'both'");
    let url = db.url_as(reader.name());
    let as_reader = |words: &[&str]| lockaudit(&[&["migrate"], words, &["-d", &url]].concat());
    as_reader(&["status"]).succeeds();
    for words in [
        &["rollback", "sweep"][..],
        &["status", "--wait-for", "lease"],
    ] {
        let refused = as_reader(words).exits_with(2);
        assert!(
            refused.stderr.contains("permission denied"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn a_name_that_is_not_there_is_no_success() {
    let server = Server::any();
    let db = server.database("nobody");
    let nothing = migrate(&db, &["status"]).exits_with(2);
    assert!(
        nothing.stderr.contains("lockaudit migrate apply"),
        "{}",
        nothing.stderr
    );
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    for words in [&["advance", "nobody"][..], &["status", "--name", "nobody"]] {
        let refused = migrate(&db, words).exits_with(2);
        assert!(
            refused.stderr.contains("no migration of `nobody`"),
            "{}",
            refused.stderr
        );
    }
    migrate(&db, &["advance", "sweep", "--to", "lease"]).exits_with(1);
    migrate(&db, &["advance", "sweep", "--force", " "]).exits_with(2);
    db.session("owner").runs("DELETE FROM lockaudit_lease");
    migrate(&db, &["status", "--wait-for", "lease"])
        .exits_with(2)
        .complains("there is no name to wait for");
}

#[test]
fn names_and_holders_of_strangers_move_no_cursor() {
    let server = Server::any();
    let db = server.database("hostile");
    Plan::of(PLAN).applies(&db, &[]).succeeds();
    let wild = "\u{1b}[2J\u{202e}'; DROP";
    let owner = db.session("owner");
    owner.runs(&format!(
        "UPDATE lockaudit_lease SET name = $x${wild}$x$, mode = 'both', holder = $x${wild}$x$, expires_at = now() + interval '1 h' WHERE key = 42"
    ));
    migrate(&db, &["status"]).succeeds().tame();
    migrate(&db, &["status", "--wait-for", "lease", "--timeout", "0s"])
        .exits_with(1)
        .tame();
    migrate(&db, &["advance", wild]).exits_with(1).tame();
    migrate(&db, &["rollback", wild]).exits_with(1).tame();
    let steps = status(&db, &[])["names"].as_array().expect("a list").len();
    assert_eq!(steps, 2);
}
