//! Failures before PostgreSQL has said a word: names, ports, socket files, silence.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{ConnectFailure, FailureKind, Stage};

/// The resolver knows no address for `name`.
pub(crate) fn name_lookup(name: &str, error: Option<&io::Error>) -> ConnectFailure {
    let failure = ConnectFailure::new(
        FailureKind::UnknownHostName,
        format!("the host name \"{name}\" has no address"),
    )
    .hint("check the spelling of the host, and this machine's DNS and /etc/hosts");
    match error {
        Some(error) => failure.cause(error.to_string()),
        None => failure,
    }
}

/// `connect(2)` to an address failed.
pub(crate) fn dialling(error: &io::Error) -> ConnectFailure {
    if error.kind() == io::ErrorKind::ConnectionRefused {
        return ConnectFailure::new(
            FailureKind::PortRefused,
            "nothing listens on that port (connection refused)",
        )
        .hint("is the server running, is the port right, and does listen_addresses include this address?");
    }
    ConnectFailure::new(FailureKind::Unreachable, "the address can't be reached")
        .cause(error.to_string())
        .hint("check the route, the firewall and the address")
}

/// Opening the socket file at `path` failed.
pub(crate) fn socket_file(path: &Path, error: &io::Error) -> ConnectFailure {
    match error.kind() {
        io::ErrorKind::NotFound => missing_socket_file(path),
        io::ErrorKind::PermissionDenied => ConnectFailure::new(
            FailureKind::SocketFileForbidden,
            "this user may not open the socket file",
        )
        .hint("check the permissions of the file and its directory (unix_socket_permissions, unix_socket_group)"),
        io::ErrorKind::ConnectionRefused => ConnectFailure::new(
            FailureKind::PortRefused,
            "the socket file is there, but no server listens on it",
        )
        .hint("the server has probably ended without removing the file; start it, or check the port"),
        _ => ConnectFailure::new(FailureKind::Unreachable, "the socket file can't be used")
            .cause(error.to_string()),
    }
}

fn missing_socket_file(path: &Path) -> ConnectFailure {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let failure = ConnectFailure::new(
        FailureKind::SocketFileMissing,
        "there is no such socket file",
    );
    if !directory.is_dir() {
        return failure.hint(format!(
            "the directory {} does not exist; give the server's with --host",
            directory.display()
        ));
    }
    match other_sockets(directory).as_slice() {
        [] => failure.hint(format!(
            "no server has its socket in {}; is it running, or is its socket elsewhere (unix_socket_directories)?",
            directory.display()
        )),
        others => failure.hint(format!(
            "{} has {}; give its number with --port",
            directory.display(),
            others.join(", ")
        )),
    }
}

fn other_sockets(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".s.PGSQL.") && !name.ends_with(".lock"))
        .collect();
    names.sort();
    names
}

/// `limit` (the connection time-out) ran out during `stage`.
pub(crate) fn timed_out(stage: Stage, limit: Duration) -> ConnectFailure {
    let seconds = limit.as_secs_f64();
    let (sentence, hint) = match stage {
        Stage::NameLookup => (
            format!("the name lookup took longer than {seconds} s"),
            "check this machine's DNS, or give the address with hostaddr",
        ),
        Stage::Dialling => (
            format!("no answer from that address within {seconds} s"),
            "a firewall that drops packets, a machine that is down, or a wrong address",
        ),
        Stage::TlsRequest | Stage::TlsHandshake | Stage::Login => (
            format!("it accepts connections, but said nothing for {seconds} s"),
            "a frozen or overloaded server, a paused pooler (PgBouncer: PAUSE), a full pooler that queues, or another service on that port",
        ),
        Stage::SessionCheck => (
            format!("it logged us in, but answered no query within {seconds} s"),
            "a paused or full pooler queues queries (PgBouncer: SHOW POOLS)",
        ),
    };
    ConnectFailure::new(FailureKind::TimedOut(stage), sentence).hint(hint)
}

/// Whether `error` means that the peer is gone.
pub(crate) fn is_hang_up(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}

/// The peer hung up in the middle of the exchange.
pub(crate) fn closed() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::ClosedByServer,
        "the server closed the connection without a word",
    )
    .hint("its log may say why: a crash, a restart, a proxy without a server behind it, or a port that expects TLS at once (sslnegotiation=direct)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_other_sockets_of_the_directory() {
        let directory = tempfile::tempdir().unwrap();
        for name in [".s.PGSQL.5433", ".s.PGSQL.5433.lock", "else"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        let path = directory.path().join(".s.PGSQL.5432");
        let failure = socket_file(&path, &io::ErrorKind::NotFound.into());
        assert_eq!(failure.kind, FailureKind::SocketFileMissing);
        let shown = directory.path().display();
        assert_eq!(
            failure.hint,
            Some(format!(
                "{shown} has .s.PGSQL.5433; give its number with --port"
            ))
        );
    }

    #[test]
    fn says_who_decides_about_a_forbidden_socket() {
        let failure = socket_file(
            Path::new("/run/.s.PGSQL.1"),
            &io::ErrorKind::PermissionDenied.into(),
        );
        assert_eq!(failure.kind, FailureKind::SocketFileForbidden);
        assert_eq!(failure.sentence, "this user may not open the socket file");
    }

    #[test]
    fn says_when_the_directory_itself_is_missing() {
        let failure = socket_file(
            Path::new("/nowhere/at/all/.s.PGSQL.1"),
            &io::ErrorKind::NotFound.into(),
        );
        assert_eq!(
            failure.hint.as_deref(),
            Some("the directory /nowhere/at/all does not exist; give the server's with --host")
        );
    }
}
