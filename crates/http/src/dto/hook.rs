//! Hooks as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_domain::hook::Hook;
use utoipa::ToSchema;

/// A webhook of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HookDto {
    id: i64,
    url: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    project_id: i64,
    push_events: bool,
    /// Null or empty for all branches.
    push_events_branch_filter: Option<String>,
    issues_events: bool,
    confidential_issues_events: bool,
    merge_requests_events: bool,
    tag_push_events: bool,
    note_events: bool,
    /// Null if it was never set.
    confidential_note_events: Option<bool>,
    job_events: bool,
    pipeline_events: bool,
    wiki_page_events: bool,
    /// Only system hooks can have this.
    repository_update_events: bool,
    enable_ssl_verification: bool,
}

impl From<Hook> for HookDto {
    fn from(hook: Hook) -> Self {
        let events = hook.events;
        Self {
            id: hook.id.get(),
            url: hook.url,
            created_at: hook.created_at,
            project_id: hook.project.get(),
            push_events: events.push,
            push_events_branch_filter: hook.push_events_branch_filter,
            issues_events: events.issues,
            confidential_issues_events: events.confidential_issues,
            merge_requests_events: events.merge_requests,
            tag_push_events: events.tag_push,
            note_events: events.note,
            confidential_note_events: events.confidential_note,
            job_events: events.job,
            pipeline_events: events.pipeline,
            wiki_page_events: events.wiki_page,
            repository_update_events: false,
            enable_ssl_verification: hook.enable_ssl_verification,
        }
    }
}
