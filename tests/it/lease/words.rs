//! The statements of `sql/lease` in any session of the harness, with literals for their parameters: inside
//! a transaction, at any isolation level, blocked, through a bad network.

use lockaudit::pg::lease::statement::{
    BREAK, CREATION, FENCE_CHECK, RELEASE, RENEW, RENEW_MANY, Statement, TAKE,
};

use crate::harness::{Database, Server, Session, wait_for};

pub type Refusal = tokio_postgres::Error;

/// A lease under the name that a test has, as its holder knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub name: String,
    pub holder: String,
    pub token: i64,
}

impl Held {
    pub fn with_token(&self, token: i64) -> Self {
        Self {
            token,
            ..self.clone()
        }
    }

    pub fn by(&self, holder: &str) -> Self {
        Self {
            holder: holder.to_owned(),
            ..self.clone()
        }
    }
}

/// A fresh database that has the tables.
pub fn database<'a>(server: &'a Server, name: &str) -> Database<'a> {
    let db = server.database(name);
    create_tables(&db.session("owner"));
    db
}

pub fn create_tables(session: &Session) {
    for statement in CREATION {
        session.runs(statement.sql);
    }
}

/// What a session does to a lease.
pub trait Leasing {
    /// Nothing: refused.
    fn takes(&self, name: &str, holder: &str, seconds: f64) -> Option<Held>;
    /// As `takes`, of a lease that must be free.
    fn has_taken(&self, name: &str, holder: &str, seconds: f64) -> Held;
    fn tries_to_take(
        &self,
        name: &str,
        holder: &str,
        seconds: f64,
    ) -> Result<Option<Held>, Refusal>;
    fn renews(&self, held: &Held, seconds: f64) -> bool;
    fn renews_as_one_of_many(&self, held: &Held, seconds: f64) -> bool;
    fn releases(&self, held: &Held) -> bool;
    /// Whether the transaction may commit.
    fn passes_the_fence(&self, held: &Held) -> bool;
    fn breaks(&self, name: &str) -> bool;
    /// The row as text, without its times: holder and token.
    fn row_of(&self, name: &str) -> String;
    /// Below zero once it has ended.
    fn seconds_left(&self, name: &str) -> f64;
    /// Waits until the lease has ended by the server's clock.
    fn sees_the_end_of(&self, name: &str);
    /// Waits until so much time has passed on the server.
    fn sees_time_pass(&self, seconds: f64);
}

impl Leasing for Session {
    #[track_caller]
    fn takes(&self, name: &str, holder: &str, seconds: f64) -> Option<Held> {
        self.tries_to_take(name, holder, seconds)
            .unwrap_or_else(|error| panic!("{holder} could not ask for {name}: {error:?}"))
    }

    #[track_caller]
    fn has_taken(&self, name: &str, holder: &str, seconds: f64) -> Held {
        self.takes(name, holder, seconds)
            .unwrap_or_else(|| panic!("{name} is not free for {holder}"))
    }

    fn tries_to_take(
        &self,
        name: &str,
        holder: &str,
        seconds: f64,
    ) -> Result<Option<Held>, Refusal> {
        let rows = self.tries(&take_sql(name, holder, seconds))?;
        Ok(rows.first().map(|row| Held {
            name: name.to_owned(),
            holder: holder.to_owned(),
            token: number(&row[0]),
        }))
    }

    #[track_caller]
    fn renews(&self, held: &Held, seconds: f64) -> bool {
        is_one(&self.rows(&renew_sql(held, seconds)))
    }

    #[track_caller]
    fn renews_as_one_of_many(&self, held: &Held, seconds: f64) -> bool {
        is_one(&self.rows(&renew_many_sql(std::slice::from_ref(held), seconds)))
    }

    #[track_caller]
    fn releases(&self, held: &Held) -> bool {
        is_one(&self.rows(&release_sql(held)))
    }

    #[track_caller]
    fn passes_the_fence(&self, held: &Held) -> bool {
        let token = held.token.to_string();
        is_one(&self.rows(&spelled(&FENCE_CHECK, &[&held.name, &held.holder, &token])))
    }

    #[track_caller]
    fn breaks(&self, name: &str) -> bool {
        is_one(&self.rows(&spelled(&BREAK, &[name, "stuck"])))
    }

    #[track_caller]
    fn row_of(&self, name: &str) -> String {
        let sql = format!(
            "SELECT coalesce(holder, 'nobody') || ' ' || token || ' ' || expires_at
            FROM lockaudit_lease WHERE name = '{name}'"
        );
        self.value(&sql).unwrap_or_else(|| "absent".to_owned())
    }

    #[track_caller]
    fn seconds_left(&self, name: &str) -> f64 {
        let sql = format!(
            "SELECT extract(epoch FROM expires_at - clock_timestamp())::float8
            FROM lockaudit_lease WHERE name = '{name}'"
        );
        let left = self.value(&sql).expect("the name is known");
        left.parse().expect("a number of seconds")
    }

    #[track_caller]
    fn sees_the_end_of(&self, name: &str) {
        wait_for("the end of the lease", || self.seconds_left(name) <= 0.0);
    }

    #[track_caller]
    fn sees_time_pass(&self, seconds: f64) {
        let begun = self.value("SELECT clock_timestamp()").expect("a time");
        let passed = format!(
            "SELECT clock_timestamp() >= '{begun}'::timestamptz + make_interval(secs => {seconds})"
        );
        wait_for("time to pass on the server", || self.says(&passed));
    }
}

pub fn take_sql(name: &str, holder: &str, seconds: f64) -> String {
    spelled(
        &TAKE,
        &[name, holder, &seconds.to_string(), "none", "a test"],
    )
}

pub fn renew_sql(held: &Held, seconds: f64) -> String {
    let (token, seconds) = (held.token.to_string(), seconds.to_string());
    spelled(&RENEW, &[&held.name, &held.holder, &token, &seconds])
}

pub fn renew_many_sql(held: &[Held], seconds: f64) -> String {
    let list = |of: fn(&Held) -> String| {
        let items: Vec<String> = held.iter().map(of).collect();
        format!("{{{}}}", items.join(","))
    };
    let names = list(|held| held.name.clone());
    let holders = list(|held| held.holder.clone());
    let tokens = list(|held| held.token.to_string());
    spelled(
        &RENEW_MANY,
        &[&names, &holders, &tokens, &seconds.to_string()],
    )
}

pub fn release_sql(held: &Held) -> String {
    let token = held.token.to_string();
    spelled(&RELEASE, &[&held.name, &held.holder, &token, "done"])
}

/// The file's text with each value in its parameter's place, the last first: `$1` is in `$10`.
fn spelled(statement: &Statement, values: &[&str]) -> String {
    assert_eq!(
        values.len(),
        statement.parameters.len(),
        "{}",
        statement.file
    );
    let code = statement.sql.lines().filter(|line| !line.starts_with("--"));
    let code = code.collect::<Vec<_>>().join("\n");
    let numbered = values.iter().zip(statement.parameters).enumerate().rev();
    numbered.fold(code, |code, (at, (value, kind))| {
        let value = value.replace('\'', "''");
        code.replace(
            &format!("${}", at + 1),
            &format!("'{value}'::{}", kind.name()),
        )
    })
}

fn is_one(rows: &[Vec<Option<String>>]) -> bool {
    assert!(rows.len() <= 1, "more than one row: {rows:?}");
    rows.len() == 1
}

fn number(column: &Option<String>) -> i64 {
    let text = column.as_ref().expect("a token is not NULL");
    text.parse().expect("a token is a number")
}
