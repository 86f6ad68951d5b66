//! Texts in encodings that the scanning session does not share: none of them fails a scan.

use serde_json::Value;

use crate::apart::{Undo, alone};
use crate::harness::{Address, PgBouncer, Pooling, Server, Session, lockaudit};
use crate::sample_blindness::{has_spot, session};

/// A database of each encoding, with a session whose last statement holds a byte that is no UTF-8.
struct World<'a> {
    latin1: Session,
    raw: Session,
    addresses: [(&'static str, Address); 4],
    _undo: Undo<'a>,
}

const DATABASES: [&str; 4] = ["UTF8", "LATIN1", "SQL_ASCII", "EUC_JP"];

impl<'a> World<'a> {
    fn of(server: &'a Server) -> Self {
        let admin = server.admin();
        let name = |encoding: &str| format!("in_{}", encoding.to_lowercase());
        for encoding in DATABASES {
            admin.runs(&format!(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'",
                name(encoding)
            ));
        }
        let statements = DATABASES
            .map(|encoding| format!("DROP DATABASE {} WITH (FORCE)", name(encoding)))
            .to_vec();
        let undo = Undo { server, statements };
        let at = |encoding: &str| server.address().to_database(&name(encoding));
        let latin1 = Session::open(&at("LATIN1"), "in latin1");
        latin1.idle_with(1).runs("SELECT 'é' AS latin1");
        let raw = Session::open(&at("SQL_ASCII"), "raw");
        raw.idle_with(2);
        Self {
            latin1,
            raw,
            addresses: DATABASES.map(|encoding| (encoding, at(encoding))),
            _undo: undo,
        }
    }

    fn scan(&self, encoding: &str) -> Value {
        let (_, address) = self
            .addresses
            .iter()
            .find(|(known, _)| *known == encoding)
            .expect("one of the four");
        let url = address.url();
        let arguments = [
            "scan",
            &url,
            "--query",
            "full",
            "--format",
            "json",
            "--include",
            "standby-lock",
        ];
        lockaudit(&arguments)
            .exits_with(0)
            .without_complaint()
            .tame()
            .valid_json()
    }
}

#[test]
fn a_byte_that_is_no_utf8_is_shown_as_such() {
    alone(|server| {
        let world = World::of(server);
        let document = world.scan("UTF8");
        let query = &session(&document, world.latin1.pid())["query"];
        assert_eq!(query, "SELECT '\u{fffd}' AS latin1");
        assert!(!has_spot(&document, "foreign-text"));
    });
}

#[test]
fn texts_that_a_server_cannot_convert_are_taken_as_they_are_stored() {
    alone(|server| {
        let world = World::of(server);
        for encoding in ["SQL_ASCII", "EUC_JP"] {
            let document = world.scan(encoding);
            assert!(has_spot(&document, "foreign-text"), "{encoding}");
            let query = &session(&document, world.latin1.pid())["query"];
            assert_eq!(query, "SELECT '\u{fffd}' AS latin1", "{encoding}");
            for (session, database) in [(&world.latin1, "in_latin1"), (&world.raw, "in_sql_ascii")]
            {
                let locks = document["locks"].as_array().expect("a list");
                let lock = locks.iter().find(|lock| lock["pid"] == session.pid());
                let lock = lock.expect("its lock was read");
                assert_eq!(
                    lock["datname"], database,
                    "{encoding}: names are known all the same"
                );
            }
        }
    });
}

#[test]
fn through_a_pooler_texts_that_a_server_cannot_convert_are_left_out() {
    alone(|server| {
        let world = World::of(server);
        for pooling in [Pooling::by_transaction(1), Pooling::by_statement(1)] {
            let Some(pooler) = PgBouncer::in_front_of(server, &pooling) else {
                return;
            };
            let url = pooler.database_url("in_euc_jp");
            // The first scan opens the connection that the second is lent.
            let look = [
                "scan",
                &url,
                "--format",
                "json",
                "--include",
                "standby-lock",
            ];
            lockaudit(&look).exits_with(0);
            let document = lockaudit(&look).exits_with(0).valid_json();
            assert!(has_spot(&document, "left-out-text"), "{document}");
            let session = session(&document, world.latin1.pid());
            assert!(session["query"].is_null(), "{session}");
            assert_eq!(session["datname"], "in_latin1");
        }
    });
}

#[test]
fn an_encoding_that_knows_every_byte_reads_its_own_sessions_well() {
    alone(|server| {
        let world = World::of(server);
        let document = world.scan("LATIN1");
        assert!(!has_spot(&document, "foreign-text"));
        let query = &session(&document, world.latin1.pid())["query"];
        assert_eq!(query, "SELECT 'é' AS latin1");
    });
}

#[test]
fn a_name_or_a_global_id_of_another_encoding_does_not_fail_a_scan() {
    alone(|server| {
        let world = World::of(server);
        let admin = server.admin();
        admin
            .runs("CREATE DATABASE \"größe\"")
            .runs("CREATE ROLE \"jürgen\" LOGIN");
        let _undo = Undo {
            server,
            statements: vec![
                "DROP DATABASE \"größe\" WITH (FORCE)".to_owned(),
                "DROP ROLE \"jürgen\"".to_owned(),
            ],
        };
        let there = server.address().to_database("größe").as_role("jürgen");
        let holder = Session::open(&there, "holder");
        holder.idle_with(7);
        let worker = Session::open(&there, "worker");
        worker.prepared_with(8, "überweisung");
        for encoding in DATABASES {
            let document = world.scan(encoding);
            let text = document.to_string();
            let native = matches!(encoding, "UTF8" | "SQL_ASCII" | "EUC_JP");
            for name in ["größe", "jürgen", "überweisung"] {
                assert_eq!(text.contains(name), native, "{name} from {encoding}");
            }
        }
    });
}
