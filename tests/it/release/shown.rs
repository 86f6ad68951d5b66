//! A holder between two moments: when it was shown, and when it is ended.

use lockaudit::key::spelled::Asked;
use lockaudit::pg::QueryTexts;
use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::release::{Ending, end};
use lockaudit::pg::sample::{self, Sampling};
use lockaudit::picture::{Expectations, Picture};
use lockaudit::release::{Change, Guard, Named, Wanted};
use lockaudit::snapshot::Snapshot;
use tokio::runtime::Runtime;

use crate::destination::{Destination, runtime};
use crate::harness::{Database, Session};

/// Somebody has seen this and thinks about it.
pub struct Shown {
    runtime: Runtime,
    connection: Connection,
    pub guard: Guard,
}

impl Shown {
    #[track_caller]
    pub fn of(db: &Database<'_>, holder: &Session, key: &str) -> Self {
        let cluster = db.server().cluster();
        let destination = Destination::socket(cluster.socket_folder(), cluster.port())
            .user("postgres")
            .with(|target| target.dbname = db.name().to_owned());
        let runtime = runtime();
        let (connection, snapshot) = runtime.block_on(async {
            let connection = connect(&destination.0)
                .await
                .expect("the server lets us in");
            let snapshot = look(&connection).await;
            (connection, snapshot)
        });
        let guard = guard(db, &snapshot, holder, key);
        Self {
            runtime,
            connection,
            guard,
        }
    }

    /// The answer is yes.
    pub fn end(&self) -> Ending {
        let sampling = sampling();
        let ended = end(&self.connection, &sampling, &self.guard);
        self.runtime.block_on(ended).expect("the server answers")
    }

    /// Nothing is done, for this reason.
    #[track_caller]
    pub fn is_refused_for(&self, change: Change) {
        assert_eq!(self.end(), Ending::NotAsShown);
        let now = self.runtime.block_on(look(&self.connection));
        assert_eq!(self.guard.change(&now), change);
    }
}

fn sampling() -> Sampling {
    Sampling {
        role: None,
        texts: QueryTexts::Read,
    }
}

async fn look(connection: &Connection) -> Snapshot {
    let taken = sample::take(connection, &sampling()).await;
    taken.expect("the server answers")
}

#[track_caller]
fn guard(db: &Database<'_>, snapshot: &Snapshot, holder: &Session, key: &str) -> Guard {
    let expectations = Expectations::default();
    let picture = Picture::of(&[], snapshot, &expectations);
    let wanted = Wanted {
        holder: Named::Pid(holder.pid()),
        database: snapshot.database_oid(db.name()).expect("it is there"),
        tag: key.parse::<Asked>().expect("a key").tag,
    };
    let hold = wanted.find(&picture).expect("it holds the key");
    Guard::of(snapshot, hold).expect("its start is seen")
}
