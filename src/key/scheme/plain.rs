//! Hashes that any application may use, the usual ones first.

use super::{Kind, Scheme, single};
use crate::key::AdvisoryKey;
use crate::key::hash::{self, ByteOrder, Digest};
use crate::text::sql_literal;

pub(super) static PLAIN: [Scheme; 16] = [
    Scheme {
        name: "hashtext",
        formula: "hashtext",
        kind: Kind::Plain,
        key: |name| single(hash::hashtext(name)),
        sql: Some(|name| format!("hashtext({})", sql_literal(name))),
    },
    Scheme {
        name: "hashtextextended",
        formula: "hashtextextended with seed 0",
        kind: Kind::Plain,
        key: |name| single(hash::hashtextextended(name, 0)),
        sql: Some(|name| format!("hashtextextended({}, 0)", sql_literal(name))),
    },
    Scheme {
        name: "crc32",
        formula: "the CRC-32",
        kind: Kind::Plain,
        key: |name| single(hash::crc32(name)),
        sql: None,
    },
    Scheme {
        name: "crc32-signed",
        formula: "the CRC-32 as a signed number",
        kind: Kind::Plain,
        key: |name| single(hash::crc32(name).cast_signed()),
        sql: None,
    },
    Scheme {
        name: "fnv1-32",
        formula: "the 32-bit FNV-1",
        kind: Kind::Plain,
        key: |name| single(hash::fnv1_32(name)),
        sql: None,
    },
    Scheme {
        name: "fnv1a-32",
        formula: "the 32-bit FNV-1a",
        kind: Kind::Plain,
        key: |name| single(hash::fnv1a_32(name)),
        sql: None,
    },
    Scheme {
        name: "fnv1-64",
        formula: "the 64-bit FNV-1",
        kind: Kind::Plain,
        key: |name| single(hash::fnv1_64(name).cast_signed()),
        sql: None,
    },
    Scheme {
        name: "fnv1a-64",
        formula: "the 64-bit FNV-1a",
        kind: Kind::Plain,
        key: |name| single(hash::fnv1a_64(name).cast_signed()),
        sql: None,
    },
    Scheme {
        name: "java-hashcode",
        formula: "Java's hashCode",
        kind: Kind::Plain,
        key: |name| single(hash::java_hash_code(name)),
        sql: None,
    },
    Scheme {
        name: "md5",
        formula: "the first 8 bytes of the MD5",
        kind: Kind::Plain,
        key: |name| digest(Digest::Md5, name, ByteOrder::Big),
        sql: Some(|name| format!("('x' || md5({}))::bit(64)::bigint", sql_literal(name))),
    },
    Scheme {
        name: "md5-32",
        formula: "the first 4 bytes of the MD5",
        kind: Kind::Plain,
        key: |name| single(ByteOrder::Big.number(&Digest::Md5.of(name)[..4]) as u32),
        sql: Some(|name| {
            format!(
                "('x00000000' || substr(md5({}), 1, 8))::bit(64)::bigint",
                sql_literal(name)
            )
        }),
    },
    Scheme {
        name: "sha1",
        formula: "the first 8 bytes of the SHA-1",
        kind: Kind::Plain,
        key: |name| digest(Digest::Sha1, name, ByteOrder::Big),
        sql: None,
    },
    Scheme {
        name: "sha1-little-endian",
        formula: "the first 8 bytes of the SHA-1, the lowest first,",
        kind: Kind::Plain,
        key: |name| digest(Digest::Sha1, name, ByteOrder::Little),
        sql: None,
    },
    Scheme {
        name: "sha224",
        formula: "the first 8 bytes of the SHA-224",
        kind: Kind::Plain,
        key: |name| digest(Digest::Sha224, name, ByteOrder::Big),
        sql: Some(|name| sql_of_digest("sha224", name)),
    },
    Scheme {
        name: "sha256",
        formula: "the first 8 bytes of the SHA-256",
        kind: Kind::Plain,
        key: |name| digest(Digest::Sha256, name, ByteOrder::Big),
        sql: Some(|name| sql_of_digest("sha256", name)),
    },
    Scheme {
        name: "sha256-little-endian",
        formula: "the first 8 bytes of the SHA-256, the lowest first,",
        kind: Kind::Plain,
        key: |name| digest(Digest::Sha256, name, ByteOrder::Little),
        sql: None,
    },
];

fn digest(digest: Digest, name: &str, order: ByteOrder) -> Option<AdvisoryKey> {
    single(digest.key(name, order))
}

/// A digest's first half in SQL, which has a `bytea` function for it.
fn sql_of_digest(function: &str, name: &str) -> String {
    let bytes = format!("convert_to({}, 'UTF8')", sql_literal(name));
    format!("('x' || encode({function}({bytes}), 'hex'))::bit(64)::bigint")
}
