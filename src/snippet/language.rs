//! The languages there is a template for, and what is usual in each.

use std::fmt;
use std::str::FromStr;

use super::Style;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Go,
    Python,
    Java,
    Kotlin,
    Ruby,
    TypeScript,
    CSharp,
    Rust,
    Elixir,
    Php,
    Sql,
}

impl Language {
    pub const ALL: [Self; 11] = [
        Self::Go,
        Self::Python,
        Self::Java,
        Self::Kotlin,
        Self::Ruby,
        Self::TypeScript,
        Self::CSharp,
        Self::Rust,
        Self::Elixir,
        Self::Php,
        Self::Sql,
    ];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Python => "python",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::Ruby => "ruby",
            Self::TypeScript => "typescript",
            Self::CSharp => "csharp",
            Self::Rust => "rust",
            Self::Elixir => "elixir",
            Self::Php => "php",
            Self::Sql => "sql",
        }
    }

    /// A source file with marks.
    pub(super) fn template(self) -> &'static str {
        match self {
            Self::Go => include_str!("../../data/snippets/lease.go"),
            Self::Python => include_str!("../../data/snippets/lease.py"),
            Self::Java => include_str!("../../data/snippets/Lease.java"),
            Self::Kotlin => include_str!("../../data/snippets/lease.kt"),
            Self::Ruby => include_str!("../../data/snippets/lease.rb"),
            Self::TypeScript => include_str!("../../data/snippets/lease.ts"),
            Self::CSharp => include_str!("../../data/snippets/Lease.cs"),
            Self::Rust => include_str!("../../data/snippets/lease.rs"),
            Self::Elixir => include_str!("../../data/snippets/lease.ex"),
            Self::Php => include_str!("../../data/snippets/lease.php"),
            Self::Sql => include_str!("../../data/snippets/lease.sql"),
        }
    }

    /// How its usual driver writes the parameters of a statement.
    pub fn style(self) -> Style {
        match self {
            Self::Go | Self::Ruby | Self::TypeScript | Self::Rust | Self::Elixir => Style::Numbered,
            Self::Python => Style::Percent,
            Self::Java | Self::Kotlin => Style::Question,
            Self::CSharp => Style::At,
            Self::Php => Style::Colon,
            Self::Sql => Style::Psql,
        }
    }
}

/// No such language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotALanguage;

impl FromStr for Language {
    type Err = NotALanguage;

    fn from_str(text: &str) -> Result<Self, NotALanguage> {
        let mut all = Self::ALL.into_iter();
        all.find(|language| language.as_str() == text)
            .ok_or(NotALanguage)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for NotALanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no snippet in that language")
    }
}

impl std::error::Error for NotALanguage {}
