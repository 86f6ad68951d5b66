//! The Rust snippet as it is printed: compiled with these tests, and run.

#[expect(
    clippy::disallowed_types,
    reason = "what a developer pastes talks to a server by itself"
)]
#[path = "emitted/lease.rs"]
mod lease;

use std::cell::Cell;
use std::future::pending;
use std::time::Duration;

use lockaudit::lease::{Standing, TableName};
use lockaudit::pg::connect::Connection;
use lockaudit::pg::lease::Leases;
use lockaudit::snippet::{Language, snippet};
use tokio::time::{sleep, timeout};
use tokio_postgres::error::SqlState;

use super::{make_tables, name, open, subject};
use crate::destination::runtime;
use crate::generated::keep;
use crate::harness::{Database, Server};

const PATIENCE: Duration = Duration::from_secs(30);

/// Those that no toolchain of the tests reads are compared whole, so that a change is seen.
#[test]
fn what_is_committed_is_what_is_printed() {
    let file = |name: &str| std::path::Path::new("tests/it/snippets/emitted").join(name);
    for (language, name) in [
        (Language::Rust, "lease.rs"),
        (Language::Kotlin, "lease.kt"),
        (Language::CSharp, "Lease.cs"),
    ] {
        keep(&file(name), &snippet(language, &subject()));
    }
}

/// A value once `look` finds one; a state that does not come fails the test.
async fn comes<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            match look().await {
                Some(found) => return found,
                None => sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let found = timeout(PATIENCE, looking).await;
    found.unwrap_or_else(|_| panic!("waited {PATIENCE:?} in vain for: {what}"))
}

/// The lease as it stands: its token, and when it ends, if somebody has it.
async fn standing(leases: &Leases<'_>) -> Option<(i64, std::time::SystemTime)> {
    let listed = leases.list().await.expect("it answers");
    let row = listed.first()?;
    let tenure = row.tenure.as_ref()?;
    let valid = matches!(tenure.standing, Standing::Valid { .. });
    valid.then_some((row.token.0, tenure.expires_at))
}

fn with_tables(name: &str, test: impl AsyncFnOnce(&Database<'_>, &Leases<'_>)) {
    let db = Server::any().database(name);
    make_tables(&db);
    let table = TableName::default();
    runtime().block_on(async {
        let watcher = open(&db).await;
        test(&db, &Leases::of(&watcher, &table)).await;
    });
}

#[test]
fn only_one_works_at_a_time_and_the_lease_is_free_afterwards() {
    with_tables("snippet_rust", async |db, leases| {
        let url = db.url();
        let outcome = lease::after(&url, |term| async move {
            assert!(term.token > 0);
            let second = lease::after(&db.url(), |_| async { Ok("both") }).await?;
            assert_eq!(second, None);
            Ok("done")
        });
        assert_eq!(outcome.await.expect("it works"), Some("done"));
        assert_eq!(standing(leases).await, None);
        let again = lease::after(&url, |_| async { Ok("again") }).await;
        assert_eq!(again.expect("it works"), Some("again"));
    });
}

#[test]
fn work_is_stopped_when_the_lease_is_lost() {
    with_tables("snippet_rust_lost", async |db, leases| {
        let stopped = Cell::new(false);
        struct Dropped<'a>(&'a Cell<bool>);
        impl Drop for Dropped<'_> {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        let url = db.url();
        let work = lease::after(&url, |_| async {
            let _guard = Dropped(&stopped);
            leases
                .break_it(&name(), "a test")
                .await?
                .expect("it is held");
            pending::<lease::Outcome<()>>().await
        });
        let outcome = timeout(PATIENCE, work).await.expect("it ends by itself");
        assert_eq!(
            outcome.expect_err("it is lost").to_string(),
            "the lease is lost"
        );
        assert!(stopped.get());
    });
}

/// Ends the sessions that the snippet opened: they have no name.
async fn cut_off(admin: &Connection) {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = '' AND backend_type = 'client backend'";
    let ended = admin.client.query(sql, &[]).await.expect("it answers");
    assert_eq!(ended.len(), 1, "the lease's connection");
}

/// Whether old code would get the key now.
async fn is_free(admin: &Connection, key: i64) -> bool {
    let sql =
        "SELECT CASE WHEN pg_try_advisory_lock($1) THEN pg_advisory_unlock($1) ELSE false END";
    let row = admin.client.query_one(sql, &[&key]).await;
    row.expect("it answers").get(0)
}

#[test]
fn a_lost_connection_costs_nothing() {
    with_tables("snippet_rust_unknown", async |db, leases| {
        let (url, admin) = (db.url(), open(db).await);
        let work = lease::after(&url, |_| async {
            let (token, before) = standing(leases).await.expect("it is held");
            cut_off(&admin).await;
            comes("a renewal over a new connection", async || {
                let (now, until) = standing(leases).await.expect("it is never free");
                assert_eq!(now, token);
                (until > before + Duration::from_secs(2)).then_some(())
            })
            .await;
            Ok(())
        });
        let outcome = timeout(PATIENCE, work).await.expect("it ends");
        assert_eq!(outcome.expect("the work was done"), Some(()));
        assert_eq!(standing(leases).await, None);
    });
}

#[test]
fn the_fence_tells_its_own_term_from_an_older_one() {
    with_tables("snippet_rust_fence", async |db, _| {
        let (url, mut session) = (db.url(), open(db).await);
        let work = lease::after(&url, |term| async move {
            let older = lease::Term {
                token: term.token - 1,
                ..term.clone()
            };
            let transaction = session.client.transaction().await?;
            term.fence(&transaction).await?;
            older.fence(&transaction).await.expect_err("it has ended");
            Ok(transaction.commit().await?)
        });
        assert_eq!(work.await.expect("the fence lets it through"), Some(()));
    });
}

#[test]
fn in_mode_both_the_old_key_is_held_and_its_session_is_the_lease() {
    with_tables("snippet_rust_both", async |db, leases| {
        let (url, admin) = (db.url(), open(db).await);
        let row = "INSERT INTO lockaudit_lease (name, mode, key) VALUES ('sweep', 'both', 42)";
        admin
            .client
            .batch_execute(row)
            .await
            .expect("it can be seeded");
        let work = lease::after(&url, |_| async {
            let listed = leases.list().await?;
            assert!(listed[0].bridged);
            assert!(!is_free(&admin, 42).await);
            cut_off(&admin).await;
            pending::<lease::Outcome<()>>().await
        });
        let outcome = timeout(PATIENCE, work).await.expect("it ends by itself");
        assert_eq!(
            outcome.expect_err("it is lost").to_string(),
            "the lease is lost"
        );
        assert!(is_free(&admin, 42).await);
    });
}

#[test]
fn old_code_that_holds_the_key_keeps_the_new_out_in_mode_both() {
    with_tables("snippet_rust_old", async |db, leases| {
        let (url, admin) = (db.url(), open(db).await);
        let row = "INSERT INTO lockaudit_lease (name, mode, key) VALUES ('sweep', 'both', 42)";
        admin
            .client
            .batch_execute(row)
            .await
            .expect("it can be seeded");
        let done = lease::before(&admin.client, async {
            assert!(!is_free(&open(db).await, 42).await);
            let refused = lease::after(&url, |_| async { Ok("both") }).await;
            let error = refused.expect_err("it waits for the key two seconds at most");
            let error: Option<&tokio_postgres::Error> = error.downcast_ref();
            let code = error.and_then(tokio_postgres::Error::code);
            assert_eq!(code, Some(&SqlState::LOCK_NOT_AVAILABLE));
            Ok(standing(leases).await)
        });
        assert_eq!(
            done.await.expect("it works"),
            None,
            "the lease is given back"
        );
        assert!(is_free(&admin, 42).await);
    });
}
