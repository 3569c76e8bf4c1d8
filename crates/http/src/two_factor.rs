//! Second factors of users.

use tenon_app::identity::Guard;
use tenon_app::two_factor;
use tenon_domain::id::UserId;
use tenon_domain::token::ScopeRule;

use crate::endpoint::{Call, NoContent, Routes};
use tenon_edge::error::ApiError;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Users").scope(ScopeRule::ReadUser).patch(
        "/users/{id:int}/disable_two_factor",
        Guard::SignedIn,
        disable,
        "Removes the second factor of a user who is no administrator; administrators only.",
    );
}

async fn disable(call: Call<()>) -> Result<NoContent, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    call.write(move |command| two_factor::disable_of(command, id)).await?;
    Ok(NoContent)
}
