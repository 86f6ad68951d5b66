//! Where an answer goes: stdout, or a file that is written whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

use crate::exit::Hint;
use crate::terminal;

/// As many as the kernel follows.
const LINKS_FOLLOWED: usize = 40;

/// Hands `render` a writer to stdout or to the file, and makes sure that all of it arrives.
pub(super) fn write(
    file: Option<&Path>,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    match file {
        None => to_stdout(render).context("could not write to stdout"),
        Some(path) => to_file(path, Readers::AsBefore, render)
            .with_context(|| format!("could not write {}", path.display())),
    }
}

/// Writes a file that only its owner can read.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    to_file(path, Readers::OwnerOnly, |out| out.write_all(bytes))
        .with_context(|| format!("could not write {}", path.display()))
}

/// Writes a file that is not there yet; `otherwise` is what to do if it is.
pub(super) fn write_new(path: &Path, text: &str, otherwise: &str) -> Result<()> {
    match to_new_file(path, text) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let message = format!("{} exists and is left alone", path.display());
            Err(Hint::error(otherwise).context(message))
        }
        written => written.with_context(|| format!("could not write {}", path.display())),
    }
}

/// Who may read a file that we write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Whoever could read the one that it replaces; else whom the umask lets.
    AsBefore,
    OwnerOnly,
}

fn to_stdout(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stdout = terminal::stdout();
    render(&mut stdout)?;
    stdout.flush()
}

fn to_file(
    path: &Path,
    readers: Readers,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.exists() && !path.is_file() {
        return to_device(path, render);
    }
    replace(&end_of_links(path), readers, render)
}

fn to_new_file(path: &Path, text: &str) -> io::Result<()> {
    if path.exists() && !path.is_file() && !path.is_dir() {
        return to_device(path, |out| out.write_all(text.as_bytes()));
    }
    let mut neighbour = neighbour_of(path, Permissions::from_mode(0o666))?;
    neighbour.write_all(text.as_bytes())?;
    neighbour.as_file().sync_all()?;
    neighbour
        .persist_noclobber(path)
        .map_err(|error| error.error)?;
    Ok(())
}

/// A file without a name that anybody waits for, in the same folder.
fn neighbour_of(path: &Path, permissions: Permissions) -> io::Result<NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    tempfile::Builder::new()
        .prefix(".lockaudit-")
        .permissions(permissions)
        .tempfile_in(directory)
}

/// A link is followed, so that it stays one: also one that leads to a file yet to be written.
fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_owned();
    for _ in 0..LINKS_FOLLOWED {
        match fs::read_link(&end) {
            Ok(next) => end = end.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    end
}

/// A pipe, a terminal, `/dev/null`: nothing to replace.
fn to_device(path: &Path, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut device = io::BufWriter::new(OpenOptions::new().write(true).open(path)?);
    render(&mut device)?;
    device.flush()
}

/// Writes a neighbour first, then puts it in the place of the file.
fn replace(
    path: &Path,
    readers: Readers,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let old = fs::metadata(path)
        .ok()
        .filter(|_| readers == Readers::AsBefore);
    let mut neighbour = neighbour_of(path, first_permissions(readers, old.as_ref()))?;
    let mut buffered = io::BufWriter::new(neighbour.as_file_mut());
    render(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    if let Some(old) = &old {
        take_after(neighbour.as_file(), old)?;
    }
    neighbour.as_file().sync_all()?;
    neighbour.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What the umask leaves of a new file; nothing for others while an old one's are not yet taken over.
fn first_permissions(readers: Readers, old: Option<&Metadata>) -> Permissions {
    Permissions::from_mode(match (readers, old) {
        (Readers::AsBefore, None) => 0o666,
        _ => 0o600,
    })
}

/// Gives `file` the owner, the group and the permissions of the file that it replaces.
fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
    // Only root may give a file away, and only to groups of one's own may others: as far as it goes.
    let _ = fchown(file, None, Some(old.gid()));
    let _ = fchown(file, Some(old.uid()), None);
    file.set_permissions(old.permissions())
}
