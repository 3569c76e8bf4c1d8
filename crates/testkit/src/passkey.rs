//! A passkey that a program has: it answers as a browser with an authenticator does.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

enum Key {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
}

/// A passkey. Its fields can be changed, so that it says something wrong.
pub struct SoftPasskey {
    key: Key,
    /// Its identifier.
    pub id: Vec<u8>,
    /// The origin of the page, as the browser says it.
    pub origin: String,
    /// The server that it belongs to; `None` is the one that asks.
    pub server: Option<String>,
    /// The uses that it has counted; it does not count if `None`.
    pub count: Option<u32>,
    /// True if it says that its user was verified.
    pub verifies: bool,
    /// True if it says that someone was there.
    pub is_touched: bool,
    /// The number of the algorithm in its public key, if that is to be another one.
    pub algorithm: Option<i64>,
    /// The user that it knows, in base64url.
    pub user: Option<String>,
}

impl SoftPasskey {
    /// A passkey of the algorithm ES256, in a browser that is on this origin.
    pub fn new(origin: &str) -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random);
        Self::with(Key::Es256(key.expect("a key")), origin)
    }

    /// As [`SoftPasskey::new`], of the algorithm `EdDSA`.
    pub fn ed25519(origin: &str) -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self::with(Key::EdDsa(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key")), origin)
    }

    fn with(key: Key, origin: &str) -> Self {
        let mut id = vec![0; 32];
        SystemRandom::new().fill(&mut id).expect("random bytes");
        Self {
            key,
            id,
            origin: origin.to_owned(),
            server: None,
            count: Some(0),
            verifies: true,
            is_touched: true,
            algorithm: None,
            user: None,
        }
    }

    /// The browser's answer to a server that wants a passkey made.
    pub fn create(&mut self, options: &str) -> String {
        let options: Value = serde_json::from_str(options).expect("options");
        self.user = options["user"]["id"].as_str().map(str::to_owned);
        let client = self.client("webauthn.create", &options);
        let mut data = self.data(options["rp"]["id"].as_str().expect("a server"), 1 << 6);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).expect("short").to_be_bytes());
        data.extend(&self.id);
        data.extend(self.cose());
        let mut object = vec![0xa3];
        object.extend(b"\x63fmt\x64none\x67attStmt\xa0\x68authData\x59");
        object.extend(u16::try_from(data.len()).expect("short").to_be_bytes());
        object.extend(data);
        self.answer(&json!({"clientDataJSON": encoded(&client), "attestationObject": encoded(&object)}))
    }

    /// The browser's answer to a server that wants a passkey used.
    pub fn get(&mut self, options: &str) -> String {
        let options: Value = serde_json::from_str(options).expect("options");
        let client = self.client("webauthn.get", &options);
        self.count = self.count.map(|count| count + 1);
        let data = self.data(options["rpId"].as_str().expect("a server"), 0);
        let message = [data.as_slice(), digest(&SHA256, &client).as_ref()].concat();
        let signature = match &self.key {
            Key::Es256(key) => key.sign(&SystemRandom::new(), &message).expect("a signature").as_ref().to_vec(),
            Key::EdDsa(key) => key.sign(&message).as_ref().to_vec(),
        };
        self.answer(&json!({
            "clientDataJSON": encoded(&client),
            "authenticatorData": encoded(&data),
            "signature": encoded(&signature),
            "userHandle": self.user,
        }))
    }

    fn answer(&self, response: &Value) -> String {
        let id = encoded(&self.id);
        json!({"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {}})
            .to_string()
    }

    fn client(&self, kind: &str, options: &Value) -> Vec<u8> {
        let client = json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false,
        });
        client.to_string().into_bytes()
    }

    fn data(&self, server: &str, flags: u8) -> Vec<u8> {
        let server = self.server.as_deref().unwrap_or(server);
        let flags = flags | u8::from(self.is_touched) | (u8::from(self.verifies) << 2);
        let mut data = digest(&SHA256, server.as_bytes()).as_ref().to_vec();
        data.push(flags);
        data.extend(self.count.unwrap_or_default().to_be_bytes());
        data
    }

    /// The public key as authenticators write it.
    fn cose(&self) -> Vec<u8> {
        let number = |number: i64| match number {
            -24..=-1 => vec![0x20 | u8::try_from(-1 - number).expect("small")],
            _ => vec![0x39, 0xff, 0xff],
        };
        match &self.key {
            Key::Es256(key) => {
                let point = key.public_key().as_ref();
                let mut map = b"\xa5\x01\x02\x03".to_vec();
                map.extend(number(self.algorithm.unwrap_or(-7)));
                map.extend(b"\x20\x01\x21\x58\x20");
                map.extend(&point[1..33]);
                map.extend(b"\x22\x58\x20");
                map.extend(&point[33..]);
                map
            }
            Key::EdDsa(key) => {
                let mut map = b"\xa4\x01\x01\x03".to_vec();
                map.extend(number(self.algorithm.unwrap_or(-8)));
                map.extend(b"\x20\x06\x21\x58\x20");
                map.extend(key.public_key().as_ref());
                map
            }
        }
    }
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
