//! A full lock table: nobody new gets in, and who is in already can still look.

use std::time::Duration;

use lockaudit::pg::QueryTexts;
use lockaudit::pg::connect::connect;
use lockaudit::pg::sample::{Sampling, take};
use lockaudit::picture::Expectations;
use lockaudit::render::style::{Colour, Style};
use lockaudit::render::{json, table};
use lockaudit::report::Report;
use lockaudit::snapshot::{BlindSpot, Snapshot, Source};

use crate::destination::{Destination, runtime};
use crate::harness::{
    PgBouncer, Pooling, Server, Session, conforms, fast_options, installations, lockaudit,
};

/// The oldest and the newest: their lock managers differ most.
#[test]
fn a_new_scan_reports_the_refusal_and_an_open_session_still_sees_the_holder() {
    let all: Vec<_> = installations().collect();
    let ends = [all.first(), all.last()];
    for installation in ends.into_iter().flatten() {
        let server = Server::private(installation, tiny_lock_table());
        see_it_full(&server);
    }
}

#[test]
fn through_a_pooler_that_is_connected_already_a_new_scan_still_sees_the_holder() {
    let all: Vec<_> = installations().collect();
    let newest = all.last().expect("there is a server");
    for pooling in [Pooling::by_transaction(1), Pooling::by_statement(1)] {
        let server = Server::private(newest, tiny_lock_table());
        let Some(pooler) = PgBouncer::in_front_of(&server, &pooling) else {
            return;
        };
        let url = pooler.database_url("postgres");
        lockaudit(&["scan", &url]).exits_with(0);
        let hoarder = fill(&server);
        let scan = lockaudit(&["scan", &url, "--format", "json"]).exits_with(1);
        let document = scan.valid_json();
        assert_eq!(document["locks"][0]["pid"], hoarder.pid());
        assert_eq!(document["server"]["connection_path"], "pooler");
    }
}

fn tiny_lock_table() -> lockaudit::throwaway::ClusterOptions {
    fast_options()
        .max_connections(8)
        .setting("max_locks_per_transaction", "10")
        .setting("max_prepared_transactions", "0")
        .setting("max_worker_processes", "1")
        .setting("max_wal_senders", "0")
        .setting("autovacuum", "off")
}

fn see_it_full(server: &Server) {
    let (folder, port) = (server.cluster().socket_folder(), server.cluster().port());
    let way = Destination::socket(folder, port).user("postgres");
    let runtime = runtime();
    let open = runtime
        .block_on(connect(&way.0))
        .expect("there is room yet");
    let hoarder = fill(server);
    refuse_a_new_scan(server);
    let sampling = Sampling {
        role: None,
        texts: QueryTexts::Read,
    };
    let snapshot = runtime.block_on(take(&open, &sampling));
    let snapshot = snapshot.expect("it can still look");
    names_the(&hoarder, &snapshot);
    shows(&snapshot);
    runtime.block_on(open.close());
}

/// Locks of a session outlive the statement that failed.
fn fill(server: &Server) -> Session {
    let hoarder = Session::open(&server.address(), "hoarder");
    let refusal = hoarder.tries("SELECT pg_advisory_lock(n) FROM generate_series(1, 1000000) n");
    let code = refusal.expect_err("no table is that large").code().cloned();
    assert_eq!(code.expect("the server refused").code(), "53200");
    hoarder
}

fn refuse_a_new_scan(server: &Server) {
    let url = server.address().url();
    lockaudit(&["scan", &url])
        .exits_with(1)
        .without_complaint()
        .tame()
        .says("CRITICAL  the shared lock table is full");
    let document = lockaudit(&["scan", &url, "--format", "json"])
        .exits_with(1)
        .valid_json();
    assert_eq!(document["findings"][0]["rule"], "no-slot-left");
    assert_eq!(document["findings"][0]["severity"], "critical");
    assert!(document["locks"].is_null() && document["sessions"].is_null());
    assert_eq!(document["blind_spots"][0]["code"], "everything");
    lockaudit(&["scan", &url, "--strict"]).exits_with(2);
}

fn names_the(hoarder: &Session, snapshot: &Snapshot) {
    let holders = snapshot.locks.iter().filter_map(|lock| lock.owner.pid());
    assert!(holders.filter(|pid| *pid == hoarder.pid()).count() > 100);
    let session = snapshot.session(hoarder.pid()).expect("it is listed");
    assert_eq!(session.application_name.as_deref(), Some("hoarder"));
    let unnamed = |spot: &BlindSpot| matches!(spot, BlindSpot::Names { .. });
    assert!(snapshot.blind_spots.iter().any(unnamed));
}

/// What was seen can be judged and shown without the names.
fn shows(snapshot: &Snapshot) {
    let (source, expectations) = (
        Source::default(),
        Expectations {
            idle_after: Duration::ZERO,
            ..Expectations::default()
        },
    );
    let samples = std::slice::from_ref(snapshot);
    let report = Report::of_samples(&source, samples, &expectations, |_| true);
    let report = report.expect("there is a sample");
    let plain = Style {
        colour: Colour::Plain,
        width: Some(80),
    };
    let (mut screen, mut document) = (Vec::new(), Vec::new());
    table::write(&report, plain, &mut screen).expect("a buffer takes all");
    json::write(&report, &mut document).expect("a buffer takes all");
    let screen = String::from_utf8(screen).expect("UTF-8");
    assert!(screen.contains("hoarder"), "{screen}");
    assert!(screen.contains("lock-table-pressure"), "{screen}");
    conforms(&serde_json::from_slice(&document).expect("JSON"));
}
