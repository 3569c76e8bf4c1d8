//! The switches of a project. Parameters, JSON and rows are made from the one table below (docs/adding-a-flag.md).

/// Declares the switches: name of the variant, name of the field, other names in requests, the value in a new project, and what
/// it decides.
macro_rules! features {
    ($( $variant:ident: $field:ident $(| $alias:ident)* = $initial:literal, $meaning:literal; )*) => {
        /// The switches of a project.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Features { $( #[doc = $meaning] pub $field: bool, )* }

        /// Those of a new project.
        impl Default for Features {
            fn default() -> Self {
                Self { $( $field: $initial, )* }
            }
        }

        /// A switch of a project.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Feature { $( #[doc = $meaning] $variant, )* }

        impl Feature {
            /// All of them, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$( Self::$variant ),*];

            /// Its name in the API and in the database, and other names that requests may use.
            #[must_use]
            pub const fn names(self) -> &'static [&'static str] {
                match self { $( Self::$variant => &[stringify!($field) $(, stringify!($alias))*], )* }
            }

            /// Its effect, in the description of the API.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $( Self::$variant => $meaning, )* }
            }
        }

        impl Features {
            /// True if a switch is on.
            #[must_use]
            pub const fn is_on(&self, feature: Feature) -> bool {
                match feature { $( Feature::$variant => self.$field, )* }
            }

            /// Sets the switches that a request names.
            pub fn apply(&mut self, changes: &[(Feature, bool)]) {
                for (feature, on) in changes {
                    match feature { $( Feature::$variant => self.$field = *on, )* }
                }
            }
        }
    };
}

features! {
    SharedRunners: shared_runners_enabled = true, "Whether shared runners may run its jobs.";
    PublicJobs: public_jobs | public_builds = true, "Whether all users who can see the project can see its jobs.";
    Lfs: lfs_enabled = true, "Whether LFS is enabled.";
    RequestAccess: request_access_enabled = false, "Whether users may request access.";
    ResolveOutdated: resolve_outdated_diff_discussions = false,
        "Whether discussions on changed lines are resolved by the change.";
    PipelineMustSucceed: only_allow_merge_if_pipeline_succeeds = false,
        "Whether merging requires a successful pipeline.";
    DiscussionsMustBeResolved: only_allow_merge_if_all_discussions_are_resolved = false,
        "Whether merging requires that all discussions are resolved.";
    PrintMergeRequestLink: printing_merge_request_link_enabled = true,
        "Whether Git prints a link to create a merge request after a push.";
}

impl Feature {
    /// Its name in the API and in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }
}

/// The switches that a request names.
pub type FeatureChanges = Vec<(Feature, bool)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_what_it_was_set_to() {
        for feature in Feature::ALL {
            for on in [true, false] {
                let mut features = Features::default();
                features.apply(&[(*feature, on)]);
                assert_eq!(features.is_on(*feature), on, "{}", feature.name());
                let others = Feature::ALL.iter().filter(|other| *other != feature);
                assert!(others.clone().all(|other| features.is_on(*other) == Features::default().is_on(*other)));
            }
        }
    }
}
