//! A rolling deploy from advisory locks to leases: how often two workers are at the same job.
//!
//! Old code asks for the key, works, unlocks. New code does what the name's mode says. The journal counts pairs of
//! runs that overlap, by one clock; there must be none, but for what is said where it is allowed.

mod faults;

use std::time::Duration;

use lockaudit::cutover::double_work::{Code, Run, overlaps};
use lockaudit::cutover::seed::Seed;
use lockaudit::cutover::{Direction, Step};
use lockaudit::fleet::{Fleet, old_key};
use lockaudit::keeper::{Keeper, Lease, Options};
use lockaudit::lease::{Mode, TableName};
use lockaudit::pg::connect::Connection;
use lockaudit::pg::cutover::{Cutover, Wish};
use lockaudit::pg::target::Target;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::harness::{Database, Server, lockaudit, wait_for};
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
