//! The statements that findings give, run as they stand: they do what they say to the session that
//! was seen, and nothing to any other.

use crate::harness::{Database, Scan, Server, Session, scan, scan_with};

/// The statement for the holder, taken from a scan.
fn ending(db: &Database<'_>, rule: &str) -> String {
    scan(db).finds(rule).sql()
}

/// What the statement gives when an operator pastes it.
#[track_caller]
fn run(db: &Database<'_>, sql: &str) -> Vec<Option<String>> {
    db.server()
        .admin()
        .rows(sql)
        .into_iter()
        .flatten()
        .collect()
}

#[track_caller]
fn does_nothing(db: &Database<'_>, sql: &str) {
    assert_eq!(run(db, sql), [], "{sql}");
}

fn does_it() -> [Option<String>; 1] {
    [Some("t".to_owned())]
}

#[test]
fn ends_an_idle_holder_that_is_as_it_was_seen_and_frees_its_waiter() {
    Server::each(|server| {
        let db = server.database("end_idle");
        let (holder, waiter) = (db.session("sweep"), db.session("api"));
        holder.idle_with((-7, -42));
        waiter.waits_for((-7, -42));
        let sql = ending(&db, "idle-holder");
        assert_eq!(run(&db, &sql), does_it());
        holder.is_gone();
        waiter.is_seen("idle", "state = 'idle'");
        does_nothing(&db, &sql);
    });
}

#[test]
fn ends_a_transaction_at_rest_that_is_as_it_was_seen() {
    let db = Server::any().database("end_in_transaction");
    for failed in [false, true] {
        let holder = db.session("mailer");
        holder.idle_with(1).runs("BEGIN");
        if failed {
            holder.fails("SELECT 1 / 0");
        }
        let sql = ending(&db, "idle-in-transaction-holder");
        assert_eq!(run(&db, &sql), does_it());
        holder.is_gone();
    }
}

#[test]
fn leaves_a_holder_alone_that_has_gone_to_work() {
    let db = Server::any().database("leave_active");
    let holder = db.session("sweep");
    holder.idle_with(1);
    let sql = ending(&db, "idle-holder");
    holder.works();
    does_nothing(&db, &sql);
    holder.is_seen("still at work", "state = 'active'");
}

#[test]
fn leaves_a_holder_alone_that_has_begun_a_transaction() {
    let db = Server::any().database("leave_begun");
    let holder = db.session("sweep");
    holder.idle_with(1);
    let sql = ending(&db, "idle-holder");
    holder.runs("BEGIN");
    does_nothing(&db, &sql);
}

#[test]
fn leaves_a_holder_alone_that_is_at_rest_in_a_later_transaction() {
    Server::each(|server| {
        let db = server.database("leave_later");
        let holder = db.session("mailer");
        holder.idle_with(1).runs("BEGIN");
        let sql = ending(&db, "idle-in-transaction-holder");
        holder.runs("COMMIT").runs("BEGIN");
        does_nothing(&db, &sql);
        holder.is_seen("at rest", "state = 'idle in transaction'");
    });
}

#[test]
fn leaves_a_holder_alone_that_sleeps_in_a_later_statement() {
    let db = Server::any().database("leave_later_sleep");
    let holder = db.session("export");
    holder.works_with(1);
    let scan = scan_with(&db, &["--idle-after", "0s"]);
    let sql = scan.finds("zombie-holder").sql();
    let cancel = format!("SELECT pg_cancel_backend({})", holder.pid());
    db.server().admin().runs(&cancel);
    holder.is_seen("idle", "state = 'idle'").works();
    does_nothing(&db, &sql);
    let again = scan_with(&db, &["--idle-after", "0s"]);
    assert_eq!(run(&db, &again.finds("zombie-holder").sql()), does_it());
    holder.is_gone();
}

#[test]
fn leaves_a_session_alone_that_has_unlocked() {
    let db = Server::any().database("leave_unlocked");
    let holder = db.session("sweep");
    holder.idle_with(1);
    let sql = ending(&db, "idle-holder");
    holder.runs("SELECT pg_advisory_unlock(1)");
    does_nothing(&db, &sql);
    holder.idle_with(2).idle_with_pair(0, 1);
    does_nothing(&db, &sql);
    holder.idle_with(1);
    assert_eq!(run(&db, &sql), does_it());
}

#[test]
fn leaves_a_session_alone_that_only_waits_for_the_lock() {
    let db = Server::any().database("leave_waiter");
    let (first, second) = (db.session("first"), db.session("second"));
    first.idle_with(1);
    let sql = ending(&db, "idle-holder");
    second.waits_for(1);
    let for_second = sql.replace(
        &format!(
            "a.pid = {}\nAND a.backend_start = '{}'",
            first.pid(),
            start_of(&first)
        ),
        &format!(
            "a.pid = {}\nAND a.backend_start = '{}'",
            second.pid(),
            start_of(&second)
        ),
    );
    assert_ne!(sql, for_second);
    does_nothing(&db, &for_second.replace("'idle'", "'active'"));
}

/// As a statement has it.
fn start_of(session: &Session) -> String {
    let start =
        "SELECT to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
                   FROM pg_stat_activity WHERE pid = ";
    Server::any()
        .admin()
        .value(&format!("{start}{}", session.pid()))
        .expect("the session runs")
}

#[test]
fn leaves_another_session_alone_that_has_taken_the_lock_since() {
    let db = Server::any().database("leave_successor");
    let holder = db.session("sweep");
    holder.idle_with(1);
    let sql = ending(&db, "idle-holder");
    holder.disconnect();
    let successor = db.session("sweep");
    successor.idle_with(1);
    does_nothing(&db, &sql);
}

#[test]
fn leaves_a_session_alone_that_got_the_same_pid_later() {
    let db = Server::any().database("leave_same_pid");
    let holder = db.session("sweep");
    holder.idle_sharing(1);
    let sql = ending(&db, "idle-holder");
    // Pids recur too late for a test: another session that differs by its start alone.
    let alike = db.session("sweep");
    alike.idle_sharing(1);
    let same_pid = sql.replace(
        &format!("a.pid = {}", holder.pid()),
        &format!("a.pid = {}", alike.pid()),
    );
    assert_ne!(sql, same_pid);
    does_nothing(&db, &same_pid);
}

#[test]
fn leaves_the_same_key_of_another_database_alone() {
    let server = Server::any();
    let (db, other) = (
        server.database("leave_here"),
        server.database("leave_there"),
    );
    let holder = db.session("sweep");
    holder.idle_with(1);
    let sql = ending(&db, "idle-holder");
    let elsewhere = sql.replace(
        &format!("('advisory', {}, ", db.oid()),
        &format!("('advisory', {}, ", other.oid()),
    );
    assert_ne!(sql, elsewhere);
    does_nothing(&db, &elsewhere);
}

#[test]
fn cancels_a_statement_that_still_runs_and_no_later_one() {
    Server::each(|server| {
        let db = server.database("cancel");
        let (holder, waiter) = (db.session("export"), db.session("import"));
        holder.works_with(1);
        waiter.waits_for(1);
        let sql = ending(&db, "blocked-waiters");
        assert_eq!(run(&db, &sql), does_it());
        holder.is_seen("idle", "state = 'idle'");
        does_nothing(&db, &sql);
        holder.works();
        does_nothing(&db, &sql);
    });
}

#[test]
fn ends_the_session_of_a_starved_pool_that_has_been_idle_longest() {
    let db = Server::any().database("end_starved");
    let sessions = [db.session("api"), db.session("api")];
    sessions[1].idle_with(2);
    sessions[0].idle_with(1);
    let sql = scan(&db).finds("starved-pool").sql();
    assert_eq!(run(&db, &sql), does_it());
    sessions[1].is_gone();
    sessions[0].is_seen("idle", "state = 'idle'");
}

const HOSTILE_IDS: [&str; 10] = [
    "plain-1",
    "it's 'quoted'",
    r"back\slash \' \n \u0041",
    "two\nlines\tand\r\ncarriage",
    "\u{1b}[2J\u{9b}31m\u{7}",
    "größe 漢字 λ 😀",
    "größe\\漢字'😀\n",
    "\u{202e}reversed\u{200b}",
    "'; DROP TABLE carts; --",
    "$1 $$ %L {}",
];

#[test]
fn rolls_back_a_prepared_transaction_whatever_its_global_id() {
    Server::each(|server| {
        let db = server.database("hostile_gid");
        // A server has room for twenty, and other tests want some of it.
        for ids in HOSTILE_IDS.chunks(5) {
            let session = db.session("transfers");
            for (key, gid) in (1..).zip(ids) {
                let quoted = session.value(&format!("SELECT quote_literal($gid${gid}$gid$)"));
                session.in_transaction_with(key).runs(&format!(
                    "PREPARE TRANSACTION {}",
                    quoted.expect("a literal")
                ));
            }
            for found in scan(&db).found("prepared-holder") {
                let sql = found.sql();
                assert!(!sql.chars().any(char::is_control), "{sql:?}");
                session.runs(&sql);
            }
            assert_eq!(prepared_left(&db), 0);
        }
    });
}

#[test]
fn rolls_back_a_prepared_transaction_of_a_database_in_another_encoding() {
    let server = Server::any();
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let db = server.database_in(encoding);
        let utf8 = server.database("utf8");
        for scanned_from in [&db, &utf8] {
            let session = db.session("transfers");
            session
                .in_transaction_with(444)
                .runs(r"PREPARE TRANSACTION E'größe \\ it''s'");
            let scan = Scan::of(&scanned_from.url(), &["--database", db.name()]);
            let sql = scan.finds("prepared-holder").sql();
            session.runs(&as_an_operator_reads_it(&session, sql));
            assert_eq!(prepared_left(&db), 0);
        }
    }
}

/// A statement that gives the one to run is run first.
fn as_an_operator_reads_it(session: &Session, sql: String) -> String {
    match sql.starts_with("SELECT") {
        true => session.value(&sql).expect("a statement"),
        false => sql,
    }
}

fn prepared_left(db: &Database<'_>) -> i32 {
    db.server().admin().number(&format!(
        "SELECT count(*) FROM pg_prepared_xacts WHERE database = '{}'",
        db.name()
    ))
}
