//! No slot is left in the server, and the console answers all the same.

use serde_json::Value;

use crate::harness::{
    PgBouncer, Pooling, Psql, Scan, Server, Session, fast_options, installations, items, lockaudit,
    wait_for, wait_for_some,
};

#[test]
fn the_pooler_tells_who_has_the_connections() {
    let newest = installations().last().expect("there is one");
    let options = fast_options()
        .max_connections(5)
        .setting("superuser_reserved_connections", "1");
    let server = Server::private(newest, options);
    server.admin().runs("CREATE ROLE app LOGIN");
    let Some(pooler) = PgBouncer::in_front_of(&server, &Pooling::by_transaction(2)) else {
        return;
    };
    let db = server.database("full");
    let pooled = pooler.address_of(&db).as_role("app");
    let clients = [
        Session::open(&pooled, "importer"),
        Session::open(&pooled, "importer"),
    ];
    for client in &clients {
        client.runs("BEGIN; SELECT 1");
    }
    let direct = server.address().as_role("app");
    let mut others = Vec::new();
    wait_for("no slot to be left", || {
        match Session::try_open(&direct, "api") {
            Ok(session) => {
                others.push(session);
                false
            }
            Err(_) => true,
        }
    });
    let _queued = Psql::queued(&pooled, "queued");
    wait_for_some("a second in the queue", || {
        let pools = pooler.console().rows("SHOW POOLS");
        let long = |row: &&Vec<Option<String>>| row[13].as_deref().is_some_and(|it| it != "0");
        pools.iter().find(long).map(|_| ())
    });
    let url = direct.url();
    let scan = Scan::of(&url, &["--pgbouncer", &pooler.stats_url()]).exits_with(1);
    scan.finds("no-slot-left")
        .is("critical", "certain")
        .tells("of these 2 in the pool full_")
        .tells("2 lent to importer at 127.0.0.1")
        .tells("1 client waits");
    scan.finds("pool-exhausted").is("warning", "certain");
    assert_eq!(scan.document["locks"], Value::Null);
    assert_eq!(scan.blind_spots(), ["everything"]);
    let servers = &scan.document["poolers"][0]["servers"];
    let lent = items(servers).filter(|server| server["linked"] == true);
    assert_eq!(lent.count(), 2, "{scan}");
    lockaudit(&["scan", &url, "--pgbouncer", &pooler.stats_url()])
        .exits_with(1)
        .says("no-slot-left, certain")
        .says("Poolers");
}

#[test]
fn a_console_that_is_silent_too_is_said_to_be() {
    let server = Server::any();
    let role = server.role("limited");
    server
        .admin()
        .runs(&format!("ALTER ROLE {} CONNECTION LIMIT 0", role.name()));
    let url = server.address().as_role(role.name()).url();
    let scan = Scan::of(&url, &["--pgbouncer", "host=127.0.0.1 port=1 user=x"]).exits_with(1);
    assert_eq!(scan.rules(), ["no-slot-left"]);
    assert_eq!(scan.blind_spots(), ["everything", "console"]);
}
