//! What `lockaudit migrate status`, `advance` and `rollback` say, for people.

use std::io::{self, Write};

use super::grid;
use super::prose::paragraph;
use crate::cutover::commands;
use crate::cutover::outlook::{Considered, Outlook, Prospect};
use crate::cutover::{Calls, Judged, KeyLock, LiveLease, Position, State, Watched};
use crate::lease::Mode;
use crate::render::column::Column;
use crate::render::style::Style;
use crate::text::printable;
use crate::words;

/// Where the reasons of gates begin.
const MARGIN: usize = 28;

/// # Errors
/// What the writer says.
pub fn status(outlook: &Outlook, style: Style, out: &mut impl Write) -> io::Result<()> {
    let label = style.heading("MIGRATION");
    paragraph(style, (&format!("{label}  "), 11), &verdict(outlook), out)?;
    let place = format!("database {}, table {}", outlook.database, outlook.table);
    paragraph(style, ("", 0), &printable(&place), out)?;
    calls(&outlook.calls, style, out)?;
    if outlook.names.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    grid::write(&columns(), &outlook.names, style, out)?;
    for prospect in &outlook.names {
        writeln!(out)?;
        name(outlook, prospect, style, out)?;
    }
    Ok(())
}

/// `3 names: 1 advisory, 2 both`
fn verdict(outlook: &Outlook) -> String {
    if outlook.names.is_empty() {
        return "no name has an old key, or had one".to_owned();
    }
    let modes = [Mode::Advisory, Mode::Both, Mode::Lease].into_iter();
    let counts = modes.filter_map(|mode| {
        let names = outlook.names.iter();
        let count = names.filter(|name| name.position.mode == mode).count();
        (count > 0).then(|| format!("{count} {}", mode.as_str()))
    });
    let counts: Vec<String> = counts.collect();
    let names = words::count(outlook.names.len(), "name");
    format!("{names}: {}", counts.join(", "))
}

fn calls(calls: &Calls, style: Style, out: &mut impl Write) -> io::Result<()> {
    match calls {
        Calls::Unseen(because) => paragraph(
            style,
            ("not seen: ", 10),
            &format!("advisory calls: {}", printable(because)),
            out,
        ),
        Calls::Counted { calls, for_so_long } => {
            let since = for_so_long.map_or("since their last reset".to_owned(), |length| {
                format!("in {}", words::duration(length))
            });
            let text = format!(
                "statements that take advisory locks exclusively, of whatever key, were run {calls} times {since}, as pg_stat_statements counts"
            );
            paragraph(style, ("", 0), &text, out)
        }
    }
}

fn columns() -> Vec<Column<Prospect>> {
    vec![
        Column::left("name", |of| of.position.name.to_string()),
        Column::left("mode", |of| of.position.mode.as_str().to_owned()),
        Column::left("for", |of| {
            let length = of.position.mode_for;
            length.map_or("unknown".to_owned(), words::duration)
        }),
        Column::left("lease", |of| lease(of.position.lease.as_ref())),
        Column::left("old key", |of| {
            let key = of.position.key;
            key.map_or("forgotten".to_owned(), |key| key.to_string())
        }),
        Column::left("key in use", |of| key_use(&of.position)),
    ]
}

fn lease(lease: Option<&LiveLease>) -> String {
    let Some(lease) = lease else {
        return "free".to_owned();
    };
    let bridged = if lease.bridged {
        "bridged"
    } else {
        "not bridged"
    };
    format!("{bridged}, {} left", words::duration(lease.remaining))
}

fn key_use(position: &Position) -> String {
    if position.locks.is_empty() {
        return "no".to_owned();
    }
    let locks: Vec<String> = position.locks.iter().map(key_lock).collect();
    words::some_of(&locks, 2)
}

fn key_lock(lock: &KeyLock) -> String {
    let who = lock
        .pid
        .map_or("prepared".to_owned(), |pid| format!("pid {pid}"));
    let does = if lock.granted { "holds" } else { "waits" };
    let mode = lock.mode.as_str().trim_end_matches("Lock").to_lowercase();
    format!("{who} {does}, {mode}")
}

fn name(
    outlook: &Outlook,
    prospect: &Prospect,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let position = &prospect.position;
    let heading = printable(position.name.as_str());
    writeln!(out, "{}", style.heading(&heading))?;
    if let Some(lease) = &position.lease {
        let holder = format!("leased to {}", printable(lease.holder.as_str()));
        paragraph(style, ("  ", 2), &holder, out)?;
    }
    if position.mode == Mode::Both {
        paragraph(style, ("  ", 2), &watched(position.watched.as_ref()), out)?;
    }
    for considered in &prospect.steps {
        let (table, period) = (&outlook.table, outlook.period);
        let word = considered.direction.as_str();
        let command = commands::step(word, &position.name, table, period);
        step(considered, &command, style, out)?;
    }
    Ok(())
}

fn watched(watched: Option<&Watched>) -> String {
    let Some(watched) = watched else {
        return "old code: nobody has looked yet".to_owned();
    };
    let seen = match watched.seen_ago {
        Some(ago) => format!("seen {} ago", words::duration(ago)),
        None => "never seen".to_owned(),
    };
    let fence = match watched.fenced_ago {
        Some(ago) => format!("the fence looked {} ago", words::duration(ago)),
        None => "no fence has looked".to_owned(),
    };
    format!(
        "old code: {seen}; watched without a gap, and quiet, for {}; last look {} ago; {fence}",
        words::duration(watched.quiet_for),
        words::duration(watched.ago)
    )
}

fn step(
    considered: &Considered,
    command: &str,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let word = considered.direction.as_str();
    let to = considered.step.to.as_str();
    if considered.is_open() {
        let said = format!("  {word} to {to}: every gate is open:");
        // What can be typed is never broken.
        let fits = said.chars().count() + command.chars().count() + 3 <= style.prose_width();
        let command = style.command(command);
        return match fits {
            true => writeln!(out, "{said} `{command}`"),
            false => writeln!(out, "{said}\n    {command}"),
        };
    }
    writeln!(out, "  {word} to {to}:")?;
    gates(&considered.gates, style, out)
}

/// A gate a line, its state, and why.
///
/// # Errors
/// What the writer says.
pub fn gates(gates: &[Judged], style: Style, out: &mut impl Write) -> io::Result<()> {
    for judged in gates {
        let state = judged.state.as_str();
        let shown = match judged.state {
            State::Open => style.well(state),
            State::Shut | State::Unseen => style.heading(state),
        };
        let room = " ".repeat(8usize.saturating_sub(state.len()));
        let gate = judged.gate.as_str();
        let first = format!("    {shown}{room}{gate:16}");
        paragraph(style, (&first, MARGIN), &judged.because, out)?;
    }
    Ok(())
}

/// What came of a step, and what to do next.
///
/// # Errors
/// What the writer says.
pub fn outcome(lines: &[String], style: Style, out: &mut impl Write) -> io::Result<()> {
    lines
        .iter()
        .try_for_each(|line| paragraph(style, ("  ", 2), line, out))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::key::AdvisoryKey;
    use crate::lease::Holder;
    use crate::render::style::Colour;
    use crate::snapshot::LockMode;

    const HOUR: Duration = Duration::from_secs(3600);

    fn position(name: &str, mode: Mode) -> Position {
        Position {
            name: name.parse().expect("a name"),
            mode,
            mode_for: Some(3 * HOUR),
            key: Some(AdvisoryKey::Single(72_707_369)),
            lease: None,
            locks: Vec::new(),
            watched: None,
        }
    }

    #[test]
    fn a_person_sees_modes_and_gates_in_80_columns() {
        let bridged = Position {
            lease: Some(LiveLease {
                holder: Holder::of("host\u{1b}[2J", 7, 1),
                remaining: Duration::from_secs(57),
                bridged: true,
            }),
            locks: vec![
                KeyLock {
                    pid: Some(4711),
                    application: Some("cron".to_owned()),
                    mode: LockMode::Share,
                    granted: true,
                },
                KeyLock {
                    pid: Some(4712),
                    application: Some("cron".to_owned()),
                    mode: LockMode::Exclusive,
                    granted: false,
                },
            ],
            watched: Some(Watched {
                ago: Duration::from_secs(1),
                quiet_for: 2 * HOUR,
                seen_ago: None,
                calls_quiet_for: None,
                fenced_ago: None,
            }),
            ..position("sweep", Mode::Both)
        };
        let positions = [bridged, position("mail", Mode::Advisory)];
        let outlook = Outlook {
            database: "orders".to_owned(),
            table: "lockaudit_lease".to_owned(),
            period: HOUR,
            calls: Calls::Unseen("pg_stat_statements is not installed in this database".to_owned()),
            names: positions
                .into_iter()
                .map(|position| Prospect::of(position, HOUR))
                .collect(),
        };
        let style = Style {
            colour: Colour::Plain,
            width: Some(80),
        };
        let mut shown = Vec::new();
        status(&outlook, style, &mut shown).expect("memory takes it");
        let shown = String::from_utf8(shown).expect("UTF-8");
        assert!(
            shown.lines().all(|line| line.chars().count() <= 80),
            "{shown}"
        );
        insta::assert_snapshot!(shown);
    }
}
