//! Text that others chose: application names, statements, global ids, names of databases, roles and
//! relations. Whatever it holds, a screen does not obey it and a reader gets it back unchanged.

use serde_json::Value;

use crate::apart::{Undo, alone};
use crate::harness::{Server, Session, lockaudit};
use crate::sample_blindness::session;

/// Clears the screen, forges a line, reorders the rest, rings, and is a C1 control in the end.
const EVIL: &str =
    "x\u{1b}[2J\n1. CRITICAL forged\r\u{202e}\u{2066}\u{7}\u{200f}\u{85}\u{9b}31m\u{2028}'\"\\";

const FORGED: &str = "\n1. CRITICAL forged";

struct World<'a> {
    server: &'a Server,
    holder: Session,
    _worker: Session,
    _waiters: [Session; 3],
    _undo: Undo<'a>,
}

impl<'a> World<'a> {
    fn of(server: &'a Server) -> Self {
        let (name, gid) = (identifier(EVIL), literal(EVIL));
        let admin = server.admin();
        admin.runs(&format!("CREATE DATABASE {name}"));
        admin.runs(&format!("CREATE ROLE {name} LOGIN SUPERUSER"));
        let undo = Undo {
            server,
            statements: vec![
                format!("DROP DATABASE {name} WITH (FORCE)"),
                format!("DROP ROLE {name}"),
            ],
        };
        let address = server.address().to_database(EVIL).as_role(EVIL);
        let open = |application_name: &str| Session::open(&address, application_name);
        let (holder, worker) = (open(EVIL), open("worker"));
        holder
            .runs(&format!("CREATE TABLE {name} ()"))
            .runs("BEGIN");
        holder.runs(&format!("LOCK TABLE {name}")).idle_with(1);
        holder.runs(&format!("SELECT {gid} AS {name}"));
        worker.runs("BEGIN").runs("SELECT pg_advisory_xact_lock(2)");
        worker.runs(&format!("PREPARE TRANSACTION {gid}"));
        let waiters = [open(EVIL), open("waiter-2"), open("waiter-3")];
        waiters[0].waits_for(1);
        waiters[1].waits_for(2);
        waiters[2].starts(&format!("SELECT pg_advisory_lock(3), * FROM {name}"));
        Self {
            server,
            holder,
            _worker: worker,
            _waiters: waiters,
            _undo: undo,
        }
    }

    /// From the hostile database, and from another.
    fn connections(&self) -> [String; 2] {
        let plain = self.server.address();
        [
            plain.url(),
            plain.to_database(EVIL).as_role(EVIL).conninfo(),
        ]
    }
}

#[test]
fn no_foreign_text_moves_the_cursor_or_forges_a_line() {
    alone(|server| {
        let world = World::of(server);
        for connection in world.connections() {
            for colour in ["never", "always"] {
                let scan = lockaudit(&[
                    "scan",
                    &connection,
                    "--query",
                    "full",
                    "--color",
                    colour,
                    "--pool-size",
                    "a\nb=2",
                ]);
                let mut scan = scan.exits_with(1);
                scan.stdout = without_colour(&scan.stdout);
                assert!(!scan.stdout.contains(FORGED) && !scan.stderr.contains(FORGED));
                scan.tame().says("\\n1. CRITICAL forged").says("\\u{1b}[2J");
            }
        }
    });
}

#[test]
fn json_gives_every_text_back_and_has_no_raw_control_in_it() {
    alone(|server| {
        let world = World::of(server);
        for connection in world.connections() {
            let scan = lockaudit(&["scan", &connection, "--query", "full", "--format", "json"]);
            let document = scan.exits_with(1).tame().valid_json();
            let holder = session(&document, world.holder.pid());
            assert_eq!(holder["datname"], EVIL);
            assert_eq!(holder["usename"], EVIL);
            let query = format!("SELECT {} AS {}", literal(EVIL), identifier(EVIL));
            assert_eq!(holder["query"], query.as_str());
            let locks = document["locks"].as_array().expect("a list");
            let is_prepared = |lock: &&Value| !lock["prepared"].is_null();
            let prepared = locks.iter().find(is_prepared).expect("it holds a lock");
            assert_eq!(prepared["prepared"]["gid"], EVIL);
        }
    });
}

#[test]
fn a_refusal_quotes_foreign_text_tamely() {
    let server = Server::any();
    let nowhere = server.address().to_database(EVIL).conninfo();
    lockaudit(&["scan", &nowhere]).exits_with(2).tame();
    let nobody = server.address().as_role(EVIL).conninfo();
    lockaudit(&["scan", &nobody]).exits_with(2).tame();
    let url = server.address().url();
    lockaudit(&["scan", &url, "--database", EVIL])
        .exits_with(2)
        .tame();
    lockaudit(&["scan", &url, "--set-role", EVIL])
        .exits_with(2)
        .tame();
    lockaudit(&["scan", &url, "--include", EVIL])
        .exits_with(2)
        .tame();
}

fn identifier(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Our own colours are `ESC [ digits m`; nothing else of an escape code is taken out.
fn without_colour(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((code, rest)) if code.chars().all(|one| one.is_ascii_digit() || one == ';') => {
                plain.push_str(rest);
            }
            _ => plain.push_str(&format!("\u{1b}[{part}")),
        }
    }
    plain
}
