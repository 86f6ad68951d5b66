//! Logins that failed on this side: what tokio-postgres reports, read into our words.

use std::error::Error;
use std::io;

use super::{
    ConnectFailure, FailureKind, REPLY_TAGS, ServerWords, closed, is_hang_up, not_postgres, server,
    transport,
};

/// `head` is what the peer said first in plain text, at least the first message's start.
pub(crate) fn from_login(error: &tokio_postgres::Error, head: &[u8]) -> ConnectFailure {
    if let Some(said) = error.as_db_error() {
        return server::refusal(&ServerWords::from(said));
    }
    if head.first().is_some_and(|tag| !REPLY_TAGS.contains(tag)) {
        return not_postgres(head);
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return transport::handshake(tls);
    }
    if error.is_closed() || find::<io::Error>(error).is_some_and(is_hang_up) {
        return closed();
    }
    let reason = error
        .source()
        .map_or_else(|| error.to_string(), |cause| cause.to_string());
    local(&reason, head)
}

/// tokio-postgres has no type for these: its texts are the only mark (connect_raw.rs, and
/// authentication/sasl.rs of postgres-protocol; the tests hold the wording).
fn local(reason: &str, head: &[u8]) -> ConnectFailure {
    match reason {
        "password missing" => password_missing(),
        "unsupported authentication method" | "unsupported SASL mechanism" => unsupported(head),
        "server did not use channel binding" => channel_binding(),
        "SCRAM iteration count exceeds the maximum allowed" => scram_iterations(),
        _ => {
            ConnectFailure::new(FailureKind::AuthenticationFailed, "the login failed").cause(reason)
        }
    }
}

fn password_missing() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::PasswordMissing,
        "the server asks for a password, and none was given",
    )
    .hint("looked in the connection string, PGPASSWORD and the password file (PGPASSFILE, else ~/.pgpass; it must not be readable by others)")
}

fn channel_binding() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::ChannelBinding,
        "channel binding is required, and the server did not offer it",
    )
    .hint("it needs TLS, scram-sha-256 and a certificate whose signature algorithm has a hash (Ed25519 has none); or use channel_binding=prefer")
}

fn scram_iterations() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::ScramIterations,
        "the role's password asks for more than 100000 SCRAM iterations, the most lockaudit computes",
    )
    .hint("set the role's password again with a smaller scram_iterations, or use another role")
}

fn unsupported(head: &[u8]) -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::AuthenticationUnsupported,
        format!("the server asks for {}, which lockaudit does not speak", method(head)),
    )
    .hint("let pg_hba.conf ask for scram-sha-256, md5, a plain password (ldap, pam and radius are that), a client certificate, peer or trust")
}

/// The method's number stands behind tag and length (protocol documentation, "Message Formats").
fn method(head: &[u8]) -> String {
    match head {
        [b'R', _, _, _, _, 0, 0, 0, 2, ..] => "Kerberos V5".to_owned(),
        [b'R', _, _, _, _, 0, 0, 0, 6, ..] => "SCM credentials".to_owned(),
        [b'R', _, _, _, _, 0, 0, 0, 7, ..] => "GSSAPI".to_owned(),
        [b'R', _, _, _, _, 0, 0, 0, 9, ..] => "SSPI".to_owned(),
        [b'R', _, _, _, _, 0, 0, 0, 10, names @ ..] => mechanism(names),
        _ => "an authentication method".to_owned(),
    }
}

fn mechanism(names: &[u8]) -> String {
    let first = names.split(|byte| *byte == 0).next().unwrap_or_default();
    format!("SASL {}", String::from_utf8_lossy(first))
}

/// The first cause of type `T`, also inside an `io::Error`.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    if let Some(found) = error.downcast_ref::<T>() {
        return Some(found);
    }
    let inner = error
        .downcast_ref::<io::Error>()
        .and_then(|error| error.get_ref());
    match inner {
        Some(inner) => find(inner),
        None => find(error.source()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_method_the_server_asks_for() {
        assert_eq!(method(b"R\0\0\0\x08\0\0\0\x07"), "GSSAPI");
        assert_eq!(method(b"R\0\0\0\x08\0\0\0\x09"), "SSPI");
        assert_eq!(method(b"R\0\0\0\x08\0\0\0\x02"), "Kerberos V5");
        assert_eq!(
            method(b"R\0\0\0\x18\0\0\0\x0aOAUTHBEARER\0\0"),
            "SASL OAUTHBEARER"
        );
    }

    #[test]
    fn finds_a_cause_inside_an_input_output_error() {
        let inner = io::Error::new(io::ErrorKind::InvalidData, rustls::Error::DecryptError);
        let outer = io::Error::other(inner);
        assert_eq!(
            find::<rustls::Error>(&outer),
            Some(&rustls::Error::DecryptError)
        );
    }
}
