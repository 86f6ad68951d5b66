//! Owns the reading of licence expressions: `(MIT OR Apache-2.0) AND Unicode-3.0`.

/// Whether the expression can be met with the allowed licences only.
pub fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    // `/` is how crates wrote OR before there was a standard.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = Words {
        left: spaced.split_whitespace().collect(),
        allowed,
    };
    let answer = words.any();
    answer && words.left.is_empty()
}

struct Words<'a> {
    left: Vec<&'a str>,
    allowed: &'a [String],
}

impl<'a> Words<'a> {
    fn any(&mut self) -> bool {
        let mut answer = self.all();
        while self.takes("OR") {
            answer |= self.all();
        }
        answer
    }

    fn all(&mut self) -> bool {
        let mut answer = self.one();
        while self.takes("AND") {
            answer &= self.one();
        }
        answer
    }

    fn one(&mut self) -> bool {
        if self.takes("(") {
            let answer = self.any();
            return self.takes(")") && answer;
        }
        let licence = self.next().to_owned();
        if self.takes("WITH") {
            let exception = self.next();
            return self.allows(&format!("{licence} WITH {exception}"));
        }
        self.allows(&licence)
    }

    fn allows(&self, licence: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == licence)
    }

    fn takes(&mut self, word: &str) -> bool {
        let there = self.left.first() == Some(&word);
        if there {
            self.left.remove(0);
        }
        there
    }

    fn next(&mut self) -> &'a str {
        if self.left.is_empty() {
            ""
        } else {
            self.left.remove(0)
        }
    }
}

#[test]
fn an_expression_needs_all_of_and_and_one_of_or() {
    let allowed = ["MIT".to_owned(), "ISC".to_owned()];
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "GPL-3.0/ISC",
        "(GPL-3.0 OR MIT) AND ISC",
    ] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "MIT WITH exception",
        "(MIT",
        "MIT ISC",
    ] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}
