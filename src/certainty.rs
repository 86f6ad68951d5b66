//! How sure a statement is.

/// How sure we are. The words mean different things and are never exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Something hidden could explain what we saw just as well.
    Possible,
    /// What we saw has one ordinary explanation.
    Likely,
    /// What the server shows leaves no other explanation.
    Certain,
}

impl Certainty {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }
}
