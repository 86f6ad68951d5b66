//! The ways to a server: over TLS, and past a standby that comes first in the list of hosts.

use std::fs;
use std::net::TcpListener;

use lockaudit::throwaway::Cluster;

use super::{SHORT, words};
use crate::certificates;
use crate::harness::{Lockaudit, Server, fast_options, installations, lockaudit, wait_for};

fn tcp(clusters: &[&Cluster]) -> String {
    let hosts = clusters
        .iter()
        .map(|cluster| format!("127.0.0.1:{}", cluster.port()));
    let hosts: Vec<String> = hosts.collect();
    format!("postgresql://postgres@{}/postgres", hosts.join(","))
}

/// Begins a job, and comes back when its lease was renewed.
#[track_caller]
fn is_run_and_renewed(primary: &Server, url: &str) {
    let folder = tempfile::TempDir::new().expect("a folder can be made");
    let end = folder.path().join("end");
    let script = format!(
        "echo begun; until [ -e {} ]; do sleep 0.1; done; exit 3",
        end.display()
    );
    let run = Lockaudit::new(&words(url, &["--ttl", SHORT], &script)).start();
    run.waits_until_it_says("begun");
    wait_for("a renewal", || {
        primary.admin().says(
            "SELECT coalesce(bool_or(expires_at > taken_at + ttl + interval '1s'), false) FROM lockaudit_lease",
        )
    });
    fs::write(&end, "").expect("a file can be written");
    run.finish().exits_with(3).without_complaint();
}

#[test]
fn a_lease_is_kept_over_tls() {
    let options = fast_options()
        .setting("ssl", "on")
        .file("server.crt", certificates::content("good/server.crt"))
        .file("server.key", certificates::content("good/server.key"));
    let server = Server::private(Server::any().cluster().installation(), options);
    // Without TLS nobody gets in.
    let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
    let hba = server.cluster().data_directory().join("pg_hba.conf");
    fs::write(hba, rules).expect("a file can be written");
    server.admin().runs("SELECT pg_reload_conf()");
    let url = tcp(&[server.cluster()]);
    wait_for("the rules to hold", || {
        let without = format!("{url}?sslmode=disable");
        lockaudit(&["lease", "init", "-d", &without]).status.code() == Some(2)
    });
    let url = format!("{url}?sslmode=require");
    lockaudit(&["lease", "init", "-d", &url]).succeeds();
    is_run_and_renewed(&server, &url);
}

#[test]
fn a_silent_server_is_named() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = silent.local_addr().expect("it has one");
    let url = format!("postgresql://postgres@{address}/postgres");
    lockaudit(&words(&url, &["-n"], "true"))
        .exits_with(125)
        .complains(&format!(
            "could not connect to {address}: it accepts connections, but said nothing"
        ))
        .complains("hint: a frozen or overloaded server");
}

#[test]
fn a_standby_that_comes_first_is_passed_by_and_says_nothing_of_what_holds() {
    let installation = installations().last().expect("a PostgreSQL");
    let mut primary = Server::private(installation, fast_options()).into_cluster();
    let standby = primary.standby().expect("a standby can be made");
    let primary = Server::around(primary);
    let url = tcp(&[&standby, primary.cluster()]);
    lockaudit(&["lease", "init", "-d", &url]).succeeds();
    is_run_and_renewed(&primary, &url);

    // A standby may not have heard of an end.
    let on_standby = Server::session_on(&standby, "harness");
    lockaudit(&["lease", "take", "sweep", "--holder", "me", "-d", &url]).succeeds();
    wait_for("the standby to follow", || {
        on_standby.says("SELECT count(*) = 1 FROM lockaudit_lease WHERE holder = 'me'")
    });
    on_standby.runs("SELECT pg_wal_replay_pause()");
    lockaudit(&["lease", "break", "sweep", "--reason", "test", "-d", &url]).succeeds();
    assert!(on_standby.says("SELECT holder = 'me' FROM lockaudit_lease WHERE name = 'sweep'"));
    lockaudit(&["lease", "check", "sweep", "-d", &url])
        .exits_with(1)
        .complains("sweep is free");
    lockaudit(&["lease", "check", "sweep", "-d", &tcp(&[&standby])])
        .exits_with(2)
        .complains("the server is a standby")
        .complains("hint: a lease is taken, given back and checked on the primary");
    on_standby.runs("SELECT pg_wal_replay_resume()");
}
