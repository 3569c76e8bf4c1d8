//! The cryptography of signed tokens (JSON Web Tokens), for the crate that reads and writes them: signing with ES256, verifying
//! with the algorithms of sign-in providers. Nothing here has a shared secret, and none of it takes unsigned tokens.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey, signature};
use p256::ecdsa::SigningKey;
use p256::ecdsa::signature::Signer as _;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, RsaParameters,
    RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

/// Makes this cryptography that of the program. Only one is ever installed: this one.
pub(crate) fn install() {
    let _installed_before = PROVIDER.install_default();
}

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| signer(*algorithm, key),
    verifier_factory: |algorithm, key| verifier(*algorithm, key),
    key_utils: KeyUtils::new_unimplemented(),
};

fn signer(algorithm: Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    match algorithm {
        Algorithm::ES256 => match SigningKey::from_slice(key.as_bytes()) {
            Ok(key) => Ok(Box::new(Es256(key))),
            Err(_invalid) => Err(ErrorKind::InvalidEcdsaKey.into()),
        },
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

struct Es256(SigningKey);

impl signature::Signer<Vec<u8>> for Es256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        let signed: std::result::Result<p256::ecdsa::Signature, _> = self.0.try_sign(message);
        signed.map(|signed| signed.to_bytes().to_vec()).map_err(signature::Error::from_source)
    }
}

impl JwtSigner for Es256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

fn verifier(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let scheme = match (algorithm, key.kind()) {
        (Algorithm::ES256, DecodingKeyKind::SecretOrDer(_)) => Scheme::Point(&ECDSA_P256_SHA256_FIXED),
        (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(_)) => Scheme::Point(&ED25519),
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { .. }) => Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        (Algorithm::PS256, DecodingKeyKind::RsaModulusExponent { .. }) => Scheme::Rsa(&RSA_PSS_2048_8192_SHA256),
        _ => return Err(ErrorKind::InvalidAlgorithm.into()),
    };
    Ok(Box::new(Verifier { algorithm, scheme, key: key.clone() }))
}

struct Verifier {
    algorithm: Algorithm,
    scheme: Scheme,
    key: DecodingKey,
}

enum Scheme {
    Point(&'static dyn VerificationAlgorithm),
    Rsa(&'static RsaParameters),
}

impl signature::Verifier<Vec<u8>> for Verifier {
    fn verify(&self, message: &[u8], signed: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let verified = match (&self.scheme, self.key.kind()) {
            (Scheme::Point(scheme), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*scheme, point).verify(message, signed)
            }
            (Scheme::Rsa(scheme), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(scheme, message, signed)
            }
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_wrong| signature::Error::new())
    }
}

impl JwtVerifier for Verifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
