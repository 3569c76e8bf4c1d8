//! Randomness as an input.

use rand::TryRng;
use rand::rngs::SysRng;

/// A source of random bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes`. A source that has run dry must not return.
    fn fill(&self, bytes: &mut [u8]);
}

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // A machine without randomness can keep no secret: waiting is better than handing out zeros.
        while SysRng.try_fill_bytes(bytes).is_err() {}
    }
}
