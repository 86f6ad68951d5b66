//! More than one failure told as one.

use super::{ConnectFailure, FailureKind};

/// The failures of several addresses. If `is_final` of the last, that one decided, and the others
/// are causes; else none did, and every one has a line. `failures` must not be empty, or the
/// target had no host.
pub(crate) fn several(
    mut failures: Vec<ConnectFailure>,
    is_final: impl Fn(&ConnectFailure) -> bool,
) -> ConnectFailure {
    let Some(last) = failures.pop() else {
        return ConnectFailure::new(FailureKind::UnknownHostName, "no host is given");
    };
    if failures.is_empty() {
        return last;
    }
    if is_final(&last) {
        return failures.iter().fold(last, |last, before| {
            last.cause(format!("before that, {}", line(before)))
        });
    }
    failures.push(last);
    none_of(&failures)
}

fn none_of(failures: &[ConnectFailure]) -> ConnectFailure {
    let telling = failures.iter().find(|failure| {
        failure.sqlstate.is_some() || failure.kind == FailureKind::WrongSessionKind
    });
    let telling = telling.unwrap_or(&failures[0]);
    ConnectFailure {
        kind: telling.kind,
        sentence: format!("none of {} addresses could be used", failures.len()),
        causes: failures.iter().map(line).collect(),
        hint: telling.hint.clone(),
        sqlstate: telling.sqlstate.clone(),
        host: None,
        encrypted: telling.encrypted,
        words: telling.words.clone(),
    }
}

fn line(failure: &ConnectFailure) -> String {
    let host = failure.host.as_deref().unwrap_or("?");
    match failure.causes.first() {
        Some(cause) => format!("{host}: {} ({cause})", failure.sentence),
        None => format!("{host}: {}", failure.sentence),
    }
}

/// Both attempts that a sslmode allows on one address failed.
pub(crate) fn both(first: ConnectFailure, second: ConnectFailure) -> ConnectFailure {
    if second.kind == FailureKind::TlsNotOffered {
        return first;
    }
    let way = if first.encrypted {
        "with TLS"
    } else {
        "without TLS"
    };
    let reason = first
        .causes
        .first()
        .map_or(String::new(), |cause| format!(" ({cause})"));
    second.cause(format!("{way}, before that: {}{reason}", first.sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(host: &str) -> ConnectFailure {
        ConnectFailure::new(FailureKind::PortRefused, "nothing listens").at(host)
    }

    #[test]
    fn gives_each_host_a_line_when_none_decided() {
        let failure = several(vec![refused("a:1"), refused("b:2")], |_| false);
        assert_eq!(
            failure.report(),
            "could not connect: none of 2 addresses could be used\n  a:1: nothing listens\n  b:2: nothing listens"
        );
    }

    #[test]
    fn lets_the_final_failure_speak_first() {
        let wrong =
            ConnectFailure::new(FailureKind::PasswordRefused, "the password was refused").at("b:2");
        let failure = several(vec![refused("a:1"), wrong], |_| true);
        assert_eq!(
            failure.report(),
            "could not connect to b:2: the password was refused\n  before that, a:1: nothing listens"
        );
    }
}
