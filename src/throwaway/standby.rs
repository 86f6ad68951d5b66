//! Owns the making of a standby: a cold copy, because that needs no client program.

use anyhow::Result;

use super::folder::Medium;
use super::initdb::copy_data_directory;
use super::options::setting_line;
use super::{Cluster, Shutdown};

impl Cluster {
    /// A second server that follows this one and takes reading sessions. This one is stopped
    /// while its files are copied, which ends its sessions, and starts again on the same port.
    ///
    /// The standby must be dropped first, or it retries its lost connection.
    pub fn standby(&mut self) -> Result<Self> {
        self.stop(Shutdown::Fast)?;
        let mut standby = Self::prepare(&self.installation, self.listen, Medium::default())?;
        copy_data_directory(
            &self.data_directory(),
            &standby.data_directory(),
            self.account,
        )?;
        self.start_again()?;
        standby.write_file("standby.signal", "")?;
        standby.append_settings(&setting_line(
            "primary_conninfo",
            &self.replication_address(),
        ))?;
        standby.start_on_a_free_port()?;
        Ok(standby)
    }

    fn replication_address(&self) -> String {
        let host = self.socket_folder().display();
        format!("host={host} port={} user=postgres", self.port())
    }
}
