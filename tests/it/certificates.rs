//! The certificates that `tests/make-certificates` makes, once for the whole run.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for certificates can be made");
    let made = Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/make-certificates"
    ))
    .arg(&folder)
    .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "make-certificates works"
    );
    folder
});

/// The path of `KIND/FILE`.
pub fn path(name: &str) -> PathBuf {
    FOLDER.join(name)
}

pub fn content(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).expect("make-certificates makes it")
}
