//! The `ssl…` words made into [`TlsSettings`], with libpq's default files under `~/.postgresql`.

use std::path::PathBuf;

use anyhow::{bail, ensure};

use super::choice::{unexpected, word};
use super::environment::Environment;
use super::values::Values;
use crate::pg::target::{Password, Roots, SslMode, TlsNegotiation, TlsSettings, TlsVersion};

const MODES: [(&str, SslMode); 6] = [
    ("disable", SslMode::Disable),
    ("allow", SslMode::Allow),
    ("prefer", SslMode::Prefer),
    ("require", SslMode::Require),
    ("verify-ca", SslMode::VerifyCa),
    ("verify-full", SslMode::VerifyFull),
];

const NEGOTIATIONS: [(&str, TlsNegotiation); 2] = [
    ("postgres", TlsNegotiation::Postgres),
    ("direct", TlsNegotiation::Direct),
];

/// In rising order, as libpq compares them.
const VERSIONS: [&str; 4] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

/// How TLS is to be spoken. Only default files are looked for; a path that was given is checked when it is read.
pub(super) fn settings(values: &Values, environment: &Environment) -> anyhow::Result<TlsSettings> {
    let files = Files::new(values, environment);
    let roots = files.roots();
    let mode = mode(values, &roots)?;
    let (certificate, key) = files.client_certificate();
    let (min_version, max_version) = versions(values)?;
    Ok(TlsSettings {
        mode,
        crl: files.crl(&roots),
        roots,
        certificate,
        key,
        key_password: values.filled_text("sslpassword").map(Password::new),
        server_name_indication: word(values, "sslsni", &[("1", true), ("0", false)])?
            .unwrap_or(true),
        min_version,
        max_version,
        negotiation: negotiation(values, mode)?,
    })
}

/// `sslrootcert=system` without a mode means verify-full: any public CA would do for less.
fn mode(values: &Values, roots: &Roots) -> anyhow::Result<SslMode> {
    let given = word(values, "sslmode", &MODES)?;
    if *roots != Roots::System {
        return Ok(given.unwrap_or(SslMode::Prefer));
    }
    ensure!(
        given.is_none_or(|mode| mode == SslMode::VerifyFull),
        "sslrootcert=system needs sslmode=verify-full; a weaker mode would trust any public certificate"
    );
    Ok(SslMode::VerifyFull)
}

/// Without the question whether the server speaks TLS, there is no falling back to plain text.
fn negotiation(values: &Values, mode: SslMode) -> anyhow::Result<TlsNegotiation> {
    let negotiation =
        word(values, "sslnegotiation", &NEGOTIATIONS)?.unwrap_or(TlsNegotiation::Postgres);
    ensure!(
        negotiation == TlsNegotiation::Postgres || mode >= SslMode::Require,
        "sslnegotiation=direct needs sslmode=require, verify-ca or verify-full"
    );
    Ok(negotiation)
}

/// rustls starts at TLS 1.2: a lower minimum is met by it, a lower maximum can't be.
fn versions(values: &Values) -> anyhow::Result<(Option<TlsVersion>, Option<TlsVersion>)> {
    let min = version(values, "ssl_min_protocol_version")?;
    let max = version(values, "ssl_max_protocol_version")?;
    ensure!(
        min.unwrap_or(0) <= max.unwrap_or(VERSIONS.len()),
        "ssl_min_protocol_version is above ssl_max_protocol_version"
    );
    ensure!(
        max.is_none_or(|max| max >= 2),
        "ssl_max_protocol_version is below TLSv1.2, the oldest version lockaudit speaks"
    );
    Ok((min.and_then(spoken), max.and_then(spoken)))
}

/// The place in [`VERSIONS`]; libpq takes an empty value for none, and any case.
fn version(values: &Values, name: &str) -> anyhow::Result<Option<usize>> {
    let Some(value) = values.filled(name) else {
        return Ok(None);
    };
    match VERSIONS
        .iter()
        .position(|it| it.eq_ignore_ascii_case(&value.text))
    {
        None => bail!(unexpected(name, value, VERSIONS.into_iter())),
        found => Ok(found),
    }
}

fn spoken(place: usize) -> Option<TlsVersion> {
    match VERSIONS[place] {
        "TLSv1.2" => Some(TlsVersion::V1_2),
        "TLSv1.3" => Some(TlsVersion::V1_3),
        _ => None,
    }
}

/// Paths that were given, and libpq's defaults.
struct Files<'a> {
    values: &'a Values,
    environment: &'a Environment,
    directory: Option<PathBuf>,
}

impl<'a> Files<'a> {
    fn new(values: &'a Values, environment: &'a Environment) -> Self {
        Self {
            values,
            environment,
            directory: environment.home().map(|home| home.join(".postgresql")),
        }
    }

    fn given(&self, name: &str) -> Option<PathBuf> {
        self.values.filled_text(name).map(PathBuf::from)
    }

    fn default(&self, file: &str) -> Option<PathBuf> {
        self.directory
            .as_ref()
            .map(|directory| directory.join(file))
    }

    fn present(&self, file: &str) -> Option<PathBuf> {
        self.default(file)
            .filter(|path| self.environment.exists(path))
    }

    fn roots(&self) -> Roots {
        match self.values.filled_text("sslrootcert") {
            Some("system") => Roots::System,
            Some(path) => Roots::File(PathBuf::from(path)),
            None => self.present("root.crt").map_or(Roots::None, Roots::File),
        }
    }

    /// Only with roots is anything verified that a list could revoke.
    fn crl(&self, roots: &Roots) -> Option<PathBuf> {
        let default = || self.present("root.crl").filter(|_| *roots != Roots::None);
        self.given("sslcrl").or_else(default)
    }

    /// A certificate without its key is an error when it is used, so the key's path goes with it.
    fn client_certificate(&self) -> (Option<PathBuf>, Option<PathBuf>) {
        if self.values.filled_text("sslcertmode") == Some("disable") {
            return (None, None);
        }
        let certificate = self
            .given("sslcert")
            .or_else(|| self.present("postgresql.crt"));
        let key = self
            .given("sslkey")
            .or_else(|| self.default("postgresql.key"));
        let key = key.filter(|_| certificate.is_some());
        (certificate, key)
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyword::find;
    use super::super::scripted::{Scripted, environment};
    use super::super::values::{Source, Value};
    use super::*;

    fn tried(pairs: &[(&str, &str)], scripted: Scripted) -> anyhow::Result<TlsSettings> {
        let mut values = Values::default();
        for (name, text) in pairs {
            let source = Source::ConnectionString("the connection string");
            values.set(find(name).expect("a keyword"), Value::new(*text, &source));
        }
        settings(&values, &scripted.build())
    }

    fn refusal(pairs: &[(&str, &str)]) -> String {
        tried(pairs, environment(&[]))
            .expect_err("invalid")
            .to_string()
    }

    #[test]
    fn finds_the_default_files() {
        let scripted = environment(&[("HOME", "/h")])
            .with_file("/h/.postgresql/root.crt", 0o644, "")
            .with_file("/h/.postgresql/root.crl", 0o644, "")
            .with_file("/h/.postgresql/postgresql.crt", 0o644, "");
        let found = tried(&[], scripted).expect("valid");
        assert_eq!(found.mode, SslMode::Prefer);
        assert_eq!(found.roots, Roots::File("/h/.postgresql/root.crt".into()));
        assert_eq!(found.crl, Some("/h/.postgresql/root.crl".into()));
        assert_eq!(
            found.certificate,
            Some("/h/.postgresql/postgresql.crt".into())
        );
        assert_eq!(found.key, Some("/h/.postgresql/postgresql.key".into()));
    }

    #[test]
    fn verifies_fully_with_the_system_s_roots() {
        let found = tried(&[("sslrootcert", "system")], environment(&[])).expect("valid");
        assert_eq!(
            (found.mode, found.roots),
            (SslMode::VerifyFull, Roots::System)
        );
        assert!(
            refusal(&[("sslrootcert", "system"), ("sslmode", "verify-ca")])
                .contains("needs sslmode=verify-full")
        );
    }

    #[test]
    fn lists_what_is_allowed() {
        assert_eq!(
            refusal(&[("sslmode", "on")]),
            "invalid sslmode `on` in the connection string: it must be one of `disable`, `allow`, `prefer`, \
             `require`, `verify-ca`, `verify-full`"
        );
    }

    #[test]
    fn keeps_the_protocol_s_range_in_order() {
        let pairs = [
            ("ssl_min_protocol_version", "tlsv1.3"),
            ("ssl_max_protocol_version", "TLSv1.2"),
        ];
        assert_eq!(
            refusal(&pairs),
            "ssl_min_protocol_version is above ssl_max_protocol_version"
        );
        assert!(refusal(&[("ssl_max_protocol_version", "TLSv1.1")]).contains("below TLSv1.2"));
        let found =
            tried(&[("ssl_min_protocol_version", "TLSv1.3")], environment(&[])).expect("valid");
        assert_eq!(found.min_version, Some(TlsVersion::V1_3));
    }

    #[test]
    fn starts_tls_at_once_only_where_it_is_a_must() {
        assert!(refusal(&[("sslnegotiation", "direct")]).contains("needs sslmode=require"));
        let found = tried(
            &[("sslnegotiation", "direct"), ("sslmode", "require")],
            environment(&[]),
        );
        assert_eq!(found.expect("valid").negotiation, TlsNegotiation::Direct);
    }
}
