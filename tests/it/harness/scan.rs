//! Owns what a scan says as JSON, so that a test asks for it in words.

use std::fmt;

use serde_json::Value;

use super::command::{Outcome, lockaudit};
use super::database::Database;
use super::session::Session;

/// Scans this database's locks as the superuser: tests share their server.
#[track_caller]
pub fn scan(db: &Database<'_>) -> Scan {
    scan_with(db, &[])
}

#[track_caller]
pub fn scan_with(db: &Database<'_>, more: &[&str]) -> Scan {
    Scan::of(&db.url(), &[&["--database", db.name()], more].concat())
}

/// One scan's result, which must be as the schema promises.
#[derive(Debug)]
pub struct Scan {
    pub document: Value,
    outcome: Outcome,
}

impl Scan {
    #[track_caller]
    pub fn of(url: &str, more: &[&str]) -> Self {
        lockaudit(&[&["scan", url, "--format", "json"], more].concat()).into()
    }

    /// Judges a saved snapshot.
    #[track_caller]
    pub fn of_file(file: &str, more: &[&str]) -> Self {
        lockaudit(&[&["scan", "--input", file, "--format", "json"], more].concat()).into()
    }

    #[track_caller]
    pub fn exits_with(self, code: i32) -> Self {
        let outcome = self.outcome.exits_with(code);
        Self { outcome, ..self }
    }

    /// The one finding of this rule.
    #[track_caller]
    pub fn finds(&self, rule: &str) -> Found {
        let found = self.found(rule);
        let [only] = &found[..] else {
            panic!("{} findings of {rule} in {self}", found.len());
        };
        only.clone()
    }

    /// All findings of this rule.
    pub fn found(&self, rule: &str) -> Vec<Found> {
        let findings = items(&self.document["findings"]);
        findings
            .filter(|finding| finding["rule"] == rule)
            .map(|finding| Found(finding.clone()))
            .collect()
    }

    #[track_caller]
    pub fn is_silent_on(&self, rule: &str) -> &Self {
        assert!(self.found(rule).is_empty(), "a finding of {rule} in {self}");
        self
    }

    /// The rules that found something, in the order of the findings. Not counted: remarks on hidden
    /// sessions without a part in the picture, which are those of the other tests of a shared server.
    pub fn rules(&self) -> Vec<&str> {
        let about_others =
            |one: &Value| one["rule"] == "limited-visibility" && one["severity"] == "info";
        items(&self.document["findings"])
            .filter(|finding| !about_others(finding))
            .filter_map(|finding| finding["rule"].as_str())
            .collect()
    }

    /// The rules that found more than a remark.
    pub fn trouble(&self) -> Vec<&str> {
        items(&self.document["findings"])
            .filter(|finding| finding["severity"] != "info")
            .filter_map(|finding| finding["rule"].as_str())
            .collect()
    }

    pub fn blind_spots(&self) -> Vec<&str> {
        items(&self.document["blind_spots"])
            .filter_map(|spot| spot["code"].as_str())
            .collect()
    }

    /// The one row that this session has in `locks`, held or waited for.
    #[track_caller]
    pub fn lock_of(&self, session: &Session) -> &Value {
        self.row_of("locks", session)
    }

    #[track_caller]
    pub fn wait_of(&self, session: &Session) -> &Value {
        self.row_of("waits", session)
    }

    #[track_caller]
    fn row_of(&self, table: &str, session: &Session) -> &Value {
        let rows: Vec<&Value> = items(&self.document[table])
            .filter(|row| row["pid"] == session.pid())
            .collect();
        let [only] = rows[..] else {
            panic!("{} {table} of pid {} in {self}", rows.len(), session.pid());
        };
        only
    }
}

impl From<Outcome> for Scan {
    #[track_caller]
    fn from(outcome: Outcome) -> Self {
        let document = outcome.valid_json();
        Self { document, outcome }
    }
}

impl fmt::Display for Scan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outcome.fmt(formatter)
    }
}

/// One finding.
#[derive(Debug, Clone)]
pub struct Found(Value);

impl Found {
    #[track_caller]
    pub fn is(&self, severity: &str, certainty: &str) -> &Self {
        let found = (&self.0["severity"], &self.0["certainty"]);
        assert_eq!(found, (&severity.into(), &certainty.into()), "{self}");
        self
    }

    /// In its title, its evidence or its advice.
    #[track_caller]
    pub fn tells(&self, part: &str) -> &Self {
        assert!(self.mentions(part), "no {part:?} in {self}");
        self
    }

    pub fn mentions(&self, part: &str) -> bool {
        self.words().contains(part)
    }

    #[track_caller]
    pub fn keeps_quiet_about(&self, part: &str) -> &Self {
        assert!(!self.mentions(part), "{part:?} in {self}");
        self
    }

    /// Exactly these sessions, in any order.
    #[track_caller]
    pub fn names(&self, sessions: &[&Session]) -> &Self {
        let mut named = self.pids();
        let mut meant: Vec<i64> = sessions.iter().map(|one| one.pid().into()).collect();
        named.sort_unstable();
        meant.sort_unstable();
        assert_eq!(named, meant, "{self}");
        self
    }

    pub fn pids(&self) -> Vec<i64> {
        items(&self.0["pids"]).filter_map(Value::as_i64).collect()
    }

    /// Its only statement.
    #[track_caller]
    pub fn sql(&self) -> String {
        let statements = self.statements();
        let [only] = &statements[..] else {
            panic!("{} statements in {self}", statements.len());
        };
        only.clone()
    }

    pub fn statements(&self) -> Vec<String> {
        let sql = items(&self.0["advice"]).filter_map(|advice| advice["sql"].as_str());
        sql.map(str::to_owned).collect()
    }

    pub fn keys(&self) -> usize {
        items(&self.0["keys"]).count()
    }

    fn words(&self) -> String {
        let advice = items(&self.0["advice"]).map(|advice| &advice["text"]);
        [&self.0["title"]]
            .into_iter()
            .chain(items(&self.0["evidence"]))
            .chain(advice)
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#}", self.0)
    }
}

/// The members of an array; none where the document has null.
pub fn items(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}
