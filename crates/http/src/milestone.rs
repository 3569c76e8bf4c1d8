//! Milestones of projects and groups.

use chrono::NaiveDate;
use tenon_app::identity::Guard;
use tenon_app::issuable::Detail;
use tenon_app::milestone::{self, CreateMilestone, EditMilestone, ListMilestones};
use tenon_app::{ContainerReference, Reference, issue, merge_request};
use tenon_domain::id::MilestoneId;
use tenon_domain::milestone::MilestoneEvent;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use crate::dto::issue::IssueDto;
use crate::dto::merge_request::ListedDto;
use crate::dto::milestone::MilestoneDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, choice, params};

/// The project or group of the milestones.
type Subject = fn(&Caller) -> ContainerReference;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Milestones");
    let of_project: Subject = |caller| ContainerReference::Project(Reference::parse(caller.path("id")));
    let of_group: Subject = |caller| ContainerReference::Group(Reference::parse(caller.path("id")));
    both(
        api,
        [
            "/projects/{id}/milestones",
            "/projects/{id}/milestones/{milestone_id:int}",
            "/projects/{id}/milestones/{milestone_id:int}/issues",
            "/projects/{id}/milestones/{milestone_id:int}/merge_requests",
        ],
        of_project,
    );
    both(
        api,
        [
            "/groups/{id}/milestones",
            "/groups/{id}/milestones/{milestone_id:int}",
            "/groups/{id}/milestones/{milestone_id:int}/issues",
            "/groups/{id}/milestones/{milestone_id:int}/merge_requests",
        ],
        of_group,
    );
    api.post(
        "/projects/{id}/milestones/{milestone_id:int}/promote",
        Guard::SignedIn,
        promote,
        "Makes a project's milestone one of its group.",
    );
}

fn both(api: &mut Routes, [milestones, one, with_issues, with_merge_requests]: [&'static str; 4], of: Subject) {
    api.get(milestones, Guard::SignedIn, move |call| list(call, of), "The milestones, newest first.")
        .post(milestones, Guard::SignedIn, move |call| create(call, of), "Creates a milestone.")
        .get(one, Guard::SignedIn, move |call| show(call, of), "One milestone.")
        .put(one, Guard::SignedIn, move |call| edit(call, of), "Changes a milestone.")
        .delete(one, Guard::SignedIn, move |call| delete(call, of), "Removes a milestone.")
        .get(with_issues, Guard::SignedIn, move |call| issues(call, of), "The issues with a milestone.")
        .get(
            with_merge_requests,
            Guard::SignedIn,
            move |call| merge_requests(call, of),
            "The merge requests with a milestone.",
        );
}

choice! {
    /// Filters of milestones.
    pub(crate) enum StateParam {
        /// Active.
        Active = "active",
        /// Closed.
        Closed = "closed",
        /// All.
        All = "all",
    }
}

params! {
    /// Filters of milestones.
    pub(crate) struct ListParams {
        /// In this state; in any by default.
        state: Option<StateParam>,
        /// With one of these numbers.
        iids: Option<Vec<i64>>,
        /// Exactly this title.
        title: Option<String>,
        /// Text that the title or the description contains.
        search: Option<String>,
        /// Include the milestones of parent groups.
        include_ancestors | include_parent_milestones: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// A new milestone.
    pub(crate) struct CreateParams {
        /// The title.
        title: String,
        /// Markdown.
        description: Option<String>,
        /// The due date.
        due_date: Option<NaiveDate>,
        /// The start date.
        start_date: Option<NaiveDate>,
    }
}

params! {
    /// Changes to a milestone.
    pub(crate) struct EditParams {
        /// The title.
        title: Option<String>,
        /// The description.
        description: Option<String>,
        /// The start date; empty for none.
        start_date: Patch<NaiveDate>,
        /// The due date; empty for none.
        due_date: Patch<NaiveDate>,
        /// `close` or `activate`.
        state_event: Option<MilestoneEvent>,
    }
    rules(reader) { reader.at_least_one_of(&["title", "description", "start_date", "due_date", "state_event"]); }
}

params! {
    /// The page.
    pub(crate) struct PageParams {
        paging: Paging,
    }
}

fn id(caller: &Caller) -> Result<MilestoneId, ApiError> {
    caller.path_i64("milestone_id").map(MilestoneId::new)
}

async fn list(Call { caller, params }: Call<ListParams>, of: Subject) -> Result<Paged<MilestoneDto>, ApiError> {
    let of = of(&caller);
    let request = ListMilestones {
        active: match params.state {
            Some(StateParam::Active) => Some(true),
            Some(StateParam::Closed) => Some(false),
            Some(StateParam::All) | None => None,
        },
        iids: params.iids.filter(|iids| !iids.is_empty()),
        title: params.title.filter(|title| !title.is_empty()),
        search: params.search,
        include_ancestors: params.include_ancestors.unwrap_or(false),
        page: params.paging.into(),
    };
    let page = caller.read(move |query| milestone::list(query, &of, request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<MilestoneDto>, ApiError> {
    let (of, id) = (of(&call), id(&call)?);
    let view = call.read(move |query| milestone::show(query, &of, id)).await?;
    Ok(Json(view.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>, of: Subject) -> Result<Created<MilestoneDto>, ApiError> {
    let of = of(&caller);
    let request = CreateMilestone {
        title: params.title,
        description: params.description,
        start_date: params.start_date,
        due_date: params.due_date,
    };
    let view = caller.write(move |command| milestone::create(command, &of, request)).await?;
    Ok(Created(view.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>, of: Subject) -> Result<Json<MilestoneDto>, ApiError> {
    let (of, id) = (of(&caller), id(&caller)?);
    let request = EditMilestone {
        title: params.title,
        description: params.description,
        start_date: params.start_date,
        due_date: params.due_date,
        state_event: params.state_event,
    };
    let view = caller.write(move |command| milestone::edit(command, &of, id, request)).await?;
    Ok(Json(view.into()))
}

async fn delete(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, id, since) = (of(&call), id(&call)?, call.head().unmodified_since);
    call.write(move |command| milestone::delete(command, &of, id, since)).await?;
    Ok(NoContent)
}

async fn promote(call: Call<()>) -> Result<Json<MilestoneDto>, ApiError> {
    let (project, id) = (Reference::parse(call.path("id")), id(&call)?);
    let view = call.write(move |command| milestone::promote(command, &project, id)).await?;
    Ok(Json(view.into()))
}

async fn issues(Call { caller, params }: Call<PageParams>, of: Subject) -> Result<Paged<IssueDto>, ApiError> {
    let (of, id, page) = (of(&caller), id(&caller)?, params.paging.into());
    let page = caller.read(move |query| issue::of_milestone(query, &of, id, page, Detail::default())).await?;
    Ok(Paged(page.map(IssueDto::listed)))
}

async fn merge_requests(Call { caller, params }: Call<PageParams>, of: Subject) -> Result<Paged<ListedDto>, ApiError> {
    let (of, id, page) = (of(&caller), id(&caller)?, params.paging.into());
    let page = caller.read(move |query| merge_request::of_milestone(query, &of, id, page, Detail::default())).await?;
    Ok(Paged(page.map(ListedDto::full)))
}
