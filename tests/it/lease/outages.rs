//! A server that stops, crashes, or takes no writes any more: what was granted stays granted, and what
//! cannot be written is unknown, never lost for certain.

use lockaudit::throwaway::{Cluster, Installation, Shutdown};

use super::words::{
    Held, Leasing, Refusal, create_tables, database, release_sql, renew_many_sql, renew_sql,
    take_sql,
};
use crate::harness::{Server, Session, Stopped, fast_options, installations};

/// SQLSTATE `read_only_sql_transaction`.
const READ_ONLY: &str = "25006";

#[test]
fn a_stopped_backend_finishes_late_and_changes_nothing() {
    Server::each(|server| {
        let db = database(server, "stopped");
        let (holder, other) = (db.session("holder"), db.session("other"));
        for sql in [|held: &Held| renew_sql(held, 60.0), release_sql] {
            let held = other.has_taken("sweep", "one", 0.2);
            let stopped = Stopped::process(holder.pid());
            holder.starts(&sql(&held));
            other.sees_the_end_of("sweep");
            let next = other.has_taken("sweep", "two", 60.0);
            let before = other.row_of("sweep");
            stopped.goes_on();
            holder.is_seen("done at last", "state = 'idle' AND query LIKE 'WITH %'");
            assert_eq!(other.row_of("sweep"), before);
            assert!(other.releases(&next));
        }
    });
}

/// Though the server is told that commits need not be durable: what leases rest on is.
#[test]
fn a_crash_forgets_no_grant_no_renewal_no_release_and_no_break() {
    for installation in installations() {
        let mut server = Crashing::on(installation);
        let held = server.session().has_taken("sweep", "one", 5.0);
        server.crashes();
        assert_eq!(server.session().takes("sweep", "two", 60.0), None);
        assert!(server.session().renews(&held, 60.0));
        server.crashes();
        assert!(server.session().seconds_left("sweep") > 30.0);
        assert!(server.session().releases(&held));
        server.crashes();
        assert!(!server.session().renews(&held, 60.0));
        let next = server.session().has_taken("sweep", "two", 60.0);
        assert!(next.token > held.token && server.session().breaks("sweep"));
        server.crashes();
        assert!(!server.session().renews(&next, 60.0));
        assert!(server.session().has_taken("sweep", "one", 60.0).token > next.token);
    }
}

/// A server that writes what it is told to forget 10 seconds later, if it lives that long.
struct Crashing {
    cluster: Cluster,
    session: Option<Session>,
}

impl Crashing {
    fn on(installation: &Installation) -> Self {
        let options = fast_options()
            .setting("synchronous_commit", "off")
            .setting("wal_writer_delay", "10s");
        let cluster = Server::private(installation, options).into_cluster();
        let session = Server::session_on(&cluster, "holder");
        create_tables(&session);
        session.runs("CHECKPOINT");
        Self {
            cluster,
            session: Some(session),
        }
    }

    fn session(&self) -> &Session {
        self.session.as_ref().expect("the server runs")
    }

    fn crashes(&mut self) {
        self.session = None;
        let restarted = self.cluster.restart(Shutdown::Immediate);
        restarted.expect("it recovers");
        self.session = Some(Server::session_on(&self.cluster, "holder"));
    }
}

#[test]
fn a_database_that_takes_no_writes_leaves_everything_unknown() {
    Server::each(|server| {
        let db = database(server, "read_only");
        let session = db.session("holder");
        let held = session.has_taken("sweep", "one", 60.0);
        let before = session.row_of("sweep");
        session.runs("SET default_transaction_read_only = on");
        is_refused_as_read_only(&session, &held);
        session.runs("SET default_transaction_read_only = off");
        assert_eq!(session.row_of("sweep"), before);
        assert!(session.renews(&held, 60.0));
    });
}

#[test]
fn a_primary_that_became_a_standby_leaves_everything_unknown() {
    for installation in installations() {
        let server = Server::private(installation, fast_options());
        let session = Session::open(&server.address(), "holder");
        create_tables(&session);
        let held = session.has_taken("sweep", "one", 60.0);
        drop(session);
        let mut cluster = server.into_cluster();
        cluster
            .write_file("standby.signal", "")
            .expect("it is our own");
        cluster.restart(Shutdown::Fast).expect("it starts again");
        let server = Server::around(cluster);
        let session = Session::open(&server.address(), "holder");
        assert!(session.says("SELECT pg_is_in_recovery()"));
        is_refused_as_read_only(&session, &held);
        assert!(session.row_of("sweep").starts_with("one "));
    }
}

#[track_caller]
fn is_refused_as_read_only(session: &Session, held: &Held) {
    let statements = [
        take_sql("sweep", "one", 60.0),
        take_sql("sweep", "two", 60.0),
        take_sql("another", "one", 60.0),
        renew_sql(held, 60.0),
        renew_many_sql(std::slice::from_ref(held), 60.0),
        release_sql(held),
    ];
    for sql in statements {
        let refusal: Refusal = session.tries(&sql).expect_err("it cannot be written");
        let state = refusal.code().map(|code| code.code());
        assert_eq!(state, Some(READ_ONLY), "{sql}");
    }
}
