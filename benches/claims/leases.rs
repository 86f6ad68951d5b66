//! What leases cost beside advisory locks: taken and given back, asked for in vain, renewed in batches.
//!
//! The server is on a disk and waits for it: an advisory lock costs no flush, a lease costs one to take
//! and one to give back.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use lockaudit::keeper::{Keeper, Options, new_holder};
use lockaudit::lease::{Bridge, Holder, Name, TableName, Term, Wanted};
use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::lease::{Leases, create};
use lockaudit::pg::settings::{self, Environment, Request};
use lockaudit::pg::target::Target;
use lockaudit::throwaway::ClusterOptions;
use tokio::runtime::{Builder, Runtime};

use crate::pairs::Spread;
use crate::places::{Places, connection_to};
use crate::sheet::{self, Verdict};

const ROUNDS: usize = 5;
const PHASE: Duration = Duration::from_secs(1);
const TTL: Duration = Duration::from_secs(600);

/// Leases a second on one connection, in batches of a thousand.
const GOAL: f64 = 50_000.0;

pub fn measure(places: &Places) -> Result<()> {
    let cluster = places.start(&ClusterOptions::default().durable())?;
    let target = target(&connection_to(&cluster))?;
    let table = TableName::default();
    let admin = Session::open(&target)?;
    admin.run(async |leases| create(leases).await)?;
    sheet::heading(
        "leases: taken and given back, beside pg_try_advisory_lock and unlock, a second",
    )?;
    for clients in [1, 8, 32] {
        beside_advisory_locks(&target, clients)?;
    }
    in_vain(&target)?;
    renewals(&admin, &table)?;
    a_thousand_on_one_connection(&admin, &target)
}

/// What one client does over and over, for its number and its turn.
type Work = fn(&Session, u32, u32) -> Result<()>;

fn beside_advisory_locks(target: &Target, clients: u32) -> Result<()> {
    let rounds = (0..ROUNDS).map(|_| {
        let locks = rate(target, clients, lock_and_unlock)?;
        let leases = rate(target, clients, take_and_release)?;
        Ok((locks, leases))
    });
    say(
        &format!("{clients} clients, a name each"),
        &rounds.collect::<Result<Vec<_>>>()?,
    )
}

/// Those who ask for what somebody else has.
fn in_vain(target: &Target) -> Result<()> {
    sheet::heading("leases: asked for in vain, beside pg_try_advisory_lock in vain, a second")?;
    let owner = Session::open(target)?;
    lock(&owner, HELD)?;
    take(&owner, HELD)?.context("nobody has it yet")?;
    let rounds = (0..ROUNDS).map(|_| {
        let locks = rate(target, 8, lock_in_vain)?;
        let leases = rate(target, 8, take_in_vain)?;
        Ok((locks, leases))
    });
    say("8 clients, one name", &rounds.collect::<Result<Vec<_>>>()?)
}

fn say(what: &str, rounds: &[(f64, f64)]) -> Result<()> {
    let spread = |figure: fn(&(f64, f64)) -> f64| Spread::of(rounds.iter().map(figure).collect());
    let (locks, leases) = (spread(|(locks, _)| *locks), spread(|(_, leases)| *leases));
    let ratio = spread(|(locks, leases)| locks / leases);
    sheet::line(&format!(
        "{what:<26} locks {:>8.0}   leases {:>8.0}   locks/leases {:>6.1} ({:.1}-{:.1})",
        locks.median, leases.median, ratio.median, ratio.least, ratio.greatest
    ))
}

fn renewals(admin: &Session, table: &TableName) -> Result<()> {
    sheet::heading("leases: renewed a second on one connection, by the size of a batch")?;
    let terms = (0..1_000).map(|number| {
        let name = format!("renewed {number}");
        take(admin, &name)?.context("it is free")
    });
    let terms: Vec<Term> = terms.collect::<Result<_>>()?;
    let one = batches(admin, &terms[..1])?;
    for size in [1, 10, 100, 1_000] {
        let batch = batches(admin, &terms[..size])?;
        let leases = batch.a_second * size as f64;
        let verdict = match size {
            1_000 => Verdict::of(GOAL / leases, 1.0),
            _ => Verdict::NoGoal,
        };
        sheet::line(&format!(
            "batches of {size:<6} {:>8.0} batches   {leases:>9.0} leases   {:>6.1} times one by one   \
             {:>6.0} bytes of WAL a lease   {verdict}",
            batch.a_second,
            leases / one.a_second,
            batch.wal_bytes / size as f64,
        ))?;
    }
    hot_share(admin, table)
}

struct Batches {
    a_second: f64,
    /// Of one batch.
    wal_bytes: f64,
}

fn batches(admin: &Session, terms: &[Term]) -> Result<Batches> {
    let wal_before = admin.number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")?;
    let begun = Instant::now();
    let mut done = 0_u32;
    while begun.elapsed() < PHASE * 2 {
        let renewed = admin.run(async |leases| leases.renew_many(terms, TTL).await)?;
        ensure!(renewed.len() == terms.len(), "a renewal was refused");
        done += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let wal_after = admin.number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")?;
    Ok(Batches {
        a_second: f64::from(done) / seconds,
        wal_bytes: (wal_after - wal_before) / f64::from(done),
    })
}

fn hot_share(admin: &Session, table: &TableName) -> Result<()> {
    let sql = format!(
        "SELECT pg_stat_clear_snapshot()::text; SELECT pg_stat_force_next_flush()::text; \
         SELECT (100.0 * n_tup_hot_upd / n_tup_upd)::text FROM pg_stat_user_tables \
         WHERE relid = '{}'::regclass",
        table.quoted()
    );
    let share = admin.number(&sql)?;
    sheet::line(&format!(
        "updates without a new index entry (HOT): {share:.1} %"
    ))
}

fn a_thousand_on_one_connection(admin: &Session, target: &Target) -> Result<()> {
    let mut target = target.clone();
    target.application_name = "keeper of a thousand".to_owned();
    let runtime = runtime()?;
    let leases = runtime.block_on(async {
        let keeper = Keeper::connect_to(target, Options::default()).await?;
        let mut leases = Vec::new();
        for number in 0..1_000 {
            let name: Name = format!("kept {number}").parse()?;
            leases.push(keeper.take(&name, None).await?.context("it is free")?);
        }
        anyhow::Ok((keeper, leases))
    })?;
    let sessions = admin.number(
        "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'keeper of a thousand'",
    )?;
    sheet::line(&format!(
        "connections of {} leases: {sessions}",
        leases.1.len()
    ))
}

/// How often all clients together do it a second.
fn rate(target: &Target, clients: u32, work: Work) -> Result<f64> {
    let ready = Barrier::new(clients as usize);
    let done: u32 = thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|client| {
                let ready = &ready;
                scope.spawn(move || repeat(target, client, work, ready))
            })
            .collect();
        let mut all = 0;
        for client in clients {
            all += client.join().map_err(|_| anyhow!("a client stopped"))??;
        }
        anyhow::Ok(all)
    })?;
    Ok(f64::from(done) / PHASE.as_secs_f64())
}

/// Everybody must reach the barrier, a client that failed to log in too.
fn repeat(target: &Target, client: u32, work: Work, ready: &Barrier) -> Result<u32> {
    let session = Session::open(target);
    ready.wait();
    let session = session?;
    let begun = Instant::now();
    let mut done = 0;
    while begun.elapsed() < PHASE {
        work(&session, client, done)?;
        done += 1;
    }
    Ok(done)
}

const HELD: &str = "held";

fn lock_and_unlock(session: &Session, client: u32, _: u32) -> Result<()> {
    let name = format!("client {client}");
    lock(session, &name)?;
    session.execute(&format!("SELECT pg_advisory_unlock(hashtext('{name}'))"))
}

fn lock(session: &Session, name: &str) -> Result<()> {
    session.execute(&format!("SELECT pg_try_advisory_lock(hashtext('{name}'))"))
}

fn take_and_release(session: &Session, client: u32, _: u32) -> Result<()> {
    let term = take(session, &format!("client {client}"))?.context("it is free")?;
    let released = session.run(async |leases| leases.release(&term, None).await)?;
    ensure!(released, "it was ours");
    Ok(())
}

fn lock_in_vain(session: &Session, _: u32, _: u32) -> Result<()> {
    lock(session, HELD)
}

fn take_in_vain(session: &Session, _: u32, _: u32) -> Result<()> {
    ensure!(take(session, HELD)?.is_none(), "somebody else has it");
    Ok(())
}

fn take(session: &Session, name: &str) -> Result<Option<Term>> {
    let name: Name = name.parse()?;
    let wanted = Wanted {
        name: &name,
        holder: &session.holder,
        ttl: TTL,
        bridge: Bridge::None,
        reason: None,
    };
    let taken = session.run(async |leases| leases.take(&wanted).await)?;
    Ok(taken.map(|(grant, _)| Term {
        name: name.clone(),
        holder: session.holder.clone(),
        token: grant.token,
    }))
}

/// A connection with its own thread's runtime.
struct Session {
    // Ends before the runtime that moves its bytes.
    connection: Connection,
    runtime: Runtime,
    holder: Holder,
    table: TableName,
}

impl Session {
    fn open(target: &Target) -> Result<Self> {
        let runtime = runtime()?;
        Ok(Self {
            connection: runtime.block_on(connect(target))?,
            runtime,
            holder: new_holder()?,
            table: TableName::default(),
        })
    }

    fn run<T>(&self, question: impl AsyncFnOnce(&Leases<'_>) -> Result<T>) -> Result<T> {
        let leases = Leases::of(&self.connection, &self.table);
        self.runtime.block_on(question(&leases))
    }

    fn execute(&self, sql: &str) -> Result<()> {
        let executed = self.connection.client.query_typed(sql, &[]);
        self.runtime.block_on(executed)?;
        Ok(())
    }

    /// The first column of the last row.
    fn number(&self, sql: &str) -> Result<f64> {
        let messages = self
            .runtime
            .block_on(self.connection.client.simple_query(sql))?;
        let rows = messages.iter().rev().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(rows.context("a number was asked for")?.parse()?)
    }
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

fn target(connection: &str) -> Result<Target> {
    let request = Request {
        positional: Some(connection.to_owned()),
        ..Request::default()
    };
    Ok(settings::resolve(&request, &Environment::of_this_process())?.target)
}
