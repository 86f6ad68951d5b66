//! `scan --pgbouncer`: a real console joined with a real server.

mod leak;
mod no_slot;
mod orphan;
mod queue;
mod reached;
mod settings;
mod shared;

use crate::harness::{Database, PgBouncer, Pooling, Scan, Server, Session, scan_with};

fn behind(pooling: &Pooling, test: impl Fn(&Database<'_>, &PgBouncer)) {
    let server = Server::any();
    if let Some(pooler) = PgBouncer::in_front_of(server, pooling) {
        test(&server.database("behind"), &pooler);
    }
}

/// Straight to the server, and to the console as who may look and no more.
#[track_caller]
fn scan_both(db: &Database<'_>, pooler: &PgBouncer) -> Scan {
    scan_with(db, &["--pgbouncer", &pooler.stats_url()])
}

/// The backend that holds an advisory lock of this database, to be looked at.
#[track_caller]
fn holder(db: &Database<'_>) -> Session {
    let pid = db.server().admin().number(&format!(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = {}",
        db.oid()
    ));
    Session::elsewhere(&db.address(), "", pid)
}

fn is_held(db: &Database<'_>) -> bool {
    db.server().admin().says(&format!(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = {})",
        db.oid()
    ))
}
