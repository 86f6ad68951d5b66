//! Connecting to a real PgBouncer: its console, its refusals, its silence.

use std::time::Duration;

use lockaudit::pg::connect::connect;
use lockaudit::pg::failure::{FailureKind, PoolerRefusal};

use crate::destination::{Destination, first_value, runtime};
use crate::harness::{PgBouncer, Pooling, Server};
use crate::refusals::said;

fn with_pooler(test: impl Fn(&PgBouncer, &Destination)) {
    let pooling = Pooling::by_transaction(1);
    if let Some(pooler) = PgBouncer::in_front_of(Server::any(), &pooling) {
        test(
            &pooler,
            &Destination::localhost(port(&pooler)).user("postgres"),
        );
    }
}

fn port(pooler: &PgBouncer) -> u16 {
    let url = pooler.console_address().url();
    let (_, rest) = url.split_once("127.0.0.1:").expect("it goes over a port");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a port")
}

fn to_database(destination: &Destination, name: &str) -> Destination {
    destination
        .clone()
        .with(|target| target.dbname = name.to_owned())
}

#[test]
fn its_console_is_recognized() {
    with_pooler(|_, pool| {
        let console = to_database(pool, "pgbouncer");
        runtime().block_on(async {
            let connection = connect(&console.0).await.unwrap();
            assert!(
                connection.is_admin_console(),
                "{}",
                connection.server_version
            );
            let version = first_value(&connection, "SHOW VERSION").await;
            assert!(version.starts_with("PgBouncer "), "{version}");
        });
    });
}

#[test]
fn the_server_sees_the_poolers_port_and_not_ours() {
    with_pooler(|_, pool| {
        let arrival = pool.arrives();
        assert_ne!(
            arrival.port.map(|port| port.to_string()),
            Some(arrival.seen_port)
        );
    });
}

#[test]
fn its_refusal_of_options_is_explained() {
    with_pooler(|_, pool| {
        let failure = pool
            .clone()
            .with(|target| target.options = Some("-c statement_timeout=1s".to_owned()))
            .fails();
        assert_eq!(
            failure.kind,
            FailureKind::Pooler(PoolerRefusal::StartupParameter),
            "{}",
            failure.report()
        );
    });
}

#[test]
fn a_paused_one_is_left_in_time() {
    with_pooler(|pooler, pool| {
        pooler.console().runs("PAUSE");
        let failure = pool.clone().patience(Duration::from_millis(500)).fails();
        assert_eq!(said(&failure, port(pooler)), "\
could not connect to localhost:<port> (127.0.0.1): it accepts connections, but said nothing for 0.5 s
hint: a frozen or overloaded server, a paused pooler (PgBouncer: PAUSE), a full pooler that queues, or another service on that port");
    });
}
