//! Where an answer goes: stdout, or a file that is written whole or not at all.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::terminal;

/// Hands `render` a writer to stdout or to the file, and makes sure that all of it arrives.
pub(super) fn write(
    file: Option<&Path>,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    match file {
        None => to_stdout(render).context("could not write to stdout"),
        Some(path) => {
            to_file(path, render).with_context(|| format!("could not write {}", path.display()))
        }
    }
}

fn to_stdout(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stdout = terminal::stdout();
    render(&mut stdout)?;
    stdout.flush()
}

fn to_file(path: &Path, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link is followed, so that it stays one.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        return to_device(&path, render);
    }
    replace(&path, render)
}

/// A pipe, a terminal, `/dev/null`: nothing to replace.
fn to_device(path: &Path, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut device = io::BufWriter::new(OpenOptions::new().write(true).open(path)?);
    render(&mut device)?;
    device.flush()
}

/// Writes a neighbour first, then puts it in the place of the file.
fn replace(path: &Path, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".lockaudit-").permissions(permissions(path));
    let mut neighbour = builder.tempfile_in(directory)?;
    let mut buffered = io::BufWriter::new(neighbour.as_file_mut());
    render(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    neighbour.as_file().sync_all()?;
    neighbour.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Those of the file that is replaced; else what the umask leaves.
fn permissions(path: &Path) -> Permissions {
    match File::open(path).and_then(|file| file.metadata()) {
        Ok(metadata) => metadata.permissions(),
        Err(_) => Permissions::from_mode(0o666),
    }
}
