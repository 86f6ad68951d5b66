//! Formulas of single tools.

use super::{Kind, Scheme, single};
use crate::key::AdvisoryKey;
use crate::key::ascii_name;
use crate::key::hash::{self, ByteOrder, Digest};

/// Multiplied, the CRC-32 of a database's name cannot leave 63 bits: both factors are smaller than 2^31 and 2^32.
fn crc32_times(factor: u32, name: &str) -> Option<AdvisoryKey> {
    single((u64::from(factor) * u64::from(hash::crc32(name))).cast_signed())
}

/// The number that Rails multiplies by.
pub(super) const RAILS: u32 = 2_053_462_845;
/// The number that sqlx multiplies by.
pub(super) const SQLX: u32 = 1_026_731_422;
/// The number that golang-migrate multiplies by, modulo 2^32.
const GOLANG_MIGRATE: u32 = 1_486_364_155;
/// `Flyway` in ASCII.
const FLYWAY: i64 = 0x466c_7977_6179;

pub(super) static OF_TOOLS: [Scheme; 18] = [
    Scheme {
        name: "rails",
        formula: "2053462845 times the CRC-32",
        kind: Kind::OfATool,
        key: |name| crc32_times(RAILS, name),
        sql: None,
    },
    Scheme {
        name: "sqlx",
        formula: "1026731422 times the CRC-32",
        kind: Kind::OfATool,
        key: |name| crc32_times(SQLX, name),
        sql: None,
    },
    Scheme {
        name: "golang-migrate",
        formula: "1486364155 times the CRC-32, modulo 2^32,",
        kind: Kind::OfATool,
        key: |name| single(hash::crc32(name).wrapping_mul(GOLANG_MIGRATE)),
        sql: None,
    },
    Scheme {
        name: "flyway",
        formula: "77431708279161 (`Flyway` in ASCII) plus Java's hashCode",
        kind: Kind::OfATool,
        key: |name| single(FLYWAY + i64::from(hash::java_hash_code(name))),
        sql: None,
    },
    Scheme {
        name: "sqlx-lock",
        formula: "sqlx's HKDF-SHA256",
        kind: Kind::OfATool,
        key: |name| {
            let block = hash::hkdf_sha256(name, "SQLx (Rust) Postgres advisory lock");
            single(ByteOrder::Little.number(&block[..8]).cast_signed())
        },
        sql: None,
    },
    Scheme {
        name: "ecto",
        formula: "erlang:phash2 of {ecto, prefix, repo}",
        kind: Kind::OfATool,
        key: ecto,
        sql: None,
    },
    Scheme {
        name: "critter-stack",
        formula: "JasperFx's stable hash",
        kind: Kind::OfATool,
        key: |name| single(hash::dotnet_stable(name)),
        sql: None,
    },
    Scheme {
        name: "marten-daemon",
        formula: "4444 plus JasperFx's stable hash without its sign",
        kind: Kind::OfATool,
        key: |name| single(hash::dotnet_stable(name).wrapping_abs().wrapping_add(4444)),
        sql: None,
    },
    Scheme {
        name: "fnv1a-31",
        formula: "the lower 31 bits of the 32-bit FNV-1a",
        kind: Kind::OfATool,
        key: |name| single(hash::fnv1a_32(name) & 0x7fff_ffff),
        sql: None,
    },
    Scheme {
        name: "supabase-storage",
        formula: "Bernstein's hash with exclusive-or",
        kind: Kind::OfATool,
        key: |name| single(hash::xor_times_33(name)),
        sql: None,
    },
    Scheme {
        name: "medusa",
        formula: "Bernstein's hash with exclusive-or, backwards,",
        kind: Kind::OfATool,
        key: |name| single(hash::xor_times_33_backwards(name)),
        sql: None,
    },
    Scheme {
        name: "infisical",
        formula: "Infisical's own hash",
        kind: Kind::OfATool,
        key: |name| single(hash::infisical(name)),
        sql: None,
    },
    Scheme {
        name: "pgwatch",
        formula: "the first ten decimal digits in the MD5",
        kind: Kind::OfATool,
        key: |name| single(ten_digits(&Digest::Md5.of(name))),
        sql: None,
    },
    Scheme {
        name: "dramatiq",
        formula: "bytes 12 to 19 of the SHA-256 less 2^63",
        kind: Kind::OfATool,
        key: |name| {
            let number = ByteOrder::Big.number(&Digest::Sha256.of(name)[12..20]);
            single((number ^ (1 << 63)).cast_signed())
        },
        sql: None,
    },
    Scheme {
        name: "prefect-trigger",
        formula: "the lower 63 bits",
        kind: Kind::OfATool,
        key: |name| single(lower_63_bits_of_uuid(name)?),
        sql: None,
    },
    Scheme {
        name: "with-advisory-lock",
        formula: "the lower 31 bits of the CRC-32, and 0,",
        kind: Kind::OfATool,
        key: |name| {
            let first = hash::crc32(name) & 0x7fff_ffff;
            Some(AdvisoryKey::Pair(first.cast_signed(), 0))
        },
        sql: None,
    },
    Scheme {
        name: "advisory-lock-npm",
        formula: "the first two 4-byte words of the SHA-256, the lowest byte first,",
        kind: Kind::OfATool,
        key: |name| {
            let digest = Digest::Sha256.of(name);
            let word =
                |at: usize| (ByteOrder::Little.number(&digest[at..at + 4]) as u32).cast_signed();
            Some(AdvisoryKey::Pair(word(0), word(4)))
        },
        sql: None,
    },
    Scheme {
        name: "ascii-name",
        formula: "DistributedLock's packing",
        kind: Kind::OfATool,
        key: ascii_name::pack,
        sql: None,
    },
];

/// `MyApp.Repo`, or `tenant/MyApp.Repo` with the migration's prefix first.
fn ecto(name: &str) -> Option<AdvisoryKey> {
    let (prefix, repo) = match name.split_once('/') {
        Some((prefix, repo)) => (Some(prefix), repo),
        None => (None, name),
    };
    single(hash::ecto_migration_lock(prefix, repo))
}

fn lower_63_bits_of_uuid(name: &str) -> Option<i64> {
    let digits = name.replace('-', "");
    let number = u128::from_str_radix(&digits, 16).ok()?;
    (digits.len() == 32).then_some((number & i64::MAX.cast_unsigned() as u128) as i64)
}

/// The first ten decimal digits of the bytes written in hexadecimal; fewer where there are fewer.
fn ten_digits(bytes: &[u8]) -> i64 {
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let digits = nibbles.filter(|nibble| *nibble < 10).take(10);
    digits.fold(0, |number, digit| number * 10 + i64::from(digit))
}
