//! Ways from a name to a key that have a name of their own: plain hashes, and the formulas of tools.

use super::AdvisoryKey;
use super::hash::{self, ByteOrder, Digest};
use crate::text::sql_literal;

/// A way from a name to a key.
#[derive(Debug)]
pub struct Scheme {
    /// As it is written in files and on the command line.
    pub name: &'static str,
    /// What is done, to be read before "of `orders`".
    pub formula: &'static str,
    pub kind: Kind,
    /// The key of a name; `None` for a name that the scheme cannot take.
    pub key: fn(&str) -> Option<AdvisoryKey>,
    /// An SQL expression that the server computes the same key by.
    sql: Option<fn(&str) -> String>,
}

/// Who would use a scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any application: 32 bits, or 64.
    Plain,
    /// One tool and its kin.
    OfATool,
}

/// The scheme of this name.
pub fn scheme(name: &str) -> Option<&'static Scheme> {
    SCHEMES.iter().find(|scheme| scheme.name == name)
}

impl Scheme {
    /// The 32 bits that this scheme gives as the second half of a pair.
    pub fn half(&self, name: &str) -> Option<i32> {
        match (self.key)(name)? {
            AdvisoryKey::Single(key) => half(key),
            AdvisoryKey::Pair(..) => None,
        }
    }

    /// How many bits its keys have, 32 or 64.
    pub fn bits(&self) -> u32 {
        match (self.key)("a name") {
            Some(AdvisoryKey::Single(key)) if half(key).is_some() => 32,
            _ => 64,
        }
    }

    /// An SQL expression for the key of this name, where the server can compute it.
    pub fn sql(&self, name: &str) -> Option<String> {
        self.sql.map(|sql| sql(name))
    }
}

/// The bits of a number that fits an `integer`, read as signed or as unsigned.
pub(super) fn half(number: i64) -> Option<i32> {
    let unsigned = || u32::try_from(number).map(u32::cast_signed);
    i32::try_from(number).or_else(|_| unsigned()).ok()
}

fn single(key: impl Into<i64>) -> Option<AdvisoryKey> {
    Some(AdvisoryKey::Single(key.into()))
}

fn digest(digest: Digest, name: &str, order: ByteOrder) -> Option<AdvisoryKey> {
    single(digest.key(name, order))
}

/// A digest's first half in SQL, which has a `bytea` function for it.
fn sql_of_digest(function: &str, name: &str) -> String {
    let bytes = format!("convert_to({}, 'UTF8')", sql_literal(name));
    format!("('x' || encode({function}({bytes}), 'hex'))::bit(64)::bigint")
}

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

/// Every scheme, the usual ones first.
pub static SCHEMES: [Scheme; 34] = [
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
        key: super::ascii_name::pack,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, of: &str) -> AdvisoryKey {
        let scheme = scheme(name).unwrap_or_else(|| panic!("no scheme {name}"));
        (scheme.key)(of).unwrap_or_else(|| panic!("{name} takes {of}"))
    }

    #[test]
    fn every_scheme_has_a_name_of_its_own() {
        for one in &SCHEMES {
            assert!(
                std::ptr::eq(scheme(one.name).expect("it is listed"), one),
                "{}",
                one.name
            );
        }
    }

    #[test]
    fn formulas_of_tools_give_what_the_tools_take() {
        let single = AdvisoryKey::Single;
        assert_eq!(key("rails", "app"), single(6_939_591_962_871_035_475));
        assert_eq!(key("sqlx", "zone"), single(2_771_974_297_191_923_538));
        assert_eq!(
            key("golang-migrate", "database_name"),
            single(1_764_327_054)
        );
        assert_eq!(
            key(
                "golang-migrate",
                "schema_name_1\0schema_name_2\0database_name"
            ),
            single(3_743_845_847)
        );
        assert_eq!(key("pgwatch", "db_stats"), single(1_686_108_321));
        assert_eq!(
            key("with-advisory-lock", "app"),
            AdvisoryKey::Pair(1_231_974_607, 0)
        );
        assert_eq!(
            key("advisory-lock-npm", "app"),
            AdvisoryKey::Pair(-590_450_015, 1_262_962_606)
        );
    }

    #[test]
    fn a_half_is_a_number_of_32_bits_read_either_way() {
        assert_eq!(half(-1), Some(-1));
        assert_eq!(half(4_294_967_295), Some(-1));
        assert_eq!(half(4_294_967_296), None);
        assert_eq!(half(-2_147_483_649), None);
    }
}
