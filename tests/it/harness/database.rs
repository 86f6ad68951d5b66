//! Owns what a test has to itself on a shared server: a database and roles.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::address::Address;
use super::server::Server;
use super::session::Session;

static MADE: AtomicU32 = AtomicU32::new(0);

/// A fresh database. Dropped, it ends its sessions and rolls back its prepared transactions.
pub struct Database<'a> {
    server: &'a Server,
    name: String,
}

impl<'a> Database<'a> {
    pub(super) fn create(server: &'a Server, name: &str, options: &str) -> Self {
        let name = unique(name);
        server
            .admin()
            .runs(&format!("CREATE DATABASE {name} {options}"));
        Self { server, name }
    }

    pub fn server(&self) -> &'a Server {
        self.server
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number, as `pg_locks.database` has it.
    pub fn oid(&self) -> i32 {
        self.server.admin().number(&format!(
            "SELECT oid FROM pg_database WHERE datname = '{}'",
            self.name
        ))
    }

    /// How a session gets here: over the Unix socket, as `postgres`.
    pub fn address(&self) -> Address {
        Address::of(self.server.cluster(), &self.name)
    }

    /// The connection string of `address`.
    pub fn url(&self) -> String {
        self.address().url()
    }

    pub fn url_as(&self, role: &str) -> String {
        self.address().as_role(role).url()
    }

    pub fn url_over_tcp(&self) -> String {
        self.address().over_tcp().url()
    }

    /// A session as `postgres` over the Unix socket, whose application name is `name`.
    #[track_caller]
    pub fn session(&self, name: &str) -> Session {
        Session::open(&self.address(), name)
    }

    #[track_caller]
    pub fn session_as(&self, role: &str, name: &str) -> Session {
        Session::open(&self.address().as_role(role), name)
    }

    #[track_caller]
    pub fn session_over_tcp(&self, name: &str) -> Session {
        Session::open(&self.address().over_tcp(), name)
    }

    /// A prepared transaction outlives its session and keeps its database from being dropped.
    fn roll_back_prepared(&self) {
        let here = format!(
            "SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts WHERE database = '{}'",
            self.name
        );
        let left = self.server.admin().rows(&here);
        if left.is_empty() {
            return;
        }
        let session = self.session("harness");
        for roll_back in left.iter().flatten().flatten() {
            session.runs(roll_back);
        }
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        self.roll_back_prepared();
        self.server.admin().runs(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            self.name
        ));
    }
}

/// A role that may log in and nothing else. What it owns must go before it: its database.
pub struct Role<'a> {
    server: &'a Server,
    name: String,
}

impl<'a> Role<'a> {
    pub(super) fn create(server: &'a Server, name: &str) -> Self {
        let name = unique(name);
        server.admin().runs(&format!("CREATE ROLE {name} LOGIN"));
        Self { server, name }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes it a member: `pg_monitor`, `pg_signal_backend`.
    #[track_caller]
    pub fn member_of(self, group: &str) -> Self {
        self.server
            .admin()
            .runs(&format!("GRANT {group} TO {}", self.name));
        self
    }
}

impl Drop for Role<'_> {
    fn drop(&mut self) {
        self.server
            .admin()
            .runs(&format!("DROP ROLE IF EXISTS {}", self.name));
    }
}

/// Distinct in this run and between runs.
fn unique(name: &str) -> String {
    format!(
        "{name}_{}_{}",
        process::id(),
        MADE.fetch_add(1, Ordering::Relaxed)
    )
}
