//! `waiter-holds-back-vacuum`: a blocked lock call keeps its snapshot, which VACUUM must respect.

use crate::harness::{Scan, Server, Session, fast_options};

const RULE: &str = "waiter-holds-back-vacuum";

/// Spends transaction ids, as busy sessions do.
fn passes(server: &Server, transactions: u32) {
    server.admin().runs(&format!(
        "DO $$ BEGIN FOR i IN 1..{transactions} LOOP PERFORM txid_current(); COMMIT; END LOOP; END $$"
    ));
}

#[test]
fn a_waiter_keeps_vacuum_from_a_thousand_transactions() {
    // Its snapshots are the only ones: the oldest of a shared server may be another test's.
    let server = Server::private(Server::any().cluster().installation(), fast_options());
    let session = |name| Session::open(&server.address(), name);
    let scan = || Scan::of(&server.address().url(), &[]);
    let (holder, waiter) = (session("sweep"), session("api"));
    holder.idle_with(1);
    passes(&server, 1_100);
    scan().is_silent_on(RULE);
    waiter.waits_for(1);
    passes(&server, 900);
    scan().is_silent_on(RULE);
    passes(&server, 200);
    scan()
        .finds(RULE)
        .is("warning", "certain")
        .names(&[&waiter])
        .tells(&format!("end the holder (pid {}", holder.pid()));
}

#[test]
fn a_waiter_that_has_written_is_found_among_all_that_see_its_transaction() {
    let server = Server::private(Server::any().cluster().installation(), fast_options());
    let session = |name| Session::open(&server.address(), name);
    let (holder, waiter) = (session("sweep"), session("api"));
    holder.idle_with(1);
    waiter.runs("BEGIN; CREATE TABLE carts ()").waits_for(1);
    passes(&server, 1_100);
    // Every snapshot since is as old as the waiter's own transaction.
    session("report").works();
    Scan::of(&server.address().url(), &[])
        .finds(RULE)
        .names(&[&waiter]);
}
