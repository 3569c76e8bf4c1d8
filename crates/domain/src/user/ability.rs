//! Who may do what with accounts.

use crate::access::{Decision, Viewer};
use crate::id::UserId;
use crate::user::{User, UserState};

/// The actions that are possible with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserAction {
    /// See the public view.
    Read,
    /// See the administrators' view, tokens, custom attributes, activities.
    Administer,
}

/// True if `viewer` may do `action`. `public_restricted`: the setting `restricted_visibility_levels` names `public`,
/// which hides all users from anonymous callers.
#[must_use]
pub fn decide(viewer: Viewer, public_restricted: bool, action: UserAction) -> Decision {
    match action {
        UserAction::Read if viewer == Viewer::Anonymous && public_restricted => Decision::Hide,
        UserAction::Read => Decision::Allow,
        UserAction::Administer => Decision::allow_if(viewer.is_admin()),
    }
}

/// Decides whether `viewer` may see that there is this account: only administrators see those that were not approved
/// yet.
#[must_use]
pub fn sees(viewer: Viewer, user: &User) -> Decision {
    if user.state == UserState::Pending && !viewer.is_admin() { Decision::Hide } else { Decision::Allow }
}

/// True if `viewer` may learn that the address, which the user has confirmed, belongs to the account: the user shows it to
/// everyone, or it is the viewer's own.
#[must_use]
pub fn sees_address(viewer: Viewer, user: &User, address: &str) -> bool {
    viewer.is_admin() || viewer.user() == Some(user.id) || user.profile.public_email == address
}

/// True if `viewer` may see when the account was made, and what it did: a private profile shows that only to its user
/// and to administrators.
#[must_use]
pub fn sees_activity(viewer: Viewer, user: UserId, private_profile: bool) -> bool {
    !private_profile || viewer.is_admin() || viewer.user() == Some(user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::tests::user;

    #[test]
    fn an_address_belongs_to_a_user_for_those_to_whom_the_user_shows_it() {
        let mut ada = user(UserState::Active);
        let viewer = |id, admin| Viewer::User { id: UserId::new(id), admin, external: false };
        let (own, other, root) = (viewer(1, false), viewer(2, false), viewer(3, true));
        let seen = |user: &User, address: &str| {
            [Viewer::Anonymous, own, other, root].map(|viewer| sees_address(viewer, user, address))
        };
        assert_eq!(seen(&ada, "ada@example.org"), [false, true, false, true]);
        ada.profile.public_email = "ada@example.org".to_owned();
        assert_eq!(seen(&ada, "ada@example.org"), [true; 4]);
        assert_eq!(seen(&ada, "second@example.org"), [false, true, false, true]);
    }
}
