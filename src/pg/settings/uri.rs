//! `postgresql://` URIs, taken apart in libpq's order and decoded after it.

use anyhow::{bail, ensure};

use super::keyword::{Kind, find, looks_like_a_keyword, suggestion};
use super::parameters::{ConnectionString, translate};
use super::values::Source;

const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Everything before the `?`, and the decoded query parameters, known or not.
pub(super) struct Parts {
    pub(super) located: ConnectionString,
    pub(super) query: Vec<(String, String)>,
}

pub(super) fn is_uri(text: &str) -> bool {
    without_scheme(text).is_some()
}

fn without_scheme(text: &str) -> Option<&str> {
    SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme))
}

/// Reads a URI; an unknown query parameter is an error.
pub(super) fn parse(text: &str, source: &Source) -> anyhow::Result<ConnectionString> {
    let Parts { mut located, query } = split(text, source)?;
    let mut after_secret = false;
    for (name, value) in query {
        let (name, value) = jdbc_word(name, value);
        let (Some(keyword), value) = translate(&name, value) else {
            bail!(unknown(&name, after_secret, source));
        };
        after_secret = keyword.kind == Kind::Secret;
        located.store(keyword, value, source);
    }
    Ok(located)
}

/// libpq's one concession to JDBC's words.
fn jdbc_word(name: String, value: String) -> (String, String) {
    match (name.as_str(), value.as_str()) {
        ("ssl", "true") => ("sslmode".to_owned(), "require".to_owned()),
        _ => (name, value),
    }
}

fn unknown(name: &str, after_secret: bool, source: &Source) -> String {
    match after_secret || !looks_like_a_keyword(name) {
        true => format!("{source} holds an unknown query parameter; write `&` in a value as %26"),
        false => format!(
            "unknown query parameter `{name}` in {source}{}",
            suggestion(name)
        ),
    }
}

/// Takes a URI apart. What is known of the text before the `?` is decoded and stored.
pub(super) fn split(text: &str, source: &Source) -> anyhow::Result<Parts> {
    let Some(rest) = without_scheme(text) else {
        bail!("{source} is no URI: it starts with neither postgresql:// nor postgres://");
    };
    let (credentials, rest) = split_credentials(rest);
    let (hosts, ports, rest) = split_hosts(rest, source)?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let dbname = path.strip_prefix('/').unwrap_or(path);

    let named = credentials.unwrap_or("");
    let (user, password) = named.split_once(':').unwrap_or((named, ""));
    let located = [
        ("user", user),
        ("password", password),
        ("host", &hosts),
        ("port", &ports),
        ("dbname", dbname),
    ];
    let mut found = store_all(&located, source)?;
    found.doubts.extend(doubt(credentials, &hosts, dbname));
    Ok(Parts {
        located: found,
        query: query_pairs(query, source)?,
    })
}

/// An empty part is no value: `postgresql:///` leaves all to the environment.
fn store_all(parts: &[(&str, &str)], source: &Source) -> anyhow::Result<ConnectionString> {
    let mut found = ConnectionString::default();
    for (name, text) in parts.iter().filter(|(_, text)| !text.is_empty()) {
        let keyword = find(name).expect("the parts of a URI are keywords");
        found.store(keyword, decode(text, name, source)?, source);
    }
    Ok(found)
}

/// A password with a bare `@` or `/`, or a lost `?`, ends up in the host or in the database's name.
fn doubt(credentials: Option<&str>, hosts: &str, dbname: &str) -> Option<String> {
    let at_sign = hosts.contains('@') || (credentials.is_none() && dbname.contains('@'));
    let pair = hosts.contains('=') || dbname.contains('=');
    (at_sign || pair).then(|| {
        "there is an `@` or a `=` in the host or in the database's name; write `@`, `/` and `=` in a password or a \
         name as %40, %2F and %3D, and `?` before the parameters"
            .to_owned()
    })
}

/// Credentials end at the first `@`, unless a `/` comes before it.
fn split_credentials(rest: &str) -> (Option<&str>, &str) {
    match rest.find(['@', '/']) {
        Some(end) if rest[end..].starts_with('@') => (Some(&rest[..end]), &rest[end + 1..]),
        _ => (None, rest),
    }
}

/// The hosts and the ports, each as one list with commas, and what follows them.
fn split_hosts<'a>(text: &'a str, source: &Source) -> anyhow::Result<(String, String, &'a str)> {
    let (mut hosts, mut ports, mut rest) = (String::new(), String::new(), text);
    loop {
        let (host, after) = split_host(rest, source)?;
        let (port, after) = split_port(after);
        hosts.push_str(host);
        ports.push_str(port);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok((hosts, ports, after)),
        }
        hosts.push(',');
        ports.push(',');
    }
}

fn split_host<'a>(text: &'a str, source: &Source) -> anyhow::Result<(&'a str, &'a str)> {
    let Some(bracketed) = text.strip_prefix('[') else {
        return Ok(text.split_at(text.find([':', '/', '?', ',']).unwrap_or(text.len())));
    };
    let Some((host, after)) = bracketed.split_once(']') else {
        bail!("the `[` of an IPv6 address in {source} is never closed");
    };
    ensure!(!host.is_empty(), "the IPv6 address in {source} is empty");
    ensure!(
        after.is_empty() || after.starts_with([':', '/', '?', ',']),
        "the `]` of an IPv6 address in {source} must be followed by `:`, `/`, `?`, `,` or nothing"
    );
    Ok((host, after))
}

fn split_port(text: &str) -> (&str, &str) {
    match text.strip_prefix(':') {
        Some(port) => port.split_at(port.find(['/', '?', ',']).unwrap_or(port.len())),
        None => ("", text),
    }
}

fn query_pairs(query: &str, source: &Source) -> anyhow::Result<Vec<(String, String)>> {
    let whole = query.strip_suffix('&').unwrap_or(query);
    match query.is_empty() {
        true => Ok(Vec::new()),
        false => whole
            .split('&')
            .map(|pair| query_pair(pair, source))
            .collect(),
    }
}

fn query_pair(pair: &str, source: &Source) -> anyhow::Result<(String, String)> {
    let Some((name, value)) = pair.split_once('=') else {
        bail!("a query parameter in {source} has no `=`; write `&` in a value as %26");
    };
    ensure!(
        !value.contains('='),
        "a query parameter in {source} has two `=`; write `=` in a value as %3D"
    );
    let name = decode(name, "a query parameter's name", source)?;
    let value = decode(value, "a query parameter", source)?;
    Ok((name, value))
}

/// Percent decoding. `part` names what is decoded: its text may be the password.
fn decode(text: &str, part: &str, source: &Source) -> anyhow::Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let (decoded, after) = match (byte, after) {
            (b'%', after) => (escaped(after, part, source)?, &after[2..]),
            (plain, after) => (plain, after),
        };
        bytes.push(decoded);
        rest = after;
    }
    String::from_utf8(bytes).map_err(|_| {
        anyhow::anyhow!("{part} in {source} is not UTF-8 once its percent signs are decoded")
    })
}

fn escaped(after: &[u8], part: &str, source: &Source) -> anyhow::Result<u8> {
    let digit = |index: usize| {
        after
            .get(index)
            .and_then(|byte| char::from(*byte).to_digit(16))
    };
    let (Some(high), Some(low)) = (digit(0), digit(1)) else {
        bail!(
            "a `%` in {part} in {source} is not followed by two hexadecimal digits; write `%` as %25"
        );
    };
    let byte = u8::try_from(high * 16 + low).expect("two hexadecimal digits are a byte");
    ensure!(
        byte != 0,
        "%00 in {part} in {source} is a NUL, which no parameter can hold"
    );
    Ok(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source::ConnectionString("the connection string");

    fn read(text: &str) -> String {
        let found = parse(text, &SOURCE).expect("a valid URI");
        let pairs: Vec<String> = found
            .values
            .iter()
            .map(|(name, value)| format!("{name}={}", value.text))
            .collect();
        pairs.join(" ")
    }

    fn refusal(text: &str) -> String {
        parse(text, &SOURCE)
            .expect_err("an invalid URI")
            .to_string()
    }

    #[test]
    fn takes_a_uri_apart() {
        assert_eq!(
            read("postgres://u%40x:p%3Aw@[::1]:5433,h2/d%2Fb?ssl=true&application_name=a@b"),
            "application_name=a@b dbname=d/b host=::1,h2 password=p:w port=5433, sslmode=require user=u@x"
        );
    }

    #[test]
    fn leaves_open_what_is_empty() {
        assert_eq!(read("postgresql://"), "");
        assert_eq!(read("postgresql://h:/?"), "host=h");
        assert_eq!(read("postgresql:///db?host=/tmp&"), "dbname=db host=/tmp");
    }

    #[test]
    fn ends_the_credentials_where_libpq_does() {
        assert_eq!(read("postgresql://u@h@x/db"), "dbname=db host=h@x user=u");
        assert_eq!(
            read("postgresql://h/db?application_name=a@b"),
            "application_name=a@b dbname=db host=h"
        );
    }

    #[test]
    fn names_a_query_parameter_but_never_its_value() {
        let expected =
            "unknown query parameter `pasword` in the connection string; did you mean `password`?";
        assert_eq!(refusal("postgresql://h?pasword=hunter2"), expected);
        for text in [
            "postgresql://h?password=a&hunter2=b",
            "postgresql://u:hunter2%zz@h",
            "postgresql://u:hunter2@[h",
        ] {
            assert!(!refusal(text).contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn doubts_a_password_that_was_not_encoded() {
        for text in [
            "postgresql://u:hunt@er2@h/db",
            "postgresql://u:5/hunter2@h/db",
        ] {
            assert_eq!(
                parse(text, &SOURCE).expect("as libpq").doubts.len(),
                1,
                "{text}"
            );
        }
    }
}
