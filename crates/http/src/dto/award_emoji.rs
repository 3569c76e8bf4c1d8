//! Reactions as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::award_emoji::AwardView;
use tenon_app::snippet::SnippetAwardView;
use utoipa::ToSchema;

use super::user::UserRefDto;

/// A reaction.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AwardDto {
    id: i64,
    /// The name of the emoji, without colons.
    name: String,
    user: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// The id of the issue, the merge request, the snippet or the note.
    awardable_id: i64,
    /// `Issue`, `MergeRequest`, `Snippet` or `Note`.
    awardable_type: &'static str,
}

impl From<AwardView> for AwardDto {
    fn from(view: AwardView) -> Self {
        let award = view.award;
        let (awardable_id, awardable_type) = match award.subject.note {
            Some(note) => (note.get(), "Note"),
            None => (award.subject.issuable.get(), view.kind.type_name()),
        };
        Self {
            id: award.id.get(),
            name: award.name,
            user: view.user.map(Into::into),
            created_at: award.created_at,
            updated_at: award.updated_at,
            awardable_id,
            awardable_type,
        }
    }
}

impl From<SnippetAwardView> for AwardDto {
    fn from(view: SnippetAwardView) -> Self {
        let award = view.award;
        let (awardable_id, awardable_type) = match award.subject.note {
            Some(note) => (note.get(), "Note"),
            None => (award.subject.snippet.get(), "Snippet"),
        };
        Self {
            id: award.id.get(),
            name: award.name,
            user: view.user.map(Into::into),
            created_at: award.created_at,
            updated_at: award.created_at,
            awardable_id,
            awardable_type,
        }
    }
}
