//! Owns the search for PostgreSQL on this machine.
//!
//! In this order, the first of a version counting:
//!
//! 1. `LOCKAUDIT_PG_BIN`, a list of `bin` folders separated by colons;
//! 2. what `pg_config --bindir` says;
//! 3. `/usr/lib/postgresql/*/bin` (Debian), `/usr/pgsql-*/bin` (Red Hat), Homebrew's
//!    `postgresql@*`, `/Library/PostgreSQL/*/bin`;
//! 4. the folders of `PATH`;
//! 5. the cache that `tests/fetch-postgres` fills, `<version>/native/bin` below
//!    `LOCKAUDIT_PG_CACHE`, or else below `.cache/postgresql` of the current directory and, for
//!    root, `/var/tmp/lockaudit-postgresql`. A cache that belongs to somebody else is not used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::Result;

use super::Account;

/// The folder above all `bin` folders of one packager, and what stands between it and `bin`.
const PACKAGERS: [(&str, &str, &str); 5] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql@", "bin"),
    ("/usr/local/opt", "postgresql@", "bin"),
    ("/Library/PostgreSQL", "", "bin"),
];

/// One PostgreSQL of this machine: the folder with `initdb`, `pg_ctl` and `postgres`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    pub bin: PathBuf,
    pub major: u32,
    /// As the server prints it: `15.18`, `19beta1`.
    pub version: String,
}

impl Installation {
    /// One installation for each major, the oldest major first. Of one major the newest minor
    /// wins, and of one version the first in the order of the search. What the server's account
    /// cannot execute is left out.
    pub fn find_all() -> Result<Vec<Self>> {
        let account = Account::for_servers()?;
        let mut newest: BTreeMap<u32, Self> = BTreeMap::new();
        for found in bin_folders()
            .iter()
            .filter_map(|bin| Self::examine(bin, account))
        {
            let known = newest.get(&found.major);
            if known.is_none_or(|known| found.minor() > known.minor()) {
                newest.insert(found.major, found);
            }
        }
        Ok(newest.into_values().collect())
    }

    /// Whether the client programs are there too: a server alone is enough for most uses.
    pub fn has_clients(&self) -> bool {
        self.program("psql").exists()
    }

    /// The path of one of the programs, whether it is there or not.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    fn examine(bin: &Path, account: Account) -> Option<Self> {
        let postgres = bin.join("postgres");
        if !postgres.exists() || !bin.join("initdb").exists() {
            return None;
        }
        let output = account.command(&postgres).arg("--version").output().ok()?;
        let version = version_of(&String::from_utf8_lossy(&output.stdout))?;
        let major = leading_number(&version)?;
        Some(Self {
            bin: bin.to_owned(),
            major,
            version,
        })
    }

    fn minor(&self) -> Option<u32> {
        leading_number(self.version.split_once('.')?.1)
    }
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` is version `15.18`.
fn version_of(sentence: &str) -> Option<String> {
    let version = sentence.strip_prefix("postgres (PostgreSQL) ")?;
    version.split_whitespace().next().map(str::to_owned)
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

fn bin_folders() -> Vec<PathBuf> {
    let mut folders = list_of("LOCKAUDIT_PG_BIN");
    folders.extend(told_by_pg_config());
    for (above, prefix, bin) in PACKAGERS {
        folders.extend(children(Path::new(above), prefix).map(|child| child.join(bin)));
    }
    folders.extend(list_of("PATH"));
    for cache in caches().filter(|cache| is_ours(cache)) {
        folders.extend(children(&cache, "").map(|child| child.join("native/bin")));
    }
    folders
}

fn list_of(variable: &str) -> Vec<PathBuf> {
    let list = env::var_os(variable).unwrap_or_default();
    env::split_paths(&list)
        .filter(|folder| folder.is_absolute())
        .collect()
}

fn told_by_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(
        String::from_utf8(output.stdout).ok()?.trim_end(),
    ))
}

fn children(folder: &Path, prefix: &str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.into_iter()
}

fn caches() -> impl Iterator<Item = PathBuf> {
    let told = env::var_os("LOCKAUDIT_PG_CACHE").filter(|told: &OsString| !told.is_empty());
    let usual = || {
        let below = env::current_dir()
            .ok()
            .map(|folder| folder.join(".cache/postgresql"));
        below
            .into_iter()
            .chain([PathBuf::from("/var/tmp/lockaudit-postgresql")])
    };
    match told {
        Some(folder) => vec![PathBuf::from(folder)],
        None => usual().collect(),
    }
    .into_iter()
}

/// Programs are started from there, so it must not be a folder that somebody else can fill.
fn is_ours(cache: &Path) -> bool {
    let us = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(cache).is_ok_and(|found| found.uid() == us && found.mode() & 0o022 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version_of_a_packaged_a_plain_and_a_coming_server() {
        let version = |tail: &str| version_of(&format!("postgres (PostgreSQL) {tail}\n")).unwrap();
        assert_eq!(version("15.18 (Debian 15.18-0+deb12u1)"), "15.18");
        assert_eq!(version("13.23"), "13.23");
        assert_eq!(leading_number(&version("19beta1")), Some(19));
        assert_eq!(version_of("EnterpriseDB 9"), None);
    }

    #[test]
    fn a_later_minor_is_newer_even_with_more_digits() {
        let minor = |version: &str| {
            Installation {
                bin: PathBuf::new(),
                major: 15,
                version: version.to_owned(),
            }
            .minor()
        };
        assert!(minor("15.10") > minor("15.9"));
        assert!(minor("15.0") > minor("15beta2"));
    }
}
