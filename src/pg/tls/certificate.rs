//! What a certificate says about itself, for error messages and the choice of a hash.
//!
//! It never decides whether a certificate is to be trusted, with one exception that only ever
//! narrows: whether it may stand as an issuer at all.

use std::fmt::Write;
use std::net::IpAddr;

use x509_cert::Version;
use x509_cert::der::asn1::{ObjectIdentifier, OctetString};
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, SubjectAltName};
use x509_cert::spki::AlgorithmIdentifierOwned;

/// RFC 4519: the attribute `commonName`.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// A certificate taken apart.
pub(super) struct Certificate(x509_cert::Certificate);

impl Certificate {
    /// `None` when the bytes are no certificate.
    pub(super) fn read(der: &[u8]) -> Option<Self> {
        x509_cert::Certificate::from_der(der).ok().map(Self)
    }

    pub(super) fn is_version_1(&self) -> bool {
        self.0.tbs_certificate.version == Version::V1
    }

    pub(super) fn is_self_signed(&self) -> bool {
        self.0.tbs_certificate.subject == self.0.tbs_certificate.issuer
    }

    pub(super) fn issuer(&self) -> String {
        self.0.tbs_certificate.issuer.to_string()
    }

    pub(super) fn signature_algorithm(&self) -> &AlgorithmIdentifierOwned {
        &self.0.signature_algorithm
    }

    pub(super) fn public_key(&self) -> Option<Vec<u8>> {
        self.0.tbs_certificate.subject_public_key_info.to_der().ok()
    }

    /// The end of its time, as RFC 3339.
    pub(super) fn not_after(&self) -> String {
        self.0
            .tbs_certificate
            .validity
            .not_after
            .to_date_time()
            .to_string()
    }

    /// The begin of its time, as RFC 3339.
    pub(super) fn not_before(&self) -> String {
        self.0
            .tbs_certificate
            .validity
            .not_before
            .to_date_time()
            .to_string()
    }

    pub(super) fn dates(&self) -> Dates {
        let validity = &self.0.tbs_certificate.validity;
        Dates {
            first: validity.not_before.to_unix_duration().as_secs(),
            last: validity.not_after.to_unix_duration().as_secs(),
        }
    }

    /// The subjectAltNames that a host can be compared with.
    pub(super) fn host_names(&self) -> Vec<String> {
        let names = self
            .0
            .tbs_certificate
            .get::<SubjectAltName>()
            .ok()
            .flatten();
        names
            .into_iter()
            .flat_map(|(_, names)| names.0)
            .filter_map(|name| host_name(&name))
            .collect()
    }

    pub(super) fn common_name(&self) -> Option<String> {
        let parts = &self.0.tbs_certificate.subject.0;
        let attribute = parts
            .iter()
            .flat_map(|part| part.0.iter())
            .rfind(|part| part.oid == COMMON_NAME)?;
        Some(String::from_utf8_lossy(attribute.value.value()).into_owned())
    }

    /// OpenSSL's rule for an issuer (`X509_check_ca`): CA:TRUE; without basicConstraints a
    /// version 1 root, or a keyUsage that signs certificates. webpki asks nothing of an anchor, so
    /// a server's own certificate in `sslrootcert` could otherwise vouch for others.
    pub(super) fn may_issue(&self) -> bool {
        let certificate = &self.0.tbs_certificate;
        match certificate.get::<BasicConstraints>() {
            Ok(Some((_, constraints))) => constraints.ca,
            Ok(None) => self.is_version_1() || self.signs_certificates(),
            Err(_) => false,
        }
    }

    fn signs_certificates(&self) -> bool {
        let usage = self.0.tbs_certificate.get::<KeyUsage>().ok().flatten();
        usage.is_some_and(|(_, usage)| usage.key_cert_sign())
    }
}

/// First and last second in which a certificate is valid, since 1970.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dates {
    first: u64,
    last: u64,
}

/// Where a moment lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Before,
    Within,
    After,
}

impl Dates {
    pub(super) fn place(self, second: u64) -> Moment {
        match second {
            early if early < self.first => Moment::Before,
            late if late > self.last => Moment::After,
            _ => Moment::Within,
        }
    }
}

fn host_name(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(name) => Some(name.to_string()),
        GeneralName::IpAddress(address) => Some(address_text(address)),
        _ => None,
    }
}

fn address_text(address: &OctetString) -> String {
    let bytes = address.as_bytes();
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return IpAddr::from(four).to_string();
    }
    if let Ok(sixteen) = <[u8; 16]>::try_from(bytes) {
        return IpAddr::from(sixteen).to_string();
    }
    bytes
        .iter()
        .fold(String::from("address "), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}
