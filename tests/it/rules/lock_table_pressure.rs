//! `lock-table-pressure`: from half of the table's nominal size on, to the point where nobody gets in.

use crate::harness::{Scan, Server, Session, fast_options, installations};

const RULE: &str = "lock-table-pressure";

fn with_a_small_table(server: &Server) -> i64 {
    let scan = Scan::of(&server.address().url(), &[]).exits_with(0);
    scan.is_silent_on(RULE);
    let size = &scan.document["server"]["limits"]["lock_table_size"];
    size.as_i64().unwrap_or_else(|| panic!("no size in {scan}"))
}

/// Takes keys until `total` are held.
fn fill(session: &Session, total: i64) {
    session.runs(&format!("SELECT pg_advisory_unlock_all(); SELECT pg_advisory_lock(i) FROM generate_series(1, {total}) i"));
}

#[test]
fn a_lock_table_that_fills_is_a_warning_then_critical_then_lets_nobody_in() {
    for installation in installations().filter(|found| [13, 15, 18].contains(&found.major)) {
        let options = fast_options()
            .max_connections(12)
            .setting("max_locks_per_transaction", "10");
        let server = Server::private(installation, options);
        let url = server.address().url();
        let size = with_a_small_table(&server);
        let holder = Session::open(&server.address(), "dequeue");

        fill(&holder, (size - 1) / 2);
        Scan::of(&url, &[]).is_silent_on(RULE);
        fill(&holder, (size + 1) / 2);
        Scan::of(&url, &[])
            .exits_with(1)
            .finds(RULE)
            .is("warning", "certain")
            .names(&[&holder])
            .tells(&format!(
                "{} advisory rows; nominal size {size}",
                (size + 1) / 2
            ));
        fill(&holder, (size * 9 + 9) / 10);
        Scan::of(&url, &[]).finds(RULE).is("critical", "certain");
        Scan::of(&url, &["--database", "template1"])
            .finds(RULE)
            .is("critical", "certain");

        let everything = "SELECT pg_advisory_lock(i) FROM generate_series(1, 100000) i";
        holder.tries(everything).expect_err("the table has an end");
        nobody_gets_in(&url);
    }
}

fn nobody_gets_in(url: &str) {
    let scan = Scan::of(url, &[]).exits_with(1);
    scan.finds("no-slot-left")
        .is("critical", "certain")
        .tells("the shared lock table is full")
        .tells("SQLSTATE 53200");
    assert_eq!(scan.blind_spots(), ["everything"]);
}
