//! Links between issues (reference: issues-merge-requests-projects, section 12.1).

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::Reference;
use tenon_app::issue::{self, LinkView, LinkedIssue};
use tenon_domain::id::{Iid, IssueLinkId};
use tenon_domain::issue::LinkKind;
use tenon_domain::page::Page;
use utoipa::ToSchema;

use super::dto::IssueDto;
use super::{IssueParams, PagedIssueParams, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::params::params;
use crate::reply::{Created, Json, Paged};

params! {
    /// With what an issue is to be linked.
    pub(crate) struct LinkParams {
        issue: IssueParams,
        /// The project of the other issue, by id or path.
        target_project_id: String,
        /// The number of the other issue there.
        target_issue_iid: i64,
        /// How the first stands to the second; `relates_to` where absent.
        link_type: Option<LinkKind>,
    }
}

/// An issue as the other end of a link.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkedIssueDto {
    #[serde(flatten)]
    issue: IssueDto,
    issue_link_id: i64,
    /// How the issue that was asked about stands to this one.
    link_type: &'static str,
    #[serde(serialize_with = "crate::json_time::moment")]
    link_created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::json_time::moment")]
    link_updated_at: DateTime<Utc>,
}

/// Both ends of a link.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkDto {
    source_issue: IssueDto,
    target_issue: IssueDto,
    /// How the first stands to the second.
    link_type: &'static str,
}

impl From<LinkedIssue> for LinkedIssueDto {
    fn from(linked: LinkedIssue) -> Self {
        Self {
            issue: IssueDto::listed(linked.issue),
            issue_link_id: linked.link.get(),
            link_type: linked.kind.as_str(),
            link_created_at: linked.created_at,
            link_updated_at: linked.updated_at,
        }
    }
}

impl From<LinkView> for LinkDto {
    fn from(link: LinkView) -> Self {
        Self {
            source_issue: IssueDto::single(link.source),
            target_issue: IssueDto::single(link.target),
            link_type: link.kind.as_str(),
        }
    }
}

pub(super) async fn list(Call { caller, params }: Call<PagedIssueParams>) -> Result<Paged<LinkedIssueDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let linked = caller.read(move |query| issue::linked(query, &project, iid)).await?;
    Ok(Paged(Page::cut(linked, params.paging.into()).map(Into::into)))
}

pub(super) async fn create(Call { caller, params }: Call<LinkParams>) -> Result<Created<LinkDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let target = (Reference::parse(&params.target_project_id), Iid::new(params.target_issue_iid));
    let kind = params.link_type.unwrap_or(LinkKind::RelatesTo);
    let view = caller.write(move |command| issue::link(command, &project, iid, (&target.0, target.1), kind)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn delete(Call { caller, params }: Call<IssueParams>) -> Result<Json<LinkDto>, ApiError> {
    let (project, id) = (project(&caller), IssueLinkId::new(caller.path_i64("issue_link_id")?));
    let view = caller.write(move |command| issue::unlink(command, &project, params.iid(), id)).await?;
    Ok(Json(view.into()))
}
