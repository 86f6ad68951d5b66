//! Snapshots as files: what a file says is what the server said, however it was written; and a file
//! that is not whole, not ours or not sane is refused with the line.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::harness::{Database, Lockaudit, Server, installations, lockaudit};

/// Holders and waiters of every kind, so that a difference would show.
fn planted<'a>(server: &'a Server) -> (Database<'a>, Vec<crate::harness::Session>) {
    let db = server.database("saved");
    let names = ["idle", "pair", "open", "waiter", "prepares", "reader"];
    let sessions: Vec<_> = names.iter().map(|name| db.session(name)).collect();
    sessions[0].idle_with(-8_046_644_073_709_551_615);
    sessions[1].idle_with_pair(-7, -42);
    sessions[2].in_transaction_with(555);
    sessions[3].waits_for(555);
    let gid = format!("order \"17\", é, {}", db.name());
    sessions[4].prepared_with(444, &gid);
    sessions[5].idle_sharing(333);
    (db, sessions)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

/// What does not depend on the moment of the look: rules, certainty, whom and which.
fn gist(arguments: &[&str]) -> Vec<String> {
    let document = lockaudit(arguments).exits_with(1).json();
    let findings = document["findings"].as_array().expect("a list of findings");
    let text = |finding: &serde_json::Value, field: &str| finding[field].to_string();
    findings
        .iter()
        .map(|finding| {
            let fields = ["rule", "severity", "certainty", "pids", "keys", "harms"];
            fields.map(|field| text(finding, field)).join(" ")
        })
        .collect()
}

fn psql() -> Option<PathBuf> {
    installations()
        .find(|found| found.has_clients())
        .map(|found| found.program("psql"))
}

#[test]
fn a_saved_snapshot_says_what_the_server_said() {
    Server::each(|server| {
        let (db, _sessions) = planted(server);
        let folder = folder();
        let file = folder.path().join("snapshot.json");
        let file = file.to_str().expect("ASCII");
        let limited = [
            "--database",
            db.name(),
            "--exclude",
            "connection-slots",
            "-f",
            "json",
        ];
        let live = gist(&[&["scan", &db.url(), "--save", file][..], &limited].concat());
        assert_eq!(
            live,
            gist(&[&["scan", "--input", file][..], &limited].concat())
        );
        let mode = fs::metadata(file)
            .expect("it was written")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    });
}

#[test]
fn the_rows_that_psql_fetched_say_the_same() {
    let psql = psql().expect("`make test` gets a PostgreSQL with its clients");
    Server::each(|server| {
        let (db, _sessions) = planted(server);
        let script = lockaudit(&["scan", "--print-sql"]).succeeds().stdout;
        let folder = folder();
        let (sql, csv) = (
            folder.path().join("rows.sql"),
            folder.path().join("rows.csv"),
        );
        fs::write(&sql, script).expect("the script can be written");
        let rows = Command::new(&psql)
            .args(["-X", "--csv", "-v", "ON_ERROR_STOP=1", "-f"])
            .args([sql.as_os_str(), db.url().as_ref()])
            .stdin(Stdio::null())
            .output()
            .expect("psql runs");
        assert!(
            rows.status.success(),
            "{}",
            String::from_utf8_lossy(&rows.stderr)
        );
        fs::write(&csv, rows.stdout).expect("the rows can be written");
        let limited = [
            "--database",
            db.name(),
            "--exclude",
            "connection-slots",
            "-f",
            "json",
        ];
        let live = gist(&[&["scan", &db.url()][..], &limited].concat());
        let csv = csv.to_str().expect("ASCII");
        assert_eq!(
            live,
            gist(&[&["scan", "--input", csv][..], &limited].concat())
        );
    });
}

#[test]
fn query_texts_can_be_kept_out_of_a_file() {
    let db = Server::any().database("texts");
    let holder = db.session("holder");
    holder.idle_with(7).runs("SELECT 'a secret'");
    let folder = folder();
    let file = folder.path().join("snapshot.json");
    let name = file.to_str().expect("ASCII");
    lockaudit(&[
        "scan",
        &db.url(),
        "--save",
        name,
        "--query",
        "none",
        "--fail-on",
        "critical",
    ]);
    let kept = fs::read_to_string(&file).expect("it was written");
    assert!(!kept.contains("a secret"));
    lockaudit(&["scan", &db.url(), "--save", name, "--fail-on", "critical"]);
    let kept = fs::read_to_string(&file).expect("it was written");
    assert!(kept.contains("a secret"));
}

#[test]
fn several_samples_prove_a_scope_that_one_can_not() {
    let db = Server::any().database("samples");
    let holder = db.session("holder");
    holder.idle_with(7).runs("BEGIN").runs("SELECT 1");
    let scope = |arguments: &[&str]| {
        let document = lockaudit(arguments).json();
        let lock = document["locks"][0].clone();
        (lock["scope"].to_string(), lock["scope_basis"].to_string())
    };
    let url = db.url();
    let once = scope(&["scan", &url, "--database", db.name(), "-f", "json"]);
    assert_eq!(once, ("\"unknown\"".to_owned(), "\"none\"".to_owned()));
    let folder = folder();
    let before = folder.path().join("before.json");
    let name = before.to_str().expect("ASCII");
    holder.runs("COMMIT");
    lockaudit(&["scan", &url, "--save", name]);
    holder.runs("BEGIN").runs("SELECT 1");
    let after = folder.path().join("after.json");
    lockaudit(&["scan", &url, "--save", after.to_str().expect("ASCII")]);
    let both = joined(&before, &after);
    let twice = scope(&[
        "scan",
        "--input",
        &both,
        "--database",
        db.name(),
        "-f",
        "json",
    ]);
    assert_eq!(
        twice,
        (
            "\"session\"".to_owned(),
            "\"survived_transaction\"".to_owned()
        )
    );
}

/// One file with the samples of two.
fn joined(before: &PathBuf, after: &PathBuf) -> String {
    let read = |file: &PathBuf| -> serde_json::Value {
        let text = fs::read_to_string(file).expect("it was written");
        serde_json::from_str(&text).expect("it is JSON")
    };
    let mut both = read(before);
    let later = read(after)["samples"][0].clone();
    both["samples"].as_array_mut().expect("a list").push(later);
    fs::write(before, both.to_string()).expect("it can be written");
    before.to_str().expect("ASCII").to_owned()
}

fn complaint(input: impl Into<Vec<u8>>) -> String {
    let outcome = Lockaudit::new(&["scan", "--input", "-"]).stdin(input).run();
    outcome.exits_with(2).stderr
}

#[test]
fn a_file_that_is_not_ours_is_refused_by_what_it_is() {
    assert_eq!(
        complaint(""),
        "error: could not use -\n  the file is empty\n"
    );
    assert!(complaint("root:x:0:0\n").contains("(line 1 is neither)"));
    assert!(complaint("{\"schema_version\": 1}").contains("`scan --format json` is a result"));
    assert!(
        complaint("{\"lockaudit_snapshot\": 7}")
            .contains("format 7, and this lockaudit reads format 1")
    );
    assert!(complaint(b"\n\xff".to_vec()).contains("line 2 holds bytes that are no UTF-8"));
    assert!(complaint("kind,row\nlock,\"{}\"\n").contains("line 2: a row of kind `lock`"));
    let missing = lockaudit(&["scan", "--input", "/nonexistent/file"]).exits_with(2);
    missing.complains("could not read /nonexistent/file");
}

#[test]
fn a_file_that_was_cut_off_is_refused_with_the_line() {
    let db = Server::any().database("cut");
    let folder = folder();
    let file = folder.path().join("snapshot.json");
    lockaudit(&["scan", &db.url(), "--save", file.to_str().expect("ASCII")]);
    let whole = fs::read_to_string(&file).expect("it was written");
    let lines: Vec<&str> = whole.lines().collect();
    let half = &lines[..lines.len() / 2];
    let complaint = complaint(half.join("\n"));
    assert!(complaint.contains("damaged or cut off"), "{complaint}");
    let line = format!("at line {} ", half.len());
    assert!(complaint.contains(&line), "{complaint}");
}

#[test]
fn a_connection_beside_a_file_is_refused() {
    let outcome = lockaudit(&["scan", "--input", "file.json", "-h", "db1"]).exits_with(2);
    outcome.complains("leave the connection out");
}
