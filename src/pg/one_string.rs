//! A sample through a pooler that is certain to be one: the whole of it in one string of the simple
//! protocol, which is one transaction without a `BEGIN`.
//!
//! A pool of mode `statement` closes the server connection of whoever begins a transaction, and
//! with it goes whatever lock a stranger left there: that must not be our doing. In a string of
//! several statements the server sees one transaction, and the pooler none, also when it fails.
//! The limits and `READ ONLY` are those of every sample. What it can't do: read text that is no UTF-8,
//! and answer when the lock table is full, since it reads views.

use std::fmt;

use anyhow::{Context, Result};
use tokio_postgres::SimpleQueryMessage;

use super::connect::Connection;
use super::question::in_words;
use super::sample::{ANSWER_WITHIN, Sampling, in_time};
use super::sessions::QueryTexts;
use super::way_in::WayIn;
use crate::saved;
use crate::snapshot::{Snapshot, blindness};
use crate::text::sql_literal;

/// Takes one snapshot.
pub(super) async fn take(
    connection: &Connection,
    sampling: &Sampling,
    way_in: WayIn,
) -> Result<Snapshot> {
    let string = string(sampling.role.as_deref());
    let asked = async {
        let answer = connection.client.simple_query(&string).await;
        answer
            .map_err(in_words)
            .context("could not read the sample in one string of statements")
    };
    let answer = in_time(ANSWER_WITHIN, asked).await?;
    let rows: Vec<(&str, &str)> = answer
        .iter()
        .filter_map(|message| kind_and_row(message).transpose())
        .collect::<Result<_, NotUtf8>>()?;
    let mut snapshot = saved::from_rows(rows.into_iter()).context("could not decode the sample")?;
    if sampling.texts == QueryTexts::LeaveOut {
        snapshot.shorten_queries(0);
    }
    let told_by_rows = blindness::of(&snapshot);
    snapshot
        .blind_spots
        .retain(|spot| !told_by_rows.contains(spot));
    snapshot.server.path = way_in.path_of_sample_in(snapshot.viewer.pid);
    let seen = blindness::of(&snapshot);
    snapshot.blind_spots.extend(seen);
    Ok(snapshot)
}

/// The script of `scan --print-sql` in the transaction that any string is, as `role` if one is given.
/// The simple protocol binds nothing.
fn string(role: Option<&str>) -> String {
    let script = saved::PSQL_SCRIPT
        .replacen("BEGIN READ ONLY;", "SET TRANSACTION READ ONLY;", 1)
        .replacen("COMMIT;", "", 1);
    match role {
        Some(role) => format!(
            "SELECT pg_catalog.set_config('role', {}, true);\n{script}",
            sql_literal(role)
        ),
        None => script,
    }
}

/// Other results are of other shapes.
fn kind_and_row(message: &SimpleQueryMessage) -> Result<Option<(&str, &str)>, NotUtf8> {
    match message {
        SimpleQueryMessage::Row(row) if row.len() == 2 => {
            let text = |column| row.try_get(column).map_err(|_| NotUtf8);
            Ok(text(0)?.zip(text(1)?))
        }
        _ => Ok(None),
    }
}

/// A database of encoding SQL_ASCII hands out text as it is stored.
#[derive(Debug)]
pub(super) struct NotUtf8;

impl fmt::Display for NotUtf8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text of the sample is no UTF-8")
    }
}

impl std::error::Error for NotUtf8 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_string_begins_and_ends_no_transaction_and_keeps_the_limits() {
        let string = string(None);
        let statements: Vec<&str> = string
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("--"))
            .collect();
        for word in ["BEGIN", "COMMIT", "ROLLBACK", "START"] {
            let there = statements.iter().any(|line| line.starts_with(word));
            assert!(!there, "{word}");
        }
        for limit in [
            "SET TRANSACTION READ ONLY;",
            "SET LOCAL statement_timeout = '5s';",
            "SET LOCAL lock_timeout = '50ms';",
            "SET LOCAL search_path = pg_catalog;",
        ] {
            assert!(statements.contains(&limit), "{limit}");
        }
    }

    #[test]
    fn no_role_can_add_a_statement() {
        let string = string(Some("x', true); DROP TABLE orders; --"));
        let first = string.lines().next().expect("a line");
        assert_eq!(
            first,
            "SELECT pg_catalog.set_config('role', 'x'', true); DROP TABLE orders; --', true);"
        );
    }
}
