//! The lab: the incident and the way out of it happen, and nothing of them stays behind.

use std::fs;
use std::path::{Path, PathBuf};

use lockaudit::lab::SCENARIOS;

use crate::harness::{Lockaudit, Marks, PgBouncer, Pooling, Running, Server};
use crate::harness::{is_alive, lockaudit, wait_for_some};

/// Where private folders are made.
const ABOVE: [&str; 2] = ["/dev/shm", "/tmp"];

#[test]
fn the_pool_of_four_starves_and_is_freed_by_what_the_scan_advises() {
    let outcome = lockaudit(&["lab", "run", "pool-of-four"])
        .succeeds()
        .without_complaint();
    insta::assert_snapshot!(Marks::of(&outcome.stdout));
}

#[test]
fn a_lock_that_pgbouncer_strands_is_found_and_freed_by_what_the_scan_advises() {
    if !has_pgbouncer() {
        return;
    }
    lockaudit(&["lab", "run", "pooler-leak"])
        .succeeds()
        .without_complaint()
        .says("1. WARNING pooler-leak, likely")
        .says("--pgbouncer 'host=")
        .says("operator");
}

#[test]
fn two_clients_of_pgbouncer_own_one_lock_and_the_scan_through_it_says_so() {
    if !has_pgbouncer() {
        return;
    }
    lockaudit(&["lab", "run", "false-exclusion"])
        .succeeds()
        .without_complaint()
        .says("false-exclusion, certain");
}

#[test]
fn a_deploy_with_modes_does_no_double_work_and_the_naive_one_does() {
    let outcome = lockaudit(&["lab", "run", "cutover"])
        .succeeds()
        .without_complaint();
    let counts: Vec<u32> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split_once("; double work "))
        .filter_map(|(_, times)| times.split(' ').next()?.parse().ok())
        .collect();
    let (last, before) = counts.split_last().expect("it counts");
    let naive = before.last().expect("it compares");
    assert!(*naive > 0 && *last == 0, "{outcome}");
    outcome
        .says("lockaudit migrate advance nightly-report")
        .says("old code was met 0 times");
}

#[test]
fn ctrl_c_ends_the_pods_and_the_fence_of_a_cutover() {
    let run = Lockaudit::new(&["lab", "run", "cutover"]).start();
    run.waits_until_it_says("all is held: 1 key");
    let folder = folder_of(&run);
    let server = server_in(&folder);
    run.interrupt();
    run.finish().exits_with(130).without_complaint();
    assert!(!folder.exists());
    assert!(!is_alive(&server));
}

#[test]
fn ctrl_c_leaves_no_server_and_no_folder() {
    let run = Lockaudit::new(&["lab", "run", "pool-of-four"]).start();
    // A second passes between this line and the next one.
    run.waits_until_it_says("Nobody will ever give a connection back");
    let folder = folder_of(&run);
    let server = server_in(&folder);
    run.interrupt();
    run.finish().exits_with(130).without_complaint();
    assert!(!folder.exists());
    assert!(!is_alive(&server));
}

#[test]
fn ctrl_c_while_the_server_starts_leaves_nothing_either() {
    let run = Lockaudit::new(&["lab", "run", "pool-of-four"]).start();
    let folder = wait_for_some("the folder of the run", || find_folder(&run));
    run.interrupt();
    run.finish().exits_with(130);
    assert!(!folder.exists());
}

#[test]
fn a_kept_incident_can_be_scanned_until_ctrl_c() {
    let run = Lockaudit::new(&["lab", "run", "pool-of-four", "--keep"]).start();
    run.waits_until_it_says("\n  psql 'host=");
    let folder = folder_of(&run);
    let connection = format!("host={} user=postgres dbname=app", folder.display());
    lockaudit(&["scan", "--pool-size", "web-node-a=4", &connection])
        .exits_with(1)
        .says("starved-pool, certain");
    run.interrupt();
    run.finish()
        .succeeds()
        .without_complaint()
        .keeps_quiet_about("The way out");
    assert!(!folder.exists());
}

#[test]
fn an_unknown_scenario_is_answered_by_those_there_are() {
    let outcome = lockaudit(&["lab", "run", "pool-of-five"]).exits_with(2);
    assert_eq!(
        outcome.stderr,
        "error: there is no scenario `pool-of-five`; there is `pool-of-four`, `pooler-leak`, `false-exclusion`, `cutover`\n"
    );
    assert_eq!(outcome.stdout, "");
}

#[test]
fn every_scenario_is_listed_with_its_summary() {
    let mut outcome = lockaudit(&["lab", "list"]).succeeds();
    for scenario in SCENARIOS {
        outcome = outcome.says(scenario.name).says(scenario.summary);
    }
}

/// Where PgBouncer is not installed, the harness says so, or fails where it is required.
fn has_pgbouncer() -> bool {
    PgBouncer::in_front_of(Server::any(), &Pooling::by_session(1)).is_some()
}

#[track_caller]
fn folder_of(run: &Running) -> PathBuf {
    find_folder(run).expect("the run has a folder")
}

/// The run's pid is in the folder's name.
fn find_folder(run: &Running) -> Option<PathBuf> {
    let prefix = format!("lockaudit-{}-", run.pid());
    let entries = ABOVE
        .into_iter()
        .filter_map(|above| fs::read_dir(above).ok());
    entries
        .flat_map(|entries| entries.flatten())
        .find(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
}

fn server_in(folder: &Path) -> String {
    let pid_file = fs::read_to_string(folder.join("data/postmaster.pid"));
    let pid_file = pid_file.expect("the server of the run is up");
    pid_file.lines().next().expect("a pid").to_owned()
}
