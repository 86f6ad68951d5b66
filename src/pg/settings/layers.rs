//! Who is heard first: flags and the connection string, then the service, then the environment.
//!
//! As in psql, a connection string replaces what `--host`, `--port` and `--username` say
//! (`PQconnectdbParams` expands `dbname` after them; tried with psql 15).

use anyhow::{bail, ensure};

use super::connection_string::{self, ConnectionString, is_connection_string};
use super::environment::Environment;
use super::keyword::{KEYWORDS, Kind, find};
use super::values::{Source, Value, Values};
use super::{Request, database_url, service};

/// Variables that say where to connect: with one of them set and not empty, the DSN variables are not read.
const PLACES: [&str; 4] = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"];

/// Parameters that are shown to people, and in which a URL is always a mistake.
const IDENTIFIERS: [&str; 6] = ["host", "hostaddr", "port", "user", "dbname", "service"];

/// Everything that was said, each parameter from the first source that has it.
pub(super) fn gather(
    request: &Request,
    environment: &Environment,
    notes: &mut Vec<String>,
) -> anyhow::Result<Values> {
    let mut values = explicit(request, environment, notes)?;
    refuse_misplaced_secrets(&values)?;
    service::fill(&mut values, environment)?;
    fill_from_variables(&mut values, environment);
    refuse_misplaced_secrets(&values)?;
    note_unreadable(environment, notes);
    Ok(values)
}

/// What a pooler's console needs that the server's variables and `PGSERVICE` must not decide.
const OF_A_CONSOLE: [(&str, &str); 3] = [
    ("dbname", "pgbouncer"),
    ("options", ""),
    ("target_session_attrs", "any"),
];

/// The same for the console of a pooler, given by a connection string.
///
/// # Errors
/// A text that is none: it would be taken for the name of a database.
pub(super) fn gather_for_console(
    text: &str,
    environment: &Environment,
    notes: &mut Vec<String>,
) -> anyhow::Result<Values> {
    const PLACE: &str = "the connection string in --pgbouncer";
    ensure!(
        is_connection_string(text) || names_a_foreign_scheme(text),
        "--pgbouncer takes a connection string: postgresql://USER@HOST:6432, or host=HOST port=6432 user=USER"
    );
    let mut values = named_or_described(text, PLACE, Source::Flag("--pgbouncer"))?;
    refuse_misplaced_secrets(&values)?;
    let has_a_service = values.filled("service").is_some();
    if !has_a_service {
        set_defaults_of_console(&mut values);
    }
    service::fill(&mut values, environment)?;
    set_defaults_of_console(&mut values);
    fill_from_variables(&mut values, environment);
    refuse_misplaced_secrets(&values)?;
    note_unreadable(environment, notes);
    Ok(values)
}

fn set_defaults_of_console(values: &mut Values) {
    for (name, text) in OF_A_CONSOLE {
        let keyword = find(name).expect("a keyword");
        values.set_if_absent(keyword, Value::new(text, &Source::Flag("--pgbouncer")));
    }
}

fn explicit(
    request: &Request,
    environment: &Environment,
    notes: &mut Vec<String>,
) -> anyhow::Result<Values> {
    if request.names_a_connection() {
        note_unread_url(request, environment, notes);
        return from_request(request, notes);
    }
    let place = PLACES
        .iter()
        .find(|name| environment.filled(name).is_some());
    match (
        place,
        environment.filled("LOCKAUDIT_DSN"),
        environment.filled("DATABASE_URL"),
    ) {
        (Some(place), Some(_), _) => {
            notes.push(format!(
                "`LOCKAUDIT_DSN` is not read, because `{place}` is set"
            ));
            Ok(Values::default())
        }
        (Some(_), None, _) | (None, None, None) => Ok(Values::default()),
        (None, Some(dsn), _) => own_variable(dsn),
        (None, None, Some(url)) => undoubted(database_url::parse(url, notes)?, "`DATABASE_URL`"),
    }
}

fn own_variable(text: &str) -> anyhow::Result<Values> {
    named_or_described(text, "`LOCKAUDIT_DSN`", Source::Variable("LOCKAUDIT_DSN"))
}

/// `--username` alone would otherwise seem to be added to the URL that everything else here uses.
fn note_unread_url(request: &Request, environment: &Environment, notes: &mut Vec<String>) {
    let unread = ["LOCKAUDIT_DSN", "DATABASE_URL"]
        .into_iter()
        .find(|name| environment.filled(name).is_some());
    if let (Some(name), false) = (unread, request.names_a_server()) {
        notes.push(format!(
            "`{name}` is not read, because a connection is given on the command line"
        ));
    }
}

fn from_request(request: &Request, notes: &mut Vec<String>) -> anyhow::Result<Values> {
    let mut values = Values::default();
    for (name, flag, given) in request.flags() {
        let keyword = find(name).expect("flags are keywords");
        if let Some(text) = given.filter(|text| !text.is_empty()) {
            values.set(keyword, Value::new(text, &Source::Flag(flag)));
        }
    }
    let described = database(request)?;
    note_replaced_flags(&values, &described, notes);
    values.overlay(described);
    Ok(values)
}

fn database(request: &Request) -> anyhow::Result<Values> {
    match request.databases() {
        (Some(_), Some(_)) => {
            bail!("the database is given twice, by --dbname and by an argument; give it once")
        }
        (Some(text), None) => named_or_described(
            text,
            "the connection string in --dbname",
            Source::Flag("--dbname"),
        ),
        (None, Some(text)) => named_or_described(
            text,
            "the connection string",
            Source::ConnectionString("the argument"),
        ),
        (None, None) => Ok(Values::default()),
    }
}

fn note_replaced_flags(flags: &Values, described: &Values, notes: &mut Vec<String>) {
    for (name, value) in flags.iter() {
        if described
            .get(name)
            .is_some_and(|other| other.text != value.text)
        {
            notes.push(format!(
                "{} is not used: the connection string names another {name}",
                value.source
            ));
        }
    }
}

/// A connection string, or else the name of a database.
fn named_or_described(text: &str, place: &'static str, plain: Source) -> anyhow::Result<Values> {
    ensure!(
        !names_a_foreign_scheme(text),
        "{place} is a URL of another kind; PostgreSQL's start with postgresql://"
    );
    if is_connection_string(text) {
        let found = connection_string::parse(text, &Source::ConnectionString(place))?;
        return undoubted(found, place);
    }
    // The name would be shown, and this one most likely holds a password.
    ensure!(
        !(text.contains('@') && text.contains(':')),
        "{place} looks like a URI without its scheme; write postgresql:// before it"
    );
    let mut values = Values::default();
    values.set(find("dbname").expect("a keyword"), Value::new(text, &plain));
    Ok(values)
}

/// `mysql://…`, and `jdbc:postgresql://…`: libpq takes them for names or pairs, and shows them.
fn names_a_foreign_scheme(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let word = |scheme: &str| {
        scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-:_".contains(c))
    };
    scheme.is_some_and(|scheme| word(scheme) && !matches!(scheme, "postgresql" | "postgres"))
}

fn undoubted(found: ConnectionString, place: &str) -> anyhow::Result<Values> {
    match found.doubts.first() {
        Some(doubt) => bail!("{place} is not used: {doubt}"),
        None => Ok(found.values),
    }
}

fn fill_from_variables(values: &mut Values, environment: &Environment) {
    for keyword in KEYWORDS {
        let Some(name) = keyword.variable else {
            continue;
        };
        if let Some(text) = environment.variable(name) {
            values.set_if_absent(keyword, Value::new(text, &Source::Variable(name)));
        }
    }
    // libpq still obeys this older word where PGSSLMODE is silent.
    if environment
        .variable("PGREQUIRESSL")
        .is_some_and(|text| text.starts_with('1'))
    {
        let value = Value::new("require", &Source::Variable("PGREQUIRESSL"));
        values.set_if_absent(find("sslmode").expect("a keyword"), value);
    }
}

/// libpq takes these for plain values and would show them, password included, as a host or a database.
fn refuse_misplaced_secrets(values: &Values) -> anyhow::Result<()> {
    for (name, value) in values.iter().filter(|(name, _)| is_plain(name)) {
        let source = &value.source;
        ensure!(
            !(IDENTIFIERS.contains(&name) && value.text.contains("://")),
            "{source} holds a URL where libpq expects a plain {name}; give a URL with --dbname or in `LOCKAUDIT_DSN`"
        );
        ensure!(
            !value.text.to_ascii_lowercase().contains("password="),
            "{source} gives a {name} with another parameter inside; is a blank, a quote or a new line missing?"
        );
    }
    Ok(())
}

fn is_plain(name: &str) -> bool {
    find(name).is_some_and(|keyword| keyword.kind == Kind::Plain)
}

fn note_unreadable(environment: &Environment, notes: &mut Vec<String>) {
    let ours = |name: &&String| {
        let known = |keyword: &super::keyword::Keyword| keyword.variable == Some(name.as_str());
        KEYWORDS.iter().any(known) || matches!(name.as_str(), "LOCKAUDIT_DSN" | "DATABASE_URL")
    };
    let unreadable = environment.unreadable_variables.iter().filter(ours);
    notes.extend(unreadable.map(|name| format!("`{name}` is not UTF-8 and is ignored")));
}
