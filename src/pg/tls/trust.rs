//! Whom a sslmode trusts: anchors, certificates trusted as they are, revocation lists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};

use super::certificate::{Certificate, Moment};
use super::files;
use crate::pg::failure::{ConnectFailure, tls_file, tls_settings};
use crate::pg::target::{Roots, SslMode, TlsNegotiation, TlsSettings};

const ROOT: &str = "root certificate";

/// How much of the server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Nothing but that the server owns its key.
    KeyOnly,
    Chain,
    ChainAndName,
}

/// What a server's certificate is held against.
#[derive(Debug)]
pub(super) struct Trust {
    pub(super) depth: Depth,
    pub(super) anchors: Arc<RootCertStore>,
    /// The certificates of `sslrootcert`, byte for byte: one of these is trusted as it is.
    pub(super) pinned: Vec<CertificateDer<'static>>,
    /// The library's verifier with revocation lists; `None` without `sslcrl`.
    pub(super) revocation: Option<Arc<WebPkiServerVerifier>>,
    /// TLS from the first byte on.
    pub(super) direct: bool,
    /// The file behind `anchors`, for messages; `None` for the system's.
    pub(super) file: Option<PathBuf>,
}

impl Trust {
    pub(super) fn read(
        settings: &TlsSettings,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, ConnectFailure> {
        let depth = depth(settings)?;
        let mut trust = match (depth, &settings.roots) {
            (Depth::KeyOnly, _) => Self::nobody(),
            (_, Roots::System) => Self::system()?,
            (_, Roots::File(path)) => Self::of_file(path)?,
            (_, Roots::None) => return Err(no_roots()),
        };
        trust.depth = depth;
        trust.direct = settings.negotiation == TlsNegotiation::Direct;
        if let Some(path) = &settings.crl {
            trust.revocation = Some(trust.with_revocation_lists(path, provider)?);
        }
        Ok(trust)
    }

    pub(super) fn compares_names(&self) -> bool {
        self.depth == Depth::ChainAndName
    }

    fn nobody() -> Self {
        Self {
            depth: Depth::KeyOnly,
            anchors: Arc::new(RootCertStore::empty()),
            pinned: Vec::new(),
            revocation: None,
            direct: false,
            file: None,
        }
    }

    fn system() -> Result<Self, ConnectFailure> {
        let found = rustls_native_certs::load_native_certs();
        let mut anchors = RootCertStore::empty();
        anchors.add_parsable_certificates(found.certs);
        if anchors.is_empty() {
            let failure = tls_settings(
                "sslrootcert=system, but this machine has no root certificates",
            )
            .hint("install its CA certificates (package ca-certificates), or set SSL_CERT_FILE");
            return Err(found
                .errors
                .iter()
                .fold(failure, |failure, error| failure.cause(error.to_string())));
        }
        Ok(Self {
            anchors: Arc::new(anchors),
            ..Self::nobody()
        })
    }

    fn of_file(path: &Path) -> Result<Self, ConnectFailure> {
        let pinned = files::certificates(ROOT, path)?;
        let anchors = anchors(path, &pinned)?;
        Ok(Self {
            anchors: Arc::new(anchors),
            pinned,
            file: Some(path.to_owned()),
            ..Self::nobody()
        })
    }

    /// As libpq: every certificate of the chain needs a list, and the list must be within its dates
    /// (X509_V_FLAG_CRL_CHECK_ALL in fe-secure-openssl.c).
    fn with_revocation_lists(
        &self,
        path: &Path,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<WebPkiServerVerifier>, ConnectFailure> {
        if self.anchors.is_empty() {
            return Err(tls_settings(
                "a revocation list (sslcrl) needs certificates to be checked",
            )
            .hint("add sslrootcert and sslmode=verify-ca or verify-full, or take sslcrl away"));
        }
        WebPkiServerVerifier::builder_with_provider(self.anchors.clone(), provider.clone())
            .with_crls(files::revocation_lists(path)?)
            .enforce_revocation_expiration()
            .build()
            .map_err(|error| {
                tls_file("revocation list", path, "can't be used").cause(error.to_string())
            })
    }
}

/// `require` with a root file is `verify-ca` (libpq's documentation, "SSL Client Usage").
fn depth(settings: &TlsSettings) -> Result<Depth, ConnectFailure> {
    match (settings.mode, &settings.roots) {
        (SslMode::VerifyFull, _) => Ok(Depth::ChainAndName),
        (_, Roots::System) => Err(tls_settings("sslrootcert=system needs sslmode=verify-full")
            .hint(
                "anybody can get a certificate from a public CA: only the name tells servers apart",
            )),
        (SslMode::VerifyCa, _) | (SslMode::Require, Roots::File(_)) => Ok(Depth::Chain),
        _ => Ok(Depth::KeyOnly),
    }
}

fn no_roots() -> ConnectFailure {
    tls_settings("sslmode=verify-ca and verify-full need root certificates, and there are none")
        .hint("name a file with sslrootcert, put one at ~/.postgresql/root.crt, or use sslrootcert=system")
}

/// Only issuers within their dates become anchors: webpki looks at neither.
fn anchors(
    path: &Path,
    certificates: &[CertificateDer<'static>],
) -> Result<RootCertStore, ConnectFailure> {
    let now = UnixTime::now().as_secs();
    let mut store = RootCertStore::empty();
    for der in certificates {
        let Some(certificate) = Certificate::read(der) else {
            return Err(tls_file(
                ROOT,
                path,
                "holds a certificate that can't be read",
            ));
        };
        if certificate.may_issue() && certificate.dates().place(now) == Moment::Within {
            store
                .add(der.clone())
                .map_err(|error| tls_file(ROOT, path, "can't be used").cause(error.to_string()))?;
        }
    }
    Ok(store)
}
