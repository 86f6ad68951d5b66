//! What is said of a hold's or a wait's length, beside the true one.

use serde_json::Value;

use crate::harness::{Scan, Server, Session, scan};

/// A millisecond: what the JSON rounds to.
const ROUNDING: f64 = 0.001;

/// The server's time in seconds since 1970, right after the statement's lock.
const NOW: &str = "extract(epoch FROM clock_timestamp())::float8";

#[track_caller]
fn moment(session: &Session, sql: &str) -> f64 {
    let value = session.value(sql).expect("a moment");
    value.parse().expect("a number")
}

fn takes(session: &Session, key: i64) -> f64 {
    moment(
        session,
        &format!("SELECT {NOW} FROM pg_advisory_lock({key})"),
    )
}

/// By the same clock.
fn captured_at(scan: &Scan) -> f64 {
    let text = scan.document["captured_at"].as_str().expect("a time");
    let captured = humantime::parse_rfc3339(text).expect("RFC 3339");
    let since = captured.duration_since(std::time::UNIX_EPOCH);
    since.expect("after 1970").as_secs_f64()
}

#[track_caller]
fn bounds(row: &Value) -> (f64, f64) {
    let bound = |name: &str| {
        row[name]
            .as_f64()
            .unwrap_or_else(|| panic!("no {name} in {row}"))
    };
    (
        bound("held_at_least_seconds"),
        bound("held_at_most_seconds"),
    )
}

#[test]
fn an_idle_hold_lies_between_its_bounds() {
    Server::each(|server| {
        let db = server.database("idle_bounds");
        let holder = db.session("sweep");
        let granted = takes(&holder, 1);
        let still_at_work = moment(&holder, &format!("SELECT {NOW}"));
        let scan = scan(&db);
        let (least, most) = bounds(scan.lock_of(&holder));
        let held = captured_at(&scan) - granted;
        let idle_at_most = captured_at(&scan) - still_at_work;
        assert!(
            0.0 <= least && least <= idle_at_most + ROUNDING,
            "{least} {idle_at_most}"
        );
        assert!(
            least <= held + ROUNDING && held <= most + ROUNDING,
            "{least} {held} {most}"
        );
    });
}

#[test]
fn a_hold_in_a_transaction_lies_between_its_bounds() {
    let db = Server::any().database("transaction_bounds");
    let holder = db.session("mailer");
    holder.runs("BEGIN");
    let granted = moment(
        &holder,
        &format!("SELECT {NOW} FROM pg_advisory_xact_lock(1)"),
    );
    let scan = scan(&db);
    let (least, most) = bounds(scan.lock_of(&holder));
    let held = captured_at(&scan) - granted;
    assert!(
        least <= held + ROUNDING && held <= most + ROUNDING,
        "{least} {held} {most}"
    );
}

#[test]
fn a_hold_at_work_has_no_lower_bound() {
    let db = Server::any().database("work_bounds");
    let holder = db.session("export");
    let granted = takes(&holder, 1);
    holder.works();
    let scan = scan(&db);
    let row = scan.lock_of(&holder);
    assert_eq!(row["held_at_least_seconds"], Value::Null, "{scan}");
    let most = row["held_at_most_seconds"]
        .as_f64()
        .expect("the session's age");
    assert!(captured_at(&scan) - granted <= most + ROUNDING, "{scan}");
}

#[test]
fn a_prepared_hold_is_older_than_its_preparation() {
    let db = Server::any().database("prepared_bounds");
    let session = db.session("transfers");
    session.runs("BEGIN");
    let granted = moment(
        &session,
        &format!("SELECT {NOW} FROM pg_advisory_xact_lock(1)"),
    );
    session.runs("PREPARE TRANSACTION 'bounds'");
    let prepared = moment(
        &session,
        "SELECT extract(epoch FROM prepared)::float8 FROM pg_prepared_xacts WHERE gid = 'bounds'",
    );
    let scan = scan(&db);
    let row = &scan.document["locks"][0];
    let least = row["held_at_least_seconds"].as_f64().expect("a bound");
    assert!(
        (captured_at(&scan) - prepared - least).abs() <= ROUNDING,
        "{scan}"
    );
    assert!(least <= captured_at(&scan) - granted + ROUNDING, "{scan}");
    assert_eq!(row["held_at_most_seconds"], Value::Null, "{scan}");
}

#[test]
fn a_wait_is_counted_from_its_start_or_before_14_from_its_query() {
    Server::each(|server| {
        let db = server.database("wait_bounds");
        let (holder, waiter) = (db.session("sweep"), db.session("api"));
        holder.idle_with(1);
        let before = moment(&holder, &format!("SELECT {NOW}"));
        // The query begins well before its wait does.
        waiter.is_blocked_in(
            "SELECT pg_advisory_lock(1) FROM (SELECT pg_sleep(0.05) OFFSET 0) AS first",
        );
        let after = moment(&holder, &format!("SELECT {NOW}"));
        let scan = scan(&db);
        let row = scan.lock_of(&waiter);
        let waiting = row["waiting_seconds"].as_f64().expect("a length");
        let captured = captured_at(&scan);
        assert!(
            captured - after <= waiting + ROUNDING && waiting <= captured - before + ROUNDING,
            "{scan}"
        );
        if server.major() >= 14 {
            assert_eq!(row["waiting_source"], "waitstart", "{scan}");
            assert!(waiting <= captured - before - 0.05 + ROUNDING, "{scan}");
        } else {
            assert_eq!(row["waiting_source"], "query_start", "{scan}");
            assert!(waiting >= captured - after + 0.05 - ROUNDING, "{scan}");
            scan.finds("blocked-waiters").tells("at most");
        }
    });
}
