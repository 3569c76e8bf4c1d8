//! Links between issues.

use tenon_app::{Reference, issue};
use tenon_domain::id::{Iid, IssueLinkId};
use tenon_domain::issue::LinkKind;
use tenon_domain::page::Page;
use tenon_edge::error::ApiError;

use super::{IssueParams, PagedIssueParams, project};
use crate::dto::issue::{LinkDto, LinkedIssueDto};
use crate::endpoint::{Call, Created, Json, Paged};
use crate::params::{Nullable, params};

params! {
    /// A new link.
    pub(crate) struct LinkParams {
        issue: IssueParams,
        /// The project of the other issue, by id or path; null for the project of this one.
        target_project_id: Nullable<String>,
        /// The iid of the other issue.
        target_issue_iid: i64,
        /// The type of the link; `relates_to` by default.
        link_type: Option<LinkKind>,
    }
}

pub(super) async fn list(Call { caller, params }: Call<PagedIssueParams>) -> Result<Paged<LinkedIssueDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let linked = caller.read(move |query| issue::linked(query, &project, iid)).await?;
    Ok(Paged(Page::cut(linked, params.paging.into()).map(Into::into)))
}

pub(super) async fn create(Call { caller, params }: Call<LinkParams>) -> Result<Created<LinkDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let elsewhere = params.target_project_id.0.filter(|named| !named.is_empty());
    let there = elsewhere.map_or_else(|| project.clone(), |named| Reference::parse(&named));
    let target = (there, Iid::new(params.target_issue_iid));
    let kind = params.link_type.unwrap_or(LinkKind::RelatesTo);
    let view = caller.write(move |command| issue::link(command, &project, iid, (&target.0, target.1), kind)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn delete(Call { caller, params }: Call<IssueParams>) -> Result<Json<LinkDto>, ApiError> {
    let (project, id) = (project(&caller), IssueLinkId::new(caller.path_i64("issue_link_id")?));
    let view = caller.write(move |command| issue::unlink(command, &project, params.iid(), id)).await?;
    Ok(Json(view.into()))
}
