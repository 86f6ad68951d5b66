//! Keys that people could not read, or that met by accident.

use serde_json::{Value, json};

use crate::harness::{Key, Scan, Server, items, lockaudit, scan, scan_with};

/// What `pg_locks` shows, and the key that was asked for.
const TAGS: [(u32, u32, i64, Key); 11] = [
    (0, 72_707_369, 1, Key::Single(72_707_369)),
    (1, 0, 1, Key::Single(4_294_967_296)),
    (18_028, 1_462_734_915, 1, Key::Single(77_431_133_147_203)),
    (u32::MAX, u32::MAX, 1, Key::Single(-1)),
    (1 << 31, 0, 1, Key::Single(i64::MIN)),
    (i32::MAX as u32, u32::MAX, 1, Key::Single(i64::MAX)),
    (4_294_967_291, 7, 2, Key::Pair(-5, 7)),
    (1 << 31, u32::MAX, 2, Key::Pair(i32::MIN, -1)),
    (2_116_437_524, 0, 2, Key::Pair(2_116_437_524, 0)),
    (17_993, 1, 2, Key::Pair(17_993, 1)),
    (1, 3_048_471_620, 2, Key::Pair(1, -1_246_495_676)),
];

/// LA-055: a table's oid above 2^31, wrapped into an integer, comes out of `pg_locks` unsigned.
#[test]
fn every_tag_is_read_back_as_the_key_that_was_asked_for() {
    Server::each(|server| {
        let db = server.database("tags");
        let holder = db.session("repack");
        for (.., key) in TAGS {
            holder.idle_with(key);
        }
        let scan = scan(&db);
        for (classid, objid, objsubid, key) in TAGS {
            let row = row_of(&scan, (classid, objid, objsubid));
            assert_eq!(spelled(&row["key"]), key.to_string(), "{scan}");
            let unlock = row["key"]["unlock"].as_str().expect("SQL can unlock it");
            assert!(holder.says(&format!("SELECT {unlock}")), "{unlock}");
        }
        assert_eq!(self::scan(&db).document["locks"], json!([]));
    });
}

#[track_caller]
fn row_of(scan: &Scan, tag: (u32, u32, i64)) -> Value {
    let shown = |row: &Value| {
        let number = |column: &str| row[column].as_i64();
        (number("classid"), number("objid"), number("objsubid"))
    };
    let wanted = (Some(tag.0.into()), Some(tag.1.into()), Some(tag.2));
    let found = items(&scan.document["locks"]).find(|row| shown(row) == wanted);
    found
        .unwrap_or_else(|| panic!("no {tag:?} in {scan}"))
        .clone()
}

/// As the harness writes it for SQL.
fn spelled(key: &Value) -> String {
    let number = |name: &str| format!("'{}'", key[name].as_i64().expect("a number"));
    match key["form"].as_str() {
        Some("bigint") => format!("'{}'::bigint", key["key"].as_str().expect("a string")),
        _ => format!("{}::int, {}::int", number("key1"), number("key2")),
    }
}

/// LA-056: a hash is signed. As a bigint its sign fills the upper half; in a pair it does not.
#[test]
fn a_negative_hash_is_one_number_in_both_forms() {
    Server::each(|server| {
        let db = server.database("hashes");
        let (single, pair) = (db.session("single"), db.session("pair"));
        single.runs("SELECT pg_advisory_lock(hashtext('k1'))");
        pair.runs("SELECT pg_advisory_lock(1, hashtext('k1'))");
        let scan = scan(&db);
        let row = scan.lock_of(&single);
        assert_eq!(
            (&row["classid"], &row["objid"], &row["key"]["key"]),
            (
                &json!(4_294_967_295_u32),
                &json!(2_332_714_452_u32),
                &json!("-1962252844")
            )
        );
        let row = scan.lock_of(&pair);
        assert_eq!(
            (&row["classid"], &row["objid"], &row["key"]["key2"]),
            (&json!(1), &json!(2_332_714_452_u32), &json!(-1_962_252_844))
        );
    });
}

const LOCK_ON_INSERT: &str = "
CREATE TABLE stock (id int);
CREATE FUNCTION lock_stock() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_advisory_xact_lock(TG_RELID::int, 7); RETURN NEW; END $$;
CREATE TRIGGER one_at_a_time BEFORE INSERT ON stock FOR EACH ROW EXECUTE FUNCTION lock_stock()";

/// LA-058: code on the server takes a lock that an application takes too, and inserts hang.
#[test]
fn a_waiter_whose_statement_is_no_lock_call_is_pointed_out_with_the_table_of_its_key() {
    Server::each(|server| {
        let db = server.database("in_a_trigger");
        let (holder, insert) = (db.session("reindex"), db.session("api"));
        holder.runs(LOCK_ON_INSERT);
        let oid = holder.number("SELECT 'stock'::regclass::oid::int");
        holder.idle_with((oid, 7));
        insert.is_blocked_in("INSERT INTO stock VALUES (1)");
        let scan = scan(&db).exits_with(1);
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .names(&[&insert])
            .tells(&format!("pid {} waits for key ({oid}, 7)", insert.pid()))
            .tells("inside a statement without a lock call")
            .tells(": INSERT INTO stock VALUES (1)")
            .tells(&format!("{oid} is also the oid of public.stock"));
        scan.finds("idle-holder")
            .is("critical", "certain")
            .names(&[&holder]);
    });
}

/// LA-058, its near misses: a lock call, and a text that is not to be read.
#[test]
fn a_waiter_whose_statement_asks_for_the_lock_is_no_surprise() {
    let db = Server::any().database("by_a_call");
    let (holder, waiter) = (db.session("reindex"), db.session("api"));
    holder.runs(LOCK_ON_INSERT).idle_with(1);
    waiter.waits_for(1);
    let says_nothing = |scan: Scan| {
        let found = scan.finds("blocked-waiters");
        found.keeps_quiet_about("without a lock call");
    };
    says_nothing(scan(&db));
    let oid = holder.number("SELECT 'stock'::regclass::oid::int");
    let (second, insert) = (db.session("reindex"), db.session("api"));
    second.idle_with((oid, 7));
    insert.is_blocked_in("INSERT INTO stock VALUES (1)");
    says_nothing(scan_with(&db, &["--query", "none"]));
}

/// LA-061: two names, one 32-bit hash: services that have nothing to do with each other queue.
#[test]
fn two_names_that_meet_in_a_hash_are_one_lock_and_both_programs_are_named() {
    Server::each(|server| {
        let db = server.database("collision");
        let (billing, search) = (db.session("billing"), db.session("search"));
        billing.runs("SELECT pg_advisory_lock(hashtext('tenant-109551'))");
        assert!(search.says("SELECT pg_try_advisory_lock(hashtextextended('tenant-161554', 0))"));
        search.is_blocked_in("SELECT pg_advisory_lock(hashtext('tenant-161554'))");
        let scan = scan(&db);
        let found = scan.found("idle-holder");
        found[0]
            .is("critical", "certain")
            .names(&[&billing])
            .tells("holds key 253127392");
        lockaudit(&["scan", &db.url(), "--database", db.name()])
            .exits_with(1)
            .says("(billing, ")
            .says("(search) waits");
    });
}

/// The two forms of a key, each in a database of its own: two things apart at once.
#[test]
fn the_two_forms_of_a_key_in_two_databases_are_no_mix_up() {
    let server = Server::any();
    let (here, there) = (server.database("form_here"), server.database("form_there"));
    let (one, other) = (here.session("one"), there.session("other"));
    one.idle_with(1);
    other.idle_with_pair(0, 1);
    let databases = ["--database", here.name(), "--database", there.name()];
    Scan::of(&here.url(), &databases)
        .is_silent_on("key-in-two-forms")
        .is_silent_on("key-in-many-databases");
}
