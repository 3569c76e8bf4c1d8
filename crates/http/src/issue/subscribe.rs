//! Subscribing to issues.

use tenon_app::issuable::IssuableView;
use tenon_app::issue;
use tenon_domain::transition::Transition;
use tenon_edge::error::ApiError;

use super::{IssueParams, project};
use crate::dto::issue::IssueDto;
use crate::endpoint::{Call, Changed, Json};

pub(super) async fn subscribe(Call { caller, params }: Call<IssueParams>) -> Result<Changed<Json<IssueDto>>, ApiError> {
    let project = project(&caller);
    Ok(changed(caller.write(move |command| issue::subscribe(command, &project, params.iid())).await?))
}

pub(super) async fn unsubscribe(
    Call { caller, params }: Call<IssueParams>,
) -> Result<Changed<Json<IssueDto>>, ApiError> {
    let project = project(&caller);
    Ok(changed(caller.write(move |command| issue::unsubscribe(command, &project, params.iid())).await?))
}

fn changed(outcome: Transition<IssuableView>) -> Changed<Json<IssueDto>> {
    match outcome {
        Transition::Moved(view) => Changed::Yes(Json(IssueDto::single(view))),
        Transition::Stayed(_) => Changed::No,
    }
}
