//! The memberships of one user.

use tenon_domain::id::UserId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::user::UserAction;
use tenon_storage::membership::{self, Membership, MembershipKind};

use crate::core::app::Query;
use crate::core::error::AppError;

/// The direct memberships of a user; administrators only.
pub fn memberships(
    query: &mut Query<'_>,
    user: UserId,
    kind: MembershipKind,
    page: PageRequest,
) -> Result<Page<Membership>, AppError> {
    let user = query.account(user, UserAction::Administer)?;
    let today = query.today();
    Ok(membership::of_user(&mut query.tx, user.id, kind, today, page)?)
}
