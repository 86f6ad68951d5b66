//! Flags, strings, services, variables and password files: the same login, or both refuse.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lockaudit::pg::settings::{Environment, Request, resolve};
use lockaudit::pg::target::Endpoint;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::ask;

/// A home directory, variables and flags.
#[derive(Debug, Default, Clone)]
struct Case {
    /// Each is a file's name, its mode and its text.
    files: Vec<(&'static str, u32, String)>,
    variables: Vec<(&'static str, &'static str)>,
    host: Option<&'static str>,
    port: Option<&'static str>,
    user: Option<&'static str>,
    dbname: &'static str,
}

const SERVICE: &str =
    "[other]\nuser=o\n[app]\nhost=/service\nuser=su\ndbname=sd\nport=7\npassword=sp\n";

fn case(dbname: &'static str) -> Case {
    Case {
        dbname,
        ..Case::default()
    }
}

impl Case {
    fn file(mut self, name: &'static str, mode: u32, text: &str) -> Self {
        self.files.push((name, mode, text.to_owned()));
        self
    }

    fn variable(mut self, name: &'static str, text: &'static str) -> Self {
        self.variables.push((name, text));
        self
    }

    fn flags(mut self, host: &'static str, port: &'static str, user: &'static str) -> Self {
        (self.host, self.port, self.user) = (Some(host), Some(port), Some(user));
        self
    }
}

fn written_by_hand() -> Vec<Case> {
    let service = |dbname| case(dbname).file(".pg_service.conf", 0o644, SERVICE);
    let pgpass = |mode| case("host=/x user=u dbname=d").file(".pgpass", mode, "/x:*:*:*:p");
    vec![
        case("d").flags("/flag", "6", "u"),
        case("host=/string").flags("/flag", "6", "u"),
        case("postgresql://su@/sd?host=/string").flags("/flag", "6", "u"),
        case("postgresql:///?host=/string")
            .variable("PGDATABASE", "e")
            .variable("PGUSER", "u"),
        case("host=/x user=u dbname=''").variable("PGDATABASE", "e"),
        case("user=u port=''")
            .variable("PGHOST", "/x")
            .variable("PGPORT", "9"),
        case("d")
            .variable("PGHOST", "/env")
            .variable("PGPORT", "8")
            .variable("PGUSER", "e"),
        service("service=app"),
        service("service=app host=/string user=u"),
        service("service=app").flags("/flag", "6", "u"),
        service("service=other host=/x"),
        service("service=gone host=/x"),
        service("host=/x")
            .variable("PGSERVICE", "app")
            .variable("PGUSER", "e")
            .variable("PGPASSWORD", "ep"),
        service("host=/x service=other").variable("PGSERVICE", "app"),
        case("host=/x service=app").variable("PGSERVICEFILE", "/no/such/file"),
        case("host=/x user=u password=a").variable("PGPASSWORD", "b"),
        case("host=/x user=u password=''")
            .variable("PGPASSWORD", "b")
            .file(".pgpass", 0o600, "*:*:*:*:p"),
        case("host=/x user=u")
            .variable("PGPASSWORD", "b")
            .file(".pgpass", 0o600, "*:*:*:*:p"),
        pgpass(0o600),
        pgpass(0o400),
        pgpass(0o640),
        pgpass(0o604),
        pgpass(0o700),
        pgpass(0o600).variable("PGPASSFILE", "/no/such/file"),
        pgpass(0o600).variable("PGPASSFILE", ""),
        pgpass(0o600).variable("PGPASSFILE", "/dev/null"),
    ]
}

/// Password files and service files made of the characters that mean something in them.
fn generated() -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    for _ in 0..400 {
        let text = PASSWORD_LINES
            .with(|pieces| pieces.new_tree(&mut runner).expect("unfiltered").current());
        cases.push(case("host=/x user=u dbname=d:d").file(".pgpass", 0o600, &text));
        let text = SERVICE_LINES
            .with(|pieces| pieces.new_tree(&mut runner).expect("unfiltered").current());
        let text = format!("[app]\nhost=/x\nuser=u\n{text}");
        cases.push(case("service=app").file(".pg_service.conf", 0o644, &text));
    }
    cases
}

thread_local! {
    static PASSWORD_LINES: BoxedStrategy<String> = pieces(&[
        "/x:", "*:", "*:*:", "5432:", "d\\:d:", "u:", "\\u:", "\\*:", "p", "q\\:q", "\\", "\\\\", ":", "\n", "\r\n", " ",
        "#", "é", "/x:*:*:*:", "*:5432:*:u:",
    ]);
    static SERVICE_LINES: BoxedStrategy<String> = pieces(&[
        "\n", "\n", "\r\n", "[app]", "[other]", "dbname=", "password=", "port=7\n", "user", "=", " ", "\t", "#", "a", "'",
        "bogus=", "service=", "\ndbname=b\n", "\npassword=q\n", "é",
    ]);
}

fn pieces(pieces: &'static [&'static str]) -> BoxedStrategy<String> {
    let chosen = prop::collection::vec(prop::sample::select(pieces), 1..14);
    chosen.prop_map(|pieces| pieces.concat()).boxed()
}

#[test]
fn settles_on_the_same_login_as_libpq() {
    let root = tempfile::tempdir().expect("a directory");
    let cases: Vec<Case> = written_by_hand().into_iter().chain(generated()).collect();
    let homes: Vec<PathBuf> = (0..cases.len())
        .map(|index| root.path().join(index.to_string()))
        .collect();
    let both = || cases.iter().zip(&homes);
    both().for_each(|(case, home)| write_files(case, home));
    let questions = both().map(|(case, home)| question(case, home)).collect();
    let Some(answers) = ask("connect_start.py", questions) else {
        return;
    };
    let accepted = answers.iter().filter(|theirs| *theirs != "null").count();
    assert!(
        accepted * 2 > cases.len(),
        "only {accepted} cases are valid: the generator is off"
    );
    let differing: Vec<String> = both()
        .zip(&answers)
        .filter(|((case, _), _)| is_comparable(case))
        .filter_map(|((case, home), theirs)| difference(case, home, theirs))
        .collect();
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

fn write_files(case: &Case, home: &Path) {
    fs::create_dir(home).expect("a home");
    for (name, mode, text) in &case.files {
        let path = home.join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).expect("a mode");
    }
}

fn variables(case: &Case, home: &Path) -> BTreeMap<String, String> {
    let own = [("HOME".to_owned(), home.display().to_string())];
    let given = case
        .variables
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    own.into_iter().chain(given).collect()
}

/// psql's order: the flags, then the database.
fn question(case: &Case, home: &Path) -> String {
    let flags = [
        ("host", case.host),
        ("port", case.port),
        ("user", case.user),
        ("dbname", Some(case.dbname)),
    ];
    let parameters: Vec<(&str, &str)> = flags
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)))
        .collect();
    json!({"variables": variables(case, home), "parameters": parameters}).to_string()
}

/// lockaudit refuses a line that holds a second parameter, with a password that would be shown.
fn is_comparable(case: &Case) -> bool {
    let mut lines = case.files.iter().flat_map(|(_, _, text)| text.lines());
    !lines.any(|line| {
        line.trim()
            .trim_start_matches("password=")
            .contains("password=")
    })
}

fn difference(case: &Case, home: &Path, theirs: &str) -> Option<String> {
    let mut theirs: Value = serde_json::from_str(theirs).expect("JSON");
    // libpq puts the default port in only when it dials.
    if theirs["port"] == "" {
        theirs["port"] = json!("5432");
    }
    let ours = ours(case, home);
    (ours != theirs).then(|| format!("{case:?}\n  libpq: {theirs}\n  ours:  {ours}"))
}

fn ours(case: &Case, home: &Path) -> Value {
    let given = |text: Option<&str>| text.map(str::to_owned);
    let request = Request {
        host: given(case.host),
        port: given(case.port),
        username: given(case.user),
        dbname: given(Some(case.dbname)),
        ..Request::default()
    };
    let environment = Environment {
        variables: variables(case, home),
        ..Environment::of_this_process()
    };
    let Ok(found) = resolve(&request, &environment) else {
        return Value::Null;
    };
    let host = &found.target.hosts[0];
    let Endpoint::Unix { directory, port } = &host.endpoint else {
        panic!("{case:?} led to {}", host.endpoint);
    };
    let password = host
        .password
        .as_ref()
        .map_or("", |password| password.reveal());
    json!({
        "user": found.target.user, "dbname": found.target.dbname, "password": password,
        "host": directory, "port": port.to_string(),
    })
}
