//! Where a result goes: a file that is written whole or not at all, a device, a pipe that closes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::harness::{Server, lockaudit};

#[test]
fn a_file_holds_what_stdout_would_have() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("result.json");
    let outcome = scan_to(&file);
    assert_eq!(outcome.stdout, "");
    let document = fs::read_to_string(&file).expect("it was written");
    crate::harness::conforms(&serde_json::from_str(&document).expect("JSON"));
    assert_eq!(entries(folder.path()), ["result.json"]);
}

#[test]
fn a_file_that_is_written_anew_keeps_its_permissions_and_its_owner() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("result.json");
    for mode in [0o600, 0o666, 0o640, 0o400] {
        fs::write(&file, "old").expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(mode)).expect("it is ours");
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&file, Some(12_345), Some(12_346)).expect("we are root");
        }
        let before = fs::metadata(&file).expect("it is there");
        scan_to(&file);
        let after = fs::metadata(&file).expect("it is there");
        assert_eq!(after.mode() & 0o7777, mode);
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert!(after.len() > 100);
        fs::remove_file(&file).expect("it is ours");
    }
}

#[test]
fn a_link_stays_a_link() {
    let folder = TempDir::new().expect("a folder");
    let (there, link) = (folder.path().join("there"), folder.path().join("link"));
    fs::create_dir(&there).expect("a folder");
    symlink("there/result.json", &link).expect("a link");
    for _ in ["to a file yet to be written", "to a file that is there"] {
        scan_to(&link);
        assert!(link.is_symlink());
        assert_eq!(entries(&there), ["result.json"]);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_the_old_one_stays() {
    let folder = TempDir::new().expect("a folder");
    let old = folder.path().join("old.json");
    fs::write(&old, "old").expect("a file");
    for (place, why) in [
        (folder.path().join("no/such/folder.json"), "No such file"),
        (old.join("below-a-file.json"), "Not a directory"),
        (folder.path().to_owned(), "Is a directory"),
        ("/dev/full".into(), "No space left"),
    ] {
        let name = place.display().to_string();
        lockaudit(&["scan", &url(), "-o", &name])
            .exits_with(2)
            .complains(&format!("error: could not write {name}\n"))
            .complains(why);
    }
    let full = shell(
        "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"",
        &[
            "scan",
            &url(),
            "-f",
            "json",
            "-o",
            &old.display().to_string(),
        ],
    );
    assert_eq!(full.status.code(), Some(2), "{full:?}");
    let said = String::from_utf8_lossy(&full.stderr).into_owned();
    assert!(
        said.contains("old.json") && said.contains("File too large"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&old).expect("it is there"), "old");
    assert_eq!(entries(folder.path()), ["old.json"]);
}

#[test]
fn a_folder_that_takes_no_files_leaves_the_old_one() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let old = folder.path().join("old.json");
    fs::write(&old, "old").expect("a file");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).expect("it is ours");
    lockaudit(&["scan", &url(), "-o", &old.display().to_string()])
        .exits_with(2)
        .complains("old.json");
    assert_eq!(fs::read_to_string(&old).expect("it is there"), "old");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn devices_are_written_to_and_stay_devices() {
    for device in ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1"] {
        lockaudit(&["scan", &url(), "--include", "standby-lock", "-o", device]).exits_with(0);
    }
    let null = fs::metadata("/dev/null").expect("it is there");
    assert!(!null.is_file());
    let through = lockaudit(&["scan", &url(), "-o", "/dev/stdout", "-f", "json"]);
    through.valid_json();
}

#[test]
fn a_full_disk_behind_stdout_is_an_error() {
    let full = shell("exec \"$0\" \"$@\" > /dev/full", &["scan", &url()]);
    assert_eq!(full.status.code(), Some(2));
    let said = String::from_utf8_lossy(&full.stderr).into_owned();
    assert!(
        said.contains("could not write to stdout") && said.contains("No space left"),
        "{said}"
    );
}

#[test]
fn a_reader_that_goes_away_ends_a_run_quietly() {
    let server = Server::any();
    let db = server.database("closed_pipe");
    let holder = db.session("holder");
    holder.runs("SELECT pg_advisory_lock(n) FROM generate_series(1, 2000) n");
    for format in ["table", "json"] {
        let arguments = ["scan", &db.url(), "--query", "full", "-f", format];
        let script = "{ \"$0\" \"$@\"; echo \"status $?\" >&2; } | head -n 1";
        let cut = shell(script, &arguments);
        let said = String::from_utf8_lossy(&cut.stderr).into_owned();
        assert!(
            said == "status 0\n" || said == "status 1\n",
            "{format}: {said}"
        );
        let first = String::from_utf8_lossy(&cut.stdout).into_owned();
        assert_eq!(first.lines().count(), 1);
    }
    for arguments in [["schema"], ["explain"], ["--help"]] {
        let cut = shell("\"$0\" \"$@\" | true", &arguments);
        assert_eq!(String::from_utf8_lossy(&cut.stderr), "");
    }
}

#[track_caller]
fn scan_to(file: &Path) -> crate::harness::Outcome {
    let file = file.display().to_string();
    let scan = [
        "scan",
        &url(),
        "--include",
        "standby-lock",
        "-f",
        "json",
        "-o",
        &file,
    ];
    lockaudit(&scan).exits_with(0).without_complaint()
}

fn url() -> String {
    Server::any().address().url()
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

/// `"$0"` is lockaudit and `"$@"` its arguments, in an environment with nothing of ours in it.
fn shell(script: &str, arguments: &[&str]) -> Output {
    Command::new("/bin/sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_lockaudit")])
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("a shell runs")
}
