//! Holders that show little of themselves, and what a scan says about what it could not see.

use std::io::{Read, Write};
use std::net::TcpStream;

use lockaudit::throwaway::Cluster;
use serde_json::Value;

use crate::apart::{Undo, alone};
use crate::harness::{
    Address, Database, Outcome, Server, fast_options, installations, lockaudit, wait_for,
};

#[test]
fn a_holder_without_track_activities_is_named_and_likely_idle() {
    Server::each(|server| {
        let db = server.database("untracked");
        let admin = server.admin();
        admin.runs(&format!(
            "ALTER DATABASE {} SET track_activities = off",
            db.name()
        ));
        let (holder, busy) = (db.session("holder"), db.session("busy"));
        holder.idle_with(42);
        busy.in_transaction_with(43);
        let document = json(&db).exits_with(1).valid_json();
        assert!(has_spot(&document, "untracked-sessions"));
        assert_eq!(document["server"]["limits"]["track_activities"], false);
        let session = session(&document, holder.pid());
        assert_eq!(session["state"], "disabled");
        assert!(session["query_start"].is_null());
        let finding = finding(&document, "idle-holder");
        assert_eq!(finding["certainty"], "likely");
        assert_eq!(finding["pids"], serde_json::json!([holder.pid()]));
        let scan = lockaudit(&["scan", &db.url(), "--database", db.name()]);
        scan.says("hidden, no transaction")
            .says("hidden, in transaction");
    });
}

#[test]
fn one_role_without_track_activities_is_told_from_the_others() {
    let server = Server::any();
    let role = server.role("untracked");
    let db = server.database("untracked");
    let set = format!("ALTER ROLE {} SET track_activities = off", role.name());
    server.admin().runs(&set);
    let (hidden, seen) = (db.session_as(role.name(), "hidden"), db.session("seen"));
    hidden.idle_with(1);
    seen.idle_with(2);
    let document = json(&db).valid_json();
    assert_eq!(session(&document, hidden.pid())["state"], "disabled");
    assert_eq!(session(&document, seen.pid())["state"], "idle");
    lockaudit(&["scan", &db.url(), "--strict", "--database", db.name()]).exits_with(2);
}

#[test]
fn our_own_session_is_never_reported() {
    alone(|server| {
        let db = server.database("own");
        db.session("holder").runs("SELECT 1");
        let document = json(&db).exits_with(0).valid_json();
        let text = document["sessions"].to_string();
        assert!(!text.contains("\"lockaudit\""), "{text}");
        assert!(document["pools"].to_string().contains("harness"));
        assert!(!document["pools"].to_string().contains("\"lockaudit\""));
    });
}

#[test]
fn a_hot_standby_is_scanned_and_says_what_it_does_not_show() {
    let installation = installations().last().expect("there is a server");
    let mut primary = Cluster::start(installation, &fast_options()).expect("it starts");
    let standby = Server::around(primary.standby().expect("it follows"));
    let address = standby.address();
    let holder = crate::harness::Session::open(&address, "holder");
    holder.idle_with(42);
    let scan = lockaudit(&["scan", &address.url()]);
    scan.exits_with(1)
        .says(", standby;")
        .says("standby-lock")
        .tame();
    let scan = lockaudit(&["scan", &address.url(), "--format", "json"]);
    let document = scan.valid_json();
    assert_eq!(document["server"]["in_recovery"], true);
    assert!(has_spot(&document, "standby"));
    assert_eq!(document["locks"][0]["pid"], holder.pid());
    drop((holder, standby));
}

#[test]
fn a_walsender_that_holds_a_lock_is_named() {
    Server::each(|server| {
        let db = server.database("walsender");
        let mut walsender = Walsender::open(&db);
        walsender.asks("SELECT pg_advisory_lock(42)");
        let held = "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory'";
        let held = format!(
            "{held} AND database = (SELECT oid FROM pg_database WHERE datname = '{}')",
            db.name()
        );
        wait_for("the walsender's lock", || server.admin().says(&held));
        let document = json(&db).exits_with(0).valid_json();
        let pid = document["locks"][0]["pid"].as_i64().expect("a session");
        let session = session(&document, i32::try_from(pid).expect("a pid"));
        assert_eq!(session["backend_type"], "walsender");
        assert_eq!(finding(&document, "idle-holder")["pids"][0], pid);
    });
}

#[test]
fn names_that_are_not_ascii_are_shown_as_they_are() {
    alone(|server| {
        let admin = server.admin();
        admin
            .runs("CREATE DATABASE \"größe_日本\"")
            .runs("CREATE ROLE \"jürgen\" LOGIN");
        let _undo = Undo {
            server,
            statements: vec![
                "DROP DATABASE \"größe_日本\" WITH (FORCE)".to_owned(),
                "DROP ROLE \"jürgen\"".to_owned(),
            ],
        };
        let address = server.address().to_database("größe_日本").as_role("jürgen");
        let session = crate::harness::Session::open(&address, "λ");
        session.idle_with(1);
        let worker = crate::harness::Session::open(&address, "worker");
        worker.prepared_with(2, "überweisung-17");
        let conninfo = address.conninfo();
        let scan = lockaudit(&["scan", &conninfo, "--database", "größe_日本"]);
        scan.says("jürgen")
            .says("größe_日本")
            .says("'überweisung-17'");
    });
}

fn json(db: &Database<'_>) -> Outcome {
    lockaudit(&[
        "scan",
        &db.url(),
        "--database",
        db.name(),
        "--idle-after",
        "1h",
        "--format",
        "json",
    ])
}

pub fn has_spot(document: &Value, code: &str) -> bool {
    let spots = document["blind_spots"].as_array().expect("a list");
    spots.iter().any(|spot| spot["code"] == code)
}

pub fn session(document: &Value, pid: i32) -> &Value {
    let sessions = document["sessions"].as_array().expect("a list");
    let found = sessions.iter().find(|session| session["pid"] == pid);
    found.unwrap_or_else(|| panic!("no session {pid} in {document}"))
}

fn finding<'a>(document: &'a Value, rule: &str) -> &'a Value {
    let findings = document["findings"].as_array().expect("a list");
    let found = findings.iter().find(|finding| finding["rule"] == rule);
    found.unwrap_or_else(|| panic!("no {rule} in {document}"))
}

/// `replication=database`, which no ordinary client library offers: spoken by hand.
struct Walsender(TcpStream);

impl Walsender {
    fn open(db: &Database<'_>) -> Self {
        let address: Address = db.address().over_tcp();
        let url = address.url();
        let (_, rest) = url.split_once("127.0.0.1:").expect("a TCP address");
        let port: u16 = rest
            .split_once('/')
            .expect("a port")
            .0
            .parse()
            .expect("a number");
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        let name = db.name();
        let body = format!("user\0postgres\0database\0{name}\0replication\0database\0\0");
        let length = u32::try_from(body.len() + 8).expect("short");
        let head = [length.to_be_bytes(), 196_608_u32.to_be_bytes()].concat();
        stream
            .write_all(&[&head, body.as_bytes()].concat())
            .expect("it reads");
        let mut sender = Self(stream);
        sender.until_ready();
        sender
    }

    fn asks(&mut self, sql: &str) {
        let length = u32::try_from(sql.len() + 5).expect("short");
        let message = [b"Q", &length.to_be_bytes()[..], sql.as_bytes(), b"\0"].concat();
        self.0.write_all(&message).expect("it reads");
        self.until_ready();
    }

    fn until_ready(&mut self) {
        let mut head = [0; 5];
        while head[0] != b'Z' {
            self.0.read_exact(&mut head).expect("it answers");
            assert_ne!(head[0], b'E', "it refuses");
            let length = u32::from_be_bytes(head[1..].try_into().expect("four bytes"));
            let mut body = vec![0; length as usize - 4];
            self.0.read_exact(&mut body).expect("it answers");
        }
    }
}
