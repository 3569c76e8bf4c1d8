//! Comments on commits.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, CommentedLine, NewComment};
use tenon_edge::error::ApiError;

use super::{filled, project};
use crate::dto::repository::CommitCommentDto;
use crate::endpoint::{Call, Created, Paged, Routes};
use crate::params::{Filled, Paging, choice, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Commits")
        .get("/projects/{id}/repository/commits/{sha}/comments", Guard::Anyone, list, "The comments on a commit.")
        .post("/projects/{id}/repository/commits/{sha}/comments", Guard::SignedIn, create, "Comments on a commit.");
}

choice! {
    /// The side of a diff on which a line is counted.
    pub(crate) enum LineType {
        /// After the commit.
        New = "new",
        /// Before the commit.
        Old = "old",
    }
}

params! {
    /// The page.
    pub(crate) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// A comment on a commit, or on a line of its diff.
    pub(crate) struct CreateParams {
        /// Markdown.
        note: Filled,
        /// The path of a file; requires `line` and `line_type`.
        path: Option<String>,
        /// The line number.
        line: Option<i64>,
        /// The side on which the line is counted.
        line_type: Option<LineType>,
    }
    rules(reader) {
        for name in ["line", "line_type"] {
            if reader.is_given("path") && !reader.is_given(name) {
                reader.complain(name, "is missing");
            }
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
