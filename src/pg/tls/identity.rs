//! The client certificate and its private key, under libpq's rules for the key file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use rustls::{Error, InconsistentKeys};

use super::files;
use crate::pg::failure::{ConnectFailure, tls_file, tls_settings};
use crate::pg::target::TlsSettings;

const CERTIFICATE: &str = "client certificate";
const KEY: &str = "private key";

/// What the client shows when a server asks; `None` without a certificate in the settings.
///
/// A resolver and not `with_client_auth_cert`: that one parses the certificate and so refuses
/// X.509 version 1 (rustls, `CertifiedKey::keys_match`).
pub(super) fn read(
    settings: &TlsSettings,
    provider: &CryptoProvider,
) -> Result<Option<Arc<SingleCertAndKey>>, ConnectFailure> {
    let Some(path) = &settings.certificate else {
        return Ok(None);
    };
    let chain = files::certificates(CERTIFICATE, path)?;
    let Some(key_path) = &settings.key else {
        return Err(tls_settings(
            "a client certificate (sslcert) needs its private key (sslkey)",
        ));
    };
    let certified = CertifiedKey::new(chain, signing_key(key_path, provider)?);
    if let Err(Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) = certified.keys_match() {
        let problem = format!("does not belong to the certificate in {}", path.display());
        return Err(tls_file(KEY, key_path, &problem));
    }
    Ok(Some(Arc::new(SingleCertAndKey::from(certified))))
}

fn signing_key(
    path: &Path,
    provider: &CryptoProvider,
) -> Result<Arc<dyn SigningKey>, ConnectFailure> {
    let metadata = std::fs::metadata(path).map_err(|error| files::unreadable(KEY, path, &error))?;
    check_permissions(path, &metadata)?;
    let pem = files::read(KEY, path)?;
    check_not_encrypted(path, &pem)?;
    let key = PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|_| tls_file(KEY, path, "holds no private key in PEM form"))?;
    provider
        .key_provider
        .load_private_key(key)
        .map_err(|error| tls_file(KEY, path, "can't be used").cause(error.to_string()))
}

/// libpq, `initialize_SSL` in fe-secure-openssl.c: 0600 or less, or 0640 or less if root owns it.
fn check_permissions(path: &Path, metadata: &Metadata) -> Result<(), ConnectFailure> {
    if !metadata.is_file() {
        return Err(tls_file(KEY, path, "is not a regular file"));
    }
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden == 0 {
        return Ok(());
    }
    Err(
        tls_file(KEY, path, "can be read or changed by others").hint(format!(
            "chmod 0600 {} (0640 is enough if root owns it)",
            path.display()
        )),
    )
}

fn check_not_encrypted(path: &Path, pem: &[u8]) -> Result<(), ConnectFailure> {
    let text = String::from_utf8_lossy(pem);
    if !text.contains("BEGIN ENCRYPTED PRIVATE KEY") && !text.contains("Proc-Type: 4,ENCRYPTED") {
        return Ok(());
    }
    let shown = path.display();
    Err(tls_file(KEY, path, "is encrypted, and lockaudit can't decrypt it").hint(format!(
        "write a decrypted copy that only you can read: (umask 077; openssl pkey -in {shown} -out {shown}.plain), and give that with sslkey"
    )))
}
