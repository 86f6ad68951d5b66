//! Foreign text made safe to print.

/// The text with every character that could move a cursor, hide or reorder what stands beside it
/// written out: `\n`, `\t`, `\u{1b}`.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            hostile if is_hostile(hostile) => {
                safe.push_str(&format!("\\u{{{:x}}}", u32::from(hostile)));
            }
            harmless => safe.push(harmless),
        }
    }
    safe
}

/// Whether a character can act on a terminal or on the order of the text beside it.
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}')
}
