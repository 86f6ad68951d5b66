//! Owns where a session goes and as whom: to a server, or to it through a pooler.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lockaudit::throwaway::Cluster;
use tokio_postgres::Config;

const PATIENCE: Duration = Duration::from_secs(30);

/// What a connection string holds.
#[derive(Debug, Clone)]
pub struct Address {
    door: Door,
    over: Over,
    database: String,
    /// What the pooler in between calls the database, where it has a name of its own for it.
    alias: Option<String>,
    user: String,
    password: Option<String>,
    /// The server itself: what a test looks at must not queue in a pool.
    server: Door,
}

/// Where somebody listens: on a Unix socket, and on 127.0.0.1 too if a test asks for that.
#[derive(Debug, Clone)]
pub struct Door {
    pub socket_folder: PathBuf,
    pub port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Socket,
    Tcp,
}

impl Door {
    pub fn of(cluster: &Cluster) -> Self {
        Self {
            socket_folder: cluster.socket_folder().to_owned(),
            port: cluster.port(),
        }
    }
}

impl Address {
    /// Over the Unix socket, as the superuser `postgres`.
    pub fn of(cluster: &Cluster, database: &str) -> Self {
        Self {
            door: Door::of(cluster),
            over: Over::Socket,
            database: database.to_owned(),
            alias: None,
            user: "postgres".to_owned(),
            password: None,
            server: Door::of(cluster),
        }
    }

    pub fn over_tcp(&self) -> Self {
        Self {
            over: Over::Tcp,
            ..self.clone()
        }
    }

    pub fn as_role(&self, role: &str) -> Self {
        Self {
            user: role.to_owned(),
            ..self.clone()
        }
    }

    pub fn to_database(&self, database: &str) -> Self {
        Self {
            database: database.to_owned(),
            ..self.clone()
        }
    }

    /// By the pooler's own name for the database.
    pub fn known_as(&self, alias: &str) -> Self {
        Self {
            alias: Some(alias.to_owned()),
            ..self.clone()
        }
    }

    pub fn with_password(&self, password: &str) -> Self {
        Self {
            password: Some(password.to_owned()),
            ..self.clone()
        }
    }

    pub fn through(&self, door: Door) -> Self {
        Self {
            door,
            ..self.clone()
        }
    }

    /// Straight to the server, as the superuser.
    pub fn of_observer(&self) -> Self {
        let straight = self.through(self.server.clone());
        Self {
            over: Over::Socket,
            alias: None,
            password: None,
            ..straight.as_role("postgres")
        }
    }

    fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.database)
    }

    /// As a connection string for a command line.
    pub fn url(&self) -> String {
        let (database, user) = (self.name(), &self.user);
        let Door {
            socket_folder,
            port,
        } = &self.door;
        match self.over {
            Over::Tcp => format!("postgresql://{user}@127.0.0.1:{port}/{database}"),
            Over::Socket => {
                let folder = escaped(socket_folder);
                format!("postgresql:///{database}?host={folder}&port={port}&user={user}")
            }
        }
    }

    /// As a conninfo string, which takes any name.
    pub fn conninfo(&self) -> String {
        let (database, user) = (self.name(), &self.user);
        let port = self.door.port;
        let host = match self.over {
            Over::Tcp => "127.0.0.1".to_owned(),
            Over::Socket => self.door.socket_folder.display().to_string(),
        };
        let quoted = |text: &str| text.replace('\\', r"\\").replace('\'', r"\'");
        format!(
            "host='{}' port={port} user='{}' dbname='{}'",
            quoted(&host),
            quoted(user),
            quoted(database)
        )
    }

    pub(super) fn config(&self, application_name: &str) -> Config {
        let mut config = Config::new();
        match self.over {
            Over::Tcp => config.host("127.0.0.1"),
            Over::Socket => config.host_path(&self.door.socket_folder),
        };
        config
            .port(self.door.port)
            .dbname(self.name())
            .user(&self.user)
            .application_name(application_name)
            .connect_timeout(PATIENCE);
        if let Some(password) = &self.password {
            config.password(password);
        }
        config
    }
}

/// The folders of the tests hold no letter but `/` that a query cannot.
fn escaped(folder: &Path) -> String {
    folder.display().to_string().replace('/', "%2F")
}
