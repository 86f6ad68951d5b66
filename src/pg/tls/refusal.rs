//! A refused server certificate in words: which property stands in the way, and what to do.

use std::io;

use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, Error};

use super::certificate::Certificate;
use super::trust::Trust;
use crate::pg::failure::{CertificateFault, ConnectFailure, FailureKind, handshake, is_hang_up};

/// What the handshake's `error` means. `shown` is the certificate the server came with, if any.
pub(super) fn from_handshake(
    error: &io::Error,
    shown: Option<&CertificateDer<'_>>,
    trust: &Trust,
    host: &str,
) -> ConnectFailure {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(fault)) => refused(fault, shown, trust, host),
        Some(other) => handshake(other),
        None if is_hang_up(error) => broke_off(trust),
        None => ConnectFailure::new(FailureKind::TlsHandshake, "the TLS handshake failed")
            .cause(error.to_string()),
    }
}

fn broke_off(trust: &Trust) -> ConnectFailure {
    let failure = ConnectFailure::new(
        FailureKind::TlsHandshake,
        "the server broke off the TLS handshake without a word",
    );
    match trust.direct {
        true => {
            failure.hint("direct TLS needs PostgreSQL 17 or later; use sslnegotiation=postgres")
        }
        false => failure.hint("its log says why"),
    }
}

fn refused(
    error: &CertificateError,
    shown: Option<&CertificateDer<'_>>,
    trust: &Trust,
    host: &str,
) -> ConnectFailure {
    match shown.and_then(|der| Certificate::read(der)) {
        Some(certificate) => {
            let fault = fault(error, &certificate);
            with_cause(described(fault, &certificate, trust, host), error)
        }
        None => with_cause(other(), error),
    }
}

/// The library's words, where ours do not say it all.
fn with_cause(failure: ConnectFailure, error: &CertificateError) -> ConnectFailure {
    match failure.kind {
        FailureKind::CertificateRefused(CertificateFault::Other) => {
            failure.cause(error.to_string())
        }
        _ => failure,
    }
}

fn fault(error: &CertificateError, certificate: &Certificate) -> CertificateFault {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            CertificateFault::Expired
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            name_fault(certificate)
        }
        CertificateError::UnknownIssuer if certificate.is_self_signed() => {
            CertificateFault::SelfSigned
        }
        CertificateError::UnknownIssuer => CertificateFault::UnknownIssuer,
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            CertificateFault::WrongPurpose
        }
        CertificateError::Revoked => CertificateFault::Revoked,
        CertificateError::UnknownRevocationStatus
        | CertificateError::ExpiredRevocationList
        | CertificateError::ExpiredRevocationListContext { .. } => {
            CertificateFault::RevocationUnknown
        }
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            CertificateFault::Algorithm
        }
        CertificateError::Other(other) => library_fault(other.0.downcast_ref(), certificate),
        _ => CertificateFault::Other,
    }
}

fn name_fault(certificate: &Certificate) -> CertificateFault {
    match certificate.host_names().as_slice() {
        [] => CertificateFault::OnlyCommonName,
        _ => CertificateFault::WrongName,
    }
}

fn library_fault(error: Option<&webpki::Error>, certificate: &Certificate) -> CertificateFault {
    match error {
        Some(webpki::Error::UnsupportedCertVersion) => CertificateFault::Version1,
        Some(webpki::Error::CaUsedAsEndEntity) if certificate.is_self_signed() => {
            CertificateFault::SelfSigned
        }
        Some(webpki::Error::CaUsedAsEndEntity) => CertificateFault::AuthorityAsServer,
        _ => CertificateFault::Other,
    }
}

fn described(
    fault: CertificateFault,
    certificate: &Certificate,
    trust: &Trust,
    host: &str,
) -> ConnectFailure {
    let (sentence, hint) = match fault {
        CertificateFault::Expired => (
            format!("the server's certificate expired on {}", certificate.not_after()),
            "renew it on the server; sslmode=require encrypts without checking it".to_owned(),
        ),
        CertificateFault::NotYetValid => (
            format!("the server's certificate is not valid before {}", certificate.not_before()),
            "compare the clocks of both machines".to_owned(),
        ),
        CertificateFault::WrongName => (
            format!("the server's certificate is for {}, not for \"{host}\"", certificate.host_names().join(", ")),
            format!("connect by a name it has, or issue one with the subjectAltName {}; sslmode=verify-ca checks the issuer only", alternative_name(host)),
        ),
        CertificateFault::OnlyCommonName => (
            format!("the server's certificate has no subjectAltName{}", common_name(certificate)),
            format!("names in the common name are not compared (psql still does): issue it with the subjectAltName {}; sslmode=verify-ca checks the issuer only, sslmode=require nothing", alternative_name(host)),
        ),
        CertificateFault::Version1 => (
            "the server's certificate is of X.509 version 1, which can't be verified".to_owned(),
            format!("issue it as version 3 (openssl x509 -req … -extfile, with subjectAltName={}); until then sslmode=require encrypts without checking it, and so does not tell an impostor", alternative_name(host)),
        ),
        CertificateFault::UnknownIssuer => (
            format!("the server's certificate was issued by \"{}\", and {} no valid certificate of that issuer", certificate.issuer(), store(trust)),
            "put the issuer's root certificate there; a server must send the intermediate ones itself".to_owned(),
        ),
        CertificateFault::SelfSigned => (
            format!("the server's certificate is self-signed, and {} no such certificate", store(trust)),
            "if it is the right one, put it there".to_owned(),
        ),
        CertificateFault::AuthorityAsServer => (
            "the server's certificate is a CA's own (CA:TRUE)".to_owned(),
            "issue one for the server; or put exactly this certificate into sslrootcert".to_owned(),
        ),
        CertificateFault::WrongPurpose => (
            "the server's certificate is not meant for servers (extendedKeyUsage)".to_owned(),
            "issue it with serverAuth".to_owned(),
        ),
        CertificateFault::Revoked => (
            "the server's certificate has been revoked".to_owned(),
            "the revocation list (sslcrl) names it: renew it on the server".to_owned(),
        ),
        CertificateFault::RevocationUnknown => (
            "the revocation list does not tell about the server's certificate".to_owned(),
            "sslcrl needs a list within its dates from every issuer in the chain".to_owned(),
        ),
        CertificateFault::Algorithm | CertificateFault::Other => return other(),
    };
    ConnectFailure::new(FailureKind::CertificateRefused(fault), sentence).hint(hint)
}

fn other() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::CertificateRefused(CertificateFault::Other),
        "the server's certificate can't be verified",
    )
    .hint("sslmode=require encrypts without checking it")
}

fn common_name(certificate: &Certificate) -> String {
    certificate.common_name().map_or_else(String::new, |name| {
        format!(", only the common name \"{name}\"")
    })
}

fn alternative_name(host: &str) -> String {
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => format!("IP:{address}"),
        Err(_) => format!("DNS:{host}"),
    }
}

fn store(trust: &Trust) -> String {
    match &trust.file {
        Some(file) => format!("{} holds", file.display()),
        None => "the system's store holds".to_owned(),
    }
}
