//! A project as its pages show it.

use tenon_domain::access::Decision;
use tenon_domain::issuable::{IssuableAction, IssuableFacts, IssuableKind, TrackerFacts};
use tenon_domain::issue::{decide, decide_tracker};
use tenon_domain::merge_request::decide_home;
use tenon_domain::notification_setting::{NotificationLevel, NotificationScope};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::{ANALYTICS, FORKING, RELEASES};
use tenon_domain::time::Timestamp;
use tenon_storage::project::{self, ProjectWithNamespace};

use super::mirror::{self, MirrorView};
use super::show::one;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::repository::Code;
use crate::shared::views::external_wiki;
use crate::shared::views::notification_level;
use crate::shared::views::pipelines::may_see;
use crate::shared::views::project_view::{Detail, ProjectView};

/// A project, with what the caller may do on its pages.
pub struct ProjectPage {
    /// The project.
    pub view: ProjectView,
    /// Its code, if the caller may read it.
    pub code: Option<Code>,
    /// True if the caller may push.
    pub may_push: bool,
    /// The address of its wiki, if that is elsewhere. The address is what a maintainer has set it to.
    pub external_wiki: Option<String>,
    /// About what the caller wants mail from this project. None without an account.
    pub notification: Option<NotificationLevel>,
    /// The caller's other rights.
    pub may: ProjectRights,
    /// True if the caller has starred it.
    pub is_starred: bool,
    /// The counts of its tabs.
    pub counts: ProjectCounts,
    /// The repository that it follows, for those who may change that.
    pub mirror: Option<Box<MirrorView>>,
    /// The tag of its newest release, and when it was released, if the caller may read the code.
    pub latest_release: Option<(String, Timestamp)>,
}

/// The counts that the tabs of a project show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectCounts {
    /// Open issues that are not confidential.
    pub issues: i64,
    /// Open merge requests.
    pub merge_requests: i64,
    /// Its own active milestones.
    pub milestones: i64,
    /// Releases.
    pub releases: i64,
}

/// The caller's rights in a project. The use cases ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is the answer of one ability")]
pub struct ProjectRights {
    /// Open an issue.
    pub open_issue: bool,
    /// Read issues that are not confidential.
    pub read_issues: bool,
    /// Read merge requests.
    pub read_merge_requests: bool,
    /// See pipelines.
    pub read_pipelines: bool,
    /// See environments and deployments.
    pub read_environments: bool,
    /// Make environments.
    pub deploy: bool,
    /// Read feature flags.
    pub read_feature_flags: bool,
    /// Make and change feature flags.
    pub manage_feature_flags: bool,
    /// See labels and milestones.
    pub read_planning: bool,
    /// Make and change labels.
    pub manage_labels: bool,
    /// Make and change milestones.
    pub manage_milestones: bool,
    /// Comment on commits.
    pub comment: bool,
    /// Change the members.
    pub manage_members: bool,
    /// Change the settings.
    pub edit: bool,
    /// Read and change its variables.
    pub manage_variables: bool,
    /// Change what only owners may: path, visibility, whether it is archived, and its namespace.
    pub administer: bool,
    /// Remove the project.
    pub delete: bool,
    /// Read its wiki.
    pub read_wiki: bool,
    /// See its snippets.
    pub read_snippets: bool,
    /// Make a snippet.
    pub create_snippet: bool,
    /// Read its releases.
    pub read_releases: bool,
    /// See its contributors and its graph of commits.
    pub read_analytics: bool,
    /// Fork it.
    pub fork: bool,
    /// Star the project.
    pub star: bool,
}

/// The project that `reference` names.
pub fn page(query: &mut Query<'_>, reference: &Reference) -> Result<ProjectPage, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    let (may_read, may_push) = (found.may(ProjectAction::ReadCode), found.may(ProjectAction::Push));
    let id = found.project.id;
    let external_wiki = external_wiki::of(query, &[id])?.remove(&id);
    let requests = TrackerFacts::of(IssuableKind::MergeRequest, &found.project);
    let tracker = TrackerFacts::of(IssuableKind::Issue, &found.project);
    let may = ProjectRights {
        open_issue: decide_tracker(&found.standing, tracker) == Decision::Allow,
        read_issues: decide(&found.standing, tracker, IssuableFacts::default(), IssuableAction::Read)
            == Decision::Allow,
        read_merge_requests: decide_home(&found.standing, requests) == Decision::Allow,
        read_pipelines: may_see(&found),
        read_environments: found.may(ProjectAction::ReadEnvironments),
        deploy: found.may(ProjectAction::Deploy),
        read_feature_flags: found.may(ProjectAction::ReadFeatureFlags),
        manage_feature_flags: found.may(ProjectAction::ManageFeatureFlags),
        read_planning: found.may(ProjectAction::ReadPlanning),
        manage_labels: found.may(ProjectAction::ManageLabels),
        manage_milestones: found.may(ProjectAction::ManageMilestones),
        comment: found.may(ProjectAction::Comment),
        manage_members: found.may(ProjectAction::ManageMembers),
        edit: found.may(ProjectAction::Edit),
        manage_variables: found.may(ProjectAction::ManageVariables),
        administer: found.may(ProjectAction::Administer),
        delete: found.may(ProjectAction::Delete),
        read_wiki: found.may(ProjectAction::ReadWiki),
        read_snippets: found.may(ProjectAction::ReadSnippets),
        create_snippet: found.may(ProjectAction::CreateSnippet),
        read_releases: may_read && found.has(&RELEASES),
        read_analytics: may_read && found.has(&ANALYTICS),
        fork: may_read && found.has(&FORKING),
        star: found.may(ProjectAction::Star),
    };
    let notification = notification_level::of(query, NotificationScope::Project(id))?;
    let marks = project::marks(&mut query.tx, id, query.caller.user.as_deref().map(|user| user.id))?;
    let counts = ProjectCounts {
        issues: found.project.open_issues_count,
        merge_requests: marks.merge_requests,
        milestones: marks.milestones,
        releases: marks.releases,
    };
    // Without an address it follows nothing.
    let is_mirror = may.edit && found.project.imported_from.is_some();
    let mirror = if is_mirror { mirror::shown(query, &found.project)?.map(Box::new) } else { None };
    let placed = ProjectWithNamespace { project: found.project.clone(), home: found.namespace.clone() };
    let detail = Detail { license: may_read, permissions: Some(found.levels.into()), ..Detail::default() };
    let code = if may_read { Some(Code(query.repository_of(found)?)) } else { None };
    Ok(ProjectPage {
        view: one(query, placed, detail)?,
        code,
        may_push,
        external_wiki,
        notification,
        mirror,
        latest_release: marks.latest_release.filter(|_| may.read_releases),
        may,
        is_starred: marks.is_starred,
        counts,
    })
}
