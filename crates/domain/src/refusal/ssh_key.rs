//! Why an SSH key is not found.

/// Why an SSH key is not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SshKeyRefusal {
    /// The text is no fingerprint.
    #[error("Failed to return the key")]
    NotAFingerprint,
}
