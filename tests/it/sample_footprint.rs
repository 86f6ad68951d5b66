//! A scan through a pooler leaves no trace for the next client, and never hangs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::harness::{Database, Lockaudit, Outcome, PgBouncer, Pooling, Server, lockaudit};
use crate::imposter::{self, Imposter};

/// All that a session can leave behind for the next.
const TRACES: &str = "SELECT name, setting FROM pg_settings
    UNION ALL SELECT 'current_user', current_user
    UNION ALL SELECT 'prepared', count(*)::text FROM pg_prepared_statements
    UNION ALL SELECT 'cursors', count(*)::text FROM pg_cursors WHERE is_holdable
    UNION ALL SELECT 'channels', count(*)::text FROM pg_listening_channels()
    UNION ALL SELECT 'locks', count(*)::text FROM pg_locks
        WHERE pid = pg_backend_pid() AND locktype = 'advisory'
    ORDER BY 1";

#[test]
fn a_scan_leaves_a_pooled_connection_as_it_found_it() {
    with_pool(&Pooling::by_transaction(1), |server, db, pooler| {
        let plain = server.role("plain");
        let neighbour = pooler.session(db, "neighbour");
        let before = neighbour.rows(TRACES);
        let url = pooler.address_of(db).url();
        let role = plain.name();
        scan(&[&url, "--query", "full"]).exits_with(0);
        scan(&[&url, "--set-role", role]).exits_with(0);
        scan(&[&url, "--set-role", "nobody_of_this_name"]).exits_with(2);
        assert_eq!(neighbour.rows(TRACES), before);
        assert_eq!(neighbour.number("SELECT pg_backend_pid()"), neighbour.pid());
    });
}

#[test]
fn scans_and_another_client_take_turns_on_one_connection() {
    with_pool(&Pooling::by_transaction(1), |_, db, pooler| {
        let neighbour = pooler.session(db, "neighbour");
        let url = pooler.address_of(db).url();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    neighbour.runs("BEGIN").runs("SELECT 1").runs("COMMIT");
                }
            });
            let statuses: Vec<Option<i32>> = (0..20).map(|_| scan(&[&url]).status.code()).collect();
            done.store(true, Ordering::Relaxed);
            assert_eq!(statuses, [Some(0); 20]);
        });
    });
}

#[test]
fn a_pool_of_any_mode_is_scanned_as_often_as_wanted() {
    for pooling in [
        Pooling::by_session(1),
        Pooling::by_transaction(1),
        Pooling::by_statement(1),
    ] {
        with_pool(&pooling, |_, db, pooler| {
            let url = pooler.address_of(db).url();
            // The first finds no server connection that is older than its own.
            scan(&[&url]).exits_with(0).says("through a pooler");
            scan(&[&url, "--samples", "3", "--interval", "10ms"]).exits_with(0);
        });
    }
}

#[test]
fn a_scan_leaves_a_connection_shared_by_the_statement_as_it_found_it() {
    with_pool(&Pooling::by_statement(1), |server, db, pooler| {
        let plain = server.role("plain");
        let neighbour = pooler.session(db, "neighbour");
        let before = neighbour.rows(TRACES);
        let url = pooler.address_of(db).url();
        scan(&[&url, "--query", "full"]).exits_with(0);
        scan(&[&url, "--set-role", plain.name()]).exits_with(0);
        scan(&[&url, "--set-role", "nobody_of_this_name"])
            .exits_with(2)
            .complains("nobody_of_this_name");
        assert_eq!(neighbour.rows(TRACES), before);
        assert_eq!(neighbour.number("SELECT pg_backend_pid()"), neighbour.pid());
    });
}

#[test]
fn a_result_says_whether_it_came_through_a_pooler() {
    with_pool(&Pooling::by_transaction(1), |_, db, pooler| {
        let pooled = pooler.address_of(db).url();
        let known = pooler.session(db, "neighbour");
        assert_eq!(path(&pooled), ("pooler".to_owned(), true));
        scan(&[&pooled]).says("through a pooler");
        drop(known);
        assert_eq!(path(&db.url_over_tcp()), ("direct".to_owned(), false));
        assert_eq!(path(&db.url()), ("unknown".to_owned(), false));
    });
}

#[test]
fn a_lock_stranded_on_the_connection_that_a_scan_is_lent_is_reported() {
    with_pool(&Pooling::by_transaction(1), |_, db, pooler| {
        let client = pooler.session(db, "svc");
        let backend = client.pid();
        client.idle_with(42);
        drop(client);
        let url = pooler.address_of(db).url();
        let look = [
            "scan",
            &url,
            "--database",
            db.name(),
            "--include",
            "false-exclusion",
        ];
        lockaudit(&look).exits_with(1).says("key 42 in ");
        let document = lockaudit(&[&look[..], &["-f", "json"]].concat()).valid_json();
        assert_eq!(document["locks"][0]["pid"], backend);
        assert_eq!(document["findings"][0]["certainty"], "certain");
    });
}

#[test]
fn a_console_is_no_database() {
    with_pool(&Pooling::by_transaction(1), |_, _, pooler| {
        scan(&[&pooler.console_address().url()])
            .exits_with(2)
            .complains("PgBouncer's admin console")
            .complains("--pgbouncer");
    });
}

#[test]
fn another_poolers_console_is_no_database_and_no_old_server() {
    // As Odyssey's console reports itself.
    let console = Imposter::that(|_| imposter::is_version("1.5.2-1f0a6b2c-release"));
    let port = console.port();
    scan(&[&format!(
        "postgresql://u@127.0.0.1:{port}/console?sslmode=disable"
    )])
    .exits_with(2)
    .complains("Odyssey's console");
}

#[test]
fn a_paused_pool_ends_a_scan_in_the_time_that_was_given() {
    with_pool(&Pooling::by_transaction(1), |_, db, pooler| {
        let patient = format!("{}?connect_timeout=2", pooler.address_of(db).url());
        let known = pooler.session(db, "neighbour");
        pooler.console().runs("PAUSE");
        scan(&[&patient])
            .exits_with(2)
            .complains("did not answer within 2 s")
            .complains("paused");
        pooler.console().runs("RESUME");
        known.runs("SELECT 1");
        scan(&[&patient]).exits_with(0);
    });
}

#[test]
fn a_server_that_falls_silent_ends_a_scan_in_the_time_that_was_given() {
    let frozen = Imposter::that(|_| imposter::is_version("15.18"));
    let port = frozen.port();
    let url = format!("postgresql://u@127.0.0.1:{port}/d?sslmode=disable&connect_timeout=2");
    scan(&[&url])
        .exits_with(2)
        .complains("did not answer within 2 s");
}

#[test]
fn a_server_before_13_is_refused() {
    let old = Imposter::that(|_| imposter::is_version("12.22"));
    let url = format!("postgresql://u@127.0.0.1:{}/d?sslmode=disable", old.port());
    scan(&[&url])
        .exits_with(2)
        .complains("the server is PostgreSQL 12.22; lockaudit reads 13 and later");
}

fn with_pool(pooling: &Pooling, test: impl FnOnce(&Server, &Database<'_>, &PgBouncer)) {
    let server = Server::any();
    let db = server.database("pooled");
    if let Some(pooler) = PgBouncer::in_front_of(server, pooling) {
        test(server, &db, &pooler);
    }
}

/// By a rule that finds nothing: other tests' sessions on the server are no concern here.
fn scan(arguments: &[&str]) -> Outcome {
    let start = [
        "scan",
        "--include",
        "prepared-holder",
        "--database",
        "postgres",
    ];
    Lockaudit::new(&[&start, arguments].concat()).run()
}

fn path(url: &str) -> (String, bool) {
    let document = lockaudit(&["scan", url, "--format", "json"]).valid_json();
    let spots = document["blind_spots"].as_array().expect("a list");
    let behind = spots.iter().any(|spot| spot["code"] == "behind-pooler");
    let path = document["server"]["connection_path"].as_str();
    (path.expect("a word").to_owned(), behind)
}
