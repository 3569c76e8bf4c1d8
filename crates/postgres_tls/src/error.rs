//! Why no connection can be made.

use std::io;
use std::path::PathBuf;

/// Why no connection can be made in the way that an address demands.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A parameter has a value that is not known, or stands for something that is not supported.
    #[error("{name}: {problem}")]
    Parameter {
        /// The parameter.
        name: String,
        /// The fault.
        problem: &'static str,
    },
    /// A file of certificates or keys cannot be used.
    #[error("{name}: {} cannot be used: {why}", path.display())]
    File {
        /// The parameter that names it.
        name: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The certificates of the system cannot be used.
    #[error("the certificates of the system cannot be used: {0}")]
    System(String),
    /// The way to the server could not be prepared.
    #[error("no socket for the connection to PostgreSQL")]
    Socket(#[from] io::Error),
}
