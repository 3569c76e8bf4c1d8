//! Being told of an issue: subscriptions, and the to-do list (reference: issues-merge-requests-projects, sections 3.9
//! and 5).

use tenon_app::issue::{self, IssueView};
use tenon_app::note::Noteable;
use tenon_app::todo;
use tenon_domain::transition::Transition;

use super::dto::IssueDto;
use super::{IssueParams, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::reply::{Changed, Json};
use crate::todo::TodoDto;

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

fn changed(outcome: Transition<IssueView>) -> Changed<Json<IssueDto>> {
    match outcome {
        Transition::Moved(view) => Changed::Yes(Json(IssueDto::single(view))),
        Transition::Stayed(_) => Changed::No,
    }
}

pub(super) async fn put_on_list(
    Call { caller, params }: Call<IssueParams>,
) -> Result<Changed<Json<TodoDto>>, ApiError> {
    let of = Noteable { project: project(&caller), iid: params.iid() };
    match caller.write(move |command| todo::mark(command, &of)).await? {
        Transition::Moved(Some(view)) => Ok(Changed::Yes(Json(view.into()))),
        Transition::Moved(None) | Transition::Stayed(_) => Ok(Changed::No),
    }
}
