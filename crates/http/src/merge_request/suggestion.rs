//! Applying changes of lines that comments propose.

use tenon_app::merge_request::{self, ApplySuggestions};
use tenon_domain::id::SuggestionId;
use tenon_edge::error::ApiError;

use crate::dto::note::SuggestionDto;
use crate::endpoint::{Call, Caller, Json};
use crate::params::params;

params! {
    /// The application of a suggestion.
    pub(crate) struct ApplyParams {
        /// The message of the commit; one that counts the suggestions by default.
        commit_message: Option<String>,
    }
}

params! {
    /// The application of several suggestions.
    pub(crate) struct ApplyAllParams {
        /// The ids of suggestions of one merge request, up to 100.
        ids: Vec<i64>,
        /// The message of the commit; one that counts the suggestions by default.
        commit_message: Option<String>,
    }
}

async fn applied(caller: &Caller, ids: Vec<i64>, message: Option<String>) -> Result<Vec<SuggestionDto>, ApiError> {
    let ids = ids.into_iter().map(SuggestionId::new).collect();
    let request = ApplySuggestions { ids, message: message.filter(|message| !message.trim().is_empty()) };
    let views = merge_request::apply_suggestions(caller.app(), caller.identity(), request).await?;
    Ok(views.into_iter().map(Into::into).collect())
}

pub(super) async fn apply(Call { caller, params }: Call<ApplyParams>) -> Result<Json<SuggestionDto>, ApiError> {
    let id = caller.path_i64("id")?;
    let one = applied(&caller, vec![id], params.commit_message).await?.pop();
    let missing = tenon_app::error::AppError::NotFound(tenon_app::error::Missing::Record);
    Ok(Json(one.ok_or(missing)?))
}

pub(super) async fn apply_all(
    Call { caller, params }: Call<ApplyAllParams>,
) -> Result<Json<Vec<SuggestionDto>>, ApiError> {
    Ok(Json(applied(&caller, params.ids, params.commit_message).await?))
}
