//! The data of an authenticator, in its own form.

use super::cbor::Value;

const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const MAY_BE_COPIED: u8 = 1 << 3;
const IS_COPIED: u8 = 1 << 4;
const HAS_KEY: u8 = 1 << 6;
const HAS_EXTENSIONS: u8 = 1 << 7;

/// The identifier of a model of authenticators, which is not used.
const MODEL: usize = 16;

/// The parts of the data.
#[derive(Debug, Clone, Copy)]
pub(super) struct AuthenticatorData<'a> {
    /// The digest of the server's name.
    pub(super) server: &'a [u8; 32],
    flags: u8,
    pub(super) count: u32,
    /// The new passkey.
    pub(super) attested: Option<Attested<'a>>,
    /// The bytes behind the count, if there is no new passkey.
    pub(super) rest: &'a [u8],
}

/// A passkey that was just made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attested<'a> {
    pub(super) id: &'a [u8],
    /// The bytes that begin with its public key.
    pub(super) rest: &'a [u8],
}

impl<'a> AuthenticatorData<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (server, rest) = bytes.split_first_chunk::<32>()?;
        let (flags, rest) = rest.split_first()?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        if flags & IS_COPIED != 0 && flags & MAY_BE_COPIED == 0 {
            return None;
        }
        let attested = if flags & HAS_KEY == 0 { None } else { Some(Attested::read(rest)?) };
        Some(Self { server, flags: *flags, count: u32::from_be_bytes(*count), attested, rest })
    }

    pub(super) fn is_present(&self) -> bool {
        self.flags & PRESENT != 0
    }

    pub(super) fn is_verified(&self) -> bool {
        self.flags & VERIFIED != 0
    }

    /// True if the data may end with these bytes: extensions if it says so, and otherwise nothing.
    pub(super) fn ends_with(&self, rest: &[u8]) -> bool {
        if self.flags & HAS_EXTENSIONS == 0 {
            return rest.is_empty();
        }
        matches!(Value::read(rest), Some((Value::Map(_), [])))
    }
}

impl<'a> Attested<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (_model, rest) = bytes.split_at_checked(MODEL)?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let (id, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        Some(Self { id, rest })
    }
}
