//! The tokens that prove that a form was sent from a page of this server.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::{Entropy, is_same};

const LENGTH: usize = 32;

/// The secret that the forms of one browser session carry. It is computed from the session's cookie. Pages of other sites can
/// make a browser send that cookie, but cannot read it.
#[derive(Clone, PartialEq, Eq)]
pub struct CsrfToken([u8; LENGTH]);

impl CsrfToken {
    /// The token of the session with this cookie. The cookie cannot be computed from the token.
    pub fn of(cookie: &str) -> Self {
        let mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(cookie.as_bytes());
        let token = mac.map(|mac| mac.chain_update(b"tenon: authenticity token").finalize().into_bytes().into());
        Self(token.unwrap_or_default())
    }

    /// The token as a page shows it: different each time, so that nothing can be learnt about it from the sizes of
    /// compressed pages.
    pub fn masked(&self, entropy: &dyn Entropy) -> String {
        let mut mask = [0; LENGTH];
        entropy.fill(&mut mask);
        let masked: Vec<u8> = mask.iter().zip(self.0).map(|(mask, byte)| mask ^ byte).collect();
        URL_SAFE_NO_PAD.encode([mask.as_slice(), &masked].concat())
    }

    /// True if a request presents this token, as a page showed it.
    pub fn fits(&self, presented: &str) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(presented) else { return false };
        let Some((mask, masked)) = bytes.split_first_chunk::<LENGTH>() else { return false };
        let plain: Vec<u8> = mask.iter().zip(masked).map(|(mask, byte)| mask ^ byte).collect();
        masked.len() == LENGTH && is_same(&hex::encode(plain), &hex::encode(self.0))
    }
}

// A token that is printed by accident must not be lost.
impl std::fmt::Debug for CsrfToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CsrfToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemEntropy;

    #[test]
    fn a_token_fits_its_own_session_only_and_looks_different_on_each_page() {
        let token = CsrfToken::of("cookie");
        let (one, two) = (token.masked(&SystemEntropy), token.masked(&SystemEntropy));
        assert_ne!(one, two);
        assert!(token.fits(&one) && token.fits(&two));
        assert!(!CsrfToken::of("another").fits(&one));
    }

    #[test]
    fn what_is_no_token_fits_nothing() {
        let token = CsrfToken::of("cookie");
        let masked = token.masked(&SystemEntropy);
        let longer = format!("{masked}AAAA");
        for presented in ["", "a", "%", &masked[1..], &masked[..43], &longer, &"A".repeat(86)] {
            assert!(!token.fits(presented), "{presented}");
        }
        assert_eq!(format!("{token:?}"), "CsrfToken(..)");
    }
}
