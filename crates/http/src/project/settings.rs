//! The settings of a project as parameters.

use tenon_app::project::ProjectSettings;
use tenon_domain::project::MergeMethod;
use tenon_domain::visibility::Visibility;

use crate::params::{choice, params};

choice! {
    /// The merge method.
    pub(crate) enum MergeMethodParam {
        /// Always a merge commit.
        Merge = "merge",
        /// Always a merge commit, if a fast-forward is possible.
        RebaseMerge = "rebase_merge",
        /// Fast-forward only.
        FastForward = "ff",
    }
}

params! {
    /// The settings of a project.
    pub(crate) struct SettingsParams {
        /// The description.
        description: Option<String>,
        /// Whether issues are enabled.
        issues_enabled: Option<bool>,
        /// Whether merge requests are enabled.
        merge_requests_enabled: Option<bool>,
        /// Whether pipelines and jobs are enabled.
        jobs_enabled | builds_enabled: Option<bool>,
        /// Whether the wiki is enabled.
        wiki_enabled: Option<bool>,
        /// Whether snippets are enabled.
        snippets_enabled: Option<bool>,
        /// Whether the container registry is enabled.
        container_registry_enabled: Option<bool>,
        /// Whether shared runners may run its jobs.
        shared_runners_enabled: Option<bool>,
        /// Whether all users who can see the project can see its jobs.
        public_jobs | public_builds: Option<bool>,
        /// Whether LFS is enabled.
        lfs_enabled: Option<bool>,
        /// Whether users may request access.
        request_access_enabled: Option<bool>,
        /// Whether discussions on changed lines are resolved by the change.
        resolve_outdated_diff_discussions: Option<bool>,
        /// Whether merging requires a successful pipeline.
        only_allow_merge_if_pipeline_succeeds: Option<bool>,
        /// Whether merging requires that all discussions are resolved.
        only_allow_merge_if_all_discussions_are_resolved: Option<bool>,
        /// Whether Git prints a link to create a merge request after a push.
        printing_merge_request_link_enabled: Option<bool>,
        /// The visibility.
        visibility: Option<Visibility>,
        /// The merge method.
        merge_method: Option<MergeMethodParam>,
        /// The topics.
        tag_list | topics: Option<Vec<String>>,
        /// Path of the CI configuration.
        ci_config_path: Option<String>,
        /// The URL from which the repository is imported, with http or https.
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
