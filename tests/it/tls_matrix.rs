//! Every kind of certificate against every depth of checking, and psql beside it.

use std::process::Command;

use lockaudit::pg::failure::{CertificateFault, FailureKind};
use lockaudit::pg::target::{ChannelBinding, SslMode};

use crate::certificates;
use crate::destination::{Destination, SECRET};
use crate::tls::TlsServer;

use CertificateFault::*;

/// What becomes of a kind of certificate with its own root.
struct Case {
    kind: &'static str,
    verify_ca: Option<CertificateFault>,
    verify_full: Option<CertificateFault>,
    binds: bool,
    /// Where psql accepts and we refuse.
    psql: Psql,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Psql {
    Same,
    AcceptsFull,
    AcceptsBoth,
}

const fn good(kind: &'static str) -> Case {
    Case {
        kind,
        verify_ca: None,
        verify_full: None,
        binds: true,
        psql: Psql::Same,
    }
}

const fn bad(
    kind: &'static str,
    ca: Option<CertificateFault>,
    full: CertificateFault,
    psql: Psql,
) -> Case {
    Case {
        kind,
        verify_ca: ca,
        verify_full: Some(full),
        binds: true,
        psql,
    }
}

const CASES: [Case; 20] = [
    good("good"),
    good("ecdsa-p384"),
    good("ecdsa-p521"),
    good("ecdsa-p256-sha512"),
    good("rsa-pss"),
    good("rsa-4096"),
    good("intermediate"),
    good("self-signed"),
    good("revoked"),
    Case {
        binds: false,
        ..good("ed25519")
    },
    bad("wrong-host", None, WrongName, Psql::Same),
    bad("common-name", None, OnlyCommonName, Psql::AcceptsFull),
    bad("self-signed-bare", None, OnlyCommonName, Psql::AcceptsFull),
    bad("version-1", Some(Version1), Version1, Psql::AcceptsBoth),
    bad("version-1-forged", Some(Version1), Version1, Psql::Same),
    bad("client-only", Some(WrongPurpose), WrongPurpose, Psql::Same),
    bad("expired", Some(Expired), Expired, Psql::Same),
    bad(
        "expired-root",
        Some(UnknownIssuer),
        UnknownIssuer,
        Psql::Same,
    ),
    bad(
        "issued-by-server",
        Some(UnknownIssuer),
        UnknownIssuer,
        Psql::Same,
    ),
    bad("other-root", Some(UnknownIssuer), UnknownIssuer, Psql::Same),
];

#[test]
fn each_certificate_is_accepted_or_refused_as_psql_does_it_or_with_the_reason() {
    let server = TlsServer::turn();
    for case in CASES {
        let kind = if case.kind == "other-root" {
            "good"
        } else {
            case.kind
        };
        server.show_certificate(kind);
        let root = if case.kind == "other-root" {
            "wrong-host"
        } else {
            case.kind
        };
        let checks = Checks {
            server: &server,
            kind: case.kind,
            root,
        };
        checks.connects(SslMode::Require, None, true);
        checks.connects(
            SslMode::VerifyCa,
            case.verify_ca,
            case.psql != Psql::AcceptsBoth,
        );
        checks.connects(
            SslMode::VerifyFull,
            case.verify_full,
            case.psql == Psql::Same,
        );
        checks.binds(case.binds);
    }
}

struct Checks<'a> {
    server: &'a TlsServer,
    kind: &'static str,
    root: &'static str,
}

impl Checks<'_> {
    fn connects(&self, mode: SslMode, refused: Option<CertificateFault>, like_psql: bool) {
        let root = certificates::path(&format!("{}/root.crt", self.root));
        let mut destination = self.server.destination().mode(mode);
        if mode != SslMode::Require {
            destination = destination.roots(&root);
        }
        let found = destination.try_once();
        let expected = refused.map(FailureKind::CertificateRefused);
        assert_eq!(
            found.as_ref().err().map(|failure| failure.kind),
            expected,
            "{} {mode:?}: {found:?}",
            self.kind
        );
        // libpq 15 can't even prefer a binding that Ed25519 does not have: it fails.
        let psql = self.psql(mode, "disable");
        assert_eq!(
            psql == found.is_ok(),
            like_psql,
            "{} {mode:?}: psql connects: {psql}",
            self.kind
        );
    }

    fn binds(&self, binds: bool) {
        let destination = self.server.destination().mode(SslMode::Require);
        let found = destination
            .with(|target| target.channel_binding = ChannelBinding::Require)
            .try_once();
        let expected = (!binds).then_some(FailureKind::ChannelBinding);
        assert_eq!(
            found.as_ref().err().map(|failure| failure.kind),
            expected,
            "{} binding: {found:?}",
            self.kind
        );
        assert_eq!(
            self.psql(SslMode::Require, "require"),
            binds,
            "{} binding: psql",
            self.kind
        );
    }

    fn psql(&self, mode: SslMode, binding: &str) -> bool {
        let words = match mode {
            SslMode::VerifyFull => "verify-full",
            SslMode::VerifyCa => "verify-ca",
            _ => "require",
        };
        let root = match mode {
            SslMode::Require => "/nonexistent".to_owned(),
            _ => certificates::path(&format!("{}/root.crt", self.root))
                .display()
                .to_string(),
        };
        let Destination(target) = self.server.destination();
        let conninfo = format!(
            "host=localhost hostaddr=127.0.0.1 port={} user={} dbname=postgres sslmode={words} sslrootcert={root} channel_binding={binding}",
            self.server.port(),
            target.user,
        );
        let output = Command::new(self.server.program("psql"))
            .args(["-X", "-c", "SELECT 1", &conninfo])
            .env("PGPASSWORD", SECRET)
            .output();
        output.expect("psql runs").status.success()
    }
}
