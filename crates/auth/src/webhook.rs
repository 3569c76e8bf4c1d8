//! The signature of requests to hooks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The beginning of a key that is written in base64.
const ENCODED: &str = "whsec_";

/// The value of the header `webhook-signature` of the Standard Webhooks specification: `v1,` and the HMAC with SHA-256 over id,
/// time and body, in base64. The key is the token of the hook. If the token begins with `whsec_`, the key is the decoded rest.
#[must_use]
pub fn webhook_signature(token: &str, id: &str, seconds: i64, body: &str) -> String {
    let encoded = token.strip_prefix(ENCODED).and_then(|text| STANDARD.decode(text).ok());
    let key = encoded.unwrap_or_else(|| token.as_bytes().to_vec());
    let Ok(mut mac) = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&key) else {
        // An HMAC takes keys of any length.
        return String::new();
    };
    mac.update(format!("{id}.{seconds}.").as_bytes());
    mac.update(body.as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn the_signature_is_that_of_the_specification() {
        let body = r#"{"test": 2432232314}"#;
        let found = webhook_signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            body,
        );
        assert_eq!(found, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
