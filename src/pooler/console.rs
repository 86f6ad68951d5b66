//! Consoles of poolers, which answer where a database was expected.

/// Whose console it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Console {
    PgBouncer,
    Odyssey,
    /// A version that no PostgreSQL of this protocol has.
    Unknown,
}

impl Console {
    /// By the `server_version` that a session starts with: `1.25.2/bouncer`, `1.5.2-<commit>-<build>`.
    pub fn of_version(version: &str) -> Option<Self> {
        if version.ends_with("/bouncer") {
            return Some(Self::PgBouncer);
        }
        let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
        let is_no_server = digits.parse::<u32>().is_ok_and(|major| major < 7);
        is_no_server.then(|| match version.contains('-') {
            true => Self::Odyssey,
            false => Self::Unknown,
        })
    }

    /// What to say where a database was wanted.
    pub fn is_no_database(self) -> &'static str {
        match self {
            Self::PgBouncer => {
                "this is PgBouncer's admin console, not a database: pass it to scan as \
                 --pgbouncer, and connect to a database that it serves, or to the server itself"
            }
            Self::Odyssey => {
                "this looks like Odyssey's console, not a database: connect to a database that it \
                 serves, or to the server itself (--pgbouncer reads PgBouncer's console only)"
            }
            Self::Unknown => {
                "this is no PostgreSQL by its version, but maybe a pooler's console: connect to a \
                 database that it serves, or to the server itself"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_console_by_the_version_that_it_reports() {
        use Console::*;
        for (version, console) in [
            ("1.18.0/bouncer", Some(PgBouncer)),
            ("1.25.2/bouncer", Some(PgBouncer)),
            ("1.5.2-1f0a6b2c-release", Some(Odyssey)),
            ("1.3.0", Some(Unknown)),
            ("15.18 (Debian 15.18-1)", None),
            ("18beta1", None),
            ("9.6.24", None),
            ("", None),
        ] {
            assert_eq!(Console::of_version(version), console, "{version}");
        }
    }
}
