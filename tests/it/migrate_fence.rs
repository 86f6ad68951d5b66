//! `lockaudit migrate fence` on real servers: what it holds, whom it meets, and how it ends.

use lockaudit::throwaway::Shutdown;
use rustix::process::Signal;

use crate::harness::{
    Database, Lockaudit, PgBouncer, Pooling, Running, Server, Session, fast_options, lockaudit,
    wait_for,
};
use crate::migrating::{JOB, OTHER, in_mode, lease, locks, moves};

fn words<'a>(url: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let start = ["migrate", "fence", "-d", url, "--every", "50ms"];
    [&start, options].concat()
}

fn starts(db: &Database<'_>, options: &[&str]) -> Running {
    Lockaudit::new(&words(&db.url(), options)).start()
}

fn held(watcher: &Session) -> i32 {
    watcher.number(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
}

fn fences(watcher: &Session) -> i32 {
    watcher.number(
        "SELECT count(*) FROM lockaudit_lease WHERE name LIKE 'fence:%' AND holder IS NOT NULL AND expires_at > clock_timestamp()",
    )
}

#[test]
fn it_holds_every_key_shared_until_it_is_interrupted_on_every_major() {
    Server::each(|server| {
        let db = in_mode(server, "fenced", "both");
        let watcher = db.session("watcher");
        let fence = starts(&db, &[]);
        fence.waits_until_it_says("all is held: 2 keys");
        assert_eq!((held(&watcher), fences(&watcher)), (2, 1));
        assert!(!watcher.says(&format!("SELECT pg_try_advisory_lock({JOB})")));
        assert!(
            watcher
                .says("SELECT count(*) = 2 FROM lockaudit_lease_watch WHERE fenced_at IS NOT NULL")
        );
        fence.interrupt();
        fence
            .finish()
            .exits_with(130)
            .says("job: key -42 is held")
            .says("fence:")
            .complains("proves nothing alone");
        assert_eq!((held(&watcher), fences(&watcher)), (0, 0));
    });
}

#[test]
fn an_old_holder_is_said_and_its_key_is_got_when_it_goes() {
    let db = in_mode(Server::any(), "old_holder", "both");
    let watcher = db.session("watcher");
    let old = db.session("forgotten\u{1b}pod");
    old.idle_with(JOB);
    let fence = starts(&db, &[]);
    fence.waits_until_it_says(&format!("job: OLD HOLDER pid {} (forgotten", old.pid()));
    fence.waits_until_it_says("other: key");
    assert_eq!(held(&watcher), 1);
    old.disconnect();
    fence.waits_until_it_says("all is held: 2 keys");
    fence.signal(Signal::TERM);
    let outcome = fence.finish().exits_with(1).says("is gone");
    outcome
        .keeps_quiet_about("\u{1b}")
        .says("old code was met 1 time");
}

#[test]
fn an_old_waiter_is_said_as_it_tries() {
    let db = in_mode(Server::any(), "old_waiter", "lease");
    let fence = starts(&db, &["-f", "ndjson", "--name", "other"]);
    fence.waits_until_it_says("\"whole\"");
    let old = db.session("forgotten pod");
    old.waits_for(OTHER);
    fence.waits_until_it_says("\"old_waiter\"");
    fence.signal(Signal::TERM);
    let outcome = fence.finish().exits_with(1);
    let lines: Vec<serde_json::Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let events: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(events, ["began", "held", "whole", "old_waiter", "ended"]);
    assert_eq!(lines[3]["pid"], old.pid());
    assert_eq!(lines[3]["application_name"], "forgotten pod");
    assert_eq!(lines[3]["name"], "other");
}

#[test]
fn two_fences_hold_together_and_a_dead_one_is_said() {
    let db = in_mode(Server::any(), "two", "both");
    let watcher = db.session("watcher");
    let first = starts(&db, &["--ttl", "2s"]);
    first.waits_until_it_says("all is held: 2 keys");
    let second = starts(&db, &["--ttl", "2s"]);
    second.waits_until_it_says("all is held: 2 keys");
    second.waits_until_it_says(":1 is another fence: ");
    assert_eq!((held(&watcher), fences(&watcher)), (4, 2));
    first.signal(Signal::KILL);
    second.waits_until_it_says(":1 is DEAD: ");
    assert_eq!(held(&watcher), 2);
    assert!(!watcher.says(&format!("SELECT pg_try_advisory_lock({JOB})")));
    let third = starts(&db, &[]);
    third.waits_until_it_says(":1 begins: 2 keys");
    third.waits_until_it_says("all is held: 2 keys");
}

#[test]
fn a_name_that_goes_back_to_its_key_is_given_back_at_once() {
    let db = in_mode(Server::any(), "back", "both");
    let owner = db.session("owner");
    let fence = starts(&db, &[]);
    fence.waits_until_it_says("all is held: 2 keys");
    moves(&owner, "advisory");
    fence
        .finish()
        .succeeds()
        .says("job: given back, since it is in mode `advisory`")
        .complains("no old key is left to fence");
    assert_eq!((held(&owner), fences(&owner)), (0, 0));
}

#[test]
fn names_whose_key_counts_alone_are_not_fenced() {
    let db = in_mode(Server::any(), "alone", "advisory");
    lockaudit(&words(&db.url(), &["--name", "job"]))
        .exits_with(2)
        .complains("job is in mode `advisory`");
    lockaudit(&words(&db.url(), &[]))
        .exits_with(2)
        .complains("there is nothing to fence");
    let bare = Server::any().database("bare");
    lockaudit(&words(&bare.url(), &[]))
        .exits_with(2)
        .complains("lockaudit migrate apply");
}

#[test]
fn without_the_migrations_own_table_nothing_is_held() {
    let db = in_mode(Server::any(), "no_watch", "both");
    let owner = db.session("owner");
    owner.runs("DROP TABLE lockaudit_lease_watch");
    lockaudit(&words(&db.url(), &[]))
        .exits_with(2)
        .complains("there is no migration here")
        .keeps_quiet_about("LOST");
    assert_eq!((held(&owner), fences(&owner)), (0, 0));
}

#[test]
fn it_ends_when_the_migration_is_finished_under_it() {
    let db = in_mode(Server::any(), "finished", "lease");
    let owner = db.session("owner");
    let fence = starts(&db, &[]);
    fence.waits_until_it_says("all is held: 2 keys");
    owner.runs("BEGIN; UPDATE lockaudit_lease SET key = NULL, key1 = NULL, key2 = NULL; DROP TABLE lockaudit_lease_watch; COMMIT");
    fence
        .finish()
        .succeeds()
        .says("given back, since it has no old key any more");
    assert_eq!((held(&owner), fences(&owner)), (0, 0));
}

#[test]
fn more_than_a_tenth_of_the_lock_table_is_refused() {
    let db = in_mode(Server::any(), "many", "both");
    let owner = db.session("owner");
    owner.runs(
        "INSERT INTO lockaudit_lease (name, mode, key) SELECT 'name ' || g, 'both', 1000 + g FROM generate_series(1, \
         current_setting('max_locks_per_transaction')::int * (current_setting('max_connections')::int \
         + current_setting('max_prepared_transactions')::int) / 10) AS g",
    );
    lockaudit(&words(&db.url(), &[]))
        .exits_with(2)
        .complains("a tenth of the server's lock table")
        .complains("hint: fence fewer, by --name, or raise max_locks_per_transaction");
    assert_eq!((held(&owner), fences(&owner)), (0, 0));
    let ended = ["--name", "job", "--for", "0s"];
    lockaudit(&words(&db.url(), &ended))
        .succeeds()
        .says("all is held: 1 key");
}

#[test]
fn a_pooler_is_refused() {
    let server = Server::any();
    let db = in_mode(server, "pooled_fence", "both");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_session(2)) else {
        return;
    };
    lockaudit(&words(&pooler.database_url(db.name()), &[]))
        .exits_with(2)
        .complains("leads through a pooler")
        .complains("hint: connect to the server itself");
}

#[test]
fn a_server_that_restarts_ends_it_loudly() {
    let installation = Server::any().cluster().installation();
    let server = Server::private(installation, fast_options());
    let db = in_mode(&server, "restarted", "both");
    let fence = starts(&db, &[]);
    fence.waits_until_it_says("all is held: 2 keys");
    drop(db);
    let mut cluster = server.into_cluster();
    cluster.stop(Shutdown::Fast).expect("it stops");
    fence
        .finish()
        .exits_with(2)
        .says("LOST: the session has ended")
        .complains("error: the fence is down: 2 keys went with its session, and old code may work")
        .complains("hint: start it again");
}

#[test]
fn new_code_works_behind_it_in_either_way() {
    let db = in_mode(Server::any(), "behind", "both");
    let watcher = db.session("watcher");
    let fence = starts(&db, &[]);
    fence.waits_until_it_says("all is held: 2 keys");
    for bridge in ["hold", "probe"] {
        let url = db.url();
        let run = [
            "lease", "run", "job", "-n", "-d", &url, "--bridge", bridge, "--", "echo", "worked",
        ];
        lockaudit(&run).succeeds().says("worked");
    }
    assert_eq!((locks(&watcher).len(), lease(&watcher)), (1, None));
    fence.signal(Signal::TERM);
    fence.finish().succeeds();
    wait_for("the keys to be free", || locks(&watcher).is_empty());
}
