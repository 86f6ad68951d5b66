//! One lease in words, and as assignments for a shell.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use crate::lease::{Held, Left, Mode, Name, Seen, Standing, Term};
use crate::text::{YEAR_10000, printable};
use crate::words::duration;

/// # Errors
/// What the writer says.
pub fn text(term: &Term, left: Left, out: &mut impl Write) -> io::Result<()> {
    let line = format!(
        "{}: {} has it under token {} for another {}, until {}",
        term.name,
        term.holder,
        term.token,
        duration(left.remaining),
        moment(left.expires_at)
    );
    writeln!(out, "{}", printable(&line))
}

/// Assignments that `lockaudit lease renew`, `check` and `release` read from the environment.
///
/// # Errors
/// What the writer says.
pub fn shell(
    term: &Term,
    left: Left,
    ttl: Option<Duration>,
    out: &mut impl Write,
) -> io::Result<()> {
    let ttl = ttl.map(|ttl| ("TTL", humantime::format_duration(ttl).to_string()));
    let values = [
        ("NAME", term.name.to_string()),
        ("HOLDER", term.holder.to_string()),
        ("TOKEN", term.token.to_string()),
        ("EXPIRES_AT", moment(left.expires_at)),
        ("REMAINING", format!("{:.3}", left.remaining.as_secs_f64())),
    ];
    for (name, value) in values.into_iter().chain(ttl) {
        writeln!(out, "export LOCKAUDIT_LEASE_{name}={}", quoted(&value))?;
    }
    Ok(())
}

/// Nothing in single quotes means anything to a shell but the quote that ends them.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

/// Why a lease was not granted.
pub fn not_granted(name: &Name, seen: Option<&Seen>) -> String {
    match seen {
        Some(Seen {
            mode: Mode::Lease,
            held: Some(held),
            ..
        }) => format!("not granted: {}", of_other(name, held)),
        Some(Seen {
            mode: Mode::Lease,
            held: None,
            ..
        })
        | None => {
            format!("not granted: somebody else had {name} a moment ago; ask again")
        }
        Some(Seen { mode, .. }) => format!(
            "not granted: {name} is in mode `{}` of its migration from an advisory key; `lockaudit lease run` works there",
            mode.as_str()
        ),
    }
}

/// Who has it now that this term has lost it.
pub fn lost(term: &Term, now: Option<&Seen>) -> String {
    let of_term = format!(
        "lost: {} is no more {}'s under token {}",
        term.name, term.holder, term.token
    );
    match now.and_then(|seen| seen.held.as_ref()) {
        Some(held) if held.holder != term.holder => {
            format!("{of_term}; {}", of_other(&term.name, held))
        }
        _ => format!("{of_term}: stop what depends on it"),
    }
}

/// Why a check failed.
pub fn not_valid(name: &Name, seen: Option<&Seen>) -> String {
    match seen {
        None => format!("not valid: nobody ever took {name}"),
        Some(Seen { held: None, .. }) => format!("not valid: {name} is free"),
        Some(Seen {
            held: Some(held), ..
        }) => format!("not valid: {}", of_other(name, held)),
    }
}

fn of_other(name: &Name, held: &Held) -> String {
    let Held { holder, standing } = held;
    match standing {
        Standing::Valid { remaining } => {
            format!("{holder} has {name}, for another {}", duration(*remaining))
        }
        Standing::Expired { since } => format!(
            "{name} was {holder}'s, and ran out {} ago",
            duration(*since)
        ),
    }
}

/// What was taken away, from whom.
pub fn broken(term: &Term, standing: Standing) -> String {
    let left = match standing {
        Standing::Valid { remaining } => format!("which had {} left", duration(remaining)),
        Standing::Expired { since } => format!("which had run out {} ago", duration(since)),
    };
    format!(
        "broken: {} of {} under token {}, {left}",
        term.name, term.holder, term.token
    )
}

/// RFC 3339 has four digits for a year, and a row can hold `infinity`.
fn moment(time: SystemTime) -> String {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) if since < YEAR_10000 => humantime::format_rfc3339_millis(time).to_string(),
        Ok(_) => "after the year 9999".to_owned(),
        Err(_) => "before 1970".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::{Holder, Token};

    #[test]
    fn a_time_that_no_clock_shows_is_said_in_words() {
        let after = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(moment(after(253_402_300_799)), "9999-12-31T23:59:59.000Z");
        assert_eq!(moment(after(253_402_300_800)), "after the year 9999");
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(moment(before), "before 1970");
    }

    #[test]
    fn a_shell_gets_nothing_but_values() {
        let term = Term {
            name: "it's $(rm) \n`x`".parse().unwrap(),
            holder: Holder::of("host", 7, 1),
            token: Token(3),
        };
        let left = Left {
            expires_at: SystemTime::UNIX_EPOCH,
            remaining: Duration::from_millis(1_500),
        };
        let mut out = Vec::new();
        shell(&term, left, Some(Duration::from_secs(90)), &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        export LOCKAUDIT_LEASE_NAME='it'\''s $(rm) 
        `x`'
        export LOCKAUDIT_LEASE_HOLDER='host:7:0000000000000001'
        export LOCKAUDIT_LEASE_TOKEN='3'
        export LOCKAUDIT_LEASE_EXPIRES_AT='1970-01-01T00:00:00.000Z'
        export LOCKAUDIT_LEASE_REMAINING='1.500'
        export LOCKAUDIT_LEASE_TTL='1m 30s'
        ");
    }
}
