//! `pooler-leak`: a session's lock on a pooler's connection that no client has.

use super::advice::{contended, terminate_if_unchanged};
use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::hold::Hold;
use crate::picture::Picture;
use crate::pooler::backends::{Behind, Matched};
use crate::snapshot::{Owner, PoolMode, Session};
use crate::text::console_word;
use crate::try_lock::{self, Refused};
use crate::waits::Wait;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "pooler-leak",
    summary: "a session-level lock was left on a pooler's connection that no client has (needs --pgbouncer)",
    help: "\
Behind PgBouncer in transaction or statement mode a session-level lock stays on the server connection when
its client's transaction is over. The client unlocks on another connection, which does nothing but warn, or
leaves; the lock stays, and goes with the connection to whoever gets it next. In session mode the same
happens where server_reset_query does not unlock (its default, DISCARD ALL, does).

How sure: `certain` when the console shows the connection with no client linked to it, and the server shows
the lock on that backend, outside any transaction, before and after. `likely` where backend and connection
could be matched by the process id, database and role alone: over a Unix socket there is no port, and
sessions hidden for want of pg_monitor show none.

How bad: critical when somebody waits for the lock or asks for it in vain, else a warning: no program is
left that would unlock it, but for one that gets this connection by chance.

How long: until the pooler closes the connection (server_lifetime, an hour unless set, once it is unused;
server_idle_timeout, ten minutes).

What to do: RECONNECT of the database in the pooler's console closes its connections as they fall idle,
this one at once; clients notice nothing. Or end this one backend by the statement given, which checks that
it is idle still: the pooler opens another when it needs one. In session mode, set server_reset_query again.
Else give the programs that lock a direct connection or a pool in session mode that resets, or use
transaction-level locks or leases. Never turn server_reset_query_always on for it: the lock is then lost
silently, right after it was taken (lock-lost).",
    check,
};

/// The locks that were left on one backend.
struct Leak<'p, 'a> {
    holds: Vec<&'p Hold<'a>>,
    session: &'p Session,
    behind: &'p Behind<'a>,
    waits: Vec<&'p Wait<'a>>,
    refused: Refused,
}

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let owners = picture.holders().into_iter();
    let leaks = owners.filter_map(|owner| leak(picture, owner));
    leaks.map(|leak| finding(picture, &leak)).collect()
}

fn leak<'p, 'a>(picture: &'p Picture<'a>, owner: Owner) -> Option<Leak<'p, 'a>> {
    let stranded = picture
        .holds_of(owner)
        .filter(|hold| picture.is_stranded(hold));
    let holds: Vec<&Hold<'a>> = stranded.collect();
    let session = holds.first()?.holder.session()?;
    Some(Leak {
        session,
        behind: picture.behind.session(session.pid)?,
        waits: picture.waiters_of_any(&holds),
        refused: try_lock::refused(picture, &holds),
        holds,
    })
}

fn finding(picture: &Picture<'_>, leak: &Leak<'_, '_>) -> Finding {
    let keys = said::distinct(&leak.holds);
    Finding {
        rule: RULE.name,
        severity: match (leak.waits.len(), leak.refused.for_it.len()) {
            (0, 0) => Severity::Warning,
            _ => Severity::Critical,
        },
        certainty: match leak.behind.matched {
            Matched::Address => Certainty::Certain,
            Matched::Pid => Certainty::Likely,
        },
        harms: picture.waits.all_behind(leak.holds[0].owner()).len(),
        title: format!(
            "{} {} left on pid {}, a connection of PgBouncer's pool {} that no client has{}{}",
            said::keys(picture, &leak.holds),
            words::verb(keys.len(), "was", "were"),
            leak.session.pid,
            said::pool_of(leak.behind),
            said::and_waiters(leak.waits.len()),
            said::and_refused(&leak.refused)
        ),
        evidence: evidence(picture, leak),
        pids: vec![leak.session.pid],
        keys,
        advice: advice(picture, leak),
    }
}

fn evidence(picture: &Picture<'_>, leak: &Leak<'_, '_>) -> Vec<String> {
    let mut lines = vec![
        "its console shows no client linked to it; the server showed the lock before and after"
            .to_owned(),
        why_it_stays(leak.behind),
    ];
    lines.extend(said::matched(leak.behind));
    lines.extend(said::holds(picture, &leak.holds));
    lines.extend(said::waiters(&leak.waits));
    lines.extend(said::refused(&leak.refused));
    lines.extend(said::borrowers(picture.behind.borrowers(leak.session.pid)));
    lines.extend(latest_borrower(leak.session));
    lines.extend(said::last_statement(leak.session));
    lines.push(stays_until(leak.behind));
    lines
}

fn why_it_stays(behind: &Behind<'_>) -> String {
    match behind.mode {
        PoolMode::Session => format!(
            "mode session with server_reset_query = '{}', which does not unlock",
            behind
                .pooler
                .settings
                .server_reset_query
                .as_deref()
                .unwrap_or_default()
        ),
        _ => format!(
            "mode {}: a connection goes back to the pool with the locks of its session on it",
            behind.mode.as_str()
        ),
    }
}

fn latest_borrower(session: &Session) -> Option<String> {
    let name = session.application_name.as_deref()?;
    (!name.is_empty()).then(|| {
        format!("the server shows it as `{name}`: whoever had it last, who need not have locked")
    })
}

fn stays_until(behind: &Behind<'_>) -> String {
    let settings = &behind.pooler.settings;
    let limits: Vec<String> = [
        ("server_lifetime", settings.server_lifetime),
        ("server_idle_timeout", settings.server_idle_timeout),
    ]
    .into_iter()
    .filter_map(|(name, limit)| {
        let limit = limit.filter(|limit| !limit.is_zero())?;
        Some(format!("{name} {}", words::duration(limit)))
    })
    .collect();
    match limits.is_empty() {
        true => "it stays until the pooler closes the connection".to_owned(),
        false => format!(
            "it stays until the pooler closes the connection ({})",
            limits.join(", ")
        ),
    }
}

fn advice(picture: &Picture<'_>, leak: &Leak<'_, '_>) -> Vec<Advice> {
    let by_console = Advice::say(format!(
        "in the console at {}, as one of its admin_users: `RECONNECT {};` closes the idle connections of this database and frees the lock at once; clients notice nothing",
        leak.behind.pooler.console,
        console_word(leak.behind.alias())
    ));
    let text =
        "or end this one backend while it is idle: the pooler opens another when it needs one";
    let hold = contended(picture, &leak.holds);
    let by_server = terminate_if_unchanged(hold, leak.session).map(|sql| Advice::run(text, sql));
    let then = Advice::say(lest_it_happen_again(&leak.behind.mode));
    std::iter::once(by_console)
        .chain(by_server)
        .chain([then])
        .collect()
}

fn lest_it_happen_again(mode: &PoolMode) -> &'static str {
    match mode {
        PoolMode::Session => {
            "then set server_reset_query = 'DISCARD ALL' again and RELOAD, so that connections come back without locks"
        }
        _ => {
            "then give programs that lock a direct connection or a session-mode pool, or use transaction-level locks or leases; never server_reset_query_always, which loses locks silently"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::{Active, Idle};
    use crate::snapshot::{Pooler, Snapshot};

    fn findings(now: Snapshot, pooler: Pooler) -> Vec<Finding> {
        let before = now.clone();
        let now = Snapshot {
            poolers: vec![pooler],
            ..now
        };
        let expectations = Expectations::default();
        check(&Picture::of(&[before], &now, &expectations))
    }

    fn holder() -> Snapshot {
        quiet().session(10, Idle).holds(10, 7)
    }

    #[test]
    fn a_stranded_lock_is_a_warning_and_critical_when_somebody_waits() {
        let free = || pooler("transaction").serves(10);
        let [quiet] = &findings(holder(), free())[..] else {
            panic!("one finding");
        };
        assert_eq!(
            (quiet.severity, quiet.certainty),
            (Severity::Warning, Certainty::Certain)
        );
        assert!(quiet.advice[0].text.contains("`RECONNECT shop;`"));
        assert!(quiet.advice[1].sql.is_some());
        let wanted = holder().session(11, Active).waits(11, 7, 5);
        let [wanted] = &findings(wanted, free())[..] else {
            panic!("one finding");
        };
        assert_eq!((wanted.severity, wanted.harms), (Severity::Critical, 1));
    }

    #[test]
    fn a_pool_by_session_is_told_to_reset_and_not_to_be_one() {
        let kept = pooler("session").serves(10).resets_by("");
        let advice = &findings(holder(), kept)[0].advice;
        assert!(
            advice[2]
                .text
                .contains("server_reset_query = 'DISCARD ALL'")
        );
        assert!(
            advice
                .iter()
                .all(|one| !one.text.contains("session-mode pool"))
        );
    }

    #[test]
    fn what_a_client_has_or_no_pooler_is_no_leak() {
        let lent = pooler("transaction").serves(10).lends(10, "billing");
        assert!(findings(holder(), lent).is_empty());
        assert!(findings(holder(), pooler("transaction").has_a_pool()).is_empty());
        assert!(findings(holder(), pooler("session").serves(10)).is_empty());
    }

    #[test]
    fn a_hostile_alias_stays_one_word_of_the_console() {
        let mut free = pooler("transaction").serves(10);
        free.aliases[0].name = "a\"; SHUTDOWN".to_owned();
        free.servers[0].alias = "a\"; SHUTDOWN".to_owned();
        free.queues[0].alias = "a\"; SHUTDOWN".to_owned();
        let found = findings(holder(), free);
        let text = &found[0].advice[0].text;
        assert!(text.contains(r#"`RECONNECT "a""; SHUTDOWN";`"#), "{text}");
    }
}
