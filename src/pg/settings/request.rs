//! What the command line says about the connection, before anything else is heard.

use std::fmt;

use super::connection_string::is_connection_string;

/// What was typed on the command line.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Request {
    pub host: Option<String>,
    pub port: Option<String>,
    pub username: Option<String>,
    /// `--dbname`: a name, a URI or conninfo.
    pub dbname: Option<String>,
    /// The argument without a flag: the same three.
    pub positional: Option<String>,
    /// Outranks `application_name` everywhere else.
    pub application_name: Option<String>,
    /// Never ask for a password. Nothing here ever does; the flag is taken for the habit of typing it.
    pub no_password: bool,
}

impl Request {
    pub(super) fn flags(&self) -> [(&'static str, &'static str, Option<&str>); 3] {
        [
            ("host", "--host", self.host.as_deref()),
            ("port", "--port", self.port.as_deref()),
            ("user", "--username", self.username.as_deref()),
        ]
    }

    /// `--dbname` and the argument. An empty one says nothing, as in psql.
    pub(super) fn databases(&self) -> (Option<&str>, Option<&str>) {
        let given = |text: &'_ Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        (
            self.dbname.as_deref().filter(|_| given(&self.dbname)),
            self.positional
                .as_deref()
                .filter(|_| given(&self.positional)),
        )
    }

    pub(super) fn names_a_connection(&self) -> bool {
        let flag = self
            .flags()
            .iter()
            .any(|(_, _, given)| given.is_some_and(|text| !text.is_empty()));
        flag || self.databases() != (None, None)
    }

    /// Whether it is plain which server is meant, so that unread variables surprise nobody.
    pub(super) fn names_a_server(&self) -> bool {
        let (dbname, positional) = self.databases();
        self.host.is_some() || dbname.or(positional).is_some_and(is_connection_string)
    }
}

/// Only which parts were given: any text may hold a password.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<&str> = [
            ("host", &self.host),
            ("port", &self.port),
            ("username", &self.username),
            ("dbname", &self.dbname),
            ("positional", &self.positional),
            ("application_name", &self.application_name),
        ]
        .into_iter()
        .filter_map(|(name, text)| text.as_ref().map(|_| name))
        .collect();
        f.debug_struct("Request").field("given", &given).finish()
    }
}
