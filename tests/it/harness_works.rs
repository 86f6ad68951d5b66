//! The harness itself: what the other tests take for granted.

use crate::harness::{Key, Server};

#[test]
fn every_major_starts_and_says_its_version() {
    Server::each(|server| {
        let major = server
            .admin()
            .number("SELECT current_setting('server_version_num')::int / 10000");
        assert_eq!(major, server.major() as i32);
    });
}

#[test]
fn sessions_hold_and_wait_as_told() {
    let server = Server::any();
    let db = server.database("hold_and_wait");
    let key = Key::single(-8_046_644_073_709_551_615);
    let holder = db.session("worker-1");
    holder.idle_with(key);
    let waiter = db.session("worker-2");
    waiter.waits_for(key);
    let blockers = db
        .session("looks")
        .value(&format!("SELECT pg_blocking_pids({})", waiter.pid()));
    assert_eq!(blockers, Some(format!("{{{}}}", holder.pid())));
}
