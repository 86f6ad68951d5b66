//! The channel-binding digest `tls-server-end-point` of RFC 5929, section 4.1.

use rustls::pki_types::CertificateDer;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use x509_cert::der::asn1::{AnyRef, ContextSpecific, ObjectIdentifier};
use x509_cert::der::{Decode, Reader, TagNumber};
use x509_cert::spki::{AlgorithmIdentifierOwned, AlgorithmIdentifierRef};

use super::certificate::Certificate;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hash {
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// The digest of `certificate` by the hash of its own signature. `None` when that signature has
/// no hash (Ed25519): RFC 5929 leaves the binding undefined, and psql does without it too.
pub(super) fn server_end_point(certificate: &CertificateDer<'_>) -> Option<Vec<u8>> {
    let hash = signature_hash(Certificate::read(certificate)?.signature_algorithm())?;
    Some(match hash {
        Hash::Sha224 => Sha224::digest(certificate).to_vec(),
        Hash::Sha256 => Sha256::digest(certificate).to_vec(),
        Hash::Sha384 => Sha384::digest(certificate).to_vec(),
        Hash::Sha512 => Sha512::digest(certificate).to_vec(),
    })
}

fn signature_hash(algorithm: &AlgorithmIdentifierOwned) -> Option<Hash> {
    match algorithm.oid.to_string().as_str() {
        // MD5 and SHA-1, with RSA, DSA and ECDSA: RFC 5929 replaces them by SHA-256.
        "1.2.840.113549.1.1.4" | "1.2.840.113549.1.1.5" => Some(Hash::Sha256),
        "1.2.840.10040.4.3" | "1.2.840.10045.4.1" => Some(Hash::Sha256),
        // RSA PKCS#1 v1.5
        "1.2.840.113549.1.1.14" => Some(Hash::Sha224),
        "1.2.840.113549.1.1.11" => Some(Hash::Sha256),
        "1.2.840.113549.1.1.12" => Some(Hash::Sha384),
        "1.2.840.113549.1.1.13" => Some(Hash::Sha512),
        // ECDSA
        "1.2.840.10045.4.3.1" => Some(Hash::Sha224),
        "1.2.840.10045.4.3.2" => Some(Hash::Sha256),
        "1.2.840.10045.4.3.3" => Some(Hash::Sha384),
        "1.2.840.10045.4.3.4" => Some(Hash::Sha512),
        // DSA with SHA-2
        "2.16.840.1.101.3.4.3.1" => Some(Hash::Sha224),
        "2.16.840.1.101.3.4.3.2" => Some(Hash::Sha256),
        // RSASSA-PSS names its hash in its parameters.
        "1.2.840.113549.1.1.10" => pss_hash(algorithm),
        _ => None,
    }
}

/// RFC 4055, section 3.1: the first, explicitly tagged field; absent it means SHA-1.
fn pss_hash(algorithm: &AlgorithmIdentifierOwned) -> Option<Hash> {
    let parameters = AnyRef::from(algorithm.parameters.as_ref()?);
    let named = parameters
        .sequence(|reader| {
            let named = ContextSpecific::<AlgorithmIdentifierRef<'_>>::decode_explicit(
                reader,
                TagNumber::N0,
            )?;
            while !reader.is_finished() {
                AnyRef::decode(reader)?;
            }
            Ok(named.map(|field| field.value.oid))
        })
        .ok()?;
    named.map_or(Some(Hash::Sha256), digest_hash)
}

fn digest_hash(oid: ObjectIdentifier) -> Option<Hash> {
    match oid.to_string().as_str() {
        "1.2.840.113549.2.5" | "1.3.14.3.2.26" => Some(Hash::Sha256),
        "2.16.840.1.101.3.4.2.4" => Some(Hash::Sha224),
        "2.16.840.1.101.3.4.2.1" => Some(Hash::Sha256),
        "2.16.840.1.101.3.4.2.2" => Some(Hash::Sha384),
        "2.16.840.1.101.3.4.2.3" => Some(Hash::Sha512),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithm(der: &[u8]) -> AlgorithmIdentifierOwned {
        AlgorithmIdentifierOwned::from_der(der).unwrap()
    }

    #[test]
    fn reads_the_hash_of_pss_from_its_parameters() {
        // SEQUENCE { rsassaPss, SEQUENCE { [0] { SEQUENCE { sha384 } }, [2] { INTEGER 48 } } }
        let der = b"\x30\x21\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a\x30\x14\xa0\x0d\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02\xa2\x03\x02\x01\x30";
        assert_eq!(signature_hash(&algorithm(der)), Some(Hash::Sha384));
    }

    #[test]
    fn takes_sha256_for_pss_without_a_named_hash() {
        let der = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a\x30\x00";
        assert_eq!(signature_hash(&algorithm(der)), Some(Hash::Sha256));
    }

    #[test]
    fn has_no_hash_for_ed25519() {
        assert_eq!(
            signature_hash(&algorithm(b"\x30\x05\x06\x03\x2b\x65\x70")),
            None
        );
    }

    #[test]
    fn replaces_sha1_by_sha256() {
        let der = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x05\x05\x00";
        assert_eq!(signature_hash(&algorithm(der)), Some(Hash::Sha256));
    }
}
