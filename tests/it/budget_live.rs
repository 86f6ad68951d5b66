//! The budget beside a real server: its numbers, its limits, and who is connected.

use std::fs;

use tempfile::TempDir;

use crate::harness::{Outcome, Server, items, lockaudit, scan_with};

fn check(plan: &str, url: &str, more: &[&str]) -> Outcome {
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("budget.toml");
    fs::write(&file, format!("version = 1\n{plan}")).expect("it can be written");
    let file = file.display().to_string();
    lockaudit(&[&["budget", "check", &file, url, "--live"], more].concat())
}

fn role(name: &str, nodes: u64, pool: u64, user: &str) -> String {
    format!("[[role]]\nname = \"{name}\"\nnodes = {nodes}\npool = {pool}\nuser = \"{user}\"\n")
}

#[test]
fn the_servers_numbers_are_used_and_differences_are_errors() {
    Server::each(|server| {
        let db = server.database("budget_numbers");
        let plan = format!(
            "[server]\nmax_connections = 7\n{}",
            role("api", 1, 1, "nobody")
        );
        let outcome = check(&plan, &db.url(), &["--format", "json", "--exit-zero"]).succeeds();
        let document = outcome.json();
        let max_connections = server
            .admin()
            .number("SELECT current_setting('max_connections')::int4");
        assert_eq!(document["server"]["max_connections"], max_connections);
        let found = items(&document["findings"]).find(|one| one["code"] == "B301");
        let message = found.expect("it is there")["message"].to_string();
        assert!(message.contains("max_connections = 7"), "{message}");
    });
}

#[test]
fn no_numbers_are_needed_with_a_live_server() {
    let db = Server::any().database("budget_no_numbers");
    let url = db.url();
    lockaudit(&[
        "budget",
        "check",
        "--role",
        "api:nodes=1,pool=1",
        "--live",
        "-d",
        &url,
    ])
    .succeeds()
    .says("connections at the peak");
    check(&role("api", 1, 1, "nobody"), &url, &[]).succeeds();
}

#[test]
fn who_is_connected_is_told_by_role_and_application() {
    Server::each(|server| {
        let db = server.database("budget_connected");
        let _under = [db.session("under-plan")];
        let _exact: Vec<_> = (0..2).map(|_| db.session("as-planned")).collect();
        let _over: Vec<_> = (0..3).map(|_| db.session("over-plan")).collect();
        let _stranger = db.session("a-stranger");
        let plan = role("under-plan", 1, 5, "a")
            + &role("as-planned", 1, 2, "b")
            + &role("over-plan", 1, 1, "c");
        let outcome = check(&plan, &db.url(), &["--format", "json", "--exit-zero"]).succeeds();
        let document = outcome.json();
        let group = |name: &str| {
            let mut groups = items(&document["connected"]);
            let found =
                groups.find(|group| group["name"] == name || group["application_name"] == name);
            let found = found.unwrap_or_else(|| panic!("no {name} in {outcome}"));
            (
                found["now"].as_u64(),
                found["standing"].as_str().map(str::to_owned),
            )
        };
        let standing = |now, word: &str| (Some(now), Some(word.to_owned()));
        assert_eq!(group("under-plan"), standing(1, "under plan"));
        assert_eq!(group("as-planned"), standing(2, "as planned"));
        assert_eq!(group("over-plan"), standing(3, "over plan"));
        assert_eq!(group("a-stranger"), standing(1, "not planned"));
        let codes = codes(&document);
        assert!(
            codes.contains(&"B303") && codes.contains(&"B304"),
            "{codes:?}"
        );
    });
}

#[test]
fn the_limits_of_roles_and_databases_are_the_servers() {
    Server::each(|server| {
        let limited = server.role("limited");
        let db = server.database("budget_limits");
        let admin = server.admin();
        admin.runs(&format!("ALTER ROLE {} CONNECTION LIMIT 3", limited.name()));
        admin.runs(&format!("ALTER DATABASE {} CONNECTION LIMIT 4", db.name()));
        let plan = format!(
            "{}database = \"{}\"\n",
            role("api", 1, 5, limited.name()),
            db.name()
        );
        check(&plan, &db.url(), &[])
            .exits_with(1)
            .says("CONNECTION LIMIT is 3: 7 too many")
            .says("its CONNECTION LIMIT is 4: 6 too many")
            .keeps_quiet_about("B301");
        let limit = |connections| {
            let user = limited.name();
            format!("{plan}[[limit]]\nuser = \"{user}\"\nconnections = {connections}\n")
        };
        check(&limit(3), &db.url(), &[])
            .exits_with(1)
            .keeps_quiet_about("B301");
        check(&limit(30), &db.url(), &[])
            .exits_with(1)
            .says("error B301")
            .says("the server has 3");
    });
}

#[test]
fn a_role_that_can_not_see_the_others_is_told_so() {
    let server = Server::any();
    let plain = server.role("budget_plain");
    let db = server.database("budget_blind");
    check(&role("api", 1, 1, "nobody"), &db.url_as(plain.name()), &[])
        .succeeds()
        .says("warning B302");
    check(&role("api", 1, 1, "nobody"), &db.url(), &[]).keeps_quiet_about("B302");
}

fn codes(document: &serde_json::Value) -> Vec<&str> {
    items(&document["findings"])
        .filter_map(|finding| finding["code"].as_str())
        .collect()
}

#[test]
fn a_scan_knows_the_sizes_of_pools_from_the_budget() {
    let db = Server::any().database("budget_scan");
    let sessions: Vec<_> = (0..4).map(|_| db.session("planned-sync")).collect();
    for (session, key) in sessions.iter().zip(1..) {
        session.idle_with(key);
    }
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("budget.toml");
    let file = file.display().to_string();
    let plan = |pool| format!("version = 1\n{}", role("planned-sync", 1, pool, "app"));
    fs::write(&file, plan(4)).expect("it can be written");
    scan_with(&db, &["--budget", &file])
        .finds("starved-pool")
        .is("critical", "certain");
    fs::write(&file, plan(5)).expect("it can be written");
    scan_with(&db, &["--budget", &file]).is_silent_on("starved-pool");
    scan_with(&db, &["--budget", &file, "--pool-size", "planned-sync=4"])
        .finds("starved-pool")
        .is("critical", "certain");
    fs::write(&file, plan(0)).expect("it can be written");
    lockaudit(&["scan", &db.url(), "--budget", &file])
        .exits_with(2)
        .complains("must be at least 1");
}
