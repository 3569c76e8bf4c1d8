//! Making commits.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, FileAction, FileActionKind, NewCommit, Replay, UpdateSubmodule};

use super::content::Content;
use super::{BODY_LIMIT, filled, project};
use crate::dto::repository::{CommitDetailDto, CommitDto};
use crate::endpoint::{Call, Created, Json, Routes};
use crate::params::{Each, Filled, choice, params};
use crate::wire::error::ApiError;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Commits")
        .post(
            "/projects/{id}/repository/commits/{sha}/cherry_pick",
            Guard::SignedIn,
            move |call| replay(call, Replay::CherryPick),
            "Makes the change of a commit again on a branch.",
        )
        .post(
            "/projects/{id}/repository/commits/{sha}/revert",
            Guard::SignedIn,
            move |call| replay(call, Replay::Revert),
            "Takes the change of a commit back on a branch.",
        )
        .put(
            "/projects/{id}/repository/submodules/{submodule}",
            Guard::SignedIn,
            update_submodule,
            "Lets a submodule be at another commit.",
        )
        .body_limit(BODY_LIMIT)
        .post("/projects/{id}/repository/commits", Guard::SignedIn, create, "Changes files by one commit.");
}

choice! {
    /// What is done to a file.
    pub(crate) enum ActionKind {
        /// It is made.
        Create = "create",
        /// It goes.
        Delete = "delete",
        /// It gets another place.
        Move = "move",
        /// It gets another content.
        Update = "update",
        /// It becomes a program, or is none any longer.
        Chmod = "chmod",
    }
}

params! {
    /// A change to a file.
    pub(crate) struct ActionParams {
        /// What is done.
        action: ActionKind,
        /// The file, from the top of the repository.
        file_path: Filled,
        /// Where it was, where it moves.
        previous_path: Option<String>,
        content: Content,
        /// The last commit that changed it, as the caller has seen it.
        last_commit_id: Option<String>,
        /// Whether it is a program.
        execute_filemode: Option<bool>,
    }
}

params! {
    /// A new commit.
    pub(crate) struct CreateParams {
        /// The branch that gets it.
        branch: Filled,
        /// The branch from which that one is made, if it is not there yet.
        start_branch: Option<String>,
        /// The message.
        commit_message: Filled,
        /// What it changes, in order: all of it, or nothing.
        actions: Each<ActionParams>,
        /// The author's address; the caller's where absent.
        author_email: Option<String>,
        /// The author's name; the caller's where absent.
        author_name: Option<String>,
        /// Answer with lines added and removed; yes where absent.
        stats: Option<bool>,
    }
}

params! {
    /// Where a commit is made again or taken back.
    pub(crate) struct ReplayParams {
        /// The branch.
        branch: Filled,
    }
}

params! {
    /// Where a submodule is to be.
    pub(crate) struct SubmoduleParams {
        /// The branch that gets the commit.
        branch: Filled,
        /// The commit of the other repository, in full.
        commit_sha: Filled,
        /// The message; one that names submodule and commit where absent.
        commit_message: Option<String>,
    }
}

impl From<ActionParams> for FileAction {
    fn from(params: ActionParams) -> Self {
        Self {
            kind: match params.action {
                ActionKind::Create => FileActionKind::Create,
                ActionKind::Delete => FileActionKind::Delete,
                ActionKind::Move => FileActionKind::Move,
                ActionKind::Update => FileActionKind::Update,
                ActionKind::Chmod => FileActionKind::Chmod,
            },
            path: params.file_path.0,
            previous_path: filled(params.previous_path),
            content: params.content.0,
            last_commit_id: filled(params.last_commit_id),
            executable: params.execute_filemode,
        }
    }
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<CommitDetailDto>, ApiError> {
    let request = NewCommit {
        branch: params.branch.0,
        start_branch: filled(params.start_branch),
        message: params.commit_message.0,
        author_email: filled(params.author_email),
        author_name: filled(params.author_name),
        actions: params.actions.0.into_iter().map(Into::into).collect(),
    };
    let made = repository::create_commit(caller.app(), caller.identity(), project(&caller), request, false).await?;
    let stats = params.stats.unwrap_or(true);
    let detail = repository::commit(caller.app(), caller.identity(), project(&caller), made.id, stats).await?;
    Ok(Created(detail.into()))
}

async fn update_submodule(Call { caller, params }: Call<SubmoduleParams>) -> Result<Json<CommitDetailDto>, ApiError> {
    let request = UpdateSubmodule {
        path: caller.path("submodule").to_owned(),
        commit: params.commit_sha.0,
        branch: params.branch.0,
        message: filled(params.commit_message),
    };
    let made = repository::update_submodule(caller.app(), caller.identity(), project(&caller), request).await?;
    let detail = repository::commit(caller.app(), caller.identity(), project(&caller), made.id, true).await?;
    Ok(Json(detail.into()))
}

async fn replay(Call { caller, params }: Call<ReplayParams>, kind: Replay) -> Result<Created<CommitDto>, ApiError> {
    let (sha, branch) = (caller.path("sha").to_owned(), params.branch.0);
    let view = repository::replay(caller.app(), caller.identity(), project(&caller), sha, branch, kind).await?;
    Ok(Created(view.into()))
}
