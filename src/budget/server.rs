//! The server's side: how many slots an ordinary role can ever use.

use crate::place::Place;

/// What PostgreSQL keeps for superusers unless told otherwise.
pub const SUPERUSER_RESERVED_BY_DEFAULT: u64 = 3;

/// PostgreSQL's own bound for max_connections (`MAX_BACKENDS`, 2^18 - 1).
pub const MOST_CONNECTIONS: u64 = 262_143;

/// The first major version with reserved_connections.
pub const FIRST_WITH_RESERVED: u32 = 16;

/// The first major version whose WAL senders have seats of their own.
pub const FIRST_WITH_OWN_WALSENDERS: u32 = 12;

/// The numbers by which a server bounds its connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub max_connections: u64,
    pub superuser_reserved: u64,
    /// reserved_connections, for members of pg_use_reserved_connections.
    pub reserved: u64,
    /// Slots that whoever runs the server keeps beyond those two.
    pub provider_reserved: u64,
    /// The major version.
    pub major: u32,
    pub place: Option<Place>,
}

impl Server {
    /// A server of the current major with PostgreSQL's defaults.
    pub fn with_max_connections(max_connections: u64) -> Self {
        Self {
            max_connections,
            superuser_reserved: SUPERUSER_RESERVED_BY_DEFAULT,
            reserved: 0,
            provider_reserved: 0,
            major: 18,
            place: None,
        }
    }

    /// Slots that ordinary roles never get. They are the last ones, not seats of their own: a
    /// superuser who comes while others are free takes an ordinary slot.
    pub fn kept(&self) -> u64 {
        self.superuser_reserved
            .saturating_add(self.reserved)
            .saturating_add(self.provider_reserved)
    }

    pub fn usable(&self) -> u64 {
        self.max_connections.saturating_sub(self.kept())
    }

    pub fn walsenders_take_slots(&self) -> bool {
        self.major < FIRST_WITH_OWN_WALSENDERS
    }
}

/// What a file says of the server; `None`: nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Numbers {
    pub max_connections: Option<u64>,
    pub superuser_reserved: Option<u64>,
    pub reserved: Option<u64>,
    pub provider_reserved: Option<u64>,
    pub major: Option<u32>,
    pub place: Option<Place>,
}

impl Numbers {
    /// The server that is described, with PostgreSQL's defaults where nothing is said. `None` without
    /// max_connections, which only a live server may leave out.
    pub fn server(&self) -> Option<Server> {
        let usual = Server::with_max_connections(self.max_connections?);
        Some(Server {
            superuser_reserved: self.superuser_reserved.unwrap_or(usual.superuser_reserved),
            reserved: self.reserved.unwrap_or(usual.reserved),
            provider_reserved: self.provider_reserved.unwrap_or(usual.provider_reserved),
            major: self.major.unwrap_or(usual.major),
            place: self.place,
            ..usual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserved_slots_are_the_last_of_all() {
        let mut server = Server::with_max_connections(120);
        assert_eq!(server.usable(), 117);
        server.reserved = 10;
        server.provider_reserved = 2;
        assert_eq!((server.kept(), server.usable()), (15, 105));
    }

    #[test]
    fn a_server_that_keeps_all_for_itself_has_nothing_to_give() {
        let mut server = Server::with_max_connections(3);
        assert_eq!(server.usable(), 0);
        server.reserved = u64::MAX;
        assert_eq!(server.usable(), 0);
    }
}
