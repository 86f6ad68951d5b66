//! What a lease is called.

use std::fmt;
use std::str::FromStr;

/// 1 to 255 bytes, as the table's check has it, and no NUL, which PostgreSQL can't store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAName(&'static str);

impl Name {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        match text {
            "" => Err(NotAName("a lease needs a name")),
            long if long.len() > 255 => Err(NotAName("the name of a lease has 255 bytes at most")),
            text if text.contains('\0') => Err(NotAName("the name of a lease has no NUL byte")),
            text => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NotAName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotAName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_counted_in_bytes() {
        assert!("é".repeat(127).parse::<Name>().is_ok());
        assert!("é".repeat(128).parse::<Name>().is_err());
        assert!("".parse::<Name>().is_err());
        assert!("a\0b".parse::<Name>().is_err());
    }
}
