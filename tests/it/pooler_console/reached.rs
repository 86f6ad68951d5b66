//! Getting to a console, and what is said where that fails.

use std::net::TcpListener;

use super::{behind, holder, scan_both};
use crate::harness::{
    Database, Lockaudit, PASSWORD, PgBouncer, Pooling, Server, Session, lockaudit, scan_with,
};

fn asks_for_passwords() -> Pooling {
    Pooling::by_transaction(1).setting("auth_type", "scram-sha-256")
}

/// The scan goes on, says what it did not see and what to do, and does not pass for a whole one.
#[track_caller]
fn is_blind(db: &Database<'_>, console: &str, because: &str, remedy: &str) {
    let scan = scan_with(db, &["--pgbouncer", console]);
    assert_eq!(scan.blind_spots(), ["console"], "{scan}");
    let spot = &scan.document["blind_spots"][0];
    let said = |field: &str| spot[field].as_str().unwrap_or_default().to_owned();
    assert!(said("text").contains(because), "{scan}");
    assert!(said("remedy").contains(remedy), "{scan}");
    assert_eq!(spot["weakens_the_verdict"], true);
    assert!(!scan.to_string().contains(PASSWORD), "{scan}");
    lockaudit(&[
        "scan",
        &db.url(),
        "--database",
        db.name(),
        "--pgbouncer",
        console,
        "--strict",
    ])
    .exits_with(2);
}

#[test]
fn who_may_not_see_the_console_is_told_which_list_to_be_on() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let console = pooler.console_address().as_role("nobody").url();
        is_blind(db, &console, "not open to this role", "stats_users");
    });
}

#[test]
fn a_wrong_password_is_told_and_not_shown() {
    behind(&asks_for_passwords(), |db, pooler| {
        let url = pooler.stats_url();
        let wrong = url.replace("stats@", "stats:nonsense@");
        let scan = scan_with(db, &["--pgbouncer", &wrong]);
        assert_eq!(scan.blind_spots(), ["console"], "{scan}");
        let said = scan.document["blind_spots"].to_string();
        assert!(
            said.contains("did not accept the role or its password"),
            "{scan}"
        );
        assert!(!said.contains("nonsense"), "{scan}");
        is_blind(db, &url, "password", "PGPASSWORD");
    });
}

#[test]
fn the_password_comes_from_the_environment_or_the_url() {
    behind(&asks_for_passwords(), |db, pooler| {
        let url = pooler.stats_url();
        let arguments = [
            "scan",
            &db.url(),
            "--database",
            db.name(),
            "--strict",
            "--pgbouncer",
        ];
        let run = |console: &str| Lockaudit::new(&[&arguments[..], &[console]].concat());
        run(&url).env("PGPASSWORD", PASSWORD).run().exits_with(0);
        let with_password = url.replace("stats@", "stats:open%20sesame@");
        run(&with_password).run().exits_with(0);
    });
}

#[test]
fn what_the_environment_says_of_the_server_is_not_for_the_console() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let url = pooler.stats_url();
        let console = url.trim_end_matches("/pgbouncer");
        Lockaudit::new(&[
            "scan",
            "--database",
            db.name(),
            "--strict",
            "--pgbouncer",
            console,
            &db.url(),
        ])
        .env("PGDATABASE", db.name())
        .env("PGOPTIONS", "-c statement_timeout=5s")
        .env("PGTARGETSESSIONATTRS", "primary")
        .run()
        .exits_with(0);
    });
}

#[test]
fn a_postgresql_in_place_of_a_console_is_told_from_one() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        is_blind(
            db,
            &db.url(),
            "is no console of PgBouncer",
            "the server as CONNECTION",
        );
        let nowhere = db.address().to_database("pgbouncer").url();
        is_blind(
            db,
            &nowhere,
            "no such database",
            "is it the address of PgBouncer?",
        );
        let pooled = pooler.address_of(db).url();
        is_blind(
            db,
            &pooled,
            "is no console of PgBouncer",
            "its database pgbouncer",
        );
        let elsewhere = pooler.address_of(db).as_role("stats").url();
        let asked = format!("this asks for {}", db.name());
        is_blind(db, &elsewhere, "could not connect", &asked);
    });
}

#[test]
fn a_console_that_says_nothing_is_left_in_time() {
    let db = Server::any().database("silent");
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("127.0.0.1 has a free port");
    let port = silent.local_addr().expect("it is bound").port();
    let console = format!("postgresql://stats@127.0.0.1:{port}?connect_timeout=2");
    let scan = scan_with(&db, &["--pgbouncer", &console]);
    assert_eq!(scan.blind_spots(), ["console"], "{scan}");
}

#[test]
fn a_text_that_is_no_connection_string_is_refused_without_a_word_of_it() {
    for text in ["sesame", "sesame@host", "mysql://sesame@host"] {
        let outcome = lockaudit(&["scan", "--pgbouncer", text]).exits_with(2);
        assert!(!outcome.to_string().contains(": sesame"), "{outcome}");
        outcome.complains("--pgbouncer");
    }
}

#[test]
fn two_poolers_in_front_of_one_server_each_know_their_own() {
    let server = Server::any();
    let pooling = Pooling::by_transaction(1);
    let both = || PgBouncer::in_front_of(server, &pooling);
    let (Some(one), Some(two)) = (both(), both()) else {
        return;
    };
    let db = server.database("two");
    one.session(&db, "first").idle_with(1);
    let first = holder(&db);
    let shared = two.session(&db, "second");
    shared.in_transaction_with(2);
    let alone = scan_both(&db, &two);
    alone.is_silent_on("pooler-leak");
    assert_eq!(
        alone.lock_of(&first)["pooler"],
        serde_json::Value::Null,
        "{alone}"
    );
    let scan = scan_with(
        &db,
        &[
            "--pgbouncer",
            &one.stats_url(),
            "--pgbouncer",
            &two.stats_url(),
        ],
    );
    scan.finds("pooler-leak")
        .is("warning", "certain")
        .names(&[&first]);
    assert_eq!(scan.document["poolers"].as_array().map(Vec::len), Some(2));
    let silent = scan_with(
        &db,
        &[
            "--pgbouncer",
            &one.stats_url(),
            "--pgbouncer",
            "host=127.0.0.1 port=1 user=x",
        ],
    );
    silent.finds("pooler-leak");
    assert_eq!(silent.blind_spots(), ["console"]);
}

#[test]
fn one_pooler_in_front_of_two_servers_mixes_up_none() {
    let servers: Vec<&Server> = [13, 18, 15]
        .into_iter()
        .filter_map(Server::of_major)
        .collect();
    let [audited, other, third] = servers[..] else {
        return;
    };
    let (db, elsewhere) = (audited.database("here"), other.database("there"));
    let what = format!(
        "dbname={} port={}",
        elsewhere.name(),
        other.cluster().port()
    );
    let pooling = Pooling::by_transaction(1).alias("archive", &what);
    let Some(pooler) = PgBouncer::in_front_of(audited, &pooling) else {
        return;
    };
    pooler.session(&db, "api").idle_with(1);
    let there = Session::open(&pooler.address_as(&elsewhere, "archive"), "api");
    there.idle_with(1);
    scan_both(&db, &pooler)
        .finds("pooler-leak")
        .names(&[&holder(&db)]);
    let only_there = scan_both(&elsewhere, &pooler);
    assert!(only_there.blind_spots().is_empty(), "{only_there}");
    let third = third.database("neither");
    let scan = scan_both(&third, &pooler);
    assert_eq!(scan.blind_spots(), ["unjoined-console"], "{scan}");
    scan_both(&elsewhere, &pooler)
        .finds("pooler-leak")
        .names(&[&holder(&elsewhere)])
        .tells("`RECONNECT archive;`");
}

#[test]
fn a_client_over_a_unix_socket_is_told_by_its_process() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let client = pooler.session_over_socket(db, "local");
        client.in_transaction_with(1);
        let scan = scan_both(db, pooler);
        let borrower = &scan.lock_of(&holder(db))["pooler"]["client"];
        assert_eq!(borrower["addr"], "unix", "{scan}");
        assert_eq!(borrower["application_name"], "local", "{scan}");
        assert_eq!(borrower["remote_pid"], std::process::id(), "{scan}");
    });
}

/// The pools of a scan are those of the applications, not of the pooler's host.
#[test]
fn pools_are_told_by_the_clients_behind_the_pooler() {
    behind(&Pooling::by_session(2), |db, pooler| {
        let clients = [pooler.session(db, "api"), pooler.session(db, "api")];
        clients[0].idle_with(1);
        clients[1].idle_with(2);
        let more = ["--pgbouncer", &pooler.stats_url(), "--pool-size", "api=2"];
        let scan = scan_with(db, &more).exits_with(1);
        scan.finds("starved-pool")
            .is("critical", "certain")
            .tells("pool of api at 127.0.0.1 behind PgBouncer 127.0.0.1:");
    });
}
