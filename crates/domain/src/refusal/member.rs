//! Why users do not become members.

/// Why users do not become members.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionRefusal {
    /// The user is a member.
    #[error("Member already exists")]
    AlreadyMember,
    /// The request names no user.
    #[error("user_id is invalid")]
    NoUsers,
    /// The request names more users than is permitted.
    #[error("Too many users specified (limit is {0})")]
    TooMany(usize),
    /// A request to invite names neither an address nor a user.
    #[error("Must provide either email or user_id as a parameter")]
    NoOneInvited,
    /// The address has an open invitation.
    #[error("Invite email has already been taken")]
    AlreadyInvited,
    /// No way to send mail is configured.
    #[error("Invite email cannot be used, because this server sends no mail")]
    NoMail,
    /// A group above the project permits no new members of projects.
    #[error("New members of projects are not permitted by the group")]
    Locked,
}
