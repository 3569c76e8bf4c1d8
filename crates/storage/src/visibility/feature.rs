//! The levels of the parts of a project, as conditions.

use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::project::FeatureLevel;

use crate::db::predicate::Condition;
use crate::schema::{project_features, projects};
use crate::visibility::filter::VisibilityFilter;
use crate::visibility::projects::VisibleProjects;

/// The level of the issues, or of the merge requests, of a project is `$is`. Merge requests need the code.
macro_rules! level {
    ($kind:expr, $is:expr) => {{
        let features = project_features::table.filter(project_features::project_id.eq(projects::id));
        let condition: Condition<projects::table> = match $kind {
            IssuableKind::Issue => Box::new(exists(features.filter(project_features::issues_access_level.eq($is)))),
            IssuableKind::MergeRequest => Box::new(exists(
                features.filter(
                    project_features::merge_requests_access_level
                        .eq($is)
                        .or(project_features::repository_access_level.eq($is)),
                ),
            )),
        };
        condition
    }};
}

/// The condition that somebody has the issues, or merge requests, of a project.
fn has_feature(kind: IssuableKind) -> Condition<projects::table> {
    Box::new(diesel::dsl::not(lacks_feature(kind)))
}

/// The condition that issues, or merge requests, of a project are switched off.
pub(crate) fn lacks_feature(kind: IssuableKind) -> Condition<projects::table> {
    level!(kind, FeatureLevel::Disabled.as_str())
}

/// The condition that a viewer has the issues, or merge requests, of a project of `visible`, which are the projects that the
/// viewer may see.
pub(crate) fn has_feature_among(
    kind: IssuableKind,
    visible: &VisibilityFilter<VisibleProjects>,
) -> Condition<projects::table> {
    let for_everybody = diesel::dsl::not(is_for_members(kind));
    match visible {
        VisibilityFilter::All => has_feature(kind),
        VisibilityFilter::Open(_) => Box::new(has_feature(kind).and(for_everybody)),
        VisibilityFilter::OpenOrMember(_, member) => {
            Box::new(has_feature(kind).and(for_everybody.or(member.projects())))
        }
    }
}

/// The condition that only members have the issues, or merge requests, of a project.
pub(crate) fn is_for_members(kind: IssuableKind) -> Condition<projects::table> {
    level!(kind, FeatureLevel::Private.as_str())
}
