//! Owns what can be chosen about a throwaway server, and its configuration files' text.

use std::path::{Path, PathBuf};

use super::folder::Medium;

/// What a server is started with; each method adds one choice.
#[derive(Debug, Clone, Default)]
pub struct ClusterOptions {
    pub(super) listen: Listen,
    pub(super) medium: Medium,
    pub(super) settings: Vec<(String, String)>,
    pub(super) hba_lines: Vec<String>,
    pub(super) files: Vec<(String, Vec<u8>)>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) template_cache: Option<PathBuf>,
}

/// Who can reach a server. Everybody who can may be any role, without a password.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Listen {
    /// Only the server's account and root: a Unix socket in a private folder.
    #[default]
    Socket,
    /// Also every user of this machine: 127.0.0.1 on a free port.
    Loopback,
}

/// What every server here has, before the caller's own settings.
///
/// Nothing is worth an `fsync`, its log is to stay small, and two-phase commit is off in a fresh
/// PostgreSQL.
const COMMON_SETTINGS: [(&str, &str); 7] = [
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("max_prepared_transactions", "20"),
    ("min_wal_size", "8MB"),
    ("max_wal_size", "64MB"),
    ("log_line_prefix", "%m [%p] "),
    ("lc_messages", "C"),
];

const COMMON_HBA: &str = "\
local all         all trust
local replication all trust
host  all         all 127.0.0.1/32 trust
";

impl ClusterOptions {
    pub fn listen(mut self, listen: Listen) -> Self {
        self.listen = listen;
        self
    }

    /// On a disk, and every commit waits for it.
    pub fn durable(mut self) -> Self {
        self.medium = Medium::Disk;
        self.setting("fsync", "on")
            .setting("full_page_writes", "on")
    }

    pub fn max_connections(self, connections: u32) -> Self {
        self.setting("max_connections", &connections.to_string())
    }

    /// A line of postgresql.conf. The last of one name wins.
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A variable of the server's environment, which knows nothing of ours but `PATH`.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A line of pg_hba.conf, before the lines that trust everybody.
    pub fn hba(mut self, line: &str) -> Self {
        self.hba_lines.push(line.to_owned());
        self
    }

    /// A file in the data directory, readable by the server's account only: a certificate, a key.
    pub fn file(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), content.into()));
        self
    }

    /// Keeps a fresh data directory of each version in `folder`, and copies it next time: a copy
    /// takes a third of `initdb`'s time.
    pub fn template_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.template_cache = Some(folder.into());
        self
    }

    pub(super) fn hba_file(&self) -> String {
        let own: String = self
            .hba_lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        own + COMMON_HBA
    }

    pub(super) fn settings_text(&self) -> String {
        let own = self
            .settings
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        COMMON_SETTINGS
            .into_iter()
            .chain(own)
            .map(|(name, value)| setting_line(name, value))
            .collect()
    }
}

/// The lines that say where a server is reached.
pub(super) fn address_text(listen: Listen, port: u16, socket_folder: &Path) -> String {
    let addresses = match listen {
        Listen::Socket => "",
        Listen::Loopback => "127.0.0.1",
    };
    [
        setting_line("listen_addresses", addresses),
        setting_line("port", &port.to_string()),
        setting_line(
            "unix_socket_directories",
            &socket_folder.display().to_string(),
        ),
    ]
    .concat()
}

pub(super) fn setting_line(name: &str, value: &str) -> String {
    format!(
        "{name} = '{}'\n",
        value.replace('\\', "\\\\").replace('\'', "''")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_what_a_value_may_hold() {
        assert_eq!(
            setting_line("search_path", r"it's \ here"),
            "search_path = 'it''s \\\\ here'\n"
        );
    }

    #[test]
    fn own_settings_come_after_the_common_ones() {
        let text = ClusterOptions::default()
            .setting("fsync", "on")
            .settings_text();
        assert!(text.find("fsync = 'off'").unwrap() < text.find("fsync = 'on'").unwrap());
    }

    #[test]
    fn own_lines_of_access_are_asked_first() {
        let hba = ClusterOptions::default()
            .hba("host all all 127.0.0.1/32 reject")
            .hba_file();
        assert!(hba.starts_with("host all all 127.0.0.1/32 reject\nlocal"));
    }
}
