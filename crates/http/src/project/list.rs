//! Lists of projects.

use std::collections::BTreeMap;

use tenon_app::Reference;
use tenon_app::project::{self, GroupScope, ListProjects, ProjectOrder, ProjectView};
use tenon_domain::access::AccessLevel;
use tenon_domain::page::Page;
use tenon_domain::visibility::Visibility;
use tenon_edge::error::ApiError;

use crate::dto::project::ProjectDto;
use crate::endpoint::{Call, Paged};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

choice! {
    /// The orders of a list of projects.
    pub(crate) enum OrderBy {
        /// Id.
        Id = "id",
        /// Display name.
        Name = "name",
        /// Last part of the path.
        Path = "path",
        /// Date of creation.
        CreatedAt = "created_at",
        /// Date of the last change.
        UpdatedAt = "updated_at",
        /// Date of the last activity.
        LastActivityAt = "last_activity_at",
        /// Number of stars.
        StarCount = "star_count",
    }
}

params! {
    /// Filters of projects.
    pub(crate) struct ListParams {
        /// Only archived projects, or none of them.
        archived: Option<bool>,
        /// With this visibility.
        visibility: Option<Visibility>,
        /// Sort key; the date of creation by default.
        order_by: Option<OrderBy>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        /// Part of the path, name or description.
        search: Option<String>,
        /// True if `search` also compares the full path and the name of the namespace.
        search_namespaces: Option<bool>,
        /// Only the identifying fields.
        simple: Option<bool>,
        /// Only projects that the caller owns.
        owned: Option<bool>,
        /// Only projects of which the caller is a member.
        membership: Option<bool>,
        /// Only projects that the caller has starred.
        starred: Option<bool>,
        /// With statistics.
        statistics: Option<bool>,
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
        /// With issues enabled.
        with_issues_enabled: Option<bool>,
        /// With merge requests enabled.
        with_merge_requests_enabled: Option<bool>,
        /// Only those in which the caller has at least this level.
        min_access_level: Option<AccessLevel>,
        /// With all these custom attributes; administrators only.
        custom_attributes: BTreeMap<String, String>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "nothing is replicated that could differ")]
        wiki_checksum_failed: Option<bool>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "nothing is replicated that could differ")]
        repository_checksum_failed: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// Filters of the projects of a group.
    pub(crate) struct GroupListParams {
        projects: ListParams,
        /// Include the projects of subgroups.
        include_subgroups: Option<bool>,
        /// Include projects that are shared with the group; yes by default.
        with_shared: Option<bool>,
    }
}

impl From<ListParams> for ListProjects {
    fn from(params: ListParams) -> Self {
        Self {
            archived: params.archived,
            visibility: params.visibility,
            search: params.search,
            search_namespaces: params.search_namespaces.unwrap_or(false),
            simple: params.simple.unwrap_or(false),
            owned: params.owned.unwrap_or(false),
            membership: params.membership.unwrap_or(false),
            starred: params.starred.unwrap_or(false),
            language: None,
            topic: None,
            min_access_level: params.min_access_level,
            statistics: params.statistics.unwrap_or(false),
            with_issues_enabled: params.with_issues_enabled.unwrap_or(false),
            with_merge_requests_enabled: params.with_merge_requests_enabled.unwrap_or(false),
            with_custom_attributes: params.with_custom_attributes.unwrap_or(false),
            custom_attributes: params.custom_attributes,
            order_by: match params.order_by.unwrap_or(OrderBy::CreatedAt) {
                OrderBy::Id => ProjectOrder::Id,
                OrderBy::Name => ProjectOrder::Name,
                OrderBy::Path => ProjectOrder::Path,
                OrderBy::CreatedAt => ProjectOrder::CreatedAt,
                OrderBy::UpdatedAt => ProjectOrder::UpdatedAt,
                OrderBy::LastActivityAt => ProjectOrder::LastActivityAt,
                OrderBy::StarCount => ProjectOrder::StarCount,
            },
            descending: params.sort != Some(Sort::Asc),
            page: params.paging.into(),
        }
    }
}

fn present(page: Page<ProjectView>) -> Paged<ProjectDto> {
    Paged(page.map(ProjectDto::present))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ProjectDto>, ApiError> {
    let page = caller.read(move |query| project::list(query, params.into())).await?;
    Ok(present(page))
}

pub(super) async fn of_user(Call { caller, params }: Call<ListParams>) -> Result<Paged<ProjectDto>, ApiError> {
    let user = Reference::parse(caller.path("user_id"));
    let page = caller.read(move |query| project::of_user(query, &user, params.into())).await?;
    Ok(present(page))
}

pub(super) async fn of_group(Call { caller, params }: Call<GroupListParams>) -> Result<Paged<ProjectDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    let scope = GroupScope {
        include_subgroups: params.include_subgroups.unwrap_or(false),
        with_shared: params.with_shared.unwrap_or(true),
    };
    let page = caller.read(move |query| project::of_group(query, &group, scope, params.projects.into())).await?;
    Ok(present(page))
}

pub(super) async fn forks(Call { caller, params }: Call<ListParams>) -> Result<Paged<ProjectDto>, ApiError> {
    let source = Reference::parse(caller.path("id"));
    let page = caller.read(move |query| project::forks(query, &source, params.into())).await?;
    Ok(present(page))
}
