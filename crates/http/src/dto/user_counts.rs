//! The objects that belong to a user, and those that wait for one, as numbers in JSON.

use serde::Serialize;
use tenon_app::user::{Associations, Workload};
use utoipa::ToSchema;

/// The counts of what belongs to a user.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "clients read these names")]
pub(crate) struct AssociationsDto {
    groups_count: i64,
    projects_count: i64,
    issues_count: i64,
    merge_requests_count: i64,
}

impl From<Associations> for AssociationsDto {
    fn from(counts: Associations) -> Self {
        Self {
            groups_count: counts.groups,
            projects_count: counts.projects,
            issues_count: counts.issues,
            merge_requests_count: counts.merge_requests,
        }
    }
}

/// The counts of the caller's open work, in projects that are not archived.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorkloadDto {
    /// `assigned_merge_requests` under the name that older clients read.
    merge_requests: i64,
    assigned_issues: i64,
    assigned_merge_requests: i64,
    review_requested_merge_requests: i64,
    /// Entries of the to-do list that are not done.
    todos: i64,
}

impl From<Workload> for WorkloadDto {
    fn from(counts: Workload) -> Self {
        Self {
            merge_requests: counts.assigned_merge_requests,
            assigned_issues: counts.assigned_issues,
            assigned_merge_requests: counts.assigned_merge_requests,
            review_requested_merge_requests: counts.reviews,
            todos: counts.todos,
        }
    }
}
