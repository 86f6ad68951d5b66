//! Leases and their history, for people.

use std::io::{self, Write};

use super::grid;
use crate::lease::{Event, Listed, Mode, Standing, Tenure};
use crate::render::column::Column;
use crate::render::masthead;
use crate::render::style::Style;
use crate::words;

/// # Errors
/// What the writer says.
pub fn listed(leases: &[Listed], style: Style, out: &mut impl Write) -> io::Result<()> {
    if leases.is_empty() {
        return writeln!(out, "no lease was ever taken");
    }
    let mut columns = vec![
        Column::left("LEASE", |lease: &Listed| lease.name.to_string()),
        Column::left("STATE", state),
        Column::left("HOLDER", |lease| {
            of_tenure(lease, |tenure| tenure.holder.to_string())
        }),
        Column::right("TOKEN", |lease| lease.token.to_string()),
        Column::right("HELD FOR", |lease| {
            of_tenure(lease, |tenure| {
                or_dash(tenure.held.map(words::duration).as_ref())
            })
        }),
    ];
    if leases.iter().any(|lease| lease.mode != Mode::Lease) {
        columns.push(Column::left("MODE", mode));
    }
    grid::write(&columns, leases, style, out)
}

fn of_tenure(lease: &Listed, say: fn(&Tenure) -> String) -> String {
    lease.tenure.as_ref().map_or("-".to_owned(), say)
}

fn state(lease: &Listed) -> String {
    let Some(tenure) = &lease.tenure else {
        return "free".to_owned();
    };
    match tenure.standing {
        Standing::Valid { remaining } if tenure.is_overdue() => {
            format!("renewal overdue, {} left", words::duration(remaining))
        }
        Standing::Valid { remaining } => format!("held, {} left", words::duration(remaining)),
        Standing::Expired { since } => format!("expired {} ago, not taken", words::duration(since)),
    }
}

fn mode(lease: &Listed) -> String {
    match (lease.mode, &lease.tenure) {
        (Mode::Both, Some(_)) if lease.bridged => "both, bridged".to_owned(),
        (Mode::Both, Some(_)) => "both, not bridged".to_owned(),
        (mode, _) => mode.as_str().to_owned(),
    }
}

/// # Errors
/// What the writer says.
pub fn history(events: &[Event], style: Style, out: &mut impl Write) -> io::Result<()> {
    if events.is_empty() {
        return writeln!(out, "the log has no such event");
    }
    let columns = [
        Column::left("AT", |event: &Event| masthead::moment(event.at)),
        Column::left("LEASE", |event| event.name.to_string()),
        Column::right("TOKEN", |event| event.token.to_string()),
        Column::left("EVENT", |event| event.event.clone()),
        Column::left("HOLDER", |event| or_dash(event.holder.as_ref())),
        Column::left("WHY", |event| or_dash(event.reason.as_ref())),
    ];
    grid::write(&columns, events, style, out)
}

fn or_dash(value: Option<&impl ToString>) -> String {
    value.map_or("-".to_owned(), ToString::to_string)
}
