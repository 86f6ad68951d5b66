//! TLS against a real server: sslmodes, client certificates, revocation, and what is said.

use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use lockaudit::pg::failure::{CertificateFault, ConnectFailure, FailureKind};
use lockaudit::pg::target::{Roots, SslMode, TlsNegotiation, TlsVersion};
use lockaudit::throwaway::Installation;

use crate::certificates;
use crate::destination::{Destination, SECRET};
use crate::harness::{Server, fast_options, installations, wait_for};

/// A private server with TLS, which shows one certificate after the other.
pub struct TlsServer(Server);

static SHARED: LazyLock<Mutex<TlsServer>> = LazyLock::new(|| {
    let installation = installations().filter(|found| found.has_clients()).last();
    Mutex::new(TlsServer::on(installation.expect("a PostgreSQL with psql")))
});

const OPEN: &str =
    "host all certuser 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";

impl TlsServer {
    /// The server of all TLS tests, for one at a time, and as it was at first.
    pub fn turn() -> MutexGuard<'static, Self> {
        let server = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        server.sets("ALL", None);
        server.let_in(OPEN);
        server.show_certificate("good");
        server
    }

    pub fn on(installation: &Installation) -> Self {
        let options = fast_options()
            .setting("ssl", "on")
            .setting("ssl_ca_file", "root.crt")
            .file("server.crt", certificates::content("good/server.crt"))
            .file("server.key", certificates::content("good/server.key"))
            .file("root.crt", certificates::content("good/root.crt"));
        let server = Self(Server::private(installation, options));
        server
            .0
            .admin()
            .runs(&format!("CREATE ROLE app LOGIN PASSWORD '{SECRET}'"));
        server.0.admin().runs("CREATE ROLE certuser LOGIN");
        server.let_in(OPEN);
        server
    }

    /// Changes a setting of the whole server; `None` takes changes back.
    pub fn sets(&self, name: &str, value: Option<&str>) {
        let change = match value {
            Some(value) => format!("ALTER SYSTEM SET {name} = '{value}'"),
            None => format!("ALTER SYSTEM RESET {name}"),
        };
        self.0.admin().runs(&change);
        self.reload();
    }

    pub fn port(&self) -> u16 {
        self.0.cluster().port()
    }

    pub fn program(&self, name: &str) -> PathBuf {
        self.0.cluster().installation().bin.join(name)
    }

    pub fn destination(&self) -> Destination {
        Destination::localhost(self.port())
    }

    pub fn show_certificate(&self, kind: &str) {
        for file in ["server.crt", "server.key"] {
            self.write(file, &certificates::content(&format!("{kind}/{file}")));
        }
        self.reload();
    }

    /// Who may come over TCP; the socket stays open for the harness.
    pub fn let_in(&self, lines: &str) {
        self.write(
            "pg_hba.conf",
            format!("{lines}local all all trust\n").as_bytes(),
        );
        self.reload();
    }

    fn write(&self, file: &str, content: &[u8]) {
        self.0
            .cluster()
            .write_file(file, content)
            .expect("the file can be written");
    }

    /// Waits until new sessions start under the new configuration: the postmaster reads the
    /// certificates before it forks the next one.
    fn reload(&self) {
        let cluster = self.0.cluster();
        let socket = Destination::socket(cluster.socket_folder(), cluster.port()).user("postgres");
        let loaded = || socket.asks("SELECT pg_conf_load_time()");
        let before = loaded();
        self.0.admin().runs("SELECT pg_reload_conf()");
        wait_for("a reload of the configuration", || loaded() != before);
    }
}

/// The message with the paths of certificates shortened to the fixed mark.
pub fn said(failure: &ConnectFailure, server: &TlsServer) -> String {
    let folder = format!("{}/", certificates::path("").display());
    let folder = folder.replace("//", "/");
    failure
        .report()
        .replace(&folder, "<certificates>/")
        .replace(&server.port().to_string(), "<port>")
}

fn root_of(kind: &str) -> PathBuf {
    certificates::path(&format!("{kind}/root.crt"))
}

#[test]
fn says_which_property_of_the_certificate_stands_in_the_way() {
    let server = TlsServer::turn();
    for (kind, root, message) in [
        ("wrong-host", "wrong-host", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate is for db.example, 192.0.2.7, not for \"localhost\"
hint: connect by a name it has, or issue one with the subjectAltName DNS:localhost; sslmode=verify-ca checks the issuer only"),
        ("common-name", "common-name", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate has no subjectAltName, only the common name \"localhost\"
hint: names in the common name are not compared (psql still does): issue it with the subjectAltName DNS:localhost; sslmode=verify-ca checks the issuer only, sslmode=require nothing"),
        ("version-1", "version-1", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate is of X.509 version 1, which can't be verified
hint: issue it as version 3 (openssl x509 -req … -extfile, with subjectAltName=DNS:localhost); until then sslmode=require encrypts without checking it, and so does not tell an impostor"),
        ("expired", "expired", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate expired on 2020-02-01T00:00:00Z
hint: renew it on the server; sslmode=require encrypts without checking it"),
        ("good", "wrong-host", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate was issued by \"CN=good root\", and <certificates>/wrong-host/root.crt holds no valid certificate of that issuer
hint: put the issuer's root certificate there; a server must send the intermediate ones itself"),
        ("self-signed-other", "self-signed", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate is self-signed, and <certificates>/self-signed/root.crt holds no such certificate
hint: if it is the right one, put it there"),
        ("client-only", "client-only", "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate is not meant for servers (extendedKeyUsage)
hint: issue it with serverAuth"),
    ] {
        server.show_certificate(kind);
        let failure = server.destination().mode(SslMode::VerifyFull).roots(&root_of(root)).fails();
        assert_eq!(said(&failure, &server), message, "{kind}");
    }
}

#[test]
fn sslmode_decides_whether_a_connection_is_encrypted() {
    use SslMode::*;
    let server = TlsServer::turn();
    let tls = |mode| {
        server
            .destination()
            .mode(mode)
            .try_once()
            .map(|arrival| arrival.tls)
            .map_err(|failure| failure.kind)
    };
    let (plain, encrypted) = (Ok("plain".to_owned()), Ok("TLSv1.3".to_owned()));
    let refused = Err(FailureKind::PgHbaRejected);

    for (lines, expected) in [
        (
            "host all all 127.0.0.1/32 scram-sha-256\n",
            [&plain, &plain, &encrypted, &encrypted],
        ),
        (
            "hostssl all all 127.0.0.1/32 scram-sha-256\n",
            [&refused, &encrypted, &encrypted, &encrypted],
        ),
        (
            "hostnossl all all 127.0.0.1/32 scram-sha-256\n",
            [&plain, &plain, &plain, &refused],
        ),
        ("", [&refused, &refused, &refused, &refused]),
    ] {
        server.let_in(lines);
        for (mode, expected) in [Disable, Allow, Prefer, Require].into_iter().zip(expected) {
            assert_eq!(tls(mode), *expected, "{mode:?} with {lines:?}");
        }
    }
}

#[test]
fn a_server_without_tls_is_told_from_one_that_refuses() {
    let server = TlsServer::turn();
    server.sets("ssl", Some("off"));
    assert_eq!(
        server.destination().mode(SslMode::Prefer).arrives().tls,
        "plain"
    );
    assert_eq!(
        server.destination().mode(SslMode::Allow).arrives().tls,
        "plain"
    );
    assert_eq!(said(&server.destination().mode(SslMode::Require).fails(), &server), "\
could not connect to localhost:<port> (127.0.0.1): the server does not offer TLS, and sslmode asks for it
hint: switch ssl on there, or use sslmode=prefer or disable if the network between is trusted");
}

#[test]
fn tells_both_attempts_when_neither_way_is_let_in() {
    let server = TlsServer::turn();
    server.let_in("");
    let failure = server.destination().mode(SslMode::Prefer).fails();
    assert_eq!(said(&failure, &server), "\
could not connect to localhost:<port> (127.0.0.1): the server's pg_hba.conf does not let us in (SQLSTATE 28000)
  the server says: no pg_hba.conf entry for host \"127.0.0.1\", user \"app\", database \"postgres\", no encryption
  with TLS, before that: the server's pg_hba.conf does not let us in (SQLSTATE 28000) (the server says: no pg_hba.conf entry for host \"127.0.0.1\", user \"app\", database \"postgres\", SSL encryption)
hint: it decides by role, database, client address and encryption: add a line there, or change one of these (sslmode)");
}

#[test]
fn require_with_a_root_file_checks_the_chain() {
    let server = TlsServer::turn();
    let require = server.destination().mode(SslMode::Require);
    require.clone().roots(&root_of("good")).arrives();
    let failure = require.roots(&root_of("wrong-host")).fails();
    assert_eq!(
        failure.kind,
        FailureKind::CertificateRefused(CertificateFault::UnknownIssuer)
    );
}

#[test]
fn protocol_versions_are_kept_to_their_bounds() {
    let server = TlsServer::turn();
    let require = server.destination().mode(SslMode::Require);
    let at_most_1_2 = require
        .clone()
        .with(|target| target.tls.max_version = Some(TlsVersion::V1_2));
    assert_eq!(
        require
            .clone()
            .with(|target| target.tls.server_name_indication = false)
            .arrives()
            .tls,
        "TLSv1.3"
    );
    for kind in ["version-1", "rsa-4096", "good"] {
        server.show_certificate(kind);
        assert_eq!(at_most_1_2.arrives().tls, "TLSv1.2", "{kind}");
    }
    server.sets("ssl_min_protocol_version", Some("TLSv1.3"));
    assert_eq!(
        said(&at_most_1_2.fails(), &server),
        "\
could not connect to localhost:<port> (127.0.0.1): the TLS handshake failed
  received fatal alert: ProtocolVersion
hint: look at ssl_min_protocol_version and ssl_max_protocol_version on both sides"
    );
    assert_eq!(at_most_1_2.mode(SslMode::Prefer).arrives().tls, "plain");
    let none = require.with(|target| {
        target.tls.min_version = Some(TlsVersion::V1_3);
        target.tls.max_version = Some(TlsVersion::V1_2);
    });
    assert_eq!(
        none.fails().report(),
        "could not connect: ssl_min_protocol_version and ssl_max_protocol_version leave no TLS version"
    );
}

#[test]
fn files_that_are_not_there_or_not_what_they_should_be_are_named() {
    let server = TlsServer::turn();
    let verify = server.destination().mode(SslMode::VerifyFull);
    for (destination, message) in [
        (verify.clone(), "could not connect: sslmode=verify-ca and verify-full need root certificates, and there are none
hint: name a file with sslrootcert, put one at ~/.postgresql/root.crt, or use sslrootcert=system"),
        (verify.clone().roots(&certificates::path("nowhere.crt")),
            "could not connect: the root certificate file <certificates>/nowhere.crt does not exist"),
        (verify.clone().roots(&certificates::path("good/server.key")),
            "could not connect: the root certificate file <certificates>/good/server.key holds no certificate in PEM form"),
        (verify.clone().roots(&root_of("good")).with(|target| target.tls.crl = Some(certificates::path("good/root.crt"))),
            "could not connect: the revocation list file <certificates>/good/root.crt holds no revocation list in PEM form"),
        (server.destination().mode(SslMode::Require).with(|target| target.tls.crl = Some(certificates::path("revoked/after.crl"))),
            "could not connect: a revocation list (sslcrl) needs certificates to be checked
hint: add sslrootcert and sslmode=verify-ca or verify-full, or take sslcrl away"),
        (verify.mode(SslMode::VerifyCa).with(|target| target.tls.roots = Roots::System),
            "could not connect: sslrootcert=system needs sslmode=verify-full
hint: anybody can get a certificate from a public CA: only the name tells servers apart"),
        (server.destination().mode(SslMode::Prefer).with(|target| target.tls.negotiation = TlsNegotiation::Direct),
            "could not connect: sslnegotiation=direct needs sslmode=require or stronger"),
    ] {
        assert_eq!(said(&destination.fails(), &server), message);
    }
}

#[test]
fn a_revocation_list_is_obeyed() {
    let server = TlsServer::turn();
    server.show_certificate("revoked");
    for mode in [SslMode::VerifyCa, SslMode::VerifyFull] {
        let with_list = |name: &str| {
            let list = certificates::path(name);
            server
                .destination()
                .mode(mode)
                .roots(&root_of("revoked"))
                .with(|target| target.tls.crl = Some(list))
        };
        with_list("revoked/before.crl").arrives();
        assert_eq!(
            said(&with_list("revoked/after.crl").fails(), &server),
            "\
could not connect to localhost:<port> (127.0.0.1): the server's certificate has been revoked
hint: the revocation list (sslcrl) names it: renew it on the server"
        );
    }
    server.show_certificate("good");
    let other = server
        .destination()
        .mode(SslMode::VerifyFull)
        .roots(&root_of("good"));
    let failure = other
        .with(|target| target.tls.crl = Some(certificates::path("revoked/after.crl")))
        .fails();
    assert_eq!(
        failure.kind,
        FailureKind::CertificateRefused(CertificateFault::RevocationUnknown)
    );
}

#[test]
fn direct_tls_works_from_postgresql_17_on() {
    for installation in installations().filter(|found| [15, 18].contains(&found.major)) {
        let server = TlsServer::on(installation);
        let direct = server
            .destination()
            .mode(SslMode::VerifyFull)
            .roots(&root_of("good"));
        let direct = direct.with(|target| target.tls.negotiation = TlsNegotiation::Direct);
        if installation.major >= 17 {
            assert_eq!(direct.arrives().tls, "TLSv1.3");
        } else {
            assert_eq!(said(&direct.fails(), &server), "\
could not connect to localhost:<port> (127.0.0.1): the server broke off the TLS handshake without a word
hint: direct TLS needs PostgreSQL 17 or later; use sslnegotiation=postgres");
        }
    }
}
