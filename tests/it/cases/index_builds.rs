//! A migration lock and CREATE INDEX CONCURRENTLY: on two connections a circle that nobody but the
//! program closes, on one a deadlock that the server breaks.

use crate::harness::{Database, Marks, Server, Session, lockaudit, scan};

const KEY: i64 = 41_001;
const BUILD: &str = "CREATE INDEX CONCURRENTLY carts_id ON carts (id)";
const IS_VALID: &str = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'carts_id'::regclass";

/// The migration's lock connection, its work connection and waiting replicas.
fn migration(db: &Database<'_>, replicas: usize) -> (Session, Session, Vec<Session>) {
    let (lock, work) = (db.session("migrate"), db.session("migrate"));
    work.runs("CREATE TABLE carts (id int)");
    lock.idle_with(KEY);
    let replicas: Vec<_> = (0..replicas).map(|_| db.session("replica")).collect();
    for replica in &replicas {
        replica.waits_for(KEY);
    }
    work.is_blocked_in(BUILD);
    (lock, work, replicas)
}

/// LA-041
#[test]
fn an_index_build_behind_the_replicas_that_wait_for_its_own_lock_hangs_unseen() {
    Server::each(|server| {
        let db = server.database("unseen");
        let (lock, work, replicas) = migration(&db, 1);
        let replica = &replicas[0];
        let scan = scan(&db).exits_with(1);
        assert_eq!(scan.rules()[0], "hidden-deadlock", "{scan}");
        scan.finds("hidden-deadlock")
            .is("critical", "likely")
            .names(&[&lock, &work, replica])
            .tells(&format!(
                "cancel every session in the way (pid {})",
                replica.pid()
            ));
        for rule in ["idle-holder", "blocked-waiters"] {
            scan.finds(rule)
                .tells("hidden-deadlock")
                .keeps_quiet_about("never on the waiters");
        }
        server
            .admin()
            .runs(&scan.finds("hidden-deadlock").statements()[0]);
        work.is_seen("done", "state = 'idle'");
        assert!(work.says(IS_VALID));
    });
}

/// LA-041, as people read it
#[test]
fn the_screen_sends_nobody_to_the_holder_of_a_hidden_circle() {
    let db = Server::any().database("unseen_screen");
    let _all = migration(&db, 1);
    let outcome = lockaudit(&["scan", &db.url(), "--database", db.name()]).exits_with(1);
    let screen = Marks::of(&outcome.stdout)
        .replacing(db.name(), "<database>")
        .replacing(&format!("'advisory', {},", db.oid()), "'advisory', <oid>,");
    insta::assert_snapshot!(screen);
}

/// LA-041, with the seven waiters of another report
#[test]
fn all_seven_waiters_stand_in_the_way_of_an_index_build() {
    let db = Server::any().database("seven");
    let (lock, work, replicas) = migration(&db, 7);
    let admin = db.server().admin();
    let all: Vec<&Session> = replicas.iter().chain([&lock, &work]).collect();
    scan(&db)
        .exits_with(1)
        .finds("hidden-deadlock")
        .is("critical", "likely")
        .names(&all)
        .tells("waits for 7 transactions");
    for replica in &replicas[..6] {
        admin.runs(&format!("SELECT pg_cancel_backend({})", replica.pid()));
        replica.is_seen("cancelled", "state = 'idle'");
    }
    scan(&db)
        .finds("hidden-deadlock")
        .names(&[&lock, &work, &replicas[6]]);
    for replica in &replicas[..6] {
        replica.waits_for(KEY);
    }
    let found = scan(&db).finds("hidden-deadlock");
    assert_eq!(
        admin.rows(&found.statements()[0]).len(),
        7,
        "cancelled by {found}"
    );
    work.is_seen("done", "state = 'idle'");
}

/// LA-041, the other way out
#[test]
fn an_index_build_that_is_given_up_leaves_an_invalid_index() {
    let db = Server::any().database("given_up");
    let (_lock, work, _replicas) = migration(&db, 2);
    let found = scan(&db).finds("hidden-deadlock");
    db.server().admin().runs(&found.statements()[1]);
    work.is_seen("given up", "state = 'idle'");
    assert!(!work.says(IS_VALID));
}

/// LA-043, LA-045: before the server has looked
#[test]
fn an_index_build_in_the_session_that_holds_the_lock_is_a_circle_the_server_sees() {
    Server::each(|server| {
        let db = server.database("one_session");
        let (migration, replica) = (db.session("migrate"), db.session("replica"));
        for session in [&migration, &replica] {
            session.runs("SET deadlock_timeout = '1h'");
        }
        migration.runs("CREATE TABLE carts (id int)").idle_with(KEY);
        replica.waits_for(KEY);
        migration.is_blocked_in(BUILD);
        let scan = scan(&db).exits_with(1);
        scan.is_silent_on("hidden-deadlock")
            .is_silent_on("idle-holder");
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .names(&[&migration, &replica])
            .tells("wait in a circle");
    });
}

/// LA-043, LA-045: when the build was the victim
#[test]
fn an_index_build_that_lost_a_deadlock_leaves_its_lock_and_an_invalid_index() {
    let db = Server::any().database("lost_build");
    let (migration, replica) = (db.session("migrate"), db.session("replica"));
    migration
        .runs("CREATE TABLE carts (id int); SET deadlock_timeout = '10ms'")
        .idle_with(KEY);
    replica.runs("SET deadlock_timeout = '1h'").waits_for(KEY);
    let refusal = migration.tries(BUILD).unwrap_err();
    assert_eq!(refusal.code().map(|code| code.code()), Some("40P01"));
    assert!(
        migration
            .says("SELECT NOT indisvalid FROM pg_index WHERE indexrelid = 'carts_id'::regclass")
    );
    scan(&db)
        .exits_with(1)
        .finds("idle-holder")
        .is("critical", "certain")
        .names(&[&migration])
        .tells(&format!("pid {} can go on then", replica.pid()));
}
