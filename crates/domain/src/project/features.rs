//! The switches of a project.

/// What is on in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// Issues.
    pub issues_enabled: bool,
    /// Merge requests.
    pub merge_requests_enabled: bool,
    /// Pipelines and jobs.
    pub jobs_enabled: bool,
    /// The wiki.
    pub wiki_enabled: bool,
    /// Snippets.
    pub snippets_enabled: bool,
    /// The container registry.
    pub container_registry_enabled: bool,
    /// Whether shared runners may take its jobs.
    pub shared_runners_enabled: bool,
    /// Whether everyone who sees the project sees its jobs.
    pub public_jobs: bool,
    /// LFS.
    pub lfs_enabled: bool,
    /// Whether strangers may ask to become members.
    pub request_access_enabled: bool,
    /// Whether discussions on changed lines are resolved by the change.
    pub resolve_outdated_diff_discussions: bool,
    /// Merging waits for a green pipeline.
    pub only_allow_merge_if_pipeline_succeeds: bool,
    /// Merging waits for the last discussion.
    pub only_allow_merge_if_all_discussions_are_resolved: bool,
    /// Whether a push answers with a link to open a merge request.
    pub printing_merge_request_link_enabled: bool,
}

impl Default for Features {
    /// A new project.
    fn default() -> Self {
        Self {
            issues_enabled: true,
            merge_requests_enabled: true,
            jobs_enabled: true,
            wiki_enabled: true,
            snippets_enabled: true,
            container_registry_enabled: true,
            shared_runners_enabled: true,
            public_jobs: true,
            lfs_enabled: true,
            request_access_enabled: false,
            resolve_outdated_diff_discussions: false,
            only_allow_merge_if_pipeline_succeeds: false,
            only_allow_merge_if_all_discussions_are_resolved: false,
            printing_merge_request_link_enabled: true,
        }
    }
}
