//! A template's marks, and what each gives way to.

use super::{Language, STATEMENTS, Subject, literal, seconds};

/// How wide the comment at the top is at most.
const WIDTH: usize = 100;

/// What every snippet says of itself.
const ABOUT: &str = "\
Before: an advisory key, held by a session for as long as the work lasts. After: a lease, a row that ends by itself.

The lease is renewed every quarter of its time, on a connection of its own. An error is not a refusal: the renewal may \
have been done, so it is asked for again, on a new connection. The work is stopped at once when the lease is lost for \
certain, and when three quarters of its time have passed unconfirmed; it has the last quarter to stop in. A process \
that stood still for longer notices too late: what must never be written twice asks for the fence, in its own \
transaction, last before COMMIT.

BRIDGE is what this code does about the old key while the name is in mode `both` of the migration. `hold`: it holds \
the key, shared, on the lease's connection, which must lead straight to the server, not through a transaction-mode \
pooler. `probe`: it asks for the key as it takes the lease, which is enough only where the old code looks for a lease \
once it has the key. `none`: it gets no lease in that mode. In mode `advisory` nobody gets one, and the old code works on.";

/// The template with all its marks filled in.
pub(super) fn filled(language: Language, subject: &Subject) -> String {
    let mut code = String::new();
    for line in language.template().split_inclusive('\n') {
        match line.split_once("{{about}}") {
            Some((comment, _)) => code.push_str(&about(comment)),
            None => code.push_str(&line_filled(line, language, subject)),
        }
    }
    code
}

/// The comment at the top, each line after the same mark.
fn about(comment: &str) -> String {
    let paragraphs = ABOUT.split('\n');
    let lines = paragraphs.flat_map(|paragraph| textwrap::wrap(paragraph, WIDTH - comment.len()));
    lines
        .map(|line| format!("{}\n", format!("{comment}{line}").trim_end()))
        .collect()
}

/// Each mark of a line gives way to what it stands for; what took a place is not looked at again.
fn line_filled(line: &str, language: Language, subject: &Subject) -> String {
    let indent = line.len() - line.trim_start().len();
    let mut done = String::new();
    let mut rest = line;
    while let Some((before, name, after)) = next_mark(rest) {
        done.push_str(before);
        done.push_str(
            &value(name, language, subject).replace('\n', &format!("\n{}", &line[..indent])),
        );
        rest = after;
    }
    done + rest
}

/// What stands before the next `"{{name}}"`, the name, and what comes after it.
fn next_mark(text: &str) -> Option<(&str, &str, &str)> {
    let at = text.find("{{")?;
    let length = text[at..]
        .find("}}")
        .expect("a mark of a template is closed");
    let name = &text[at + 2..at + length];
    Some((&text[..at - 1], name, &text[at + length + 3..]))
}

fn value(mark: &str, language: Language, subject: &Subject) -> String {
    let key = subject.key.arguments();
    match mark {
        "name" => literal::quoted(language, subject.name.as_str()),
        "bridge" => literal::quoted(language, subject.bridge.as_str()),
        "ttl" => seconds(subject.ttl),
        "ttl_milliseconds" => subject.ttl.as_millis().to_string(),
        "lock" => call(language, &format!("SELECT pg_advisory_lock({key})")),
        "unlock" => call(language, &format!("SELECT pg_advisory_unlock({key})")),
        "hold" => call(
            language,
            &format!(
                "SELECT set_config('lock_timeout', '2s', true), pg_advisory_lock_shared({key})"
            ),
        ),
        other => statement(other, language, subject),
    }
}

fn call(language: Language, sql: &str) -> String {
    match language {
        Language::Sql => sql.to_owned(),
        _ => literal::quoted(language, sql),
    }
}

/// `take.sql`: the statement; `take.order`: which value belongs in each of its places.
fn statement(mark: &str, language: Language, subject: &Subject) -> String {
    let (name, part) = mark.split_once('.').expect("a mark is known or has a dot");
    let mut statements = STATEMENTS.into_iter();
    let statement = statements
        .find(|statement| statement.name == name)
        .expect("a template's statements are known");
    let written = subject.statement(language, statement);
    match (part, language) {
        ("order", _) => written.order_as_text(),
        (_, Language::Sql) => written.sql,
        _ if literal::is_plain(&subject.table) => literal::block(language, &written.sql),
        _ => literal::quoted(language, &written.sql),
    }
}
