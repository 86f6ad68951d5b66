//! An environment made up by a test.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::environment::{Account, Environment, Machine, PathKind};

#[derive(Default)]
pub(super) struct Scripted {
    variables: BTreeMap<String, String>,
    paths: BTreeMap<PathBuf, (PathKind, Vec<u8>)>,
    account: Option<Account>,
}

/// Variables, no files, and nobody logged in.
pub(super) fn environment(variables: &[(&str, &str)]) -> Scripted {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Scripted {
        variables: variables.iter().map(owned).collect(),
        ..Scripted::default()
    }
}

impl Scripted {
    pub(super) fn with_file(self, path: &str, mode: u32, text: &str) -> Self {
        self.with_path(path, PathKind::File { mode }, text)
    }

    pub(super) fn with_path(mut self, path: &str, kind: PathKind, text: &str) -> Self {
        self.paths
            .insert(PathBuf::from(path), (kind, text.as_bytes().to_vec()));
        self
    }

    pub(super) fn with_account(mut self, name: &str, home: &str) -> Self {
        self.account = Some(Account {
            name: name.to_owned(),
            home: Some(PathBuf::from(home)),
        });
        self
    }

    pub(super) fn build(self) -> Environment {
        Environment {
            variables: self.variables.clone(),
            unreadable_variables: Vec::new(),
            service_directories: vec![PathBuf::from("/etc/postgresql-common")],
            socket_directories: vec![PathBuf::from("/var/run/postgresql"), PathBuf::from("/tmp")],
            machine: Box::new(self),
        }
    }
}

impl Machine for Scripted {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = self.paths.get(path).map(|(_, bytes)| bytes.clone());
        found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn kind(&self, path: &Path) -> PathKind {
        self.paths
            .get(path)
            .map_or(PathKind::Missing, |(kind, _)| *kind)
    }

    fn account(&self) -> Option<Account> {
        self.account.clone()
    }
}
