//! Creating commits.

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::repository::{
    self, FileAction, FileActionKind, NewCommit, Replay, ReplayOnto, Unchanged, UpdateSubmodule,
};
use tenon_edge::error::ApiError;

use super::content::Content;
use super::{BODY_LIMIT, filled, project};
use crate::dto::repository::{CommitDetailDto, CommitDto};
use crate::endpoint::{Call, Created, Json, Routes};
use crate::params::{Each, Filled, FilledPath, PathText, choice, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Commits")
        .post(
            "/projects/{id}/repository/commits/{sha}/cherry_pick",
            Guard::SignedIn,
            move |call| replay(call, Replay::CherryPick),
            "Cherry-picks a commit.",
        )
        .post(
            "/projects/{id}/repository/commits/{sha}/revert",
            Guard::SignedIn,
            move |call| replay(call, Replay::Revert),
            "Reverts a commit.",
        )
        .put(
            "/projects/{id}/repository/submodules/{submodule}",
            Guard::SignedIn,
            update_submodule,
            "Sets the commit of a submodule.",
        )
        .body_limit(BODY_LIMIT)
        .post("/projects/{id}/repository/commits", Guard::SignedIn, create, "Changes files by one commit.");
}

choice! {
    /// A kind of change.
    pub(crate) enum ActionKind {
        /// Create the file.
        Create = "create",
        /// Delete the file.
        Delete = "delete",
        /// Move the file.
        Move = "move",
        /// Change the content.
        Update = "update",
        /// Change the executable bit.
        Chmod = "chmod",
    }
}

params! {
    /// A change to a file.
    pub(crate) struct ActionParams {
        /// The kind of change.
        action: ActionKind,
        /// The path from the root of the repository.
        file_path: FilledPath,
        /// The previous path, for a move.
        previous_path: Option<PathText>,
        content: Content,
        /// The last commit known to the caller that changed the file.
        last_commit_id: Option<String>,
        /// True if the file is executable.
        execute_filemode: Option<bool>,
    }
}

params! {
    /// A new commit.
    pub(crate) struct CreateParams {
        /// The branch.
        branch: Filled,
        /// The project, by id or path, that `start_branch` or `start_sha` is in; this one by default.
        start_project: Option<String>,
        /// The branch from which a new branch is created.
        start_branch: Option<String>,
        /// The commit from which a new branch is created.
        start_sha: Option<String>,
        /// True to reset a branch that is there already to the commit that follows `start_branch` or `start_sha`.
        force: Option<bool>,
        /// The message.
        commit_message: Filled,
        /// The changes in order; all or none are made.
        actions: Each<ActionParams>,
        /// The author's address; the caller's by default.
        author_email: Option<String>,
        /// The author's name; the caller's by default.
        author_name: Option<String>,
        /// True to include the number of added and removed lines in the response; true by default.
        stats: Option<bool>,
    }
    rules(reader) { reader.mutually_exclusive(&["start_branch", "start_sha"]); }
}

params! {
    /// The target of a cherry-pick or revert.
    pub(crate) struct ReplayParams {
        /// The branch.
        branch: Filled,
    }
}

params! {
    /// A new commit for a submodule.
    pub(crate) struct SubmoduleParams {
        /// The branch.
        branch: Filled,
        /// The full commit id in the other repository.
        commit_sha: Filled,
        /// The message; one with submodule and commit by default.
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
            previous_path: filled(params.previous_path.map(|path| path.0)),
            content: params.content.0,
            last_commit_id: filled(params.last_commit_id),
            executable: params.execute_filemode,
        }
    }
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<CommitDetailDto>, ApiError> {
    let request = NewCommit {
        branch: params.branch.0,
        start_project: filled(params.start_project).map(|start| Reference::parse(&start)),
        start_branch: filled(params.start_branch),
        start_sha: filled(params.start_sha),
        force: params.force.unwrap_or(false),
        unchanged: Unchanged::Made,
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
    let (sha, onto) = (caller.path("sha").to_owned(), ReplayOnto { branch: params.branch.0, new_branch: None });
    let view = repository::replay(caller.app(), caller.identity(), project(&caller), sha, onto, kind).await?;
    Ok(Created(view.into()))
}
