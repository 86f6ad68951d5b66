//! Text in XML: an attribute's value or an element's content.

use crate::text::is_hostile;

/// `text` so that every parser gives it back, but for what XML can't hold or a screen would obey:
/// that is shown as an escape.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // As references, or an attribute's value would lose them.
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(character.escape_unicode()),
            hostile if is_hostile(hostile) => escaped.extend(hostile.escape_unicode()),
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_controls_become_text() {
        assert_eq!(text("a<b>&\"'\n"), "a&lt;b&gt;&amp;&quot;&#39;&#10;");
        assert_eq!(
            text("\u{1b}[2J\u{0}\u{202e}\u{ffff}"),
            "\\u{1b}[2J\\u{0}\\u{202e}\\u{ffff}"
        );
    }
}
