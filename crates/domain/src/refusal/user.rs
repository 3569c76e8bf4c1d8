//! Why an account is not made, changed or removed.

use crate::user::UserEvent;

/// Why an account is not made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserRefusal {
    /// The account belongs to the server.
    #[error("An internal user cannot be {}", .0.done())]
    Internal(UserEvent),
    /// Administrators do not shut themselves out.
    #[error("The API initiating user cannot be {} by the API", .0.done())]
    Oneself(UserEvent),
    /// The caller follows as many users as is permitted.
    #[error("You can't follow more than {0} users. To follow more users, unfollow some others.")]
    FollowsTooMany(usize),
    /// Another account has the address.
    #[error("Email has already been taken")]
    EmailTaken,
    /// Another account has the name.
    #[error("Username has already been taken")]
    UsernameTaken,
    /// A server without an administrator could never be administered again.
    #[error("The last administrator cannot be removed")]
    LastAdministrator,
    /// Administrators who gave up their own rights by mistake could not take them back.
    #[error("Another administrator has to remove your rights")]
    OwnRights,
    /// A password is reset by mail.
    #[error("This server sends no mail")]
    NoMail,
    /// The settings allow no passwords.
    #[error("Passwords are not accepted on this server")]
    NoPasswords,
    /// Users are listed for those who have signed in.
    #[error("Users are listed for signed-in users only")]
    Hidden,
    /// Pictures are shown to those who have signed in.
    #[error("Unauthorized access")]
    PicturesHidden,
    /// Another request has changed the password.
    #[error("The password has changed in the meantime")]
    PasswordChanged,
    /// The account belongs to the server, or is the caller's own.
    #[error("This user cannot be removed")]
    NotRemovable,
    /// Groups would be left without an owner.
    #[error("the only owner of a group cannot be removed")]
    SoleOwner,
    /// The settings allow no sign-up.
    #[error("Users cannot sign up by themselves")]
    NoSignUp,
}
