//! A server for what would disturb the tests that share one: hostile names, full tables, odd
//! encodings. One test has it at a time.

use std::sync::{LazyLock, Mutex, PoisonError};

use crate::harness::{Server, Session, fast_options};

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let options = fast_options()
        .max_connections(40)
        .setting("max_locks_per_transaction", "1500")
        .setting("track_activity_query_size", "1048576");
    Server::private(Server::any().cluster().installation(), options)
});

static TURN: Mutex<()> = Mutex::new(());

/// Nobody else has a session on the server meanwhile.
pub fn alone(test: impl FnOnce(&Server)) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    test(&SERVER);
}

/// The way back from what a test set up there, gone even when the test fails.
pub struct Undo<'a> {
    pub server: &'a Server,
    /// Run by the superuser, after every prepared transaction is rolled back.
    pub statements: Vec<String>,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        let admin = self.server.admin();
        let left = "SELECT database, quote_literal(gid) FROM pg_prepared_xacts";
        for row in admin.rows(left) {
            let [Some(database), Some(gid)] = row.as_slice() else {
                continue;
            };
            let session = Session::open(&self.server.address().to_database(database), "harness");
            session.runs(&format!("ROLLBACK PREPARED {gid}"));
        }
        for statement in &self.statements {
            // What a failed test did not come to make can't be removed.
            let _ = admin.tries(statement);
        }
    }
}
