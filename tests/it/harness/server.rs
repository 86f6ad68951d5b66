//! Owns the servers that all tests share: one of each major, started when first asked for.

use std::ops::RangeFrom;
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;
use std::{env, thread};

use lockaudit::throwaway::{Cluster, ClusterOptions, Installation, Listen, remove_leftovers};

use super::address::Address;
use super::database::{Database, Role};
use super::session::Session;

const SUPPORTED: RangeFrom<u32> = 13..;

/// Never dropped, as statics are: each server's guardian ends it when this process ends.
static SERVERS: LazyLock<Vec<Lazy>> = LazyLock::new(|| {
    remove_leftovers().expect("leftovers of earlier runs can be removed");
    let found = Installation::find_all().expect("the search for PostgreSQL works");
    let servers: Vec<_> = found
        .into_iter()
        .filter(|found| SUPPORTED.contains(&found.major))
        .map(Lazy::new)
        .collect();
    require_majors(&servers);
    servers
});

struct Lazy {
    installation: Installation,
    server: OnceLock<Server>,
}

/// A running server that tests share: they keep apart by their databases and roles.
pub struct Server {
    cluster: Cluster,
    admin: Session,
}

impl Server {
    /// Runs `test` on every major of this machine. A failure says on which.
    pub fn each(test: impl Fn(&Self)) {
        for lazy in SERVERS.iter() {
            Self::said_when_it_fails(lazy.server(), &test);
        }
    }

    /// The newest major that has the client programs too, or else the newest.
    pub fn any() -> &'static Self {
        let with_clients = SERVERS
            .iter()
            .rev()
            .find(|lazy| lazy.installation.has_clients());
        with_clients
            .or(SERVERS.last())
            .expect("there is a PostgreSQL: run `make test`")
            .server()
    }

    /// The server of one major, if it is installed.
    pub fn of_major(major: u32) -> Option<&'static Self> {
        SERVERS
            .iter()
            .find(|lazy| lazy.installation.major == major)
            .map(Lazy::server)
    }

    pub fn major(&self) -> u32 {
        self.cluster.installation().major
    }

    pub fn version(&self) -> &str {
        &self.cluster.installation().version
    }

    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The database `postgres`, as the superuser, over the Unix socket.
    pub fn address(&self) -> Address {
        Address::of(&self.cluster, "postgres")
    }

    /// A superuser's session on the database `postgres`, to look at the server from outside.
    pub fn admin(&self) -> &Session {
        &self.admin
    }

    /// A fresh database whose name starts with `name`, dropped with the value.
    pub fn database(&self, name: &str) -> Database<'_> {
        Database::create(self, name, "")
    }

    /// A fresh database whose text is stored as LATIN1, SQL_ASCII, …
    pub fn database_in(&self, encoding: &str) -> Database<'_> {
        let options = format!("ENCODING '{encoding}' TEMPLATE template0");
        Database::create(self, &encoding.to_lowercase(), &options)
    }

    /// A fresh role that may log in and nothing else, dropped with the value.
    pub fn role(&self, name: &str) -> Role<'_> {
        Role::create(self, name)
    }

    /// A server of the test's own, for what would disturb others: restarts, TLS, a standby.
    #[track_caller]
    pub fn private(installation: &Installation, options: ClusterOptions) -> Self {
        let version = &installation.version;
        let cluster = Cluster::start(installation, &options)
            .unwrap_or_else(|error| panic!("PostgreSQL {version} does not start: {error:#}"));
        Self::around(cluster)
    }

    /// Takes a running cluster, a standby for example.
    pub fn around(cluster: Cluster) -> Self {
        let admin = Session::open(&Address::of(&cluster, "postgres"), "harness");
        Self { cluster, admin }
    }

    /// A superuser's session on a cluster that is nobody's server yet.
    pub fn session_on(cluster: &Cluster, name: &str) -> Session {
        Session::open(&Address::of(cluster, "postgres"), name)
    }

    /// Gives the cluster back, the harness's own session closed.
    pub fn into_cluster(self) -> Cluster {
        self.cluster
    }

    fn said_when_it_fails(&self, test: impl Fn(&Self)) {
        let _said = SaidOnPanic(self.version());
        test(self);
    }
}

struct SaidOnPanic<'a>(&'a str);

impl Drop for SaidOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("… on PostgreSQL {}", self.0);
        }
    }
}

impl Lazy {
    fn new(installation: Installation) -> Self {
        Self {
            installation,
            server: OnceLock::new(),
        }
    }

    fn server(&self) -> &Server {
        self.server.get_or_init(|| {
            let started = Instant::now();
            let server = Server::private(&self.installation, fast_options().max_connections(200));
            eprintln!(
                "PostgreSQL {} started in {:?}",
                server.version(),
                started.elapsed()
            );
            server
        })
    }
}

/// What every server of the tests has: a port beside its socket, and a start by copy.
pub fn fast_options() -> ClusterOptions {
    ClusterOptions::default()
        .listen(Listen::Loopback)
        .template_cache(env!("CARGO_TARGET_TMPDIR"))
}

/// All installed majors that the project supports, the oldest first.
pub fn installations() -> impl Iterator<Item = &'static Installation> {
    SERVERS.iter().map(|lazy| &lazy.installation)
}

/// `LOCKAUDIT_REQUIRE_MAJORS=13,15,18` fails the run that would silently test less.
fn require_majors(servers: &[Lazy]) {
    let versions: Vec<_> = servers
        .iter()
        .map(|lazy| lazy.installation.version.as_str())
        .collect();
    eprintln!("PostgreSQL on this machine: {}", versions.join(", "));
    let required = env::var("LOCKAUDIT_REQUIRE_MAJORS").unwrap_or_default();
    for major in required
        .split(',')
        .map(str::trim)
        .filter(|major| !major.is_empty())
    {
        let found = servers
            .iter()
            .any(|lazy| lazy.installation.major.to_string() == major);
        assert!(
            found,
            "PostgreSQL {major} is required and not here: run `make test`"
        );
    }
}
