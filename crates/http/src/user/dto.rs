//! Users as JSON (specification 3, User).

use serde::Serialize;
use tenon_app::user::UserRef;
use utoipa::ToSchema;

/// What everybody may see of a user, wherever one is named.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserRefDto {
    id: i64,
    username: String,
    name: String,
    state: &'static str,
    avatar_url: Option<String>,
    web_url: String,
}

impl From<UserRef> for UserRefDto {
    fn from(user: UserRef) -> Self {
        Self {
            id: user.id.get(),
            username: user.username,
            name: user.name,
            state: user.state,
            avatar_url: user.avatar_url,
            web_url: user.web_url,
        }
    }
}
