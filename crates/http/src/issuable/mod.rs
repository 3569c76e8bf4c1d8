//! The features that issues and merge requests share: participants, time tracking, resource events, to-do entries, and
//! parameters.

mod filters;
mod resource_events;
mod time_tracking;
mod triage;

pub(crate) use filters::{FilterParams, NotParams, NumberParam, approved, weight};
pub(crate) use triage::{assignees, label_change, label_names, milestone, users};

use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::issuable::{self, IssuableReference, ListIssuables, Sender};
use tenon_app::{Query, Reference, todo};
use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::transition::Transition;
use tenon_edge::error::ApiError;

use crate::dto::todo::TodoDto;
use crate::dto::user::UserRefDto;
use crate::endpoint::{Call, Caller, Changed, Json, Paged, Routes};
use crate::params::Paging;

/// The same path below an issue and below a merge request.
macro_rules! both {
    ($below:literal) => {
        [
            concat!("/projects/{id}/issues/{issue_iid}", $below),
            concat!("/projects/{id}/merge_requests/{merge_request_iid}", $below),
        ]
    };
}
pub(crate) use both;

/// The issue or merge request that the path names.
pub(crate) fn reference(caller: &Caller) -> Result<IssuableReference, ApiError> {
    let (kind, name) = if caller.path("merge_request_iid").is_empty() {
        (IssuableKind::Issue, "issue_iid")
    } else {
        (IssuableKind::MergeRequest, "merge_request_iid")
    };
    let iid = Iid::new(caller.path_i64(name)?);
    Ok(IssuableReference { kind, project: Reference::parse(caller.path("id")), iid })
}

/// How many characters of the user agent are kept.
const MAX_USER_AGENT: usize = 500;

/// The client that sent the request, for spam reports.
pub(crate) fn sender(caller: &Caller) -> Sender {
    let head = caller.head();
    Sender {
        user_agent: head.user_agent.as_ref().map(|text| text.chars().take(MAX_USER_AGENT).collect()),
        ip_address: head.peer.map(|address| address.to_string()),
    }
}

/// Lists or counts issues or merge requests; in the pool for searches if very many rows may have to be read.
pub(crate) async fn issuables<T: Send + 'static>(
    caller: &Caller,
    request: ListIssuables,
    list: impl FnOnce(&mut Query<'_>, &ListIssuables) -> Result<T, AppError> + Send + 'static,
) -> Result<T, ApiError> {
    if request.reads_many_rows() {
        caller.search(move |query| list(query, &request)).await
    } else {
        caller.read(move |query| list(query, &request)).await
    }
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Participants");
    for path in both!("/participants") {
        api.get(path, Guard::SignedIn, participants, "The participants.");
    }
    api.tag("Todos");
    for path in both!("/todo") {
        api.post(path, Guard::SignedIn, put_on_list, "Puts it on the caller's to-do list.");
    }
    time_tracking::routes(api);
    resource_events::routes(api);
}

async fn participants(Call { caller, params }: Call<Paging>) -> Result<Paged<UserRefDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| issuable::participants(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn put_on_list(caller: Call<()>) -> Result<Changed<Json<TodoDto>>, ApiError> {
    let of = reference(&caller)?;
    match caller.write(move |command| todo::mark(command, &of)).await? {
        Transition::Moved(Some(view)) => Ok(Changed::Yes(Json(view.into()))),
        Transition::Moved(None) | Transition::Stayed(_) => Ok(Changed::No),
    }
}
