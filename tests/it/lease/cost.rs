//! What leases cost the server, by its own count: nothing for those who lose, one transaction a batch.

use super::words::{Held, Leasing, create_tables, database, renew_many_sql, renew_sql, take_sql};
use crate::harness::{Server, Session, fast_options, installations, wait_for};

#[test]
fn a_take_that_is_refused_writes_no_wal_and_uses_no_transaction_number() {
    for installation in installations() {
        // Nothing else on this server writes WAL.
        let options = fast_options()
            .setting("wal_level", "minimal")
            .setting("max_wal_senders", "0")
            .setting("autovacuum", "off");
        let server = Server::private(installation, options);
        let session = Session::open(&server.address(), "taker");
        create_tables(&session);
        let held = session.has_taken("sweep", "one", 600.0);
        session.runs("CHECKPOINT").takes("sweep", "two", 60.0);
        let place = || session.value("SELECT pg_current_wal_insert_lsn()");
        let before = place();
        for _ in 0..100 {
            assert_eq!(session.takes("sweep", "two", 60.0), None);
        }
        assert_eq!(place(), before);
        session.runs("BEGIN");
        assert_eq!(session.takes("sweep", "two", 60.0), None);
        assert_eq!(
            session.value("SELECT pg_current_xact_id_if_assigned()"),
            None
        );
        session.runs("COMMIT");

        assert!(session.renews(&held, 600.0));
        assert_ne!(place(), before, "what is written is seen here");
    }
}

#[test]
fn every_renewal_is_a_hot_update() {
    const RENEWALS: i32 = 300;
    for installation in installations() {
        // Of its own: an old snapshot of somebody else's keeps dead rows, and with them the page full.
        let server = Server::private(installation, fast_options());
        let session = |name: &str| Session::open(&server.address(), name);
        let taker = session("taker");
        create_tables(&taker);
        let held: Vec<Held> = (0..10).map(|at| taken(&taker, at)).collect();
        // A session's counts are told when it ends, at the latest.
        taker.disconnect();
        let updated = || counts(&session("observer"));
        wait_for("the takes to be counted", || {
            inserts(&session("observer")) == 10
        });
        let (before, hot_before) = updated();
        let holder = session("holder");
        for _ in 0..RENEWALS / 10 {
            holder.runs(&renew_many_sql(&held, 600.0));
        }
        for _ in 0..RENEWALS {
            holder.runs(&renew_sql(&held[0], 600.0));
        }
        holder.disconnect();
        wait_for("the renewals to be counted", || {
            updated().0 - before == 2 * RENEWALS
        });
        assert_eq!(updated().1 - hot_before, 2 * RENEWALS);
    }
}

#[test]
fn a_batch_of_renewals_is_one_transaction() {
    Server::each(|server| {
        let db = database(server, "batch");
        let session = db.session("holder");
        let held: Vec<Held> = (0..100).map(|at| taken(&session, at)).collect();
        let writers = "SELECT count(DISTINCT xmin::text) FROM lockaudit_lease";
        assert_eq!(session.number(writers), 100);
        assert_eq!(session.rows(&renew_many_sql(&held, 600.0)).len(), 100);
        assert_eq!(session.number(writers), 1);
    });
}

/// Whoever keeps a transaction open keeps dead rows too; once it ends, their room is used again.
#[test]
fn an_old_snapshot_costs_room_and_no_lease() {
    const RENEWALS: usize = 500;
    for installation in installations() {
        let server = Server::private(installation, fast_options().setting("autovacuum", "off"));
        let session = |name: &str| Session::open(&server.address(), name);
        let (old, holder) = (session("old"), session("holder"));
        create_tables(&holder);
        let held = holder.has_taken("sweep", "one", 600.0);
        let pages = || holder.number("SELECT pg_relation_size('lockaudit_lease') / 8192");
        old.runs("BEGIN ISOLATION LEVEL REPEATABLE READ")
            .runs("SELECT count(*) FROM lockaudit_lease");
        assert!((0..RENEWALS).all(|_| holder.renews(&held, 600.0)));
        let grown = pages();
        assert!(grown > 4, "the snapshot kept nothing: {grown} pages");
        assert_eq!(holder.takes("sweep", "two", 60.0), None);
        old.runs("COMMIT");
        holder.runs("VACUUM lockaudit_lease");
        assert!((0..RENEWALS).all(|_| holder.renews(&held, 600.0)));
        assert!(pages() <= grown, "{} pages", pages());
    }
}

/// The log is about grants and ends.
#[test]
fn a_renewal_and_a_refused_take_leave_no_line_in_the_log() {
    let db = database(Server::any(), "quiet_log");
    let session = db.session("holder");
    let held = session.has_taken("sweep", "one", 60.0);
    session.runs(&take_sql("sweep", "two", 60.0));
    assert!(session.renews(&held, 60.0));
    assert_eq!(
        session.number("SELECT count(*) FROM lockaudit_lease_log"),
        1
    );
}

fn taken(session: &Session, at: usize) -> Held {
    session.has_taken(&format!("name-{at}"), "one", 600.0)
}

fn inserts(observer: &Session) -> i32 {
    observer.number("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'lockaudit_lease'")
}

/// All updates of the table, and those that are HOT.
fn counts(observer: &Session) -> (i32, i32) {
    let of = |column: &str| {
        observer.number(&format!(
            "SELECT {column} FROM pg_stat_user_tables WHERE relname = 'lockaudit_lease'"
        ))
    };
    (of("n_tup_upd"), of("n_tup_hot_upd"))
}
