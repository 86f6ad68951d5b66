//! Where new code can hold no session: old code that looks for a lease once it has its key, by the statements that
//! docs/migrating.md shows, and new code that asks for the key as it takes the lease.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lockaudit::cutover::admission::Way;
use lockaudit::cutover::double_work::{Code, overlaps};
use lockaudit::fleet::{Journal, old_key};
use lockaudit::keeper::{Keeper, Options};
use lockaudit::key::AdvisoryKey;
use tokio::runtime::Builder;

use crate::harness::{Database, Server, lockaudit, wait_for};
use crate::lease_statements::direct;

const PAGE: &str = include_str!("../../docs/migrating.md");
const JOB: &str = "nightly-report";
const WORKERS: u32 = 2;
const TURNS: usize = 40;

/// The page's statements: ask for the key, look for a lease, give the key back.
struct LockThenLook {
    lock: String,
    look: String,
    unlock: String,
}

impl LockThenLook {
    fn of_the_page() -> Self {
        let [lock, look, unlock] = [
            "SELECT pg_try_advisory_lock",
            "SELECT count(*)",
            "SELECT pg_advisory_unlock",
        ]
        .map(|beginning| statement(beginning).to_owned());
        Self { lock, look, unlock }
    }
}

/// The only one in the page's blocks that begins so.
fn statement(beginning: &str) -> &'static str {
    let line = format!("\n    {beginning}");
    let mut found = PAGE.match_indices(&line);
    let (at, _) = found.next().expect("the page shows it");
    assert_eq!(found.next(), None, "{beginning}");
    let length = PAGE[at..].find(';').expect("it ends");
    &PAGE[at..at + length]
}

fn old_worker(db: &Database<'_>, number: u32, journal: &Journal, over: &AtomicBool) {
    let statements = LockThenLook::of_the_page();
    let session = db.session("old worker");
    while !over.load(Ordering::SeqCst) {
        if session.says(&statements.lock) {
            if session.says(&statements.look) {
                let at_work = journal.begins(number, Code::Old);
                session.runs("SELECT pg_sleep(0.003)");
                drop(at_work);
            }
            session.runs(&statements.unlock);
        }
        session.runs("SELECT pg_sleep(0.005)");
    }
}

fn new_worker(db: &Database<'_>, number: u32, journal: &Journal, over: &AtomicBool) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let target = direct(db).user("postgres").0;
    runtime.expect("a runtime starts").block_on(async {
        let options = Options::with_ttl(Duration::from_secs(10)).expect("it can be kept");
        let way = Way::Probe;
        let keeper = Keeper::connect_to(target, Options { way, ..options }).await;
        let keeper = keeper.unwrap_or_else(|error| panic!("{error:#}"));
        let name = JOB.parse().expect("a name");
        while !over.load(Ordering::SeqCst) {
            let taken = keeper.take(&name, None).await;
            let Some(lease) = taken.unwrap_or_else(|error| panic!("{error:#}")) else {
                continue;
            };
            let at_work = journal.begins(number, Code::New);
            tokio::time::sleep(Duration::from_millis(3)).await;
            drop(at_work);
            let released = lease.release(None).await;
            released.unwrap_or_else(|error| panic!("{error:#}"));
        }
        keeper.close().await;
    });
}

#[test]
fn new_code_that_probes_never_meets_old_code_that_looks() {
    let AdvisoryKey::Single(key) = old_key(JOB) else {
        panic!("old code locks one number");
    };
    let db = Server::any().database("lock_then_look");
    lockaudit(&["lease", "init", "-d", &db.url()]).succeeds();
    db.session("owner").runs(&format!(
        "INSERT INTO lockaudit_lease (name, mode, key) VALUES ('{JOB}', 'both', {key})"
    ));
    let (journal, over) = (Journal::default(), AtomicBool::new(false));
    thread::scope(|scope| {
        for number in 0..WORKERS {
            let (db, journal, over) = (&db, &journal, &over);
            scope.spawn(move || old_worker(db, number, journal, over));
            scope.spawn(move || new_worker(db, WORKERS + number, journal, over));
        }
        wait_for("turns of both", || {
            let turns = |code| journal.count(code) >= TURNS;
            turns(Code::Old) && turns(Code::New)
        });
        over.store(true, Ordering::SeqCst);
    });
    assert_eq!(overlaps(&journal.runs()), []);
}
