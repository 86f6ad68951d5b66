//! Peers that are not PostgreSQL, told by the first bytes they send.

use super::{ConnectFailure, FailureKind};

/// The first byte a PostgreSQL server may send after the startup message: authentication, error,
/// notice, protocol version (protocol documentation, "Message Formats").
pub(crate) const REPLY_TAGS: &[u8] = b"RENv";

/// `head` is what came first; empty if unknown.
pub(crate) fn not_postgres(head: &[u8]) -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::NotPostgres,
        format!("what answers there is not PostgreSQL: {}", describe(head)),
    )
    .hint("check the host and the port")
}

fn describe(head: &[u8]) -> String {
    match head {
        _ if head.starts_with(b"HTTP/") => "it speaks HTTP".to_owned(),
        _ if head.starts_with(b"SSH-") => "it speaks SSH".to_owned(),
        [0x15, 0x03, ..] => "it wants TLS from the first byte".to_owned(),
        [_, _, 0x00, 0x00, 0x0a, ..] => "it speaks the MySQL protocol".to_owned(),
        _ => format!(
            "it begins with \"{}\"",
            head[..head.len().min(16)].escape_ascii()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_usual_strangers() {
        assert_eq!(describe(b"HTTP/1.1 400 Bad Request"), "it speaks HTTP");
        assert_eq!(describe(b"SSH-2.0-OpenSSH_9.2"), "it speaks SSH");
        assert_eq!(
            describe(b"J\0\0\0\x0a5.7.44"),
            "it speaks the MySQL protocol"
        );
        assert_eq!(
            describe(b"\x15\x03\x01\0\x02"),
            "it wants TLS from the first byte"
        );
        assert_eq!(
            describe(b"-ERR \x1b[1m"),
            "it begins with \"-ERR \\x1b[1m\""
        );
    }
}
