//! What becomes of which key.

use serde_json::json;

use super::{Folder, Planned};
use crate::harness::{Key, Marks, PgBouncer, Pooling, Server, lockaudit};
use lockaudit::key::hash::crc32;

const NEGATIVE: i64 = -8_046_644_073_709_551_615;

#[test]
fn each_kind_of_use_has_its_decision() {
    Server::each(|server| {
        let db = server.database("decided");
        let leader = db.session("leader");
        leader.idle_with(NEGATIVE);
        let standby = db.session("standby");
        standby.waits_for(NEGATIVE);
        let sweeper = db.session("sweeper");
        sweeper.idle_with_pair(-7, -42);
        let migrations = db.session("prisma");
        migrations.idle_with(72_707_369);
        let rails = 2_053_462_845 * i64::from(crc32(db.name()));
        let rake = db.session("rake");
        rake.idle_with(rails);
        let readers = [db.session("reader-1"), db.session("reader-2")];
        readers.iter().for_each(|reader| {
            reader.idle_sharing(333_000_333);
        });
        db.session("transfers")
            .prepared_with(444_000_444, &format!("gid-{}", db.name()));
        let mailer = db.session("mailer");
        mailer.in_transaction_with(555_000_555);
        let invoices = db.session("invoices");
        invoices.waits_in_transaction_for(555_000_555);

        let planned = Planned::of(&db, &[]).exits_with(1);
        planned
            .key(&NEGATIVE.to_string())
            .is("lease", "certain")
            .saw("applications", json!(["leader"]))
            .saw("asked_by", json!(["standby"]))
            .saw("most_waiters", json!(1))
            .saw("scopes", json!(["session"]))
            .saw("roles", json!(["postgres"]));
        let pair = planned.key("-7,-42");
        pair.is("lease", "certain");
        assert_eq!(pair.name(), "-7,-42");
        let prisma = planned.key("72707369");
        prisma.is("keep", "likely").tells("Prisma Migrate takes it");
        assert_eq!(prisma.name(), "prisma-migrate");
        planned.key(&rails.to_string()).is("keep", "certain");
        planned
            .key("333000333")
            .is("refuse", "certain")
            .tells("it is taken shared")
            .saw("applications", json!(["reader-1", "reader-2"]));
        planned
            .key("444000444")
            .is("transaction-lock-is-fine", "certain")
            .saw("held_at_most_seconds", json!(null));
        planned
            .key("555000555")
            .is("transaction-lock-is-fine", "likely")
            .saw("calls", json!(["transaction"]));
        assert_eq!(planned.document["summary"]["keys"], 7);
    });
}

/// A single sample does not tell a session's lock inside a transaction from the transaction's own.
#[test]
fn a_lock_inside_a_transaction_is_a_lease_only_possibly() {
    let db = Server::any().database("inside");
    let holder = db.session("worker");
    holder.in_transaction_with(42);
    Planned::of(&db, &[])
        .exits_with(0)
        .key("42")
        .is("lease", "possible")
        .tells("was not seen");
}

#[test]
fn many_samples_of_a_lock_inside_transactions_make_it_fine() {
    let db = Server::any().database("inside_long");
    let holder = db.session("worker");
    holder.in_transaction_with(42);
    Planned::of(&db, &["--for", "600ms", "--every", "30ms"])
        .exits_with(0)
        .key("42")
        .is("transaction-lock-is-fine", "possible");
}

#[test]
fn readers_and_a_waiting_writer_are_refused() {
    let db = Server::any().database("rw");
    let (reader, writer) = (db.session("reader"), db.session("writer"));
    reader.idle_sharing(42);
    writer.waits_for(42);
    Planned::of(&db, &[])
        .exits_with(1)
        .key("42")
        .is("refuse", "certain")
        .tells("readers and a writer")
        .saw("modes", json!(["exclusive", "shared"]));
}

#[test]
fn one_key_in_two_databases_is_refused_and_in_each_by_itself_is_not() {
    let server = Server::any();
    let (one, other) = (server.database("one"), server.database("other"));
    let (here, there) = (one.session("a"), other.session("b"));
    here.idle_with(4_242);
    there.idle_with(4_242);
    let both = Planned::of(&one, &["--database", other.name()]).exits_with(1);
    let keys = both.keys();
    assert_eq!(keys.len(), 2, "{}", both.outcome);
    for key in &keys {
        key.is("refuse", "certain").tells(&format!(
            "2 databases ({}, {})",
            one.name(),
            other.name()
        ));
    }
    assert_ne!(keys[0].name(), keys[1].name());
    Planned::of(&one, &[])
        .exits_with(0)
        .key("4242")
        .is("lease", "certain");
}

#[test]
fn pairs_of_one_first_half_are_rows_to_claim() {
    let db = Server::any().database("rows");
    let workers: Vec<_> = (0..8).map(|_| db.session("worker")).collect();
    for (row, worker) in (1..).zip(&workers) {
        worker.idle_with_pair(77_001, row);
    }
    let lone = db.session("lone");
    lone.idle_with_pair(77_002, 1);
    let planned = Planned::of(&db, &[]).exits_with(0);
    planned.key("77001,3").is("skip-locked", "likely");
    planned.key("77002,1").is("lease", "certain");
}

#[test]
fn names_come_from_people_and_two_of_one_key_are_refused() {
    let db = Server::any().database("told");
    let folder = Folder::new();
    let holder = db.session("worker");
    holder.idle_with(42).idle_with(43);
    let map = folder.write(
        "map.toml",
        "[[name]]\nname = 'sweep'\nkey = 42\nttl = '5m'\n",
    );
    let names = folder.write("names.toml", "[[name]]\nname = 'import'\nkey = 43\n");
    let planned = Planned::of(&db, &["--map", &map, "--names", &names]).exits_with(0);
    let sweep = planned.key("42");
    assert_eq!(
        (sweep.name(), &sweep.0["ttl_seconds"]),
        ("sweep", &json!(300.0))
    );
    assert_eq!(planned.key("43").name(), "import");
    let clash = folder.write("clash.toml", "[[name]]\nname = 'export'\nkey = 43\n");
    Planned::of(&db, &["--map", &clash, "--names", &names])
        .exits_with(1)
        .key("43")
        .is("refuse", "certain")
        .tells("`export`, `import` give the same key");
}

#[test]
fn a_key_that_is_polled_for_and_never_had_is_seen() {
    let db = Server::any().database("polled");
    let poller = db.session("poller");
    poller.runs("SELECT pg_try_advisory_lock(4711), pg_advisory_unlock(4711)");
    let planned = Planned::of(&db, &[]).exits_with(0);
    planned
        .key("4711")
        .is("lease", "likely")
        .saw("asked_by", json!(["poller"]));
}

#[test]
fn the_screen_says_what_and_why() {
    let db = Server::any().database("screen");
    let holder = db.session("billing-sweep");
    holder.idle_with(4_200_000_042);
    let waiter = db.session("checkout");
    waiter.waits_for(4_200_000_042);
    let reader = db.session("reader");
    reader.idle_sharing(Key::Pair(-70_001, -42_000));
    let outcome = lockaudit(&["migrate", "plan", &db.url(), "--database", db.name()])
        .exits_with(1)
        .without_complaint();
    insta::assert_snapshot!(Marks::of(&outcome.stdout).replacing(db.name(), "<database>"));
}

#[test]
fn nothing_is_no_refusal() {
    let db = Server::any().database("empty");
    lockaudit(&["migrate", "plan", &db.url(), "--database", db.name()])
        .succeeds()
        .says("no advisory key was seen")
        .without_complaint();
}

#[test]
fn what_came_through_a_pooler_is_said() {
    let server = Server::any();
    let db = server.database("pooled");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let first = pooler.session(&db, "billing");
    first.idle_with(2_001);
    let url = pooler.address_of(&db).url();
    let planned = Planned::by(&[&url, "--database", db.name()]).exits_with(0);
    planned
        .key("2001")
        .is("lease", "certain")
        .tells("a pooler lent us the very backend that holds it");
    let notes = planned.document["notes"].to_string();
    assert!(notes.contains("behind the pooler"), "{notes}");
    assert!(first.says("SELECT pg_advisory_unlock(2001)"));
}
