//! Foreign text in Markdown: it stays text, on every host that renders it.

use std::iter::once;

use crate::text::printable;

/// Keeps a name from being addressed: `@` is looked for after the escapes are gone.
const SEPARATOR: char = '\u{200b}';

/// `text` on one line, with nothing in it that Markdown or its hosts would act on: no emphasis, code,
/// links, images, HTML, entities, cells, formulas, mentions or references to issues. It must not
/// begin a line.
pub(in crate::render) fn text(text: &str) -> String {
    let shown = printable(text);
    let mut escaped = String::with_capacity(shown.len());
    let before = once(None).chain(shown.chars().map(Some));
    let after = shown.chars().skip(1).map(Some).chain(once(None));
    for ((before, character), after) in before.zip(shown.chars()).zip(after) {
        escape(before, character, after, &mut escaped);
    }
    escaped
}

fn escape(before: Option<char>, character: char, after: Option<char>, out: &mut String) {
    match character {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '@' if begins(before, after, is_word) => out.extend(['@', SEPARATOR]),
        '!' if begins(before, after, is_digit) => out.extend(['!', SEPARATOR]),
        '#' if begins(before, after, is_digit) => out.extend(['\\', '#', SEPARATOR]),
        // `http://` becomes a link by itself, `www.` too.
        ':' if after == Some('/') => out.push_str("\\:"),
        '.' if matches!(before, Some('w' | 'W')) => out.push_str("\\."),
        '_' if before.is_some_and(is_word) && after.is_some_and(is_word) => out.push('_'),
        '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '#' => out.extend(['\\', character]),
        plain => out.push(plain),
    }
}

/// Only where a name or a number begins is it a mention or a reference.
fn begins(before: Option<char>, after: Option<char>, what: fn(char) -> bool) -> bool {
    !before.is_some_and(is_word) && after.is_some_and(what)
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// A statement as a block of code, between fences longer than any run of backticks in it.
pub(super) fn code_block(language: &str, code: &str) -> String {
    let lines: Vec<String> = code.lines().map(printable).collect();
    let fence = "`".repeat(longest_run(code).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

fn longest_run(code: &str) -> usize {
    code.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_ordinary_words_alone() {
        let plain =
            "pid 4711 (app@orders, 10.0.0.7); größe λ 日本語: 08:15, 'x' \"y\" a-b+c=d e_f!";
        assert_eq!(text(plain), plain);
    }

    #[test]
    fn what_markdown_would_act_on_is_escaped() {
        assert_eq!(text("`a` *b* _c_ ~d~"), r"\`a\` \*b\* \_c\_ \~d\~");
        assert_eq!(text("[a](b) ![c] |d| $e$"), r"\[a\](b) !\[c\] \|d\| \$e\$");
        assert_eq!(text("<b>&lt;"), "&lt;b&gt;&amp;lt;");
        assert_eq!(text(r"a\b"), r"a\\b");
        assert_eq!(text("a\nb\u{1b}"), r"a\\nb\\u{1b}");
    }

    #[test]
    fn nobody_is_called_and_nothing_becomes_a_link() {
        assert_eq!(text("@channel"), "@\u{200b}channel");
        assert_eq!(text("a @b/c"), "a @\u{200b}b/c");
        assert_eq!(text("#17 x!17 #a !b"), "\\#\u{200b}17 x!17 \\#a !b");
        assert_eq!(
            text("https://evil.example www.evil.example"),
            "https\\://evil.example www\\.evil.example"
        );
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(code_block("sql", "SELECT 1;"), "```sql\nSELECT 1;\n```\n");
        assert_eq!(
            code_block("sql", "a ```` b\n`c"),
            "`````sql\na ```` b\n`c\n`````\n"
        );
    }
}
