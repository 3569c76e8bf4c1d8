//! The settings of a project that requests may name.

use tenon_app::project::ProjectSettings;
use tenon_domain::project::MergeMethod;
use tenon_domain::visibility::Visibility;

use crate::params::{choice, params};

choice! {
    /// How merge requests are merged.
    pub(crate) enum MergeMethodParam {
        /// A merge commit for every merge.
        Merge = "merge",
        /// A merge commit for every merge, only where fast-forward is possible.
        RebaseMerge = "rebase_merge",
        /// No merge commits.
        FastForward = "ff",
    }
}

params! {
    /// The settings of a project.
    pub(crate) struct SettingsParams {
        /// What it is for.
        description: Option<String>,
        /// Issues.
        issues_enabled: Option<bool>,
        /// Merge requests.
        merge_requests_enabled: Option<bool>,
        /// Pipelines and jobs.
        jobs_enabled | builds_enabled: Option<bool>,
        /// The wiki.
        wiki_enabled: Option<bool>,
        /// Snippets.
        snippets_enabled: Option<bool>,
        /// The container registry.
        container_registry_enabled: Option<bool>,
        /// Whether shared runners may take its jobs.
        shared_runners_enabled: Option<bool>,
        /// Whether everyone who sees the project sees its jobs.
        public_jobs | public_builds: Option<bool>,
        /// LFS.
        lfs_enabled: Option<bool>,
        /// Whether strangers may ask to become members.
        request_access_enabled: Option<bool>,
        /// Whether discussions on changed lines are resolved by the change.
        resolve_outdated_diff_discussions: Option<bool>,
        /// Merging waits for a green pipeline.
        only_allow_merge_if_pipeline_succeeds: Option<bool>,
        /// Merging waits for the last discussion.
        only_allow_merge_if_all_discussions_are_resolved: Option<bool>,
        /// Whether a push answers with a link to open a merge request.
        printing_merge_request_link_enabled: Option<bool>,
        /// How open it is.
        visibility: Option<Visibility>,
        /// How merge requests are merged.
        merge_method: Option<MergeMethodParam>,
        /// Tags.
        tag_list | topics: Option<Vec<String>>,
        /// Path of the CI configuration.
        ci_config_path: Option<String>,
        /// Where the repository comes from: an address with http or https.
        import_url: Option<String>,
    }
}

impl From<SettingsParams> for ProjectSettings {
    fn from(params: SettingsParams) -> Self {
        Self {
            description: params.description,
            visibility: params.visibility,
            merge_method: params.merge_method.map(|method| match method {
                MergeMethodParam::Merge => MergeMethod::Merge,
                MergeMethodParam::RebaseMerge => MergeMethod::RebaseMerge,
                MergeMethodParam::FastForward => MergeMethod::FastForward,
            }),
            tag_list: params.tag_list,
            ci_config_path: params.ci_config_path,
            import_url: params.import_url,
            issues_enabled: params.issues_enabled,
            merge_requests_enabled: params.merge_requests_enabled,
            jobs_enabled: params.jobs_enabled,
            wiki_enabled: params.wiki_enabled,
            snippets_enabled: params.snippets_enabled,
            container_registry_enabled: params.container_registry_enabled,
            shared_runners_enabled: params.shared_runners_enabled,
            public_jobs: params.public_jobs,
            lfs_enabled: params.lfs_enabled,
            request_access_enabled: params.request_access_enabled,
            resolve_outdated_diff_discussions: params.resolve_outdated_diff_discussions,
            only_allow_merge_if_pipeline_succeeds: params.only_allow_merge_if_pipeline_succeeds,
            only_allow_merge_if_all_discussions_are_resolved: params.only_allow_merge_if_all_discussions_are_resolved,
            printing_merge_request_link_enabled: params.printing_merge_request_link_enabled,
        }
    }
}
