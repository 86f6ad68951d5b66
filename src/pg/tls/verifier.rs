//! The question rustls puts to us in a handshake, passed on to the library's own functions.
//!
//! All that is decided here: how deep to look, and that a certificate which stands byte for byte
//! in `sslrootcert` is trusted within its dates.

use std::sync::{Arc, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

use super::Shown;
use super::certificate::{Certificate, Moment};
use super::trust::{Depth, Trust};

#[derive(Debug)]
pub(super) struct Verifier {
    trust: Arc<Trust>,
    algorithms: WebPkiSupportedAlgorithms,
    shown: Shown,
}

impl Verifier {
    /// What the server shows is left in `shown`, accepted or not.
    pub(super) fn new(trust: Arc<Trust>, provider: &CryptoProvider, shown: Shown) -> Self {
        Self {
            trust,
            algorithms: provider.signature_verification_algorithms,
            shown,
        }
    }

    fn remember(&self, certificate: &CertificateDer<'_>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        *shown = Some(certificate.clone().into_owned());
    }

    fn check_chain(&self, chain: &Chain<'_>) -> Result<(), Error> {
        match &self.trust.revocation {
            Some(library) => chain_and_revocation(library.as_ref(), chain),
            None if self.trust.pinned.contains(chain.leaf) => within_dates(chain.leaf, chain.now),
            None => verify_server_cert_signed_by_trust_anchor(
                &ParsedCertificate::try_from(chain.leaf)?,
                &self.trust.anchors,
                chain.intermediates,
                chain.now,
                self.algorithms.all,
            ),
        }
    }
}

/// What the server showed, and when.
struct Chain<'a> {
    leaf: &'a CertificateDer<'a>,
    intermediates: &'a [CertificateDer<'a>],
    name: &'a ServerName<'a>,
    now: UnixTime,
}

/// The library checks chain and revocation before the name, so a wrong name means that both are
/// good (rustls, server_verifier.rs); the name is our caller's question.
fn chain_and_revocation(library: &dyn ServerCertVerifier, chain: &Chain<'_>) -> Result<(), Error> {
    use CertificateError::{NotValidForName, NotValidForNameContext};
    match library.verify_server_cert(chain.leaf, chain.intermediates, chain.name, &[], chain.now) {
        Ok(_) => Ok(()),
        Err(Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}

fn within_dates(leaf: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let certificate = Certificate::read(leaf).ok_or(CertificateError::BadEncoding)?;
    match certificate.dates().place(now.as_secs()) {
        Moment::Before => Err(CertificateError::NotValidYet.into()),
        Moment::Within => Ok(()),
        Moment::After => Err(CertificateError::Expired.into()),
    }
}

/// `Some` for a certificate that webpki can't take apart (X.509 version 1, mostly): there the
/// library checks the signature of the handshake with the bare key.
fn bare_key(certificate: &CertificateDer<'_>) -> Option<SubjectPublicKeyInfoDer<'static>> {
    if webpki::EndEntityCert::try_from(certificate).is_ok() {
        return None;
    }
    Certificate::read(certificate)?
        .public_key()
        .map(SubjectPublicKeyInfoDer::from)
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.remember(leaf);
        if self.trust.depth != Depth::KeyOnly {
            self.check_chain(&Chain {
                leaf,
                intermediates,
                name,
                now,
            })?;
        }
        if self.trust.compares_names() {
            verify_server_name(&ParsedCertificate::try_from(leaf)?, name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    /// For a bare key the library has the TLS 1.3 form only. It takes the same signatures, less
    /// RSA PKCS#1 v1.5; whatever the form, nothing passes without a signature by that key.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match bare_key(certificate) {
            Some(key) => {
                verify_tls13_signature_with_raw_key(message, &key, signed, &self.algorithms)
            }
            None => verify_tls12_signature(message, certificate, signed, &self.algorithms),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match bare_key(certificate) {
            Some(key) => {
                verify_tls13_signature_with_raw_key(message, &key, signed, &self.algorithms)
            }
            None => verify_tls13_signature(message, certificate, signed, &self.algorithms),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
