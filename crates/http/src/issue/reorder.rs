//! Putting issues into the order of users.

use tenon_app::issue::{self, Neighbours};
use tenon_domain::id::IssuableId;
use tenon_edge::error::ApiError;

use super::{IssueParams, project};
use crate::dto::issue::IssueDto;
use crate::endpoint::{Call, Json};
use crate::params::params;

params! {
    /// The place of an issue.
    pub(crate) struct ReorderParams {
        issue: IssueParams,
        /// The id of the issue that comes after it.
        move_after_id: Option<i64>,
        /// The id of the issue that comes before it.
        move_before_id: Option<i64>,
    }
    rules(reader) {
        reader.at_least_one_of(&["move_after_id", "move_before_id"]);
    }
}

pub(super) async fn reorder(Call { caller, params }: Call<ReorderParams>) -> Result<Json<IssueDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let neighbours = Neighbours {
        above: params.move_before_id.map(IssuableId::new),
        below: params.move_after_id.map(IssuableId::new),
    };
    let view = caller.write(move |command| issue::reorder(command, &project, iid, neighbours)).await?;
    Ok(Json(IssueDto::single(view)))
}
