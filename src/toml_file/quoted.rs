//! Texts of others in TOML that is safe to look at.

use std::fmt::Write;

use crate::text::is_hostile;

/// A basic string that holds any text: what could act on a terminal, or hide from an eye, is an escape.
pub(crate) fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => written.extend(['\\', character]),
            // All hostile characters have four digits.
            hidden if is_hostile(hidden) => {
                write!(written, "\\u{:04X}", u32::from(hidden)).expect("memory takes it");
            }
            plain => written.push(plain),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_reads_back_and_nothing_acts_on_a_terminal(
            text in "\\PC*|.*|[\"\\\\\n\r\t#\u{0}\u{7f}\u{9b}\u{202e}]*"
        ) {
            let line = format!("name = {}", quoted(&text));
            prop_assert!(!line.contains(is_hostile));
            let read: toml::Table = toml::from_str(&line).expect("it is TOML");
            prop_assert_eq!(read["name"].as_str(), Some(text.as_str()));
        }
    }
}
