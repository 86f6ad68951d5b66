//! `prepared-holder`: a lock whose session is gone, told by its global id.

use lockaudit::throwaway::Shutdown;
use serde_json::Value;

use crate::harness::{Scan, Server, fast_options, installations, scan, scan_with};

const RULE: &str = "prepared-holder";

#[test]
fn a_prepared_holder_is_told_by_its_global_id() {
    Server::each(|server| {
        let db = server.database("prepared_rule");
        db.session("transfers").prepared_with(444, "transfer-1");
        let scan = scan_with(&db, &["--idle-after", "1h"]).exits_with(1);
        scan.finds(RULE)
            .is("warning", "certain")
            .names(&[])
            .tells("prepared transaction 'transfer-1' holds key 444");
        let waiter = db.session("ledger");
        waiter.waits_for(444);
        self::scan(&db).finds(RULE).is("critical", "certain");
    });
}

#[test]
fn a_prepared_transaction_without_an_advisory_lock_is_nothing() {
    let db = Server::any().database("prepared_plain");
    let session = db.session("transfers");
    session
        .runs("CREATE TABLE transfers (id int)")
        .runs("BEGIN; INSERT INTO transfers VALUES (1); PREPARE TRANSACTION 'plain-1'");
    let scan = scan(&db).exits_with(0);
    assert!(scan.trouble().is_empty(), "{scan}");
}

#[test]
fn of_two_prepared_transactions_the_one_with_the_lock_is_named() {
    Server::each(|server| {
        let db = server.database("prepared_two");
        let session = db.session("transfers");
        session
            .runs("BEGIN; SELECT txid_current(); PREPARE TRANSACTION 'innocent-1'")
            .prepared_with(445, "guilty")
            .runs("BEGIN; SELECT txid_current(); PREPARE TRANSACTION 'innocent-2'");
        scan(&db)
            .finds(RULE)
            .tells("'guilty'")
            .keeps_quiet_about("innocent");
    });
}

#[test]
fn a_session_lock_stays_with_its_session_when_the_transaction_is_prepared() {
    let db = Server::any().database("prepared_session");
    let session = db.session("transfers");
    session
        .idle_with(446)
        .runs("BEGIN; SELECT txid_current(); PREPARE TRANSACTION 'without-lock'");
    let scan = scan(&db);
    scan.is_silent_on(RULE);
    scan.finds("idle-holder").names(&[&session]);
}

#[test]
fn a_restart_changes_nothing_about_a_prepared_holder() {
    for installation in installations() {
        let server = Server::private(installation, fast_options());
        server
            .admin()
            .runs("BEGIN; SELECT txid_current(); PREPARE TRANSACTION 'innocent'")
            .prepared_with(447, "survivor");
        let mut cluster = server.into_cluster();
        cluster
            .restart(Shutdown::Fast)
            .expect("the server starts again");
        let server = Server::around(cluster);
        let scan = Scan::of(&server.address().url(), &[]).exits_with(1);
        scan.finds(RULE)
            .tells("'survivor'")
            .keeps_quiet_about("innocent");
        let row = &scan.document["locks"][0];
        let transaction = row["virtualtransaction"].as_str().unwrap_or_default();
        assert!(transaction.starts_with("-1/"), "{scan}");
        assert_eq!(row["prepared"]["gid"], "survivor", "{scan}");
        assert_eq!(row["pid"], Value::Null, "{scan}");
    }
}
