//! Lists of projects.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use tenon_app::project::{self, GroupScope, ListProjects, ProjectOrder, ProjectPlace};
use tenon_app::{Query, Reference};
use tenon_domain::access::AccessLevel;
use tenon_domain::visibility::Visibility;
use tenon_edge::error::ApiError;

use crate::dto::project::ProjectDto;
use crate::endpoint::{Call, Caller, Listed};
use crate::params::sort::Sort;
use crate::params::{KeysetPaging, choice, params};

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
        /// Nearness of path and name to `search`; without one, the date of creation.
        Similarity = "similarity",
        /// Bytes of the repository; administrators only, others get the date of creation.
        RepositorySize = "repository_size",
        /// The same: nothing else is stored for a project.
        StorageSize = "storage_size",
        /// Bytes of packages: there are none, so that the order is by id.
        PackagesSize = "packages_size",
        /// Bytes of the wiki.
        WikiSize = "wiki_size",
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
        /// With files in this language, whatever the case.
        with_programming_language: Option<String>,
        /// With all these topics.
        topic: Option<Vec<String>>,
        /// Neither archived nor about to be deleted, or only the others.
        active: Option<bool>,
        /// With greater ids only.
        id_after: Option<i64>,
        /// With smaller ids only.
        id_before: Option<i64>,
        /// Active at or after this moment.
        last_activity_after: Option<DateTime<Utc>>,
        /// Active at or before this moment.
        last_activity_before: Option<DateTime<Utc>>,
        /// Only projects that the caller has imported.
        imported: Option<bool>,
        /// Whose repositories are in this place, which is always `default`; administrators only.
        repository_storage: Option<String>,
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
        paging: KeysetPaging,
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
            language: params.with_programming_language.filter(|language| !language.is_empty()),
            topics: params.topic.unwrap_or_default(),
            active: params.active,
            id_after: params.id_after,
            id_before: params.id_before,
            last_activity_after: params.last_activity_after,
            last_activity_before: params.last_activity_before,
            imported: params.imported.unwrap_or(false),
            repository_storage: params.repository_storage.filter(|name| !name.is_empty()),
            min_access_level: params.min_access_level,
            statistics: params.statistics.unwrap_or(false),
            with_issues_enabled: params.with_issues_enabled.unwrap_or(false),
            with_merge_requests_enabled: params.with_merge_requests_enabled.unwrap_or(false),
            with_custom_attributes: params.with_custom_attributes.unwrap_or(false),
            custom_attributes: params.custom_attributes,
            order_by: match params.order_by.unwrap_or(OrderBy::CreatedAt) {
                OrderBy::Id | OrderBy::PackagesSize => ProjectOrder::Id,
                OrderBy::WikiSize => ProjectOrder::WikiSize,
                OrderBy::Name => ProjectOrder::Name,
                OrderBy::Path => ProjectOrder::Path,
                OrderBy::CreatedAt => ProjectOrder::CreatedAt,
                OrderBy::UpdatedAt => ProjectOrder::UpdatedAt,
                OrderBy::LastActivityAt => ProjectOrder::LastActivityAt,
                OrderBy::StarCount => ProjectOrder::StarCount,
                OrderBy::Similarity => ProjectOrder::Similarity,
                OrderBy::RepositorySize => ProjectOrder::RepositorySize,
                OrderBy::StorageSize => ProjectOrder::StorageSize,
            },
            descending: params.sort != Some(Sort::Asc),
            page: params.paging.page,
        }
    }
}

async fn find(caller: &Caller, place: ProjectPlace, params: ListParams) -> Result<Listed<ProjectDto>, ApiError> {
    let keyset = params.paging.keyset.clone();
    let request = ListProjects::from(params);
    let reads_many = request.reads_many_rows();
    let find = move |query: &mut Query<'_>| project::find(query, &place, request, keyset.as_ref());
    let found = if reads_many { caller.search(find).await? } else { caller.read(find).await? };
    Ok(Listed(found.map(ProjectDto::present)))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Listed<ProjectDto>, ApiError> {
    find(&caller, ProjectPlace::Everywhere, params).await
}

pub(super) async fn of_user(Call { caller, params }: Call<ListParams>) -> Result<Listed<ProjectDto>, ApiError> {
    let user = Reference::parse(caller.path("user_id"));
    find(&caller, ProjectPlace::OfUser(user), params).await
}

pub(super) async fn of_group(Call { caller, params }: Call<GroupListParams>) -> Result<Listed<ProjectDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    let scope = GroupScope {
        include_subgroups: params.include_subgroups.unwrap_or(false),
        with_shared: params.with_shared.unwrap_or(true),
    };
    find(&caller, ProjectPlace::OfGroup(group, scope), params.projects).await
}

pub(super) async fn forks(Call { caller, params }: Call<ListParams>) -> Result<Listed<ProjectDto>, ApiError> {
    let source = Reference::parse(caller.path("id"));
    find(&caller, ProjectPlace::ForksOf(source), params).await
}
