//! A statement of ours for a person to run in psql: the same text, with literals where it has parameters.

/// `sql` with the n-th literal for `$n`, of which there are no more than nine; `other` makes what it
/// will of the text between them.
pub(super) fn filled(sql: &str, literals: &[String], other: impl Fn(&str) -> String) -> String {
    let mut parts = sql.split('$');
    let mut filled = other(parts.next().unwrap_or_default());
    for part in parts {
        let number = part.chars().next().and_then(|digit| digit.to_digit(10));
        let at = number.expect("a `$` of the file begins a parameter") as usize;
        filled.push_str(&literals[at - 1]);
        filled.push_str(&other(&part[1..]));
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_a_place_is_not_looked_at_again() {
        let literals = ["'$2 a'".to_owned(), "7".to_owned()];
        let loud = |text: &str| text.to_uppercase();
        assert_eq!(
            filled("a $1, $2, $1", &literals, loud),
            "A '$2 a', 7, '$2 a'"
        );
    }
}
