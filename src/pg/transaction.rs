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

#[derive(Clone, Copy)]
pub(super) struct Transaction<'a> {
    pub client: &'a Client,
    /// A role to look as.
    pub role: Option<&'a str>,
    pub text: Text,
}

impl Transaction<'_> {
    /// Sends the whole transaction at once. `work` must ask all its questions in its first poll,
    /// or they would come after the `COMMIT`.
    pub async fn run<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let (begun, role, text, answer, ended) = tokio::join!(
            self.client.batch_execute(BEGIN.sql),
            self.take_role(),
            self.choose_text(),
            work,
            self.client.batch_execute("COMMIT"),
        );
        begun
            .map_err(in_words)
            .with_context(|| format!("could not {}", BEGIN.purpose))?;
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
