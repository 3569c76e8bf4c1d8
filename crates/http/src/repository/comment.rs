//! Comments on commits (reference: repository-git-webhooks, section 10.3).

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, CommentView, CommentedLine, NewComment};
use utoipa::ToSchema;

use super::{filled, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Filled, Paging, choice, params};
use crate::reply::{Created, Paged};
use crate::routes::Routes;
use crate::user::UserRefDto;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Commits")
        .get("/projects/{id}/repository/commits/{sha}/comments", Guard::Anyone, list, "What was said about a commit.")
        .post("/projects/{id}/repository/commits/{sha}/comments", Guard::SignedIn, create, "Comments on a commit.");
}

choice! {
    /// In which of its two states a file's lines are counted.
    pub(crate) enum LineType {
        /// As the commit leaves it.
        New = "new",
        /// As it was before.
        Old = "old",
    }
}

params! {
    /// Which page is wanted.
    pub(crate) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// A comment on a commit, or on a line of what it changes.
    pub(crate) struct CreateParams {
        /// Markdown.
        note: Filled,
        /// The file; with it `line` and `line_type` are needed.
        path: Option<String>,
        /// The number of the line.
        line: Option<i64>,
        /// How the line is counted.
        line_type: Option<LineType>,
    }
    rules(given) {
        for name in ["line", "line_type"] {
            if given.is_given("path") && !given.is_given(name) {
                given.complain(name, "is missing");
            }
        }
    }
}

/// A comment on a commit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitCommentDto {
    note: String,
    /// Null where it is about the commit as a whole, as the two that follow.
    path: Option<String>,
    line: Option<i64>,
    line_type: Option<&'static str>,
    author: Option<UserRefDto>,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
}

impl From<CommentView> for CommitCommentDto {
    fn from(view: CommentView) -> Self {
        let line = view.line.as_ref();
        Self {
            path: line.map(|line| line.path.clone()),
            line: line.map(|line| line.line),
            line_type: line.map(|line| if line.is_new { "new" } else { "old" }),
            note: view.note,
            author: view.author.map(Into::into),
            created_at: view.created_at,
        }
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<CommitCommentDto>, ApiError> {
    let sha = caller.path("sha").to_owned();
    let page =
        repository::comments(caller.app(), caller.identity(), project(&caller), sha, params.paging.into()).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<CommitCommentDto>, ApiError> {
    let sha = caller.path("sha").to_owned();
    let line = match (filled(params.path), params.line, params.line_type) {
        (Some(path), Some(line), Some(kind)) => {
            Some(CommentedLine { path, line, is_new: matches!(kind, LineType::New) })
        }
        _ => None,
    };
    let request = NewComment { note: params.note.0, line };
    let view = repository::comment(caller.app(), caller.identity(), project(&caller), sha, request).await?;
    Ok(Created(view.into()))
}
