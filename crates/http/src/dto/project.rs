//! Projects as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use tenon_app::project::{Permissions, ProjectBrief, ProjectView, SharedGroup};
use tenon_domain::access::AccessLevel;
use tenon_domain::project::{Feature, Features};
use tenon_domain::repository::License;
use utoipa::ToSchema;

use super::custom_attribute::CustomAttributeDto;
use super::mirror::MirrorOptionsDto;
use super::namespace::NamespaceDto;
use super::project_setting::{ExpirationDto, ProjectSettingsDto};
use super::switches::{SwitchTable, SwitchesDto};
use super::user::UserRefDto;

/// A project: reduced for anonymous callers, and if `simple` asks for it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ProjectDto {
    /// Reduced.
    Simple(Box<SimpleProjectDto>),
    /// Full.
    Full(Box<FullProjectDto>),
}

/// The identifying fields of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SimpleProjectDto {
    id: i64,
    description: Option<String>,
    /// The default branch, also of an empty repository. Null while a repository is copied from elsewhere.
    default_branch: Option<String>,
    tag_list: Vec<String>,
    /// The same tags under the name that newer clients use.
    topics: Vec<String>,
    ssh_url_to_repo: String,
    http_url_to_repo: String,
    web_url: String,
    readme_url: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    last_activity_at: DateTime<Utc>,
    forks_count: i64,
    avatar_url: Option<String>,
    star_count: i64,
    namespace: NamespaceDto,
}

/// A project with all settings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullProjectDto {
    #[serde(flatten)]
    simple: SimpleProjectDto,
    visibility: &'static str,
    archived: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<OwnerDto>,
    creator_id: Option<i64>,
    #[serde(flatten)]
    features: FeaturesDto,
    /// The same as `public_jobs`, under the name that newer clients use.
    public_builds: bool,
    #[serde(flatten)]
    settings: ProjectSettingsDto,
    container_expiration_policy: ExpirationDto,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// Always null: a project is deleted at once.
    marked_for_deletion_at: Option<NaiveDate>,
    /// Always null, as `marked_for_deletion_at`.
    marked_for_deletion_on: Option<NaiveDate>,
    /// Always null: there is no service desk.
    service_desk_address: Option<String>,
    /// The spelling in responses; requests use the one without the second `s` (docs/API-QUIRKS.md).
    printing_merge_requests_link_enabled: bool,
    /// Omitted if issues are disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_issues_count: Option<i64>,
    import_status: &'static str,
    /// `git` for a repository that was imported, else null.
    import_type: Option<&'static str>,
    /// For maintainers: the address that the repository was imported from, without credentials. Null for others.
    import_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "left out, null and a text are three answers")]
    import_error: Option<Option<String>>,
    /// For maintainers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    runners_token: Option<String>,
    ci_config_path: Option<String>,
    merge_method: &'static str,
    shared_with_groups: Vec<SharedGroupDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_from_project: Option<SimpleProjectDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<PermissionsDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<ProjectStatisticsDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_attributes: Option<Vec<CustomAttributeDto>>,
    /// On request, if the caller may read the code; null if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "left out and null are two answers")]
    license: Option<Option<LicenseDto>>,
    /// The page of the licence file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "left out and null are two answers")]
    license_url: Option<Option<String>>,
    #[serde(rename = "_links")]
    links: ProjectLinksDto,
    /// True if the repository is empty.
    empty_repo: bool,
    /// True if the caller may open a merge request into the project, from a fork at least.
    can_create_merge_request_in: bool,
    /// For maintainers, of one project: how many approvals the rule of type `any_approver` requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    approvals_before_merge: Option<i64>,
    /// For maintainers, of one project: the repository of another server that it follows.
    #[serde(flatten)]
    mirror: Option<MirrorOptionsDto>,
    /// For administrators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository_storage: Option<&'static str>,
}

/// The owner of a personal project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OwnerDto {
    #[serde(flatten)]
    user: UserRefDto,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
}

/// The switches of projects.
pub(crate) struct OfProject;

/// The enabled features of a project.
type FeaturesDto = SwitchesDto<OfProject>;

impl SwitchTable for OfProject {
    const NAME: &'static str = "FeaturesDto";
    const MEANING: &'static str = "The enabled features of a project.";

    fn names() -> Vec<(&'static str, bool)> {
        Feature::ALL.iter().map(|feature| (feature.name(), false)).collect()
    }
}

fn switch(features: Features, name: &str) -> Option<bool> {
    let feature = Feature::ALL.iter().find(|feature| feature.name() == name)?;
    Some(features.is_on(*feature))
}

/// A group with which a project or group is shared.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedGroupDto {
    group_id: i64,
    group_name: String,
    group_full_path: String,
    group_access_level: i64,
    expires_at: Option<NaiveDate>,
}

/// The memberships of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PermissionsDto {
    project_access: Option<AccessDto>,
    group_access: Option<AccessDto>,
}

/// One membership of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AccessDto {
    access_level: i64,
    notification_level: i64,
}

/// The licence of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LicenseDto {
    key: &'static str,
    name: &'static str,
    nickname: Option<&'static str>,
    html_url: Option<String>,
    source_url: Option<&'static str>,
}

impl From<License> for LicenseDto {
    fn from(license: License) -> Self {
        Self {
            html_url: license.page(),
            key: license.key,
            name: license.name,
            nickname: license.nickname,
            source_url: license.source_url,
        }
    }
}

/// The clones and fetches of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FetchStatisticsDto {
    fetches: FetchesDto,
}

/// The clones and fetches of the last 30 days.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FetchesDto {
    total: i64,
    /// The days with any, newest first.
    days: Vec<FetchesOfDayDto>,
}

/// The clones and fetches of one day.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FetchesOfDayDto {
    count: i64,
    date: NaiveDate,
}

impl From<Vec<(NaiveDate, i64)>> for FetchStatisticsDto {
    fn from(found: Vec<(NaiveDate, i64)>) -> Self {
        let total = found.iter().map(|(_, count)| count).sum();
        let days = found.into_iter().map(|(date, count)| FetchesOfDayDto { count, date }).collect();
        Self { fetches: FetchesDto { total, days } }
    }
}

/// The statistics of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectStatisticsDto {
    commit_count: i64,
    #[serde(flatten)]
    sizes: SizesDto,
}

/// Sizes in bytes.
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SizesDto {
    storage_size: i64,
    repository_size: i64,
    wiki_size: i64,
    lfs_objects_size: i64,
    job_artifacts_size: i64,
}

impl SizesDto {
    /// Of repositories, wikis and LFS objects that take so many bytes on disk: nothing else is stored.
    pub(crate) const fn of_repositories(code: i64, wikis: i64, lfs: i64) -> Self {
        Self {
            storage_size: code.saturating_add(wikis).saturating_add(lfs),
            repository_size: code,
            wiki_size: wikis,
            lfs_objects_size: lfs,
            job_artifacts_size: 0,
        }
    }
}

/// API URLs of related resources.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectLinksDto {
    #[serde(rename = "self")]
    itself: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    issues: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_requests: Option<String>,
    repo_branches: String,
    labels: String,
    events: String,
    members: String,
}

/// The notification level of a user who has chosen none: the global one.
const GLOBAL_NOTIFICATIONS: i64 = 3;

impl ProjectDto {
    pub(crate) fn present(view: ProjectView) -> Self {
        if view.simple {
            return Self::Simple(Box::new(SimpleProjectDto::present(view.brief)));
        }
        let links = links(&view);
        let project = &view.brief.project;
        let features = project.features;
        Self::Full(Box::new(FullProjectDto {
            visibility: project.visibility.as_str(),
            archived: project.archived,
            owner: view.owner.map(|owner| OwnerDto { created_at: owner.created_at, user: owner.into() }),
            creator_id: project.creator.map(tenon_domain::id::UserId::get),
            features: FeaturesDto::of(|name| switch(features, name)),
            public_builds: features.public_jobs,
            settings: ProjectSettingsDto { values: project.settings.clone(), has_wiki: view.has_wiki },
            container_expiration_policy: ExpirationDto::new(&project.settings),
            updated_at: project.updated_at,
            marked_for_deletion_at: None,
            marked_for_deletion_on: None,
            service_desk_address: None,
            printing_merge_requests_link_enabled: features.printing_merge_request_link_enabled,
            open_issues_count: view.has_issues.then_some(project.open_issues_count),
            import_status: project.import.status(),
            import_type: project.imported_from.is_some().then_some("git"),
            import_url: project.imported_from.clone().filter(|_| view.for_editor),
            // Maintainers see the field even if it is empty.
            import_error: view.for_editor.then(|| project.import.error().map(ToOwned::to_owned)),
            runners_token: view.runners_token,
            ci_config_path: project.ci_config_path.clone(),
            merge_method: project.merge_method.as_str(),
            shared_with_groups: view.shared_with.into_iter().map(Into::into).collect(),
            forked_from_project: view.forked_from.map(|parent| SimpleProjectDto::present(*parent)),
            permissions: view.permissions.map(Into::into),
            statistics: view.statistics.then(|| ProjectStatisticsDto {
                commit_count: view.brief.facts.commit_count,
                sizes: {
                    let facts = &view.brief.facts;
                    SizesDto::of_repositories(facts.repository_size, facts.wiki_size, facts.lfs_size)
                },
            }),
            custom_attributes: view
                .custom_attributes
                .map(|attributes| attributes.into_iter().map(Into::into).collect()),
            license_url: view.license.as_ref().map(|found| found.as_ref().map(|found| found.url.clone())),
            license: view.license.map(|found| found.map(|found| found.license.into())),
            links,
            empty_repo: project.default_branch.is_none(),
            can_create_merge_request_in: view.can_create_merge_request,
            approvals_before_merge: view.approvals_before_merge,
            mirror: view.mirror.map(|mirror| (*mirror).into()),
            repository_storage: view.storage,
            simple: SimpleProjectDto::present(view.brief),
        }))
    }
}

impl SimpleProjectDto {
    pub(super) fn present(brief: ProjectBrief) -> Self {
        let project = brief.project;
        Self {
            id: project.id.get(),
            default_branch: project.head_branch().map(ToOwned::to_owned),
            description: project.description,
            topics: brief.tags.clone(),
            tag_list: brief.tags,
            ssh_url_to_repo: brief.ssh_url,
            http_url_to_repo: brief.http_url,
            web_url: brief.web_url,
            readme_url: brief.readme_url,
            name: project.name,
            name_with_namespace: brief.full_name,
            path: project.path,
            path_with_namespace: brief.full_path,
            created_at: project.created_at,
            last_activity_at: project.last_activity_at,
            forks_count: project.forks_count,
            avatar_url: brief.avatar_url,
            star_count: project.star_count,
            namespace: brief.namespace.into(),
        }
    }
}

fn links(view: &ProjectView) -> ProjectLinksDto {
    let below = |part: &str| format!("{}/{part}", view.api_url);
    ProjectLinksDto {
        itself: view.api_url.clone(),
        issues: view.has_issues.then(|| below("issues")),
        merge_requests: view.has_merge_requests.then(|| below("merge_requests")),
        repo_branches: below("repository/branches"),
        labels: below("labels"),
        events: below("events"),
        members: below("members"),
    }
}

impl From<SharedGroup> for SharedGroupDto {
    fn from(group: SharedGroup) -> Self {
        Self {
            group_id: group.id.get(),
            group_name: group.name,
            group_full_path: group.full_path,
            group_access_level: group.level.value(),
            expires_at: group.expires_at,
        }
    }
}

impl From<Permissions> for PermissionsDto {
    fn from(permissions: Permissions) -> Self {
        let access =
            |level: AccessLevel| AccessDto { access_level: level.value(), notification_level: GLOBAL_NOTIFICATIONS };
        Self { project_access: permissions.project.map(access), group_access: permissions.group.map(access) }
    }
}

/// The percentage of bytes by language, the largest first.
#[derive(Debug, ToSchema)]
#[schema(value_type = std::collections::HashMap<String, f64>)]
pub(crate) struct LanguagesDto(pub(crate) Vec<(String, f64)>);

// A JSON object with ordered members.
impl Serialize for LanguagesDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, percent) in &self.0 {
            map.serialize_entry(name, percent)?;
        }
        map.end()
    }
}

/// A share of a project with a group.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectShareDto {
    pub(crate) id: i64,
    pub(crate) project_id: i64,
    pub(crate) group_id: i64,
    pub(crate) group_access: i64,
    pub(crate) expires_at: Option<NaiveDate>,
}
