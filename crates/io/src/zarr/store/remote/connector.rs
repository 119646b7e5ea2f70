//! Connections to servers: TLS in Rust with the system's certificates, and nothing that belongs to the whole process.

use object_store::ClientOptions;
use object_store::client::{HttpClient, HttpConnector};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use std::io::Error;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to answer a connection, and between two pieces of an object.
const CONNECT: Duration = Duration::from_secs(10);
const READ: Duration = Duration::from_secs(30);

/// Makes one client.
#[derive(Debug)]
pub(super) struct Connector(reqwest::Client);

impl Connector {
    /// A client with its TLS.
    ///
    /// # Errors
    /// What keeps the system's certificates from being read.
    pub fn new() -> Result<Self, Error> {
        let ciphers = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(ciphers).with_safe_default_protocol_versions();
        let config = config.and_then(BuilderVerifierExt::with_platform_verifier).map_err(Error::other)?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(config.with_no_client_auth())
            .connect_timeout(CONNECT)
            .read_timeout(READ)
            .user_agent(concat!("veloxel/", env!("CARGO_PKG_VERSION")));
        client.build().map(Self).map_err(Error::other)
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}
