//! Owns the planted picture, once for each major.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::harness::{Key, Scan, Server, Session, fast_options, installations};

const NEGATIVE: Key = Key::Single(-8_046_644_073_709_551_615);
pub const GID: &str = "transfer-20260117-4";

/// Planted once for each major; tests only look at them.
pub static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
    let servers = installations().map(|found| Server::private(found, fast_options()));
    servers.map(Scene::plant).collect()
});

/// One holder, its waiters, and what a scan must say of them.
pub struct Group {
    pub datname: &'static str,
    pub key: Value,
    /// `None` for the prepared transaction.
    pub holder: Option<Session>,
    pub state: &'static str,
    pub scope: &'static str,
    pub mode: &'static str,
    pub waiters: Vec<Session>,
}

pub struct Scene {
    pub server: Server,
    pub groups: Vec<Group>,
    pub control: [Session; 2],
}

impl Scene {
    fn plant(server: Server) -> Self {
        server
            .admin()
            .runs("CREATE ROLE app LOGIN; CREATE ROLE auditor LOGIN; CREATE ROLE watcher LOGIN")
            .runs("GRANT pg_monitor TO watcher")
            .runs("CREATE DATABASE orders OWNER app")
            .runs("CREATE DATABASE archive OWNER app");
        let at = Planter(&server);
        Self {
            groups: vec![
                at.idle_and_negative(),
                at.idle_with_a_pair(),
                at.sharing(),
                at.prepared(),
                at.in_a_transaction(),
                at.in_another_database(),
            ],
            control: at.control(),
            server,
        }
    }

    pub fn url(&self, role: &str) -> String {
        let address = self.server.address().to_database("orders");
        address.as_role(role).url()
    }

    pub fn scan_as(&self, role: &str) -> Scan {
        Scan::of(&self.url(role), &[])
    }

    pub fn waiters(&self) -> impl Iterator<Item = &Session> {
        self.groups.iter().flat_map(|group| &group.waiters)
    }
}

/// Its keys are larger than any pid: the compared screen marks every number that is one.
struct Planter<'a>(&'a Server);

impl Planter<'_> {
    fn session(&self, database: &str, name: &str) -> Session {
        let address = self.0.address().to_database(database);
        Session::open(&address.as_role("app"), name)
    }

    fn waiting(&self, database: &str, name: &str, key: impl Into<Key>) -> Session {
        let waiter = self.session(database, name);
        waiter.waits_for(key);
        waiter
    }

    fn idle_and_negative(&self) -> Group {
        let holder = self.session("orders", "billing-sweep");
        holder.idle_with(NEGATIVE).runs("SELECT 'hosted_mocks'");
        let waiter = |_| self.waiting("orders", "checkout", NEGATIVE);
        Group {
            datname: "orders",
            key: single(
                "-8046644073709551615",
                "pg_advisory_unlock(-8046644073709551615)",
            ),
            holder: Some(holder),
            state: "idle",
            scope: "session",
            mode: "ExclusiveLock",
            waiters: (0..5).map(waiter).collect(),
        }
    }

    fn idle_with_a_pair(&self) -> Group {
        let holder = self.session("orders", "report-builder");
        holder.idle_with_pair(-7, -42);
        Group {
            datname: "orders",
            key: json!({
                "form": "int4x2", "key": null, "key1": -7, "key2": -42,
                "unlock": "pg_advisory_unlock(-7, -42)",
            }),
            holder: Some(holder),
            state: "idle",
            scope: "session",
            mode: "ExclusiveLock",
            waiters: vec![self.waiting("orders", "report-mailer", (-7, -42))],
        }
    }

    fn sharing(&self) -> Group {
        let holder = self.session("orders", "catalog-reader");
        holder.idle_sharing(333_000_333);
        Group {
            datname: "orders",
            key: single("333000333", "pg_advisory_unlock_shared(333000333)"),
            holder: Some(holder),
            state: "idle",
            scope: "session",
            mode: "ShareLock",
            waiters: vec![self.waiting("orders", "catalog-import", 333_000_333)],
        }
    }

    fn prepared(&self) -> Group {
        self.session("orders", "transfers")
            .prepared_with(444_000_444, GID);
        Group {
            datname: "orders",
            key: single("444000444", "pg_advisory_unlock(444000444)"),
            holder: None,
            state: "prepared",
            scope: "transaction",
            mode: "ExclusiveLock",
            waiters: vec![self.waiting("orders", "ledger", 444_000_444)],
        }
    }

    fn in_a_transaction(&self) -> Group {
        let holder = self.session("orders", "invoice-mailer");
        holder.in_transaction_with(555_000_555);
        Group {
            datname: "orders",
            key: single("555000555", "pg_advisory_unlock(555000555)"),
            holder: Some(holder),
            state: "idle in transaction",
            scope: "unknown",
            mode: "ExclusiveLock",
            waiters: vec![self.waiting("orders", "invoice-api", 555_000_555)],
        }
    }

    fn in_another_database(&self) -> Group {
        let holder = self.session("archive", "nightly-archive");
        holder.idle_with(NEGATIVE);
        Group {
            datname: "archive",
            key: single(
                "-8046644073709551615",
                "pg_advisory_unlock(-8046644073709551615)",
            ),
            holder: Some(holder),
            state: "idle",
            scope: "session",
            mode: "ExclusiveLock",
            waiters: vec![self.waiting("archive", "archive-purge", NEGATIVE)],
        }
    }

    fn control(&self) -> [Session; 2] {
        let holder = self.session("orders", "schema-change");
        holder
            .runs("CREATE TABLE carts ()")
            .runs("BEGIN; LOCK TABLE carts");
        let waiter = self.session("orders", "storefront");
        waiter.is_blocked_in("SELECT FROM carts");
        [holder, waiter]
    }
}

fn single(key: &str, unlock: &str) -> Value {
    json!({"form": "bigint", "key": key, "key1": null, "key2": null, "unlock": unlock})
}
