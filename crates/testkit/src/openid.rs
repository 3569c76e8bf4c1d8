//! A provider of `OpenID` Connect on a port of its own: it answers as a test says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256,
    RsaEncoding, RsaKeyPair,
};
use serde_json::{Value, json};

/// A key of 2048 bits that OpenSSL has made for these tests.
const RSA: &str = include_str!("keys/openid-rsa.der.b64");

enum Secret {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
}

/// A key with which a provider signs.
pub struct OpenIdKey {
    id: String,
    algorithm: &'static str,
    secret: Secret,
}

impl OpenIdKey {
    /// A fresh key of this id.
    pub fn es256(id: &str) -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).expect("a key");
        Self { id: id.to_owned(), algorithm: "ES256", secret: Secret::Es256(key) }
    }

    /// As [`OpenIdKey::es256`], of the algorithm `EdDSA`.
    pub fn eddsa(id: &str) -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let key = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key");
        Self { id: id.to_owned(), algorithm: "EdDSA", secret: Secret::EdDsa(key) }
    }

    /// As [`OpenIdKey::es256`], of the algorithm RS256. It is always the same key.
    pub fn rs256(id: &str) -> Self {
        Self { id: id.to_owned(), algorithm: "RS256", secret: Secret::Rsa(rsa(), &RSA_PKCS1_SHA256) }
    }

    /// As [`OpenIdKey::rs256`], of the algorithm PS256.
    pub fn ps256(id: &str) -> Self {
        Self { id: id.to_owned(), algorithm: "PS256", secret: Secret::Rsa(rsa(), &RSA_PSS_SHA256) }
    }

    /// A token with these claims.
    pub fn token(&self, claims: &Value) -> String {
        let message = unsigned(&json!({"alg": self.algorithm, "kid": self.id}), claims);
        let random = SystemRandom::new();
        let signature = match &self.secret {
            Secret::Es256(key) => key.sign(&random, message.as_bytes()).expect("a signature").as_ref().to_vec(),
            Secret::EdDsa(key) => key.sign(message.as_bytes()).as_ref().to_vec(),
            Secret::Rsa(key, encoding) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(*encoding, &random, message.as_bytes(), &mut signature).expect("a signature");
                signature
            }
        };
        format!("{message}.{}", encoded(&signature))
    }

    /// A token that nobody has signed.
    pub fn unsigned(claims: &Value) -> String {
        format!("{}.", unsigned(&json!({"alg": "none"}), claims))
    }

    /// A token that is signed with the public key, as if it were a secret.
    pub fn with_shared_secret(&self, claims: &Value) -> String {
        let message = unsigned(&json!({"alg": "HS256", "kid": self.id}), claims);
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.jwk().to_string().as_bytes());
        format!("{message}.{}", encoded(hmac::sign(&key, message.as_bytes()).as_ref()))
    }

    fn jwk(&self) -> Value {
        let mut key = match &self.secret {
            Secret::Es256(key) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "x": encoded(&point[1..33]), "y": encoded(&point[33..])})
            }
            Secret::EdDsa(key) => json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(key.public_key().as_ref())}),
            Secret::Rsa(key, _) => {
                let public = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({"kty": "RSA", "n": encoded(&public.n), "e": encoded(&public.e)})
            }
        };
        (key["kid"], key["alg"], key["use"]) = (json!(self.id), json!(self.algorithm), json!("sig"));
        key
    }
}

fn rsa() -> RsaKeyPair {
    let der = STANDARD.decode(RSA.split_whitespace().collect::<String>()).expect("a key");
    RsaKeyPair::from_der(&der).expect("a key")
}

fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", encoded(header.to_string().as_bytes()), encoded(claims.to_string().as_bytes()))
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

#[derive(Default)]
struct State {
    /// The answers of the paths, with their statuses.
    answers: BTreeMap<String, (u16, String)>,
    /// The requests, as method, path and body, with the header `Authorization` behind the path.
    received: Vec<String>,
}

/// A provider, until the process ends.
#[derive(Clone)]
pub struct OpenIdProvider {
    /// Its address, which is its name.
    pub issuer: String,
    state: Arc<Mutex<State>>,
}

impl OpenIdProvider {
    /// A provider that describes itself, and has this key.
    pub fn start(key: &OpenIdKey) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::<Mutex<State>>::default();
        let provider = Self { issuer: issuer.clone(), state: Arc::clone(&state) };
        provider.describe(&json!({}));
        provider.answer("/keys", 200, &Self::key_set(&[key]));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                serve(&connection, &state);
            }
        });
        provider
    }

    /// The keys as a provider publishes them.
    pub fn key_set(keys: &[&OpenIdKey]) -> String {
        json!({"keys": keys.iter().map(|key| key.jwk()).collect::<Vec<_>>()}).to_string()
    }

    /// The challenge that belongs to a verifier of a code.
    pub fn challenge_of(verifier: &str) -> String {
        encoded(digest(&SHA256, verifier.as_bytes()).as_ref())
    }

    /// Lets it describe itself with these fields beside or in place of the usual ones.
    pub fn describe(&self, other: &Value) {
        let issuer = &self.issuer;
        let mut fields = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize?tenant=1"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/keys"),
        });
        for (name, value) in other.as_object().into_iter().flatten() {
            fields[name] = value.clone();
        }
        self.answer("/.well-known/openid-configuration", 200, &fields.to_string());
    }

    /// Sets the answer of a path.
    pub fn answer(&self, path: &str, status: u16, body: &str) {
        locked(&self.state).answers.insert(path.to_owned(), (status, body.to_owned()));
    }

    /// Lets it give out this ID token for any code.
    pub fn give(&self, token: &str) {
        let body = json!({"access_token": "a", "token_type": "Bearer", "id_token": token});
        self.answer("/token", 200, &body.to_string());
    }

    /// The requests that it has got since this was asked last.
    pub fn received(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.state).received)
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut connection: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(connection);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        let found = lines.iter().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
        found.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let mut body = vec![0; header("content-length").parse().unwrap_or_default()];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let request = lines.first().cloned().unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut state = locked(state);
    let asked = format!("{request} {} {}", header("authorization"), String::from_utf8_lossy(&body));
    state.received.push(asked);
    let (status, answer) = state.answers.get(&path).cloned().unwrap_or((404, String::new()));
    drop(state);
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    let _gone = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(answer.as_bytes()));
}
