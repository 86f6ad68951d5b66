//! `lockaudit lease init`: the tables, and what a role must be granted.

use std::io::Write;

use anyhow::Result;

use super::session::{Touch, ask};
use crate::cli::LeaseInitArgs;
use crate::command::output;
use crate::exit::Exit;
use crate::pg::lease::{Created, create, creation_sql, grants_sql};

pub(super) fn run(args: &LeaseInitArgs) -> Result<Exit> {
    let table = &args.table.table;
    if args.print_sql {
        return say(&format!(
            "{}\n{}\n",
            creation_sql(table),
            grants_sql(table, &args.role)
        ));
    }
    ask(
        (&args.connection, table),
        Touch::Writes,
        async |leases| create(leases).await,
        |created| {
            let done = match created {
                Created::Made => "created",
                Created::WereThere => "they were there already:",
            };
            say(&format!(
                "-- {done} {} and {}. A role that takes leases needs:\n{}\n",
                table.quoted(),
                table.log_quoted(),
                grants_sql(table, &args.role)
            ))
        },
    )
}

fn say(text: &str) -> Result<Exit> {
    output::write(None, |out: &mut dyn Write| out.write_all(text.as_bytes()))?;
    Ok(Exit::Clean)
}
