//! One-time passwords that change with time (TOTP, RFC 6238): SHA-1, six digits, thirty seconds. Every authenticator knows
//! these.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use crate::{Entropy, Secret, is_same};

/// Bytes of a secret: as many as a digest has (RFC 4226).
const LENGTH: usize = 20;
/// Seconds for which a code is shown.
const STEP: i64 = 30;
/// Steps by which the clock of an authenticator may be wrong, in either direction.
const DRIFT: i64 = 1;
/// One more than the largest code.
const CODES: u32 = 1_000_000;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The secret that an authenticator and the server share.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret([u8; LENGTH]);

impl TotpSecret {
    /// A fresh secret.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; LENGTH];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// The secret behind a text of [`TotpSecret::to_hex`]; `None` for all other texts.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; LENGTH];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The form in which it is sealed and stored.
    pub fn to_hex(&self) -> Secret {
        Secret::given(hex::encode(self.0))
    }

    /// The form that people type into an authenticator: Base32 (RFC 4648) without padding.
    pub fn to_base32(&self) -> Secret {
        let (blocks, _none) = self.0.as_chunks::<5>();
        let digits = blocks.iter().flat_map(|block| {
            let bits = block.iter().fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
            (0..8).rev().filter_map(move |place| BASE32.get(usize::try_from((bits >> (5 * place)) & 31).ok()?))
        });
        Secret::given(digits.map(|digit| char::from(*digit)).collect::<String>())
    }

    /// The time step of `code`, if it is the code of this moment (in seconds since 1970), or of the step before or after it.
    /// The step must be later than `last_used`, so that a code that was seen on its way is useless.
    pub fn step_of(&self, code: &str, seconds: i64, last_used: Option<i64>) -> Option<i64> {
        let now = seconds.div_euclid(STEP);
        let unused = |step: &i64| last_used.is_none_or(|last| *step > last);
        let matches = |step: &i64| self.code(*step).is_some_and(|expected| is_same(&expected, code));
        (now - DRIFT..=now + DRIFT).filter(unused).find(matches)
    }

    /// The code of the step at this moment (in seconds since 1970), as an authenticator shows it.
    pub fn code_at(&self, seconds: i64) -> Option<String> {
        self.code(seconds.div_euclid(STEP))
    }

    fn code(&self, step: i64) -> Option<String> {
        let mac = <Hmac<Sha1> as KeyInit>::new_from_slice(&self.0).ok()?;
        let digest = mac.chain_update(step.to_be_bytes()).finalize().into_bytes();
        // The last four bits say where the number begins (RFC 4226).
        let place = usize::from(digest.last()? & 15);
        let (number, _) = digest.get(place..)?.split_first_chunk::<4>()?;
        Some(format!("{:06}", (u32::from_be_bytes(*number) & 0x7fff_ffff) % CODES))
    }
}

// Like other secrets, it is not printed by accident.
impl std::fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TotpSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The secret of RFC 6238, appendix B.
    const KNOWN: TotpSecret = TotpSecret(*b"12345678901234567890");

    #[test]
    fn codes_are_those_of_the_standard() {
        // The last six of the eight digits in the table.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(KNOWN.code_at(seconds).as_deref(), Some(code), "{seconds}");
            assert_eq!(KNOWN.step_of(code, seconds, None), Some(seconds / STEP));
        }
    }

    #[test]
    fn a_secret_is_written_as_authenticators_read_it() {
        assert_eq!(KNOWN.to_base32().expose(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(TotpSecret::from_hex(KNOWN.to_hex().expose()), Some(KNOWN));
        assert_eq!(format!("{KNOWN:?}"), "TotpSecret(..)");
        for bad in ["", "00", "zz345678901234567890123456789012345678901", &"0".repeat(42)] {
            assert_eq!(TotpSecret::from_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn anything_but_the_digits_is_no_code() {
        for bad in ["", "28708", "0287082", " 287082", "287082 ", "+87082", "２８７０８２"] {
            assert_eq!(KNOWN.step_of(bad, 59, None), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn a_code_is_good_one_step_early_or_late_and_only_once(
            bytes in any::<[u8; LENGTH]>(),
            seconds in 0_i64..100_000_000_000,
            drift in -300_i64..300,
        ) {
            let secret = TotpSecret(bytes);
            let (shown, code) = (seconds.div_euclid(STEP), secret.code_at(seconds).unwrap());
            let server = seconds + drift;
            let distance = (server.div_euclid(STEP) - shown).abs();
            match secret.step_of(&code, server, None) {
                Some(step) => {
                    // Two steps have the same code once in a million times.
                    prop_assert!(distance <= DRIFT || secret.code(step).unwrap() == code);
                    prop_assert_ne!(secret.step_of(&code, server, Some(step)), Some(step));
                }
                None => prop_assert!(distance > DRIFT),
            }
        }

        #[test]
        fn what_is_no_code_never_fails(text in "\\PC{0,40}", seconds in any::<i32>()) {
            let step = KNOWN.step_of(&text, i64::from(seconds), None);
            prop_assert!(step.is_none() || text.len() == 6);
        }
    }
}
