//! Owns the making of a data directory: by `initdb`, or by copying what `initdb` made before.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{Account, Installation};

/// Makes a fresh data directory at `data`, with a superuser `postgres`. Copies of one template
/// share the system identifier.
pub fn make_data_directory(
    data: &Path,
    installation: &Installation,
    account: Account,
    template_cache: Option<&Path>,
) -> Result<()> {
    match template_cache {
        Some(cache) => by_template(
            &Template::of(installation, cache),
            data,
            installation,
            account,
        ),
        None => by_initdb(data, installation, account),
    }
}

/// Copies a data directory of a server that does not run.
pub fn copy_data_directory(from: &Path, to: &Path, account: Account) -> Result<()> {
    copy_folder(from, to, account)
        .with_context(|| format!("could not copy the data directory {}", from.display()))
}

struct Template {
    cache: PathBuf,
    folder: PathBuf,
    lock: PathBuf,
}

impl Template {
    /// Two builds of one version may differ in what they were built with.
    fn of(installation: &Installation, cache: &Path) -> Self {
        let build = installation.bin.to_string_lossy().replace('/', "-");
        let folder = cache.join(format!("template-{}{build}", installation.version));
        Self {
            cache: cache.to_owned(),
            lock: folder.with_added_extension("lock"),
            folder,
        }
    }
}

fn by_template(
    template: &Template,
    data: &Path,
    installation: &Installation,
    account: Account,
) -> Result<()> {
    let lock = fs::create_dir_all(&template.cache)
        .and_then(|()| File::create(&template.lock))
        .and_then(|file| file.lock().map(|()| file))
        .with_context(|| format!("could not lock {}", template.lock.display()))?;
    if !template.folder.exists() {
        by_initdb(data, installation, account)?;
        return keep(data, &template.folder);
    }
    drop(lock);
    copy_data_directory(&template.folder, data, account)
}

/// Under another name first: a folder with the right name is complete.
fn keep(data: &Path, template: &Path) -> Result<()> {
    let incomplete = template.with_added_extension("new");
    if incomplete.exists() {
        fs::remove_dir_all(&incomplete).context("could not remove an incomplete template")?;
    }
    copy_data_directory(data, &incomplete, Account::ourselves())?;
    fs::rename(&incomplete, template).context("could not keep a template")
}

fn by_initdb(data: &Path, installation: &Installation, account: Account) -> Result<()> {
    let output = account
        .command(&installation.program("initdb"))
        .args([
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
        ])
        .args(["--no-sync", "--wal-segsize=1", "--pgdata"])
        .arg(data)
        .output()
        .context("could not start `initdb`")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`initdb` of {} failed: {}",
        installation.version,
        complaint.trim_end()
    );
    Ok(())
}

fn copy_folder(from: &Path, to: &Path, account: Account) -> Result<()> {
    DirBuilder::new().mode(0o700).create(to)?;
    account.own(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target, account)?;
        } else {
            fs::copy(entry.path(), &target)?;
            account.own(&target)?;
        }
    }
    Ok(())
}
