//! Big pictures: tens of thousands of locks, a statement of a megabyte.

use crate::apart::alone;
use crate::harness::lockaudit;
use crate::sample_blindness::session;

const LOCKS: usize = 50_000;

#[test]
fn fifty_thousand_locks_are_summed_up_on_the_screen_and_listed_in_json() {
    alone(|server| {
        let db = server.database("many");
        let (hoarder, waiter) = (db.session("hoarder"), db.session("waiter"));
        let all = format!("SELECT count(pg_advisory_lock(n)) FROM generate_series(1, {LOCKS}) n");
        hoarder.runs(&all);
        waiter.waits_for(17);
        let screen = lockaudit(&["scan", &db.url()]).exits_with(1).tame();
        let screen = screen.says(&format!("and {} more locks", LOCKS - 20));
        assert!(screen.stdout.lines().count() < 120, "{screen}");
        let held = screen.stdout.split("Advisory locks held").nth(1);
        let first = held.and_then(|held| held.lines().nth(2)).expect("a row");
        assert!(
            first.starts_with("17 "),
            "the one that somebody waits for: {first}"
        );
        let document = lockaudit(&["scan", &db.url(), "-f", "json"])
            .exits_with(1)
            .valid_json();
        assert_eq!(document["locks"].as_array().map(Vec::len), Some(LOCKS + 1));
        assert_eq!(document["summary"]["locks"], LOCKS);
    });
}

#[test]
fn a_statement_of_a_megabyte_is_read_whole_and_shown_short() {
    alone(|server| {
        let db = server.database("long");
        let session_ = db.session("novelist");
        session_.idle_with(1);
        let text = format!("SELECT length('{}')", "ü\u{1b}".repeat(300_000));
        session_.runs(&text);
        let screen = lockaudit(&["scan", &db.url()]).tame();
        assert!(
            screen.stdout.len() < 20_000,
            "{} bytes",
            screen.stdout.len()
        );
        let full = lockaudit(&["scan", &db.url(), "-f", "json", "--query", "full"]);
        let document = full.tame().valid_json();
        assert_eq!(session(&document, session_.pid())["query"], text.as_str());
    });
}
