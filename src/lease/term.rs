//! Who has a lease: a holder, and the fencing token of one grant.

use std::fmt;
use std::str::FromStr;

use super::Name;

/// One attempt to work: `host:pid:16 hexadecimal digits`, new for every call. A host's name alone would
/// let two processes of one host take each other's lease for their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Holder(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAHolder;

impl Holder {
    /// `chance` must differ from one call to the next.
    pub fn of(host: &str, pid: u32, chance: u64) -> Self {
        Self(format!("{host}:{pid}:{chance:016x}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whatever is stored: applications write holders of their own.
impl FromStr for Holder {
    type Err = NotAHolder;

    fn from_str(text: &str) -> Result<Self, NotAHolder> {
        match text.len() {
            1..=255 if !text.contains('\0') => Ok(Self(text.to_owned())),
            _ => Err(NotAHolder),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NotAHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a holder has 1 to 255 bytes, and no NUL")
    }
}

impl std::error::Error for NotAHolder {}

/// The fencing token: it rises with every grant of a name. What is written under a lower one than the
/// highest seen must be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub i64);

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Token {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// One grant of a name to one holder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    pub name: Name,
    pub holder: Holder,
    pub token: Token,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_told_by_chance_not_by_its_host() {
        let one = Holder::of("db-worker", 7, 1);
        assert_eq!(one.as_str(), "db-worker:7:0000000000000001");
        assert_ne!(one, Holder::of("db-worker", 7, 2));
    }

    #[test]
    fn a_holder_is_as_long_as_the_table_lets_it_be() {
        assert!("é".repeat(127).parse::<Holder>().is_ok());
        assert!("é".repeat(128).parse::<Holder>().is_err());
        assert!("".parse::<Holder>().is_err());
    }
}
