//! The read of the lock table: what waits for whom across lock kinds, and how much room it takes.

use serde_json::Value;

use crate::harness::{Database, Server, Session, lockaudit, wait_for};

/// Whom the scan says the session waits for.
fn blockers_of(db: &Database<'_>, waiter: &Session) -> Vec<i64> {
    let document = lockaudit(&["scan", &db.url(), "--format", "json"]).json();
    let waits = document["waits"].as_array().expect("a list of waits");
    let wait = waits.iter().find(|wait| wait["pid"] == waiter.pid());
    let wait = wait.unwrap_or_else(|| panic!("no wait of pid {} in {waits:#?}", waiter.pid()));
    let owners = wait["blocked_by"].as_array().expect("a list of owners");
    let pids = owners.iter().filter_map(|owner| owner["pid"].as_i64());
    pids.collect()
}

fn wait_until_it_waits(db: &Database<'_>, waiter: &Session) {
    let observer = db.session("observer");
    let sql = format!(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = {} AND NOT granted)",
        waiter.pid()
    );
    wait_for("a session that waits for a lock", || observer.says(&sql));
}

#[test]
fn names_the_holder_of_a_table_lock_that_was_taken_the_fast_way() {
    Server::each(|server| {
        let db = server.database("fast_path");
        let (reader, owner) = (db.session("reader"), db.session("owner"));
        owner.runs("CREATE TABLE jobs (id int)");
        reader.in_transaction_with(7).runs("SELECT FROM jobs");
        owner.starts("BEGIN; LOCK TABLE jobs");
        wait_until_it_waits(&db, &owner);
        assert_eq!(blockers_of(&db, &owner), [i64::from(reader.pid())]);
    });
}

#[test]
fn names_the_transaction_that_an_index_is_built_behind() {
    Server::each(|server| {
        let db = server.database("virtualxid");
        let (writer, builder) = (db.session("writer"), db.session("builder"));
        builder.runs("CREATE TABLE jobs (id int)");
        writer
            .in_transaction_with(7)
            .runs("INSERT INTO jobs VALUES (1)");
        builder.starts("CREATE INDEX CONCURRENTLY ON jobs (id)");
        wait_until_it_waits(&db, &builder);
        assert_eq!(blockers_of(&db, &builder), [i64::from(writer.pid())]);
    });
}

#[cfg(target_os = "linux")]
mod room {
    use std::process::{Command, Output};

    use super::*;
    use crate::harness::fast_options;

    const LOCKS: usize = 20_000;

    /// A scan that may allocate so many kB and no more.
    fn scan_within(kilobytes: u32, db: &Database<'_>, format: &str) -> Output {
        let limited = format!("ulimit -d {kilobytes} && exec \"$@\"");
        Command::new("sh")
            .args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_lockaudit")])
            .args(["scan", &db.url(), "--format", format])
            .output()
            .expect("a shell can be started")
    }

    fn roomy_server() -> Server {
        let options = fast_options().setting("max_locks_per_transaction", "300");
        Server::private(Server::any().cluster().installation(), options)
    }

    #[test]
    fn twenty_thousand_locks_take_no_more_than_64_mb() {
        let server = roomy_server();
        let db = server.database("room");
        let holder = db.session("holder");
        holder.runs(&format!(
            "SELECT pg_advisory_lock(item) FROM generate_series(1, {LOCKS}) AS item"
        ));
        for format in ["table", "json"] {
            let output = scan_within(64 * 1024, &db, format);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
        }
        let document = scan_within(64 * 1024, &db, "json").stdout;
        let document: Value = serde_json::from_slice(&document).expect("it is JSON");
        assert_eq!(document["locks"].as_array().map(Vec::len), Some(LOCKS));
        let cramped = scan_within(4 * 1024, &db, "json");
        assert_eq!(cramped.status.code(), None, "the limit holds: {cramped:?}");
    }
}
