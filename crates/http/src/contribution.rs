//! Contribution events (reference: users-groups-auth-settings, section 21; repository-git-webhooks, section 15).

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::Reference;
use tenon_app::contribution::{self, ContributionView, ListContributions, OpenContribution};
use tenon_app::identity::Guard;
use tenon_app::repository::PushData;
use tenon_domain::contribution::{ContributionAction, ContributionTarget};
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;
use tenon_domain::token::ScopeRule;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::note::NoteDto;
use crate::params::{Paging, params};
use crate::reply::Paged;
use crate::routes::Routes;
use crate::sort::Sort;
use crate::user::UserRefDto;

/// All that is said of something that the caller may not see.
const HIDDEN: &str = "Confidential event";

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Events")
        .get("/projects/{id}/events", Guard::Anyone, of_project, "What people do in a project.")
        .scope(ScopeRule::ReadUser)
        .get("/events", Guard::SignedIn, own, "What the caller does.")
        .get("/users/{id}/events", Guard::Anyone, of_user, "What a user does.");
}

params! {
    /// Which contributions are wanted.
    pub(crate) struct ListParams {
        /// Of this kind.
        action: Option<ContributionAction>,
        /// About something of this kind.
        target_type: Option<ContributionTarget>,
        /// Before this day.
        before: Option<NaiveDate>,
        /// After this day.
        after: Option<NaiveDate>,
        /// Which way; newest first where absent.
        sort: Option<Sort>,
        paging: Paging,
    }
}

/// Something that somebody did. Of what the caller may not see, everything is null but the title.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct ContributionDto {
    id: Option<i64>,
    /// Always null.
    title: Option<String>,
    project_id: Option<i64>,
    action_name: Option<&'static str>,
    target_id: Option<i64>,
    /// The number of the target, or its id where it has none.
    target_iid: Option<i64>,
    target_type: Option<&'static str>,
    author_id: Option<i64>,
    /// For comments, the title of what was commented on.
    target_title: Option<String>,
    #[serde(serialize_with = "crate::json_time::optional")]
    created_at: Option<DateTime<Utc>>,
    /// The comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteDto>,
    /// What was pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    push_data: Option<PushDataDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<UserRefDto>,
    author_username: Option<String>,
}

/// What a push did to a branch or tag.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushDataDto {
    /// How many commits came.
    commit_count: i64,
    /// `created`, `pushed` or `removed`.
    action: String,
    /// `branch` or `tag`.
    ref_type: String,
    /// The commit before; null where the ref is new.
    commit_from: Option<String>,
    /// The commit after; null where the ref is gone.
    commit_to: Option<String>,
    /// The short name of the ref.
    r#ref: String,
    /// The first line of the newest commit.
    commit_title: Option<String>,
}

impl From<PushData> for PushDataDto {
    fn from(push: PushData) -> Self {
        Self {
            commit_count: push.commit_count,
            action: push.action,
            ref_type: push.ref_type,
            commit_from: push.commit_from,
            commit_to: push.commit_to,
            r#ref: push.ref_name,
            commit_title: push.commit_title,
        }
    }
}

/// How it is told. Of pushes, that depends on what became of the ref.
fn action_name(open: &OpenContribution) -> &'static str {
    match open.push.as_ref().map(|push| push.action.as_str()) {
        Some("created") => "pushed new",
        Some("removed") => "deleted",
        _ => open.contribution.action_name,
    }
}

/// What the target is called; projects and members are none.
fn target_type(open: &OpenContribution) -> Option<&'static str> {
    match open.contribution.target {
        Some(ContributionTarget::Issue) => Some(IssuableKind::Issue.type_name()),
        Some(ContributionTarget::MergeRequest) => Some(IssuableKind::MergeRequest.type_name()),
        Some(ContributionTarget::Milestone) => Some("Milestone"),
        Some(ContributionTarget::Note) => {
            Some(open.note.as_ref().and_then(|view| view.note.kind.type_name()).unwrap_or("Note"))
        }
        Some(ContributionTarget::Project | ContributionTarget::Snippet | ContributionTarget::User) | None => None,
    }
}

impl From<ContributionView> for ContributionDto {
    fn from(view: ContributionView) -> Self {
        match view {
            ContributionView::Hidden => Self { target_title: Some(HIDDEN.to_owned()), ..Self::default() },
            ContributionView::Open(open) => (*open).into(),
        }
    }
}

impl From<OpenContribution> for ContributionDto {
    fn from(open: OpenContribution) -> Self {
        Self {
            id: Some(open.id.get()),
            title: None,
            project_id: open.project.map(ProjectId::get),
            action_name: Some(action_name(&open)),
            target_id: open.target.map(|(id, _)| id),
            target_iid: open.target.map(|(_, iid)| iid),
            target_type: target_type(&open),
            author_id: open.author.as_ref().map(|author| author.id.get()),
            target_title: open.target_title,
            created_at: Some(open.created_at),
            note: open.note.map(Into::into),
            push_data: open.push.map(Into::into),
            author_username: open.author.as_ref().map(|author| author.username.clone()),
            author: open.author.map(Into::into),
        }
    }
}

impl From<ListParams> for ListContributions {
    fn from(params: ListParams) -> Self {
        Self {
            action: params.action,
            target: params.target_type,
            before: params.before,
            after: params.after,
            ascending: params.sort == Some(Sort::Asc),
            page: params.paging.into(),
        }
    }
}

fn present(page: Page<ContributionView>) -> Paged<ContributionDto> {
    Paged(page.map(Into::into))
}

async fn own(Call { caller, params }: Call<ListParams>) -> Result<Paged<ContributionDto>, ApiError> {
    let request = params.into();
    Ok(present(caller.read(move |query| contribution::own(query, &request)).await?))
}

async fn of_user(Call { caller, params }: Call<ListParams>) -> Result<Paged<ContributionDto>, ApiError> {
    let (user, request) = (Reference::parse(caller.path("id")), params.into());
    Ok(present(caller.read(move |query| contribution::of_user(query, &user, &request)).await?))
}

async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<ContributionDto>, ApiError> {
    let (project, request) = (Reference::parse(caller.path("id")), params.into());
    Ok(present(caller.read(move |query| contribution::of_project(query, &project, &request)).await?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_something_hidden_nothing_is_told() {
        let hidden = serde_json::to_value(ContributionDto::from(ContributionView::Hidden)).unwrap();
        assert_eq!(
            hidden,
            json!({
                "id": null, "title": null, "project_id": null, "action_name": null, "target_id": null,
                "target_iid": null, "target_type": null, "author_id": null, "target_title": "Confidential event",
                "created_at": null, "author_username": null,
            })
        );
    }
}
