//! Precedence and defaults, from the command line to the [`Target`], on made-up environments.

use proptest::prelude::*;

use super::scripted::{Scripted, environment};
use super::*;

fn from_text(text: &str) -> Request {
    Request {
        positional: Some(text.to_owned()),
        ..Request::default()
    }
}

fn resolved(request: &Request, scripted: Scripted) -> Resolved {
    let environment = scripted.with_account("os", "/home/os").build();
    resolve(request, &environment).expect("valid settings")
}

fn described(request: &Request, scripted: Scripted) -> String {
    resolved(request, scripted).target.describe()
}

fn refusal(request: &Request, variables: &[(&str, &str)]) -> String {
    let environment = environment(variables)
        .with_account("os", "/home/os")
        .build();
    resolve(request, &environment)
        .expect_err("invalid settings")
        .to_string()
}

#[test]
fn hears_the_string_then_the_service_then_the_environment() {
    let scripted = environment(&[
        ("PGSERVICE", "s"),
        ("PGUSER", "env"),
        ("PGPORT", "1"),
        ("PGDATABASE", "env"),
    ])
    .with_file(
        "/home/os/.pg_service.conf",
        0o644,
        "[s]\nhost=service\nuser=service\nport=2",
    );
    assert_eq!(
        described(&from_text("port=3"), scripted),
        "service:3, database env, user service"
    );
}

#[test]
fn lets_the_connection_string_replace_flags_as_psql_does() {
    let request = Request {
        host: Some("flag".to_owned()),
        port: Some("6000".to_owned()),
        dbname: Some("host=string".to_owned()),
        ..Request::default()
    };
    let found = resolved(&request, environment(&[]));
    assert_eq!(found.target.describe(), "string:6000, database os, user os");
    assert_eq!(
        found.notes,
        ["`--host` is not used: the connection string names another host"]
    );
}

#[test]
fn reads_the_dsn_variables_only_when_nothing_else_names_a_server() {
    let dsn = ("LOCKAUDIT_DSN", "postgresql://dsn/a");
    let url = ("DATABASE_URL", "postgresql://url/b");
    let nothing = Request::default();
    assert_eq!(
        described(&nothing, environment(&[dsn, url])),
        "dsn:5432, database a, user os"
    );
    assert_eq!(
        described(&nothing, environment(&[url])),
        "url:5432, database b, user os"
    );
    let port = ("PGPORT", "6000");
    assert_eq!(
        described(&nothing, environment(&[url, port])),
        "url:6000, database b, user os"
    );
    let host = ("PGHOST", "env");
    assert_eq!(
        described(&nothing, environment(&[dsn, url, host])),
        "env:5432, database os, user os"
    );
    let notes = resolved(&nothing, environment(&[dsn, host])).notes;
    assert_eq!(
        notes,
        ["`LOCKAUDIT_DSN` is not read, because `PGHOST` is set"]
    );
    assert_eq!(
        described(&from_text("host=x"), environment(&[dsn])),
        "x:5432, database os, user os"
    );
}

#[test]
fn says_that_a_user_alone_leaves_the_url_unread() {
    let request = Request {
        username: Some("alice".to_owned()),
        ..Request::default()
    };
    let found = resolved(
        &request,
        environment(&[("DATABASE_URL", "postgresql://url/b")]),
    );
    assert_eq!(
        found.target.describe(),
        "localhost:5432, database alice, user alice"
    );
    assert_eq!(
        found.notes[0],
        "`DATABASE_URL` is not read, because a connection is given on the command line"
    );
}

#[test]
fn takes_a_plain_argument_for_a_database() {
    assert_eq!(
        described(&from_text("app"), environment(&[("PGHOST", "h")])),
        "h:5432, database app, user os"
    );
}

#[test]
fn asks_for_a_user_where_there_is_no_account() {
    let refused = resolve(&Request::default(), &environment(&[]).build()).expect_err("nobody");
    assert_eq!(
        refused.to_string(),
        "could not tell the name of the user who runs this; pass --username"
    );
}

#[test]
fn reads_timeouts_as_libpq_does() {
    let timeout = |text: &str| {
        resolved(&from_text(text), environment(&[]))
            .target
            .connect_timeout
    };
    assert_eq!(timeout("host=h"), Some(DEFAULT_CONNECT_TIMEOUT));
    assert_eq!(
        timeout("host=h connect_timeout=1"),
        Some(Duration::from_secs(2))
    );
    assert_eq!(timeout("host=h connect_timeout=-1"), None);
    let found = resolved(&from_text("host=h tcp_user_timeout=5000"), environment(&[]));
    assert_eq!(
        found.target.keepalives.user_timeout,
        Some(Duration::from_secs(5))
    );
    assert_eq!(
        refusal(&from_text("host=h connect_timeout=5s"), &[]),
        "invalid connect_timeout `5s` in the connection string: it must be a whole number"
    );
}

#[test]
fn names_the_session() {
    let name = |text: &str, variables: &[(&str, &str)]| {
        resolved(&from_text(text), environment(variables))
            .target
            .application_name
    };
    assert_eq!(name("host=h", &[]), "lockaudit");
    assert_eq!(name("fallback_application_name=f", &[]), "f");
    assert_eq!(
        name("fallback_application_name=f", &[("PGAPPNAME", "env")]),
        "env"
    );
    assert_eq!(name("application_name=a", &[("PGAPPNAME", "env")]), "a");
}

#[test]
fn refuses_a_demand_it_can_t_meet_and_notes_what_is_harmless() {
    assert!(
        refusal(&from_text("host=h require_auth=scram-sha-256"), &[])
            .starts_with("require_auth in")
    );
    assert!(refusal(&from_text("host=/s requirepeer=postgres"), &[]).starts_with("requirepeer in"));
    let notes = resolved(
        &from_text("host=h krbsrvname=x gssencmode=disable"),
        environment(&[]),
    )
    .notes;
    assert_eq!(
        notes,
        ["`krbsrvname` in the connection string has no effect: lockaudit does not speak GSSAPI"]
    );
}

#[test]
fn refuses_what_would_show_a_password() {
    let url = "postgresql://u:hunter2@h/db";
    for variables in [
        [("PGHOST", url)],
        [("PGDATABASE", url)],
        [("PGSERVICE", url)],
        [("PGUSER", url)],
    ] {
        let message = refusal(&Request::default(), &variables);
        assert!(!message.contains("hunter2"), "{message}");
    }
    for text in [
        "u:hunter2@h/db",
        "mysql://u:hunter2@h/db",
        "postgresql://u:hun/ter2@h/db",
        "host= password=hunter2",
        "dbname='x password=hunter2'",
    ] {
        let message = refusal(&from_text(text), &[]);
        assert!(!message.contains("ter2"), "{message}");
    }
}

#[test]
fn refuses_a_service_written_on_one_line() {
    let scripted = environment(&[("PGSERVICE", "s")]).with_account("os", "/home/os");
    let scripted = scripted.with_file(
        "/home/os/.pg_service.conf",
        0o600,
        "[s]\nhost=h password=hunter2",
    );
    let refused = resolve(&Request::default(), &scripted.build()).expect_err("one line");
    assert_eq!(
        refused.to_string(),
        "/home/os/.pg_service.conf, line 2 gives a host with another parameter inside; is a blank, a quote or a new \
         line missing?"
    );
}

#[test]
fn looks_for_a_password_where_libpq_does() {
    let with_file = |variables: &[(&str, &str)]| {
        environment(variables).with_file("/home/os/.pgpass", 0o600, "h:*:*:*:file")
    };
    let password = |scripted| {
        resolved(&from_text("host=h"), scripted).target.hosts[0]
            .password
            .clone()
    };
    assert_eq!(
        password(with_file(&[])),
        Some(super::super::target::Password::new("file"))
    );
    let from_variable = password(with_file(&[("PGPASSWORD", "env")]));
    assert_eq!(
        from_variable,
        Some(super::super::target::Password::new("env"))
    );
    let elsewhere = resolved(&from_text("host=h"), with_file(&[("PGPASSFILE", "/gone")]));
    assert_eq!(elsewhere.target.hosts[0].password, None);
    assert_eq!(elsewhere.notes, ["password file /gone does not exist"]);
}

const MARKER: &str = "S3cr3tMarker";

/// A good string with the marker for its password, cut into the text before and after it.
fn templates() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        (
            "postgresql://alice:",
            "@db.example:5433/app?sslmode=require&connect_timeout=3",
        ),
        ("postgresql://alice:x", "y@h1:1,[::1]:2/app"),
        (
            "postgresql://db/app?user=alice&password=",
            "&sslmode=prefer",
        ),
        // A password that ends in `=`, one slip away from being a parameter's name.
        ("postgresql://db/app?password=x", "=&sslmode=prefer"),
        ("host=db password=x", "= dbname=app"),
        ("host=db port=5432 user=alice password=", " dbname=app"),
        ("host = db password = '", "' sslmode = require"),
        ("user='alice' password='x\\'", " y' host='db'"),
    ])
}

/// One slip of the keyboard in one of the two parts.
#[derive(Debug, Clone)]
enum Slip {
    Delete(prop::sample::Index),
    Insert(prop::sample::Index, char),
}

fn slips() -> impl Strategy<Value = Slip> {
    let typed = prop::sample::select(" ='\\@:/?&%,[]#x".chars().collect::<Vec<_>>());
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Slip::Delete),
        (any::<prop::sample::Index>(), typed).prop_map(|(index, c)| Slip::Insert(index, c)),
    ]
}

fn slipped(text: &str, slip: &Slip) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    match slip {
        Slip::Delete(index) => drop(characters.remove(index.index(characters.len()))),
        Slip::Insert(index, c) => characters.insert(index.index(characters.len() + 1), *c),
    }
    characters.into_iter().collect()
}

/// Everything a person could get to see.
fn shown(request: &Request, variables: &[(&str, &str)]) -> String {
    let environment = environment(variables)
        .with_account("os", "/home/os")
        .build();
    match resolve(request, &environment) {
        Ok(found) => format!("{found:?} {}", found.target.describe()),
        Err(error) => format!("{error:#} {error:?}"),
    }
}

/// Without the colon or the word that makes it a password, nothing can tell that it was one.
fn is_still_a_password(text: &str) -> bool {
    let before = text.split(MARKER).next().unwrap_or_default();
    before.contains("password") || (before.contains("alice:") && before.contains("//"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn never_panics(text in any::<String>(), url in any::<String>()) {
        let _ = shown(&from_text(&text), &[]);
        let _ = shown(&from_text(&format!("postgresql://{text}")), &[]);
        let _ = shown(&Request::default(), &[("DATABASE_URL", url.as_str())]);
    }

    #[test]
    fn never_shows_a_password((before, after) in templates(), slip in slips(), first in any::<bool>()) {
        let text = match first {
            true => format!("{}{MARKER}{after}", slipped(before, &slip)),
            false => format!("{before}{MARKER}{}", slipped(after, &slip)),
        };
        prop_assume!(is_still_a_password(&text));
        for outcome in [
            shown(&from_text(&text), &[]),
            shown(&Request::default(), &[("LOCKAUDIT_DSN", text.as_str())]),
            shown(&Request::default(), &[("DATABASE_URL", text.as_str())]),
        ] {
            prop_assert!(!outcome.contains(MARKER), "{text} gave {outcome}");
        }
    }
}
