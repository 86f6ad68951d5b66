//! `DATABASE_URL` as it is met in the field: libpq's URIs with an ORM's words in them.
//!
//! Only this variable is read so leniently: what was typed for lockaudit is held to libpq's rules.

use anyhow::bail;

use super::connection_string::{ConnectionString, is_connection_string, parse as parse_strictly};
use super::keyword::{Kind, find, looks_like_a_keyword};
use super::parameters::translate;
use super::uri;
use super::values::Source;

const SOURCE: Source = Source::ConnectionString("`DATABASE_URL`");

/// Schemes of PostgreSQL, and of Django's and Rails' PostGIS.
const SCHEMES: [&str; 4] = ["postgresql", "postgres", "postgis", "pgsql"];

/// libpq's sslmode words, and what node-postgres, asyncpg and JDBC write for them.
const SSL_WORDS: [(&str, &str); 11] = [
    ("disable", "disable"),
    ("allow", "allow"),
    ("prefer", "prefer"),
    ("require", "require"),
    ("verify-ca", "verify-ca"),
    ("verify-full", "verify-full"),
    ("no-verify", "require"),
    ("true", "require"),
    ("1", "require"),
    ("false", "disable"),
    ("0", "disable"),
];

/// Reads the variable's value; what is left out is noted, by name only.
pub(super) fn parse(text: &str, notes: &mut Vec<String>) -> anyhow::Result<ConnectionString> {
    anyhow::ensure!(!text.contains('\0'), "`DATABASE_URL` holds a NUL character");
    let Some((scheme, rest)) = text.split_once("://") else {
        return without_scheme(text);
    };
    let parts = uri::split(
        &format!("postgresql://{}", rest_of(scheme, rest, notes)?),
        &SOURCE,
    )?;
    let mut found = parts.located;
    let mut foreign = Vec::new();
    let mut after_secret = false;
    for (name, value) in parts.query {
        let secret = find(&name).is_some_and(|keyword| keyword.kind == Kind::Secret);
        let unknown = store(&mut found, name, value)?;
        let still_after_it = after_secret && unknown.is_some();
        foreign.extend(unknown.map(|name| shown(name, after_secret)));
        after_secret = secret || still_after_it;
    }
    notes.extend(ignored(&foreign));
    Ok(found)
}

fn without_scheme(text: &str) -> anyhow::Result<ConnectionString> {
    if !is_connection_string(text) {
        bail!("`DATABASE_URL` holds no URL; it starts with postgresql://, or is left out");
    }
    parse_strictly(text, &SOURCE)
}

fn rest_of<'a>(scheme: &str, rest: &'a str, notes: &mut Vec<String>) -> anyhow::Result<&'a str> {
    let plain = scheme.strip_prefix("jdbc:").unwrap_or(scheme);
    let base = plain.split('+').next().unwrap_or(plain);
    if SCHEMES.contains(&base) {
        if scheme.len() != base.len() {
            notes.push(format!(
                "`DATABASE_URL` names a driver beside the scheme `{base}`, which is ignored"
            ));
        }
        return Ok(rest);
    }
    match looks_like_a_keyword(base) {
        true => bail!(
            "`DATABASE_URL` leads to `{base}`, not to PostgreSQL; give a connection with --dbname"
        ),
        false => bail!("`DATABASE_URL` is no PostgreSQL URL; give a connection with --dbname"),
    }
}

/// Gives the name back if libpq has no such parameter.
fn store(
    found: &mut ConnectionString,
    name: String,
    value: String,
) -> anyhow::Result<Option<String>> {
    let (known, value) = match name.as_str() {
        "ssl" | "sslmode" => ("sslmode", ssl_word(&name, &value)?.to_owned()),
        other => (other, value),
    };
    let (Some(keyword), value) = translate(known, value) else {
        return Ok(Some(name));
    };
    found.store(keyword, value, &SOURCE);
    Ok(None)
}

fn ssl_word(name: &str, value: &str) -> anyhow::Result<&'static str> {
    match SSL_WORDS.iter().find(|(word, _)| *word == value) {
        Some((_, mode)) => Ok(mode),
        None => bail!(
            "the value of `{name}` in `DATABASE_URL` is not known; libpq's word is sslmode=verify-full"
        ),
    }
}

/// A word that may be a piece of a secret is not repeated: a password can hold a bare `&`.
fn shown(name: String, after_secret: bool) -> String {
    match looks_like_a_keyword(&name) && !after_secret {
        true => format!("`{name}`"),
        false => "what follows a `&`".to_owned(),
    }
}

/// One sentence for all.
fn ignored(foreign: &[String]) -> Option<String> {
    let hint = match foreign.iter().any(|name| name == "`sslaccept`") {
        true => "; to check the server's certificate, say sslmode=verify-full",
        false => "",
    };
    let names = foreign.join(", ");
    (!foreign.is_empty()).then(|| {
        format!("ignored in `DATABASE_URL`, since libpq has no such parameter: {names}{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<String>) {
        let mut notes = Vec::new();
        let found = parse(text, &mut notes).expect("a valid URL");
        let pairs: Vec<String> = found
            .values
            .iter()
            .map(|(name, value)| format!("{name}={}", value.text))
            .collect();
        (pairs.join(" "), notes)
    }

    #[test]
    fn leaves_out_an_orm_s_words_and_says_so() {
        let (found, notes) =
            read("postgresql+asyncpg://u:p@h/db?schema=public&pgbouncer=true&connect_timeout=5");
        assert_eq!(
            found,
            "connect_timeout=5 dbname=db host=h password=p user=u"
        );
        assert_eq!(
            notes,
            [
                "`DATABASE_URL` names a driver beside the scheme `postgresql`, which is ignored",
                "ignored in `DATABASE_URL`, since libpq has no such parameter: `schema`, `pgbouncer`",
            ]
        );
    }

    #[test]
    fn does_not_repeat_the_tail_of_a_password() {
        let (_, notes) = read("postgresql://h/db?password=a&b=c&hunter2=d");
        assert!(!notes.concat().contains("hunter2"), "{notes:?}");
    }

    #[test]
    fn translates_other_drivers_words_for_tls() {
        assert_eq!(
            read("jdbc:postgresql://h/db?ssl=true").0,
            "dbname=db host=h sslmode=require"
        );
        assert_eq!(
            read("postgres://h?sslmode=no-verify").0,
            "host=h sslmode=require"
        );
        assert_eq!(
            read("postgres://h?ssl=verify-full").0,
            "host=h sslmode=verify-full"
        );
    }

    #[test]
    fn refuses_another_kind_of_database() {
        let refused = parse("mysql://u:hunter2@h/db", &mut Vec::new()).expect_err("not PostgreSQL");
        assert_eq!(
            refused.to_string(),
            "`DATABASE_URL` leads to `mysql`, not to PostgreSQL; give a connection with --dbname"
        );
    }
}
