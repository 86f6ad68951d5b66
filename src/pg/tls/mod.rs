//! TLS as libpq's words ask for it: what is trusted, what is shown, and the handshake.
//!
//! The library verifies; this module only decides what it is asked. It never falls back to a
//! check of its own making.

mod binding;
mod certificate;
mod files;
mod identity;
mod refusal;
mod trust;
mod verifier;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, DnsName, ServerName};
use rustls::{ClientConfig, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::failure::{ConnectFailure, tls_settings};
use super::target::{SslMode, TlsNegotiation, TlsSettings, TlsVersion};
use trust::Trust;
use verifier::Verifier;

/// The name libpq registered for PostgreSQL's protocol; a server insists on it for direct TLS.
const PROTOCOL_NAME: &[u8] = b"postgresql";

/// The certificate that the peer of the last handshake showed.
type Shown = Arc<Mutex<Option<CertificateDer<'static>>>>;

/// TLS settings with all files read: ready for any number of handshakes.
pub(crate) struct Encryption {
    config: Arc<ClientConfig>,
    trust: Arc<Trust>,
    shown: Shown,
}

/// An encrypted stream, and the digest that binds a login to its certificate, if it has one.
pub(crate) struct Encrypted<S> {
    pub(crate) stream: TlsStream<S>,
    pub(crate) server_end_point: Option<Vec<u8>>,
}

impl Encryption {
    /// Reads every file the settings name. A missing or unusable file is an error that names it.
    pub(crate) fn prepare(settings: &TlsSettings) -> Result<Self, ConnectFailure> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let direct = settings.negotiation == TlsNegotiation::Direct;
        if direct && settings.mode < SslMode::Require {
            return Err(tls_settings(
                "sslnegotiation=direct needs sslmode=require or stronger",
            ));
        }
        let shown = Shown::default();
        let trust = Arc::new(Trust::read(settings, &provider)?);
        let verifier = Arc::new(Verifier::new(trust.clone(), &provider, shown.clone()));
        let mut config = client_config(settings, provider, verifier)?;
        if direct {
            config.alpn_protocols = vec![PROTOCOL_NAME.to_vec()];
        }
        Ok(Self {
            config: Arc::new(config),
            trust,
            shown,
        })
    }

    /// Shakes hands over `stream` with the server called `host`.
    pub(crate) async fn shake_hands<S>(
        &self,
        stream: S,
        host: &str,
    ) -> Result<Encrypted<S>, ConnectFailure>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let name = self.server_name(host)?;
        self.forget_shown();
        let connector = TlsConnector::from(self.config.clone());
        let stream = connector.connect(name, stream).await.map_err(|error| {
            refusal::from_handshake(&error, self.shown().as_ref(), &self.trust, host)
        })?;
        self.check_protocol_name(&stream)?;
        let server_end_point = self
            .shown()
            .and_then(|shown| binding::server_end_point(&shown));
        Ok(Encrypted {
            stream,
            server_end_point,
        })
    }

    /// A name that can't stand in a certificate is an error only where names are compared.
    fn server_name(&self, host: &str) -> Result<ServerName<'static>, ConnectFailure> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(ServerName::from(address));
        }
        match DnsName::try_from(host.to_owned()) {
            Ok(name) => Ok(ServerName::DnsName(name)),
            Err(_) if self.trust.compares_names() => Err(tls_settings(&format!(
                "sslmode=verify-full needs a host name that can stand in a certificate, and \"{host}\" can't"
            ))),
            Err(_) => Ok(ServerName::from(IpAddr::from([0, 0, 0, 0]))),
        }
    }

    fn shown(&self) -> Option<CertificateDer<'static>> {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn forget_shown(&self) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Without the answer another protocol could be on the line (libpq 17 refuses this too).
    fn check_protocol_name<S>(&self, stream: &TlsStream<S>) -> Result<(), ConnectFailure> {
        let agreed = stream.get_ref().1.alpn_protocol();
        if self.trust.direct && agreed != Some(PROTOCOL_NAME) {
            return Err(tls_settings(
                "the server took direct TLS without agreeing on PostgreSQL's protocol (ALPN)",
            ));
        }
        Ok(())
    }
}

fn client_config(
    settings: &TlsSettings,
    provider: Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
) -> Result<ClientConfig, ConnectFailure> {
    let identity = identity::read(settings, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions(settings))
        .map_err(|_| {
            tls_settings(
                "ssl_min_protocol_version and ssl_max_protocol_version leave no TLS version",
            )
        })?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match identity {
        Some(identity) => builder.with_client_cert_resolver(identity),
        None => builder.with_no_client_auth(),
    };
    config.enable_sni = settings.server_name_indication;
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn versions(settings: &TlsSettings) -> Vec<&'static SupportedProtocolVersion> {
    let all = [
        (TlsVersion::V1_2, &rustls::version::TLS12),
        (TlsVersion::V1_3, &rustls::version::TLS13),
    ];
    all.into_iter()
        .filter(|(version, _)| settings.min_version.is_none_or(|min| *version >= min))
        .filter(|(version, _)| settings.max_version.is_none_or(|max| *version <= max))
        .map(|(_, supported)| supported)
        .collect()
}
