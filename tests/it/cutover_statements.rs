//! The files of `sql/cutover`: each says what it is, runs on every major, for a role with the printed
//! grants and no more.

use std::collections::BTreeSet;
use std::time::Duration;

use lockaudit::cutover::seed::Seed;
use lockaudit::cutover::{Calls, Direction, Step};
use lockaudit::key::AdvisoryKey;
use lockaudit::lease::{Mode, Name, TableName};
use lockaudit::pg::cutover::statement::{ALL, CREATION, OF_EXTENSION};
use lockaudit::pg::cutover::{Cutover, Watcher, Wish, operator_grants_sql};
use lockaudit::pg::lease::statement::Statement;
use tokio_postgres::types::Type;

use crate::destination::runtime;
use crate::harness::{Server, says_what_it_is, sql_files};
use crate::lease_statements::{direct, open};

fn every() -> impl Iterator<Item = &'static Statement> {
    CREATION.iter().chain(&OF_EXTENSION).chain(&ALL)
}

#[test]
fn every_file_is_a_statement_and_every_statement_a_file() {
    let known: BTreeSet<String> = every().map(|statement| statement.file.to_owned()).collect();
    assert_eq!(sql_files(&["cutover"]), known);
    assert_eq!(every().count(), known.len(), "none is listed twice");
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

/// Each is planned with the types that it is asked with; those that change nothing without a row are run.
#[test]
fn every_statement_is_understood_by_every_major_for_a_table_of_any_name() {
    Server::each(|server| {
        let db = server.database("migration");
        db.session("owner").runs("CREATE SCHEMA \"a b\"");
        let table: TableName = "\"a b\".\"x.y\"".parse().expect("a name");
        runtime().block_on(async {
            let owner = open(&direct(&db), "postgres").await;
            let wish = Wish {
                seeds: &[],
                who: "tester",
                functions: true,
            };
            let applied = Cutover::of(&owner, &table).apply(wish).await;
            applied.unwrap_or_else(|error| panic!("{error:#}"));
            for statement in &ALL {
                let types: Vec<Type> = statement.parameters.to_vec();
                let sql = table.in_sql(statement.sql);
                let understood = owner.client.prepare_typed(&sql, &types).await;
                understood.unwrap_or_else(|error| panic!("{}: {error:?}", statement.file));
            }
        });
    });
}

#[test]
fn a_role_with_the_printed_grants_leads_a_migration_on_every_major_and_none_without_them() {
    Server::each(|server| {
        let (operator, stranger) = (server.role("operator"), server.role("stranger"));
        let db = server.database("led");
        db.session("owner").runs("CREATE SCHEMA jobs");
        let table: TableName = "jobs.leases".parse().expect("a name");
        let sweep: Name = "sweep".parse().expect("a name");
        let seeds = [Seed {
            name: sweep.clone(),
            key: AdvisoryKey::Pair(-1, 2),
        }];
        runtime().block_on(async {
            let owner = open(&direct(&db), "postgres").await;
            let wish = Wish {
                seeds: &seeds,
                who: "tester",
                functions: false,
            };
            let applied = Cutover::of(&owner, &table).apply(wish).await;
            applied.unwrap_or_else(|error| panic!("{error:#}"));
            let grants = operator_grants_sql(&table, operator.name());
            owner
                .client
                .batch_execute(&grants)
                .await
                .expect("they can be granted");
            let operator = open(&direct(&db), operator.name()).await;
            leads(&Cutover::of(&operator, &table), &sweep).await;
            let stranger = open(&direct(&db), stranger.name()).await;
            let stranger = Cutover::of(&stranger, &table);
            let refused = stranger.positions(None).await.expect_err("it may not look");
            assert!(
                format!("{refused:#}").contains("permission denied"),
                "{refused:#}"
            );
            let finished = Cutover::of(&owner, &table)
                .finish(Duration::ZERO, "tester")
                .await;
            assert!(finished.expect("it answers").1);
        });
    });
}

async fn leads(cutover: &Cutover<'_>, name: &Name) {
    let calls = cutover
        .calls()
        .await
        .unwrap_or_else(|error| panic!("{error:#}"));
    assert!(matches!(calls, Calls::Unseen(_)), "{calls:?}");
    for from in [Mode::Advisory, Mode::Both] {
        let step = Step::of(Direction::Advance, from).expect("there is a way");
        let stepped = cutover.step(name, step, ("tester", Some("a reason"))).await;
        let stepped = stepped.unwrap_or_else(|error| panic!("{error:#}"));
        assert!(stepped.expect("it is there").moved);
        let looked = cutover.watch(Watcher::Status, &calls).await;
        looked.unwrap_or_else(|error| panic!("{error:#}"));
        let positions = cutover.positions(Some(name)).await;
        let positions = positions.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(positions[0].mode, step.to);
        assert!(
            positions[0]
                .mode_for
                .is_some_and(|length| length < Duration::from_secs(60))
        );
    }
}
