//! Runs of a program from its start to its end, its output read all the while.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// Often enough to see a process that lives for a few milliseconds, at little cost for it.
const LOOK_EVERY: Duration = Duration::from_micros(200);

/// A program and its arguments.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<String>,
}

impl Program {
    pub fn new(path: PathBuf, arguments: &[&str]) -> Self {
        Self {
            path,
            arguments: arguments.iter().map(|&one| one.to_owned()).collect(),
        }
    }

    /// From before its start until it is gone and its output is read.
    pub fn run(&self) -> Result<Duration> {
        let begun = Instant::now();
        let (mut child, reader) = self.start()?;
        let status = child.wait()?;
        let bytes = bytes_read(reader)?;
        let took = begun.elapsed();
        self.check(status.code(), bytes)?;
        Ok(took)
    }

    /// The most memory that it had at once, in kB: the system's own high-water mark, looked at
    /// until it is gone. `None` where the system has no `/proc`.
    pub fn peak_memory(&self) -> Result<Option<u64>> {
        let (mut child, reader) = self.start()?;
        let mut peak = None;
        while child.try_wait()?.is_none() {
            peak = peak.max(high_water_mark(child.id()));
            thread::sleep(LOOK_EVERY);
        }
        let status = child.wait()?;
        self.check(status.code(), bytes_read(reader)?)?;
        Ok(peak)
    }

    /// With nothing of our own environment but the path, so that no setting is inherited.
    fn start(&self) -> Result<(Child, JoinHandle<io::Result<u64>>)> {
        let mut child = Command::new(&self.path)
            .args(&self.arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("could not start {}", self.path.display()))?;
        let stdout = child.stdout.take().context("its output is a pipe")?;
        let reader = thread::spawn(move || read_all(stdout));
        Ok((child, reader))
    }

    /// 1 is what a scan with findings ends with; a psql that failed has written nothing then.
    fn check(&self, status: Option<i32>, bytes: u64) -> Result<()> {
        ensure!(
            matches!(status, Some(0 | 1)) && bytes > 0,
            "{} ended with {status:?} after {bytes} bytes",
            self.path.display()
        );
        Ok(())
    }
}

fn read_all(mut pipe: impl Read) -> io::Result<u64> {
    let mut buffer = vec![0; 64 * 1024];
    let mut bytes = 0;
    loop {
        match pipe.read(&mut buffer)? {
            0 => return Ok(bytes),
            more => bytes += more as u64,
        }
    }
}

fn bytes_read(reader: JoinHandle<io::Result<u64>>) -> Result<u64> {
    let read = reader.join();
    Ok(read.map_err(|_| anyhow::anyhow!("the reader of its output stopped"))??)
}

fn high_water_mark(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
