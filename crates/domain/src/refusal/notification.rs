//! Why mail is not sent or not set.

/// Why mail is not sent or not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotificationRefusal {
    /// There is no such level.
    #[error("'{0}' is not a valid level")]
    UnknownLevel(String),
    /// No way to send mail is configured.
    #[error("no mail is sent: --mail (TENON_MAIL) says how")]
    NoMail,
    /// The mail was not taken; says why.
    #[error("{0}")]
    NotSent(String),
}
