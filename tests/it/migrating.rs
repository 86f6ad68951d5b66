//! Names that move from their old keys: for tests of whatever follows their modes.

use lockaudit::cutover::seed::Seed;
use lockaudit::key::AdvisoryKey;
use lockaudit::lease::TableName;
use lockaudit::pg::cutover::{Cutover, Wish};

use crate::destination::runtime;
use crate::harness::{Database, Key, Server, Session};
use crate::lease_statements::{direct, open};

/// The old key of `job`, and of `other`.
pub const JOB: i64 = -42;
pub const OTHER: (i32, i32) = (-7, 42);

/// Two names under their old keys, in this mode.
pub fn in_mode<'a>(server: &'a Server, name: &str, mode: &str) -> Database<'a> {
    let db = server.database(name);
    begin(&db);
    let owner = db.session("owner");
    moves(&owner, mode);
    owner.disconnect();
    db
}

fn begin(db: &Database<'_>) {
    let seeds = [
        ("job", AdvisoryKey::Single(JOB)),
        ("other", AdvisoryKey::Pair(OTHER.0, OTHER.1)),
    ];
    let seeds = seeds.map(|(name, key)| Seed {
        name: name.parse().expect("a name"),
        key,
    });
    runtime().block_on(async {
        let owner = open(&direct(db), "postgres").await;
        let wish = Wish {
            seeds: &seeds,
            who: "tester",
            functions: false,
        };
        let table = TableName::default();
        let applied = Cutover::of(&owner, &table).apply(wish).await;
        applied.unwrap_or_else(|error| panic!("{error:#}"));
        owner.close().await;
    });
}

pub fn moves(owner: &Session, mode: &str) {
    owner.runs(&format!(
        "UPDATE lockaudit_lease SET mode = '{mode}' WHERE key IS NOT NULL OR key1 IS NOT NULL"
    ));
}

/// The locks on the key of `job`: `ShareLock granted`.
pub fn locks(watcher: &Session) -> Vec<String> {
    let key = Key::single(JOB).in_pg_locks();
    let rows = watcher.rows(&format!(
        "SELECT l.mode || CASE WHEN l.granted THEN ' granted' ELSE ' waiting' END FROM pg_locks AS l \
         WHERE {key} AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1"
    ));
    let texts = rows.into_iter().flatten();
    texts.map(|text| text.expect("it is not NULL")).collect()
}

/// Who has the lease of `job`, and whether it is bridged.
pub fn lease(watcher: &Session) -> Option<bool> {
    let rows = watcher.rows(
        "SELECT bridged FROM lockaudit_lease WHERE name = 'job' AND holder IS NOT NULL AND expires_at > clock_timestamp()",
    );
    let bridged = rows.into_iter().flatten().flatten().next();
    bridged.map(|bridged| bridged == "t")
}
