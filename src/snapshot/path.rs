//! What lies between us and the server, as far as our own session shows.

/// What lies between us and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionPath {
    /// The server saw the very socket that we opened.
    Direct,
    /// The server saw another socket: a pooler, or address translation.
    PoolerOrNat,
    /// Something that translates addresses can't explain what we saw.
    Pooler(PoolerSign),
    /// A Unix socket on both ends proves nothing.
    Unknown,
}

/// What gave a pooler away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolerSign {
    /// The server process began before we dialled.
    OlderBackend,
    /// Two questions of one session went to two server processes.
    AnotherBackend,
    /// The server shows our session under another name than the one that we gave.
    Renamed,
    /// It refused a transaction in a pool of mode `statement`, as PgBouncer does.
    StatementMode,
}

/// What our own session shows of its way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Our own end of the socket; `None` for a socket file.
    pub local_port: Option<u16>,
    /// Our end as the server sees it; `None` for a socket file.
    pub seen_port: Option<i32>,
    /// Whether the server process began before we dialled.
    pub is_older: bool,
    /// Whether the server shows another application_name than ours.
    pub is_renamed: bool,
}

impl Arrival {
    /// The server's own port says nothing more: a translated one reaches the same session.
    pub fn path(&self) -> ConnectionPath {
        match (self.local_port, self.seen_port) {
            (Some(ours), Some(seen)) if i32::from(ours) == seen => ConnectionPath::Direct,
            _ if self.is_older => ConnectionPath::Pooler(PoolerSign::OlderBackend),
            _ if self.is_renamed => ConnectionPath::Pooler(PoolerSign::Renamed),
            (None, None) => ConnectionPath::Unknown,
            _ => ConnectionPath::PoolerOrNat,
        }
    }
}

impl ConnectionPath {
    /// Whether somebody else may stand between us and the server.
    pub fn is_indirect(self) -> bool {
        matches!(self, Self::PoolerOrNat | Self::Pooler(_))
    }

    /// Our word for it, in JSON and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::PoolerOrNat => "pooler_or_nat",
            Self::Pooler(_) => "pooler",
            Self::Unknown => "unknown",
        }
    }

    /// Our word for what it is told by, in JSON and in files.
    pub fn basis(self) -> Option<&'static str> {
        match self {
            Self::Direct => Some("same_socket"),
            Self::PoolerOrNat => Some("another_socket"),
            Self::Pooler(sign) => Some(sign.as_str()),
            Self::Unknown => None,
        }
    }

    /// `Unknown` for other words: of a later version, or of nobody.
    pub fn from_words(word: &str, basis: Option<&str>) -> Self {
        match (word, basis.and_then(PoolerSign::from_word)) {
            ("direct", _) => Self::Direct,
            ("pooler_or_nat" | "pooler", None) => Self::PoolerOrNat,
            ("pooler", Some(sign)) => Self::Pooler(sign),
            _ => Self::Unknown,
        }
    }

    /// What the server shows that says so, in words; `None` where there is nothing between us.
    pub fn because(self) -> Option<&'static str> {
        match self {
            Self::Direct | Self::Unknown => None,
            Self::PoolerOrNat => Some(
                "the server sees another socket than ours: we came through a pooler or address translation",
            ),
            Self::Pooler(sign) => Some(match sign {
                PoolerSign::OlderBackend => {
                    "we came through a pooler: our server process is older than our connection"
                }
                PoolerSign::AnotherBackend => {
                    "we came through a pooler: it put our questions to several server processes"
                }
                PoolerSign::Renamed => {
                    "we came through a pooler: the server knows our session by another application_name"
                }
                PoolerSign::StatementMode => {
                    "we came through a pooler that shares connections by the statement"
                }
            }),
        }
    }
}

impl PoolerSign {
    const ALL: [Self; 4] = [
        Self::OlderBackend,
        Self::AnotherBackend,
        Self::Renamed,
        Self::StatementMode,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::OlderBackend => "older_backend",
            Self::AnotherBackend => "another_backend",
            Self::Renamed => "renamed",
            Self::StatementMode => "statement_mode",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sign| sign.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(local_port: Option<u16>, seen_port: Option<i32>) -> ConnectionPath {
        arrival(local_port, seen_port).path()
    }

    fn arrival(local_port: Option<u16>, seen_port: Option<i32>) -> Arrival {
        Arrival {
            local_port,
            seen_port,
            is_older: false,
            is_renamed: false,
        }
    }

    #[test]
    fn another_socket_than_ours_is_a_pooler_or_address_translation() {
        assert_eq!(path(Some(5000), Some(5000)), ConnectionPath::Direct);
        assert_eq!(path(Some(5000), Some(5001)), ConnectionPath::PoolerOrNat);
        assert_eq!(path(Some(5000), None), ConnectionPath::PoolerOrNat);
        assert_eq!(path(None, Some(5001)), ConnectionPath::PoolerOrNat);
        assert_eq!(path(None, None), ConnectionPath::Unknown);
    }

    #[test]
    fn no_address_translation_explains_an_older_process_or_another_name() {
        for socket in [(Some(5000), Some(5001)), (Some(5000), None), (None, None)] {
            let older = Arrival {
                is_older: true,
                ..arrival(socket.0, socket.1)
            };
            let renamed = Arrival {
                is_renamed: true,
                ..arrival(socket.0, socket.1)
            };
            let pooler = ConnectionPath::Pooler;
            assert_eq!(older.path(), pooler(PoolerSign::OlderBackend));
            assert_eq!(renamed.path(), pooler(PoolerSign::Renamed));
        }
    }

    #[test]
    fn a_socket_that_the_server_sees_is_direct_whatever_the_clocks_say() {
        let stepped = Arrival {
            is_older: true,
            is_renamed: true,
            ..arrival(Some(5000), Some(5000))
        };
        assert_eq!(stepped.path(), ConnectionPath::Direct);
    }

    #[test]
    fn the_words_of_a_file_are_read_back() {
        let signs = PoolerSign::ALL.map(ConnectionPath::Pooler);
        let others = [
            ConnectionPath::Direct,
            ConnectionPath::PoolerOrNat,
            ConnectionPath::Unknown,
        ];
        for path in signs.into_iter().chain(others) {
            let read = ConnectionPath::from_words(path.as_str(), path.basis());
            assert_eq!(read, path);
        }
        let older = ConnectionPath::from_words("pooler_or_nat", None);
        assert_eq!(older, ConnectionPath::PoolerOrNat);
    }
}
