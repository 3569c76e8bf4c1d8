//! Who may do what with a project.

use super::Project;
use super::setting::{ENVIRONMENTS, FEATURE_FLAGS, ISSUES, JOBS, MERGE_REQUESTS, REPOSITORY, SNIPPETS, WIKI};
use crate::access::{AccessLevel, Decision, Standing};
use crate::visibility::Visibility;

/// The actions that are possible with a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProjectAction {
    /// See it, its members, users and forks.
    Read,
    /// See its labels and milestones.
    ReadPlanning,
    /// Star and unstar it.
    Star,
    /// Ask to become a member, if the project takes such requests.
    RequestAccess,
    /// Read its code, and so fork it.
    ReadCode,
    /// Comment on its commits.
    Comment,
    /// See how often it was fetched.
    ReadStatistics,
    /// Push commits to it.
    Push,
    /// Read the pages of its wiki.
    ReadWiki,
    /// Fetch the repository of its wiki.
    FetchWiki,
    /// Make and change pages of its wiki, and push to it.
    WriteWiki,
    /// Remove pages of its wiki.
    DeleteWikiPage,
    /// See those of its snippets that are open enough.
    ReadSnippets,
    /// Make snippets in it.
    CreateSnippet,
    /// Upload a file for use in texts.
    Upload,
    /// Make and change its labels.
    ManageLabels,
    /// Make and change its milestones.
    ManageMilestones,
    /// Change its settings, except name and visibility.
    Edit,
    /// Change its members.
    ManageMembers,
    /// Share it with a group.
    Share,
    /// Read and change its hooks.
    ManageHooks,
    /// Read and change its services.
    ManageServices,
    /// Read and change its deploy keys.
    ManageDeployKeys,
    /// Read, make and remove its deploy tokens.
    ManageDeployTokens,
    /// Read, make and revoke its access tokens.
    ManageAccessTokens,
    /// Read and change its variables.
    ManageVariables,
    /// See its environments and deployments.
    ReadEnvironments,
    /// Make environments in it, and report deployments.
    Deploy,
    /// Change, stop and remove its environments, and remove deployments.
    ManageEnvironments,
    /// Read its feature flags and lists of users.
    ReadFeatureFlags,
    /// Make, change and remove its feature flags and lists of users.
    ManageFeatureFlags,
    /// Name, visibility, archiving, transfer, the fork relation.
    Administer,
    /// Remove it.
    Delete,
}

impl ProjectAction {
    /// All actions, in the order of the reviewed grid.
    pub const ALL: [Self; 33] = [
        Self::Read,
        Self::ReadPlanning,
        Self::Star,
        Self::RequestAccess,
        Self::ReadCode,
        Self::Comment,
        Self::ReadStatistics,
        Self::Push,
        Self::ReadWiki,
        Self::FetchWiki,
        Self::WriteWiki,
        Self::DeleteWikiPage,
        Self::ReadSnippets,
        Self::CreateSnippet,
        Self::Upload,
        Self::ManageLabels,
        Self::ManageMilestones,
        Self::Edit,
        Self::ManageMembers,
        Self::Share,
        Self::ManageHooks,
        Self::ManageServices,
        Self::ManageDeployKeys,
        Self::ManageDeployTokens,
        Self::ManageAccessTokens,
        Self::ManageVariables,
        Self::ReadEnvironments,
        Self::Deploy,
        Self::ManageEnvironments,
        Self::ReadFeatureFlags,
        Self::ManageFeatureFlags,
        Self::Administer,
        Self::Delete,
    ];
}

/// The facts about a project that abilities need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectFacts {
    /// How open it is.
    pub visibility: Visibility,
    /// Read-only for everybody, owners and administrators too.
    pub archived: bool,
    /// How open its code is; `None` if it is disabled.
    pub code: Option<Visibility>,
    /// How open the more open of its issues and merge requests are; `None` if it has neither: labels and milestones are
    /// off as well then, for everybody.
    pub tracker: Option<Visibility>,
    /// How open its wiki is; `None` if it is disabled.
    pub wiki: Option<Visibility>,
    /// How open its snippets are; `None` if they are disabled.
    pub snippets: Option<Visibility>,
    /// True if it has jobs: without them its variables are hidden.
    pub jobs: bool,
    /// True if it has environments, which need its jobs and its code.
    pub environments: bool,
    /// True if it has feature flags.
    pub feature_flags: bool,
}

impl ProjectFacts {
    /// The facts about a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        let openness = |part| project.has(part).then(|| project.visibility_of(part));
        Self {
            visibility: project.visibility,
            archived: project.archived,
            code: openness(&REPOSITORY),
            // Merge requests need the code.
            tracker: openness(&ISSUES).max(openness(&MERGE_REQUESTS).min(openness(&REPOSITORY))),
            wiki: openness(&WIKI),
            snippets: openness(&SNIPPETS),
            jobs: project.has(&JOBS),
            environments: [&ENVIRONMENTS, &JOBS, &REPOSITORY].into_iter().all(|part| project.has(part)),
            feature_flags: project.has(&FEATURE_FLAGS),
        }
    }

    /// Those of a project that has all its parts.
    #[must_use]
    pub const fn whole(visibility: Visibility, archived: bool) -> Self {
        Self {
            visibility,
            archived,
            code: Some(visibility),
            tracker: Some(visibility),
            wiki: Some(visibility),
            snippets: Some(visibility),
            jobs: true,
            environments: true,
            feature_flags: true,
        }
    }
}

/// Decides whether the caller may do `action`. In a personal project its namespace's owner stands as owner.
#[must_use]
pub fn decide(standing: &Standing, project: ProjectFacts, action: ProjectAction) -> Decision {
    if !standing.sees(project.visibility) {
        return Decision::Hide;
    }
    let signed_in = standing.viewer.user().is_some();
    // A visible non-member reads the code; of a private project, only reporters and above do.
    let reads_code =
        project.code.is_some_and(|code| standing.viewer.sees(code) || standing.at_least(AccessLevel::Reporter));
    let has_tracker = project.tracker.is_some_and(|tracker| standing.sees(tracker));
    match action {
        ProjectAction::Read => Decision::Allow,
        ProjectAction::ReadPlanning => Decision::allow_if(has_tracker),
        ProjectAction::Star => Decision::allow_if(signed_in),
        ProjectAction::RequestAccess => {
            Decision::allow_if(standing.may_request_access(project.visibility) && !project.archived)
        }
        ProjectAction::ReadCode => Decision::allow_if(reads_code),
        ProjectAction::Comment => Decision::allow_if(reads_code && signed_in && !project.archived),
        ProjectAction::ReadStatistics => Decision::allow_if(standing.at_least(AccessLevel::Reporter)),
        ProjectAction::Upload => Decision::allow_if(signed_in && !project.archived),
        ProjectAction::Push => {
            Decision::allow_if(standing.at_least(AccessLevel::Developer) && !project.archived && project.code.is_some())
        }
        ProjectAction::ReadWiki => Decision::allow_if(project.wiki.is_some_and(|wiki| standing.sees(wiki))),
        // As with the code: of a private wiki, guests read the pages only.
        ProjectAction::FetchWiki => Decision::allow_if(
            project.wiki.is_some_and(|wiki| standing.viewer.sees(wiki) || standing.at_least(AccessLevel::Reporter)),
        ),
        ProjectAction::WriteWiki => {
            Decision::allow_if(standing.at_least(AccessLevel::Developer) && !project.archived && project.wiki.is_some())
        }
        ProjectAction::DeleteWikiPage => Decision::allow_if(
            standing.at_least(AccessLevel::Maintainer) && !project.archived && project.wiki.is_some(),
        ),
        ProjectAction::ReadSnippets => {
            Decision::allow_if(project.snippets.is_some_and(|snippets| standing.sees(snippets)))
        }
        ProjectAction::CreateSnippet => Decision::allow_if(
            standing.at_least(AccessLevel::Reporter) && !project.archived && project.snippets.is_some(),
        ),
        ProjectAction::ManageLabels => {
            Decision::allow_if(standing.at_least(AccessLevel::Reporter) && !project.archived && has_tracker)
        }
        ProjectAction::ManageMilestones => {
            Decision::allow_if(standing.at_least(AccessLevel::Developer) && !project.archived && has_tracker)
        }
        ProjectAction::Edit
        | ProjectAction::ManageMembers
        | ProjectAction::Share
        | ProjectAction::ManageHooks
        | ProjectAction::ManageServices
        | ProjectAction::ManageDeployKeys
        | ProjectAction::ManageDeployTokens
        | ProjectAction::ManageAccessTokens => Decision::allow_if(standing.at_least(AccessLevel::Maintainer)),
        ProjectAction::ManageVariables => {
            Decision::allow_if(standing.at_least(AccessLevel::Maintainer) && !project.archived && project.jobs)
        }
        ProjectAction::ReadEnvironments => {
            Decision::allow_if(standing.at_least(AccessLevel::Reporter) && project.environments)
        }
        ProjectAction::Deploy => {
            Decision::allow_if(standing.at_least(AccessLevel::Developer) && !project.archived && project.environments)
        }
        ProjectAction::ManageEnvironments => {
            Decision::allow_if(standing.at_least(AccessLevel::Maintainer) && !project.archived && project.environments)
        }
        ProjectAction::ReadFeatureFlags => {
            Decision::allow_if(standing.at_least(AccessLevel::Developer) && project.feature_flags)
        }
        ProjectAction::ManageFeatureFlags => {
            Decision::allow_if(standing.at_least(AccessLevel::Developer) && !project.archived && project.feature_flags)
        }
        ProjectAction::Administer | ProjectAction::Delete => Decision::allow_if(standing.at_least(AccessLevel::Owner)),
    }
}
