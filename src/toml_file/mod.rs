//! TOML that people write for us, read key by key: what is not understood is an error with its line, a
//! mark below it and what to write instead. No value is ever guessed, and all mistakes are told at once.

mod mistake;
mod quoted;
mod section;
pub(crate) mod value;

pub(crate) use mistake::place;
pub use mistake::{Mistake, Mistakes};
pub(crate) use quoted::quoted;
pub(crate) use section::Section;
pub(crate) use value::Wrong;

use section::Ledger;
use toml::de::DeTable;

/// What `understand` makes of a file's text.
///
/// # Errors
/// All that is wrong with it; also when `understand` makes nothing of it.
pub(crate) fn read<T>(
    file: &str,
    text: &str,
    understand: impl FnOnce(Section<'_>) -> Option<T>,
) -> Result<T, Mistakes> {
    let (document, broken) = DeTable::parse_recoverable(text);
    if !broken.is_empty() {
        // What can't be parsed has holes in it: its values would be read wrongly.
        return Err(Mistakes::of(
            file,
            text,
            broken.iter().map(syntax).collect(),
        ));
    }
    let ledger = Ledger::default();
    let understood = understand(Section::of("the file", document.get_ref(), 0..0, &ledger));
    let mistakes = ledger.into_mistakes();
    match understood.filter(|_| mistakes.is_empty()) {
        Some(understood) => Ok(understood),
        None => Err(Mistakes::of(file, text, mistakes)),
    }
}

fn syntax(error: &toml::de::Error) -> Mistake {
    Mistake {
        span: error.span().unwrap_or(0..0),
        message: error.message().to_owned(),
        instead: None,
    }
}
