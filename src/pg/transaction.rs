//! The one shape in which a server is asked: a short read-only transaction, sent whole, whose
//! limits, role and form of text end with it.

use std::future::Future;

use anyhow::{Context, Result};
use tokio_postgres::Client;

use super::question::{BEGIN, RAW_TEXT, SET_ROLE, in_words};

/// In which form the server hands out text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// Converted to UTF-8; the server refuses where it can't.
    Converted,
    /// As it is stored, in whatever encoding.
    Raw,
}

/// What the questions stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// A read-only transaction with its limits.
    Transaction,
    /// Nothing: each question by itself, without our limits or a role. For a pool that may not be
    /// begun a transaction in, when there is no other way.
    Nothing,
}

#[derive(Clone, Copy)]
pub(super) struct Transaction<'a> {
    pub frame: Frame,
    pub client: &'a Client,
    /// A role to look as.
    pub role: Option<&'a str>,
    pub text: Text,
}

impl Transaction<'_> {
    /// Sends the whole transaction at once. `work` must ask all its questions in its first poll,
    /// or they would come after the `COMMIT`.
    pub async fn run<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        if self.frame == Frame::Nothing {
            return work.await;
        }
        let (begun, role, text, answer, ended) = tokio::join!(
            self.client.batch_execute(BEGIN.sql),
            self.take_role(),
            self.choose_text(),
            work,
            self.client.batch_execute("COMMIT"),
        );
        begun.map_err(not_begun)?;
        role?;
        text?;
        let answer = answer?;
        ended
            .map_err(in_words)
            .context("could not end the read-only transaction")?;
        Ok(answer)
    }

    async fn take_role(&self) -> Result<()> {
        match self.role {
            Some(role) => SET_ROLE.ask(self.client, &[&role]).await.map(drop),
            None => Ok(()),
        }
    }

    async fn choose_text(&self) -> Result<()> {
        match self.text {
            Text::Raw => RAW_TEXT.ask(self.client, &[]).await.map(drop),
            Text::Converted => Ok(()),
        }
    }
}

/// What PgBouncer says in a pool of mode `statement`.
const REFUSED: &str = "statement pooling mode";

fn not_begun(error: tokio_postgres::Error) -> anyhow::Error {
    let error = in_words(error).context(format!("could not {}", BEGIN.purpose));
    match refuses_transactions(&error) {
        true => error.context(
            "the pooler shares connections by the statement and takes no transaction: connect to \
             the server directly, or to a pool of mode transaction or session",
        ),
        false => error,
    }
}

/// Whether a transaction was refused because the pool shares connections by the statement.
pub(super) fn refuses_transactions(error: &anyhow::Error) -> bool {
    format!("{error:#}").contains(REFUSED)
}
