//! Leases for applications: SQL functions whose bodies are the files of `sql/lease`, so that they can't drift.
//!
//! Each is one statement, runs with its caller's rights, and names its table whole, whatever the
//! caller's `search_path`. A comment marks it as ours.

use anyhow::{Context, Result, bail};
use tokio_postgres::types::ToSql;

use super::Cutover;
use super::statement::{FUNCTIONS, SCHEMA_OF_TABLE, TIMELINE};
use crate::lease::TableName;
use crate::pg::column::{required_text, text};
use crate::pg::lease::has_no_timeline;
use crate::pg::lease::statement::{
    FENCE_CHECK, RELEASE, RENEW, Statement, TAKE, TAKE_WITHOUT_FLOOR,
};
use crate::text::sql_literal;

/// How the comment of each of our functions begins.
pub const MARK: &str = "lockaudit migrate apply --functions";

struct Function {
    /// Behind the table's name.
    suffix: &'static str,
    statement: Statement,
    /// In the order of the statement's parameters.
    arguments: &'static str,
    returns: &'static str,
    does: &'static str,
}

const RELEASE_FUNCTION: Function = Function {
    suffix: "release",
    statement: RELEASE,
    arguments: "name text, holder text, token bigint, reason text DEFAULT NULL",
    returns: "SETOF bigint",
    does: "gives a lease back; no row: it was not this holder's any more",
};

/// What `apply --functions` makes.
fn all(take: Statement) -> [Function; 4] {
    [
        Function {
            suffix: "take",
            statement: take,
            arguments: "name text, holder text, ttl_seconds double precision, bridge text DEFAULT 'none', reason text DEFAULT NULL",
            returns: "TABLE (token bigint, expires_at timestamptz, remaining_seconds double precision, mode text, bridged boolean)",
            does: "takes a lease; no row: somebody else has it, or the mode is not the caller's",
        },
        Function {
            suffix: "renew",
            statement: RENEW,
            arguments: "name text, holder text, token bigint, ttl_seconds double precision",
            returns: "TABLE (expires_at timestamptz, remaining_seconds double precision, mode text, bridged boolean)",
            does: "renews a lease; no row: it is lost for certain, stop at once",
        },
        RELEASE_FUNCTION,
        Function {
            suffix: "check",
            statement: FENCE_CHECK,
            arguments: "name text, holder text, token bigint",
            returns: "TABLE (expires_at timestamptz, remaining_seconds double precision)",
            does: "asked last before COMMIT, in the transaction of the work; no row: roll back",
        },
    ]
}

/// What came of the wish to remove the functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uninstalled {
    /// As SQL: a schema, a name, arguments.
    pub removed: Vec<String>,
    /// Of those names, and not ours.
    pub left: Vec<String>,
}

/// A function of one of our names that is there.
struct There {
    signature: String,
    ours: bool,
}

impl Cutover<'_> {
    /// The SQL that makes the functions, or makes them anew.
    ///
    /// # Errors
    /// When a function of one of the names is there that is not ours.
    pub(super) async fn functions_sql(&self) -> Result<String> {
        let there = self.functions_there().await?;
        if let Some(stranger) = there.iter().find(|function| !function.ours) {
            bail!(
                "{} is there, and is not ours: it has no comment that begins with `{MARK}`",
                stranger.signature
            );
        }
        let table = self.table_in_schema().await?;
        let made = all(self.take_statement().await?);
        let made = made.iter().map(|function| function.sql(&table));
        Ok(made.collect::<Vec<_>>().join("\n"))
    }

    /// Removes what [`MARK`] marks, and nothing else.
    ///
    /// # Errors
    /// When the server refuses: something may need them.
    pub async fn uninstall_functions(&self) -> Result<Uninstalled> {
        let work = async {
            let (ours, strangers): (Vec<_>, Vec<_>) = self
                .functions_there()
                .await?
                .into_iter()
                .partition(|function| function.ours);
            for function in &ours {
                let removed = self.run(&drop_sql(function)).await;
                removed.with_context(|| format!("could not remove {}", function.signature))?;
            }
            let signatures = |functions: Vec<There>| {
                let functions = functions.into_iter();
                functions.map(|function| function.signature).collect()
            };
            Ok(Uninstalled {
                removed: signatures(ours),
                left: signatures(strangers),
            })
        };
        self.in_transaction(work).await
    }

    /// What [`Cutover::uninstall_functions`] would do.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn uninstall_sql(&self) -> Result<String> {
        let there = self.functions_there().await?;
        let ours = there.iter().filter(|function| function.ours);
        let steps: Vec<String> = ours.map(drop_sql).collect();
        Ok(format!(
            "BEGIN;\nSET LOCAL lock_timeout = '3s';\n{}\nCOMMIT;",
            steps.join("\n")
        ))
    }

    async fn functions_there(&self) -> Result<Vec<There>> {
        let table = self.table_in_schema().await?;
        let schema = table.schema.as_deref().context("it has a schema")?;
        let names = all(TAKE).map(|function| function.name(&table));
        let values: [&(dyn ToSql + Sync); 2] = [&schema, &names.as_slice()];
        let rows = FUNCTIONS.ask(self.client, self.table, &values).await?;
        rows.iter()
            .map(|row| {
                let name = in_schema(&table, &required_text(row, "name")?);
                let comment = text(row, "comment")?;
                Ok(There {
                    signature: format!("{name}({})", required_text(row, "arguments")?),
                    ours: comment.is_some_and(|comment| comment.starts_with(MARK)),
                })
            })
            .collect()
    }

    async fn table_in_schema(&self) -> Result<TableName> {
        if self.table.schema.is_some() {
            return Ok(self.table.clone());
        }
        let values: [&(dyn ToSql + Sync); 1] = [&self.table.quoted()];
        let row = SCHEMA_OF_TABLE.ask_one(self.client, self.table, &values);
        let schema = match row.await? {
            Some(row) => text(&row, "schema")?,
            None => None,
        };
        Ok(TableName {
            schema: Some(
                schema.context("the search_path leads to no schema: name one by --table")?,
            ),
            table: self.table.table.clone(),
        })
    }

    /// Asked in a savepoint, since a refusal would end the transaction.
    async fn take_statement(&self) -> Result<Statement> {
        self.run("SAVEPOINT timeline").await?;
        match TIMELINE.ask_one(self.client, self.table, &[]).await {
            Ok(_) => Ok(TAKE),
            Err(error) if has_no_timeline(&error) => {
                self.run("ROLLBACK TO SAVEPOINT timeline").await?;
                Ok(TAKE_WITHOUT_FLOOR)
            }
            Err(error) => Err(error),
        }
    }
}

impl Function {
    fn name(&self, table: &TableName) -> String {
        format!("{}_{}", table.table, self.suffix)
    }

    fn sql(&self, table: &TableName) -> String {
        let name = in_schema(table, &self.name(table));
        let body = table.in_sql(self.statement.sql);
        let tag = tag_for(&body);
        let types: Vec<&str> = self
            .arguments
            .split(", ")
            .map(|argument| {
                let (_, kind) = argument.split_once(' ').expect("a name and a type");
                kind.split(" DEFAULT")
                    .next()
                    .expect("there is a first part")
            })
            .collect();
        let comment = format!("{MARK}: {}", self.does);
        format!(
            "CREATE OR REPLACE FUNCTION {name}({})\nRETURNS {}\nLANGUAGE sql VOLATILE PARALLEL UNSAFE\nSET search_path = pg_catalog, pg_temp\nAS {tag}\n{body}\n{tag};\nCOMMENT ON FUNCTION {name}({}) IS {};",
            self.arguments,
            self.returns,
            types.join(", "),
            sql_literal(&comment)
        )
    }
}

/// A quote that the body does not hold: a table's name may hold anything.
fn tag_for(body: &str) -> String {
    let mut tag = "$lockaudit$".to_owned();
    while body.contains(&tag) {
        tag.insert(tag.len() - 1, '_');
    }
    tag
}

fn in_schema(table: &TableName, name: &str) -> String {
    let named = TableName {
        schema: table.schema.clone(),
        table: name.to_owned(),
    };
    named.quoted()
}

fn drop_sql(function: &There) -> String {
    format!("DROP FUNCTION {};", function.signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_the_file_and_nothing_else() {
        let table: TableName = r#"jobs."a $lockaudit$ b""#.parse().expect("a name");
        let [take, ..] = all(TAKE);
        let sql = take.sql(&table);
        let body = sql.split("$lockaudit_$").nth(1).expect("a body in quotes");
        assert_eq!(body.trim(), table.in_sql(TAKE.sql).trim());
    }

    #[test]
    fn each_argument_is_a_parameter_of_the_statement() {
        for function in all(TAKE) {
            let arguments = function.arguments.split(", ").count();
            assert_eq!(
                arguments,
                function.statement.parameters.len(),
                "{}",
                function.suffix
            );
        }
    }

    #[test]
    fn a_person_reads_what_is_made() {
        let table = TableName {
            schema: Some("jobs".to_owned()),
            ..TableName::default()
        };
        insta::assert_snapshot!(RELEASE_FUNCTION.sql(&table), @r#"
        CREATE OR REPLACE FUNCTION "jobs".lockaudit_lease_release(name text, holder text, token bigint, reason text DEFAULT NULL)
        RETURNS SETOF bigint
        LANGUAGE sql VOLATILE PARALLEL UNSAFE
        SET search_path = pg_catalog, pg_temp
        AS $lockaudit$
        WITH released AS (
            UPDATE "jobs".lockaudit_lease AS l SET holder = NULL, expires_at = '-infinity', bridged = false
            WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
            RETURNING
                l.token AS token,
                pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                    WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                    ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
        ), logged AS (
            INSERT INTO "jobs".lockaudit_lease_log (name, token, event, holder, reason)
            SELECT $1, r.token, 'released', $2, $4
            FROM released AS r
            ON CONFLICT DO NOTHING
        )
        SELECT r.token AS token
        FROM released AS r;
        $lockaudit$;
        COMMENT ON FUNCTION "jobs".lockaudit_lease_release(text, text, bigint, text) IS 'lockaudit migrate apply --functions: gives a lease back; no row: it was not this holder''s any more';
        "#);
    }
}
