//! Parameters libpq obeys and lockaudit does not: harmless ones are noted, demands for safety are refused.

use anyhow::bail;

use super::choice::unexpected;
use super::values::Values;
use crate::pg::target::Endpoint;

/// What is done about a parameter that has no effect here.
enum Answer {
    /// It would change nothing that matters.
    Note,
    /// Going on would be less safe, or another thing, than what was asked for.
    Refuse,
}

struct Rule {
    name: &'static str,
    /// Values that ask for what lockaudit does anyway; an empty value always does.
    met: &'static [&'static str],
    answer: Answer,
    because: &'static str,
}

const fn note(name: &'static str, met: &'static [&'static str], because: &'static str) -> Rule {
    let answer = Answer::Note;
    Rule {
        name,
        met,
        answer,
        because,
    }
}

const fn refuse(name: &'static str, met: &'static [&'static str], because: &'static str) -> Rule {
    let answer = Answer::Refuse;
    Rule {
        name,
        met,
        answer,
        because,
    }
}

const NO_GSSAPI: &str = "lockaudit does not speak GSSAPI";
const NO_OAUTH: &str = "lockaudit does not log in by OAuth";
const NO_SCRAM_KEYS: &str =
    "lockaudit logs in with a password, not with SCRAM keys; give a password file";

const RULES: [Rule; 20] = [
    refuse("gssencmode", &["disable", "prefer"], NO_GSSAPI),
    note("gssencmode", &["disable"], NO_GSSAPI),
    note("krbsrvname", &["postgres"], NO_GSSAPI),
    note("gsslib", &[], NO_GSSAPI),
    note("gssdelegation", &["0"], NO_GSSAPI),
    note("sslcompression", &["0"], "TLS compression is never used"),
    note(
        "client_encoding",
        &["UTF8", "UTF-8", "utf8", "utf-8", "auto"],
        "lockaudit always speaks UTF8",
    ),
    note("sslkeylogfile", &[], "TLS keys are never written to a file"),
    note("oauth_issuer", &[], NO_OAUTH),
    note("oauth_client_id", &[], NO_OAUTH),
    note("oauth_client_secret", &[], NO_OAUTH),
    note("oauth_scope", &[], NO_OAUTH),
    refuse("scram_client_key", &[], NO_SCRAM_KEYS),
    refuse("scram_server_key", &[], NO_SCRAM_KEYS),
    refuse(
        "require_auth",
        &[],
        "lockaudit can't hold the server to a way of logging in; channel_binding=require or sslmode=verify-full \
         keep a false server out",
    ),
    refuse(
        "sslcertmode",
        &["allow", "disable"],
        "lockaudit can't tell whether the server asked for a certificate",
    ),
    refuse(
        "sslcrldir",
        &[],
        "lockaudit reads revocations from one file; name it in sslcrl",
    ),
    refuse(
        "replication",
        &["false", "off", "no", "0"],
        "lockaudit needs an ordinary connection",
    ),
    refuse(
        "min_protocol_version",
        &["3.0"],
        "lockaudit speaks version 3.0 of the protocol",
    ),
    note(
        "max_protocol_version",
        &["3.0", "3.2", "latest"],
        "lockaudit speaks version 3.0 of the protocol",
    ),
];

/// Words beside the rules: a typing error must not pass for a harmless value.
const GSSENCMODES: [&str; 3] = ["disable", "prefer", "require"];

/// Adds a note for what has no effect.
///
/// # Errors
/// What asks for a safety that can't be given.
pub(super) fn review(
    values: &Values,
    hosts: &[Endpoint],
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    if let Some(value) = values
        .get("gssencmode")
        .filter(|it| !GSSENCMODES.contains(&it.text.as_str()))
    {
        bail!(unexpected("gssencmode", value, GSSENCMODES.into_iter()));
    }
    review_peer(values, hosts)?;
    for rule in RULES {
        let unmet = values
            .filled(rule.name)
            .filter(|value| !rule.met.contains(&value.text.as_str()));
        let Some(value) = unmet else { continue };
        let (name, source, because) = (rule.name, &value.source, rule.because);
        match rule.answer {
            Answer::Note => notes.push(format!("`{name}` in {source} has no effect: {because}")),
            Answer::Refuse => bail!("{name} in {source} can't be obeyed: {because}"),
        }
    }
    Ok(())
}

/// libpq asks who listens on a Unix socket, and only there.
fn review_peer(values: &Values, hosts: &[Endpoint]) -> anyhow::Result<()> {
    let local = hosts
        .iter()
        .any(|host| matches!(host, Endpoint::Unix { .. }));
    match values.filled("requirepeer").filter(|_| local) {
        Some(value) => bail!(
            "requirepeer in {} can't be obeyed: lockaudit does not check who listens on a socket; leave it out, or \
             connect by TCP with sslmode=verify-full",
            value.source
        ),
        None => Ok(()),
    }
}
