//! What every step of a migration on a server begins with: a session, who asks, in whose name.

use anyhow::Result;

use crate::cli::ConnectionArgs;
use crate::command::destination;
use crate::command::interrupt::unless_interrupted;
use crate::exit::Exit;
use crate::lease::TableName;
use crate::pg::connect::Connection;
use crate::pg::cutover::Cutover;
use crate::pg::{release as server, runtime};
use crate::terminal;

/// A session, and the migration that is led over it.
pub(super) struct Led<'a> {
    connection: &'a Connection,
    table: &'a TableName,
    role: Option<&'a str>,
    /// For the log: the role that it is done as.
    pub who: String,
}

impl Led<'_> {
    pub(super) fn cutover(&self) -> Cutover<'_> {
        Cutover::of(self.connection, self.table).as_role(self.role)
    }
}

/// Opens a session, leads, and says goodbye. Ctrl-C ends the leading: what was sent may have been done.
pub(super) fn lead(
    (args, table): (&ConnectionArgs, &TableName),
    work: impl AsyncFnOnce(&Led<'_>) -> Result<Exit>,
) -> Result<Exit> {
    let resolved = destination::resolve(args)?;
    runtime()?.block_on(async {
        let Some(connection) = unless_interrupted(server::open(&resolved)).await? else {
            return Ok(interrupted("interrupted; nothing was done"));
        };
        let role = args.set_role.as_deref();
        let led = Led {
            connection: &connection,
            table,
            role,
            who: format!(
                "{} (lockaudit migrate)",
                role.unwrap_or(&resolved.target.user)
            ),
        };
        let done = unless_interrupted(work(&led)).await;
        connection.close().await;
        match done? {
            Some(exit) => Ok(exit),
            None => Ok(interrupted(
                "interrupted; `lockaudit migrate status` says what was done",
            )),
        }
    })
}

fn interrupted(what_is_done: &str) -> Exit {
    terminal::note(what_is_done);
    Exit::Interrupted
}
