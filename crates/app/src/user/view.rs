//! Accounts with what answers show of them.

use std::collections::{HashMap, HashSet};

use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::user::{User, UserDetails, sees_activity};
use tenon_storage::custom_attribute::{CustomAttribute, SubjectKind};
use tenon_storage::user::Identity;
use tenon_storage::{custom_attribute, namespace, two_factor, user};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::shared::views::user_ref::UserRef;

/// An account, and which of it the caller may see.
#[derive(Debug, Clone)]
pub struct UserView {
    /// The part that every caller may see.
    pub basic: UserRef,
    /// The account.
    pub user: User,
    /// Its details about the person at work.
    pub details: UserDetails,
    /// The administrator who has made it, for administrators.
    pub created_by: Option<UserRef>,
    /// Its personal namespace.
    pub namespace: Option<NamespaceId>,
    /// Accounts elsewhere.
    pub identities: Vec<Identity>,
    /// True if there is room for one more personal project.
    pub can_create_project: bool,
    /// True if the account signs in with a second factor; known to administrators and the user.
    pub two_factor_enabled: bool,
    /// True if the caller may know when the account was made.
    pub shows_creation: bool,
    /// The custom attributes, for administrators who ask.
    pub custom_attributes: Option<Vec<CustomAttribute>>,
    /// True if the caller is an administrator.
    pub for_admin: bool,
    /// True if the caller is the user.
    pub for_self: bool,
}

/// The views of `users`, in their order. The parts that only administrators and the users themselves see are loaded
/// only for them.
pub(crate) fn views(
    query: &mut Query<'_>,
    users: Vec<User>,
    with_custom_attributes: bool,
) -> Result<Vec<UserView>, AppError> {
    let settings = query.settings()?;
    let viewer = query.viewer();
    let for_admin = viewer.is_admin();
    let is_self = |user: &User| viewer.user() == Some(user.id);
    let shown: Vec<UserId> = users.iter().filter(|user| for_admin || is_self(user)).map(|user| user.id).collect();
    let (mut identities, mut homes, mut secured) = (HashMap::new(), HashMap::new(), HashSet::new());
    if !shown.is_empty() {
        identities = user::identities(&mut query.tx, &shown)?;
        homes = namespace::homes(&mut query.tx, &shown)?;
        secured = two_factor::enabled_among(&mut query.tx, &shown)?;
    }
    let mut attributes = if for_admin && with_custom_attributes {
        let numbers: Vec<i64> = users.iter().map(|user| user.id.get()).collect();
        Some(custom_attribute::by_subjects(&mut query.tx, SubjectKind::User, &numbers)?)
    } else {
        None
    };
    let all: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let mut details = user::details(&mut query.tx, &all)?;
    let made_by = |details: &UserDetails| details.created_by.filter(|_| for_admin);
    let makers = UserRef::of(query, details.values().filter_map(made_by).collect())?;
    let links = query.app.links();
    Ok(users
        .into_iter()
        .map(|user| UserView {
            basic: UserRef::new(links, &settings, user.basic()),
            created_by: details.get(&user.id).and_then(made_by).and_then(|maker| makers.get(&maker).cloned()),
            details: details.remove(&user.id).unwrap_or_default(),
            namespace: homes.get(&user.id).map(|home| home.id),
            identities: identities.remove(&user.id).unwrap_or_default(),
            can_create_project: homes.get(&user.id).map_or(0, |home| home.projects) < user.projects_limit,
            two_factor_enabled: secured.contains(&user.id),
            shows_creation: sees_activity(viewer, user.id, user.private_profile),
            custom_attributes: attributes.as_mut().map(|found| found.remove(&user.id.get()).unwrap_or_default()),
            for_admin,
            for_self: is_self(&user),
            user,
        })
        .collect())
}
