//! While a name moves from its old key: the command stands on the key, on both, or on its lease, and old
//! code never works beside it.

use rustix::process::Signal;

use super::{SHORT, runs, starts, words};
use crate::harness::{
    Lockaudit, PgBouncer, Pooling, Running, Server, is_alive, lockaudit, wait_for,
};
use crate::migrating::{JOB, in_mode, lease, locks, moves};

const WORK: &str = "echo token=$LOCKAUDIT_LEASE_TOKEN.; echo begun; exec sleep 600";

fn is_told_to_end(run: Running) {
    run.signal(Signal::TERM);
    run.finish().exits_with(143);
}

#[test]
fn each_mode_has_what_the_command_stands_on_on_every_major() {
    Server::each(|server| {
        for (mode, has, bridged, token) in [
            ("advisory", vec!["ExclusiveLock granted"], None, "token=.\n"),
            ("both", vec!["ShareLock granted"], Some(true), "token="),
            ("lease", vec![], Some(false), "token="),
        ] {
            let db = in_mode(server, mode, mode);
            let watcher = db.session("watcher");
            let words = words_at(&db.url(), &["--ttl", SHORT]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let run = Lockaudit::new(&words)
                .env("LOCKAUDIT_LEASE_TOKEN", "outer")
                .start();
            run.waits_until_it_says("begun");
            assert_eq!(
                (locks(&watcher), lease(&watcher)),
                (strings(&has), bridged),
                "{mode}"
            );
            run.signal(Signal::TERM);
            let outcome = run.finish().exits_with(143).says(token);
            outcome.keeps_quiet_about("outer");
            wait_for("the key to be free", || locks(&watcher).is_empty());
            assert_eq!(lease(&watcher), None, "{mode}");
        }
    });
}

fn words_at(url: &str, options: &[&str]) -> Vec<String> {
    words(url, options, WORK)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn old_code_that_holds_the_key_is_waited_for_with_nothing_in_hand() {
    for mode in ["advisory", "both"] {
        let db = in_mode(Server::any(), &format!("old_{mode}"), mode);
        let watcher = db.session("watcher");
        let old = db.session("old worker");
        old.idle_with(JOB);
        runs(&db, &["-n"], WORK)
            .exits_with(75)
            .complains("not granted: the old key of job is in use")
            .keeps_quiet_about("begun");
        assert_eq!(lease(&watcher), None);
        let run = starts(&db, &["--ttl", SHORT], WORK);
        run.waits_until_it_complains("waiting: the old key of job is in use");
        wait_for("the lease to be given back", || lease(&watcher).is_none());
        assert!(old.says(&format!("SELECT pg_advisory_unlock({JOB})")));
        run.waits_until_it_says("begun");
        assert!(!old.says(&format!("SELECT pg_try_advisory_lock({JOB})")));
        is_told_to_end(run);
    }
}

/// A release that was not answered may arrive late: it must not free what was granted since.
#[test]
fn a_holder_that_gave_its_lease_back_takes_none_again() {
    let db = in_mode(Server::any(), "anew", "both");
    let watcher = db.session("watcher");
    let old = db.session("old worker");
    old.idle_with(JOB);
    let script = "echo holder $LOCKAUDIT_LEASE_HOLDER; exec sleep 600";
    let run = starts(&db, &["--ttl", SHORT], script);
    let grants = "SELECT count(*) FROM lockaudit_lease_log WHERE event = 'granted'";
    wait_for("two attempts", || watcher.number(grants) >= 2);
    assert!(old.says(&format!("SELECT pg_advisory_unlock({JOB})")));
    let holder = run.waits_for_the_line("holder ");
    assert_eq!(
        watcher.value("SELECT holder FROM lockaudit_lease WHERE name = 'job'"),
        Some(holder)
    );
    assert!(watcher.says(
        "SELECT count(*) = count(DISTINCT holder) FROM lockaudit_lease_log WHERE event = 'granted'"
    ));
    is_told_to_end(run);
}

#[test]
fn the_end_of_the_keys_session_stops_a_deaf_command_within_a_moment() {
    for mode in ["advisory", "both"] {
        let db = in_mode(Server::any(), &format!("lost_{mode}"), mode);
        let watcher = db.session("watcher");
        let run = starts(
            &db,
            &["--ttl", "60s"],
            "trap '' TERM; echo job $$; while :; do sleep 0.05; done",
        );
        let job = run.waits_for_the_line("job ");
        watcher.runs(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = \
             (SELECT oid FROM pg_database WHERE datname = current_database())",
        );
        run.waits_until_it_complains("the session that had the old key of job has ended");
        run.finish().exits_with(76);
        assert!(!is_alive(&job));
        assert_eq!(lease(&watcher), None, "the lease is given back");
    }
}

#[test]
fn a_mode_that_changes_while_the_key_is_waited_for_is_followed() {
    let db = in_mode(Server::any(), "changed", "advisory");
    let owner = db.session("owner");
    let old = db.session("old worker");
    old.idle_with(JOB);
    let run = starts(&db, &["--ttl", "60s"], WORK);
    wait_for("it to wait for the key", || {
        locks(&owner).contains(&"ExclusiveLock waiting".to_owned())
    });
    moves(&owner, "both");
    old.disconnect();
    run.waits_until_it_says("begun");
    assert_eq!(locks(&owner), ["ShareLock granted"]);
    assert_eq!(lease(&owner), Some(true));
    moves(&owner, "lease");
    assert_eq!(locks(&owner), ["ShareLock granted"], "kept to the end");
    is_told_to_end(run);
    wait_for("the key to be free", || locks(&owner).is_empty());
}

#[test]
fn a_probe_asks_for_the_key_and_holds_nothing() {
    let db = in_mode(Server::any(), "probed", "both");
    let watcher = db.session("watcher");
    let old = db.session("old worker");
    old.idle_with(JOB);
    runs(&db, &["-n", "--bridge", "probe"], WORK)
        .exits_with(75)
        .complains("the old key of job is in use");
    old.disconnect();
    let fence = db.session("fence");
    wait_for("the key to be free", || locks(&watcher).is_empty());
    fence.idle_sharing(JOB);
    let run = starts(&db, &["--bridge", "probe"], WORK);
    run.waits_until_it_says("begun");
    assert_eq!(locks(&watcher), ["ShareLock granted"], "the fence's");
    assert_eq!(lease(&watcher), Some(true));
    is_told_to_end(run);
}

#[test]
fn a_key_is_never_held_through_a_pooler() {
    let server = Server::any();
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(2)) else {
        return;
    };
    for mode in ["advisory", "both"] {
        let db = in_mode(server, &format!("pooled_{mode}"), mode);
        let watcher = db.session("watcher");
        let url = pooler.database_url(db.name());
        lockaudit(&words(&url, &["-n"], WORK))
            .exits_with(125)
            .complains("leads through a pooler")
            .complains("hint: connect to the server itself");
        assert_eq!((locks(&watcher), lease(&watcher)), (vec![], None), "{mode}");
        if mode == "both" {
            lockaudit(&words(&url, &["-n", "--bridge", "probe"], "echo worked"))
                .succeeds()
                .says("worked");
        }
    }
}
