//! What changes a lease or its log: take, renew, release, break, prune.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::session::{Touch, ask};
use crate::cli::{
    LeaseBreakArgs, LeasePruneArgs, LeaseReleaseArgs, LeaseRenewArgs, LeaseTakeArgs,
    LeaseTermFormat, TermArgs,
};
use crate::command::output;
use crate::exit::{Exit, Hint};
use crate::keeper;
use crate::lease::{Bridge, Holder, Left, Seen, Standing, Term, Wanted};
use crate::pg::failure::{ConnectFailure, ServerWords};
use crate::pg::lease::{self as server, Floor};
use crate::render::json;
use crate::render::lease as words;
use crate::terminal;

/// What came of an attempt to take a lease.
enum Taken {
    Granted(Term, Left, Floor),
    Not(Option<Seen>),
}

pub(super) fn take(args: &LeaseTakeArgs) -> Result<Exit> {
    let holder = match &args.holder {
        Some(holder) => holder.clone(),
        None => keeper::new_holder()?,
    };
    let asked = ask(
        (&args.connection, &args.table.table),
        Touch::Writes,
        async |leases| {
            let wanted = Wanted {
                name: &args.name,
                holder: &holder,
                ttl: args.ttl,
                bridge: Bridge::None,
                reason: args.reason.as_deref(),
            };
            match leases.take(&wanted).await? {
                Some((grant, floor)) if !grant.left.remaining.is_zero() => {
                    let term = Term {
                        name: args.name.clone(),
                        holder: holder.clone(),
                        token: grant.token,
                    };
                    Ok(Taken::Granted(term, grant.left, floor))
                }
                _ => Ok(Taken::Not(leases.probe(&args.name).await?)),
            }
        },
        |taken| say_taken(args, taken),
    );
    let asked = asked.map_err(|error| with_holder(error, &holder));
    for_eval(args.output.format, asked)
}

/// A shell that evaluates nothing succeeds, whatever the command that printed nothing ended with: it would work
/// without a lease.
pub(super) fn for_eval(format: LeaseTermFormat, ended: Result<Exit>) -> Result<Exit> {
    let is_held = matches!(ended, Ok(Exit::Clean));
    if format == LeaseTermFormat::Sh && !is_held {
        let said = output::write(None, |out: &mut dyn Write| writeln!(out, "false"));
        // What failed first is what is told.
        return ended.and_then(|ended| said.map(|()| ended));
    }
    ended
}

fn say_taken(args: &LeaseTakeArgs, taken: Taken) -> Result<Exit> {
    match taken {
        Taken::Granted(term, left, floor) => {
            if floor == Floor::None {
                terminal::note(
                    "the server does not say which timeline it is on: after an asynchronous failover a token may be granted again",
                );
            }
            show(args.output.format, Some((&term, left)), Some(args.ttl))?;
            Ok(Exit::Clean)
        }
        Taken::Not(seen) => {
            terminal::note(&words::not_granted(&args.name, seen.as_ref()));
            Ok(Exit::Findings)
        }
    }
}

/// Without an answer, the lease may be granted to a holder that nobody else knows.
fn with_holder(error: anyhow::Error, holder: &Holder) -> anyhow::Error {
    let was_never_asked = error.downcast_ref::<ConnectFailure>().is_some();
    let mut causes = error.chain();
    let words = causes.find_map(|cause| cause.downcast_ref::<ServerWords>());
    let is_refused = words.is_some_and(ServerWords::refuses_the_statement);
    if was_never_asked || is_refused || error.chain().any(|cause| cause.is::<Hint>()) {
        return error;
    }
    error.context(format!(
        "it is not known whether the lease was granted to {holder}; ask again with --holder {}",
        crate::text::shell_word(holder.as_str())
    ))
}

pub(super) fn renew(args: &LeaseRenewArgs) -> Result<Exit> {
    let term = term(&args.term);
    let asked = ask(
        (&args.connection, &args.table.table),
        Touch::Writes,
        async |leases| {
            let grant = leases.renew(&term, args.ttl).await?;
            let left = grant.map(|grant| grant.left);
            let lost = match left {
                Some(_) => None,
                None => leases.probe(&term.name).await?,
            };
            Ok((left, lost))
        },
        |(left, now)| match left {
            Some(left) if left.remaining.is_zero() => bail!(
                "the lease was renewed, but the answer took longer than it lasts: whether it is still held is not known"
            ),
            Some(left) => {
                show(args.output.format, Some((&term, left)), Some(args.ttl))?;
                Ok(Exit::Clean)
            }
            None => {
                terminal::note(&words::lost(&term, now.as_ref()));
                Ok(Exit::Findings)
            }
        },
    );
    for_eval(args.output.format, asked)
}

pub(super) fn release(args: &LeaseReleaseArgs) -> Result<Exit> {
    let term = term(&args.term);
    ask(
        (&args.connection, &args.table.table),
        Touch::Writes,
        async |leases| {
            let released = leases.release(&term, args.reason.as_deref()).await?;
            if released && let Err(error) = leases.notify(&term.name).await {
                terminal::note(&format!(
                    "released; those who wait will find out by looking: {error:#}"
                ));
            }
            Ok(released)
        },
        |released| match released {
            true => {
                say(&format!("released: {} (token {})", term.name, term.token))?;
                Ok(Exit::Clean)
            }
            false => {
                terminal::note(&format!(
                    "{} is not {}'s under token {}: nothing done",
                    term.name, term.holder, term.token
                ));
                Ok(Exit::Findings)
            }
        },
    )
}

pub(super) fn break_it(args: &LeaseBreakArgs) -> Result<Exit> {
    ask(
        (&args.connection, &args.table.table),
        Touch::Writes,
        async |leases| {
            let broken = leases.break_it(&args.name, &args.reason).await?;
            if broken.is_some()
                && let Err(error) = leases.notify(&args.name).await
            {
                terminal::note(&format!(
                    "broken; those who wait will find out by looking: {error:#}"
                ));
            }
            Ok(broken)
        },
        |broken| match broken {
            Some((term, standing)) => {
                say(&words::broken(&term, standing))?;
                if matches!(standing, Standing::Valid { .. }) {
                    terminal::note(
                        "whoever had it may still be at work until its next renewal: make sure that it has stopped",
                    );
                }
                Ok(Exit::Clean)
            }
            None => {
                terminal::note(&format!("nobody has {}: nothing done", args.name));
                Ok(Exit::Findings)
            }
        },
    )
}

pub(super) fn prune(args: &LeasePruneArgs) -> Result<Exit> {
    ask(
        (&args.connection, &args.table.table),
        Touch::Writes,
        async |leases| server::prune(leases, args.older_than).await,
        |events| {
            let events = usize::try_from(events).context("that many events do not exist")?;
            say(&format!(
                "deleted {} of the log",
                crate::words::count(events, "event")
            ))?;
            Ok(Exit::Clean)
        },
    )
}

fn term(args: &TermArgs) -> Term {
    Term {
        name: args.name.clone(),
        holder: args.holder.clone(),
        token: args.token,
    }
}

/// A lease that is held, in the format that was asked for; for programs also that none is.
pub(super) fn show(
    format: LeaseTermFormat,
    held: Option<(&Term, Left)>,
    ttl: Option<Duration>,
) -> Result<()> {
    output::write(None, |mut out: &mut dyn Write| match (format, held) {
        (LeaseTermFormat::Json, held) => json::lease::term(held, &mut out),
        (LeaseTermFormat::Text, Some((term, left))) => words::text(term, left, &mut out),
        (LeaseTermFormat::Sh, Some((term, left))) => words::shell(term, left, ttl, &mut out),
        (_, None) => Ok(()),
    })
}

fn say(sentence: &str) -> Result<()> {
    let sentence = crate::text::printable(sentence);
    output::write(None, |out: &mut dyn Write| writeln!(out, "{sentence}"))
}
