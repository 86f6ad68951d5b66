//! Foreign text as a literal of a language: it means the same text, ends where it should, and has nothing that
//! an editor or a terminal would obey.

use super::Language;
use crate::lease::TableName;
use crate::text::{is_hostile, sql_literal};

/// On one line.
pub fn quoted(language: Language, text: &str) -> String {
    match language {
        Language::Sql => sql(text),
        _ => {
            let inner: String = text.chars().map(|it| escaped(language, it)).collect();
            format!("\"{inner}\"")
        }
    }
}

pub fn sql(text: &str) -> String {
    sql_literal(text)
}

fn escaped(language: Language, character: char) -> String {
    match character {
        '\\' | '"' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '$' if matches!(language, Language::Kotlin | Language::Php) => "\\$".to_owned(),
        '#' if matches!(language, Language::Ruby | Language::Elixir) => "\\#".to_owned(),
        hidden if is_hostile(hidden) => escaped_by_number(language, u32::from(hidden)),
        plain => plain.to_string(),
    }
}

/// All hostile characters have four digits. Java reads `\u` before it reads its strings, so that a line's
/// end written so would end the literal: its controls are octal.
fn escaped_by_number(language: Language, code: u32) -> String {
    match language {
        Language::Java if code < 0x100 => format!("\\{code:03o}"),
        Language::Go | Language::Python | Language::Java | Language::Kotlin | Language::CSharp => {
            format!("\\u{code:04x}")
        }
        _ => format!("\\u{{{code:x}}}"),
    }
}

/// Whether a statement with this table in it can stand on lines of its own: no language sees in it
/// anything but its characters, and no indentation becomes part of a name.
pub fn is_plain(table: &TableName) -> bool {
    let plain = |name: &str| {
        name.chars()
            .all(|it| it.is_ascii_alphanumeric() || "_ -.".contains(it))
    };
    plain(&table.table) && table.schema.as_deref().is_none_or(plain)
}

/// On lines of its own.
pub fn block(language: Language, sql: &str) -> String {
    let (open, close) = match language {
        Language::Go | Language::TypeScript => ("`", "`"),
        Language::Rust => ("r#\"", "\"#"),
        Language::Ruby => ("<<~'SQL'", "SQL"),
        Language::Php => ("<<<'SQL'", "SQL"),
        _ => ("\"\"\"", "\"\"\""),
    };
    let lines: Vec<String> = sql.lines().map(|line| format!("    {line}")).collect();
    format!("{open}\n{}\n{close}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a compiler makes of what stands between the quotes; no language reads its literals otherwise,
    /// as far as they are made here.
    fn unescaped(inner: &str) -> String {
        let mut text = String::new();
        let mut rest = inner;
        while let Some(at) = rest.find('\\') {
            text.push_str(&rest[..at]);
            let (character, after) = escape(&rest[at + 1..]);
            text.push(character);
            rest = after;
        }
        text + rest
    }

    fn escape(text: &str) -> (char, &str) {
        let number = |digits: &str, radix| {
            let code = u32::from_str_radix(digits, radix).expect("digits");
            char::from_u32(code).expect("a character")
        };
        let (first, rest) = text.split_at(1);
        match first {
            "n" => ('\n', rest),
            "r" => ('\r', rest),
            "t" => ('\t', rest),
            "u" if rest.starts_with('{') => {
                let end = rest.find('}').expect("it is closed");
                (number(&rest[1..end], 16), &rest[end + 1..])
            }
            "u" => (number(&rest[..4], 16), &rest[4..]),
            "0" | "1" | "2" | "3" => (number(&text[..3], 8), &text[3..]),
            other => (other.chars().next().expect("one"), rest),
        }
    }

    /// Whether `sign` stands somewhere without a backslash that is not itself escaped.
    fn has_bare(inner: &str, sign: char) -> bool {
        let mut escaped = false;
        for character in inner.chars() {
            if character == sign && !escaped {
                return true;
            }
            escaped = character == '\\' && !escaped;
        }
        false
    }

    #[test]
    fn interpolation_is_only_text() {
        let hostile = "${x} #{y} $z \"";
        assert_eq!(quoted(Language::Kotlin, hostile), r#""\${x} #{y} \$z \"""#);
        assert_eq!(quoted(Language::Php, hostile), r#""\${x} #{y} \$z \"""#);
        assert_eq!(quoted(Language::Ruby, hostile), r#""${x} \#{y} $z \"""#);
        assert_eq!(quoted(Language::Elixir, hostile), r#""${x} \#{y} $z \"""#);
        assert_eq!(quoted(Language::Go, hostile), r#""${x} #{y} $z \"""#);
        assert_eq!(quoted(Language::Sql, "it's"), "'it''s'");
    }

    #[test]
    fn java_reads_its_unicode_escapes_too_early() {
        assert_eq!(
            quoted(Language::Java, "\u{b}\u{85}\u{202e}"),
            r#""\013\205\u202e""#
        );
        assert_eq!(quoted(Language::CSharp, "\u{b}"), r#""\u000b""#);
    }

    #[test]
    fn only_a_plain_table_stands_on_lines_of_its_own() {
        let plain = |text: &str| is_plain(&text.parse().expect("a table's name"));
        assert!(plain("lockaudit_lease"));
        assert!(plain(r#"jobs."My lease""#));
        for hostile in [
            "\"a`\"",
            "\"a\nb\"",
            "\"a\"\"b\"",
            "\"a${b}\"",
            "\"a\\\"",
            "\"é\"",
            "a.\"#{\"",
        ] {
            assert!(!plain(hostile), "{hostile}");
        }
    }

    proptest! {
        #[test]
        fn a_literal_means_its_text(text in any::<String>(), signs in "[\\\\\"'$#{}`\n\r\t\u{7}\u{85}\u{202e}0-9u]{0,20}") {
            let text = format!("{text}{signs}");
            let languages = Language::ALL.into_iter().filter(|it| *it != Language::Sql);
            for language in languages {
                let literal = quoted(language, &text);
                let inner = &literal[1..literal.len() - 1];
                prop_assert_eq!(&unescaped(inner), &text, "{}", language);
                prop_assert!(!has_bare(inner, '"'), "{}: {}", language, inner);
                prop_assert!(!inner.chars().any(is_hostile));
                let interpolates = match language {
                    Language::Kotlin | Language::Php => has_bare(inner, '$'),
                    Language::Ruby | Language::Elixir => has_bare(inner, '#'),
                    _ => false,
                };
                prop_assert!(!interpolates, "{}: {}", language, inner);
            }
        }
    }
}
