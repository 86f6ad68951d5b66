//! The password for each host: the settings' own, else the first matching line of the password file.
//!
//! The rules of the file are libpq's; nothing read here is ever part of a note.

use std::path::{Path, PathBuf};

use super::environment::{Environment, PathKind};
use super::values::Values;
use crate::pg::target::{Endpoint, Host, Password};

/// Who logs in, and where to.
pub(super) struct Login {
    pub(super) user: String,
    pub(super) dbname: String,
}

/// Hosts with their passwords, and a sentence for each place where none was found.
#[derive(Default)]
pub(super) struct Search {
    pub(super) hosts: Vec<Host>,
    pub(super) tried: Vec<String>,
}

/// Looks a password up for each endpoint.
pub(super) fn find(
    endpoints: Vec<Endpoint>,
    login: &Login,
    values: &Values,
    environment: &Environment,
    notes: &mut Vec<String>,
) -> Search {
    if let Some(text) = values.filled_text("password") {
        let hosts = endpoints
            .into_iter()
            .map(|endpoint| host(endpoint, Some(Password::new(text))));
        return Search {
            hosts: hosts.collect(),
            tried: Vec::new(),
        };
    }
    let mut search = Search::default();
    search
        .tried
        .push("neither the connection settings nor `PGPASSWORD` hold a password".to_owned());
    match read(values, environment) {
        Ok(file) => search.in_file(endpoints, login, &file, environment),
        Err(refusal) => search.without_file(endpoints, refusal, notes),
    }
    search
}

fn host(endpoint: Endpoint, password: Option<Password>) -> Host {
    Host { endpoint, password }
}

struct PasswordFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Why there is no file to search.
struct Refusal {
    sentence: String,
    /// Someone meant the file to be used: it is worth a note even when no password is asked for.
    surprising: bool,
}

/// The file that was asked for, else `~/.pgpass`; never both.
fn read(values: &Values, environment: &Environment) -> Result<PasswordFile, Refusal> {
    let given = values.filled_text("passfile").map(PathBuf::from);
    let surprising = given.is_some();
    let default = || environment.home().map(|home| home.join(".pgpass"));
    let Some(path) = given.or_else(default) else {
        return Err(refusal(
            "there is no home directory to hold a .pgpass".to_owned(),
            false,
        ));
    };
    let shown = path.display();
    match environment.machine.kind(&path) {
        PathKind::Missing => Err(refusal(
            format!("password file {shown} does not exist"),
            surprising,
        )),
        PathKind::File { mode } if mode & 0o077 != 0 => {
            Err(refusal(open_to_others(&path, mode), true))
        }
        PathKind::File { .. } => contents(path, environment),
        PathKind::Directory | PathKind::Other => Err(refusal(
            format!("password file {shown} is no plain file"),
            surprising,
        )),
    }
}

fn refusal(sentence: String, surprising: bool) -> Refusal {
    Refusal {
        sentence,
        surprising,
    }
}

fn open_to_others(path: &Path, mode: u32) -> String {
    format!(
        "password file {} is not used, because others can reach it (mode {mode:04o}); run `chmod 0600` on it",
        path.display()
    )
}

fn contents(path: PathBuf, environment: &Environment) -> Result<PasswordFile, Refusal> {
    match environment.machine.read(&path) {
        Ok(bytes) => Ok(PasswordFile { path, bytes }),
        Err(error) => {
            let sentence = format!("could not read password file {}: {error}", path.display());
            Err(refusal(sentence, true))
        }
    }
}

impl Search {
    fn without_file(
        &mut self,
        endpoints: Vec<Endpoint>,
        refusal: Refusal,
        notes: &mut Vec<String>,
    ) {
        if refusal.surprising {
            notes.push(refusal.sentence.clone());
        }
        self.tried.push(refusal.sentence);
        self.hosts
            .extend(endpoints.into_iter().map(|endpoint| host(endpoint, None)));
    }

    fn in_file(
        &mut self,
        endpoints: Vec<Endpoint>,
        login: &Login,
        file: &PasswordFile,
        environment: &Environment,
    ) {
        for endpoint in endpoints {
            let wanted = Wanted::new(&endpoint, login, environment);
            let found = file.lines().find_map(|line| wanted.password_in(line));
            let password = found.and_then(usable);
            if password.is_none() {
                self.tried.push(format!(
                    "password file {} has no password for {}",
                    file.path.display(),
                    wanted.shown()
                ));
            }
            self.hosts.push(host(endpoint, password));
        }
    }
}

impl PasswordFile {
    /// Blanks count; a carriage return at the end does not.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        lines
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !line.starts_with(b"#"))
    }
}

/// What the four fields of a line must say.
struct Wanted([String; 4]);

impl Wanted {
    fn new(endpoint: &Endpoint, login: &Login, environment: &Environment) -> Self {
        let (host, port) = match endpoint {
            Endpoint::Tcp { name, port, .. } => (name.clone(), port),
            // A default socket directory is written `localhost` in the file.
            Endpoint::Unix { directory, port } => {
                match environment.socket_directories.contains(directory) {
                    true => ("localhost".to_owned(), port),
                    false => (directory.display().to_string(), port),
                }
            }
        };
        Self([
            host,
            port.to_string(),
            login.dbname.clone(),
            login.user.clone(),
        ])
    }

    fn shown(&self) -> String {
        self.0.join(":")
    }

    /// The password's bytes, if the line is about this login.
    fn password_in(&self, line: &[u8]) -> Option<Vec<u8>> {
        let mut rest = line;
        for wanted in &self.0 {
            let (field, after) = field(rest)?;
            let matches = field.wildcard || field.text == wanted.as_bytes();
            rest = matches.then_some(after)?;
        }
        Some(last_field(rest))
    }
}

/// The first line that matches decides, even when what it holds is no password.
fn usable(bytes: Vec<u8>) -> Option<Password> {
    let text = String::from_utf8(bytes).ok()?;
    (!text.is_empty()).then(|| Password::new(text))
}

struct Field {
    text: Vec<u8>,
    /// A lone `*`; `\*` is the character.
    wildcard: bool,
}

/// The text up to the next bare colon, unescaped, and what follows the colon.
fn field(line: &[u8]) -> Option<(Field, &[u8])> {
    let end = end_of_field(line);
    let after = line.get(end + 1..)?;
    let text = unescaped(&line[..end]);
    let wildcard = &line[..end] == b"*";
    Some((Field { text, wildcard }, after))
}

/// The password ends at the next bare colon too.
fn last_field(line: &[u8]) -> Vec<u8> {
    unescaped(&line[..end_of_field(line)])
}

fn end_of_field(line: &[u8]) -> usize {
    let mut escaped = false;
    for (index, byte) in line.iter().enumerate() {
        match byte {
            b':' if !escaped => return index,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    line.len()
}

/// A backslash at the very end stands for itself.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = text.iter();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let literal = match byte {
            b'\\' => bytes.next().unwrap_or(byte),
            other => other,
        };
        plain.push(*literal);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Scripted, environment};
    use super::*;

    fn tcp(name: &str) -> Endpoint {
        Endpoint::Tcp {
            name: name.to_owned(),
            address: None,
            port: 5432,
        }
    }

    fn search(endpoints: &[Endpoint], scripted: Scripted) -> (Search, Vec<String>) {
        let login = Login {
            user: "u".to_owned(),
            dbname: "d".to_owned(),
        };
        let mut notes = Vec::new();
        let found = find(
            endpoints.to_vec(),
            &login,
            &Values::default(),
            &scripted.build(),
            &mut notes,
        );
        (found, notes)
    }

    fn password(endpoint: &Endpoint, file: &str) -> Option<String> {
        let scripted = environment(&[("HOME", "/h")]).with_file("/h/.pgpass", 0o600, file);
        let (found, _) = search(std::slice::from_ref(endpoint), scripted);
        found.hosts[0]
            .password
            .as_ref()
            .map(|it| it.reveal().to_owned())
    }

    #[test]
    fn takes_the_first_line_that_matches() {
        let file = "# c\nother:*:*:*:no\nh:5432:d:u:first\n*:*:*:*:second";
        assert_eq!(password(&tcp("h"), file).as_deref(), Some("first"));
        assert_eq!(password(&tcp("x"), file).as_deref(), Some("second"));
        assert_eq!(password(&tcp("h"), "h:*:*:*:\n*:*:*:*:p"), None);
    }

    #[test]
    fn reads_escapes_and_ends_at_a_colon() {
        assert_eq!(
            password(&tcp("::1"), "\\:\\:1:*:*:*:a\\:b\\\\c:rest\r\n").as_deref(),
            Some("a:b\\c")
        );
        assert_eq!(password(&tcp("h"), "\\*:*:*:*:p"), None);
        assert_eq!(password(&tcp("h"), " h:*:*:*:p"), None);
        assert_eq!(password(&tcp("h"), "h:*:*:*:p ").as_deref(), Some("p "));
    }

    #[test]
    fn writes_a_default_socket_as_localhost() {
        let socket = |directory: &str| Endpoint::Unix {
            directory: directory.into(),
            port: 5432,
        };
        assert_eq!(
            password(&socket("/tmp"), "localhost:*:*:*:p").as_deref(),
            Some("p")
        );
        assert_eq!(password(&socket("/run/x"), "localhost:*:*:*:p"), None);
        assert_eq!(
            password(&socket("/run/x"), "/run/x:*:*:*:p").as_deref(),
            Some("p")
        );
    }

    #[test]
    fn looks_each_host_up() {
        let scripted = environment(&[("HOME", "/h")]).with_file("/h/.pgpass", 0o400, "a:*:*:*:p");
        let (found, notes) = search(&[tcp("a"), tcp("b")], scripted);
        assert!(found.hosts[0].password.is_some() && found.hosts[1].password.is_none());
        assert_eq!(
            found.tried,
            [
                "neither the connection settings nor `PGPASSWORD` hold a password",
                "password file /h/.pgpass has no password for b:5432:d:u",
            ]
        );
        assert!(notes.is_empty());
    }

    #[test]
    fn refuses_a_file_that_others_can_read() {
        let scripted = environment(&[("HOME", "/h")]).with_file("/h/.pgpass", 0o640, "*:*:*:*:p");
        let (found, notes) = search(&[tcp("a")], scripted);
        assert_eq!(found.hosts[0].password, None);
        assert_eq!(
            notes,
            [
                "password file /h/.pgpass is not used, because others can reach it (mode 0640); run `chmod 0600` on it"
            ]
        );
    }
}
