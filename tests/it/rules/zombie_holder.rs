//! `zombie-holder`: active, and yet at no work.

use crate::harness::{Psql, Server, scan_with};

const RULE: &str = "zombie-holder";

#[test]
fn a_holder_that_sleeps_is_possibly_a_zombie() {
    Server::each(|server| {
        let db = server.database("sleeps");
        let (holder, waiter) = (db.session("export"), db.session("import"));
        holder.works_with(1);
        let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(0);
        scan.finds(RULE)
            .is("info", "possible")
            .names(&[&holder])
            .tells("active in PgSleep");
        scan_with(&db, &["--idle-after", "1h"])
            .exits_with(0)
            .is_silent_on(RULE);
        waiter.waits_for(1);
        scan_with(&db, &["--idle-after", "0s"])
            .finds(RULE)
            .is("critical", "possible");
    });
}

#[test]
fn a_holder_that_computes_is_none() {
    let db = Server::any().database("computes");
    let holder = db.session("export");
    holder
        .idle_with(1)
        .starts("SELECT count(*) FROM generate_series(1, 1000000000)")
        .is_seen("at work", "state = 'active' AND wait_event IS NULL");
    scan_with(&db, &["--idle-after", "0s"]).is_silent_on(RULE);
}

#[test]
fn a_sleeper_without_a_lock_is_none() {
    let db = Server::any().database("sleeps_only");
    db.session("export").works();
    scan_with(&db, &["--idle-after", "0s"]).is_silent_on(RULE);
}

#[test]
fn a_holder_whose_client_does_not_read_is_possibly_one() {
    Server::each(|server| {
        let db = server.database("does_not_read");
        let mut export = Psql::open(&db.address(), "export");
        export
            .starts("SELECT pg_advisory_lock(1);")
            .starts("COPY (SELECT repeat('x', 10000) FROM generate_series(1, 50000)) TO STDOUT;")
            .session()
            .is_seen("stuck", "wait_event = 'ClientWrite'");
        scan_with(&db, &["--idle-after", "0s"])
            .exits_with(0)
            .finds(RULE)
            .is("info", "possible")
            .names(&[export.session()])
            .tells("active in ClientWrite");
        export.is_killed().is_gone();
    });
}

/// A minute of sleep would make the suite slow: the look is taken to be a century later.
#[test]
fn a_minute_later_it_is_likely_one_and_a_warning() {
    let db = Server::any().database("sleeps_long");
    let holder = db.session("export");
    holder.works_with(1);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("snapshot.json");
    let name = file.to_str().expect("ASCII");
    scan_with(&db, &["--save", name]);
    let text = std::fs::read_to_string(&file).expect("it was written");
    let mut saved: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let moment = &mut saved["samples"][0]["server"]["captured_at"];
    let later = moment.as_str().expect("a time").replacen("20", "21", 1);
    *moment = later.into();
    std::fs::write(&file, saved.to_string()).expect("it can be written");
    crate::harness::Scan::of_file(name, &["--database", db.name()])
        .finds(RULE)
        .is("warning", "likely")
        .names(&[&holder]);
}
