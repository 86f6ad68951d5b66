//! Queues for one key: how long they are, and what comes after them.

use crate::harness::{Server, items, scan};

/// LA-049
#[test]
fn eighteen_waiters_are_eighteen_and_not_all_the_pairs_of_them() {
    Server::each(|server| {
        let db = server.database("eighteen");
        let holder = db.session("turnstile");
        holder.idle_with(8);
        let waiters: Vec<_> = (0..18).map(|_| db.session("worker")).collect();
        for waiter in &waiters {
            waiter.waits_for(8);
        }
        let scan = scan(&db).exits_with(1);
        assert_eq!(scan.document["summary"]["waiters"], 18, "{scan}");
        let edges = items(&scan.document["waits"]).flat_map(|wait| items(&wait["blocked_by"]));
        assert_eq!(edges.count(), 18, "{scan}");
        assert_eq!(scan.wait_of(&waiters[17])["queue_position"], 18, "{scan}");
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .names(&waiters.iter().collect::<Vec<_>>())
            .tells("18 sessions wait for advisory locks, behind 1 holder");
        scan.finds("idle-holder").names(&[&holder]).tells(&format!(
            "pid {} can go on then, 17 stay in the queue behind",
            waiters[0].pid()
        ));
    });
}

/// LA-053
#[test]
fn a_repeatable_read_that_waited_fails_afterwards_and_leaves_no_lock() {
    Server::each(|server| {
        let db = server.database("stale");
        let (first, second) = (db.session("one"), db.session("other"));
        first.runs("CREATE TABLE jobs AS SELECT 1 AS id, 0 AS taken");
        for session in [&first, &second] {
            session.runs("BEGIN ISOLATION LEVEL REPEATABLE READ");
        }
        first.runs("SELECT pg_advisory_xact_lock(4); UPDATE jobs SET taken = 1");
        second.is_blocked_in("SELECT pg_advisory_xact_lock(4)");
        let waiting = scan(&db).exits_with(1);
        waiting
            .finds("idle-in-transaction-holder")
            .is("critical", "certain")
            .names(&[&first]);
        waiting.is_silent_on("idle-holder");
        first.runs("COMMIT");
        let refusal = second.tries("UPDATE jobs SET taken = 2").unwrap_err();
        assert_eq!(refusal.code().map(|code| code.code()), Some("40001"));
        let after = scan(&db).exits_with(0);
        assert!(after.rules().is_empty(), "{after}");
    });
}
