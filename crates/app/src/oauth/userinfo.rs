//! Who the user of a token is (`OpenID` Connect), and the key that its tokens are verified with.

use tenon_auth::PublicKey;
use tenon_domain::access::AccessLevel;
use tenon_domain::page::PageRequest;
use tenon_domain::token::Scope;
use tenon_domain::user::User;
use tenon_storage::access::Membership;
use tenon_storage::group::{self, GroupFilter, GroupOrder, GroupSet};

use crate::core::app::{App, Query};
use crate::core::error::AppError;

/// A user, as applications learn of them.
#[derive(Debug, Clone)]
pub struct UserInfo {
    /// The account.
    pub user: User,
    /// The address to show: the primary one if the scope `email` was granted, else the public one.
    pub email: Option<String>,
    /// True if that address is known to be the user's.
    pub email_verified: bool,
    /// The page.
    pub profile: String,
    /// The picture.
    pub picture: Option<String>,
    /// The full paths of the groups that the user is a member of; the first hundred by name.
    pub groups: Vec<String>,
}

/// Who the caller is. The token must have the scope `openid`, which is the route's guard.
pub fn userinfo(query: &mut Query<'_>) -> Result<UserInfo, AppError> {
    let user = query.user()?.clone();
    let sees_primary = query.caller.token.as_ref().is_some_and(|token| token.scopes.contains(Scope::Email));
    let settings = query.settings()?;
    let membership = Membership { user: user.id, at_least: AccessLevel::Guest, today: query.today() };
    let filter = GroupFilter {
        set: GroupSet::Member(membership),
        today: query.today(),
        member: None,
        parent: None,
        below: None,
        top_level: false,
        search: None,
        visibility: None,
        skip: Vec::new(),
        custom_attributes: std::collections::BTreeMap::new(),
    };
    let most = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let groups = group::list(&mut query.tx, &filter, GroupOrder::Name, false, most)?;
    let public = Some(user.profile.public_email.clone()).filter(|email| !email.is_empty());
    let links = query.app.links();
    Ok(UserInfo {
        email_verified: user.confirmed_at.is_some() && (sees_primary || public.as_ref() == Some(&user.email)),
        email: if sees_primary { Some(user.email.clone()) } else { public },
        profile: links.page(&user.username),
        picture: links.user_avatar(&user.basic(), &settings),
        groups: groups.items.into_iter().map(|group| group.namespace.full_path).collect(),
        user,
    })
}

impl App {
    /// The key with which tokens of this server are verified.
    pub fn token_key(&self) -> Result<PublicKey, AppError> {
        Ok(self.vault().token_signer().map_err(AppError::internal)?.public_key().clone())
    }
}
