//! How an application makes a key of a name.

use crate::key::AdvisoryKey;
use crate::key::hash::{self, ByteOrder, Digest};
use crate::key::scheme::{self, Scheme};

#[derive(Debug, Clone)]
pub enum Derivation {
    Constant(AdvisoryKey),
    Hashed {
        hash: Hash,
        /// The first half of a pair, whose second is the hash.
        namespace: Option<i32>,
    },
}

/// What makes a number of a name.
#[derive(Debug, Clone, Copy)]
pub enum Hash {
    Scheme(&'static Scheme),
    /// `hashtextextended` with a seed.
    Seeded(i64),
    /// Bytes of a digest.
    Cut(Digest, Cut),
}

/// Which bytes of a digest, and how they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    pub from: usize,
    /// 1 to 8.
    pub take: usize,
    pub order: ByteOrder,
    pub sign: Sign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The highest bit is the sign.
    Signed,
    Unsigned,
}

impl Derivation {
    /// The key of a name; `None` where the name cannot be taken, or where more than 32 bits come out for half a pair.
    pub fn key(&self, name: &str) -> Option<AdvisoryKey> {
        match self {
            Self::Constant(key) => Some(*key),
            Self::Hashed {
                hash,
                namespace: None,
            } => hash.key(name),
            Self::Hashed {
                hash,
                namespace: Some(first),
            } => match hash.key(name)? {
                AdvisoryKey::Single(key) => {
                    scheme::half(key).map(|second| AdvisoryKey::Pair(*first, second))
                }
                AdvisoryKey::Pair(..) => None,
            },
        }
    }

    /// Why a name gives its key.
    pub fn basis(&self, name: &str) -> String {
        match self {
            Self::Constant(_) => "the names file gives it this key".to_owned(),
            Self::Hashed { hash, namespace } => {
                let first = namespace.map_or(String::new(), |first| format!("{first}, and "));
                format!("{first}{} of `{name}`", hash.formula())
            }
        }
    }

    /// How many bits must agree for a key to be a name's.
    pub(super) fn bits(&self) -> u32 {
        match self {
            Self::Constant(_) => 64,
            Self::Hashed { hash, .. } => hash.bits(),
        }
    }
}

impl Hash {
    fn key(self, name: &str) -> Option<AdvisoryKey> {
        match self {
            Self::Scheme(scheme) => (scheme.key)(name),
            Self::Seeded(seed) => Some(AdvisoryKey::Single(hash::hashtextextended(name, seed))),
            Self::Cut(digest, cut) => Some(AdvisoryKey::Single(cut.number(&digest.of(name)))),
        }
    }

    fn formula(self) -> String {
        match self {
            Self::Scheme(scheme) => scheme.formula.to_owned(),
            Self::Seeded(seed) => format!("hashtextextended with seed {seed}"),
            Self::Cut(digest, cut) => {
                let last = cut.from + cut.take - 1;
                format!("bytes {} to {last} of the {}", cut.from, digest.title())
            }
        }
    }

    /// Whether what comes out may need more than half a pair holds.
    pub fn bits(self) -> u32 {
        match self {
            Self::Scheme(scheme) => scheme.bits(),
            Self::Seeded(_) => 64,
            Self::Cut(_, cut) if cut.take <= 4 => 32,
            Self::Cut(..) => 64,
        }
    }
}

impl Cut {
    fn number(self, digest: &[u8]) -> i64 {
        let unsigned = self.order.number(&digest[self.from..self.from + self.take]);
        match self.sign {
            Sign::Unsigned => unsigned.cast_signed(),
            Sign::Signed => {
                let unused = 64 - 8 * self.take;
                (unsigned << unused).cast_signed() >> unused
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(from: usize, take: usize, order: ByteOrder, sign: Sign) -> i64 {
        let cut = Cut {
            from,
            take,
            order,
            sign,
        };
        cut.number(&[0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08])
    }

    #[test]
    fn bytes_are_read_in_their_order_and_with_their_sign() {
        use ByteOrder::{Big, Little};
        assert_eq!(cut(0, 2, Big, Sign::Unsigned), 0xff01);
        assert_eq!(cut(0, 2, Big, Sign::Signed), -255);
        assert_eq!(cut(0, 2, Little, Sign::Signed), 0x01ff);
        assert_eq!(cut(1, 8, Big, Sign::Signed), 0x0102_0304_0506_0708);
        assert_eq!(cut(0, 8, Little, Sign::Signed), 0x0706_0504_0302_01ff);
    }

    #[test]
    fn a_namespace_makes_a_pair() {
        let hashed = |namespace| Derivation::Hashed {
            hash: Hash::Scheme(scheme::scheme("hashtext").expect("it is a scheme")),
            namespace,
        };
        assert_eq!(
            hashed(Some(4711)).key("app"),
            Some(AdvisoryKey::Pair(4711, -233_024_878))
        );
        assert_eq!(
            hashed(None).key("app"),
            Some(AdvisoryKey::Single(-233_024_878))
        );
        let too_long = Derivation::Hashed {
            hash: Hash::Seeded(1),
            namespace: Some(1),
        };
        assert_eq!(too_long.key("app"), None);
    }
}
