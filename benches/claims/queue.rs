//! Long queues on one key: the time must grow with the queue, not with its square.
//!
//! No ordinary server takes five thousand sessions, so the snapshot of a queue of one is made longer.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lockaudit::throwaway::{Account, ClusterOptions, PrivateFolder};
use serde_json::Value;
use tokio::runtime::Builder;

use crate::crowd::{log_in, until_waiting};
use crate::pairs::Comparison;
use crate::places::{Places, connection_to, lockaudit};
use crate::program::Program;
use crate::sheet;

/// Ten times the queue may take this many times as long.
const GOAL: f64 = 12.0;

/// Above every pid that a server gives, by default.
const FIRST_PID: i64 = 5_000_000;

pub fn measure(places: &Places) -> Result<()> {
    let folder = PrivateFolder::create(Account::for_servers()?)?;
    let scene = queue_of_one(places, folder.path())?;
    let long = scan_of(&scene, 5_000, folder.path())?;
    let short = scan_of(&scene, 500, folder.path())?;
    sheet::heading("queue: `scan --input` of a snapshot with one holder and a queue behind it")?;
    sheet::comparison_heads("5,000 wait", "500 wait")?;
    let found = Comparison::of(&long, &short)?;
    sheet::comparison("scan --format table", &found, found.against(GOAL))
}

/// The snapshot of one session that waits for another, as the program itself saves it.
fn queue_of_one(places: &Places, folder: &Path) -> Result<Value> {
    let cluster = places.start(&ClusterOptions::default())?;
    let connection = connection_to(&cluster);
    let file = folder.join("scene.json");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let holder = log_in(connection.clone()).await?;
        holder.batch_execute("SELECT pg_advisory_lock(42)").await?;
        let waiter = log_in(connection.clone()).await?;
        tokio::spawn(async move { waiter.batch_execute("SELECT pg_advisory_lock(42)").await });
        until_waiting(&holder, 1).await?;
        let path = file.to_string_lossy();
        lockaudit(&["scan", &connection, "--save", &path]).run()?;
        anyhow::Ok(())
    })?;
    Ok(serde_json::from_slice(&fs::read(&file)?)?)
}

fn scan_of(scene: &Value, waiters: i64, folder: &Path) -> Result<Program> {
    let mut scene = scene.clone();
    lengthen(&mut scene["samples"][0], waiters).context("the saved snapshot has no waiter")?;
    let file: PathBuf = folder.join(format!("{waiters}.json"));
    fs::write(&file, serde_json::to_vec(&scene)?)?;
    Ok(lockaudit(&["scan", "--input", &file.to_string_lossy()]))
}

/// Copies the waiter and its session under other pids.
fn lengthen(sample: &mut Value, waiters: i64) -> Option<()> {
    let locks = sample["locks"].as_array()?;
    let waiting = locks.iter().find(|lock| lock["granted"] == false)?.clone();
    let sessions = sample["sessions"].as_array()?;
    let session = sessions
        .iter()
        .find(|session| session["pid"] == waiting["pid"])?;
    let session = session.clone();
    for pid in FIRST_PID..FIRST_PID + waiters - 1 {
        sample["locks"].as_array_mut()?.push(under(pid, &waiting));
        sample["sessions"]
            .as_array_mut()?
            .push(under(pid, &session));
    }
    Some(())
}

fn under(pid: i64, row: &Value) -> Value {
    let mut row = row.clone();
    row["pid"] = pid.into();
    row
}
