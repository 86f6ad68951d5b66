//! `blocked-waiters`: queues for one key, their edges and their roots.

use serde_json::json;

use crate::harness::{Server, scan};

const RULE: &str = "blocked-waiters";

#[test]
fn a_root_at_work_is_a_warning_and_can_be_cancelled() {
    Server::each(|server| {
        let db = server.database("root_at_work");
        let (holder, waiter) = (db.session("export"), db.session("import"));
        holder.works_with(1);
        waiter.waits_for(1);
        let scan = scan(&db).exits_with(1);
        let found = scan.finds(RULE);
        found
            .is("warning", "certain")
            .names(&[&waiter])
            .tells("is at work");
        assert!(found.sql().contains("pg_cancel_backend"), "{found}");
        scan.is_silent_on("idle-holder");
    });
}

#[test]
fn a_root_at_rest_is_critical() {
    let db = Server::any().database("root_at_rest");
    let (holder, waiter) = (db.session("export"), db.session("import"));
    holder.idle_with(1);
    waiter.waits_for(1);
    let scan = scan(&db);
    let found = scan.finds(RULE);
    found
        .is("critical", "certain")
        .tells("act on the holders, never on the waiters");
    assert!(found.statements().is_empty(), "{found}");
}

#[test]
fn a_lock_that_nobody_waits_for_blocks_nobody() {
    let db = Server::any().database("no_waiter");
    let (one, other) = (db.session("one"), db.session("other"));
    one.idle_sharing(1);
    other.idle_sharing(1);
    one.idle_with_pair(0, 1);
    other.idle_with(2);
    let scan = scan(&db);
    scan.is_silent_on(RULE);
    assert_eq!(scan.document["summary"]["waiters"], 0);
}

#[test]
fn a_reader_behind_a_queued_writer_is_blocked_by_the_queue_only() {
    Server::each(|server| {
        let db = server.database("soft_edge");
        let (reader, writer, late) = (
            db.session("reader"),
            db.session("writer"),
            db.session("late-reader"),
        );
        reader.idle_sharing(1);
        writer.waits_for(1);
        late.waits_to_share(1);
        let scan = scan(&db);
        assert_eq!(
            scan.wait_of(&writer)["blocked_by"],
            json!([{"pid": reader.pid(), "gid": null}])
        );
        let wait = scan.wait_of(&late);
        assert_eq!(wait["blocked_by"], json!([]), "{scan}");
        assert_eq!(wait["queued_behind"], writer.pid(), "{scan}");
        assert_eq!(wait["queue_position"], 2, "{scan}");
        scan.finds(RULE)
            .names(&[&writer, &late])
            .tells(&format!(
                "pid {} waits only since pid {} asked first",
                late.pid(),
                writer.pid()
            ))
            .tells("2 sessions, 1 of them further back");
    });
}

#[test]
fn each_waiter_of_a_queue_stands_behind_the_one_before_it() {
    let db = Server::any().database("queue");
    let holder = db.session("holder");
    holder.idle_with(1);
    let waiters: Vec<_> = (0..4).map(|_| db.session("waiter")).collect();
    for waiter in &waiters {
        waiter.waits_for(1);
    }
    let scan = scan(&db);
    for (at, waiter) in waiters.iter().enumerate() {
        let wait = scan.wait_of(waiter);
        let before = at.checked_sub(1).map(|before| waiters[before].pid());
        assert_eq!(wait["queued_behind"], json!(before), "{scan}");
        assert_eq!(wait["queue_position"], at + 1, "{scan}");
        assert_eq!(
            wait["blocked_by"],
            json!([{"pid": holder.pid(), "gid": null}])
        );
    }
    scan.finds("idle-holder").tells(&format!(
        "pid {} can go on then, 3 stay in the queue behind",
        waiters[0].pid()
    ));
}

#[test]
fn a_chain_has_one_root_and_all_behind_it() {
    Server::each(|server| {
        let db = server.database("chain");
        let (first, middle, last) = (
            db.session("first"),
            db.session("middle"),
            db.session("last"),
        );
        first.idle_with(1);
        middle.idle_with(2).waits_for(1);
        last.waits_for(2);
        let scan = scan(&db);
        scan.finds(RULE)
            .is("critical", "certain")
            .names(&[&middle, &last])
            .tells("behind 1 holder")
            .tells("2 sessions, 1 of them further back");
        scan.finds("idle-holder")
            .names(&[&first])
            .tells(&format!("pid {} can go on then, 1 stays", middle.pid()));
        assert_eq!(scan.wait_of(&last)["blocked_by"][0]["pid"], middle.pid());
    });
}

#[test]
fn two_holders_of_one_key_must_both_go() {
    let db = Server::any().database("two_holders");
    let (one, other, writer) = (db.session("one"), db.session("other"), db.session("writer"));
    one.idle_sharing(1);
    other.idle_sharing(1);
    writer.waits_for(1);
    let scan = scan(&db);
    scan.finds(RULE).tells("behind 2 holders");
    for found in scan.found("idle-holder") {
        found
            .is("critical", "certain")
            .tells("nobody can go on by that alone");
    }
}
