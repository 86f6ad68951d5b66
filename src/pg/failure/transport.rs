//! Failures of encryption that are not the server certificate's: files, settings, refusals.

use std::path::Path;

use rustls::AlertDescription as Alert;

use super::{ConnectFailure, FailureKind};

/// A root, certificate, key or CRL file that can't be used; `problem` reads on after its name.
pub(crate) fn tls_file(what: &str, path: &Path, problem: &str) -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::TlsFile,
        format!("the {what} file {} {problem}", path.display()),
    )
}

/// Settings that contradict each other.
pub(crate) fn tls_settings(sentence: &str) -> ConnectFailure {
    ConnectFailure::new(FailureKind::TlsSettings, sentence)
}

/// The server answered the request for TLS with "no".
pub(crate) fn tls_not_offered() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::TlsNotOffered,
        "the server does not offer TLS, and sslmode asks for it",
    )
    .hint("switch ssl on there, or use sslmode=prefer or disable if the network between is trusted")
}

/// TLS failed for a reason other than the server's certificate. In TLS 1.3 that may come after the
/// handshake: only then does the server judge our certificate.
pub(crate) fn handshake(error: &rustls::Error) -> ConnectFailure {
    match error {
        rustls::Error::AlertReceived(alert) => alert_received(*alert, error),
        // An SSH server's first letter is the `S` that agrees to TLS.
        rustls::Error::InvalidMessage(_) => ConnectFailure::new(
            FailureKind::NotPostgres,
            "what answers there is not PostgreSQL: its answer to the TLS handshake is not TLS",
        )
        .hint("check the host and the port; an SSH server looks like this, and so does a line that somebody meddles with"),
        rustls::Error::PeerIncompatible(_) => {
            plain_handshake(error).hint("server and client share no TLS version or algorithm: look at ssl_min_protocol_version and ssl_max_protocol_version on both sides")
        }
        _ => plain_handshake(error),
    }
}

fn alert_received(alert: Alert, error: &rustls::Error) -> ConnectFailure {
    match alert {
        Alert::CertificateRequired => ConnectFailure::new(
            FailureKind::ClientCertificateMissing,
            "the server asks for a client certificate",
        )
        .hint("give one that its ssl_ca_file knows with sslcert and sslkey"),
        Alert::UnknownCA
        | Alert::BadCertificate
        | Alert::UnsupportedCertificate
        | Alert::CertificateRevoked
        | Alert::CertificateExpired
        | Alert::CertificateUnknown
        | Alert::AccessDenied => ConnectFailure::new(
            FailureKind::ClientCertificateRefused,
            "the server refused the client certificate",
        )
        .cause(error.to_string())
        .hint("it must be within its dates and issued by a CA in the server's ssl_ca_file"),
        Alert::NoApplicationProtocol => plain_handshake(error)
            .hint("direct TLS needs PostgreSQL 17 or later; use sslnegotiation=postgres"),
        Alert::ProtocolVersion => plain_handshake(error)
            .hint("look at ssl_min_protocol_version and ssl_max_protocol_version on both sides"),
        _ => plain_handshake(error),
    }
}

fn plain_handshake(error: &rustls::Error) -> ConnectFailure {
    ConnectFailure::new(FailureKind::TlsHandshake, "the TLS handshake failed")
        .cause(error.to_string())
}
