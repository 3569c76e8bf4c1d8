//! Commits made over the API (reference: repository-git-webhooks, sections 10.2, 10.3 and 13).

use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::write::actions::{Action as GitAction, CommitRequest};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, Oid, Signature, TreePath};

use super::commit::{CommitView, found_commit};
use super::writing::{Writable, at_the_head, refused};
use crate::access::Reference;
use crate::app::App;
use crate::error::{AppError, Missing};
use crate::identity::Identity;

/// A change to a file.
#[derive(Debug, Clone)]
pub struct FileAction {
    /// What is done.
    pub kind: FileActionKind,
    /// The file.
    pub path: String,
    /// Where it was, where it moves.
    pub previous_path: Option<String>,
    /// Its bytes.
    pub content: Option<Vec<u8>>,
    /// The last commit that changed it, as the caller has seen it.
    pub last_commit_id: Option<String>,
    /// Whether it is a program.
    pub executable: Option<bool>,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileActionKind {
    /// It is made.
    Create,
    /// It gets another content.
    Update,
    /// It gets another place.
    Move,
    /// It goes.
    Delete,
    /// It becomes a program, or no longer is one.
    Chmod,
}

/// A request for a commit.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// The branch that gets it.
    pub branch: String,
    /// The branch from which that one is made, if it is not there yet.
    pub start_branch: Option<String>,
    /// The message.
    pub message: String,
    /// The author's address, where it is not the caller's.
    pub author_email: Option<String>,
    /// The author's name, where it is not the caller's.
    pub author_name: Option<String>,
    /// What it changes, in order.
    pub actions: Vec<FileAction>,
}

/// Makes a commit of several changes: all of them, or none.
pub async fn create_commit(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: NewCommit,
    with_stats: bool,
) -> Result<CommitView, AppError> {
    let writable = app.writable_in_part(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        this.repository(writable.code.project.id)?;
        let id = at_the_head(|| this.commit_now(&writable, &request))?;
        found_commit(&writable.code, &id.to_string(), with_stats)
    })
    .await
}

const NO_BRANCH: &str = "You can only create or edit files when you are on a branch";

impl App {
    fn commit_now(&self, writable: &Writable, request: &NewCommit) -> Result<Oid, AppError> {
        let refuse = |text: String| AppError::Refused(text);
        let branch = BranchName::parse(&request.branch).map_err(|_invalid| {
            refuse(format!(
                "Something went wrong when we tried to create '{}' for you: the name is invalid",
                request.branch
            ))
        })?;
        let tip = writable.tip(&branch)?;
        let is_empty = writable.code.project.default_branch.is_none();
        let start = match request.start_branch.as_deref().filter(|name| !name.is_empty() && *name != branch.as_str()) {
            Some(_) if tip.is_some() => {
                return Err(refuse(format!(
                    "A branch called '{}' already exists. Switch to that branch in order to make changes",
                    branch.as_str()
                )));
            }
            Some(start) => Some(writable.code.commit_named(Some(start))?.ok_or_else(|| refuse(NO_BRANCH.to_owned()))?),
            None if tip.is_none() && !is_empty => return Err(refuse(NO_BRANCH.to_owned())),
            None => tip,
        };
        let change = if tip.is_some() { RefChange::FastForward } else { RefChange::Create };
        writable.check(RefKind::Branch, branch.as_str(), change).map_err(|_reason| AppError::BranchProtected)?;
        let now = self.now();
        let committer = writable.signature(now);
        let author = match (&request.author_name, &request.author_email) {
            (None, None) => committer.clone(),
            (name, email) => Signature::new(
                name.as_deref().unwrap_or(&writable.user.name),
                email.as_deref().unwrap_or(&writable.user.email),
                now,
            ),
        };
        let actions = request.actions.iter().map(action).collect::<Result<Vec<_>, _>>()?;
        let message = request.message.clone();
        let commit = CommitRequest { branch: branch.clone(), tip, start, author, committer, message, actions };
        let id = writable.code.repository.commit_actions(&commit).map_err(refused)?;
        self.moved(writable, &branch.full(), tip.unwrap_or(Oid::ZERO), id)?;
        Ok(id)
    }
}

fn action(action: &FileAction) -> Result<GitAction, AppError> {
    let refuse = |text: &str| AppError::Refused(text.to_owned());
    let path = |text: &str| {
        TreePath::parse(text).map_err(|_invalid| {
            let climbs = text.split('/').any(|part| part == "..");
            refuse(if climbs { "Path cannot include directory traversal" } else { "Path is invalid" })
        })
    };
    let last_commit = match action.last_commit_id.as_deref().filter(|id| !id.is_empty()) {
        None => None,
        Some(id) => Some(id.parse::<Oid>().map_err(|_invalid| AppError::FileChanged(action.path.clone()))?),
    };
    let content = || action.content.clone().ok_or_else(|| refuse("You must provide content"));
    Ok(match action.kind {
        FileActionKind::Create => GitAction::Create {
            path: path(&action.path)?,
            content: content()?,
            executable: action.executable.unwrap_or(false),
        },
        FileActionKind::Update => GitAction::Update { path: path(&action.path)?, content: content()?, last_commit },
        FileActionKind::Move => GitAction::Move {
            from: path(action.previous_path.as_deref().unwrap_or_default())?,
            to: path(&action.path)?,
            content: action.content.clone(),
            last_commit,
        },
        FileActionKind::Delete => GitAction::Delete { path: path(&action.path)?, last_commit },
        FileActionKind::Chmod => {
            GitAction::Chmod { path: path(&action.path)?, executable: action.executable.unwrap_or(false), last_commit }
        }
    })
}

/// What is made of a commit on another branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// The same change again.
    CherryPick,
    /// The change taken back.
    Revert,
}

/// Makes the change of a commit again on a branch, or takes it back there.
pub async fn replay(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    branch: String,
    kind: Replay,
) -> Result<CommitView, AppError> {
    let writable = app.writable_in_part(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        let commit = writable.code.commit_or(Some(&revision), "Commit")?;
        let branch = BranchName::parse(&branch).map_err(|_invalid| AppError::NotFound(Missing::Named("Branch")))?;
        let id = at_the_head(|| this.replay_now(&writable, commit, &branch, kind))?;
        found_commit(&writable.code, &id.to_string(), false)
    })
    .await
}

impl App {
    fn replay_now(&self, writable: &Writable, commit: Oid, branch: &BranchName, kind: Replay) -> Result<Oid, AppError> {
        let tip = writable.tip(branch)?.ok_or(AppError::NotFound(Missing::Named("Branch")))?;
        writable
            .check(RefKind::Branch, branch.as_str(), RefChange::FastForward)
            .map_err(|_reason| AppError::BranchProtected)?;
        let repository = &writable.code.repository;
        let original = repository.commit(commit)?.ok_or(AppError::NotFound(Missing::Named("Commit")))?;
        let me = writable.signature(self.now());
        let made = match kind {
            Replay::CherryPick => {
                let message = format!("{}\n\n(cherry picked from commit {commit})", original.message.trim_end());
                repository.cherry_pick(commit, tip, &me, &message)
            }
            Replay::Revert => {
                let message = format!("Revert \"{}\"\n\nThis reverts commit {commit}", original.title());
                repository.revert(commit, tip, &me, &message)
            }
        };
        let id = made.map_err(|error| not_replayed(error, kind))?;
        let change = tenon_git::write::RefChange::to(branch.full(), Some(tip), id);
        repository.update_refs(&[change]).map_err(refused)?;
        self.moved(writable, &branch.full(), tip, id)?;
        Ok(id)
    }
}

fn not_replayed(error: WriteError, kind: Replay) -> AppError {
    let (verb, done) = match kind {
        Replay::CherryPick => ("cherry-pick", "cherry-picked"),
        Replay::Revert => ("revert", "reverted"),
    };
    match error {
        WriteError::Refused(Refusal::Conflict(_) | Refusal::Empty) => AppError::Refused(format!(
            "Sorry, we cannot {verb} this commit automatically. This commit may already have been {done}, or a more \
             recent commit may have updated some of its content."
        )),
        other => refused(other),
    }
}
