//! Refusals under SQLSTATE 08P01, PgBouncer's one code for everything. Its texts are English only.

use super::{ConnectFailure, FailureKind, NoSlot, PoolerRefusal, ServerWords, slot};

pub(super) fn refusal(words: &ServerWords) -> ConnectFailure {
    let message = words.message.as_str();
    if message.contains("no more connections allowed") {
        return slot::failure(NoSlot::PoolerFull);
    }
    let refusal = which(message);
    let (sentence, hint) = wording(refusal);
    ConnectFailure::new(FailureKind::Pooler(refusal), sentence).hint(hint)
}

/// RDS Proxy speaks of itself, under 0A000: it takes no command-line options and few settings.
pub(super) fn unsupported() -> ConnectFailure {
    let (_, hint) = wording(PoolerRefusal::StartupParameter);
    ConnectFailure::new(
        FailureKind::Pooler(PoolerRefusal::StartupParameter),
        "RDS Proxy refuses a startup parameter",
    )
    .hint(hint)
}

fn which(message: &str) -> PoolerRefusal {
    const TEXTS: [(&str, PoolerRefusal); 12] = [
        ("no such database", PoolerRefusal::UnknownDatabase),
        (
            "unsupported startup parameter",
            PoolerRefusal::StartupParameter,
        ),
        ("query_wait_timeout", PoolerRefusal::QueryWaitTimeout),
        ("SSL required", PoolerRefusal::TlsRequired),
        ("authentication failed", PoolerRefusal::Authentication),
        ("no such user", PoolerRefusal::Authentication),
        ("auth failed", PoolerRefusal::Authentication),
        ("password", PoolerRefusal::Authentication),
        ("not allowed", PoolerRefusal::NotAllowed),
        ("server login", PoolerRefusal::ServerLogin),
        ("cannot connect to server", PoolerRefusal::ServerLogin),
        ("server conn crashed", PoolerRefusal::ServerLogin),
    ];
    TEXTS
        .iter()
        .find(|(text, _)| message.contains(text))
        .map_or(PoolerRefusal::Other, |(_, refusal)| *refusal)
}

fn wording(refusal: PoolerRefusal) -> (&'static str, &'static str) {
    match refusal {
        PoolerRefusal::UnknownDatabase => (
            "the pooler has no such database",
            "give a name of the pooler's own list with --dbname (PgBouncer: the [databases] section; its console is the database pgbouncer)",
        ),
        PoolerRefusal::Authentication => (
            "the pooler did not accept the role or its password",
            "the pooler has its own list of users (PgBouncer: auth_file, auth_query, auth_hba_file)",
        ),
        PoolerRefusal::StartupParameter => (
            "the pooler refuses a startup parameter",
            "take options out of the connection string, and unset PGOPTIONS; or connect to the server directly",
        ),
        PoolerRefusal::QueryWaitTimeout => (
            "the pooler found no free server connection in time",
            "its pool is full or its server is down: look at SHOW POOLS on its console, or connect to the server directly",
        ),
        PoolerRefusal::NotAllowed => (
            "the pooler's console is not open to this role",
            "use a role of its admin_users or stats_users with --username",
        ),
        PoolerRefusal::TlsRequired => (
            "the pooler takes encrypted connections only",
            "use sslmode=require or stronger",
        ),
        PoolerRefusal::ServerLogin => (
            "the pooler can't reach its server",
            "its log says why; connect to the server directly to see for yourself",
        ),
        PoolerRefusal::Other => (
            "the other end broke off the login",
            "this code is what PgBouncer sends for every refusal; its log may say more",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::server::tests::words;
    use super::*;

    #[test]
    fn reads_what_pgbouncer_says() {
        use PoolerRefusal::*;
        for (text, refusal) in [
            ("no such database: x", UnknownDatabase),
            ("password authentication failed", Authentication),
            ("\"trust\" authentication failed", Authentication),
            ("SASL authentication failed", Authentication),
            ("unsupported startup parameter: options", StartupParameter),
            (
                "unsupported startup parameter in options: statement_timeout",
                StartupParameter,
            ),
            ("query_wait_timeout", QueryWaitTimeout),
            ("not allowed", NotAllowed),
            ("SSL required", TlsRequired),
            (
                "server login has been failing, try again later (server_login_retry)",
                ServerLogin,
            ),
            ("client_login_timeout", Other),
        ] {
            assert_eq!(which(text), refusal, "{text}");
        }
    }

    #[test]
    fn counts_a_full_pooler_among_the_missing_slots() {
        let full = refusal(&words(
            "08P01",
            "no more connections allowed (max_client_conn)",
            None,
        ));
        assert_eq!(full.kind, FailureKind::NoSlotLeft(NoSlot::PoolerFull));
    }
}
