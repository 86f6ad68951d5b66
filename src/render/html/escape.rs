//! Foreign text in HTML: an element's content or a quoted attribute, never markup.

use crate::text::printable;

pub(super) fn text(text: &str) -> String {
    let shown = printable(text);
    let mut escaped = String::with_capacity(shown.len());
    for character in shown.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            plain => escaped.push(plain),
        }
    }
    escaped
}

/// A statement keeps its lines.
pub(super) fn code(code: &str) -> String {
    let lines: Vec<String> = code.lines().map(text).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            text("<a href=\"x\" id='y'>&amp;\u{1b}\n"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;\\u{1b}\\n"
        );
        assert_eq!(code("SELECT '<'\n;"), "SELECT &#39;&lt;&#39;\n;");
    }
}
