//! Connecting without TLS: what arrives, over which hosts, and what is heard afterwards.

use std::time::Duration;

use lockaudit::pg::connect::connect;
use lockaudit::pg::failure::FailureKind;
use lockaudit::pg::target::{Endpoint, SessionAttrs, SslMode};
use lockaudit::throwaway::Cluster;

use crate::destination::{Destination, first_value, runtime};
use crate::harness::{Server, fast_options, installations, wait_for};
use crate::imposter::{self, Imposter};
use crate::refusals::{said, strict, to};

#[test]
fn arrives_over_a_port_and_knows_its_own_end() {
    Server::each(|server| {
        let arrival = to(server).user("postgres").arrives();
        assert!(!arrival.encrypted);
        assert_eq!(
            arrival.port.map(|port| port.to_string()),
            Some(arrival.seen_port)
        );
    });
}

#[test]
fn arrives_by_a_name_whose_addresses_are_all_tried() {
    let port = Server::any().cluster().port();
    let name = Endpoint::Tcp {
        name: "localhost".to_owned(),
        address: None,
        port,
    };
    Destination::to(name).user("postgres").arrives();
}

#[test]
fn arrives_over_a_socket_file_whatever_the_sslmode() {
    let server = Server::any();
    let socket = Destination::socket(server.cluster().socket_folder(), server.cluster().port());
    let arrival = socket.user("postgres").mode(SslMode::VerifyFull).arrives();
    assert_eq!(
        (arrival.encrypted, arrival.port, arrival.seen_port.as_str()),
        (false, None, "none")
    );
}

#[test]
fn md5_passwords_work() {
    let server = strict(Server::any().cluster().installation());
    to(server).user("md5user").arrives();
}

#[test]
fn the_last_words_of_a_session_and_its_notices_are_kept() {
    let server = Server::any();
    let socket = Destination::socket(server.cluster().socket_folder(), server.cluster().port())
        .user("postgres");
    runtime().block_on(async {
        let connection = connect(&socket.0).await.unwrap();
        connection
            .client
            .simple_query("DO $$ BEGIN RAISE WARNING 'a word'; END $$")
            .await
            .unwrap();
        let notices = connection.unasked.take_notices();
        assert_eq!(
            notices
                .iter()
                .map(|notice| notice.message.as_str())
                .collect::<Vec<_>>(),
            ["a word"]
        );
        let pid = first_value(&connection, "SELECT pg_backend_pid()").await;
        let other = connect(&socket.0).await.unwrap();
        first_value(&other, &format!("SELECT pg_terminate_backend({pid})")).await;
        let heard = async {
            while connection.unasked.fatal().is_none() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), heard)
            .await
            .unwrap();
        let fatal = connection.unasked.fatal().unwrap();
        assert_eq!(
            (fatal.sqlstate.as_str(), fatal.severity.as_str()),
            ("57P01", "FATAL")
        );
    });
}

#[test]
fn the_next_host_is_tried_only_when_a_host_says_nothing_of_its_own() {
    let server = Server::any();
    let good = to(server).user("postgres");
    let refused = Destination::localhost(imposter::unused_port()).user("postgres");
    let starting =
        Imposter::that(|_| imposter::refuses("57P03", "the database system is starting up"));
    let strict = Imposter::that(|_| imposter::refuses("28P01", "password authentication failed"));

    refused
        .clone()
        .then(starting.destination())
        .then(good.clone())
        .arrives();
    let stopped = refused
        .clone()
        .then(strict.destination())
        .then(good)
        .fails();
    assert_eq!(said(&stopped, strict.port()).replace(&port_of(&refused), "<unused>"), "\
could not connect to localhost:<port> (127.0.0.1): the password was refused (SQLSTATE 28P01)
  the server says: password authentication failed
  before that, localhost:<unused> (127.0.0.1): nothing listens on that port (connection refused)
hint: check the role and its password: the connection string, PGPASSWORD, or the first matching line of the password file");
    let nobody = refused.clone().then(starting.destination()).fails();
    assert_eq!(said(&nobody, starting.port()).replace(&port_of(&refused), "<unused>"), "\
could not connect: none of 2 addresses could be used
  localhost:<unused> (127.0.0.1): nothing listens on that port (connection refused)
  localhost:<port> (127.0.0.1): the server accepts no sessions at the moment (SQLSTATE 57P03) (the server says: the database system is starting up)
hint: it is starting up, shutting down or recovering; try again when it is done");
}

fn port_of(destination: &Destination) -> String {
    match &destination.0.hosts[0].endpoint {
        Endpoint::Tcp { port, .. } | Endpoint::Unix { port, .. } => port.to_string(),
    }
}

#[test]
fn a_session_of_the_wrong_kind_is_not_taken() {
    Server::each(|server| {
        let role = server.role("reader");
        server.admin().runs(&format!(
            "ALTER ROLE {} SET default_transaction_read_only = on",
            role.name()
        ));
        let wanting = |user: &str, attrs| {
            to(server)
                .user(user)
                .with(|target| target.session_attrs = attrs)
                .try_once()
        };
        for attrs in [
            SessionAttrs::Any,
            SessionAttrs::ReadWrite,
            SessionAttrs::Primary,
            SessionAttrs::PreferStandby,
        ] {
            assert!(wanting("postgres", attrs).is_ok(), "{attrs:?}");
        }
        for attrs in [SessionAttrs::ReadOnly, SessionAttrs::Standby] {
            assert_eq!(
                wanting("postgres", attrs).unwrap_err().kind,
                FailureKind::WrongSessionKind,
                "{attrs:?}"
            );
        }
        assert!(wanting(role.name(), SessionAttrs::ReadOnly).is_ok());
        let failure = wanting(role.name(), SessionAttrs::ReadWrite).unwrap_err();
        assert_eq!(
            failure.sentence,
            "the session is read-only, and target_session_attrs asks for read-write"
        );
    });
}

#[test]
fn a_session_that_says_goodbye_leaves_no_trace() {
    let server = strict(Server::any().cluster().installation());
    to(server).arrives();
    let sessions =
        "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'lockaudit'";
    wait_for("the end of the session", || {
        server.admin().number(sessions) == 0
    });
}

#[test]
fn a_standby_is_found_among_the_hosts() {
    for installation in installations().filter(|found| [13, 18].contains(&found.major)) {
        let mut primary = Cluster::start(installation, &fast_options()).unwrap();
        let standby = primary.standby().unwrap();
        let at = |cluster: &Cluster| Destination::localhost(cluster.port()).user("postgres");
        let both = at(&primary).then(at(&standby));
        for (attrs, port) in [
            (SessionAttrs::Any, primary.port()),
            (SessionAttrs::Primary, primary.port()),
            (SessionAttrs::ReadWrite, primary.port()),
            (SessionAttrs::Standby, standby.port()),
            (SessionAttrs::PreferStandby, standby.port()),
            (SessionAttrs::ReadOnly, standby.port()),
        ] {
            let wanting = both.clone().with(|target| target.session_attrs = attrs);
            assert_eq!(wanting.asks("SHOW port"), port.to_string(), "{attrs:?}");
        }
        drop(standby);
    }
}
