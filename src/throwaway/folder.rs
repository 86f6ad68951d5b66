//! Owns the private folders of throwaway servers: made, guarded, and swept when left behind.
//!
//! They lie where paths are short, because a Unix socket's has room for some hundred bytes only,
//! and in memory where there is plenty: a server starts there in a third of the time. Each folder
//! holds a file `owner`, locked for as long as its owner lives: a lock cannot be mistaken for
//! another process's, as a number can.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, process};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::{Account, Guardian};

const IN_MEMORY: &str = "/dev/shm";
const ON_DISK: &str = "/tmp";

/// A container has 64 MiB there by default, which PostgreSQL itself needs; a server takes about 50.
const PLENTY_OF_BYTES: u64 = 2 << 30;

const PREFIX: &str = "lockaudit-";

/// Between the making of a folder and its lock; far longer than that takes.
const WITHOUT_OWNER: Duration = Duration::from_secs(60);

/// What a server's files lie on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Medium {
    /// Memory, where there is plenty of it.
    #[default]
    Fastest,
    /// Where a flush takes its time.
    Disk,
}

/// A folder that only the server's account (and root) can enter, removed with all that runs from
/// it when it is dropped or its owner is killed.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    guardian: Option<Guardian>,
    _owner: File,
}

impl PrivateFolder {
    pub fn create(account: Account) -> Result<Self> {
        Self::create_on(Medium::Fastest, account)
    }

    pub fn create_on(medium: Medium, account: Account) -> Result<Self> {
        let path = fresh_folder(medium)?;
        let guardian = Some(Guardian::of(&path)?);
        account.own(&path)?;
        Ok(Self {
            _owner: locked_owner_file(&path)?,
            path,
            guardian,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        drop(self.guardian.take());
        // The guardian has removed it, unless somebody killed the guardian.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn fresh_folder(medium: Medium) -> Result<PathBuf> {
    let above = match medium {
        Medium::Fastest if has_plenty_of_memory() => IN_MEMORY,
        Medium::Fastest | Medium::Disk => ON_DISK,
    };
    let made = fresh_folder_below(above).or_else(|_| fresh_folder_below(ON_DISK));
    Ok(made
        .context("could not make a private folder below /tmp")?
        .keep())
}

fn fresh_folder_below(above: &str) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", process::id()))
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(above)
}

fn has_plenty_of_memory() -> bool {
    rustix::fs::statvfs(IN_MEMORY)
        .is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) > PLENTY_OF_BYTES)
}

/// Locked before it gets its name, so that no sweep takes it for an orphan's.
fn locked_owner_file(folder: &Path) -> Result<File> {
    let fresh = folder.join("owner.new");
    let file = File::create(&fresh).context("could not write into the private folder")?;
    file.lock().context("could not lock the private folder")?;
    fs::rename(&fresh, folder.join("owner")).context("could not write into the private folder")?;
    Ok(file)
}

/// Stops the servers and removes the folders that earlier runs left behind: runs that were killed
/// together with their guardian. Gives back the number of folders.
pub fn remove_leftovers() -> Result<usize> {
    let account = Account::for_servers()?;
    let left = [IN_MEMORY, ON_DISK]
        .into_iter()
        .filter_map(|above| fs::read_dir(above).ok())
        .flat_map(|entries| entries.flatten())
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .filter_map(|entry| Leftover::at(entry.path(), account));
    left.map(Leftover::remove).sum()
}

/// A folder without an owner, and its lock, which keeps other sweeps away.
struct Leftover {
    path: PathBuf,
    _owner: Option<File>,
}

impl Leftover {
    fn at(path: PathBuf, account: Account) -> Option<Self> {
        let found = fs::symlink_metadata(&path).ok()?;
        let us = rustix::process::geteuid().as_raw();
        if !found.is_dir() || ![us, account.uid()].contains(&found.uid()) {
            return None;
        }
        match File::open(path.join("owner")) {
            Ok(owner) => owner.try_lock().is_ok().then_some(Self {
                path,
                _owner: Some(owner),
            }),
            Err(_) => is_older(&found, WITHOUT_OWNER).then_some(Self { path, _owner: None }),
        }
    }

    fn remove(self) -> Result<usize> {
        drop(Guardian::of(&self.path)?);
        Ok(usize::from(!self.path.exists()))
    }
}

fn is_older(found: &fs::Metadata, age: Duration) -> bool {
    found
        .modified()
        .ok()
        .and_then(|changed| changed.elapsed().ok())
        .is_some_and(|elapsed| elapsed > age)
}
