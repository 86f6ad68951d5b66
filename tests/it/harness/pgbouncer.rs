//! Owns PgBouncers in front of the tests' servers, one for each test that asks.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use lockaudit::throwaway::{self, Account, PrivateFolder};

use super::address::{Address, Door};
use super::database::Database;
use super::program::missing;
use super::server::Server;
use super::session::Session;
use super::wait::wait_for_some;

/// Of every user that PgBouncer knows; asked for where `auth_type` is set to ask.
pub const PASSWORD: &str = "open sesame";

/// Somebody may take a free port before PgBouncer does.
const TRIES: usize = 5;

/// How sessions share the pool's connections, and how many there are.
#[derive(Debug, Clone)]
pub struct Pooling {
    mode: &'static str,
    size: u32,
    settings: Vec<(String, String)>,
    aliases: Vec<(String, String)>,
    to_server: ToServer,
}

/// How it reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToServer {
    Tcp,
    Socket,
}

impl Pooling {
    pub fn by_session(size: u32) -> Self {
        Self {
            mode: "session",
            size,
            settings: Vec::new(),
            aliases: Vec::new(),
            to_server: ToServer::Tcp,
        }
    }

    pub fn by_transaction(size: u32) -> Self {
        Self {
            mode: "transaction",
            ..Self::by_session(size)
        }
    }

    pub fn by_statement(size: u32) -> Self {
        Self {
            mode: "statement",
            ..Self::by_session(size)
        }
    }

    /// A line of its `[pgbouncer]` section.
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A database under a name of the pooler's own: `dbname=orders user=app`; `*` is any other name.
    pub fn alias(mut self, name: &str, what: &str) -> Self {
        self.aliases.push((name.to_owned(), what.to_owned()));
        self
    }

    /// To the server it goes over the Unix socket, so that no port tells its connections apart.
    pub fn over_the_servers_socket(mut self) -> Self {
        self.to_server = ToServer::Socket;
        self
    }
}

/// One running PgBouncer, ended and removed when dropped or when the test run is killed.
///
/// It takes every role of the server without a password; `postgres` is its administrator and
/// `stats` may look. To the server it goes by 127.0.0.1, so that ports tell its connections apart.
pub struct PgBouncer {
    process: Child,
    folder: PrivateFolder,
    port: u16,
    server: Address,
}

impl PgBouncer {
    /// `None`, with a printed line, where PgBouncer is not installed;
    /// `LOCKAUDIT_REQUIRE_PGBOUNCER=1` makes that a failure.
    #[track_caller]
    pub fn in_front_of(server: &Server, pooling: &Pooling) -> Option<Self> {
        let program = program()?;
        let started = (0..TRIES).find_map(|_| Self::start(&program, server, pooling));
        Some(started.expect("PgBouncer starts"))
    }

    /// The way of `db.address()`, through the pool.
    pub fn address_of(&self, db: &Database<'_>) -> Address {
        db.address().through(self.door()).over_tcp()
    }

    /// The same by the pooler's own name of the database.
    pub fn address_as(&self, db: &Database<'_>, alias: &str) -> Address {
        self.address_of(db).known_as(alias)
    }

    /// A session through the pool over its Unix socket, as `postgres`.
    #[track_caller]
    pub fn session_over_socket(&self, db: &Database<'_>, name: &str) -> Session {
        Session::open(&db.address().through(self.door()), name)
    }

    /// The console's connection string for who may look and no more.
    pub fn stats_url(&self) -> String {
        self.console_address().as_role("stats").url()
    }

    /// Whether a row of the answer has this in one of its columns.
    #[track_caller]
    pub fn shows(&self, command: &str, cell: &str) -> bool {
        let rows = self.console().rows(command);
        let mut cells = rows.iter().flatten().flatten();
        cells.any(|one| one == cell)
    }

    /// The way to a database of this name, through the pool.
    pub fn database_url(&self, name: &str) -> String {
        let database = self.server.to_database(name);
        database.through(self.door()).over_tcp().url()
    }

    /// A session through the pool, as `postgres`.
    #[track_caller]
    pub fn session(&self, db: &Database<'_>, name: &str) -> Session {
        Session::open(&self.address_of(db), name)
    }

    /// The admin console's address, as its administrator.
    pub fn console_address(&self) -> Address {
        self.server
            .to_database("pgbouncer")
            .through(self.door())
            .over_tcp()
    }

    /// The admin console: `console.rows("SHOW SERVERS")`.
    pub fn console(&self) -> Session {
        Session::try_open_console(&self.console_address(), "harness")
            .expect("the console takes its administrator")
    }

    fn start(program: &Path, server: &Server, pooling: &Pooling) -> Option<Self> {
        let account = Account::for_servers().expect("there is an account for servers");
        let folder = PrivateFolder::create(account).expect("a private folder can be made");
        let port = free_port();
        write_configuration(
            folder.path(),
            &configuration(folder.path(), port, server, pooling),
        );
        let process = account
            .command(program)
            .arg("--quiet")
            .arg(folder.path().join("pgbouncer.ini"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("pgbouncer can be started");
        let server = Address::of(server.cluster(), "postgres");
        let mut pgbouncer = Self {
            process,
            folder,
            port,
            server,
        };
        pgbouncer.listens().then_some(pgbouncer)
    }

    fn listens(&mut self) -> bool {
        wait_for_some("PgBouncer to listen or to give up", || {
            let ended = self
                .process
                .try_wait()
                .expect("pgbouncer is our child")
                .is_some();
            let listens = TcpStream::connect(("127.0.0.1", self.port)).is_ok();
            (ended || listens).then_some(!ended)
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    fn door(&self) -> Door {
        Door {
            socket_folder: self.folder.path().to_owned(),
            port: self.port,
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        // Ended before its folder goes; it may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[track_caller]
fn program() -> Option<PathBuf> {
    let found = throwaway::PgBouncer::program();
    if found.is_none() {
        missing("pgbouncer", "LOCKAUDIT_REQUIRE_PGBOUNCER");
    }
    found
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("127.0.0.1 has a free port");
    listener
        .local_addr()
        .expect("a bound socket has an address")
        .port()
}

fn write_configuration(folder: &Path, configuration: &str) {
    fs::write(folder.join("pgbouncer.ini"), configuration).expect("the folder is ours");
    fs::write(
        folder.join("users.txt"),
        format!(
            "\"postgres\" \"{PASSWORD}\"\n\"stats\" \"{PASSWORD}\"\n\"nobody\" \"{PASSWORD}\"\n"
        ),
    )
    .expect("the folder is ours");
}

fn configuration(folder: &Path, port: u16, server: &Server, pooling: &Pooling) -> String {
    let folder = folder.display();
    let cluster = server.cluster();
    let host = match pooling.to_server {
        ToServer::Tcp => "127.0.0.1".to_owned(),
        ToServer::Socket => cluster.socket_folder().display().to_string(),
    };
    let server = format!("host={host} port={}", cluster.port());
    let Pooling {
        mode,
        size,
        settings,
        aliases,
        to_server: _,
    } = pooling;
    let own_names: String = aliases
        .iter()
        .map(|(name, what)| format!("{name} = {server} {what}\n"))
        .collect();
    let own: String = settings
        .iter()
        .map(|(name, value)| format!("{name} = {value}\n"))
        .collect();
    format!(
        "[databases]
* = {server}
{own_names}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir = {folder}
pidfile = {folder}/pgbouncer.pid
logfile = {folder}/pgbouncer.log
auth_type = trust
auth_file = {folder}/users.txt
auth_user = postgres
admin_users = postgres
stats_users = stats
pool_mode = {mode}
default_pool_size = {size}
{own}"
    )
}
