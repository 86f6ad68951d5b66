//! The client's own certificate: accepted, refused, absent, unusable.

use std::os::unix::fs::PermissionsExt;

use lockaudit::pg::target::{SslMode, TlsVersion};

use crate::certificates;
use crate::destination::Destination;
use crate::tls::{TlsServer, said};

fn with_identity(server: &TlsServer, certificate: &str, key: &str) -> Destination {
    let path = |name: &str| Some(certificates::path(&format!("client/{name}")));
    let (certificate, key) = (path(certificate), path(key));
    server
        .destination()
        .user("certuser")
        .password(None)
        .mode(SslMode::Require)
        .with(|target| {
            target.tls.certificate = certificate;
            target.tls.key = key;
        })
}

const CERTIFICATES_ONLY: &str = "hostssl all certuser 127.0.0.1/32 cert\n";

#[test]
fn client_certificates_of_every_key_form_are_shown() {
    let server = TlsServer::turn();
    server.let_in(CERTIFICATES_ONLY);
    for (certificate, key) in [
        ("ec.crt", "ec.key"),
        ("ec.crt", "ec-sec1.key"),
        ("rsa.crt", "rsa.key"),
        ("rsa.crt", "rsa-pkcs1.key"),
        ("version-1.crt", "ec.key"),
    ] {
        let identity = with_identity(&server, certificate, key);
        assert_eq!(identity.arrives().tls, "TLSv1.3", "{certificate} {key}");
        let older = identity.with(|target| target.tls.max_version = Some(TlsVersion::V1_2));
        assert_eq!(older.arrives().tls, "TLSv1.2", "{certificate} {key}");
    }
}

#[test]
fn says_what_is_wrong_with_a_client_certificate() {
    let server = TlsServer::turn();
    server.let_in(CERTIFICATES_ONLY);
    let private = PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(certificates::path("client/ec.crt"), private).unwrap();
    let absent = server.destination().user("certuser").mode(SslMode::Require);
    assert_eq!(said(&absent.fails(), &server), "\
could not connect to localhost:<port> (127.0.0.1): the server asks for a client certificate (SQLSTATE 28000)
  the server says: connection requires a valid client certificate
hint: give one that its ssl_ca_file knows with sslcert and sslkey");
    for (certificate, key, message) in [
        ("stranger.crt", "ec.key", "\
could not connect to localhost:<port> (127.0.0.1): the server refused the client certificate
  received fatal alert: UnknownCA
hint: it must be within its dates and issued by a CA in the server's ssl_ca_file"),
        ("nowhere.crt", "ec.key", "could not connect: the client certificate file <certificates>/client/nowhere.crt does not exist"),
        ("ec.crt", "nowhere.key", "could not connect: the private key file <certificates>/client/nowhere.key does not exist"),
        ("ec.crt", "ec.crt", "could not connect: the private key file <certificates>/client/ec.crt holds no private key in PEM form"),
        ("ec.crt", "rsa.key", "could not connect: the private key file <certificates>/client/rsa.key does not belong to the certificate in <certificates>/client/ec.crt"),
        ("ec.crt", "readable.key", "could not connect: the private key file <certificates>/client/readable.key can be read or changed by others
hint: chmod 0600 <certificates>/client/readable.key (0640 is enough if root owns it)"),
        ("ec.crt", "encrypted.key", "could not connect: the private key file <certificates>/client/encrypted.key is encrypted, and lockaudit can't decrypt it
hint: write a decrypted copy that only you can read: (umask 077; openssl pkey -in <certificates>/client/encrypted.key -out <certificates>/client/encrypted.key.plain), and give that with sslkey"),
        ("rsa.crt", "encrypted-old.key", "could not connect: the private key file <certificates>/client/encrypted-old.key is encrypted, and lockaudit can't decrypt it
hint: write a decrypted copy that only you can read: (umask 077; openssl pkey -in <certificates>/client/encrypted-old.key -out <certificates>/client/encrypted-old.key.plain), and give that with sslkey"),
    ] {
        assert_eq!(said(&with_identity(&server, certificate, key).fails(), &server), message);
    }
}
