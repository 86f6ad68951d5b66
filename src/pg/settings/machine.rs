//! The real machine: the only file of the settings that reads the process's environment, files and account.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the boundary where the environment becomes a value"
)]

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::environment::{Account, Environment, Machine, PathKind};

/// `pg_config --sysconfdir` of Debian, of the RPMs, of Alpine, and of a build from source.
const SERVICE_DIRECTORIES: [&str; 4] = [
    "/etc/postgresql-common",
    "/etc/sysconfig/pgsql",
    "/etc/postgresql",
    "/usr/local/pgsql/etc",
];

/// The packaged servers' directory, then the one of a build from source.
const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];

impl Environment {
    /// The environment of this process.
    pub fn of_this_process() -> Self {
        let mut variables = BTreeMap::new();
        let mut unreadable_variables = Vec::new();
        for (name, value) in std::env::vars_os() {
            match (name.into_string(), value.into_string()) {
                (Ok(name), Ok(value)) => drop(variables.insert(name, value)),
                (Ok(name), Err(_)) => unreadable_variables.push(name),
                (Err(_), _) => {}
            }
        }
        Self {
            variables,
            unreadable_variables,
            service_directories: SERVICE_DIRECTORIES.map(PathBuf::from).to_vec(),
            socket_directories: SOCKET_DIRECTORIES.map(PathBuf::from).to_vec(),
            machine: Box::new(ThisMachine),
        }
    }
}

struct ThisMachine;

impl Machine for ThisMachine {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn kind(&self, path: &Path) -> PathKind {
        match std::fs::metadata(path) {
            Ok(it) if it.is_file() => PathKind::File {
                mode: it.permissions().mode() & 0o7777,
            },
            Ok(it) if it.is_dir() => PathKind::Directory,
            Ok(_) => PathKind::Other,
            Err(_) => PathKind::Missing,
        }
    }

    fn account(&self) -> Option<Account> {
        let id = rustix::process::geteuid().as_raw();
        std::fs::read_to_string("/etc/passwd")
            .ok()
            .and_then(|passwd| account_in(&passwd, id))
            .or_else(account_by_id_command)
            .or_else(account_by_variable)
    }
}

/// A static binary can't ask the system's name services, but its own `id` can (LDAP, sssd).
fn account_by_id_command() -> Option<Account> {
    let output = Command::new("id")
        .arg("-un")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    let known = output.status.success() && !name.is_empty();
    known.then_some(Account { name, home: None })
}

/// The last resort: after `su`, these may still name the former user.
fn account_by_variable() -> Option<Account> {
    let named = |variable| std::env::var(variable).ok().filter(|name| !name.is_empty());
    let name = named("USER").or_else(|| named("LOGNAME"))?;
    Some(Account { name, home: None })
}

fn account_in(passwd: &str, id: u32) -> Option<Account> {
    let entry = passwd
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let mine = entry
        .into_iter()
        .find(|fields| fields.get(2) == Some(&id.to_string().as_str()))?;
    Some(Account {
        name: (*mine.first()?).to_owned(),
        home: mine
            .get(5)
            .filter(|home| !home.is_empty())
            .map(PathBuf::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_account_of_a_user_id() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n";
        let alice = Account {
            name: "alice".to_owned(),
            home: Some(PathBuf::from("/home/alice")),
        };
        assert_eq!(account_in(passwd, 1000), Some(alice));
        assert_eq!(account_in(passwd, 100), None);
    }

    #[test]
    fn looks_at_real_files() {
        assert_eq!(ThisMachine.kind(Path::new("/")), PathKind::Directory);
        assert_eq!(
            ThisMachine.kind(Path::new("/no such file")),
            PathKind::Missing
        );
        let file = tempfile::NamedTempFile::new().expect("a file");
        let kind = ThisMachine.kind(file.path());
        assert_eq!(kind, PathKind::File { mode: 0o600 });
    }
}
