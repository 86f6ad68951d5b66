//! A connection string that leads to a pooler: the same findings, and no harm to whoever shares it.

use serde_json::Value;

use crate::harness::{
    Database, PgBouncer, Pooling, Scan, Server, Session, items, lockaudit, scan, scan_with,
};

/// Holders of every kind, and waiters.
struct Incident {
    sessions: Vec<Session>,
    gid: String,
}

impl Incident {
    fn plant(db: &Database<'_>) -> Self {
        let gid = format!("{}-transfer", db.name());
        let named = |name| db.session(name);
        let sessions = [
            "billing", "report", "mailer", "ledger", "checkout", "worker",
        ]
        .map(named);
        let [billing, report, mailer, ledger, checkout, worker] = &sessions;
        billing.idle_with(-7).idle_with_pair(3, -4);
        report.idle_sharing(333);
        mailer.in_transaction_with(555);
        ledger.prepared_with(444, &gid);
        checkout.waits_for(-7);
        worker.waits_in_transaction_for(444);
        Self {
            sessions: sessions.into(),
            gid,
        }
    }

    fn ends(self, db: &Database<'_>) {
        drop(self.sessions);
        db.session("harness")
            .runs(&format!("ROLLBACK PREPARED '{}'", self.gid));
    }
}

/// What a scan found, without what time changes.
fn findings(scan: &Scan) -> Vec<Value> {
    let findings = items(&scan.document["findings"]);
    findings
        // About the sessions of other tests, which come and go.
        .filter(|one| one["severity"] != "info")
        .map(|one| serde_json::from_str(&without_durations(&one.to_string())).expect("JSON"))
        .collect()
}

/// `3m 20s` and `840 ms` become `<time>`.
fn without_durations(text: &str) -> String {
    let duration = regex(r"\b\d+(\.\d+)? ?(ms|s|m|h|d)( \d+(ms|s|m|h))?\b");
    let at = regex(r"\d{4}-\d\d-\d\dT[0-9:.]+Z");
    at.replace_all(&duration.replace_all(text, "<time>"), "<moment>")
        .into_owned()
}

fn regex(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("a pattern")
}

fn through(pooler: &PgBouncer, db: &Database<'_>) -> Scan {
    let look = ["--database", db.name(), "--idle-after", "0s"];
    Scan::of(&pooler.address_of(db).url(), &look)
}

fn modes() -> [Pooling; 3] {
    [
        Pooling::by_session(2),
        Pooling::by_transaction(2),
        Pooling::by_statement(2),
    ]
}

#[test]
fn every_mode_of_a_pool_gives_the_findings_of_a_direct_connection() {
    Server::each(|server| {
        let db = server.database("same_findings");
        let incident = Incident::plant(&db);
        let direct = findings(&scan_with(&db, &["--idle-after", "0s"]));
        assert!(direct.len() >= 4, "{direct:#?}");
        for pooling in modes() {
            let Some(pooler) = PgBouncer::in_front_of(server, &pooling) else {
                continue;
            };
            for way in ["opened for the scan", "older than the scan"] {
                let pooled = findings(&through(&pooler, &db));
                assert_eq!(pooled, direct, "{pooling:?}, over a connection {way}");
            }
        }
        incident.ends(&db);
    });
}

#[test]
fn locks_sessions_and_waits_are_the_same_rows_in_one_string() {
    let db = Server::any().database("same_rows");
    let incident = Incident::plant(&db);
    let direct = scan(&db);
    for pooling in modes() {
        let Some(pooler) = PgBouncer::in_front_of(db.server(), &pooling) else {
            continue;
        };
        drop(pooler.session(&db, "neighbour"));
        let pooled = through(&pooler, &db);
        assert_ne!(pooled.document["server"]["connection_path"], "direct");
        for session in &incident.sessions {
            let row = |scan: &Scan| {
                let rows = items(&scan.document["sessions"]);
                let mut row = rows.filter(|row| row["pid"] == session.pid());
                let mut row = row.next().cloned().expect("it is listed");
                // Other tests' transactions let it grow.
                row["xmin_age"] = Value::Null;
                row
            };
            assert_eq!(row(&pooled), row(&direct), "{pooling:?}");
        }
        assert_eq!(keys(&pooled), keys(&direct), "{pooling:?}");
    }
    incident.ends(&db);
}

/// Each lock's key, mode, holder, scope and database.
fn keys(scan: &Scan) -> Vec<Vec<Value>> {
    const COLUMNS: [&str; 8] = [
        "pid",
        "key",
        "mode",
        "granted",
        "scope",
        "datname",
        "blocked_by",
        "prepared",
    ];
    let rows = items(&scan.document["locks"]);
    let mut rows: Vec<Vec<Value>> = rows
        .map(|row| COLUMNS.map(|column| row[column].clone()).into())
        .collect();
    rows.sort_by_key(|row| format!("{row:?}"));
    rows
}

/// A pool by the statement ends the server connection of whoever begins a transaction.
#[test]
fn a_strangers_lock_in_a_pool_by_statement_outlives_the_scan() {
    let db = Server::any().database("outlives");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &Pooling::by_statement(1)) else {
        return;
    };
    let client = pooler.session(&db, "svc");
    let backend = client.pid();
    client.idle_with(42);
    for _ in 0..3 {
        let scan = through(&pooler, &db);
        scan.finds("false-exclusion").is("critical", "certain");
        assert_eq!(scan.document["locks"][0]["pid"], backend, "{scan}");
        assert_eq!(
            scan.document["server"]["connection_path_basis"],
            "older_backend"
        );
    }
    assert_eq!(client.number("SELECT pg_backend_pid()"), backend);
}

/// What `pg::one_string` builds on: the limits hold in a string that begins no transaction, a failure
/// ends nobody's connection, and nothing stays behind.
#[test]
fn a_string_of_statements_is_one_transaction_with_limits_on_every_major() {
    Server::each(|server| {
        let db = server.database("one_string");
        let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_statement(1)) else {
            return;
        };
        let client = pooler.session(&db, "svc");
        let limited = "SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = '50ms'; \
                       SET LOCAL lock_timeout = '20ms';";
        let refused = |statement: &str| {
            let refusal = client
                .tries(&format!("{limited} {statement}"))
                .expect_err(statement);
            refusal.code().map(|code| code.code().to_owned())
        };
        assert_eq!(refused("CREATE TABLE t ()").as_deref(), Some("25006"));
        assert_eq!(
            refused("SELECT 1; SELECT pg_sleep(60)").as_deref(),
            Some("57014")
        );
        db.session("holder").idle_with(7);
        assert_eq!(client.value("SHOW statement_timeout").as_deref(), Some("0"));
        assert_eq!(
            client.value("SHOW transaction_read_only").as_deref(),
            Some("off")
        );
        assert_eq!(client.number("SELECT pg_backend_pid()"), client.pid());
    });
}

#[test]
fn a_saved_snapshot_remembers_the_way_it_came() {
    let db = Server::any().database("remembers");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &Pooling::by_transaction(1)) else {
        return;
    };
    let known = pooler.session(&db, "neighbour");
    let folder = tempfile::TempDir::new().expect("there is room for a folder");
    let file = folder.path().join("saved.json").display().to_string();
    let url = pooler.address_of(&db).url();
    let look = ["scan", &url, "--database", db.name(), "--save", &file];
    lockaudit(&look).exits_with(0).says("through a pooler;");
    let loaded = Scan::of_file(&file, &["--database", db.name()]);
    assert_eq!(loaded.document["server"]["connection_path"], "pooler");
    assert_eq!(
        loaded.document["server"]["connection_path_basis"],
        "older_backend"
    );
    assert_eq!(
        loaded
            .blind_spots()
            .iter()
            .filter(|spot| **spot == "behind-pooler")
            .count(),
        1
    );
    drop(known);
}

#[test]
fn a_name_with_an_address_that_the_pooler_adds_tells_which_pooler() {
    let db = Server::any().database("adds_host");
    let pooling = Pooling::by_transaction(1).setting("application_name_add_host", "1");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &pooling) else {
        return;
    };
    // Nobody was here before: the process is not older than the scan's connection.
    let scan = through(&pooler, &db);
    assert_eq!(
        scan.document["server"]["connection_path_basis"], "renamed",
        "{scan}"
    );
    assert_eq!(scan.document["server"]["connection_pooler"], "PgBouncer");
}

#[test]
fn no_text_is_read_through_a_pooler_where_none_is_wanted() {
    let db = Server::any().database("no_text");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &Pooling::by_transaction(1)) else {
        return;
    };
    let known = pooler.session(&db, "neighbour");
    db.session("billing").idle_with(1);
    let url = pooler.address_of(&db).url();
    let folder = tempfile::TempDir::new().expect("there is room for a folder");
    let file = folder.path().join("saved.json").display().to_string();
    lockaudit(&["scan", &url, "--query", "none", "--save", &file]);
    let saved = std::fs::read_to_string(&file).expect("it was saved");
    assert!(!saved.contains("pg_advisory_lock"), "{saved}");
    drop(known);
}
