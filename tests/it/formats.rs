//! Each format of `scan` reads back as what it claims to be, on a real server's locks.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{Browser, Database, Outcome, Server, Session, conforms, graphviz, lockaudit};

const SCRIPT: &str = "<script>document.title='owned'</script>";
const IMAGE: &str = "<img src=x onerror=document.title='owned'>";
const TITLE: &str = "</title><script>document.title=\"owned\"</script>";

/// A holder of three keys, a waiter, and a prepared transaction with a key of its own.
struct World<'a> {
    db: Database<'a>,
    holder: Session,
    waiter: Session,
}

impl<'a> World<'a> {
    fn of(server: &'a Server, name: &str) -> Self {
        Self::named(server, name, ["=worker|1", "waiter", "order 17"])
    }

    fn hostile(server: &'a Server) -> Self {
        Self::named(server, "hostile_page", [SCRIPT, IMAGE, TITLE])
    }

    fn named(server: &'a Server, name: &str, [holder, waiter, gid]: [&str; 3]) -> Self {
        let db = server.database(name);
        let (holder, waiter) = (db.session(holder), db.session(waiter));
        holder.idle_with(300).idle_with(4).idle_with(10);
        holder.runs(&format!("SELECT 1 /* {IMAGE} */"));
        let preparing = db.session("preparing");
        preparing.prepared_with((-7, -42), &format!("{gid} {}", db.name()));
        preparing.disconnect();
        waiter.waits_for(300);
        Self { db, holder, waiter }
    }

    #[track_caller]
    fn scan(&self, format: &str) -> Outcome {
        let (url, name) = (self.db.url(), self.db.name());
        lockaudit(&["scan", &url, "--database", name, "--format", format]).exits_with(1)
    }
}

#[test]
fn ndjson_has_the_objects_of_the_document() {
    Server::each(|server| {
        let world = World::of(server, "ndjson");
        let outcome = world.scan("ndjson");
        let lines: Vec<Value> = outcome
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("each line is a document"))
            .collect();
        conforms(&assembled(&lines));
        let locks = lines.iter().filter(|line| line["type"] == "lock");
        assert_eq!(locks.count(), 5, "{outcome}");
        assert_eq!(lines[0]["waiters"], 1, "{outcome}");
    });
}

/// The document that the lines are the parts of.
fn assembled(lines: &[Value]) -> Value {
    let mut document = json!({
        "blind_spots": [], "findings": [], "locks": [], "sessions": [], "waits": [], "pools": [],
        "poolers": [],
    });
    for line in lines {
        let mut object = line.as_object().expect("a line is an object").clone();
        let kind = object.remove("type").expect("it has a type");
        document["schema_version"] = object.remove("schema_version").expect("it has a version");
        document["captured_at"] = object.remove("captured_at").expect("it has a time");
        if kind == "summary" {
            for part in ["source", "server", "visibility"] {
                document[part] = object.remove(part).expect("the summary has it");
            }
            document["summary"] = object.into();
            continue;
        }
        let table = format!("{}s", kind.as_str().expect("a type is a word"));
        let rows = document[&table]
            .as_array_mut()
            .expect("a type of the document");
        rows.push(object.into());
    }
    document
}

#[test]
fn csv_has_a_row_for_each_lock() {
    Server::each(|server| {
        let world = World::of(server, "csv");
        let outcome = world.scan("csv");
        let mut reader = csv::Reader::from_reader(outcome.stdout.as_bytes());
        let rows: Vec<BTreeMap<String, String>> = reader
            .deserialize()
            .map(|row| row.expect("each row has every column"))
            .collect();
        assert_eq!(rows.len(), 5, "{outcome}");
        let row = |column: &str, value: &str| {
            let found = rows.iter().find(|row| row[column] == value);
            found.unwrap_or_else(|| panic!("no {column} {value} in {outcome}"))
        };
        let held = row("key", "4");
        assert_eq!(held["pid"], world.holder.pid().to_string());
        assert_eq!(held["application_name"], "'=worker|1");
        assert_eq!(held["scope"], "session");
        let waiting = row("granted", "false");
        assert_eq!(waiting["pid"], world.waiter.pid().to_string());
        assert_eq!(waiting["blocked_by"], world.holder.pid().to_string());
        assert_eq!(waiting["blocked_by_application"], "'=worker|1");
        let prepared = row("gid", &format!("order 17 {}", world.db.name()));
        assert_eq!(
            (&prepared["key"][..], &prepared["pid"][..]),
            ("(-7, -42)", "")
        );
    });
}

#[test]
fn csv_says_beside_the_table_what_was_not_seen() {
    let server = Server::any();
    let world = World::of(server, "csv_blind");
    let role = server.role("plain");
    let url = world.db.url_as(role.name());
    lockaudit(&[
        "scan",
        &url,
        "--format",
        "csv",
        "--database",
        world.db.name(),
    ])
    .complains("not seen: ");
}

#[test]
fn markdown_says_verdict_findings_and_locks() {
    let world = World::of(Server::any(), "markdown");
    world
        .scan("markdown")
        .says("## CRITICAL: ")
        .says("`idle-holder` (certain)")
        .says(&format!(
            "```sql\nROLLBACK PREPARED 'order 17 {}';\n```",
            world.db.name()
        ))
        .says("=worker\\|1")
        .says("| (-7, -42) | ");
}

#[test]
fn graphviz_reads_the_graph() {
    let world = World::of(Server::any(), "dot");
    let outcome = world.scan("dot");
    let Some(plain) = graphviz(&outcome.stdout) else {
        return;
    };
    let count = |what: &str| plain.lines().filter(|line| line.starts_with(what)).count();
    assert_eq!((count("node "), count("edge ")), (3, 1), "{plain}");
    for text in ["=worker|1", "order 17", "key 300 in "] {
        assert!(plain.contains(text), "{text} in {plain}");
    }
}

#[test]
fn graphviz_reads_hostile_texts_and_an_empty_graph_too() {
    let server = Server::any();
    let (world, empty) = (World::hostile(server), server.database("dot_empty"));
    let nothing = lockaudit(&[
        "scan",
        &empty.url(),
        "--database",
        empty.name(),
        "--format",
        "dot",
    ]);
    for graph in [world.scan("dot").stdout, nothing.stdout] {
        let Some(plain) = graphviz(&graph) else {
            return;
        };
        assert!(plain.ends_with("stop\n"), "{plain}");
    }
}

#[test]
fn mermaid_has_a_node_for_each_owner() {
    let world = World::of(Server::any(), "mermaid");
    let outcome = world.scan("mermaid");
    let chart = &outcome.stdout;
    assert!(chart.starts_with("flowchart RL\n"), "{outcome}");
    assert_eq!(chart.matches(":::idle\n").count(), 1, "{outcome}");
    assert_eq!(chart.matches(":::prepared\n").count(), 1, "{outcome}");
    assert_eq!(chart.matches(":::waiter\n").count(), 1, "{outcome}");
    assert_eq!(chart.matches(" -->|\"key 300 in ").count(), 1, "{outcome}");
}

/// Sorts by the first column, twice, and leaves what it saw in the document.
const CLICKS: &str = "
const table = document.querySelector('table[aria-label=\"Advisory locks held\"]');
const header = table.tHead.rows[0].cells[0];
const keys = () => [...table.tBodies[0].rows].map((row) => parseInt(row.cells[0].textContent)).filter(Number).join(' ');
const seen = [];
for (let click = 0; click < 2; click++) {
  header.querySelector('button').click();
  seen.push(header.getAttribute('aria-sort') + ' ' + keys());
}
document.documentElement.dataset.seen = seen.join('; ');
document.documentElement.dataset.title = document.title;
document.documentElement.dataset.images = document.images.length;
";

const INTRUDER: &str = "<script>document.documentElement.dataset.intruder = 'ran';</script>";

#[test]
fn the_page_sorts_in_a_browser_and_runs_no_script_but_its_own() {
    let world = World::hostile(Server::any());
    let page = world.scan("html").stdout;
    let Some(browser) = Browser::found() else {
        return;
    };
    assert_eq!(page.matches("script-src '").count(), 1);
    let page = page.replace("script-src '", "script-src 'nonce-test' '");
    let dom = browser.dom_of(&format!(
        "{page}{INTRUDER}<script nonce=\"test\">{CLICKS}</script>"
    ));
    for expected in [
        "data-seen=\"ascending 4 10 300; descending 300 10 4\"",
        "data-title=\"CRITICAL: ",
        "data-images=\"0\"",
        "&lt;script&gt;document.title='owned'&lt;/script&gt;",
        "<h1>1 session waits",
    ] {
        assert!(dom.contains(expected), "{expected} in {dom}");
    }
    assert!(!dom.contains("data-intruder"), "{dom}");
    assert!(!dom.contains("data-title=\"owned"), "{dom}");
}

#[test]
fn a_refusal_is_told_in_every_format() {
    let server = Server::any();
    let db = server.database("refused_formats");
    let role = server.role("limited");
    let limit = format!("ALTER ROLE {} CONNECTION LIMIT 0", role.name());
    server.admin().runs(&limit);
    let url = db.url_as(role.name());
    let refused = |format: &str| lockaudit(&["scan", &url, "--format", format]).exits_with(1);
    let sentence = "the role's CONNECTION LIMIT is reached";
    for format in ["table", "json", "ndjson", "markdown", "dot"] {
        refused(format).says(sentence);
    }
    let escaped = sentence.replace('\'', "&#39;");
    refused("html").says(&escaped);
    refused("mermaid").says(sentence);
    let table = refused("csv").complains("not seen: nothing could be read");
    assert_eq!(table.stdout.lines().count(), 1, "{table}");
}
