//! The files of `sql/lease`: each says what it is, runs on every major, for a role with the printed
//! grants and no more, and through a transaction-mode pooler.

use std::collections::BTreeSet;
use std::time::Duration;

use lockaudit::lease::{Bridge, Grant, Holder, Name, TableName, Term, Wanted};
use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::lease::statement::{ALL, CREATION, Statement, TAKE, TAKE_WITHOUT_FLOOR};
use lockaudit::pg::lease::{Floor, Leases, create, grants_sql, history, prune};

use crate::destination::{Destination, runtime};
use crate::harness::{Database, PgBouncer, Pooling, Server, says_what_it_is, sql_files};

const TTL: Duration = Duration::from_secs(60);

#[test]
fn every_file_is_a_statement_and_every_statement_a_file() {
    let known: BTreeSet<String> = every().map(|statement| statement.file.to_owned()).collect();
    assert_eq!(sql_files(&["lease"]), known);
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
fn without_a_timeline_only_the_floor_is_missing() {
    let body = |sql: &str| -> Vec<String> {
        let lines = sql.lines().filter(|line| !line.starts_with("--"));
        lines.map(str::to_owned).collect()
    };
    let (with, without) = (body(TAKE.sql), body(TAKE_WITHOUT_FLOOR.sql));
    let timeline = |lines: &[String]| lines.iter().position(|line| line.contains("timeline AS ("));
    let at = timeline(&with).expect("it has a timeline");
    assert_eq!(timeline(&without), Some(at));
    assert_eq!(with[..=at], without[..=at]);
    assert_eq!(with[at + 3..], without[at + 2..]);
    assert!(without[at + 1].contains("SELECT 0::bigint AS floor"));
}

#[test]
fn a_role_with_the_printed_grants_leads_a_lease_through_its_life_on_every_major() {
    Server::each(|server| {
        let role = server.role("worker");
        let db = server.database("leases");
        let table: TableName = "Jobs.\"my leases\"".parse().expect("a table's name");
        db.session("owner").runs("CREATE SCHEMA jobs");
        runtime().block_on(async {
            let owner = open(&direct(&db), "postgres").await;
            create(&Leases::of(&owner, &table))
                .await
                .expect("it makes the tables");
            let grants = grants_sql(&table, role.name());
            owner
                .client
                .batch_execute(&grants)
                .await
                .expect("they can be granted");
            let worker = open(&direct(&db), role.name()).await;
            live(&Leases::of(&worker, &table)).await;
            let owner = Leases::of(&owner, &table);
            assert_eq!(prune(&owner, Duration::ZERO).await.expect("it prunes"), 4);
        });
    });
}

#[test]
fn a_transaction_mode_pooler_is_no_hindrance() {
    let server = Server::any();
    let db = server.database("pooled_leases");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let table = TableName::default();
    runtime().block_on(async {
        let way = Destination::localhost(pooler.port()).with(|it| it.dbname = db.name().to_owned());
        let [one, other] = [open(&way, "postgres").await, open(&way, "postgres").await];
        create(&Leases::of(&one, &table))
            .await
            .expect("it makes the tables");
        live(&Leases::of(&other, &table)).await;
    });
}

#[test]
fn in_mode_both_a_lease_is_granted_to_whoever_minds_the_old_key_on_every_major() {
    Server::each(|server| {
        let db = server.database("mode_both");
        let table = TableName::default();
        runtime().block_on(async {
            let session = open(&direct(&db), "postgres").await;
            let leases = Leases::of(&session, &table);
            create(&leases).await.expect("it makes the tables");
            let rows = "INSERT INTO lockaudit_lease (name, mode, key, key1, key2) \
                        VALUES ('single', 'both', -7, NULL, NULL), ('pair', 'both', NULL, -7, 42)";
            session
                .client
                .batch_execute(rows)
                .await
                .expect("they are legal");
            for (text, bridge, granted) in [
                ("single", Bridge::None, false),
                ("single", Bridge::Hold, true),
                ("pair", Bridge::Probe, true),
            ] {
                let name: Name = text.parse().expect("a name");
                let wanted = Wanted {
                    name: &name,
                    holder: &Holder::of("host", 7, 1),
                    ttl: TTL,
                    bridge,
                    reason: None,
                };
                let taken = leases.take(&wanted).await;
                let taken = taken.unwrap_or_else(|error| panic!("{error:#}"));
                assert_eq!(taken.is_some(), granted, "{text} {bridge:?}");
            }
        });
    });
}

fn every() -> impl Iterator<Item = &'static Statement> {
    CREATION.iter().chain(&ALL)
}

pub fn direct(db: &Database<'_>) -> Destination {
    let cluster = db.server().cluster();
    Destination::socket(cluster.socket_folder(), cluster.port())
        .with(|it| it.dbname = db.name().to_owned())
}

pub async fn open(way: &Destination, role: &str) -> Connection {
    let way = way.clone().user(role);
    let connected = connect(&way.0).await;
    connected.unwrap_or_else(|failure| panic!("{}", failure.report()))
}

/// Taken, asked for again, refused to others, renewed, checked, given back, broken.
async fn live(leases: &Leases<'_>) {
    let name: Name = "sweep".parse().expect("a name");
    let [one, other] = [1, 2].map(|chance| Holder::of("host", 7, chance));
    let first = take(leases, &name, &one).await.expect("it is free");
    let again = take(leases, &name, &one).await.expect("it is ours");
    assert_eq!(again.token, first.token, "the answer may have been lost");
    assert_eq!(take(leases, &name, &other).await, None);
    let seen = leases
        .probe(&name)
        .await
        .expect("it answers")
        .expect("it is known");
    assert_eq!(seen.held.map(|held| held.holder), Some(one.clone()));
    let term = Term {
        name: name.clone(),
        holder: one.clone(),
        token: first.token,
    };
    let stranger = Term {
        holder: other.clone(),
        ..term.clone()
    };
    assert!(
        leases
            .renew(&term, TTL)
            .await
            .expect("it answers")
            .is_some()
    );
    assert!(
        leases
            .renew(&stranger, TTL)
            .await
            .expect("it answers")
            .is_none()
    );
    let renewed = leases
        .renew_many(&[stranger.clone(), term.clone()], TTL)
        .await;
    let renewed = renewed.expect("it answers");
    let terms: Vec<&Term> = renewed.iter().map(|(term, _)| term).collect();
    assert_eq!(terms, [&term]);
    assert!(
        leases
            .fence_check(&term)
            .await
            .expect("it answers")
            .is_some()
    );
    assert!(
        leases
            .fence_check(&stranger)
            .await
            .expect("it answers")
            .is_none()
    );
    let checked = leases
        .check(&name, Some(&one), None)
        .await
        .expect("it answers");
    assert_eq!(checked.map(|(term, _)| term), Some(term.clone()));
    assert!(!leases.release(&stranger, None).await.expect("it answers"));
    assert!(
        leases
            .release(&term, Some("done"))
            .await
            .expect("it answers")
    );
    assert!(!leases.release(&term, None).await.expect("it answers"));
    leases.notify(&name).await.expect("it answers");
    assert!(
        leases
            .renew(&term, TTL)
            .await
            .expect("it answers")
            .is_none()
    );
    let second = take(leases, &name, &other).await.expect("it is free");
    assert!(second.token > first.token);
    let broken = leases.break_it(&name, "stuck").await.expect("it answers");
    assert_eq!(broken.expect("it was held").0.holder, other);
    assert_eq!(
        leases.break_it(&name, "stuck").await.expect("it answers"),
        None
    );
    let listed = leases.list().await.expect("it answers");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].tenure, None);
    let events = history(leases, Some(&name), 10).await.expect("it answers");
    let events: Vec<&str> = events.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(events, ["broken", "granted", "released", "granted"]);
}

async fn take(leases: &Leases<'_>, name: &Name, holder: &Holder) -> Option<Grant> {
    let wanted = Wanted {
        name,
        holder,
        ttl: TTL,
        bridge: Bridge::None,
        reason: None,
    };
    let taken = leases
        .take(&wanted)
        .await
        .unwrap_or_else(|error| panic!("{error:#}"));
    taken.map(|(grant, floor)| {
        assert_eq!(floor, Floor::Timeline);
        grant
    })
}

/// A row is checked as it is proposed, before it is found to be there.
#[test]
fn in_mode_both_a_bridge_is_granted_its_lease_and_no_other_on_every_major() {
    Server::each(|server| {
        let db = server.database("both");
        let table = TableName::default();
        runtime().block_on(async {
            let owner = open(&direct(&db), "postgres").await;
            let leases = Leases::of(&owner, &table);
            create(&leases).await.expect("it makes the tables");
            for (name, keys) in [("one", "42, NULL, NULL"), ("two", "NULL, -7, 42")] {
                let row = format!(
                    "INSERT INTO lockaudit_lease (name, mode, key, key1, key2) VALUES ('{name}', 'both', {keys})"
                );
                owner.client.batch_execute(&row).await.expect("a row");
                let name: Name = name.parse().expect("a name");
                for (bridge, bridged) in [
                    (Bridge::None, None),
                    (Bridge::Hold, Some(false)),
                    (Bridge::Probe, Some(true)),
                ] {
                    let holder = Holder::of("host", 7, 1);
                    let wanted = Wanted {
                        name: &name,
                        holder: &holder,
                        ttl: TTL,
                        bridge,
                        reason: None,
                    };
                    let taken = leases.take(&wanted).await.expect("it answers");
                    assert_eq!(taken.as_ref().map(|(grant, _)| grant.bridged), bridged);
                    if let Some((grant, _)) = taken {
                        let name = name.clone();
                        let token = grant.token;
                        let term = Term { name, holder, token };
                        assert!(leases.release(&term, None).await.expect("it answers"));
                    }
                }
            }
        });
    });
}
