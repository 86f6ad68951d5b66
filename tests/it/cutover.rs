//! A rolling deploy from advisory locks to leases, with faults: how often two workers are at the same job.
//!
//! Old code asks for the key, works, unlocks. New code does what the name's mode says. The journal counts pairs of
//! runs that overlap, by one clock; there must be none, but for what is said where it is allowed.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use lockaudit::cutover::double_work::{Code, Run, overlaps};
use lockaudit::cutover::seed::Seed;
use lockaudit::cutover::{Direction, Step};
use lockaudit::fleet::{AtWork, Fleet, Journal, old_key};
use lockaudit::keeper::{Keeper, Lease, Options};
use lockaudit::lease::{Mode, TableName};
use lockaudit::pg::connect::Connection;
use lockaudit::pg::cutover::{Cutover, Wish};
use lockaudit::pg::target::Target;
use lockaudit::throwaway::Shutdown;
use rustix::process::Signal;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::harness::{Database, Lockaudit, Running, Server, fast_options, lockaudit, wait_for};
use crate::lease_statements::direct;

const JOB: &str = "report";
/// Of each code, in a test's fleet.
const PODS: usize = 2;
const TURNS: usize = 5;

/// Old and new workers of one job, on a runtime of their own, and an operator beside them.
struct Deploy {
    runtime: Runtime,
    fleet: Fleet,
    target: Target,
}

impl Deploy {
    /// Nobody works yet.
    fn on(db: &Database<'_>) -> Self {
        let target = direct(db).user("postgres").0;
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build();
        Self {
            runtime: runtime.expect("a runtime starts"),
            fleet: Fleet::of(JOB, target.clone()),
            target,
        }
    }

    /// The name under its old key, in mode `advisory`.
    fn of_a_name(db: &Database<'_>) -> Self {
        let deploy = Self::on(db);
        deploy.operator(async |connection| {
            let seed = Seed {
                name: JOB.parse().expect("a name"),
                key: old_key(JOB),
            };
            let wish = Wish {
                seeds: &[seed],
                who: "tester",
                functions: false,
            };
            let table = TableName::default();
            let applied = Cutover::of(connection, &table).apply(wish).await;
            applied.unwrap_or_else(|error| panic!("{error:#}"));
        });
        deploy
    }

    fn operator<T>(&self, does: impl AsyncFnOnce(&Connection) -> T) -> T {
        self.runtime.block_on(async {
            let connection = open_at(&self.target).await;
            let done = does(&connection).await;
            connection.close().await;
            done
        })
    }

    /// Steps until the name is in this mode: gates of this moment are waited for, as an operator would.
    fn goes_to(&self, wanted: Mode) {
        wait_for(&format!("the name to be in {wanted:?}"), || {
            self.operator(async |connection| {
                let table = TableName::default();
                let cutover = Cutover::of(connection, &table);
                let name = JOB.parse().expect("a name");
                let positions = cutover.positions(Some(&name)).await;
                let positions = positions.unwrap_or_else(|error| panic!("{error:#}"));
                let mode = positions[0].mode;
                let Some(step) = towards(wanted, mode) else {
                    return true;
                };
                let stepped = cutover.step(&name, step, ("tester", None)).await;
                let stepped = stepped.unwrap_or_else(|error| panic!("{error:#}"));
                stepped.is_some_and(|stepped| stepped.moved && step.to == wanted)
            })
        });
    }

    /// Old code may start once every lease that somebody has is bridged.
    fn waits_until_bridged(&self, db: &Database<'_>) {
        let words = ["migrate", "status", "--wait-for", "both", "-d", &db.url()];
        lockaudit(&words).succeeds();
    }

    fn start(&mut self, code: Code, pods: usize) {
        for _ in 0..pods {
            let started = self.runtime.block_on(self.fleet.start(code));
            started.map_or_else(|error| panic!("{error:#}"), drop);
        }
    }

    /// All with other code end, one by one; between them all that are there have their turns.
    fn replace(&mut self, with: Code) {
        while self.fleet.codes().iter().any(|code| *code != with) {
            self.start(with, 1);
            self.takes_turns();
            let stopped = self.runtime.block_on(self.fleet.stop_one_without(with));
            stopped.map_or_else(|error| panic!("{error:#}"), drop);
        }
    }

    fn takes_turns(&self) {
        let journal = self.fleet.journal();
        for code in self.fleet.codes() {
            let wanted = journal.count(code) + TURNS;
            wait_for(&format!("turns of {code:?}"), || {
                journal.count(code) >= wanted
            });
        }
    }

    /// New code at work, in its turn, until it is told to stop.
    fn begins_a_run_without_end(&self) -> JoinHandle<()> {
        let journal = self.fleet.journal().clone();
        let (keeper, lease) = self.runtime.block_on(async {
            // It outlives the server's restart, and nobody can give it back meanwhile.
            let options = Options::with_ttl(Duration::from_secs(5)).expect("it can be kept");
            let keeper = keeper(&self.target, options).await;
            let lease = its_turn(&keeper).await;
            (keeper, lease)
        });
        let at_work = journal.begins(u32::MAX, Code::New);
        self.runtime.spawn(async move {
            lease.stopped().await;
            drop(at_work);
            keeper.close().await;
        })
    }

    /// Ends all workers; the runs of all times.
    fn ends(mut self) -> Vec<Run> {
        let stopped = self.runtime.block_on(self.fleet.stop());
        stopped.unwrap_or_else(|error| panic!("{error:#}"));
        self.fleet.journal().runs()
    }
}

fn towards(wanted: Mode, mode: Mode) -> Option<Step> {
    let place = |mode| match mode {
        Mode::Advisory => 0,
        Mode::Both => 1,
        Mode::Lease => 2,
    };
    match place(wanted) - place(mode) {
        0 => None,
        1.. => Step::of(Direction::Advance, mode),
        _ => Step::of(Direction::Rollback, mode),
    }
}

async fn keeper(target: &Target, options: Options) -> Keeper {
    let keeper = Keeper::connect_to(target.clone(), options).await;
    keeper.unwrap_or_else(|error| panic!("{error:#}"))
}

async fn its_turn(keeper: &Keeper) -> Lease {
    let name = JOB.parse().expect("a name");
    loop {
        let taken = keeper.take(&name, None).await;
        if let Some(lease) = taken.unwrap_or_else(|error| panic!("{error:#}")) {
            return lease;
        }
    }
}

async fn open_at(target: &Target) -> Connection {
    let connection = lockaudit::pg::connect::connect(target).await;
    connection.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_naive_deploy_does_double_work() {
    let db = Server::any().database("naive");
    lockaudit(&["lease", "init", "-d", &db.url()]).succeeds();
    let mut deploy = Deploy::on(&db);
    deploy.start(Code::Old, PODS);
    deploy.start(Code::New, PODS);
    let journal = deploy.fleet.journal().clone();
    wait_for("double work", || journal.double_work() > 0);
    assert!(!overlaps(&deploy.ends()).is_empty());
}

#[test]
fn a_deploy_forward_and_back_does_none_on_every_major() {
    Server::each(|server| {
        let db = server.database("forward_and_back");
        let mut deploy = Deploy::of_a_name(&db);
        deploy.start(Code::Old, PODS);
        deploy.replace(Code::New);
        deploy.goes_to(Mode::Both);
        deploy.takes_turns();
        deploy.goes_to(Mode::Lease);
        deploy.takes_turns();
        deploy.goes_to(Mode::Both);
        deploy.waits_until_bridged(&db);
        deploy.replace(Code::Old);
        deploy.goes_to(Mode::Advisory);
        deploy.takes_turns();
        assert_eq!(overlaps(&deploy.ends()), []);
    });
}

#[test]
fn an_operator_who_turns_back_in_the_middle_does_none() {
    let db = Server::any().database("turns_back");
    let mut deploy = Deploy::of_a_name(&db);
    deploy.start(Code::Old, PODS);
    deploy.start(Code::New, PODS);
    for _ in 0..3 {
        deploy.goes_to(Mode::Both);
        deploy.takes_turns();
        deploy.goes_to(Mode::Advisory);
        deploy.takes_turns();
    }
    assert_eq!(overlaps(&deploy.ends()), []);
}

/// The fence is no part of what keeps old and new code apart: without it, new code's own key does.
#[test]
fn a_fence_that_is_killed_lets_old_code_in_beside_nobody() {
    let db = Server::any().database("fence_killed");
    let mut deploy = Deploy::of_a_name(&db);
    deploy.goes_to(Mode::Both);
    deploy.start(Code::New, PODS);
    let fence = starts_a_fence(&db);
    deploy.start(Code::Old, PODS);
    let journal = deploy.fleet.journal().clone();
    let wanted = journal.count(Code::New) + TURNS;
    wait_for("turns behind the fence", || {
        journal.count(Code::New) >= wanted
    });
    assert_eq!(journal.count(Code::Old), 0, "behind the fence");
    fence.signal(Signal::KILL);
    deploy.takes_turns();
    assert_eq!(overlaps(&deploy.ends()), []);
}

fn starts_a_fence(db: &Database<'_>) -> Running {
    let words = ["migrate", "fence", "-d", &db.url(), "--every", "50ms"];
    let fence = Lockaudit::new(&words).start();
    fence.waits_until_it_says("all is held");
    fence
}

/// A server that goes down takes everybody's keys with it, old code's and new code's. Whoever is at work then may
/// run on until it notices that its socket is closed: at once where the machine closes it, as here, after
/// keepalives where a network swallows that. So only runs that were under way when the server went down may overlap
/// others; here they end before it is up again. No run that began on the new server may overlap another.
#[test]
fn a_restart_in_both_ends_the_work_of_both_before_anybody_begins_anew() {
    let installation = Server::any().cluster().installation();
    let server = Server::private(installation, fast_options());
    let db = server.database("restarted");
    let mut deploy = Deploy::of_a_name(&db);
    deploy.goes_to(Mode::Both);
    deploy.start(Code::Old, PODS);
    deploy.start(Code::New, PODS);
    deploy.takes_turns();
    // Its database goes with its server.
    std::mem::forget(db);
    let mut cluster = server.into_cluster();
    let long_run = deploy.begins_a_run_without_end();
    let down = cluster.stop(Shutdown::Immediate);
    down.unwrap_or_else(|error| panic!("{error:#}"));
    wait_for("the work under a closed socket to end", || {
        long_run.is_finished()
    });
    let up = cluster.restart(Shutdown::Immediate);
    up.unwrap_or_else(|error| panic!("{error:#}"));
    deploy.takes_turns();
    assert_eq!(overlaps(&deploy.ends()), []);
}

/// A worker whose whole process stands still renews nothing: its lease runs out and its key stays with its session,
/// so that old code stays out and new code comes in. While it is frozen it does nothing; thawed, it looks at the
/// clock before its next piece of work, finds that it was told to stop, and does no more. (Work that does
/// not look, or a machine that freezes between the look and the act, is what tokens are for.)
#[test]
fn a_worker_that_was_frozen_past_its_ttl_does_nothing_more() {
    let db = Server::any().database("frozen");
    let mut deploy = Deploy::of_a_name(&db);
    deploy.goes_to(Mode::Both);
    let (thaw, frozen) = Frozen::begin(&deploy.target, deploy.fleet.journal());
    deploy.start(Code::Old, PODS);
    deploy.start(Code::New, PODS);
    let journal = deploy.fleet.journal().clone();
    let wanted = journal.count(Code::New) + TURNS;
    wait_for("others to work under the lease that ran out", || {
        journal.count(Code::New) >= wanted
    });
    assert_eq!(journal.count(Code::Old), 0, "its key keeps old code out");
    thaw.send(()).expect("it is frozen");
    let stopped = frozen.join().expect("it does not panic");
    assert!(stopped, "it knows at once that it must not go on");
    deploy.takes_turns();
    assert_eq!(overlaps(&deploy.ends()), []);
}

/// A worker that stands still in the middle of its work, with all that belongs to its process.
struct Frozen {
    keeper: Keeper,
    lease: Lease,
}

impl Frozen {
    /// At work and then frozen when this comes back, until it is thawed; says whether it was told to stop.
    fn begin(target: &Target, journal: &Journal) -> (Sender<()>, thread::JoinHandle<bool>) {
        let (thaw, thawed) = channel();
        let (froze, is_frozen) = channel();
        let (target, journal) = (target.clone(), journal.clone());
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime starts");
            let (frozen, at_work) = runtime.block_on(Self::at_work(target, &journal));
            drop(at_work);
            froze.send(()).expect("the test waits");
            // Nothing of the runtime runs meanwhile: no renewal, no clock.
            thawed.recv().expect("it is thawed");
            let stopped = frozen.lease.is_stopped();
            runtime.block_on(frozen.keeper.close());
            stopped
        });
        is_frozen.recv().expect("it freezes");
        (thaw, thread)
    }

    async fn at_work(target: Target, journal: &Journal) -> (Self, AtWork) {
        let options = Options::with_ttl(Duration::from_secs(1)).expect("it can be kept");
        let keeper = keeper(&target, options).await;
        let lease = its_turn(&keeper).await;
        let at_work = journal.begins(u32::MAX, Code::New);
        (Self { keeper, lease }, at_work)
    }
}
