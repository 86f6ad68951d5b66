//! What a real server refuses, and how that is told.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use lockaudit::pg::connect::connect;
use lockaudit::pg::failure::{ConnectFailure, FailureKind, NoSlot};
use lockaudit::pg::target::ChannelBinding;
use lockaudit::throwaway::Installation;

use crate::destination::{Destination, SECRET, runtime};
use crate::harness::{Server, fast_options, installations};

/// The message, with the port as a fixed mark.
pub fn said(failure: &ConnectFailure, port: u16) -> String {
    failure.report().replace(&port.to_string(), "<port>")
}

/// A server that asks for passwords, one of each major for all tests.
pub fn strict(installation: &Installation) -> &'static Server {
    static STARTED: Mutex<BTreeMap<u32, &'static Server>> = Mutex::new(BTreeMap::new());
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started
        .entry(installation.major)
        .or_insert_with(|| Box::leak(Box::new(start_strict(installation))))
}

fn start_strict(installation: &Installation) -> Server {
    let options = fast_options()
        .hba("host all md5user 127.0.0.1/32 md5")
        .hba("host all stranger 127.0.0.1/32 reject")
        .hba("host all all 127.0.0.1/32 scram-sha-256");
    let server = Server::private(installation, options);
    for sql in [
        &format!(
            "SET password_encryption = 'scram-sha-256'; CREATE ROLE app LOGIN PASSWORD '{SECRET}'"
        ),
        &format!("SET password_encryption = 'md5'; CREATE ROLE md5user LOGIN PASSWORD '{SECRET}'"),
        "SET password_encryption = 'scram-sha-256'",
        "CREATE ROLE nologin",
        &format!("CREATE ROLE limited LOGIN CONNECTION LIMIT 0 PASSWORD '{SECRET}'"),
        "CREATE DATABASE closed CONNECTION LIMIT 0",
        "CREATE DATABASE forbidden",
        "REVOKE CONNECT ON DATABASE forbidden FROM PUBLIC",
    ] {
        server.admin().runs(sql);
    }
    server
        .admin()
        .runs(&format!("ALTER ROLE nologin PASSWORD '{SECRET}'"));
    server
}

pub fn to(server: &Server) -> Destination {
    Destination::localhost(server.cluster().port())
}

#[test]
fn says_why_a_login_is_refused() {
    for installation in installations().filter(|found| [13, 15, 18].contains(&found.major)) {
        let server = strict(installation);
        let port = server.cluster().port();
        let database = |name: &str| to(server).with(|target| target.dbname = name.to_owned());
        for (destination, message) in [
            (to(server).password(Some("wrong")), "\
could not connect to localhost:<port> (127.0.0.1): the password was refused (SQLSTATE 28P01)
  the server says: password authentication failed for user \"app\"
hint: check the role and its password: the connection string, PGPASSWORD, or the first matching line of the password file"),
            (to(server).password(None), "\
could not connect to localhost:<port> (127.0.0.1): the server asks for a password, and none was given
hint: looked in the connection string, PGPASSWORD and the password file (PGPASSFILE, else ~/.pgpass; it must not be readable by others)"),
            (to(server).user("stranger"), "\
could not connect to localhost:<port> (127.0.0.1): the server's pg_hba.conf does not let us in (SQLSTATE 28000)
  the server says: pg_hba.conf rejects connection for host \"127.0.0.1\", user \"stranger\", database \"postgres\", no encryption
hint: it decides by role, database, client address and encryption: add a line there, or change one of these (sslmode)"),
            (to(server).user("nologin"), "\
could not connect to localhost:<port> (127.0.0.1): the role may not log in (SQLSTATE 28000)
  the server says: role \"nologin\" is not permitted to log in
hint: give it LOGIN, or use another with --username"),
            (database("nowhere"), "\
could not connect to localhost:<port> (127.0.0.1): the server has no such database (SQLSTATE 3D000)
  the server says: database \"nowhere\" does not exist
hint: give its name with --dbname; without it the role's name is taken"),
            (database("forbidden"), "\
could not connect to localhost:<port> (127.0.0.1): the role may not connect to that database (SQLSTATE 42501)
  the server says: permission denied for database \"forbidden\"
  detail: User does not have CONNECT privilege.
hint: grant it CONNECT, or give another database with --dbname: advisory locks of all databases are seen from any"),
            (to(server).user("limited"), "\
could not connect to localhost:<port> (127.0.0.1): the role has used up its connection limit (SQLSTATE 53300)
  the server says: too many connections for role \"limited\"
hint: another role gets in; or raise the limit with ALTER ROLE … CONNECTION LIMIT"),
            (database("closed"), "\
could not connect to localhost:<port> (127.0.0.1): the database has used up its connection limit (SQLSTATE 53300)
  the server says: too many connections for database \"closed\"
hint: another database (--dbname) lets us in and shows the locks of all; or raise the limit with ALTER DATABASE … CONNECTION LIMIT"),
        ] {
            let found = said(&destination.fails(), port);
            // Versions before 14 say how by "SSL off".
            assert_eq!(found.replace("SSL off", "no encryption"), message, "{}", server.version());
        }
        let socket = Destination::socket(server.cluster().socket_folder(), port).user("ghost");
        assert_eq!(socket.fails().kind, FailureKind::UnknownRole);
    }
}

#[test]
fn each_way_of_having_no_slot_is_told_apart() {
    for installation in
        installations().filter(|installation| [15, 18].contains(&installation.major))
    {
        let reserved = installation.major >= 16;
        let mut options = fast_options()
            .max_connections(6)
            .setting("superuser_reserved_connections", "2");
        if reserved {
            options = options.setting("reserved_connections", "1");
        }
        let server = &Server::private(installation, options);
        server.admin().runs("CREATE ROLE app LOGIN");
        server.admin().runs("CREATE ROLE helper LOGIN");
        let mut expected = vec![
            ("app", NoSlot::OnlySuperuserSlotsLeft),
            ("postgres", NoSlot::AllTaken),
        ];
        if reserved {
            server
                .admin()
                .runs("GRANT pg_use_reserved_connections TO helper");
            expected[0] = ("app", NoSlot::OnlyReservedSlotsLeft);
            expected.insert(1, ("helper", NoSlot::OnlySuperuserSlotsLeft));
        }
        runtime().block_on(async {
            let mut open = Vec::new();
            for (role, slot) in expected {
                let destination = to(server).user(role);
                let failure = loop {
                    match connect(&destination.0).await {
                        Ok(connection) => open.push(connection),
                        Err(failure) => break failure,
                    }
                };
                assert_eq!(
                    failure.kind,
                    FailureKind::NoSlotLeft(slot),
                    "{}",
                    failure.report()
                );
                assert_eq!(failure.sqlstate.as_deref(), Some("53300"));
            }
            assert_eq!(open.len(), 5);
        });
    }
}

#[test]
fn a_full_lock_table_is_told_from_missing_slots() {
    for installation in
        installations().filter(|installation| [15, 18].contains(&installation.major))
    {
        let options = fast_options()
            .max_connections(5)
            .setting("max_locks_per_transaction", "10");
        let server = &Server::private(installation, options);
        let filled = server
            .admin()
            .tries("SELECT pg_advisory_lock(i) FROM generate_series(1, 100000) i");
        assert!(filled.is_err());
        let failure = to(server).user("postgres").fails();
        assert_eq!(
            failure.kind,
            FailureKind::LockTableFull,
            "{}",
            failure.report()
        );
        assert_eq!(failure.sqlstate.as_deref(), Some("53200"));
    }
}

#[test]
fn scram_with_too_many_iterations_is_named() {
    if let Some(installation) = installations().filter(|found| found.major >= 16).last() {
        let server = strict(installation);
        let sql =
            format!("SET scram_iterations = 150000; CREATE ROLE slow LOGIN PASSWORD '{SECRET}'");
        server.admin().runs(&sql);
        assert_eq!(said(&to(server).user("slow").fails(), server.cluster().port()), "\
could not connect to localhost:<port> (127.0.0.1): the role's password asks for more than 100000 SCRAM iterations, the most lockaudit computes
hint: set the role's password again with a smaller scram_iterations, or use another role");
    }
}

#[test]
fn channel_binding_without_tls_is_refused() {
    let server = strict(Server::any().cluster().installation());
    let required = to(server).with(|target| target.channel_binding = ChannelBinding::Require);
    assert_eq!(required.fails().kind, FailureKind::ChannelBinding);
}
