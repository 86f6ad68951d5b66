//! Foreign text made safe to show. It changes nothing but what a screen would obey or hide.

use std::time::{Duration, SystemTime};

/// `text` with everything a terminal might act on, or an eye might miss, written as an escape.
///
/// Line breaks and tabs become `\n`, `\r` and `\t`; other controls, bidirectional marks, line
/// separators and characters without width become `\u{…}` (Unicode TR 36, "Trojan Source").
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => shown.extend(character.escape_default()),
            hidden if is_hostile(hidden) => shown.extend(hidden.escape_unicode()),
            plain => shown.push(plain),
        }
    }
    shown
}

/// `text` with the password of every URL in it left out: whatever was typed in the wrong place, an
/// error must not repeat that.
pub fn without_passwords(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + "://".len());
        shown.push_str(before);
        let end = after.find([' ', '\n', '`', '"']).unwrap_or(after.len());
        rest = after;
        if let Some((user, host)) = after[..end].rsplit_once('@')
            && let Some((user, _)) = user.split_once(':')
        {
            shown.push_str(user);
            shown.push_str(":…@");
            rest = &after[end - host.len()..];
        }
    }
    shown.push_str(rest);
    shown
}

/// Whether a terminal might act on it, or an eye miss it.
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// A word for a shell: in quotes where it would not stay one word. What a screen would act on is escaped,
/// and so is not that word any more.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", printable(text).replace('\'', r"'\''")),
    }
}

/// A string as an SQL literal that means the same to every server and cannot move a cursor.
pub fn sql_literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if !text.contains(|character| character == '\\' || is_hostile(character)) {
        return format!("'{quoted}'");
    }
    let escaped: String = quoted.chars().map(sql_escape).collect();
    format!("E'{escaped}'")
}

/// A name as an SQL identifier: always in quotes, so that no keyword is mistaken for it.
pub fn sql_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A name as one word of a pooler's console: plain, or in double quotes.
pub fn console_word(name: &str) -> String {
    let plain = |character: char| {
        character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
    };
    match !name.is_empty() && name.chars().all(plain) {
        true => name.to_owned(),
        false => sql_identifier(name),
    }
}

/// Since 1970: the first moment that RFC 3339, and so its formatter, cannot say.
pub const YEAR_10000: Duration = Duration::from_secs(253_402_300_800);

/// A server's time as an SQL literal, with all its microseconds, so that equality holds.
pub fn sql_moment(time: SystemTime) -> String {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) if since < YEAR_10000 => {
            format!("'{}'", humantime::format_rfc3339_micros(time))
        }
        Ok(_) => "'infinity'".to_owned(),
        // Before 1970 the formatter panics; no session started then.
        Err(_) => "'-infinity'".to_owned(),
    }
}

/// Only what needs it: a server whose encoding is not UTF8 may know no `\u00e9`. All hostile
/// characters have four digits.
fn sql_escape(character: char) -> String {
    match u32::from(character) {
        0x5c => r"\\".to_owned(),
        code if is_hostile(character) => format!("\\u{code:04x}"),
        _ => character.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word_for_a_shell() {
        assert_eq!(shell_word("jobs/sweep:1"), "jobs/sweep:1");
        assert_eq!(shell_word("it's $(here)"), r"'it'\''s $(here)'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn leaves_ordinary_text_of_any_script_alone() {
        let text = "größe λ 日本語 \"x\" \\n";
        assert_eq!(printable(text), text);
    }

    #[test]
    fn shows_line_breaks_and_tabs_on_one_line() {
        assert_eq!(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
    }

    #[test]
    fn disarms_terminal_controls() {
        assert_eq!(
            printable("\u{1b}[31m\u{7}\u{9b}"),
            "\\u{1b}[31m\\u{7}\\u{9b}"
        );
    }

    #[test]
    fn shows_marks_that_reorder_or_hide() {
        for hidden in [
            '\u{61c}', '\u{200b}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}',
            '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{feff}', '\u{7f}', '\u{85}',
        ] {
            let shown = printable(&format!("a{hidden}b"));
            assert_eq!(shown, format!("a\\u{{{:x}}}b", hidden as u32));
        }
    }

    #[test]
    fn literals_survive_quotes_backslashes_and_control_characters() {
        assert_eq!(sql_literal("plain"), "'plain'");
        assert_eq!(sql_literal("it's"), "'it''s'");
        assert_eq!(sql_literal(r"a\b"), r"E'a\\b'");
        assert_eq!(sql_literal("a\x1b[2J'"), r"E'a\u001b[2J'''");
        assert_eq!(sql_literal("\u{202e}x"), r"E'\u202ex'");
        assert_eq!(sql_literal("größe\\😀"), r"E'größe\\😀'");
    }

    #[test]
    fn leaves_the_passwords_of_urls_out() {
        let shown = without_passwords("could not read postgres://u:p:w@h/db, nor mysql://a:b@c");
        assert_eq!(
            shown,
            "could not read postgres://u:…@h/db, nor mysql://a:…@c"
        );
        for plain in ["postgres://h:5432/db", "a: b@c", "postgres://u@h/db"] {
            assert_eq!(without_passwords(plain), plain);
        }
    }
}
