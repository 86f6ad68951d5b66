//! Owns a clock that a test sets: a server that runs under libfaketime reads it from a file.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lockaudit::throwaway::ClusterOptions;
use tempfile::TempDir;

use super::program::missing;

/// Debian's place for it, on each architecture.
const LIBRARIES: &str = "/usr/lib";
const LIBRARY: &str = "faketime/libfaketime.so.1";

/// A clock that runs as the machine's does, so many seconds before or after it.
pub struct Clock {
    library: PathBuf,
    folder: TempDir,
}

impl Clock {
    /// `None` where libfaketime is missing; `LOCKAUDIT_REQUIRE_FAKETIME=1` makes that a failure.
    #[track_caller]
    pub fn new() -> Option<Self> {
        let folder = TempDir::new().expect("a folder can be made");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
        let clock = Self {
            library: library()?,
            folder,
        };
        clock.is_set_by(0);
        Some(clock)
    }

    /// A server's options, under this clock. Lengths of time are measured as ever.
    pub fn over(&self, options: ClusterOptions) -> ClusterOptions {
        options
            .env("LD_PRELOAD", &self.library.display().to_string())
            .env(
                "FAKETIME_TIMESTAMP_FILE",
                &self.file().display().to_string(),
            )
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
    }

    /// From now on it is so many seconds ahead of the machine's, or behind it.
    pub fn is_set_by(&self, seconds: i32) {
        // Moved into place: a reader never sees half of it.
        let new = self.folder.path().join("new");
        fs::write(&new, format!("{seconds:+}\n")).expect("it can be written");
        fs::set_permissions(&new, Permissions::from_mode(0o644)).expect("it is ours");
        fs::rename(&new, self.file()).expect("it can be moved");
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("clock")
    }
}

fn library() -> Option<PathBuf> {
    let folders = fs::read_dir(LIBRARIES).into_iter().flatten().flatten();
    let below = folders.map(|folder| folder.path().join(LIBRARY));
    let found = below
        .chain([Path::new(LIBRARIES).join(LIBRARY)])
        .find(|library| library.exists());
    if found.is_none() {
        missing("libfaketime", "LOCKAUDIT_REQUIRE_FAKETIME");
    }
    found
}
