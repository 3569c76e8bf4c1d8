//! PKCE (RFC 7636): a code is bound to a challenge, and exchanged only for the verifier that belongs to it.

/// The proof that an exchange of a code needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeChallenge {
    /// A verifier with this digest.
    S256(String),
    /// This verifier.
    Plain(String),
}

/// A challenge that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidChallenge {
    /// No method was named, or an unknown one. None is assumed: that would be the weaker one.
    Method,
    /// The challenge is not one of its method.
    Value,
}

impl CodeChallenge {
    /// The challenge of a request.
    ///
    /// # Errors
    /// [`InvalidChallenge::Method`] for another method than `S256` and `plain`, or none; [`InvalidChallenge::Value`] for a value
    /// that the method cannot have made.
    pub fn parse(value: &str, method: Option<&str>) -> Result<Self, InvalidChallenge> {
        match method {
            // The digest in base64. Some clients leave the padding on it.
            Some("S256") => {
                let digest = value.strip_suffix('=').unwrap_or(value);
                let is_one = digest.len() == 43 && is_base64(digest);
                is_one.then(|| Self::S256(digest.to_owned())).ok_or(InvalidChallenge::Value)
            }
            Some("plain") if is_verifier(value) => Ok(Self::Plain(value.to_owned())),
            Some("plain") => Err(InvalidChallenge::Value),
            Some(_) | None => Err(InvalidChallenge::Method),
        }
    }

    /// The method as requests name it.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::S256(_) => "S256",
            Self::Plain(_) => "plain",
        }
    }

    /// The challenge, without padding.
    #[must_use]
    pub fn value(&self) -> &str {
        match self {
            Self::S256(value) | Self::Plain(value) => value,
        }
    }
}

/// True if a text can be a verifier: 43 to 128 characters. Only their digest counts, so that padding and every other
/// printable character are taken as well as those of RFC 7636.
#[must_use]
pub fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.chars().count()) && !text.contains(char::is_control)
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_has_a_method_and_the_form_of_it() {
        let digest = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let long = "a".repeat(128);
        for (value, method, want) in [
            (digest, Some("S256"), Ok(CodeChallenge::S256(digest.to_owned()))),
            (&long, Some("plain"), Ok(CodeChallenge::Plain(long.clone()))),
            (digest, None, Err(InvalidChallenge::Method)),
            (digest, Some("s256"), Err(InvalidChallenge::Method)),
            (digest, Some(""), Err(InvalidChallenge::Method)),
            ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", Some("S256"), Ok(CodeChallenge::S256(digest.to_owned()))),
            ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM==", Some("S256"), Err(InvalidChallenge::Value)),
            ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", Some("S256"), Err(InvalidChallenge::Value)),
            (&long, Some("S256"), Err(InvalidChallenge::Value)),
            (&digest[1..], Some("S256"), Err(InvalidChallenge::Value)),
            (&digest[1..], Some("plain"), Err(InvalidChallenge::Value)),
            ("", Some("plain"), Err(InvalidChallenge::Value)),
        ] {
            assert_eq!(CodeChallenge::parse(value, method), want, "{value} {method:?}");
        }
        for verifier in
            ["a".repeat(43), "a".repeat(128), "ä".repeat(43), format!("{}==", "+/".repeat(22)), " ".repeat(43)]
        {
            assert!(is_verifier(&verifier), "{verifier}");
        }
        for other in ["a".repeat(42), "a".repeat(129), "\0".repeat(43), "\n".repeat(43)] {
            assert!(!is_verifier(&other), "{other:?}");
        }
    }
}
