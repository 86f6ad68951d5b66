//! The same with faults: a killed fence, a server that goes down, workers that stand still.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use lockaudit::cutover::double_work::{Code, overlaps};
use lockaudit::fleet::{AtWork, Journal};
use lockaudit::keeper::{Keeper, Lease, Options};
use lockaudit::lease::Mode;
use lockaudit::pg::target::Target;
use lockaudit::throwaway::Shutdown;
use rustix::process::Signal;
use tokio::runtime::Builder;

use super::{Deploy, JOB, PODS, TURNS, its_turn, keeper};
use crate::harness::{Database, Lockaudit, Running, Server, fast_options, is_alive, wait_for};

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

/// `lease run` that is stopped can't stop its command: its guardian does, before the lease runs out. Its key stays with
/// its session, so old code stays out until the session ends, and new code comes in when the lease has run out.
#[test]
fn a_command_whose_lockaudit_is_stopped_ends_before_anybody_else_begins() {
    let db = Server::any().database("stopped");
    let mut deploy = Deploy::of_a_name(&db);
    deploy.goes_to(Mode::Both);
    let url = db.url();
    let words = ["lease", "run", JOB, "--ttl", "6s", "-d", &url, "--"];
    let command = ["sh", "-c", "echo at work: $$; exec sleep 600"];
    let run = Lockaudit::new(&[&words[..], &command].concat()).start();
    let command = run.waits_for_the_line("at work: ");
    let journal = deploy.fleet.journal().clone();
    let at_work = journal.begins(u32::MAX, Code::New);
    run.signal(Signal::STOP);
    deploy.start(Code::Old, PODS);
    deploy.start(Code::New, PODS);
    wait_for("the command to end", || !is_alive(&command));
    drop(at_work);
    let wanted = journal.count(Code::New) + TURNS;
    wait_for("others to work under the lease that ran out", || {
        journal.count(Code::New) >= wanted
    });
    assert_eq!(journal.count(Code::Old), 0, "its key keeps old code out");
    drop(run);
    deploy.takes_turns();
    assert_eq!(overlaps(&deploy.ends()), []);
}
