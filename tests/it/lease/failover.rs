//! A standby that becomes the primary: what it knew, what it missed, and why tokens rise nevertheless.

use lockaudit::throwaway::{Cluster, Shutdown};

use super::words::{Held, Leasing, create_tables, take_sql};
use crate::harness::{Server, Session, fast_options, installations, wait_for};

/// A primary with the tables, and its standby.
struct Pair {
    primary: Server,
    standby: Cluster,
}

impl Pair {
    fn all(test: impl Fn(Self)) {
        for installation in installations() {
            let mut primary = Server::private(installation, fast_options()).into_cluster();
            let standby = primary.standby().expect("a standby can be made");
            let primary = Server::around(primary);
            create_tables(primary.admin());
            let pair = Self { primary, standby };
            pair.catches_up();
            test(pair);
        }
    }

    fn on_primary(&self) -> Session {
        Session::open(&self.primary.address(), "on the primary")
    }

    fn catches_up(&self) {
        let admin = self.primary.admin();
        let now = admin.value("SELECT pg_current_wal_lsn()").expect("a place");
        let there = format!("SELECT bool_or(replay_lsn >= '{now}') FROM pg_stat_replication");
        wait_for("the standby to follow", || admin.says(&there));
    }

    fn is_synchronous(&self) {
        self.primary
            .admin()
            .runs("ALTER SYSTEM SET synchronous_standby_names = '*'")
            .runs("SELECT pg_reload_conf()");
        let synchronous = "SELECT bool_or(sync_state = 'sync') FROM pg_stat_replication";
        wait_for("the standby to count", || {
            self.primary.admin().says(synchronous)
        });
    }

    /// The standby hears nothing more.
    fn is_parted(&self) {
        let standby = Server::session_on(&self.standby, "harness");
        standby
            .runs("ALTER SYSTEM SET primary_conninfo = ''")
            .runs("SELECT pg_reload_conf()");
        let gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)";
        wait_for("the standby to be alone", || standby.says(gone));
    }

    /// The primary is gone, and the standby takes its place.
    fn fails_over(self) -> Server {
        let mut primary = self.primary.into_cluster();
        primary.stop(Shutdown::Immediate).expect("it stops");
        self.standby.promote().expect("it can be promoted");
        Server::around(self.standby)
    }
}

#[test]
fn a_standby_that_has_followed_grants_nothing_twice_and_raises_the_tokens() {
    Pair::all(|pair| {
        pair.is_synchronous();
        let held = pair.on_primary().has_taken("sweep", "one", 60.0);
        let server = pair.fails_over();
        let session = Session::open(&server.address(), "on the new primary");
        assert_eq!(session.takes("sweep", "two", 60.0), None);
        assert!(session.renews(&held, 0.01));
        session.sees_the_end_of("sweep");
        let next = session.has_taken("sweep", "two", 60.0);
        assert!(next.token > held.token + 1, "a floor of its own: {next:?}");
    });
}

/// The documented exception: two holders, until the first one's next renewal reaches the new primary.
#[test]
fn a_standby_that_missed_a_grant_grants_again_under_a_higher_token_and_the_first_loses() {
    Pair::all(|pair| {
        let session = pair.on_primary();
        let known = session.has_taken("known", "one", 60.0);
        session.has_taken("sweep", "earlier", 0.01);
        session.sees_the_end_of("sweep");
        pair.catches_up();
        pair.is_parted();
        let missed: Vec<Held> = (0..5).map(|_| taken_and_released(&session)).collect();
        let first = session.has_taken("sweep", "one", 60.0);
        let unheard = session.has_taken("unheard", "one", 60.0);
        drop(session);
        let server = pair.fails_over();

        let session = Session::open(&server.address(), "on the new primary");
        let second = session.has_taken("sweep", "two", 60.0);
        let again = session.has_taken("unheard", "two", 60.0);
        assert!(second.token > first.token && again.token > unheard.token);
        assert!(missed.iter().all(|held| held.token < second.token));
        for lost in [&first, &unheard] {
            assert!(!session.renews(lost, 60.0) && !session.releases(lost));
        }
        assert!(session.renews(&second, 60.0) && session.renews(&again, 60.0));
        assert!(session.renews(&known, 60.0), "what it knew stays");
    });
}

#[test]
fn a_grant_that_its_synchronous_standby_does_not_have_is_not_answered() {
    Pair::all(|pair| {
        let session = pair.on_primary();
        session.has_taken("sweep", "earlier", 0.01);
        session.sees_the_end_of("sweep");
        pair.catches_up();
        pair.is_synchronous();
        pair.is_parted();
        session.starts(&take_sql("sweep", "one", 60.0));
        session.is_seen("waiting for the standby", "wait_event = 'SyncRep'");
        let rival = pair.on_primary();
        assert!(
            rival.row_of("sweep").starts_with("earlier "),
            "nobody sees it"
        );
        rival.is_blocked_in(&take_sql("sweep", "two", 60.0));
        drop((session, rival));
        let server = pair.fails_over();
        let session = Session::open(&server.address(), "on the new primary");
        session.has_taken("sweep", "two", 60.0);
    });
}

fn taken_and_released(session: &Session) -> Held {
    let held = session.has_taken("sweep", "one", 60.0);
    assert!(session.releases(&held));
    held
}
