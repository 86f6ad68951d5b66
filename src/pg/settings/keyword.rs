//! The words libpq knows in a connection string, and the variable that stands for each.
//!
//! The table follows `PQconninfoOptions` of libpq 18; what newer versions added is marked by a comment,
//! since the comparison with an older libpq has to leave it out.

/// One parameter of a connection string.
#[derive(Debug, PartialEq, Eq)]
pub struct Keyword {
    pub name: &'static str,
    /// The environment variable that fills it when nothing else does.
    pub variable: Option<&'static str>,
    pub kind: Kind,
}

/// Whether a value may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Secret,
}

const fn bare(name: &'static str) -> Keyword {
    Keyword {
        name,
        variable: None,
        kind: Kind::Plain,
    }
}

const fn with(name: &'static str, variable: &'static str) -> Keyword {
    Keyword {
        name,
        variable: Some(variable),
        kind: Kind::Plain,
    }
}

const fn secret(name: &'static str, variable: Option<&'static str>) -> Keyword {
    Keyword {
        name,
        variable,
        kind: Kind::Secret,
    }
}

/// Every word that a connection string may hold.
pub const KEYWORDS: &[Keyword] = &[
    // `PGSERVICE` and `PGSERVICEFILE` are read before all other variables, by `service`.
    bare("service"),
    with("user", "PGUSER"),
    secret("password", Some("PGPASSWORD")),
    with("passfile", "PGPASSFILE"),
    with("channel_binding", "PGCHANNELBINDING"),
    with("connect_timeout", "PGCONNECT_TIMEOUT"),
    with("dbname", "PGDATABASE"),
    with("host", "PGHOST"),
    with("hostaddr", "PGHOSTADDR"),
    with("port", "PGPORT"),
    with("client_encoding", "PGCLIENTENCODING"),
    with("options", "PGOPTIONS"),
    with("application_name", "PGAPPNAME"),
    bare("fallback_application_name"),
    bare("keepalives"),
    bare("keepalives_idle"),
    bare("keepalives_interval"),
    bare("keepalives_count"),
    bare("tcp_user_timeout"),
    with("sslmode", "PGSSLMODE"),
    with("sslcompression", "PGSSLCOMPRESSION"),
    with("sslcert", "PGSSLCERT"),
    with("sslkey", "PGSSLKEY"),
    secret("sslpassword", None),
    with("sslrootcert", "PGSSLROOTCERT"),
    with("sslcrl", "PGSSLCRL"),
    with("sslcrldir", "PGSSLCRLDIR"),
    with("sslsni", "PGSSLSNI"),
    with("requirepeer", "PGREQUIREPEER"),
    with("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION"),
    with("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"),
    with("gssencmode", "PGGSSENCMODE"),
    with("krbsrvname", "PGKRBSRVNAME"),
    with("gsslib", "PGGSSLIB"),
    bare("replication"),
    with("target_session_attrs", "PGTARGETSESSIONATTRS"),
    // since libpq 16
    with("require_auth", "PGREQUIREAUTH"),
    with("sslcertmode", "PGSSLCERTMODE"),
    with("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    with("gssdelegation", "PGGSSDELEGATION"),
    // since libpq 17
    with("sslnegotiation", "PGSSLNEGOTIATION"),
    // since libpq 18
    bare("servicefile"),
    with("min_protocol_version", "PGMINPROTOCOLVERSION"),
    with("max_protocol_version", "PGMAXPROTOCOLVERSION"),
    bare("sslkeylogfile"),
    secret("scram_client_key", None),
    secret("scram_server_key", None),
    bare("oauth_issuer"),
    bare("oauth_client_id"),
    secret("oauth_client_secret", None),
    bare("oauth_scope"),
];

/// The keyword of that exact name.
pub fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}

/// Whether a word can be repeated in an error. Anything else may be a piece of a secret that slipped out
/// of its quotes, or one glued to `password`.
pub fn looks_like_a_keyword(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let glued = word.to_ascii_lowercase().contains("password") && suggestion(word).is_empty();
    (1..=40).contains(&word.len()) && word.chars().all(plain) && !glued
}

/// What an unknown word may have meant, ready to end an error with: `; did you mean …?` or nothing.
pub fn suggestion(word: &str) -> String {
    let near: Vec<String> = KEYWORDS
        .iter()
        .filter(|keyword| is_near(word, keyword.name))
        .map(|keyword| format!("`{}`", keyword.name))
        .collect();
    match near.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", near.join(" or ")),
    }
}

fn is_near(word: &str, keyword: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let alias = match word.as_str() {
        "username" => "user",
        "database" | "db" => "dbname",
        "hostname" => "host",
        other => other,
    };
    alias == keyword || (word.len() > 3 && distance(alias, keyword) <= 2)
}

/// Levenshtein's distance, by bytes: keywords are ASCII.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.bytes().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_word_that_was_meant() {
        assert_eq!(suggestion("pasword"), "; did you mean `password`?");
        assert_eq!(suggestion("username"), "; did you mean `user`?");
        assert_eq!(suggestion("schema"), "");
    }

    #[test]
    fn repeats_nothing_that_may_be_a_secret() {
        assert!(looks_like_a_keyword("ssl_mode"));
        assert!(!looks_like_a_keyword("alice:secret@db?sslmode"));
        assert!(!looks_like_a_keyword(""));
        assert!(looks_like_a_keyword("passwords"));
        assert!(!looks_like_a_keyword("passwordhunter2"));
    }
}
