//! Connection flags, as every libpq tool has them.

use clap::Args;

use crate::pg::settings::Request;

#[derive(Debug, Args)]
#[command(
    next_help_heading = "Connection (PG* variables, service and password files as in psql; then LOCKAUDIT_DSN, DATABASE_URL)"
)]
pub struct ConnectionArgs {
    /// URI, conninfo string or database name
    #[arg(value_name = "CONNECTION")]
    pub connection: Option<String>,
    /// Server host or socket directory
    #[arg(short = 'h', long, value_name = "HOST")]
    pub host: Option<String>,
    /// Server port
    #[arg(short = 'p', long, value_name = "PORT")]
    pub port: Option<String>,
    /// Role to connect as
    #[arg(short = 'U', long, value_name = "NAME")]
    pub username: Option<String>,
    /// Database name, URI or conninfo string
    #[arg(short = 'd', long, value_name = "DBNAME")]
    pub dbname: Option<String>,
    /// Never ask for a password (lockaudit never does)
    #[arg(short = 'w', long)]
    pub no_password: bool,
    /// Look as this role (SET LOCAL ROLE in each sample)
    #[arg(long, value_name = "ROLE")]
    pub set_role: Option<String>,
}

impl ConnectionArgs {
    /// Whether a server was named on the command line.
    pub fn names_a_connection(&self) -> bool {
        let given = [
            &self.connection,
            &self.host,
            &self.port,
            &self.username,
            &self.dbname,
            &self.set_role,
        ];
        given.iter().any(|given| given.is_some())
    }

    pub fn request(&self) -> Request {
        Request {
            host: self.host.clone(),
            port: self.port.clone(),
            username: self.username.clone(),
            dbname: self.dbname.clone(),
            positional: self.connection.clone(),
            no_password: self.no_password,
            ..Request::default()
        }
    }
}
