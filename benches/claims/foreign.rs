//! What others feel of a scan a second: the answer times of a steady workload that locks and
//! unlocks, with nothing beside it, with scans, and with psql's join.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use tokio::runtime::Builder;

use crate::crowd::{Crowd, Waiting, log_in};
use crate::pairs::{Spread, milliseconds};
use crate::places::{Places, scan};
use crate::program::Program;
use crate::sheet;

const ROUNDS: usize = 7;
const PHASE: Duration = Duration::from_secs(4);
const CONNECTIONS: u32 = 8;

/// Of each connection: a thousand a second in all.
const EVERY: Duration = Duration::from_millis(8);

/// What runs beside the workload once a second, and the answer times with it, a list for each phase.
struct Beside {
    name: &'static str,
    program: Option<Program>,
    phases: Vec<Vec<f64>>,
}

pub fn measure(places: &Places) -> Result<()> {
    let crowd = Crowd::gather(places, Waiting::Apart)?;
    let connection = crowd.connection();
    sheet::heading(&format!(
        "foreign: 1000 locks and unlocks a second on 8 connections, beside {}",
        crowd.size()
    ))?;
    let mut all = besides(places, &connection);
    for _ in 0..ROUNDS {
        for beside in &mut all {
            let times = phase(&connection, beside.program.as_ref())?;
            beside.phases.push(times);
        }
    }
    say(&all)
}

fn besides(places: &Places, connection: &str) -> [Beside; 4] {
    let beside = |name, program| Beside {
        name,
        program,
        phases: Vec::new(),
    };
    [
        beside("nothing", None),
        beside("scan --format table", Some(scan(connection, "table"))),
        beside("scan --format json", Some(scan(connection, "json"))),
        beside("psql, join", Some(places.common_join(connection))),
    ]
}

/// The answer times of one phase, in milliseconds, in order.
fn phase(connection: &str, program: Option<&Program>) -> Result<Vec<f64>> {
    let ready = Barrier::new(CONNECTIONS as usize + 1);
    let mut times = thread::scope(|scope| {
        let workers: Vec<_> = (0..CONNECTIONS)
            .map(|number| {
                let ready = &ready;
                scope.spawn(move || work(connection, number, ready))
            })
            .collect();
        ready.wait();
        disturb(program)?;
        let mut times = Vec::new();
        for worker in workers {
            times.extend(worker.join().map_err(|_| anyhow!("a worker stopped"))??);
        }
        anyhow::Ok(times)
    })?;
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Once a second until the phase ends.
fn disturb(program: Option<&Program>) -> Result<()> {
    let begun = Instant::now();
    let mut next = Duration::from_millis(500);
    while let Some(program) = program.filter(|_| next < PHASE) {
        sleep_until(begun + next);
        program.run()?;
        next += Duration::from_secs(1);
    }
    Ok(())
}

/// Everybody must reach the barrier, a worker that failed to log in too.
fn work(connection: &str, number: u32, ready: &Barrier) -> Result<Vec<f64>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let client = runtime.block_on(log_in(connection.to_owned()));
    ready.wait();
    let client = client?;
    let begun = Instant::now() + EVERY * number / CONNECTIONS;
    let mut times = Vec::new();
    let mut due = begun;
    while due < begun + PHASE {
        sleep_until(due);
        runtime.block_on(lock_and_unlock(&client, number))?;
        // From when it was due: a stall delays those behind it too, and that counts.
        times.push(milliseconds(due.elapsed()));
        due += EVERY;
    }
    Ok(times)
}

async fn lock_and_unlock(client: &tokio_postgres::Client, number: u32) -> Result<()> {
    for function in ["pg_advisory_lock", "pg_advisory_unlock"] {
        let sql = format!("SELECT {function}(-1, {number})");
        client.batch_execute(&sql).await?;
    }
    Ok(())
}

fn sleep_until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(Instant::now()));
}

fn say(all: &[Beside]) -> Result<()> {
    let head = "p99, times nothing's";
    sheet::line(&format!(
        "{:<24}{:>8}{:>8}{:>8}{:>8} ms {head:>30}",
        "beside it, once a second", "p50", "p99", "p99.9", "max"
    ))?;
    for beside in all {
        let mut times = beside.phases.concat();
        times.sort_by(f64::total_cmp);
        let [p50, p99, p999, most] = [0.5, 0.99, 0.999, 1.0].map(|share| percentile(&times, share));
        let ratio = ratio(beside, &all[0]);
        let ratio = format!(
            "{:.2} ({:.2}-{:.2})",
            ratio.median, ratio.least, ratio.greatest
        );
        sheet::line(&format!(
            "{:<24}{p50:>8.2}{p99:>8.2}{p999:>8.2}{most:>8.1} {ratio:>33}",
            beside.name
        ))?;
    }
    Ok(())
}

/// Of the two phases of each round.
fn ratio(beside: &Beside, nothing: &Beside) -> Spread {
    let rounds = beside.phases.iter().zip(&nothing.phases);
    Spread::of(
        rounds
            .map(|(one, other)| percentile(one, 0.99) / percentile(other, 0.99))
            .collect(),
    )
}

/// Of times in order.
fn percentile(times: &[f64], share: f64) -> f64 {
    let at = (times.len() as f64 * share).ceil() as usize;
    times[at.clamp(1, times.len()) - 1]
}
