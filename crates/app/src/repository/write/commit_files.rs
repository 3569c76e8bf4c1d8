//! Commits made over the API.

use tenon_domain::file_path::shown;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::write::actions::{Action as GitAction, CommitRequest};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, LookupPath, Oid, RefName, Repository, Signature, TreePath};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::commit::{CommitView, found_commit};
use crate::repository::read::context::RepositoryContext;
use crate::repository::refs::ref_write::{Writable, at_the_head, refused};

/// A change to a file.
#[derive(Debug, Clone)]
pub struct FileAction {
    /// The kind of action.
    pub kind: FileActionKind,
    /// The file, by the kept form of its path ([`tenon_domain::file_path`]).
    pub path: String,
    /// The path before, if it moves, in the same form.
    pub previous_path: Option<String>,
    /// Its bytes.
    pub content: Option<Vec<u8>>,
    /// The last commit that changed it, as the caller has seen it.
    pub last_commit_id: Option<String>,
    /// True if it is a program.
    pub executable: Option<bool>,
}

/// The kind of action on a file.
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

/// The fate of a commit that changes no file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unchanged {
    /// It is refused: who has asked for it has overlooked something.
    #[default]
    Refused,
    /// It is made: a program that writes what is there already need not find out that it is.
    Made,
}

/// A request for a commit.
#[derive(Debug, Clone, Default)]
pub struct NewCommit {
    /// The branch that gets it.
    pub branch: String,
    /// The project in which `start_branch` or `start_sha` is; the same project if absent.
    pub start_project: Option<Reference>,
    /// The branch from which that one is made, if it is not there yet. In another project, it is the one of the same name if
    /// neither it nor `start_sha` is named.
    pub start_branch: Option<String>,
    /// The commit from which it is made, in place of a branch.
    pub start_sha: Option<String>,
    /// True if a branch that is there already is reset to the commit that follows the named one.
    pub force: bool,
    /// The fate of a commit that changes no file.
    pub unchanged: Unchanged,
    /// The message.
    pub message: String,
    /// The author's address, if it is not the caller's.
    pub author_email: Option<String>,
    /// The author's name, if it is not the caller's.
    pub author_name: Option<String>,
    /// Its changes, in order.
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
    let start = match request.start_project.clone() {
        Some(start) => Some(app.readable(identity, start).await?),
        None => None,
    };
    let writable = app.writable_in_part(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        this.repository(writable.code.project.id)?;
        let start = start.filter(|code| code.project.id != writable.code.project.id);
        let begin = start.map(|code| this.brought(&code, &writable, &request)).transpose()?;
        let actions = |start| request.actions.iter().map(|it| action(&writable.code.repository, start, it)).collect();
        let id = at_the_head(|| this.commit_now(&writable, &request, begin, actions, refused))?;
        found_commit(&writable.code, &id.to_string(), with_stats)
    })
    .await
}

/// The project that gets a commit.
#[derive(Debug, Clone)]
pub struct CommitPlace {
    /// It.
    pub project: Reference,
    /// The project at whose branch the commit begins, if it is made in a fork of that project, on a new branch.
    pub upstream: Option<Reference>,
}

/// As [`create_commit`], in a project or in a fork of it.
pub async fn commit_at(app: &App, identity: &Identity, place: CommitPlace, request: NewCommit) -> Result<(), AppError> {
    let changes = request.actions.clone();
    let actions = move |repository: &Repository, start| {
        changes.iter().map(|change| action(repository, start, change)).collect::<Result<Vec<_>, _>>()
    };
    app.commit_actions_at(identity, place, request, actions, refused).await
}

/// True if a branch has these files with these contents, or does not have those without a content. A form that was sent
/// twice has nothing more to do then. Paths are in their kept form.
pub async fn has_files(
    app: &App,
    identity: &Identity,
    project: Reference,
    branch: String,
    files: Vec<(String, Option<Vec<u8>>)>,
) -> Result<bool, AppError> {
    let code = app.readable(identity, project).await?;
    app.read_git(move || {
        let Ok(branch) = BranchName::parse(&branch) else { return Ok(false) };
        if !code.repository.exists() {
            return Ok(false);
        }
        let Some(tip) = code.repository.ref_target(&branch.full())? else { return Ok(false) };
        for (path, content) in files {
            let Some(path) = LookupPath::parse(&path) else { return Ok(false) };
            let limit = content.as_ref().map_or(0, |content| u64::try_from(content.len()).unwrap_or(u64::MAX));
            let found = code.repository.file_at(tip, &path, limit)?.map(|(_, blob)| blob.content);
            let is_as_wanted = match content {
                None => found.is_none(),
                Some(content) => found.flatten().is_some_and(|found| found == content),
            };
            if !is_as_wanted {
                return Ok(false);
            }
        }
        Ok(true)
    })
    .await
}

/// A request for another commit of a submodule.
#[derive(Debug, Clone)]
pub struct UpdateSubmodule {
    /// Its path, in the kept form ([`tenon_domain::file_path`]).
    pub path: String,
    /// The commit in the other repository.
    pub commit: String,
    /// The branch that gets it.
    pub branch: String,
    /// The message; one that says what is done if absent.
    pub message: Option<String>,
}

/// Makes a commit that lets a submodule be at another commit of its repository.
pub async fn update_submodule(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: UpdateSubmodule,
) -> Result<CommitView, AppError> {
    let UpdateSubmodule { path, commit, branch, message } = request;
    let writable = app.writable_in_part(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        if writable.code.project.default_branch.is_none() {
            return Err(RepositoryRefusal::Empty.into());
        }
        // The null id names no commit, and a tree that holds it cannot be checked out.
        let oid = commit.parse().ok().filter(|oid: &Oid| !oid.is_zero());
        let oid = oid.ok_or(RepositoryRefusal::InvalidCommit)?;
        let tree_path = TreePath::of_existing(&path).map_err(|_invalid| RepositoryRefusal::InvalidSubmodule)?;
        let path = shown(&path);
        let message = message.unwrap_or_else(|| format!("Update submodule {path} with oid {commit}"));
        let request = NewCommit { branch, message, ..NewCommit::default() };
        let actions = |_| Ok(vec![GitAction::Submodule { path: tree_path.clone(), commit: oid }]);
        let refusal = |error: WriteError| match error {
            WriteError::Refused(Refusal::FileMissing(_)) => AppError::from(RepositoryRefusal::InvalidSubmodule),
            WriteError::Refused(Refusal::Empty) => {
                RepositoryRefusal::SubmoduleUnchanged { path: path.to_string(), commit: commit.clone() }.into()
            }
            other => refused(other),
        };
        let id = at_the_head(|| this.commit_now(&writable, &request, None, actions, refusal))?;
        found_commit(&writable.code, &id.to_string(), false)
    })
    .await
}

impl App {
    /// Makes a commit in a project or in a fork of it, whose changes depend on the commit that it follows.
    pub(super) async fn commit_actions_at(
        &self,
        identity: &Identity,
        place: CommitPlace,
        request: NewCommit,
        actions: impl Fn(&Repository, Option<Oid>) -> Result<Vec<GitAction>, AppError> + Send + 'static,
        refusal: fn(WriteError) -> AppError,
    ) -> Result<(), AppError> {
        let upstream = match place.upstream {
            Some(upstream) => Some(self.readable(identity, upstream).await?),
            None => None,
        };
        let writable = self.writable_in_part(identity, place.project).await?;
        let this = self.clone();
        self.on_git(move || {
            this.repository(writable.code.project.id)?;
            let begin = upstream.map(|code| this.brought(&code, &writable, &request)).transpose()?;
            let actions = |start| actions(&writable.code.repository, start);
            at_the_head(|| this.commit_now(&writable, &request, begin, actions, refusal)).map(drop)
        })
        .await
    }

    /// The commit of another project at which a commit of this one begins. This repository gets it.
    fn brought(&self, upstream: &RepositoryContext, writable: &Writable, request: &NewCommit) -> Result<Oid, AppError> {
        // Nothing is fetched if the caller may not make the commit.
        let (branch, tip) = target(writable, request, true)?;
        let named = request.start_branch.as_deref().filter(|name| !name.is_empty());
        let start = start_commit(upstream, named.or(Some(&request.branch)), request.start_sha.as_deref())?;
        let repository = &writable.code.repository;
        if repository.commit(start)?.is_none() {
            if let Some(tip) = tip
                && (upstream.repository.commit(tip)?.is_none() || !upstream.repository.is_ancestor(tip, start)?)
            {
                check(writable, &branch, RefChange::Force)?;
            }
            let name = RefName::keep_around(start);
            let from = (upstream.project.id, &upstream.repository);
            self.fetch_within_quota(writable.code.project.id, from, start, &name)?;
        }
        Ok(start)
    }

    fn commit_now(
        &self,
        writable: &Writable,
        request: &NewCommit,
        begin: Option<Oid>,
        actions: impl FnOnce(Option<Oid>) -> Result<Vec<GitAction>, AppError>,
        refusal: impl FnOnce(WriteError) -> AppError,
    ) -> Result<Oid, AppError> {
        let named = request.start_branch.as_deref().filter(|name| !name.is_empty() && *name != request.branch);
        let begins = begin.is_some() || named.is_some() || request.start_sha.is_some();
        let (branch, tip) = target(writable, request, begins)?;
        let is_empty = writable.code.project.default_branch.is_none();
        let start = match begin {
            Some(begin) => Some(begin),
            None if begins => {
                Some(start_commit(&writable.code, request.start_branch.as_deref(), request.start_sha.as_deref())?)
            }
            None if tip.is_none() && !is_empty => return Err(RepositoryRefusal::NotOnABranch.into()),
            None => tip,
        };
        if let (Some(tip), Some(start)) = (tip, start)
            && tip != start
            && !writable.code.repository.is_ancestor(tip, start)?
        {
            check(writable, &branch, RefChange::Force)?;
        }
        let now = self.now();
        let committer = writable.signature(now);
        let author = match (&request.author_name, &request.author_email) {
            (None, None) => committer.clone(),
            (name, email) => Signature::new(
                name.as_deref().unwrap_or(&writable.user.name),
                email.as_deref().unwrap_or(&writable.commit_email),
                now,
            ),
        };
        let actions = actions(start)?;
        let message = request.message.clone();
        let content: usize = actions.iter().map(content_size).sum();
        let bytes = content.saturating_add(message.len()).max(1);
        self.check_repository_size(writable.code.project.id, u64::try_from(bytes).unwrap_or(u64::MAX))?;
        let commit = CommitRequest { branch: branch.clone(), tip, start, author, committer, message, actions };
        let repository = &writable.code.repository;
        let id = match request.unchanged {
            Unchanged::Made if !commit.actions.is_empty() => repository.commit_even_unchanged(&commit),
            Unchanged::Made | Unchanged::Refused => repository.commit_actions(&commit),
        };
        let id = id.map_err(refusal)?;
        self.moved(writable, &branch.full(), tip.unwrap_or(Oid::ZERO), id)?;
        Ok(id)
    }
}

/// The branch that gets a commit, and its tip. Fails if the caller may neither make nor advance it, or if the commit begins
/// somewhere else and the branch is there.
fn target(writable: &Writable, request: &NewCommit, begins: bool) -> Result<(BranchName, Option<Oid>), AppError> {
    let branch = BranchName::parse(&request.branch)
        .map_err(|_invalid| RepositoryRefusal::BranchNotCreated(request.branch.clone()))?;
    let tip = writable.tip(&branch)?;
    if tip.is_some() && begins && !request.force {
        return Err(RepositoryRefusal::BranchTaken(branch.as_str().to_owned()).into());
    }
    let change = if tip.is_some() { RefChange::FastForward } else { RefChange::Create };
    check(writable, &branch, change)?;
    Ok((branch, tip))
}

fn check(writable: &Writable, branch: &BranchName, change: RefChange) -> Result<(), AppError> {
    let checked = writable.check(RefKind::Branch, branch.as_str(), change);
    checked.map_err(|_reason| RepositoryRefusal::BranchProtected.into())
}

/// The commit of a project at which a new one begins: that of a branch, or one that is named by its id.
fn start_commit(code: &RepositoryContext, branch: Option<&str>, sha: Option<&str>) -> Result<Oid, AppError> {
    let named = match sha {
        Some(sha) => {
            let is_id = (4..=40).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_id { code.commit_named(Some(sha))? } else { None }
        }
        None => code.commit_named(branch)?,
    };
    Ok(named.ok_or(RepositoryRefusal::NotOnABranch)?)
}

/// The bytes that a change brings.
fn content_size(action: &GitAction) -> usize {
    match action {
        GitAction::Create { content, .. } | GitAction::Put { content, .. } | GitAction::Update { content, .. } => {
            content.len()
        }
        GitAction::Move { content, .. } => content.as_ref().map_or(0, Vec::len),
        GitAction::Delete { .. } | GitAction::Chmod { .. } | GitAction::Submodule { .. } => 0,
    }
}

/// The change, for a commit that follows `start`.
fn action(repository: &Repository, start: Option<Oid>, action: &FileAction) -> Result<GitAction, AppError> {
    let invalid = |text: &str| {
        let climbs = text.split('/').any(|part| part == "..");
        if climbs { RepositoryRefusal::PathTraversal } else { RepositoryRefusal::InvalidPath }
    };
    let path = |text: &str| TreePath::parse(text).map_err(|_invalid| invalid(text));
    let existing = |text: &str| {
        let path = TreePath::of_existing(text).map_err(|_invalid| invalid(text))?;
        match (start, LookupPath::parse(path.as_kept())) {
            (Some(start), Some(named)) => Ok::<_, AppError>(repository.exact_path(start, named)?.into()),
            _ => Ok(path),
        }
    };
    let last_commit = match action.last_commit_id.as_deref().filter(|id| !id.is_empty()) {
        None => None,
        Some(id) => Some(
            id.parse::<Oid>().map_err(|_invalid| RepositoryRefusal::FileChanged(shown(&action.path).into_owned()))?,
        ),
    };
    let content = || action.content.clone().ok_or(RepositoryRefusal::NoContent);
    Ok(match action.kind {
        FileActionKind::Create => GitAction::Create {
            path: path(&action.path)?,
            content: content()?,
            executable: action.executable.unwrap_or(false),
        },
        FileActionKind::Update => GitAction::Update { path: existing(&action.path)?, content: content()?, last_commit },
        FileActionKind::Move => GitAction::Move {
            from: existing(action.previous_path.as_deref().unwrap_or_default())?,
            to: path(&action.path)?,
            content: action.content.clone(),
            last_commit,
        },
        FileActionKind::Delete => GitAction::Delete { path: existing(&action.path)?, last_commit },
        FileActionKind::Chmod => {
            let executable = action.executable.unwrap_or(false);
            GitAction::Chmod { path: existing(&action.path)?, executable, last_commit }
        }
    })
}
