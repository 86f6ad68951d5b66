//! Peers that are absent, silent, foreign, old or hostile, and poolers.

use std::time::Duration;

use lockaudit::pg::connect::connect;
use lockaudit::pg::failure::{FailureKind, Stage};
use lockaudit::pg::target::{Endpoint, Roots, SslMode, Target};

use crate::certificates;
use crate::destination::{Destination, runtime};
use crate::harness::Server;
use crate::imposter::{self, Imposter};
use crate::refusals::said;

#[test]
fn names_ports_and_socket_files_that_lead_nowhere_are_told_apart() {
    let unused = imposter::unused_port();
    assert_eq!(
        said(&Destination::localhost(unused).fails(), unused),
        "\
could not connect to localhost:<port> (127.0.0.1): nothing listens on that port (connection refused)
hint: is the server running, is the port right, and does listen_addresses include this address?"
    );

    let name = Endpoint::Tcp {
        name: "nowhere.invalid".to_owned(),
        address: None,
        port: 5432,
    };
    let failure = Destination::to(name).fails();
    assert_eq!(failure.kind, FailureKind::UnknownHostName);
    assert_eq!(
        failure.to_string(),
        "could not connect to nowhere.invalid:5432: the host name \"nowhere.invalid\" has no address"
    );

    let cluster = Server::any().cluster();
    let folder = cluster.socket_folder();
    let wrong = Destination::socket(folder, 1);
    assert_eq!(
        wrong.fails().report(),
        format!(
            "\
could not connect to {0}/.s.PGSQL.1: there is no such socket file
hint: {0} has .s.PGSQL.{1}; give its number with --port",
            folder.display(),
            cluster.port()
        )
    );

    let empty = tempfile::tempdir().unwrap();
    assert_eq!(Destination::socket(empty.path(), 5432).fails().report(), format!("\
could not connect to {0}/.s.PGSQL.5432: there is no such socket file
hint: no server has its socket in {0}; is it running, or is its socket elsewhere (unix_socket_directories)?", empty.path().display()));

    drop(std::os::unix::net::UnixListener::bind(empty.path().join(".s.PGSQL.5432")).unwrap());
    assert_eq!(
        Destination::socket(empty.path(), 5432).fails().report(),
        format!(
            "\
could not connect to {0}/.s.PGSQL.5432: the socket file is there, but no server listens on it
hint: the server has probably ended without removing the file; start it, or check the port",
            empty.path().display()
        )
    );
}

#[test]
fn a_peer_that_stays_silent_is_left_in_time() {
    let silent = Imposter::that(|_| imposter::wait_for_hang_up);
    for mode in [SslMode::Disable, SslMode::Require, SslMode::Prefer] {
        let failure = silent
            .destination()
            .mode(mode)
            .patience(Duration::from_millis(200))
            .fails();
        assert_eq!(said(&failure, silent.port()), "\
could not connect to localhost:<port> (127.0.0.1): it accepts connections, but said nothing for 0.2 s
hint: a frozen or overloaded server, a paused pooler (PgBouncer: PAUSE), a full pooler that queues, or another service on that port", "{mode:?}");
    }
    let failure = silent
        .destination()
        .patience(Duration::from_millis(50))
        .fails();
    assert_eq!(failure.kind, FailureKind::TimedOut(Stage::Login));
}

#[test]
fn peers_that_are_not_postgresql_are_named() {
    let web = Imposter::that(|_| imposter::says(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    let ssh = Imposter::that(|_| imposter::says(b"SSH-2.0-OpenSSH_9.2\r\n"));
    let mute = Imposter::that(|_| imposter::says(b""));
    for mode in [SslMode::Disable, SslMode::Prefer, SslMode::VerifyFull] {
        let reach = |peer: &Imposter| {
            said(
                &peer.destination().mode(mode).with(system_roots).fails(),
                peer.port(),
            )
        };
        assert_eq!(reach(&web), "\
could not connect to localhost:<port> (127.0.0.1): what answers there is not PostgreSQL: it speaks HTTP
hint: check the host and the port", "{mode:?}");
        let ssh_says = match mode {
            SslMode::Disable => "\
could not connect to localhost:<port> (127.0.0.1): what answers there is not PostgreSQL: it speaks SSH
hint: check the host and the port",
            _ => "\
could not connect to localhost:<port> (127.0.0.1): what answers there is not PostgreSQL: its answer to the TLS handshake is not TLS
hint: check the host and the port; an SSH server looks like this, and so does a line that somebody meddles with",
        };
        assert_eq!(reach(&ssh), ssh_says, "{mode:?}");
        assert_eq!(reach(&mute), "\
could not connect to localhost:<port> (127.0.0.1): the server closed the connection without a word
hint: its log may say why: a crash, a restart, a proxy without a server behind it, or a port that expects TLS at once (sslnegotiation=direct)", "{mode:?}");
    }
}

/// Any roots will do for a peer that never gets as far as TLS.
fn system_roots(target: &mut Target) {
    target.tls.roots = match target.tls.mode {
        SslMode::VerifyFull => Roots::File(certificates::path("good/root.crt")),
        _ => Roots::None,
    };
}

#[test]
fn methods_that_are_not_spoken_are_named() {
    for (code, name) in [(7, "GSSAPI"), (9, "SSPI"), (2, "Kerberos V5")] {
        let server = Imposter::that(move |_| imposter::asks_for(code));
        assert_eq!(
            server.destination().fails().sentence,
            format!("the server asks for {name}, which lockaudit does not speak")
        );
    }
}

#[test]
fn poolers_are_understood_though_they_have_one_code() {
    for (text, message) in [
        ("no such database: x", "\
could not connect to localhost:<port> (127.0.0.1): the pooler has no such database (SQLSTATE 08P01)
  the server says: no such database: x
hint: give a name of the pooler's own list with --dbname (PgBouncer: the [databases] section; its console is the database pgbouncer)"),
        ("unsupported startup parameter: options", "\
could not connect to localhost:<port> (127.0.0.1): the pooler refuses a startup parameter (SQLSTATE 08P01)
  the server says: unsupported startup parameter: options
hint: take options out of the connection string, and unset PGOPTIONS; or connect to the server directly"),
        ("query_wait_timeout", "\
could not connect to localhost:<port> (127.0.0.1): the pooler found no free server connection in time (SQLSTATE 08P01)
  the server says: query_wait_timeout
hint: its pool is full or its server is down: look at SHOW POOLS on its console, or connect to the server directly"),
        ("no more connections allowed (max_client_conn)", "\
could not connect to localhost:<port> (127.0.0.1): the pooler takes no more clients (SQLSTATE 08P01)
  the server says: no more connections allowed (max_client_conn)
hint: connect to the server directly, or raise the pooler's client limit (PgBouncer: max_client_conn)"),
    ] {
        let pooler = Imposter::that(move |_| imposter::refuses("08P01", text));
        assert_eq!(said(&pooler.destination().fails(), pooler.port()), message);
    }
}

#[test]
fn hostile_text_of_a_server_can_do_nothing_to_a_terminal() {
    let hostile =
        Imposter::that(|_| imposter::refuses("28P01", "\u{1b}]0;owned\u{7}\nhint: run rm"));
    let report = hostile.destination().fails().report();
    assert!(
        report.contains("the server says: \\u{1b}]0;owned\\u{7}\\nhint: run rm\n"),
        "{report}"
    );
}

#[test]
fn a_server_older_than_the_catalogs_we_read_is_refused() {
    let old = Imposter::that(|_| imposter::is_version("9.6.24"));
    assert_eq!(
        old.destination().fails().sentence,
        "the server is PostgreSQL 9.6.24; lockaudit reads 13 and later"
    );
    let console = Imposter::that(|_| imposter::is_version("1.25.2/bouncer"));
    let connection = runtime().block_on(async {
        connect(&console.destination().0)
            .await
            .map(|it| it.is_admin_console())
    });
    assert!(connection.unwrap());
}
