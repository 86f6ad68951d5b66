//! `pooler-leak`: locks on connections that no client has.

use super::{behind, holder, is_held, scan_both};
use crate::harness::{Database, PgBouncer, Pooling, Psql, Scan, Server, Session};
use crate::harness::{lockaudit, scan_with, wait_for};

const RULE: &str = "pooler-leak";

const FORMATS: [&str; 8] = [
    "table", "json", "ndjson", "csv", "markdown", "html", "dot", "mermaid",
];

#[test]
fn a_lock_whose_client_has_gone_is_found_and_reconnect_frees_it() {
    Server::each(|server| {
        let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
            return;
        };
        let db = server.database("gone");
        pooler.session(&db, "migration").idle_with(4242);
        let (stranded, next) = (holder(&db), db.session("next"));
        next.waits_for(4242);
        wait_for("the client to be gone", || {
            !pooler.shows("SHOW CLIENTS", "migration")
        });
        let scan = scan_both(&db, &pooler).exits_with(1);
        scan.finds(RULE)
            .is("critical", "certain")
            .names(&[&stranded])
            .tells(&format!(
                "key 4242 in {} was left on pid {}",
                db.name(),
                stranded.pid()
            ))
            .tells("its console shows no client linked to it")
            .tells("mode transaction")
            .tells("the server shows it as `migration`: whoever had it last")
            .tells("1 session waits for it")
            .tells(&format!("`RECONNECT {};`", db.name()))
            .keeps_quiet_about("server_reset_query_always on");
        scan.is_silent_on("idle-holder")
            .is_silent_on("false-exclusion");
        let row = &scan.lock_of(&stranded)["pooler"];
        assert_eq!(row["linked"], false, "{scan}");
        assert_eq!(row["matched_by"], "address", "{scan}");
        assert_eq!(row["pool_mode"], "transaction", "{scan}");
        pooler.console().runs(&format!("RECONNECT {}", db.name()));
        next.is_seen("in possession", "state = 'idle'");
        scan_both(&db, &pooler).is_silent_on(RULE);
    });
}

#[test]
fn the_statement_of_the_finding_ends_the_backend_and_clients_notice_nothing() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let client = pooler.session(db, "migration");
        client.idle_with(1);
        let found = scan_both(db, pooler).finds(RULE);
        found.is("warning", "certain").tells("held for at least");
        db.server().admin().runs(&found.sql());
        wait_for("the lock to be free", || !is_held(db));
        client.runs("SELECT 1");
    });
}

#[test]
fn an_unlock_on_another_connection_of_the_pool_leaves_the_lock_behind() {
    behind(&Pooling::by_transaction(3), |db, pooler| {
        let (locks, other) = (pooler.session(db, "api"), pooler.session(db, "report"));
        locks.idle_with(1);
        let stranded = holder(db);
        other.runs("BEGIN; SELECT 1");
        assert!(!locks.says("SELECT pg_advisory_unlock(1)"), "elsewhere");
        other.runs("COMMIT");
        drop((locks, other));
        scan_both(db, pooler)
            .finds(RULE)
            .is("warning", "certain")
            .names(&[&stranded]);
    });
}

#[test]
fn statement_mode_strands_as_well() {
    behind(&Pooling::by_statement(1), |db, pooler| {
        pooler.session(db, "api").idle_with(1);
        scan_both(db, pooler)
            .finds(RULE)
            .is("warning", "certain")
            .tells("mode statement");
    });
}

#[test]
fn session_mode_strands_only_without_its_reset_query() {
    let killed = |db: &Database<'_>, pooler: &PgBouncer| {
        let mut client = Psql::open(&pooler.address_of(db), "api");
        client.starts("SELECT pg_advisory_lock(1);");
        wait_for("the lock", || is_held(db));
        scan_both(db, pooler)
            .is_silent_on(RULE)
            .is_silent_on("false-exclusion")
            .lock_of(client.session());
        client.is_killed();
        wait_for("the pooler to notice", || {
            !pooler.shows("SHOW CLIENTS", "api")
        });
    };
    behind(&Pooling::by_session(1), |db, pooler| {
        killed(db, pooler);
        wait_for("DISCARD ALL", || !is_held(db));
        scan_both(db, pooler).is_silent_on(RULE);
    });
    let without = Pooling::by_session(1).setting("server_reset_query", "");
    behind(&without, |db, pooler| {
        killed(db, pooler);
        scan_both(db, pooler)
            .finds(RULE)
            .is("warning", "certain")
            .names(&[&holder(db)])
            .tells("mode session with server_reset_query = ''");
    });
}

#[test]
fn a_lock_of_a_transaction_is_as_it_should_be() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let client = pooler.session(db, "api");
        client.in_transaction_with(1);
        let scan = scan_both(db, pooler);
        scan.is_silent_on(RULE).is_silent_on("false-exclusion");
        let row = scan.lock_of(&holder(db)).clone();
        assert_eq!(row["pooler"]["linked"], true, "{scan}");
        assert_eq!(row["pooler"]["client"]["application_name"], "api", "{scan}");
    });
}

/// A hot key: each sample may see another transaction's lock on the same backend.
#[test]
fn a_key_that_transactions_take_in_turn_is_none_however_often_it_is_looked_at() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let mut client = Psql::open(&pooler.address_of(db), "api");
        client.starts(&"SELECT pg_advisory_xact_lock(1), pg_sleep(0.002);\n".repeat(2_000));
        wait_for("the first", || is_held(db));
        for _ in 0..8 {
            let scan = scan_both(db, pooler);
            scan.is_silent_on(RULE).is_silent_on("false-exclusion");
        }
    });
}

#[test]
fn over_the_servers_socket_the_pid_alone_tells_and_that_is_said() {
    let pooling = Pooling::by_transaction(1).over_the_servers_socket();
    behind(&pooling, |db, pooler| {
        pooler.session(db, "api").idle_with(1);
        let scan = scan_both(db, pooler);
        scan.finds(RULE)
            .is("warning", "likely")
            .tells("by process id, database and role alone");
        assert_eq!(scan.lock_of(&holder(db))["pooler"]["matched_by"], "pid");
    });
}

#[test]
fn an_alias_and_a_forced_user_are_followed_to_the_database_and_the_role() {
    let server = Server::any();
    let (db, forced, own) = (
        server.database("orders"),
        server.role("app"),
        server.role("own"),
    );
    let what = format!("dbname={} user={}", db.name(), forced.name());
    let pooling = Pooling::by_session(2).alias("shop", &format!("{what} pool_mode=transaction"));
    let Some(pooler) = PgBouncer::in_front_of(server, &pooling) else {
        return;
    };
    let address = pooler.address_as(&db, "shop").as_role(own.name());
    let client = Session::open(&address, "api");
    client.idle_with(1);
    let scan = scan_both(&db, &pooler);
    scan.finds(RULE)
        .is("warning", "certain")
        .tells("pool shop of 127.0.0.1:")
        .tells(&format!("(as {})", forced.name()))
        .tells("`RECONNECT shop;`");
    let row = &scan.lock_of(&holder(&db))["pooler"];
    assert_eq!(row["alias"], "shop", "{scan}");
    client.runs("BEGIN");
    let lent = scan_both(&db, &pooler);
    let row = &lent.lock_of(&holder(&db))["pooler"];
    assert_eq!(row["client"]["user"], own.name(), "{lent}");
}

#[test]
fn a_hostile_alias_and_a_hostile_application_act_on_nothing() {
    let server = Server::any();
    let db = server.database("hostile");
    let pooling = Pooling::by_transaction(1).alias("*", &format!("dbname={}", db.name()));
    let Some(pooler) = PgBouncer::in_front_of(server, &pooling) else {
        return;
    };
    let alias = "a\"; SHUTDOWN; -- \u{1b}[31m</b>";
    let client = Session::open(&pooler.address_as(&db, alias), "\u{1b}]0;owned</b>|*");
    client.idle_with(1);
    is_harmless_in_every_format(&db, &pooler);
    client.runs("BEGIN; SELECT 1");
    is_harmless_in_every_format(&db, &pooler);
    client.runs("COMMIT");
    let found = scan_both(&db, &pooler).finds(RULE);
    found.tells("`RECONNECT \"a\"\"; SHUTDOWN; -- \u{1b}[31m</b>\";`");
    pooler
        .console()
        .runs("RECONNECT \"a\"\"; SHUTDOWN; -- \u{1b}[31m</b>\"");
    wait_for("the lock to be free", || !is_held(&db));
}

#[track_caller]
fn is_harmless_in_every_format(db: &Database<'_>, pooler: &PgBouncer) {
    let (url, console) = (db.url(), pooler.stats_url());
    for format in FORMATS {
        let arguments = ["scan", &url, "--database", db.name(), "-f", format];
        let shown = lockaudit(&[&arguments[..], &["--pgbouncer", &console]].concat()).stdout;
        assert!(!shown.is_empty(), "{format}");
        assert!(!shown.contains('\u{1b}'), "{format}: {shown}");
        assert!(format != "html" || !shown.contains("</b>|*"), "{shown}");
    }
}

#[test]
fn a_snapshot_keeps_what_the_console_said() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        pooler.session(db, "api").idle_with(1);
        let folder = tempfile::TempDir::new().expect("there is room for a folder");
        let file = folder.path().join("seen.json").display().to_string();
        let live = scan_with(db, &["--pgbouncer", &pooler.stats_url(), "--save", &file]);
        live.finds(RULE);
        let again = Scan::of_file(&file, &["--database", db.name()]);
        assert_eq!(again.document["findings"], live.document["findings"]);
        assert_eq!(again.document["poolers"], live.document["poolers"]);
    });
}
