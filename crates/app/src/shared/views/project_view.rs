//! Projects with everything that an answer shows of them, loaded for a whole page at once: the number of statements does
//! not grow with the page.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::namespace::Namespace;
use tenon_domain::project::FeatureLevel;
use tenon_domain::project::Project;
use tenon_domain::project::mirror::Mirror;
use tenon_domain::project::setting::{ISSUES, MERGE_REQUESTS, REPOSITORY, WIKI};
use tenon_domain::repository::{License, STORAGE};
use tenon_domain::time::Date;
use tenon_storage::access::Levels;
use tenon_storage::custom_attribute::{CustomAttribute, SubjectKind};
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::repository::RepositoryFacts;
use tenon_storage::share::ShareView;
use tenon_storage::{custom_attribute, group, member, project, repository, share};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::shared::approvals::required_approvals;
use crate::shared::views::external_wiki;
use crate::shared::views::namespace::NamespaceView;
use crate::shared::views::user_ref::UserRef;

/// The part of every view of a project, the reduced one too.
#[derive(Debug, Clone)]
pub struct ProjectBrief {
    /// The page of its readme.
    pub readme_url: Option<String>,
    /// The facts about its repository; those of files only if the caller may read them.
    pub facts: RepositoryFacts,
    /// True if the caller may read the code.
    pub reads_code: bool,
    /// The project.
    pub project: Project,
    /// The namespace in which it lives.
    pub namespace: NamespaceView,
    /// Its tags, sorted.
    pub tags: Vec<String>,
    /// `namespace/path`.
    pub full_path: String,
    /// `Namespace / Name`.
    pub full_name: String,
    /// Its page.
    pub web_url: String,
    /// The address from which Git clones over HTTP.
    pub http_url: String,
    /// The address from which Git clones over SSH.
    pub ssh_url: String,
    /// Its picture.
    pub avatar_url: Option<String>,
}

/// A project as a signed-in caller sees it.
#[derive(Debug, Clone)]
pub struct ProjectView {
    /// The reduced view.
    pub brief: ProjectBrief,
    /// True if only the reduced view is to be shown.
    pub simple: bool,
    /// The owner of a personal project.
    pub owner: Option<UserRef>,
    /// The groups it is shared with, those left out that the caller may not see.
    pub shared_with: Vec<SharedGroup>,
    /// The project it was forked from, if the caller may see that.
    pub forked_from: Option<Box<ProjectBrief>>,
    /// The caller's own memberships.
    pub permissions: Option<Permissions>,
    /// True if the sizes were asked for and may be shown.
    pub statistics: bool,
    /// The custom attributes, for administrators who ask.
    pub custom_attributes: Option<Vec<CustomAttribute>>,
    /// True if it is shown to someone who may edit it: with the source and the error of its import.
    pub for_editor: bool,
    /// For those who may edit it: the token for runners.
    pub runners_token: Option<String>,
    /// For maintainers: how many approvals of anybody a merge requires.
    pub approvals_before_merge: Option<i64>,
    /// For maintainers: the repository that it follows.
    pub mirror: Option<Box<Mirror>>,
    /// Its licence, if that was asked for and the caller may read the code; `None` inside if there is none.
    pub license: Option<Option<LicenseView>>,
    /// True if the caller has its issues.
    pub has_issues: bool,
    /// True if the caller has its merge requests.
    pub has_merge_requests: bool,
    /// True if the caller may open a merge request into it, from a fork at least.
    pub can_create_merge_request: bool,
    /// True if it has a wiki: one of its own, or one elsewhere.
    pub has_wiki: bool,
    /// Where its repository is stored, for administrators.
    pub storage: Option<&'static str>,
    /// Its address in the API.
    pub api_url: String,
}

/// The licence of a project.
#[derive(Debug, Clone)]
pub struct LicenseView {
    /// The licence.
    pub license: License,
    /// The page of its file.
    pub url: String,
}

/// A group that a project is shared with.
#[derive(Debug, Clone)]
pub struct SharedGroup {
    /// The group.
    pub id: NamespaceId,
    /// Its display name.
    pub name: String,
    /// Its full path.
    pub full_path: String,
    /// The most that its members get.
    pub level: AccessLevel,
    /// When that ends.
    pub expires_at: Option<Date>,
}

impl From<ShareView> for SharedGroup {
    fn from(view: ShareView) -> Self {
        Self {
            id: view.share.group,
            name: view.group_name,
            full_path: view.group_full_path,
            level: view.share.level,
            expires_at: view.share.expires_at,
        }
    }
}

/// The caller's own memberships.
#[derive(Debug, Clone, Copy)]
pub struct Permissions {
    /// Direct membership in the project.
    pub project: Option<AccessLevel>,
    /// Membership in the project's group or above it.
    pub group: Option<AccessLevel>,
}

impl From<Levels> for Permissions {
    fn from(levels: Levels) -> Self {
        Self { project: levels.project, group: levels.group }
    }
}

/// How much of a project is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Detail {
    /// Only the reduced view.
    pub(crate) simple: bool,
    /// Sizes.
    pub(crate) statistics: bool,
    /// Custom attributes, if an administrator asks.
    pub(crate) custom_attributes: bool,
    /// The facts that only those read who may edit the project. The caller must be one of them.
    pub(crate) for_editor: bool,
    /// The licence; the caller must be one who may read the code.
    pub(crate) license: bool,
    /// The caller's memberships, if they are known already; for a single project only.
    pub(crate) permissions: Option<Permissions>,
}

/// The views of `projects`, in their order. Anonymous callers get the reduced view, whatever is asked.
pub(crate) fn views(
    query: &mut Query<'_>,
    projects: Vec<ProjectWithNamespace>,
    detail: Detail,
) -> Result<Vec<ProjectView>, AppError> {
    let simple = detail.simple || query.viewer() == Viewer::Anonymous;
    let (briefs, owners) = briefs(query, projects)?;
    if simple {
        return Ok(briefs.into_iter().map(|brief| reduced(query, brief)).collect());
    }
    let ids: Vec<ProjectId> = briefs.iter().map(|brief| brief.project.id).collect();
    let mut shares = shared_groups(query, &ids)?;
    let parents = parents(query, &briefs)?;
    let permissions = match (detail.permissions, briefs.as_slice()) {
        (Some(known), [brief]) => HashMap::from([(brief.project.id, known)]),
        _ => permissions(query, &briefs)?,
    };
    // Only of those without a wiki of their own it matters whether there is another.
    let without: Vec<ProjectId> =
        briefs.iter().filter(|brief| !brief.project.has(&WIKI)).map(|brief| brief.project.id).collect();
    let wikis = external_wiki::of(query, &without)?;
    let mut attributes = if detail.custom_attributes && query.is_admin() {
        let numbers: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        Some(custom_attribute::by_subjects(&mut query.tx, SubjectKind::Project, &numbers)?)
    } else {
        None
    };
    let members = members_of_private_parts(query, &briefs)?;
    briefs
        .into_iter()
        .map(|brief| {
            let id = brief.project.id;
            let has = |part| match brief.project.level(part) {
                FeatureLevel::Disabled => false,
                FeatureLevel::Private => members.contains(&id),
                FeatureLevel::Enabled | FeatureLevel::Public => true,
            };
            let runners_token = if detail.for_editor { runners_token(query, id)? } else { None };
            let approvals_before_merge = if detail.for_editor { Some(required_approvals(query, id)?) } else { None };
            let mirror = if detail.for_editor { Some(Box::new(mirror(query, id)?)) } else { None };
            let has_merge_requests = has(&MERGE_REQUESTS) && has(&REPOSITORY);
            Ok(ProjectView {
                simple,
                owner: brief.namespace.namespace.owner.and_then(|owner| owners.get(&owner).cloned()),
                shared_with: shares.remove(&id).unwrap_or_default(),
                forked_from: brief.project.forked_from.and_then(|parent| parents.get(&parent).cloned()).map(Box::new),
                permissions: permissions.get(&id).copied(),
                // How large the code is, those may know who may read it.
                statistics: detail.statistics && brief.reads_code,
                custom_attributes: attributes.as_mut().map(|found| found.remove(&id.get()).unwrap_or_default()),
                for_editor: detail.for_editor,
                runners_token,
                approvals_before_merge,
                mirror,
                license: detail.license.then(|| license(query, &brief)),
                has_issues: has(&ISSUES),
                has_merge_requests,
                can_create_merge_request: has_merge_requests && brief.reads_code && !brief.project.archived,
                storage: query.is_admin().then_some(STORAGE),
                has_wiki: brief.project.has(&WIKI) || wikis.contains_key(&id),
                api_url: query.app.links().api_project(id),
                brief,
            })
        })
        .collect()
}

/// Those of these projects with a part for members of which the caller is one.
fn members_of_private_parts(query: &mut Query<'_>, briefs: &[ProjectBrief]) -> Result<HashSet<ProjectId>, AppError> {
    let is_private = |project: &Project| {
        [&ISSUES, &MERGE_REQUESTS, &REPOSITORY].into_iter().any(|part| project.level(part) == FeatureLevel::Private)
    };
    let ids: Vec<ProjectId> = briefs
        .iter()
        .map(|brief| &brief.project)
        .filter(|project| is_private(project))
        .map(|project| project.id)
        .collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let (viewer, today) = (query.viewer(), query.today());
    Ok(project::with_level(&mut query.tx, viewer, AccessLevel::Guest, &ids, today)?)
}

fn reduced(query: &Query<'_>, brief: ProjectBrief) -> ProjectView {
    ProjectView {
        simple: true,
        owner: None,
        shared_with: Vec::new(),
        forked_from: None,
        permissions: None,
        statistics: false,
        custom_attributes: None,
        for_editor: false,
        runners_token: None,
        approvals_before_merge: None,
        mirror: None,
        license: None,
        has_issues: false,
        has_merge_requests: false,
        can_create_merge_request: false,
        storage: None,
        has_wiki: brief.project.has(&WIKI),
        api_url: query.app.links().api_project(brief.project.id),
        brief,
    }
}

/// The brief view of one project.
pub(crate) fn brief_of(query: &mut Query<'_>, project: ProjectWithNamespace) -> Result<ProjectBrief, AppError> {
    let (mut briefs, _) = briefs(query, vec![project])?;
    briefs.pop().ok_or(AppError::NotFound(Missing::Project))
}

/// The brief views of projects, and the owners of their personal namespaces.
fn briefs(
    query: &mut Query<'_>,
    projects: Vec<ProjectWithNamespace>,
) -> Result<(Vec<ProjectBrief>, HashMap<UserId, UserRef>), AppError> {
    let owners = UserRef::of(query, projects.iter().filter_map(|placed| placed.home.owner).collect())?;
    let ids: Vec<ProjectId> = projects.iter().map(|placed| placed.project.id).collect();
    let mut tags = project::tags(&mut query.tx, &ids)?;
    let mut facts = repository::facts(&mut query.tx, &ids)?;
    let readable = with_readable_code(query, projects.iter().map(|placed| &placed.project))?;
    let brief = |ProjectWithNamespace { project, home }: ProjectWithNamespace| {
        let tags = tags.remove(&project.id).unwrap_or_default();
        let known = facts.remove(&project.id).unwrap_or_default();
        let reads_code = readable.contains(&project.id);
        let facts = if reads_code { known } else { known.without_files() };
        let brief = ProjectBrief { reads_code, ..brief(query, project, home, tags, facts) };
        ProjectBrief { namespace: brief.namespace.with_owner(&owners), ..brief }
    };
    let briefs = projects.into_iter().map(brief).collect();
    Ok((briefs, owners))
}

/// Those of these projects whose code the caller may read. The database is asked only about those whose code is not open to
/// the caller anyway.
fn with_readable_code<'a>(
    query: &mut Query<'_>,
    projects: impl Iterator<Item = &'a Project>,
) -> Result<HashSet<ProjectId>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let is_open = |project: &&Project| project.has(&REPOSITORY) && viewer.sees(project.visibility_of(&REPOSITORY));
    let (open, others): (Vec<&Project>, Vec<&Project>) = projects.partition(is_open);
    let others: Vec<ProjectId> = others.into_iter().map(|project| project.id).collect();
    let mut readable =
        if others.is_empty() { HashSet::new() } else { project::readable_code(&mut query.tx, viewer, &others, today)? };
    readable.extend(open.into_iter().map(|project| project.id));
    Ok(readable)
}

fn brief(
    query: &Query<'_>,
    project: Project,
    home: Namespace,
    tags: Vec<String>,
    facts: RepositoryFacts,
) -> ProjectBrief {
    let links = query.app.links();
    let full_path = home.path_of(&project.path);
    let readme_url = project.default_branch.as_deref().zip(facts.readme_path.as_deref());
    ProjectBrief {
        readme_url: readme_url.map(|(branch, file)| links.file(&full_path, branch, file)),
        facts,
        reads_code: false,
        tags,
        full_name: format!("{} / {}", home.full_name, project.name),
        web_url: links.page(&full_path),
        http_url: match &query.app.known_settings().clone_root {
            Some(root) => format!("{}/{full_path}.git", root.trim_end_matches('/')),
            None => links.git_http(&full_path),
        },
        ssh_url: links.git_ssh(&full_path),
        avatar_url: project.avatar.as_ref().map(|avatar| links.project_avatar(project.id, &avatar.file_name)),
        namespace: NamespaceView::new(links, home),
        full_path,
        project,
    }
}

fn license(query: &Query<'_>, brief: &ProjectBrief) -> Option<LicenseView> {
    let (file, key) = brief.facts.license.as_ref()?;
    let branch = brief.project.default_branch.as_deref()?;
    let url = query.app.links().file(&brief.full_path, branch, file);
    Some(LicenseView { license: License::of_key(key), url })
}

fn shared_groups(query: &mut Query<'_>, ids: &[ProjectId]) -> Result<HashMap<ProjectId, Vec<SharedGroup>>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let shares = share::of_projects(&mut query.tx, ids, today)?;
    if shares.is_empty() {
        return Ok(HashMap::new());
    }
    let groups: Vec<NamespaceId> = shares.values().flatten().map(|view| view.share.group).collect();
    let visible = group::visible_of(&mut query.tx, viewer, &groups, today)?;
    let seen = |views: Vec<ShareView>| {
        views.into_iter().filter(|view| visible.contains(&view.share.group)).map(SharedGroup::from).collect()
    };
    Ok(shares.into_iter().map(|(id, views)| (id, seen(views))).collect())
}

fn parents(query: &mut Query<'_>, forks: &[ProjectBrief]) -> Result<HashMap<ProjectId, ProjectBrief>, AppError> {
    let ids: Vec<ProjectId> = forks.iter().filter_map(|brief| brief.project.forked_from).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let (viewer, today) = (query.viewer(), query.today());
    let visible = project::visible_of(&mut query.tx, viewer, &ids, today)?;
    let found = project::by_ids(&mut query.tx, &ids)?;
    let found = found.into_iter().filter(|placed| visible.contains(&placed.project.id)).collect();
    let (briefs, _) = briefs(query, found)?;
    Ok(briefs.into_iter().map(|brief| (brief.project.id, brief)).collect())
}

fn permissions(query: &mut Query<'_>, briefs: &[ProjectBrief]) -> Result<HashMap<ProjectId, Permissions>, AppError> {
    let Some(user) = query.viewer().user() else { return Ok(HashMap::new()) };
    let today = query.today();
    let ids: Vec<ProjectId> = briefs.iter().map(|brief| brief.project.id).collect();
    let homes: Vec<NamespaceId> = briefs.iter().map(|brief| brief.project.namespace).collect();
    let direct = member::direct_in_projects(&mut query.tx, user, &ids, today)?;
    let inherited = member::levels_in_namespaces(&mut query.tx, user, &homes, today)?;
    let of = |brief: &ProjectBrief| Permissions {
        project: direct.get(&brief.project.id).copied(),
        group: inherited.get(&brief.project.namespace).copied(),
    };
    Ok(briefs.iter().map(|brief| (brief.project.id, of(brief))).collect())
}

fn mirror(query: &mut Query<'_>, id: ProjectId) -> Result<Mirror, AppError> {
    Ok(project::mirror(&mut query.tx, id)?.unwrap_or_else(|| Mirror::none(id)))
}

fn runners_token(query: &mut Query<'_>, id: ProjectId) -> Result<Option<String>, AppError> {
    let sealed = project::sealed_runners_token(&mut query.tx, id)?;
    sealed.map(|sealed| query.app.vault().open(&sealed).map_err(AppError::internal)).transpose()
}
