//! How drivers write the parameters of a statement. A statement is read as PostgreSQL reads it, so that a
//! `$1` in a text, a quoted name or a comment stays what it is.

/// What stands for the first parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `$1`: the server's own.
    Numbered,
    /// `%(p1)s`: psycopg. It reads no SQL, so every other `%` is doubled, in quotes too.
    Percent,
    /// `?`: JDBC. Each place is a parameter of its own; a `?` outside quotes is doubled.
    Question,
    /// `@p1`: Npgsql.
    At,
    /// `:p1`: PDO.
    Colon,
    /// The values themselves: a script of psql.
    Psql,
}

/// A statement as a driver wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub sql: String,
    /// The number of each place where a parameter stands, from the front.
    pub order: Vec<usize>,
}

impl Written {
    /// `1, 2, 2`
    pub(super) fn order_as_text(&self) -> String {
        let numbers: Vec<String> = self.order.iter().map(usize::to_string).collect();
        numbers.join(", ")
    }
}

/// `sql`, which has its parameters as `$1`, in another style.
pub fn written(sql: &str, style: Style) -> Written {
    let other = |text: &str| match style {
        Style::Percent => text.replace('%', "%%"),
        _ => text.to_owned(),
    };
    let open = |text: &str| match style {
        Style::Question => text.replace('?', "??"),
        _ => other(text),
    };
    put_together(sql, |piece| match piece {
        Piece::Parameter(number) => place(style, number),
        Piece::Closed(text) => other(text),
        Piece::Open(text) => open(text),
    })
}

/// `sql` with something else in each parameter's place.
pub(super) fn substituted(sql: &str, place: impl Fn(usize) -> String) -> Written {
    put_together(sql, |piece| match piece {
        Piece::Parameter(number) => place(number),
        Piece::Closed(text) | Piece::Open(text) => text.to_owned(),
    })
}

fn place(style: Style, number: usize) -> String {
    match style {
        Style::Numbered | Style::Psql => format!("${number}"),
        Style::Percent => format!("%(p{number})s"),
        Style::Question => "?".to_owned(),
        Style::At => format!("@p{number}"),
        Style::Colon => format!(":p{number}"),
    }
}

fn put_together(sql: &str, write: impl Fn(Piece<'_>) -> String) -> Written {
    let pieces = pieces(sql);
    let order = pieces.iter().filter_map(|piece| match piece {
        Piece::Parameter(number) => Some(*number),
        Piece::Closed(_) | Piece::Open(_) => None,
    });
    Written {
        order: order.collect(),
        sql: pieces.into_iter().map(write).collect(),
    }
}

/// A statement is made of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Parameter(usize),
    /// A text, a quoted name, a comment.
    Closed(&'a str),
    /// A character of anything else.
    Open(&'a str),
}

fn pieces(sql: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = sql;
    let mut after_word = false;
    while let Some(first) = rest.chars().next() {
        let (piece, length) = match (parameter(rest), closed(rest, after_word)) {
            (Some((number, length)), _) if !after_word => (Piece::Parameter(number), length),
            (_, Some(length)) => (Piece::Closed(&rest[..length]), length),
            _ => (Piece::Open(&rest[..first.len_utf8()]), first.len_utf8()),
        };
        // A dollar goes on a word, and begins none.
        after_word =
            matches!(piece, Piece::Open(_)) && (is_of_a_word(first) || after_word && first == '$');
        pieces.push(piece);
        rest = &rest[length..];
    }
    pieces
}

/// `$12`, and how long that is.
fn parameter(text: &str) -> Option<(usize, usize)> {
    let digits = text.strip_prefix('$')?;
    let end = digits
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(digits.len());
    let number = digits[..end].parse().ok()?;
    Some((number, end + 1))
}

/// How long the quoted text, quoted name or comment is that begins here, if one does. One that is not
/// closed goes to the end.
fn closed(text: &str, after_word: bool) -> Option<usize> {
    match text.as_bytes() {
        [b'e' | b'E', b'\'', ..] if !after_word => Some(1 + quoted(&text[1..], '\'', true)),
        [b'\'', ..] => Some(quoted(text, '\'', false)),
        [b'"', ..] => Some(quoted(text, '"', false)),
        [b'-', b'-', ..] => Some(text.find('\n').unwrap_or(text.len())),
        [b'/', b'*', ..] => Some(block_comment(text)),
        [b'$', ..] if !after_word => dollar_quoted(text),
        _ => None,
    }
}

/// To the closing quote; a doubled one is part of the text, and so is what a backslash escapes, where it does.
fn quoted(text: &str, quote: char, backslash: bool) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if backslash => drop(characters.next()),
            it if it == quote && characters.next_if(|(_, next)| *next == quote).is_none() => {
                return at + 1;
            }
            _ => {}
        }
    }
    text.len()
}

/// They may stand in each other.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let (step, change) = match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += step;
        depth += change;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// `$tag$ … $tag$`
fn dollar_quoted(text: &str) -> Option<usize> {
    let tag = text[1..].find('$').map(|end| &text[..end + 2])?;
    let inner = &tag[1..tag.len() - 1];
    let is_tag =
        inner.chars().all(is_of_a_word) && !inner.starts_with(|c: char| c.is_ascii_digit());
    is_tag.then(|| match text[tag.len()..].find(tag) {
        Some(end) => tag.len() + end + tag.len(),
        None => text.len(),
    })
}

fn is_of_a_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sql(text: &str, style: Style) -> String {
        written(text, style).sql
    }

    #[test]
    fn each_driver_gets_its_own_form() {
        let text = "SELECT $2::text, $1 + $1";
        for (style, wanted) in [
            (Style::Numbered, "SELECT $2::text, $1 + $1"),
            (Style::Percent, "SELECT %(p2)s::text, %(p1)s + %(p1)s"),
            (Style::Question, "SELECT ?::text, ? + ?"),
            (Style::At, "SELECT @p2::text, @p1 + @p1"),
            (Style::Colon, "SELECT :p2::text, :p1 + :p1"),
        ] {
            let written = written(text, style);
            assert_eq!(written.sql, wanted);
            assert_eq!(written.order, [2, 1, 1]);
        }
    }

    #[test]
    fn what_is_quoted_or_commented_is_left_alone() {
        for text in [
            "'$1'",
            "'it''s $1'",
            r"E'\'$1'",
            r"'\'",
            "\"a\"\"$1\"",
            "-- $1\n",
            "/* /* $1 */ $1 */",
            "$$ $1 $$",
            "$tag$ $1 $$ $tag$",
            "a$1",
            "a$1$2",
            "'not closed $1",
        ] {
            assert!(written(text, Style::Question).order.is_empty(), "{text}");
            assert_eq!(sql(text, Style::Question), text);
        }
    }

    #[test]
    fn what_follows_a_quote_is_read_again() {
        assert_eq!(sql("'a'$1", Style::At), "'a'@p1");
        assert_eq!(sql(r"'\'||$1", Style::At), r"'\'||@p1");
        assert_eq!(sql("/* */$1--\n$2", Style::At), "/* */@p1--\n@p2");
        assert_eq!(sql("$a$'$a$,$1,$12", Style::At), "$a$'$a$,@p1,@p12");
    }

    #[test]
    fn what_a_driver_would_take_for_a_parameter_is_doubled() {
        assert_eq!(
            sql("x % 2, '5%', \"a%s\"", Style::Percent),
            "x %% 2, '5%%', \"a%%s\""
        );
        assert_eq!(
            sql("a ? 'b?' AND \"?\" = $1", Style::Question),
            "a ?? 'b?' AND \"?\" = ?"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[$'\"a1%?E/*\n\\\\ -]{0,40}") {
            prop_assert_eq!(&sql(&text, Style::Numbered), &text);
            let places = written(&text, Style::Percent);
            let undone = places.sql.replace("%%", "\0");
            prop_assert_eq!(undone.matches("%(p").count(), places.order.len());
        }
    }
}
