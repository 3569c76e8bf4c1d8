//! Creating, changing and deleting single files, each with a commit.

use actix_web::http::StatusCode;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, FileAction, FileActionKind, NewCommit, Unchanged};
use tenon_domain::file_path::shown;
use tenon_domain::refusal::{Refusal, RepositoryRefusal};
use tenon_edge::error::ApiError;

use super::content::Content;
use super::{BODY_LIMIT, filled, project};
use crate::dto::repository::WrittenFileDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Routes};
use crate::params::{Filled, params};

const CHANGED_BEFORE_UPDATE: &str =
    "You are attempting to update a file that has changed since you started editing it.";

const CHANGED_BEFORE_DELETE: &str = "You are attempting to delete a file that has been previously updated.";

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repository files")
        .body_limit(BODY_LIMIT)
        .post("/projects/{id}/repository/files/{file_path}", Guard::SignedIn, create, "Creates a file.")
        .put("/projects/{id}/repository/files/{file_path}", Guard::SignedIn, update, "Changes a file.")
        .delete("/projects/{id}/repository/files/{file_path}", Guard::SignedIn, delete, "Removes a file.");
}

params! {
    /// The commit that changes a file.
    pub(crate) struct CommitParams {
        /// The branch.
        branch: Filled,
        /// The branch from which a new branch is created.
        start_branch: Option<String>,
        /// The message.
        commit_message: Filled,
        /// The author's address; the caller's by default.
        author_email: Option<String>,
        /// The author's name; the caller's by default.
        author_name: Option<String>,
        /// The last commit known to the caller that changed the file.
        last_commit_id: Option<String>,
    }
}

params! {
    /// A file and its commit.
    pub(crate) struct WriteParams {
        commit: CommitParams,
        content: Content,
        /// True if the file is executable; an existing file stays as it is by default.
        execute_filemode: Option<bool>,
    }
}

async fn create(Call { caller, params }: Call<WriteParams>) -> Result<Created<WrittenFileDto>, ApiError> {
    let (kind, executable) = (FileActionKind::Create, params.execute_filemode);
    Ok(Created(write(&caller, params.commit, kind, params.content.0, executable).await?))
}

async fn update(Call { caller, params }: Call<WriteParams>) -> Result<Json<WrittenFileDto>, ApiError> {
    Ok(Json(write(&caller, params.commit, FileActionKind::Update, params.content.0, params.execute_filemode).await?))
}

async fn delete(Call { caller, params }: Call<CommitParams>) -> Result<NoContent, ApiError> {
    write(&caller, params, FileActionKind::Delete, None, None).await?;
    Ok(NoContent)
}

async fn write(
    caller: &Caller,
    params: CommitParams,
    kind: FileActionKind,
    content: Option<Vec<u8>>,
    executable: Option<bool>,
) -> Result<WrittenFileDto, ApiError> {
    let path = caller.path("file_path");
    let written = WrittenFileDto { file_path: shown(path).into_owned(), branch: params.branch.0.clone() };
    let mode = (kind == FileActionKind::Update && executable.is_some()).then(|| FileAction {
        kind: FileActionKind::Chmod,
        path: path.to_owned(),
        previous_path: None,
        content: None,
        last_commit_id: None,
        executable,
    });
    let action = FileAction {
        kind,
        path: path.to_owned(),
        previous_path: None,
        content,
        last_commit_id: filled(params.last_commit_id),
        executable,
    };
    let request = NewCommit {
        branch: params.branch.0,
        start_branch: filled(params.start_branch),
        message: params.commit_message.0,
        author_email: filled(params.author_email),
        author_name: filled(params.author_name),
        actions: std::iter::once(action).chain(mode).collect(),
        unchanged: Unchanged::Made,
        ..NewCommit::default()
    };
    match repository::create_commit(caller.app(), caller.identity(), project(caller), request, false).await {
        Ok(_) => Ok(written),
        Err(error) => Err(refusal(error, kind)),
    }
}

/// The refusals of a commit as clients of this resource know them: a protected branch is 400 here.
fn refusal(error: AppError, kind: FileActionKind) -> ApiError {
    match error {
        AppError::Refused(Refusal::Repository(RepositoryRefusal::BranchProtected)) => {
            ApiError::message(StatusCode::BAD_REQUEST, error.to_string())
        }
        AppError::Refused(Refusal::Repository(RepositoryRefusal::FileChanged(_))) => {
            let deletes = kind == FileActionKind::Delete;
            let text = if deletes { CHANGED_BEFORE_DELETE } else { CHANGED_BEFORE_UPDATE };
            ApiError::message(StatusCode::BAD_REQUEST, text)
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::refusal::UserRefusal;

    use super::*;

    #[test]
    fn a_protected_branch_is_no_more_than_a_bad_request() {
        let refused = |error| refusal(error, FileActionKind::Update);
        let text = "You are not allowed to push into this branch";
        assert_eq!(
            refused(RepositoryRefusal::BranchProtected.into()),
            ApiError::message(StatusCode::BAD_REQUEST, text)
        );
        // Callers who are refused otherwise get the same refusal as everywhere.
        let other = AppError::from(UserRefusal::OwnRights);
        assert_eq!(refused(other).status(), StatusCode::FORBIDDEN);
        assert_eq!(refused(AppError::Forbidden).status(), StatusCode::FORBIDDEN);
    }

    #[test]
    fn the_text_for_a_changed_file_depends_on_the_action() {
        let refused = |kind| refusal(RepositoryRefusal::FileChanged("a.txt".to_owned()).into(), kind);
        let bad = |text: &str| ApiError::message(StatusCode::BAD_REQUEST, text);
        assert_eq!(refused(FileActionKind::Update), bad(CHANGED_BEFORE_UPDATE));
        assert_eq!(refused(FileActionKind::Delete), bad(CHANGED_BEFORE_DELETE));
    }
}
