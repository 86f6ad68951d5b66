//! The files of `sql/`: each one is a question, says what it is, and is answered by every server
//! that it is for, to every role, through a pooler as well.

use std::collections::BTreeSet;
use std::fs;
use std::time::SystemTime;

use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::question::{ALL, BEGIN, Question};
use tokio_postgres::types::{ToSql, Type};

use crate::destination::{Destination, runtime};
use crate::harness::{PgBouncer, Pooling, Server, lockaudit, says_what_it_is};

/// `pg_class` and `pg_proc`, on every server.
const RELATIONS: &[u32] = &[1259, 1255];

#[test]
fn every_file_is_a_question_and_every_question_a_file() {
    let files: BTreeSet<String> = fs::read_dir("sql")
        .expect("the project has its SQL in a folder")
        .map(|entry| entry.expect("it can be listed"))
        // `lease_statements` knows the folder of leases.
        .filter(|entry| entry.file_type().expect("it has a type").is_file())
        .map(|entry| entry.file_name().into_string().expect("ASCII"))
        .collect();
    let questions: BTreeSet<String> = ALL
        .iter()
        .map(|question| question.file.to_owned())
        .collect();
    assert_eq!(questions.len(), ALL.len(), "none is listed twice");
    // The script for psql asks them all at once: `saved_snapshots` runs it on every major.
    let script = String::from("snapshot_rows.sql");
    let known: BTreeSet<String> = questions.into_iter().chain([script]).collect();
    assert_eq!(files, known);
}

#[test]
fn every_file_begins_with_its_row_its_parameters_and_its_oldest_server() {
    for question in &ALL {
        let Question {
            file,
            sql,
            parameters,
            since,
            ..
        } = question;
        says_what_it_is(file, sql, parameters, &["erver", &since.to_string()]);
    }
}

#[test]
fn every_question_is_answered_on_every_major_to_any_role_directly_and_through_a_pooler() {
    Server::each(|server| {
        let plain = server.role("plain");
        let db = server.database("questions");
        let folder = server.cluster().socket_folder();
        let direct = Destination::socket(folder, server.cluster().port());
        let pooler = PgBouncer::in_front_of(server, &Pooling::by_transaction(1));
        let pooled = pooler.map(|pooler| (Destination::localhost(pooler.port()), pooler));
        for role in ["postgres", plain.name()] {
            for way in [Some(&direct), pooled.as_ref().map(|(way, _)| way)] {
                let Some(way) = way.cloned() else { continue };
                let way = way.user(role).with(|it| it.dbname = db.name().to_owned());
                ask_all(&way, server.major(), role);
            }
        }
    });
}

#[test]
fn every_major_is_scanned_as_the_schema_says() {
    Server::each(|server| {
        let plain = server.role("plain");
        let db = server.database("schema");
        let (holder, waiter) = (db.session("holder"), db.session("waiter"));
        holder.idle_with(7).idle_with_pair(-7, -42);
        waiter.waits_for(7);
        db.session("worker").prepared_with(8, "transfer");
        for url in [db.url(), db.url_as(plain.name())] {
            let scan = lockaudit(&["scan", &url, "--database", db.name(), "--format", "json"]);
            let document = scan.exits_with(1).without_complaint().tame().valid_json();
            let locks = document["locks"].as_array().expect("locks were read");
            assert_eq!(locks.len(), 4);
        }
    });
}

fn ask_all(way: &Destination, major: u32, role: &str) {
    let major = i32::try_from(major).expect("a small number");
    runtime().block_on(async {
        let connection = connect(&way.0)
            .await
            .unwrap_or_else(|failure| panic!("{}", failure.report()));
        for question in ALL.iter().filter(|question| question.is_for(major)) {
            ask(&connection, question, role).await;
        }
        connection.close().await;
    });
}

async fn ask(connection: &Connection, question: &Question, role: &str) {
    let client = &connection.client;
    let begun = client.batch_execute(BEGIN.sql).await;
    begun.unwrap_or_else(|error| panic!("{error:?}"));
    if question.file != BEGIN.file {
        let values: Vec<&(dyn ToSql + Sync)> = question
            .parameters
            .iter()
            .map(|kind| match *kind {
                Type::TEXT => &role as _,
                Type::BOOL => &true as _,
                Type::OID_ARRAY => &RELATIONS as _,
                // No session has this pid.
                Type::INT4 => &0_i32 as _,
                Type::INT2 => &1_i16 as _,
                Type::OID => &1_u32 as _,
                Type::TIMESTAMPTZ => &SystemTime::UNIX_EPOCH as _,
                ref other => panic!("a value of type {other}?"),
            })
            .collect();
        let answer = question.ask(client, &values).await;
        answer.unwrap_or_else(|error| panic!("{}: {error:#}", question.file));
    }
    let ended = client.batch_execute("COMMIT").await;
    ended.unwrap_or_else(|error| panic!("{error:?}"));
}
