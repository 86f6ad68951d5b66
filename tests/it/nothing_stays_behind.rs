//! What is left of throwaway servers after their process was killed: nothing.
#![expect(
    clippy::disallowed_methods,
    reason = "a test starts itself again and tells it so by the environment"
)]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, thread};

use lockaudit::throwaway::{Account, Cluster, PrivateFolder, remove_leftovers};
use tempfile::TempDir;

use crate::harness::{Server, fast_options, is_alive, wait_for, wait_for_some};

const REPORT: &str = "LOCKAUDIT_TEST_REPORT";

#[test]
fn a_killed_process_leaves_neither_a_server_nor_its_files() {
    let told = TempDir::new().expect("a folder for the report");
    let report = told.path().join("report");
    let mut run = run_that_holds_a_server(&report);
    let (pid, folder) = wait_for_some("the other run's server", || read_report(&report));
    assert!(is_alive(&pid) && folder.exists());
    run.kill().expect("the other run is alive");
    run.wait().expect("the other run is our child");
    wait_for("the end of the orphaned server", || !is_alive(&pid));
    wait_for("the removal of its folder", || !folder.exists());
}

#[test]
#[ignore = "the other run of `a_killed_process_leaves_neither_a_server_nor_its_files`"]
fn holds_a_server_until_it_is_killed() {
    let Some(report) = env::var_os(REPORT).map(PathBuf::from) else {
        return;
    };
    let installation = Server::any().cluster().installation();
    let cluster = Cluster::start(installation, &fast_options()).expect("a server starts");
    let pid = cluster.pid().expect("it runs");
    let fresh = report.with_added_extension("new");
    fs::write(
        &fresh,
        format!("{pid} {}", cluster.socket_folder().display()),
    )
    .expect("a report");
    fs::rename(&fresh, &report).expect("a report");
    loop {
        thread::park();
    }
}

#[test]
fn a_dropped_server_is_gone_at_once() {
    let installation = Server::any().cluster().installation();
    let cluster = Cluster::start(installation, &fast_options()).expect("a server starts");
    let (pid, folder) = (
        cluster.pid().expect("it runs"),
        cluster.socket_folder().to_owned(),
    );
    drop(cluster);
    assert!(!is_alive(&pid.to_string()) && !folder.exists());
}

#[test]
fn a_sweep_removes_what_nobody_owns_and_stops_what_runs_from_there() {
    let folder = orphaned_folder();
    let mut left = program_naming(&folder.join("data"));
    let mut stranger = program_naming(Path::new("/elsewhere"));
    fs::write(folder.join("left.pid"), left.id().to_string()).expect("the folder is ours");
    fs::write(folder.join("reused.pid"), stranger.id().to_string()).expect("the folder is ours");
    File::create(folder.join("owner")).expect("the folder is ours");
    remove_leftovers().expect("the sweep works");
    wait_for("the removal of the folder", || !folder.exists());
    wait_for("the end of what ran from it", || {
        left.try_wait().is_ok_and(|end| end.is_some())
    });
    assert!(stranger.try_wait().is_ok_and(|end| end.is_none()));
    stranger
        .kill()
        .and_then(|()| stranger.wait())
        .expect("the stranger is our child");
}

#[test]
fn a_sweep_leaves_alone_what_has_an_owner() {
    let folder =
        PrivateFolder::create(Account::for_servers().expect("there is one")).expect("a folder");
    remove_leftovers().expect("the sweep works");
    assert!(folder.path().exists());
}

/// Whoever can enter can be any role, without a password.
#[test]
fn nobody_else_can_enter_a_private_folder() {
    let folder =
        PrivateFolder::create(Account::for_servers().expect("there is one")).expect("a folder");
    let mode = fs::metadata(folder.path())
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

fn run_that_holds_a_server(report: &Path) -> Child {
    Command::new(env::current_exe().expect("this test binary"))
        .args([
            "--ignored",
            "--exact",
            "nothing_stays_behind::holds_a_server_until_it_is_killed",
        ])
        .env(REPORT, report)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this test binary starts again")
}

fn read_report(report: &Path) -> Option<(String, PathBuf)> {
    let content = fs::read_to_string(report).ok()?;
    let (pid, folder) = content.split_once(' ')?;
    Some((pid.to_owned(), PathBuf::from(folder)))
}

fn orphaned_folder() -> PathBuf {
    let made = tempfile::Builder::new()
        .prefix("lockaudit-")
        .tempdir_in("/tmp");
    made.expect("a folder below /tmp").keep()
}

/// Waits for a line that nobody sends, as deaf to polite signals as some PgBouncers, with `path` on its command line.
fn program_naming(path: &Path) -> Child {
    Command::new("sh")
        .args(["-c", "trap '' QUIT TERM; read -r line", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("`sh` starts")
}
