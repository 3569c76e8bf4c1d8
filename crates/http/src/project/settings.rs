//! The settings of a project as parameters.

use tenon_app::project::ProjectSettings;
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_domain::project::expiration::MEMBERS;
use tenon_domain::project::mirror::MirrorChanges;
use tenon_domain::project::setting::SETTINGS;
use tenon_domain::project::{Feature, MergeMethod};
use tenon_domain::settings::{Changes, Setting};
use tenon_domain::visibility::Visibility;

use crate::params::switches::{Switch, switches};
use crate::params::{FieldDoc, Param, Reader, choice, params, setting};

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

choice! {
    /// The storage of a repository.
    pub(crate) enum StorageParam {
        /// The storage of this server.
        Default = "default",
    }
}

/// The switches of projects as parameters.
fn features() -> impl Iterator<Item = Switch<Feature>> {
    let switch = |feature: &Feature| Switch {
        key: *feature,
        names: feature.names().to_vec(),
        meaning: feature.meaning().to_owned(),
    };
    Feature::ALL.iter().map(switch)
}

switches! {
    /// The features that are on in a project.
    pub(crate) struct FeatureParams(Feature) = features();
}

/// The parameter with the parts of the rule by which images are removed.
const EXPIRATION_PARAM: &str = "container_expiration_policy_attributes";

/// The settings of the table of projects that a request names.
#[derive(Debug, Clone)]
pub(crate) struct TableParams(Changes);

impl Param for TableParams {
    fn read(reader: &mut Reader<'_>, _: &[&'static str]) -> Option<Self> {
        let mut changes = setting::read_table(reader, SETTINGS);
        changes.extend(setting::read_members(reader, EXPIRATION_PARAM, MEMBERS));
        Some(Self(changes))
    }

    fn describe(_: &'static str, _: &[&str], fields: &mut Vec<FieldDoc>) {
        setting::describe_table(SETTINGS, fields);
        let text = "Parts of the rule by which images are removed. It is only stored: there is no container registry.";
        setting::describe_members(EXPIRATION_PARAM, text, MEMBERS, fields);
    }
}

/// True if a request names a setting of the table of projects.
pub(crate) fn names_a_setting(reader: &Reader<'_>) -> bool {
    SETTINGS.iter().flat_map(Setting::sent_names).chain([EXPIRATION_PARAM]).any(|name| reader.is_given(name))
}

params! {
    /// How a project follows a repository of another server.
    pub(crate) struct MirrorParams {
        /// True to fetch branches and tags from `import_url` every 30 minutes.
        mirror: Option<bool>,
        /// In whose name they move: the caller, or another maintainer if an administrator asks.
        mirror_user_id: Option<i64>,
        /// True if only protected branches follow.
        only_mirror_protected_branches: Option<bool>,
        /// True to overwrite branches that have commits of their own.
        mirror_overwrites_diverged_branches: Option<bool>,
        /// A regular expression: only branches follow in whose names it is found. All if it is empty.
        mirror_branch_regex: Patch<String>,
        /// Stored only: pipelines are run by other programs.
        mirror_trigger_builds: Option<bool>,
    }
}

impl From<MirrorParams> for MirrorChanges {
    fn from(params: MirrorParams) -> Self {
        Self {
            enabled: params.mirror,
            user: params.mirror_user_id.map(UserId::new),
            only_protected_branches: params.only_mirror_protected_branches,
            overwrites_diverged_branches: params.mirror_overwrites_diverged_branches,
            branch_regex: params.mirror_branch_regex,
            trigger_builds: params.mirror_trigger_builds,
        }
    }
}

params! {
    /// The settings of a project.
    pub(crate) struct SettingsParams {
        /// The description.
        description: Option<String>,
        features: FeatureParams,
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
        /// How many approvals the rule of type `any_approver` requires, 0 to 100.
        approvals_before_merge: Option<i64>,
        mirror: MirrorParams,
        /// The storage of the repository: `default`, the only one.
        #[expect(dead_code, reason = "there is one storage")]
        repository_storage: Option<StorageParam>,
        table: TableParams,
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
            approvals_before_merge: params.approvals_before_merge,
            mirror: params.mirror.into(),
            features: params.features.0,
            table: params.table.0,
        }
    }
}
