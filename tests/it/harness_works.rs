//! The harness itself: what the other tests take for granted.

use lockaudit::throwaway::Shutdown;

use crate::harness::{
    Key, PgBouncer, Pooling, Server, Session, fast_options, installations, lockaudit, wait_for,
};

const NEGATIVE: Key = Key::Single(-8_046_644_073_709_551_615);

#[test]
fn every_major_starts_and_says_its_version() {
    Server::each(|server| {
        let major = server
            .admin()
            .number("SELECT current_setting('server_version_num')::int / 10000");
        assert_eq!(major as u32, server.major());
    });
}

#[test]
fn sessions_hold_and_wait_as_told() {
    Server::each(|server| {
        let db = server.database("hold_and_wait");
        let holder = db.session("worker-1");
        let waiter = db.session("worker-2");
        holder.idle_with(NEGATIVE).idle_with_pair(-7, -42);
        waiter.waits_for((-7, -42));
        assert_eq!(modes_of(server, NEGATIVE), ["ExclusiveLock granted"]);
        assert_eq!(
            modes_of(server, Key::pair(-7, -42)),
            ["ExclusiveLock granted", "ExclusiveLock waiting"]
        );
        let blockers = server
            .admin()
            .value(&format!("SELECT pg_blocking_pids({})", waiter.pid()));
        assert_eq!(blockers, Some(format!("{{{}}}", holder.pid())));
    });
}

#[test]
fn sessions_share_a_key_and_keep_a_writer_waiting() {
    let server = Server::any();
    let db = server.database("sharing");
    let key = Key::single(i64::from(u32::MAX) + 17);
    let readers = [db.session("reader-1"), db.session("reader-2")];
    for reader in &readers {
        reader.idle_sharing(key);
    }
    let (writer, late) = (db.session("writer"), db.session("late reader"));
    writer.waits_in_transaction_for(key);
    late.waits_to_share(key);
    assert_eq!(
        modes_of(server, key),
        [
            "ExclusiveLock waiting",
            "ShareLock granted",
            "ShareLock granted",
            "ShareLock waiting"
        ]
    );
    readers.into_iter().for_each(Session::disconnect);
    wait_for("the writer's turn", || {
        modes_of(server, key)[0] == "ExclusiveLock granted"
    });
}

#[test]
fn a_transaction_holds_its_key_until_its_end() {
    let server = Server::any();
    let db = server.database("transaction");
    let key = Key::single(5_150_000_001);
    let holder = db.session("worker");
    holder.in_transaction_with(key);
    assert_eq!(modes_of(server, key), ["ExclusiveLock granted"]);
    holder.runs("ROLLBACK");
    assert_eq!(modes_of(server, key), [""; 0]);
}

#[test]
fn a_prepared_transaction_holds_its_key_without_a_session() {
    Server::each(|server| {
        let db = server.database("prepared");
        let key = Key::single(5_150_000_002);
        let session = db.session("worker");
        session.prepared_with(key, "transfer-17");
        session.disconnect();
        let condition = key.in_pg_locks();
        let without_pid = format!("SELECT bool_and(pid IS NULL) FROM pg_locks WHERE {condition}");
        assert!(server.admin().says(&without_pid));
    });
}

#[test]
fn a_plain_role_sees_less_than_a_monitor() {
    let server = Server::any();
    let db = server.database("visibility");
    let (plain, monitor) = (
        server.role("plain"),
        server.role("monitor").member_of("pg_monitor"),
    );
    let other = db.session_over_tcp("worker");
    let port = format!(
        "SELECT client_port > 0 FROM pg_stat_activity WHERE pid = {}",
        other.pid()
    );
    assert!(!db.session_as(plain.name(), "looks").says(&port));
    assert!(db.session_as(monitor.name(), "looks").says(&port));
}

#[test]
fn a_refused_statement_is_a_value() {
    let db = Server::any().database("refusals");
    let refusal = db
        .session("worker")
        .tries("SELECT 1 / 0")
        .expect_err("nobody can");
    assert_eq!(refusal.code().map(|code| code.code()), Some("22012"));
}

#[test]
fn a_standby_of_every_major_answers_and_holds_its_own_lock() {
    for installation in installations() {
        let mut primary = Server::private(installation, fast_options()).into_cluster();
        let standby = Server::around(primary.standby().expect("a standby can be made"));
        assert!(standby.admin().says("SELECT pg_is_in_recovery()"));
        standby.admin().idle_with(NEGATIVE);
        assert_eq!(modes_of(&standby, NEGATIVE), ["ExclusiveLock granted"]);

        let primary = Server::around(primary);
        primary.admin().runs("CREATE TABLE arrives ()");
        let arrived = "SELECT to_regclass('arrives') IS NOT NULL";
        wait_for("the standby to follow", || standby.admin().says(arrived));
        standby
            .cluster()
            .promote()
            .expect("a standby can be promoted");
        assert!(!standby.admin().says("SELECT pg_is_in_recovery()"));
    }
}

#[test]
fn a_restart_ends_sessions_and_keeps_data_and_port() {
    for shutdown in [Shutdown::Fast, Shutdown::Immediate] {
        let server = Server::private(Server::any().cluster().installation(), fast_options());
        server
            .admin()
            .runs("CREATE TABLE stays ()")
            .runs("CHECKPOINT");
        let mut cluster = server.into_cluster();
        let (port, pid) = (cluster.port(), cluster.pid());
        cluster.restart(shutdown).expect("the server starts again");
        assert_eq!(cluster.port(), port);
        assert_ne!(cluster.pid(), pid);
        assert!(
            Server::around(cluster)
                .admin()
                .says("SELECT to_regclass('stays') IS NOT NULL")
        );
    }
}

#[test]
fn a_private_server_has_the_files_settings_and_access_it_was_given() {
    let options = fast_options()
        .setting("work_mem", "12MB")
        .file("server.key", "secret")
        .hba("host all all 127.0.0.1/32 reject");
    let server = Server::private(Server::any().cluster().installation(), options);
    assert_eq!(
        server.admin().value("SHOW work_mem").as_deref(),
        Some("12MB")
    );
    assert_eq!(
        server
            .admin()
            .value("SELECT pg_read_file('server.key')")
            .as_deref(),
        Some("secret")
    );
    let refusal = Session::try_open(&server.address().over_tcp(), "worker");
    assert!(refusal.is_err_and(|error| error.code().is_some_and(|code| code.code() == "28000")));
}

#[test]
fn a_server_that_cannot_start_shows_its_log() {
    let installation = Server::any().cluster().installation();
    let options = fast_options().setting("max_connections", "few");
    let error =
        lockaudit::throwaway::Cluster::start(installation, &options).expect_err("no number");
    assert!(
        format!("{error:#}").contains("\"max_connections\": \"few\""),
        "{error:#}"
    );
}

#[test]
fn pooled_sessions_share_a_connection_of_the_server() {
    let server = Server::any();
    let db = server.database("pooled");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let (first, second) = (pooler.session(&db, "svc-1"), pooler.session(&db, "svc-2"));
    assert_eq!(first.pid(), second.pid());
    first.idle_with(NEGATIVE);
    assert!(second.says(&format!("SELECT pg_try_advisory_lock({NEGATIVE})")));
    assert_eq!(pooler.console().rows("SHOW SERVERS").len(), 1);
}

#[test]
fn a_pool_by_session_frees_the_locks_of_a_session_that_ends() {
    let server = Server::any();
    let db = server.database("by_session");
    let pooling = Pooling::by_session(2).setting("server_lifetime", "60");
    let Some(pooler) = PgBouncer::in_front_of(server, &pooling) else {
        return;
    };
    let key = Key::single(5_150_000_003);
    pooler.session(&db, "svc").idle_with(key);
    wait_for("the reset of the connection", || {
        modes_of(server, key).is_empty()
    });
}

#[test]
fn a_run_of_the_binary_gives_its_status_and_its_words() {
    lockaudit(&["--version"]).succeeds().without_complaint();
}

fn modes_of(server: &Server, key: Key) -> Vec<String> {
    let condition = key.in_pg_locks();
    let modes = format!(
        "SELECT mode || CASE WHEN granted THEN ' granted' ELSE ' waiting' END
           FROM pg_locks WHERE {condition} ORDER BY 1"
    );
    server
        .admin()
        .rows(&modes)
        .into_iter()
        .flatten()
        .flatten()
        .collect()
}
