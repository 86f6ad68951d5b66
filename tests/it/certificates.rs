//! The certificates that `tests/make-certificates` makes: once for each text of that script.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

const SCRIPT: &str = include_str!("../make-certificates");

/// They are valid for a year.
const FRESH: Duration = Duration::from_secs(30 * 86_400);

/// Made beside its place and renamed, because another run may want it at the same time.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    SCRIPT.hash(&mut hasher);
    let above = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = above.join(format!("certificates-{:016x}", hasher.finish()));
    if is_fresh(&folder) {
        return folder;
    }
    let scratch = tempfile::tempdir_in(above).expect("a folder for certificates can be made");
    make(scratch.path());
    let _ = fs::remove_dir_all(&folder);
    if fs::rename(scratch.path(), &folder).is_err() {
        assert!(
            is_fresh(&folder),
            "the certificates can be put in their place"
        );
    }
    folder
});

fn is_fresh(folder: &Path) -> bool {
    let made = fs::metadata(folder).and_then(|metadata| metadata.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < FRESH))
}

fn make(folder: &Path) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/make-certificates");
    let made = Command::new(script).arg(folder).status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "make-certificates works"
    );
}

/// The path of `KIND/FILE`.
pub fn path(name: &str) -> PathBuf {
    FOLDER.join(name)
}

pub fn content(name: &str) -> Vec<u8> {
    fs::read(path(name)).expect("make-certificates makes it")
}
