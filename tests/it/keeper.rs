//! Leases in a program: many on one connection, and work that is told to stop.

use std::time::Duration;

use lockaudit::keeper::{Keeper, Lease, Options};
use lockaudit::lease::timetable::Why;
use lockaudit::pg::connect::connect;
use lockaudit::pg::lease::{Leases, create};

use tokio::runtime::{Builder, Runtime};

use crate::destination::Destination;
use crate::harness::{Database, Server, wait_for};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

fn way(db: &Database<'_>, application: &str) -> Destination {
    let cluster = db.server().cluster();
    Destination::socket(cluster.socket_folder(), cluster.port())
        .user("postgres")
        .with(|it| it.dbname = db.name().to_owned())
        .with(|it| it.application_name = application.to_owned())
}

fn short() -> Options {
    Options::with_ttl(Duration::from_secs(2)).expect("it can be kept")
}

/// A program with a thread of its own, so that leases are kept while the test looks at the server.
fn program() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime starts")
}

async fn keeper(db: &Database<'_>, application: &str, options: Options) -> Keeper {
    let way = way(db, application);
    let connection = connect(&way.0).await.expect("it connects");
    let made = create(&Leases::of(&connection, &options.table)).await;
    made.expect("the tables are made");
    connection.close().await;
    let keeper = Keeper::connect_to(way.0, options).await;
    keeper.unwrap_or_else(|error| panic!("{error:#}"))
}

async fn take(keeper: &Keeper, name: String) -> Option<Lease> {
    let name = name.parse().expect("a name");
    let taken = keeper.take(&name, None).await;
    taken.unwrap_or_else(|error| panic!("{error:#}"))
}

async fn stops(lease: &Lease) -> Option<Why> {
    let stopped = tokio::time::timeout(PATIENCE, lease.stopped()).await;
    stopped.expect("the work is told to stop");
    lease.why_stopped()
}

async fn release(lease: Lease) -> bool {
    let released = lease.release(None).await;
    released.unwrap_or_else(|error| panic!("{error:#}"))
}

#[test]
fn a_hundred_leases_are_kept_past_their_length_on_one_connection() {
    let db = Server::any().database("kept");
    let watcher = db.session("watcher");
    let program = program();
    let keeper = program.block_on(keeper(&db, "keeper", short()));
    let leases = (0..100).map(|number| take(&keeper, format!("job {number}")));
    let leases = leases.map(|taken| program.block_on(taken).expect("it is free"));
    let leases: Vec<Lease> = leases.collect();
    wait_for("the first lease to outlive its length", || {
        watcher.says(
            "SELECT extract(epoch FROM clock_timestamp() - max(taken_at)) > 2.5 FROM lockaudit_lease",
        )
    });
    assert!(
        watcher.says(
            "SELECT count(*) = 100 FROM lockaudit_lease \
             WHERE holder IS NOT NULL AND expires_at > clock_timestamp()"
        ),
        "all have been renewed"
    );
    assert!(
        watcher.says(
            "SELECT count(*) = 1 FROM pg_stat_activity \
             WHERE application_name = 'keeper' AND datname = current_database()"
        ),
        "one connection for all"
    );
    assert!(leases.iter().all(|lease| !lease.is_stopped()));
    for lease in leases {
        assert!(program.block_on(release(lease)));
    }
    program.block_on(keeper.close());
}

#[test]
fn what_somebody_else_has_is_not_granted_until_it_is_given_back() {
    let db = Server::any().database("theirs");
    program().block_on(async {
        let one = keeper(&db, "one", short()).await;
        let other = keeper(&db, "other", short()).await;
        let lease = take(&one, "sweep".to_owned()).await.expect("it is free");
        assert!(take(&other, "sweep".to_owned()).await.is_none());
        let again = take(&one, "sweep".to_owned()).await;
        assert!(again.is_none(), "each take is a holder of its own");
        let token = lease.token();
        assert!(release(lease).await);
        let next = take(&other, "sweep".to_owned()).await.expect("it is free");
        assert!(next.token() > token);
    });
}

#[test]
fn a_broken_lease_tells_its_work_to_stop_and_leaves_the_others_alone() {
    let db = Server::any().database("broken_kept");
    let operator = db.session("operator");
    let program = program();
    let keeper = program.block_on(keeper(&db, "keeper", short()));
    let [lost, left] = ["lost", "left"].map(|name| {
        let taken = program.block_on(take(&keeper, name.to_owned()));
        taken.expect("it is free")
    });
    operator
        .runs("UPDATE lockaudit_lease SET holder = NULL, token = token + 1 WHERE name = 'lost'");
    assert_eq!(program.block_on(stops(&lost)), Some(Why::Lost));
    assert!(!left.is_stopped());
    assert!(!program.block_on(release(lost)), "it was not ours any more");
}

#[test]
fn work_is_told_to_stop_before_its_lease_runs_out_when_nothing_answers() {
    let db = Server::any().database("silent");
    let operator = Server::any().admin();
    let program = program();
    let keeper = program.block_on(keeper(&db, "keeper", short()));
    let lease = program.block_on(take(&keeper, "sweep".to_owned()));
    let lease = lease.expect("it is free");
    let name = db.name();
    operator.runs(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname =";
    operator.runs(&format!("{end} '{name}'"));
    assert_eq!(program.block_on(stops(&lease)), Some(Why::Unconfirmed));
    assert!(lease.is_stopped());
    operator.runs(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
    let valid = "SELECT expires_at > clock_timestamp() FROM lockaudit_lease WHERE name = 'sweep'";
    assert!(
        db.session("watcher").says(valid),
        "nobody else can have had it"
    );
}

#[test]
fn a_lost_connection_costs_no_lease() {
    let db = Server::any().database("cut_off");
    let operator = db.session("operator");
    let program = program();
    let keeper = program.block_on(keeper(&db, "keeper", short()));
    let lease = program.block_on(take(&keeper, "sweep".to_owned()));
    let lease = lease.expect("it is free");
    operator.runs(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE application_name = 'keeper' AND datname = current_database()",
    );
    wait_for("renewals over another connection", || {
        operator.says("SELECT expires_at > taken_at + interval '4.5 s' FROM lockaudit_lease")
    });
    assert!(!lease.is_stopped(), "{:?}", lease.why_stopped());
    assert!(program.block_on(release(lease)));
}

#[test]
fn a_lease_that_is_dropped_runs_out() {
    let db = Server::any().database("dropped");
    let watcher = db.session("watcher");
    let program = program();
    let keeper = program.block_on(keeper(&db, "keeper", short()));
    drop(
        program
            .block_on(take(&keeper, "sweep".to_owned()))
            .expect("it is free"),
    );
    wait_for("the lease to run out", || {
        watcher.says(
            "SELECT holder IS NOT NULL AND expires_at < clock_timestamp() FROM lockaudit_lease",
        )
    });
    assert!(
        program
            .block_on(take(&keeper, "sweep".to_owned()))
            .is_some()
    );
}

/// The way from a held name to a committed write, on a pool of one connection.
mod a_pool_of_one {
    use lockaudit::pg::connect::Connection;
    use tokio::sync::{Mutex, MutexGuard};
    use tokio::time::timeout;

    use super::*;

    const JOBS: [&str; 4] = ["sweep", "alerts", "mail checks", "uptime"];
    const LIMIT: Duration = Duration::from_secs(3);

    struct Pool(Mutex<Connection>);

    impl Pool {
        async fn of(db: &Database<'_>) -> Self {
            let connected = connect(&way(db, "pool").0).await;
            let connection = connected.expect("it connects");
            let table = "CREATE TABLE work (job text)";
            connection
                .client
                .batch_execute(table)
                .await
                .expect("a table is made");
            Self(Mutex::new(connection))
        }

        async fn borrow(&self) -> MutexGuard<'_, Connection> {
            self.0.lock().await
        }

        async fn write(&self, job: &str) {
            let connection = self.borrow().await;
            let insert = format!("INSERT INTO work VALUES ('{job}')");
            connection
                .client
                .batch_execute(&insert)
                .await
                .expect("it commits");
        }
    }

    #[test]
    fn commits_a_write_while_four_leases_are_held() {
        let db = Server::any().database("one_with_leases");
        program().block_on(async {
            let pool = Pool::of(&db).await;
            let keeper = keeper(&db, "keeper", Options::default()).await;
            let mut leases = Vec::new();
            for job in JOBS {
                leases.push(take(&keeper, job.to_owned()).await.expect("it is free"));
            }
            for job in JOBS {
                timeout(LIMIT, pool.write(job))
                    .await
                    .expect("it has a connection");
            }
            assert!(leases.iter().all(|lease| !lease.is_stopped()));
        });
    }

    #[test]
    fn commits_nothing_while_one_advisory_lock_is_held() {
        let db = Server::any().database("one_with_a_lock");
        program().block_on(async {
            let pool = Pool::of(&db).await;
            let held = pool.borrow().await;
            let lock = "SELECT pg_advisory_lock(hashtext('sweep'))";
            held.client.batch_execute(lock).await.expect("it is free");
            assert!(timeout(LIMIT, pool.write("sweep")).await.is_err());
            drop(held);
            timeout(LIMIT, pool.write("sweep"))
                .await
                .expect("it has a connection");
        });
    }
}
