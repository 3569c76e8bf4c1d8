//! Users, as everything that names one shows them.

use std::collections::HashMap;

use tenon_domain::id::UserId;
use tenon_domain::settings::Settings;
use tenon_domain::user::BasicUser;
use tenon_storage::user;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::core::links::Links;

/// The part of a user that every caller may see, wherever one is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRef {
    /// The id.
    pub id: UserId,
    /// Sign-in name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// `active`, `blocked`, `deactivated` or `banned`.
    pub state: &'static str,
    /// The picture.
    pub avatar_url: Option<String>,
    /// The page.
    pub web_url: String,
    /// When the account was made; shown only for the owner of a project.
    pub created_at: tenon_domain::time::Timestamp,
}

impl UserRef {
    pub(crate) fn new(links: &Links, settings: &Settings, user: BasicUser) -> Self {
        Self {
            id: user.id,
            state: user.state.as_str(),
            avatar_url: links.user_avatar(&user, settings),
            web_url: links.page(&user.username),
            username: user.username,
            name: user.name,
            created_at: user.created_at,
        }
    }

    /// How these people are shown, by id; those whose accounts are gone are left out.
    pub(crate) fn of(query: &mut Query<'_>, mut ids: Vec<UserId>) -> Result<HashMap<UserId, Self>, AppError> {
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let settings = query.settings()?;
        let found = user::basics(&mut query.tx, &ids)?;
        let links = query.app.links();
        Ok(found.into_iter().map(|(id, user)| (id, Self::new(links, &settings, user))).collect())
    }
}
