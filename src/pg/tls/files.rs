//! The PEM files that the settings name. Every failure names the file.

use std::io;
use std::path::Path;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};

use crate::pg::failure::{ConnectFailure, tls_file};

/// The bytes of `path`; `what` says what the file is for.
pub(super) fn read(what: &str, path: &Path) -> Result<Vec<u8>, ConnectFailure> {
    std::fs::read(path).map_err(|error| unreadable(what, path, &error))
}

pub(super) fn unreadable(what: &str, path: &Path, error: &io::Error) -> ConnectFailure {
    match error.kind() {
        io::ErrorKind::NotFound => tls_file(what, path, "does not exist"),
        _ => tls_file(what, path, "can't be read").cause(error.to_string()),
    }
}

/// All certificates of a PEM file; at least one.
pub(super) fn certificates(
    what: &str,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, ConnectFailure> {
    let pem = read(what, path)?;
    sections(
        CertificateDer::pem_slice_iter(&pem),
        what,
        path,
        "holds no certificate in PEM form",
    )
}

/// All certificate revocation lists of a PEM file; at least one.
pub(super) fn revocation_lists(
    path: &Path,
) -> Result<Vec<CertificateRevocationListDer<'static>>, ConnectFailure> {
    let what = "revocation list";
    let pem = read(what, path)?;
    let lists = CertificateRevocationListDer::pem_slice_iter(&pem);
    sections(lists, what, path, "holds no revocation list in PEM form")
}

fn sections<T, E: std::fmt::Display>(
    sections: impl Iterator<Item = Result<T, E>>,
    what: &str,
    path: &Path,
    empty: &str,
) -> Result<Vec<T>, ConnectFailure> {
    let read: Result<Vec<T>, E> = sections.collect();
    match read {
        Ok(read) if read.is_empty() => Err(tls_file(what, path, empty)),
        Ok(read) => Ok(read),
        Err(error) => Err(tls_file(what, path, "is not valid PEM").cause(error.to_string())),
    }
}
