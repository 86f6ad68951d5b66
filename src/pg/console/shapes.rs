//! Answers in the shape of each version, by which decoding is tested; 1.18 is asked live as well.
//!
//! The files are written after the columns and the words of each version's console, not copied from one: the
//! rows tell one and the same story, so that every version must be read as the same values.

use super::answer::Answer;
use super::decode::{Answers, pooler};
use crate::snapshot::{PoolMode, Pooler};

const SHAPES: [(&str, &str); 8] = [
    ("1.18.0", include_str!("shapes/1.18.txt")),
    ("1.19.1", include_str!("shapes/1.19.txt")),
    ("1.20.1", include_str!("shapes/1.20.txt")),
    ("1.21.0", include_str!("shapes/1.21.txt")),
    ("1.22.1", include_str!("shapes/1.22.txt")),
    ("1.23.1", include_str!("shapes/1.23.txt")),
    ("1.24.1", include_str!("shapes/1.24.txt")),
    ("1.25.2", include_str!("shapes/1.25.txt")),
];

/// The sections of a file: a line with the command, one with the columns, then the rows.
fn answers(text: &str) -> Answers {
    let cells = |line: &str| line.split('|').map(str::to_owned).collect::<Vec<_>>();
    let answer = |command: &'static str| {
        let heading = format!("# {command}\n");
        let (_, rest) = text.split_once(&heading).expect("each command is there");
        let section = rest.split("# SHOW").next().expect("a first part");
        let mut lines = section.lines();
        Answer {
            command,
            columns: lines.next().map(cells).unwrap_or_default(),
            rows: lines
                .map(|line| cells(line).into_iter().map(Some).collect())
                .collect(),
        }
    };
    Answers {
        version: answer("SHOW VERSION"),
        servers: answer("SHOW SERVERS"),
        clients: answer("SHOW CLIENTS"),
        pools: answer("SHOW POOLS"),
        databases: answer("SHOW DATABASES"),
        users: answer("SHOW USERS"),
        config: answer("SHOW CONFIG"),
    }
}

fn read(text: &str) -> Pooler {
    pooler(&answers(text)).expect("every version is read")
}

#[test]
fn every_version_is_read_as_the_same_connections() {
    for (version, text) in SHAPES {
        let seen = read(text);
        assert_eq!(seen.version, format!("PgBouncer {version}"));
        let [lent, free, unix] = &seen.servers[..] else {
            panic!("three servers in {version}");
        };
        let end = lent
            .local
            .map(|(address, port)| (address.to_string(), port));
        assert_eq!(end, Some(("127.0.0.1".to_owned(), 42176)), "{version}");
        assert_eq!(lent.remote_pid, Some(28908), "{version}");
        assert_eq!((lent.alias.as_str(), lent.user.as_str()), ("shop", "app"));
        let borrower = seen.borrower(lent).expect("it is lent");
        assert_eq!(borrower.application_name.as_deref(), Some("clientA"));
        assert_eq!(
            (borrower.addr.as_str(), borrower.port),
            ("127.0.0.1", Some(46454))
        );
        assert_eq!(seen.borrower(free), None, "{version}");
        assert_eq!(free.link, None, "{version}");
        assert_eq!(unix.local, None, "{version}: a Unix socket has no port");
        let client = seen.borrower(unix).expect("it is lent");
        assert_eq!(
            (client.addr.as_str(), client.remote_pid),
            ("unix", Some(28003))
        );
    }
}

#[test]
fn every_version_is_read_as_the_same_pools_and_settings() {
    for (version, text) in SHAPES {
        let seen = read(text);
        let shop = seen.alias("shop").expect("it is there");
        assert_eq!(
            (shop.database.as_str(), shop.reserve_pool),
            ("orders", 1),
            "{version}"
        );
        assert_eq!(shop.force_user.as_deref(), Some("app"), "{version}");
        assert_eq!(shop.most_connections, Some(50), "{version}");
        assert_eq!(
            (shop.paused, seen.alias("sock").map(|it| it.paused)),
            (false, Some(true))
        );
        let queue = seen.queue("shop", "app").expect("it is there");
        assert_eq!(
            (queue.clients_waiting, queue.servers, queue.servers_active),
            (1, 2, 1)
        );
        assert_eq!(queue.longest_wait.as_millis(), 3250, "{version}");
        assert_eq!(seen.mode("shop", "app"), PoolMode::Transaction, "{version}");
        assert_eq!(seen.mode("sock", "app"), PoolMode::Session, "{version}");
        assert_eq!(seen.settings.reset_unlocks(), Some(true), "{version}");
        assert_eq!(
            seen.settings.server_reset_query_always,
            Some(false),
            "{version}"
        );
        let by_user = seen.users.iter().find(|user| user.name == "app");
        let limit = by_user.and_then(|user| user.most_connections);
        let since_1_23 = matches!(&version[..4], "1.23" | "1.24" | "1.25");
        assert_eq!(limit, since_1_23.then_some(30), "{version}");
    }
}

#[test]
fn an_id_tells_connections_apart_where_there_is_one_and_their_beginning_elsewhere() {
    for (version, text) in SHAPES {
        let identity = read(text).servers[0].identity.clone();
        let since_1_24 = matches!(&version[..4], "1.24" | "1.25");
        assert_eq!(identity.id.is_some(), since_1_24, "{version}");
        assert_eq!(
            identity.connect_time.as_deref(),
            Some("2026-11-30 14:26:37 UTC")
        );
    }
}

/// 1.15 had neither modes of pools nor counts of cancelled requests, and no application names.
#[test]
fn columns_that_an_older_version_lacks_are_not_needed() {
    let mut old = answers(SHAPES[0].1);
    for answer in [&mut old.servers, &mut old.clients, &mut old.pools] {
        for column in &mut answer.columns {
            if ["application_name", "pool_mode", "sv_being_canceled"].contains(&column.as_str()) {
                *column = "?".to_owned();
            }
        }
    }
    let seen = pooler(&old).expect("it is read");
    assert_eq!(seen.servers[0].application_name, None);
    assert_eq!(seen.queues[1].mode, PoolMode::Unknown);
    assert_eq!(
        seen.mode("shop", "app"),
        PoolMode::Transaction,
        "by the setting"
    );
}

#[test]
fn a_column_that_all_have_is_missed_by_its_name() {
    let mut strange = answers(SHAPES[0].1);
    for column in &mut strange.servers.columns {
        if column == "link" {
            *column = "lien".to_owned();
        }
    }
    let error = pooler(&strange).expect_err("it is no PgBouncer");
    assert_eq!(error.to_string(), "SHOW SERVERS has no column `link`");
}

#[test]
fn a_replication_connection_is_known_where_the_version_tells() {
    let mut new = answers(SHAPES[7].1);
    assert!(!read(SHAPES[7].1).servers[0].replicates);
    for row in &mut new.servers.rows {
        row[3] = Some("physical".to_owned());
    }
    let seen = pooler(&new).expect("it is read");
    assert!(seen.servers[0].replicates);
}

/// Odyssey has 0 in place of a process id; another pooler behind this one has some number.
#[test]
fn a_process_id_that_is_none_is_not_known() {
    let mut other = answers(SHAPES[0].1);
    let at = other
        .servers
        .columns
        .iter()
        .position(|it| it == "remote_pid");
    let at = at.expect("it is there");
    for (row, pid) in other
        .servers
        .rows
        .iter_mut()
        .zip(["0", "-725172253", "9999999999"])
    {
        row[at] = Some(pid.to_owned());
    }
    let seen = pooler(&other).expect("it is read");
    assert!(
        seen.servers
            .iter()
            .all(|server| server.remote_pid.is_none())
    );
}
