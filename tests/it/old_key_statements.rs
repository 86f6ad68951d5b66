//! The files of `sql/old_key` and `sql/fence`: each says what it is, and runs on every major; and what a
//! session of the old key does with its limits.

use std::collections::BTreeSet;
use std::time::Duration;

use lockaudit::cutover::admission::Hold;
use lockaudit::key::AdvisoryKey;
use lockaudit::lease::TableName;
use lockaudit::pg::lease::statement::Statement;
use lockaudit::pg::old_key::KeySession;
use lockaudit::pg::{fence, old_key};
use tokio::runtime::Runtime;
use tokio_postgres::types::Type;

use crate::destination::{Destination, runtime};
use crate::harness::{PgBouncer, Pooling, Server, says_what_it_is, sql_files, wait_for};
use crate::lease_statements::{direct, open};
use crate::migrating::{JOB, in_mode};

fn every() -> impl Iterator<Item = &'static Statement> {
    old_key::statement::ALL.iter().chain(&fence::statement::ALL)
}

#[test]
fn every_file_is_a_statement_and_every_statement_a_file() {
    let known: BTreeSet<String> = every().map(|statement| statement.file.to_owned()).collect();
    assert_eq!(sql_files(&["old_key", "fence"]), known);
}

#[test]
fn every_file_begins_with_its_row_its_parameters_and_its_oldest_server() {
    for statement in every() {
        let Statement {
            file,
            sql,
            parameters,
            ..
        } = statement;
        says_what_it_is(file, sql, parameters, &["ervers from 13"]);
    }
}

#[test]
fn every_statement_is_understood_by_every_major_for_a_table_of_any_name() {
    Server::each(|server| {
        let db = in_mode(server, "understood", "both");
        db.session("owner")
            .runs("CREATE SCHEMA \"a b\"; ALTER TABLE lockaudit_lease SET SCHEMA \"a b\"");
        let table: TableName = "\"a b\".lockaudit_lease".parse().expect("a name");
        runtime().block_on(async {
            let owner = open(&direct(&db), "postgres").await;
            for statement in every() {
                let types: Vec<Type> = statement.parameters.to_vec();
                let sql = table.in_sql(statement.sql);
                let understood = owner.client.prepare_typed(&sql, &types).await;
                understood.unwrap_or_else(|error| panic!("{}: {error:?}", statement.file));
            }
        });
    });
}

fn session(runtime: &Runtime, way: &Destination) -> KeySession {
    let way = way.clone().user("postgres");
    let opened = runtime.block_on(KeySession::open(&way.0));
    opened.unwrap_or_else(|error| panic!("{error:#}"))
}

fn gets(runtime: &Runtime, session: &KeySession, key: AdvisoryKey, hold: Hold) -> bool {
    let got = runtime.block_on(session.lock(key, hold, Duration::from_millis(50)));
    got.unwrap_or_else(|error| panic!("{error:#}"))
}

#[test]
fn the_lock_outlives_the_transaction_that_limits_its_wait_on_every_major() {
    const KEYS: [AdvisoryKey; 2] = [AdvisoryKey::Single(JOB), AdvisoryKey::Pair(-7, 42)];
    Server::each(|server| {
        let db = in_mode(server, "outlives", "both");
        let watcher = db.session("watcher");
        let (runtime, way) = (runtime(), direct(&db));
        for key in KEYS {
            let [one, other, third] = [(); 3].map(|()| session(&runtime, &way));
            assert!(gets(&runtime, &one, key, Hold::Shared));
            assert!(gets(&runtime, &other, key, Hold::Shared));
            assert!(!gets(&runtime, &third, key, Hold::Exclusive));
            assert!(
                watcher.says(
                    "SELECT count(*) = 3 FROM pg_stat_activity \
                     WHERE datname = current_database() AND application_name = 'lockaudit' AND state = 'idle'"
                ),
                "no transaction is left open"
            );
            runtime.block_on(one.give_back());
            runtime.block_on(other.close());
            assert!(
                gets(&runtime, &third, key, Hold::Exclusive),
                "it is of use still"
            );
            assert!(!gets(&runtime, &one, key, Hold::Shared));
            assert!(runtime.block_on(third.is_ours()).is_ok_and(|ours| ours));
            for session in [one, third] {
                runtime.block_on(session.close());
            }
            wait_for("the sessions to end", || {
                watcher.says(
                    "SELECT count(*) = 0 FROM pg_stat_activity \
                     WHERE datname = current_database() AND application_name = 'lockaudit'",
                )
            });
        }
    });
}

#[test]
fn the_end_of_a_key_session_is_heard_at_once_with_the_servers_words() {
    let db = in_mode(Server::any(), "heard", "both");
    let watcher = db.session("watcher");
    let runtime = runtime();
    let session = session(&runtime, &direct(&db));
    let key = AdvisoryKey::Single(JOB);
    assert!(gets(&runtime, &session, key, Hold::Shared));
    watcher.runs(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    runtime.block_on(session.ended());
    assert!(session.has_ended());
    assert!(runtime.block_on(session.is_ours()).is_err());
    let words = session.last_words();
    assert!(words.is_some_and(|words| words.contains("terminating connection")));
}

#[test]
fn a_pooler_of_any_mode_is_told_by_the_process_that_it_makes_up() {
    let server = Server::any();
    let db = in_mode(server, "pooled_key", "both");
    for pooling in [
        Pooling::by_session(1),
        Pooling::by_transaction(1),
        Pooling::by_statement(1),
    ] {
        let Some(pooler) = PgBouncer::in_front_of(server, &pooling) else {
            return;
        };
        let way = Destination::localhost(pooler.port()).user("postgres");
        let way = way.with(|target| target.dbname = db.name().to_owned());
        runtime().block_on(async {
            let refused = KeySession::open(&way.0).await.expect_err("it is refused");
            assert!(format!("{refused:#}").contains("leads through a pooler"));
        });
    }
}
