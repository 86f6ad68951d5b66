//! Ways from a name to a key that have a name of their own: plain hashes, and the formulas of tools.

mod of_tools;
mod plain;

use super::AdvisoryKey;
use of_tools::OF_TOOLS;
use plain::PLAIN;

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

/// Every scheme, those of any application first.
pub fn schemes() -> impl Iterator<Item = &'static Scheme> {
    PLAIN.iter().chain(&OF_TOOLS)
}

/// The scheme of this name.
pub fn scheme(name: &str) -> Option<&'static Scheme> {
    schemes().find(|scheme| scheme.name == name)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, of: &str) -> AdvisoryKey {
        let scheme = scheme(name).unwrap_or_else(|| panic!("no scheme {name}"));
        (scheme.key)(of).unwrap_or_else(|| panic!("{name} takes {of}"))
    }

    #[test]
    fn every_scheme_has_a_name_of_its_own() {
        for one in schemes() {
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
