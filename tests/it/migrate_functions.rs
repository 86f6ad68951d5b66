//! The functions for applications on real servers: what they do is what the statements do, whatever the
//! caller's settings; and what is removed is what was made.

use lockaudit::lease::TableName;
use lockaudit::pg::connect::Connection;
use lockaudit::pg::cutover::{Cutover, MARK, Wish};
use lockaudit::pg::lease::grants_sql;

use crate::destination::runtime;
use crate::harness::{Database, Server, Session};
use crate::lease_statements::{direct, open};

const WISH: Wish<'static> = Wish {
    seeds: &[],
    who: "tester",
    functions: true,
};

async fn owner(db: &Database<'_>) -> Connection {
    open(&direct(db), "postgres").await
}

fn installed(db: &Database<'_>, table: &TableName) {
    runtime().block_on(async {
        let owner = owner(db).await;
        let applied = Cutover::of(&owner, table).apply(WISH).await;
        applied.unwrap_or_else(|error| panic!("{error:#}"));
    });
}

/// One value, or `none` for no row.
fn says(session: &Session, call: &str) -> String {
    let value = session.value(&format!("SELECT {call}"));
    value.unwrap_or_else(|| "none".to_owned())
}

#[test]
fn a_role_leads_a_lease_through_its_life_by_calls_alone_on_every_major() {
    Server::each(|server| {
        let role = server.role("app");
        let db = server.database("functions");
        let table = TableName::default();
        installed(&db, &table);
        installed(&db, &table);
        let grants = grants_sql(&table, role.name());
        db.session("owner").runs(&grants);
        let app = db.session_as(role.name(), "app");
        // Neither a hostile search_path nor a table of that name in it is looked at.
        app.runs("CREATE TEMPORARY TABLE lockaudit_lease (name text)");
        app.runs("SET search_path = pg_temp");
        let of = |name: &str| format!("public.lockaudit_lease_{name}");
        let take = |holder: &str| {
            let call = format!("token FROM {}('sweep', '{holder}', 60)", of("take"));
            says(&app, &call)
        };
        let token = take("one");
        assert_eq!(take("one"), token, "the same holder may ask again");
        assert_eq!(take("two"), "none");
        let by = |function: &str, holder: &str, more: &str| {
            let call = format!(
                "1 FROM {}('sweep', '{holder}', {token}{more})",
                of(function)
            );
            says(&app, &call)
        };
        assert_eq!(by("renew", "one", ", 60"), "1");
        assert_eq!(by("renew", "two", ", 60"), "none");
        assert_eq!(by("check", "one", ""), "1");
        assert_eq!(by("check", "two", ""), "none");
        assert_eq!(by("release", "two", ""), "none");
        assert_eq!(by("release", "one", ", 'done'"), "1");
        assert_eq!(by("release", "one", ""), "none");
        let log = "SELECT string_agg(event || coalesce(' ' || reason, ''), ', ' ORDER BY id) FROM public.lockaudit_lease_log";
        assert_eq!(app.value(log).as_deref(), Some("granted, released done"));
    });
}

#[test]
fn a_grant_by_a_call_is_durable_whatever_the_session_wants() {
    let server = Server::any();
    let db = server.database("durable_functions");
    installed(&db, &TableName::default());
    let app = db.session("app");
    app.runs("SET synchronous_commit = off").runs("BEGIN");
    app.runs("SELECT * FROM lockaudit_lease_take('sweep', 'one', 60)");
    let now = says(&app, "current_setting('synchronous_commit')");
    assert_eq!(now, "on", "it still holds when the transaction commits");
    app.runs("COMMIT");
    assert_eq!(says(&app, "current_setting('synchronous_commit')"), "off");
}

#[test]
fn callers_that_wait_for_each_other_are_granted_one_lease() {
    let server = Server::any();
    let db = server.database("racing_functions");
    installed(&db, &TableName::default());
    let [one, two] = [db.session("one"), db.session("two")];
    one.runs("BEGIN")
        .runs("SELECT * FROM lockaudit_lease_take('sweep', 'one', 60)");
    two.runs("CREATE TEMPORARY TABLE mine (token bigint)");
    two.is_blocked_in(
        "INSERT INTO mine SELECT token FROM lockaudit_lease_take('sweep', 'two', 60)",
    );
    one.runs("COMMIT");
    assert_eq!(says(&two, "count(*) FROM mine"), "0");
}

#[test]
fn what_is_removed_is_what_was_made_and_nothing_else_on_every_major() {
    Server::each(|server| {
        let db = server.database("uninstall");
        let session = db.session("owner");
        session.runs("CREATE SCHEMA jobs");
        let table: TableName = "jobs.\"my leases\"".parse().expect("a name");
        installed(&db, &table);
        session.runs("CREATE FUNCTION jobs.\"my leases_take\"(text) RETURNS text LANGUAGE sql AS 'SELECT $1'");
        let there = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'jobs'::regnamespace";
        assert_eq!(session.number(there), 5);
        runtime().block_on(async {
            let owner = owner(&db).await;
            let cutover = Cutover::of(&owner, &table);
            let refused = cutover.apply(WISH).await.expect_err("a stranger is there");
            let said = format!("{refused:#}");
            assert!(
                said.contains(r#""jobs"."my leases_take"(text) is there, and is not ours"#),
                "{said}"
            );
            assert!(said.contains(MARK), "{said}");
            let uninstalled = cutover.uninstall_functions().await;
            let uninstalled = uninstalled.unwrap_or_else(|error| panic!("{error:#}"));
            assert_eq!(uninstalled.removed.len(), 4);
            assert_eq!(uninstalled.left, [r#""jobs"."my leases_take"(text)"#]);
            let again = cutover.uninstall_functions().await.expect("it answers");
            assert_eq!((again.removed.len(), again.left.len()), (0, 1));
        });
        assert_eq!(session.number(there), 1);
    });
}

#[test]
fn what_would_be_run_is_run_by_psql_as_it_is() {
    Server::each(|server| {
        let db = server.database("dry");
        let session = db.session("owner");
        let table = TableName::default();
        let seeds = [
            (
                "it's $1 lockaudit_lease",
                lockaudit::key::AdvisoryKey::Pair(-1, 2),
            ),
            ("b\\\\n", lockaudit::key::AdvisoryKey::Single(i64::MIN)),
        ];
        let seeds = seeds.map(|(name, key)| lockaudit::cutover::seed::Seed {
            name: name.parse().expect("a name"),
            key,
        });
        let wish = Wish {
            seeds: &seeds,
            ..WISH
        };
        let sql = |db: &Database<'_>| {
            runtime().block_on(async {
                let owner = owner(db).await;
                let sql = Cutover::of(&owner, &table).apply_sql(wish).await;
                sql.unwrap_or_else(|error| panic!("{error:#}"))
            })
        };
        let first = sql(&db);
        assert_eq!(
            says(&session, "to_regclass('lockaudit_lease')"),
            "none",
            "nothing was done"
        );
        session.runs(&first);
        let rows =
            session.rows("SELECT name, key, key1, key2, mode FROM lockaudit_lease ORDER BY key");
        let text = |value: &str| Some(value.to_owned());
        assert_eq!(
            rows,
            [
                vec![
                    text("b\\\\n"),
                    text("-9223372036854775808"),
                    None,
                    None,
                    text("advisory")
                ],
                vec![
                    text("it's $1 lockaudit_lease"),
                    None,
                    text("-1"),
                    text("2"),
                    text("advisory")
                ],
            ]
        );
        let second = sql(&db);
        assert!(!second.contains("CREATE TABLE"), "they are there: {second}");
        session.runs(&second);
        assert_eq!(
            session.number("SELECT count(*) FROM lockaudit_lease_log"),
            2
        );
    });
}
