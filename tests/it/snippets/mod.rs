//! The code that a developer pastes: its SQL runs, it is what its language takes, and where it can be run it
//! keeps a lease, and stops when the lease is lost.

mod emit;
mod emitted;
mod python;
mod script;
mod statements;
mod toolchains;

use std::time::Duration;

use lockaudit::key::AdvisoryKey;
use lockaudit::lease::{Bridge, Name, TableName};
use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::lease::{Leases, create};
use lockaudit::snippet::Subject;

use crate::destination::{Destination, runtime};
use crate::harness::Database;

/// What a name may hold, and a template might trip over.
const HOSTILE_NAME: &str =
    "a\"b'c\\d\ne\r\t$f ${g} #{h} {i} `j` \"\"\" SQL\nSQL; '''\u{7}\u{85}\u{202e} é %s ?";

const HOSTILE_TABLE: &str = r#""sch`""""ema"."100% ?\ ${x} #{y} 'z' SQL""#;

fn subject() -> Subject {
    Subject {
        name: "sweep".parse().expect("a name"),
        key: AdvisoryKey::Single(42),
        table: TableName::default(),
        ttl: Duration::from_secs(2),
        bridge: Bridge::Hold,
    }
}

fn hostile() -> Subject {
    Subject {
        name: HOSTILE_NAME.parse().expect("a name"),
        key: AdvisoryKey::Pair(i32::MIN, -1),
        table: HOSTILE_TABLE.parse().expect("a table's name"),
        ..subject()
    }
}

fn name() -> Name {
    subject().name
}

async fn open(db: &Database<'_>) -> Connection {
    let cluster = db.server().cluster();
    let way = Destination::socket(cluster.socket_folder(), cluster.port())
        .with(|it| it.dbname = db.name().to_owned())
        .user("postgres");
    let connected = connect(&way.0).await;
    connected.unwrap_or_else(|failure| panic!("{}", failure.report()))
}

fn make_tables(db: &Database<'_>) {
    let table = TableName::default();
    runtime().block_on(async {
        let owner = open(db).await;
        let made = create(&Leases::of(&owner, &table)).await;
        made.expect("the tables can be made");
    });
}
