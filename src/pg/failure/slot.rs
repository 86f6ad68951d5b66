//! SQLSTATE 53300: which slots are gone, and whom the server would still let in.

use super::{ConnectFailure, FailureKind, NoSlot, ServerWords};

pub(super) fn no_slot(words: &ServerWords) -> ConnectFailure {
    failure(which(words))
}

/// The routine decides where it can. Inside `InitPostgres` two texts are told apart by the names
/// they quote, which no translation changes (src/backend/utils/init/postinit.c, 16 and later).
fn which(words: &ServerWords) -> NoSlot {
    match words.routine.as_deref() {
        Some("InitializeSessionUserId") => NoSlot::RoleLimit,
        Some("CheckMyDatabase") => NoSlot::DatabaseLimit,
        Some("InitProcess" | "ProcArrayAdd" | "ProcessStartupPacket") => NoSlot::AllTaken,
        Some("InitPostgres") if words.message.contains("pg_use_reserved_connections") => {
            NoSlot::OnlyReservedSlotsLeft
        }
        Some("InitPostgres") => NoSlot::OnlySuperuserSlotsLeft,
        _ => by_text(&words.message),
    }
}

/// For poolers and proxies that pass the text on without the routine.
fn by_text(message: &str) -> NoSlot {
    const TEXTS: [(&str, NoSlot); 8] = [
        ("sorry, too many clients already", NoSlot::AllTaken),
        ("pg_use_reserved_connections", NoSlot::OnlyReservedSlotsLeft),
        ("SUPERUSER", NoSlot::OnlySuperuserSlotsLeft),
        ("superuser", NoSlot::OnlySuperuserSlotsLeft),
        ("too many connections for role", NoSlot::RoleLimit),
        ("too many connections for database", NoSlot::DatabaseLimit),
        ("no more connections allowed", NoSlot::PoolerFull),
        ("max client", NoSlot::PoolerFull),
    ];
    TEXTS
        .iter()
        .find(|(text, _)| message.contains(text))
        .map_or(NoSlot::Unknown, |(_, slot)| *slot)
}

pub(super) fn failure(slot: NoSlot) -> ConnectFailure {
    let (sentence, hint) = match slot {
        NoSlot::AllTaken => (
            "every connection slot of the server is taken",
            "end a session from a connection that is already open, or ask the pooler's console",
        ),
        NoSlot::OnlySuperuserSlotsLeft => (
            "only the slots reserved for superusers are left",
            "a superuser still gets in; from PostgreSQL 16 on reserved_connections can keep slots for roles with pg_use_reserved_connections",
        ),
        NoSlot::OnlyReservedSlotsLeft => (
            "only reserved slots are left",
            "a superuser, or a role that was granted pg_use_reserved_connections, still gets in",
        ),
        NoSlot::RoleLimit => (
            "the role has used up its connection limit",
            "another role gets in; or raise the limit with ALTER ROLE … CONNECTION LIMIT",
        ),
        NoSlot::DatabaseLimit => (
            "the database has used up its connection limit",
            "another database (--dbname) lets us in and shows the locks of all; or raise the limit with ALTER DATABASE … CONNECTION LIMIT",
        ),
        NoSlot::PoolerFull => (
            "the pooler takes no more clients",
            "connect to the server directly, or raise the pooler's client limit (PgBouncer: max_client_conn)",
        ),
        NoSlot::Unknown => (
            "the server has no connection slot for us",
            "a superuser may still get in, and so may another role or database",
        ),
    };
    ConnectFailure::new(FailureKind::NoSlotLeft(slot), sentence).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::super::server::tests::words;
    use super::*;

    #[test]
    fn reads_the_texts_when_no_routine_is_given() {
        for (text, slot) in [
            ("sorry, too many clients already", NoSlot::AllTaken),
            (
                "remaining connection slots are reserved for non-replication superuser connections",
                NoSlot::OnlySuperuserSlotsLeft,
            ),
            (
                "remaining connection slots are reserved for roles with the SUPERUSER attribute",
                NoSlot::OnlySuperuserSlotsLeft,
            ),
            (
                "remaining connection slots are reserved for roles with privileges of the \"pg_use_reserved_connections\" role",
                NoSlot::OnlyReservedSlotsLeft,
            ),
            ("too many connections for role \"x\"", NoSlot::RoleLimit),
            (
                "too many connections for database \"x\"",
                NoSlot::DatabaseLimit,
            ),
            ("zu viele Verbindungen", NoSlot::Unknown),
        ] {
            assert_eq!(which(&words("53300", text, None)), slot, "{text}");
        }
    }

    #[test]
    fn needs_no_english_where_the_server_names_its_routine() {
        for (text, routine, slot) in [
            (
                "tut mir leid, schon zu viele Verbindungen",
                "InitProcess",
                NoSlot::AllTaken,
            ),
            (
                "… »pg_use_reserved_connections« …",
                "InitPostgres",
                NoSlot::OnlyReservedSlotsLeft,
            ),
            (
                "die verbleibenden Verbindungen …",
                "InitPostgres",
                NoSlot::OnlySuperuserSlotsLeft,
            ),
            (
                "zu viele Verbindungen für Rolle",
                "InitializeSessionUserId",
                NoSlot::RoleLimit,
            ),
            (
                "zu viele Verbindungen für Datenbank",
                "CheckMyDatabase",
                NoSlot::DatabaseLimit,
            ),
        ] {
            assert_eq!(which(&words("53300", text, Some(routine))), slot, "{text}");
        }
    }
}
