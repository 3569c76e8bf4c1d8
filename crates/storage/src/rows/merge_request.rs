//! The row of a merge request.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, ProjectId, UserId};
use tenon_domain::merge_request::{AutoMerge, DiffRefs, MergeRequest, MergeStatus, Merged};

use crate::db::row::{naive, parsed, utc};
use crate::error::{StoreError, StoreResult};
use crate::schema::merge_requests;

#[derive(Queryable, Selectable)]
#[diesel(table_name = merge_requests)]
pub(crate) struct MergeRequestRow {
    issuable_id: i64,
    source_project_id: Option<i64>,
    source_branch: String,
    target_branch: String,
    draft: bool,
    squash: bool,
    force_remove_source_branch: bool,
    should_remove_source_branch: Option<bool>,
    allow_collaboration: bool,
    merge_status: String,
    merge_error: Option<String>,
    base_sha: Option<String>,
    start_sha: Option<String>,
    head_sha: Option<String>,
    commits_count: i64,
    changes_count: i64,
    overflow: bool,
    auto_merge_by_id: Option<i64>,
    auto_merge_message: Option<String>,
    auto_merge_squash_message: Option<String>,
    merged_at: Option<NaiveDateTime>,
    merged_by_id: Option<i64>,
    merge_commit_sha: Option<String>,
    squash_commit_sha: Option<String>,
    approvals_before_merge: Option<i64>,
}

impl TryFrom<MergeRequestRow> for MergeRequest {
    type Error = StoreError;

    fn try_from(row: MergeRequestRow) -> StoreResult<Self> {
        let merge_status =
            parsed("merge_requests", "merge_status", row.issuable_id, &row.merge_status, MergeStatus::parse)?;
        let diff = match (row.base_sha, row.start_sha, row.head_sha) {
            (Some(base), Some(start), Some(head)) => Some(DiffRefs {
                base,
                start,
                head,
                commits_count: row.commits_count,
                changes_count: row.changes_count,
                overflow: row.overflow,
            }),
            _ => None,
        };
        Ok(Self {
            id: IssuableId::new(row.issuable_id),
            source_project: row.source_project_id.map(ProjectId::new),
            source_branch: row.source_branch,
            target_branch: row.target_branch,
            draft: row.draft,
            squash: row.squash,
            force_remove_source_branch: row.force_remove_source_branch,
            should_remove_source_branch: row.should_remove_source_branch,
            allow_collaboration: row.allow_collaboration,
            merge_status,
            merge_error: row.merge_error,
            diff,
            auto_merge: row.auto_merge_by_id.map(|by| AutoMerge {
                by: UserId::new(by),
                message: row.auto_merge_message,
                squash_message: row.auto_merge_squash_message,
            }),
            merged: row.merged_at.map(|at| Merged {
                by: row.merged_by_id.map(UserId::new),
                at: utc(at),
                commit: row.merge_commit_sha,
                squash_commit: row.squash_commit_sha,
            }),
            approvals_before_merge: row.approvals_before_merge,
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = merge_requests, treat_none_as_null = true)]
pub(crate) struct MergeRequestColumns<'a> {
    issuable_id: i64,
    source_project_id: Option<i64>,
    source_branch: &'a str,
    target_branch: &'a str,
    draft: bool,
    squash: bool,
    force_remove_source_branch: bool,
    should_remove_source_branch: Option<bool>,
    allow_collaboration: bool,
    merge_status: &'a str,
    merge_error: Option<&'a str>,
    base_sha: Option<&'a str>,
    start_sha: Option<&'a str>,
    head_sha: Option<&'a str>,
    commits_count: i64,
    changes_count: i64,
    overflow: bool,
    auto_merge_by_id: Option<i64>,
    auto_merge_message: Option<&'a str>,
    auto_merge_squash_message: Option<&'a str>,
    merged_at: Option<NaiveDateTime>,
    merged_by_id: Option<i64>,
    merge_commit_sha: Option<&'a str>,
    squash_commit_sha: Option<&'a str>,
    approvals_before_merge: Option<i64>,
}

impl<'a> From<&'a MergeRequest> for MergeRequestColumns<'a> {
    fn from(request: &'a MergeRequest) -> Self {
        let (diff, waiting, merged) = (request.diff.as_ref(), request.auto_merge.as_ref(), request.merged.as_ref());
        Self {
            issuable_id: request.id.get(),
            source_project_id: request.source_project.map(ProjectId::get),
            source_branch: &request.source_branch,
            target_branch: &request.target_branch,
            draft: request.draft,
            squash: request.squash,
            force_remove_source_branch: request.force_remove_source_branch,
            should_remove_source_branch: request.should_remove_source_branch,
            allow_collaboration: request.allow_collaboration,
            merge_status: request.merge_status.as_str(),
            merge_error: request.merge_error.as_deref(),
            base_sha: diff.map(|diff| diff.base.as_str()),
            start_sha: diff.map(|diff| diff.start.as_str()),
            head_sha: diff.map(|diff| diff.head.as_str()),
            commits_count: diff.map_or(0, |diff| diff.commits_count),
            changes_count: diff.map_or(0, |diff| diff.changes_count),
            overflow: diff.is_some_and(|diff| diff.overflow),
            auto_merge_by_id: waiting.map(|waiting| waiting.by.get()),
            auto_merge_message: waiting.and_then(|waiting| waiting.message.as_deref()),
            auto_merge_squash_message: waiting.and_then(|waiting| waiting.squash_message.as_deref()),
            merged_at: merged.map(|merged| naive(merged.at)),
            merged_by_id: merged.and_then(|merged| merged.by).map(UserId::get),
            merge_commit_sha: merged.and_then(|merged| merged.commit.as_deref()),
            squash_commit_sha: merged.and_then(|merged| merged.squash_commit.as_deref()),
            approvals_before_merge: request.approvals_before_merge,
        }
    }
}
