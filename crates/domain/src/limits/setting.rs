//! The types that limits have.

use std::time::Duration;

/// Bytes.
pub(super) const KIB: u64 = 1024;
/// Bytes.
pub(super) const MIB: u64 = 1024 * KIB;
/// Bytes.
pub(super) const GIB: u64 = 1024 * MIB;

/// A type that a limit can have, with its form in the configuration: a whole number.
pub(super) trait Setting: Sized {
    /// The unit of the number.
    const UNIT: &'static str;
    fn from_number(number: u64) -> Option<Self>;
    fn number(&self) -> u64;
}

impl Setting for usize {
    const UNIT: &'static str = "count";

    fn from_number(number: u64) -> Option<Self> {
        Self::try_from(number).ok()
    }

    fn number(&self) -> u64 {
        u64::try_from(*self).unwrap_or(u64::MAX)
    }
}

impl Setting for u64 {
    const UNIT: &'static str = "bytes";

    fn from_number(number: u64) -> Option<Self> {
        Some(number)
    }

    fn number(&self) -> u64 {
        *self
    }
}

impl Setting for Duration {
    const UNIT: &'static str = "seconds";

    fn from_number(number: u64) -> Option<Self> {
        Some(Self::from_secs(number))
    }

    fn number(&self) -> u64 {
        self.as_secs()
    }
}

/// A time that is configured in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Milliseconds(pub u64);

impl Milliseconds {
    /// The same as a duration.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl Setting for Milliseconds {
    const UNIT: &'static str = "milliseconds";

    fn from_number(number: u64) -> Option<Self> {
        Some(Self(number))
    }

    fn number(&self) -> u64 {
        self.0
    }
}
