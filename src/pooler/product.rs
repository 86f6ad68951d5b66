//! The poolers that we know, what gives each away, and what each does to session-level locks.
//!
//! Measured: PgBouncer 1.18 to 1.25, PgCat 1.3, Odyssey 1.5.2, pgpool-II 4.3. By source and documents
//! only: PgDog, Supavisor, RDS Proxy. docs/poolers.md says which statement rests on what.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    PgBouncer,
    PgCat,
    Odyssey,
    PgDog,
    Supavisor,
    RdsProxy,
}

impl Product {
    pub fn name(self) -> &'static str {
        match self {
            Self::PgBouncer => "PgBouncer",
            Self::PgCat => "PgCat",
            Self::Odyssey => "Odyssey",
            Self::PgDog => "PgDog",
            Self::Supavisor => "Supavisor",
            Self::RdsProxy => "RDS Proxy",
        }
    }

    /// What becomes of a session-level lock there.
    pub fn session_locks(self) -> &'static str {
        match self {
            Self::PgBouncer => {
                "in modes transaction and statement it leaves the lock on the server connection when the client lets go"
            }
            Self::PgCat => {
                "in both of its modes it leaves the lock on the server connection when the client lets go"
            }
            Self::Odyssey => {
                "as it comes, it gives locks up at each return of the connection: the client believes that it still holds"
            }
            Self::PgDog => {
                "it keeps a client on its connection only where its query parser is on and sees the call; else the lock stays behind"
            }
            Self::Supavisor => {
                "in mode transaction it leaves the lock on the server connection when the client lets go"
            }
            Self::RdsProxy => {
                "it keeps a client on its connection from the first lock call that it sees; calls inside functions it does not see"
            }
        }
    }

    /// The names that poolers give their own connections: a program may choose the same.
    pub(super) fn by_application_name(name: &str) -> Option<Named> {
        let (product, sharing) = match name {
            "Supavisor" => (Self::Supavisor, Sharing::ByTransaction),
            "pgcat" => (Self::PgCat, Sharing::ByTransaction),
            "PgDog" => (Self::PgDog, Sharing::Unknown),
            name if name.starts_with("Supavisor - ") => (Self::Supavisor, Sharing::Unknown),
            _ => return None,
        };
        Some(Named { product, sharing })
    }

    /// Who ran the last statement of an idle connection, where it is one that no client sends.
    pub(super) fn by_statement(statement: &str) -> Option<Self> {
        if same_statement(statement, "RESET ROLE;RESET ALL") {
            return Some(Self::PgCat);
        }
        // What PgBouncer 1.21 and later call the statements that they prepare for clients.
        statement.contains("PGBOUNCER_").then_some(Self::PgBouncer)
    }

    /// Whose words a refusal at login is in; PgBouncer's are used by others too.
    pub fn by_refusal(message: &str) -> Option<Self> {
        message.contains("RDS Proxy").then_some(Self::RdsProxy)
    }
}

/// A pooler, told by an application_name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    pub product: Product,
    pub sharing: Sharing,
}

/// Whether its connections under that name go from client to client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    ByTransaction,
    /// By session, or its clients are pinned where it sees a lock.
    Unknown,
}

/// What poolers and the pools of drivers run when a client gives its connection back.
pub(super) fn is_reset(statement: &str) -> bool {
    [
        "DISCARD ALL",
        "RESET ROLE;RESET ALL",
        "SELECT pg_advisory_unlock_all()",
    ]
    .iter()
    .any(|reset| same_statement(statement, reset))
}

fn same_statement(statement: &str, other: &str) -> bool {
    let plain = |text: &str| -> String {
        let text = text.trim().trim_end_matches(';');
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").replace("; ", ";")
    };
    plain(statement).eq_ignore_ascii_case(&plain(other))
}

/// `svc - 10.0.0.9:48666`: how PgBouncer's application_name_add_host names a client.
pub(super) fn host_in_name(name: &str) -> Option<&str> {
    let (_, place) = name.rsplit_once(" - ")?;
    let (host, port) = place.rsplit_once(':')?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_place = bare.parse::<std::net::IpAddr>().is_ok() && port.parse::<u16>().is_ok();
    is_place.then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_poolers_by_the_names_of_their_connections() {
        let named = |name| Product::by_application_name(name).map(|named| named.product);
        assert_eq!(named("Supavisor"), Some(Product::Supavisor));
        assert_eq!(named("Supavisor - api"), Some(Product::Supavisor));
        assert_eq!(named("PgDog"), Some(Product::PgDog));
        assert_eq!(named("pgcat"), Some(Product::PgCat));
        for stranger in [
            "supavisor-exporter",
            "pgdog-web",
            "my pgcat",
            "pgbouncer",
            "",
        ] {
            assert_eq!(named(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn knows_poolers_by_the_statement_that_they_leave() {
        for (statement, product) in [
            ("RESET ROLE;RESET ALL;", Some(Product::PgCat)),
            ("reset role; reset all;", Some(Product::PgCat)),
            ("PREPARE PGBOUNCER_17 AS SELECT 1", Some(Product::PgBouncer)),
            ("RESET ALL", None),
            ("DISCARD ALL", None),
        ] {
            assert_eq!(Product::by_statement(statement), product, "{statement}");
        }
    }

    #[test]
    fn knows_what_a_connection_is_reset_by() {
        for reset in [
            "DISCARD ALL",
            "discard all;",
            "SELECT pg_advisory_unlock_all();",
        ] {
            assert!(is_reset(reset), "{reset}");
        }
        assert!(!is_reset("SELECT pg_advisory_unlock_all(), 1"));
        assert!(!is_reset("DISCARD TEMP"));
    }

    /// As recorded: from PgBouncer 1.25.2, and from RDS Proxy with both kinds of apostrophe.
    #[test]
    fn knows_a_pooler_by_its_refusal_where_the_words_are_its_own() {
        for message in [
            "Feature not supported: RDS Proxy currently doesn't support command-line options.",
            "Feature not supported: RDS Proxy currently doesn’t support the option statement_timeout.",
        ] {
            assert_eq!(Product::by_refusal(message), Some(Product::RdsProxy));
        }
        let shared = "unsupported startup parameter: options";
        assert_eq!(Product::by_refusal(shared), None);
    }

    #[test]
    fn reads_the_host_that_pgbouncer_adds_to_a_name() {
        assert_eq!(host_in_name("svc - 10.0.0.9:48666"), Some("10.0.0.9"));
        assert_eq!(
            host_in_name("a - b - [2001:db8::1]:48666"),
            Some("2001:db8::1")
        );
        for plain in [
            "svc",
            "svc - web",
            "svc - web:80",
            "svc - 10.0.0.9",
            "svc 10.0.0.9:80",
        ] {
            assert_eq!(host_in_name(plain), None, "{plain}");
        }
    }
}
