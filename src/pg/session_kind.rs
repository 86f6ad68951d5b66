//! libpq's `target_session_attrs`: whether the server that answered is of the wanted kind.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::failure::{ConnectFailure, FailureKind};
use super::target::SessionAttrs;

/// What a server from version 14 on reports when a session starts; `None` before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reported {
    in_hot_standby: Option<bool>,
    read_only_by_default: Option<bool>,
}

impl Reported {
    /// Reads the parameters the server reported.
    pub(super) fn read<'a>(parameter: impl Fn(&str) -> Option<&'a str>) -> Self {
        let is_on = |name| parameter(name).map(|value| value == "on");
        Self {
            in_hot_standby: is_on("in_hot_standby"),
            read_only_by_default: is_on("default_transaction_read_only"),
        }
    }

    fn read_only(self) -> Option<bool> {
        Some(self.in_hot_standby? || self.read_only_by_default?)
    }
}

/// `Ok` when the session is of the `wanted` kind. `PreferStandby` is the caller's two passes, and
/// any server will do here.
pub(super) async fn check(
    client: &Client,
    reported: Reported,
    wanted: SessionAttrs,
) -> Result<(), ConnectFailure> {
    let (found, refused) = match wanted {
        SessionAttrs::Any | SessionAttrs::PreferStandby => return Ok(()),
        SessionAttrs::ReadWrite => (is_read_only(client, reported).await?, true),
        SessionAttrs::ReadOnly => (is_read_only(client, reported).await?, false),
        SessionAttrs::Primary => (is_standby(client, reported).await?, true),
        SessionAttrs::Standby => (is_standby(client, reported).await?, false),
    };
    if found == refused {
        Err(wrong(wanted))
    } else {
        Ok(())
    }
}

async fn is_read_only(client: &Client, reported: Reported) -> Result<bool, ConnectFailure> {
    match reported.read_only() {
        Some(answer) => Ok(answer),
        None => Ok(ask(client, "SHOW transaction_read_only").await? == "on"),
    }
}

async fn is_standby(client: &Client, reported: Reported) -> Result<bool, ConnectFailure> {
    match reported.in_hot_standby {
        Some(answer) => Ok(answer),
        None => Ok(ask(client, "SELECT pg_catalog.pg_is_in_recovery()").await? == "t"),
    }
}

async fn ask(client: &Client, question: &str) -> Result<String, ConnectFailure> {
    let answers = client
        .simple_query(question)
        .await
        .map_err(|error| unanswered(&error))?;
    let value = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    value.ok_or_else(|| {
        ConnectFailure::new(
            FailureKind::WrongSessionKind,
            "the server does not say what kind it is",
        )
    })
}

fn unanswered(error: &tokio_postgres::Error) -> ConnectFailure {
    super::failure::from_login(error, &[])
}

fn wrong(wanted: SessionAttrs) -> ConnectFailure {
    let (found, word) = match wanted {
        SessionAttrs::ReadWrite => ("the session is read-only", "read-write"),
        SessionAttrs::ReadOnly => ("the session is not read-only", "read-only"),
        SessionAttrs::Primary => ("the server is a standby", "primary"),
        SessionAttrs::Standby | SessionAttrs::PreferStandby => {
            ("the server is not a standby", "standby")
        }
        SessionAttrs::Any => ("the server is of another kind", "any"),
    };
    ConnectFailure::new(
        FailureKind::WrongSessionKind,
        format!("{found}, and target_session_attrs asks for {word}"),
    )
    .hint("add the other servers to the host list, or change target_session_attrs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_servers_report_only_when_it_is_whole() {
        let standby = Reported::read(|name| {
            Some(if name == "in_hot_standby" {
                "on"
            } else {
                "off"
            })
        });
        assert_eq!(standby.read_only(), Some(true));
        assert_eq!(Reported::read(|_| None).read_only(), None);
    }
}
