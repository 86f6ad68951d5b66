//! Numbers cut out of cryptographic digests, and the one key-derivation function that a tool uses.

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha224, Sha256};

/// A digest that applications cut keys out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digest {
    Md5,
    Sha1,
    Sha224,
    Sha256,
}

/// How bytes become a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    Big,
    Little,
}

impl Digest {
    pub fn of(self, text: &str) -> Vec<u8> {
        match self {
            Self::Md5 => Md5::digest(text).to_vec(),
            Self::Sha1 => Sha1::digest(text).to_vec(),
            Self::Sha224 => Sha224::digest(text).to_vec(),
            Self::Sha256 => Sha256::digest(text).to_vec(),
        }
    }

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA-1",
            Self::Sha224 => "SHA-224",
            Self::Sha256 => "SHA-256",
        }
    }

    /// How many bytes a digest has.
    pub fn length(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
        }
    }

    /// The first eight bytes as a signed number.
    pub fn key(self, text: &str, order: ByteOrder) -> i64 {
        order.number(&self.of(text)[..8]).cast_signed()
    }
}

impl ByteOrder {
    /// At most eight bytes, read in this order.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let push = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
        match self {
            Self::Big => bytes.iter().fold(0, push),
            Self::Little => bytes.iter().rev().fold(0, push),
        }
    }
}

/// HKDF (RFC 5869) with SHA-256 and no salt, as far as its first block: 32 bytes.
pub fn hkdf_sha256(secret: &str, info: &str) -> [u8; 32] {
    const NO_SALT: [u8; 32] = [0; 32];
    const FIRST_BLOCK: [u8; 1] = [1];
    let extracted = hmac(&NO_SALT, &[secret.as_bytes()]);
    hmac(&extracted, &[info.as_bytes(), &FIRST_BLOCK])
}

fn hmac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_from_the_beginning() {
        let key = |digest: Digest, order| digest.key("app", order);
        assert_eq!(key(Digest::Md5, ByteOrder::Big), -3_268_067_683_072_738_015);
        assert_eq!(
            key(Digest::Sha256, ByteOrder::Big),
            -6_813_155_839_046_105_269
        );
        assert_eq!(
            key(Digest::Sha256, ByteOrder::Little),
            5_424_383_092_545_450_657
        );
        assert_eq!(
            Digest::Sha1.key("my-long-lock-name", ByteOrder::Little),
            -6_292_990_556_957_758_089
        );
        assert_eq!(
            Digest::Sha224.key("app.pgboss.pgboss", ByteOrder::Big),
            -9_218_828_629_118_414_586
        );
    }

    #[test]
    fn digests_have_the_length_they_say() {
        for digest in [Digest::Md5, Digest::Sha1, Digest::Sha224, Digest::Sha256] {
            assert_eq!(digest.of("").len(), digest.length());
        }
    }

    /// sqlx's own documented example.
    #[test]
    fn derives_the_key_of_sqlx_s_named_lock() {
        let block = hkdf_sha256(
            "my first Postgres advisory lock!",
            "SQLx (Rust) Postgres advisory lock",
        );
        let key = ByteOrder::Little.number(&block[..8]).cast_signed();
        assert_eq!(key, -5_560_419_505_042_474_287);
    }
}
