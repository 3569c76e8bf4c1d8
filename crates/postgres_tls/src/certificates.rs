//! Whose certificates are trusted.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::address::{Address, Mode};
use crate::error::TlsError;

/// The configuration of TLS that an address asks for.
pub(crate) fn config(address: &Address) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Verifier::new(address, &provider)?);
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| TlsError::System(error.to_string()))?;
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let Some((certificate, key)) = &address.client else { return Ok(builder.with_no_client_auth()) };
    let wrong = |path: &Path, why: String| TlsError::File { name: "sslkey", path: path.to_owned(), why };
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    builder.with_client_auth_cert(read("sslcert", certificate)?, private).map_err(|error| wrong(key, error.to_string()))
}

/// The certificates of a file.
fn read(name: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = |why: String| TlsError::File { name, path: path.to_owned(), why };
    let found = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    let found: Vec<_> = found.collect::<Result<_, _>>().map_err(|error| wrong(error.to_string()))?;
    if found.is_empty() { Err(wrong("it has no certificate".to_owned())) } else { Ok(found) }
}

/// Trusts the certificates that the mode of an address asks for.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// `None` if any certificate will do.
    authorities: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that are trusted themselves, as a server may have one that it has signed itself.
    trusted: Vec<CertificateDer<'static>>,
    /// True if a certificate must name the host.
    checks_name: bool,
}

impl Verifier {
    fn new(address: &Address, provider: &Arc<CryptoProvider>) -> Result<Self, TlsError> {
        let trusted = address.root.as_deref().map(|path| read("sslrootcert", path)).transpose()?;
        let is_any = address.mode < Mode::VerifyCa && (trusted.is_none() || address.mode < Mode::Require);
        let mut verifier = Self {
            provider: Arc::clone(provider),
            authorities: None,
            trusted: trusted.clone().unwrap_or_default(),
            checks_name: address.mode == Mode::VerifyFull,
        };
        if is_any {
            return Ok(verifier);
        }
        let mut roots = RootCertStore::empty();
        let certificates = if let Some(certificates) = trusted {
            certificates
        } else {
            let found = rustls_native_certs::load_native_certs();
            if found.certs.is_empty() {
                let why = found.errors.first().map_or_else(|| "there are none".to_owned(), ToString::to_string);
                return Err(TlsError::System(why));
            }
            found.certs
        };
        roots.add_parsable_certificates(certificates);
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
        verifier.authorities = Some(built.map_err(|error| TlsError::System(error.to_string()))?);
        Ok(verifier)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authorities) = &self.authorities else { return Ok(ServerCertVerified::assertion()) };
        if self.trusted.contains(certificate) {
            if self.checks_name {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        match authorities.verify_server_cert(certificate, others, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
