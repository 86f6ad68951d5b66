//! A program whose leases move from old keys: it stands on what the mode says, and never beside old code.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use lockaudit::cutover::admission::{Footing, Way};
use lockaudit::cutover::{Direction, Step};
use lockaudit::keeper::{Keeper, Lease, Options};
use lockaudit::lease::timetable::Why;
use lockaudit::lease::{Mode, Name, TableName};
use lockaudit::pg::cutover::Cutover;
use tokio::runtime::{Builder, Runtime};

use crate::destination::runtime;
use crate::harness::{Database, Server, wait_for};
use crate::lease_statements::{direct, open};
use crate::migrating::{JOB, in_mode, lease, locks};

const PATIENCE: Duration = Duration::from_secs(30);

fn program() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let program = builder.worker_threads(1).enable_all().build();
    program.expect("a runtime starts")
}

fn job() -> Name {
    "job".parse().expect("a name")
}

async fn keeper(db: &Database<'_>, ttl: u64, way: Way) -> Keeper {
    let options = Options::with_ttl(Duration::from_secs(ttl)).expect("it can be kept");
    let target = direct(db).user("postgres").0;
    let keeper = Keeper::connect_to(target, Options { way, ..options }).await;
    keeper.unwrap_or_else(|error| panic!("{error:#}"))
}

async fn take(keeper: &Keeper) -> Option<Lease> {
    let taken = keeper.take(&job(), None).await;
    taken.unwrap_or_else(|error| panic!("{error:#}"))
}

#[test]
fn each_mode_has_its_footing_and_leaves_nothing_behind() {
    for (mode, footing, has, bridged) in [
        (
            "advisory",
            Footing::Key,
            vec!["ExclusiveLock granted"],
            None,
        ),
        (
            "both",
            Footing::LeaseAndKey,
            vec!["ShareLock granted"],
            Some(true),
        ),
        ("lease", Footing::Lease, vec![], Some(false)),
    ] {
        let db = in_mode(Server::any(), &format!("footing_{mode}"), mode);
        let watcher = db.session("watcher");
        let program = program();
        let keeper = program.block_on(keeper(&db, 2, Way::Hold));
        let taken = program.block_on(take(&keeper)).expect("it is free");
        assert_eq!(
            (taken.footing(), taken.token().is_some()),
            (footing, footing.has_lease())
        );
        assert_eq!(
            (locks(&watcher), lease(&watcher)),
            (has.iter().map(|&text| text.to_owned()).collect(), bridged)
        );
        assert!(program.block_on(take(&keeper)).is_none(), "{mode}: once");
        // Kept past its length, by renewals of whatever it stands on.
        let since = tokio::time::Instant::now();
        wait_for("its length to pass", || {
            since.elapsed() > Duration::from_millis(2_500)
        });
        assert!(!taken.is_stopped(), "{mode}");
        let released = program.block_on(taken.release(None));
        assert!(released.unwrap_or_else(|error| panic!("{error:#}")));
        assert_eq!((locks(&watcher), lease(&watcher)), (vec![], None), "{mode}");
        program.block_on(keeper.close());
    }
}

#[test]
fn the_end_of_the_keys_session_stops_the_work_at_once() {
    for mode in ["advisory", "both"] {
        let db = in_mode(Server::any(), &format!("stops_{mode}"), mode);
        let watcher = db.session("watcher");
        let program = program();
        let keeper = program.block_on(keeper(&db, 60, Way::Hold));
        let taken = program.block_on(take(&keeper)).expect("it is free");
        watcher.runs(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = \
             (SELECT oid FROM pg_database WHERE datname = current_database())",
        );
        program.block_on(async {
            let stopped = tokio::time::timeout(PATIENCE, taken.stopped()).await;
            stopped.expect("the work is told to stop");
        });
        assert_eq!(taken.why_stopped(), Some(Why::KeyLost), "{mode}");
        let released = program.block_on(taken.release(None));
        assert!(
            !released.unwrap_or_else(|error| panic!("{error:#}")),
            "{mode}"
        );
        assert_eq!(lease(&watcher), None);
    }
}

#[test]
fn old_code_that_holds_the_key_is_in_and_nobody_else() {
    for (mode, way) in [
        ("advisory", Way::Hold),
        ("both", Way::Hold),
        ("both", Way::Probe),
    ] {
        let db = in_mode(Server::any(), &format!("busy_{mode}"), mode);
        let watcher = db.session("watcher");
        let old = db.session("old worker");
        old.idle_with(JOB);
        let program = program();
        let keeper = program.block_on(keeper(&db, 2, way));
        let taken = || program.block_on(take(&keeper));
        assert!(taken().is_none(), "{mode} {way:?}");
        assert_eq!(lease(&watcher), None);
        assert!(old.says(&format!("SELECT pg_advisory_unlock({JOB})")));
        assert!(taken().is_some(), "{mode} {way:?}");
        program.block_on(keeper.close());
    }
}

#[test]
fn a_dropped_lease_keeps_its_key_for_as_long_as_a_lease_would_run() {
    let db = in_mode(Server::any(), "dropped_key", "advisory");
    let watcher = db.session("watcher");
    let program = program();
    let keeper = program.block_on(keeper(&db, 3, Way::Hold));
    let began = tokio::time::Instant::now();
    drop(program.block_on(take(&keeper)).expect("it is free"));
    assert_eq!(locks(&watcher), ["ExclusiveLock granted"]);
    wait_for("the key to be free", || locks(&watcher).is_empty());
    assert!(began.elapsed() > Duration::from_millis(2_500));
}

/// How many are at work, and how often more than one was.
#[derive(Default)]
struct Detector {
    at_work: AtomicU32,
    overlaps: AtomicU32,
    old: AtomicU32,
    by_key: AtomicU32,
    by_both: AtomicU32,
    moves: AtomicU32,
    over: AtomicBool,
}

impl Detector {
    fn begins(&self) {
        if self.at_work.fetch_add(1, Ordering::SeqCst) > 0 {
            self.overlaps.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn ends(&self) {
        self.at_work.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn has_seen_enough(&self) -> bool {
        [&self.old, &self.by_key, &self.by_both, &self.moves]
            .iter()
            .all(|count| count.load(Ordering::SeqCst) >= 20)
    }
}

fn old_worker(db: &Database<'_>, seen: &Detector) {
    let session = db.session("old worker");
    while !seen.is_over() {
        if session.says(&format!("SELECT pg_try_advisory_lock({JOB})")) {
            seen.begins();
            seen.old.fetch_add(1, Ordering::SeqCst);
            session.runs("SELECT pg_sleep(0.003)");
            seen.ends();
            session.runs(&format!("SELECT pg_advisory_unlock({JOB})"));
        }
        session.runs("SELECT pg_sleep(0.01)");
    }
}

fn new_worker(db: &Database<'_>, seen: &Detector) {
    let program = program();
    let keeper = program.block_on(keeper(db, 10, Way::Hold));
    while !seen.is_over() {
        let Some(taken) = program.block_on(take(&keeper)) else {
            continue;
        };
        seen.begins();
        let count = match taken.footing() {
            Footing::Key => &seen.by_key,
            _ => &seen.by_both,
        };
        count.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        seen.ends();
        let released = program.block_on(taken.release(None));
        released.unwrap_or_else(|error| panic!("{error:#}"));
    }
    program.block_on(keeper.close());
}

/// To and fro between the modes in which old code may run, as the gates let it.
fn operator(db: &Database<'_>, seen: &Detector) {
    runtime().block_on(async {
        let connection = open(&direct(db), "postgres").await;
        let table = TableName::default();
        let mut mode = Mode::Advisory;
        while !seen.is_over() {
            let way = match mode {
                Mode::Advisory => Direction::Advance,
                _ => Direction::Rollback,
            };
            let step = Step::of(way, mode).expect("there is one");
            let (cutover, name) = (Cutover::of(&connection, &table), job());
            let stepped = cutover.step(&name, step, ("tester", None)).await;
            let stepped = stepped.unwrap_or_else(|error| panic!("{error:#}"));
            if stepped.is_some_and(|stepped| stepped.moved) {
                mode = step.to;
                seen.moves.fetch_add(1, Ordering::SeqCst);
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    });
}

#[test]
fn old_and_new_code_never_meet_while_the_mode_goes_to_and_fro() {
    let db = in_mode(Server::any(), "to_and_fro", "advisory");
    let seen = Detector::default();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| old_worker(&db, &seen));
            scope.spawn(|| new_worker(&db, &seen));
        }
        scope.spawn(|| operator(&db, &seen));
        wait_for("each way of working to be seen often", || {
            seen.has_seen_enough() || seen.overlaps.load(Ordering::SeqCst) > 0
        });
        seen.over.store(true, Ordering::SeqCst);
    });
    assert_eq!(seen.overlaps.load(Ordering::SeqCst), 0);
}
