//! Resolving conflicts of texts: the target is merged into the source branch by one commit.

use std::time::Duration;

use tenon_domain::file_path::FilePath;
use tenon_domain::issuable::{IssuableAction, State};
use tenon_domain::merge_request::{
    AcceptRefusal, ConflictSide, MAX_CONFLICTED_FILES, MAX_CONFLICTED_TEXT, chosen, has_marks, pieces,
};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{MergeRequestRefusal, RepositoryRefusal};
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::merge::Conflicted;
use tenon_git::write::RefChange as GitChange;
use tenon_git::{BranchName, LookupPath, Oid, RefName, Repository, TreePath};

use super::found::AuthorizedMergeRequest;
use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_write::{Writable, refused};

/// How long Git may merge.
const TIME: Duration = Duration::from_secs(10);

/// The conflicts between the branches of a merge request.
#[derive(Debug, Clone)]
pub struct Conflicts {
    /// The head of the source branch.
    pub ours: String,
    /// The head of the target branch.
    pub theirs: String,
    /// The files; some of them if there are many.
    pub files: Vec<ConflictText>,
    /// True if there are more files.
    pub is_cut: bool,
}

impl Conflicts {
    /// True if all of them can be resolved as texts.
    #[must_use]
    pub fn is_resolvable(&self) -> bool {
        !self.is_cut && self.files.iter().all(|file| file.text.is_ok())
    }
}

/// A file in conflict.
#[derive(Debug, Clone)]
pub struct ConflictText {
    /// From the top of the repository.
    pub path: FilePath,
    /// The merged text, with both sides of each conflict between marks ([`pieces`]); or why it is none.
    pub text: Result<String, &'static str>,
}

/// How the conflicts of a file are resolved.
#[derive(Debug, Clone)]
pub enum ConflictResolution {
    /// By one side of each, in order.
    Chosen(Vec<ConflictSide>),
    /// By this text. Its lines end as those of the source branch.
    Text(String),
}

/// A request to resolve all conflicts.
#[derive(Debug, Clone)]
pub struct ResolveConflicts {
    /// The heads that the caller has seen.
    pub ours: String,
    /// That of the target branch.
    pub theirs: String,
    /// For each file in conflict, in order.
    pub files: Vec<ConflictResolution>,
    /// The message of the commit; one that names the branches if absent.
    pub message: Option<String>,
}

/// A merge request whose conflicts the caller may resolve, and its source.
struct Resolvable {
    found: AuthorizedMergeRequest,
    writable: Writable,
    branch: BranchName,
}

/// The merge request, if it is open, and the caller may read the code of the target and push to the source branch.
async fn resolvable(app: &App, identity: &Identity, of: IssuableReference) -> Result<Resolvable, AppError> {
    let work = move |query: &mut Query<'_>| {
        query.user()?;
        query.merge_request(&of, IssuableAction::Read)
    };
    let found = app.read(identity, work).await?;
    // The target's commits come into the source: the caller must be able to read them.
    if !found.home.may(ProjectAction::ReadCode) || found.home.project.archived {
        return Err(AppError::Forbidden);
    }
    let source = Reference::Id(found.request.source_project.ok_or(AppError::Forbidden)?.get());
    let writable = app.writable_in_part(identity, source).await.map_err(|error| match error {
        AppError::NotFound(_) => AppError::Forbidden,
        error => error,
    })?;
    let branch = BranchName::parse(&found.request.source_branch).map_err(AppError::internal)?;
    writable
        .check(RefKind::Branch, branch.as_str(), RefChange::FastForward)
        .map_err(|_reason| RepositoryRefusal::BranchProtected)?;
    if found.issuable.state != State::Opened {
        return Err(AcceptRefusal::NotOpen.into());
    }
    Ok(Resolvable { found, writable, branch })
}

/// The conflicts of a merge request, for those who may resolve them. Refused if there are none.
pub async fn conflicting_texts(app: &App, identity: &Identity, of: IssuableReference) -> Result<Conflicts, AppError> {
    let resolvable = resolvable(app, identity, of).await?;
    let this = app.clone();
    app.on_git_long(move || {
        let (ours, theirs) = this.tips(&resolvable)?;
        let repository = this.merge_repositories(&resolvable.found.home.project, &resolvable.found.request).target;
        let merged = repository.conflicted(ours, theirs, TIME)?;
        let merged = merged.filter(|merged| !merged.files.is_empty()).ok_or(MergeRequestRefusal::NoConflicts)?;
        texts(&repository, &merged, (ours, theirs))
    })
    .await
}

/// Resolves all conflicts by one commit of the source branch, whose second parent is the head of the target. Refused with
/// [`RepositoryRefusal::BranchMoved`] if a branch is not where the caller has seen it. If the source branch has this very resolution
/// already, nothing is done.
pub async fn resolve_conflicts(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    request: ResolveConflicts,
) -> Result<(), AppError> {
    let resolvable = resolvable(app, identity, of).await?;
    let this = app.clone();
    app.on_git(move || this.resolve_now(&resolvable, &request)).await
}

/// The files with their texts, as far as they can be resolved.
fn texts(repository: &Repository, merged: &Conflicted, (ours, theirs): (Oid, Oid)) -> Result<Conflicts, AppError> {
    let mut files = Vec::new();
    for file in merged.files.iter().take(MAX_CONFLICTED_FILES) {
        let text = match file.sides {
            Some(sides) => text(repository, merged.tree, &file.path, sides)?,
            None => Err(GONE),
        };
        files.push(ConflictText { path: file.path.clone(), text });
    }
    let is_cut = merged.files.len() > files.len();
    Ok(Conflicts { ours: ours.to_string(), theirs: theirs.to_string(), files, is_cut })
}

/// Why a file cannot be resolved that is no regular one on both sides.
const GONE: &str = "it was deleted, renamed or replaced on one side";

fn text(
    repository: &Repository,
    tree: Oid,
    path: &FilePath,
    sides: [Oid; 2],
) -> Result<Result<String, &'static str>, AppError> {
    // Of a file that is binary on one side, Git keeps one.
    for side in repository.blobs(&sides, MAX_CONFLICTED_TEXT)? {
        match side.and_then(|side| side.content) {
            None => return Ok(Err("it is too large")),
            Some(content) if content.contains(&0) => return Ok(Err("it is binary")),
            Some(_) => {}
        }
    }
    let Some(path) = LookupPath::parse(path.as_kept()) else { return Ok(Err(GONE)) };
    let Some((_, blob)) = repository.file_at(tree, &path, 2 * MAX_CONFLICTED_TEXT)? else { return Ok(Err(GONE)) };
    let Some(content) = blob.content else { return Ok(Err("it is too large")) };
    Ok(String::from_utf8(content).map_err(|_invalid| "it is not encoded in UTF-8"))
}

impl App {
    /// The heads of the source and of the target, which the target's repository has.
    fn tips(&self, resolvable: &Resolvable) -> Result<(Oid, Oid), AppError> {
        let Resolvable { found, .. } = resolvable;
        let repositories = self.merge_repositories(&found.home.project, &found.request);
        let tips = repositories.source_tip(&found.request)?.zip(repositories.target_tip(&found.request)?);
        let (ours, theirs) = tips.ok_or(AcceptRefusal::CannotBeMerged)?;
        repositories.fetch(ours)?;
        Ok((ours, theirs))
    }

    /// True if `tip` is the commit that resolves the conflicts between the heads that the caller has seen, and does so as the request
    /// asks for.
    fn is_resolved_so(&self, resolvable: &Resolvable, request: &ResolveConflicts, tip: Oid) -> Result<bool, AppError> {
        let Resolvable { writable, .. } = resolvable;
        let repository = &writable.code.repository;
        let Some(made) = repository.commit(tip)? else { return Ok(false) };
        let [ours, theirs] = made.parents[..] else { return Ok(false) };
        if ours.to_string() != request.ours || theirs.to_string() != request.theirs {
            return Ok(false);
        }
        let (merged, files) = merged_files(repository, (ours, theirs), request)?;
        let (author, message) = (writable.signature(self.now()), made.message.as_str());
        let wanted = repository.resolved(merged, [ours, theirs], files, &author, message).map_err(refused)?;
        Ok(repository.tree_of(wanted)? == repository.tree_of(tip)?)
    }

    fn resolve_now(&self, resolvable: &Resolvable, request: &ResolveConflicts) -> Result<(), AppError> {
        let Resolvable { found, writable, branch } = resolvable;
        let (ours, theirs) = self.tips(resolvable)?;
        let repositories = self.merge_repositories(&found.home.project, &found.request);
        let repository = &writable.code.repository;
        if ours.to_string() != request.ours || theirs.to_string() != request.theirs {
            let is_made = self.is_resolved_so(resolvable, request, ours)?;
            return if is_made { Ok(()) } else { Err(RepositoryRefusal::BranchMoved.into()) };
        }
        let project = writable.code.project.id;
        if repositories.target.path() != repository.path() && repository.commit(theirs)?.is_none() {
            let from = (found.home.project.id, &repositories.target);
            self.fetch_within_quota(project, from, theirs, &RefName::keep_around(theirs))?;
        }
        let (merged, files) = merged_files(repository, (ours, theirs), request)?;
        let message = request.message.clone().unwrap_or_else(|| {
            format!("Merge branch '{}' into '{}'", found.request.target_branch, found.request.source_branch)
        });
        let bytes: usize = files.iter().map(|(_, content)| content.len()).sum();
        let bytes = bytes.saturating_add(message.len()).max(1);
        self.check_repository_size(project, u64::try_from(bytes).unwrap_or(u64::MAX))?;
        let author = writable.signature(self.now());
        let made = repository.resolved(merged, [ours, theirs], files, &author, &message).map_err(refused)?;
        repository.update_refs(&[GitChange::Update { name: branch.full(), new: made, old: ours }]).map_err(refused)?;
        self.moved(writable, &branch.full(), ours, made)
    }
}

/// Files with their contents.
type Contents = Vec<(TreePath, Vec<u8>)>;

/// The merged tree, and the contents of the files that are in conflict there, as the request resolves them.
fn merged_files(
    repository: &Repository,
    (ours, theirs): (Oid, Oid),
    request: &ResolveConflicts,
) -> Result<(Oid, Contents), AppError> {
    let merged = repository.conflicted(ours, theirs, TIME)?;
    let merged = merged.filter(|merged| !merged.files.is_empty()).ok_or(MergeRequestRefusal::NoConflicts)?;
    let files = resolved(&texts(repository, &merged, (ours, theirs))?, &request.files)?;
    Ok((merged.tree, files))
}

/// The contents of the files, each as its resolution says.
fn resolved(conflicts: &Conflicts, resolutions: &[ConflictResolution]) -> Result<Contents, AppError> {
    if conflicts.is_cut {
        let text = format!("more than {MAX_CONFLICTED_FILES} files");
        return Err(MergeRequestRefusal::NotResolvable(text).into());
    }
    let mut files = Vec::with_capacity(conflicts.files.len());
    for (place, file) in conflicts.files.iter().enumerate() {
        let name = file.path.legible();
        let refusal = |why: &str| MergeRequestRefusal::NotResolvable(format!("{name}: {why}"));
        let text = file.text.as_ref().map_err(|why| refusal(why))?;
        let unresolved = || MergeRequestRefusal::Unresolved(name.clone());
        let (ours, theirs) = (conflicts.ours.as_str(), conflicts.theirs.as_str());
        let content = match resolutions.get(place).ok_or_else(unresolved)? {
            ConflictResolution::Chosen(choices) => {
                let pieces = pieces(text, ours, theirs).ok_or_else(unresolved)?;
                chosen(&pieces, choices).ok_or_else(unresolved)?
            }
            ConflictResolution::Text(edited) => {
                if has_marks(edited, ours, theirs) {
                    return Err(unresolved().into());
                }
                let edited = edited.replace("\r\n", "\n");
                if text.contains("\r\n") { edited.replace('\n', "\r\n") } else { edited }
            }
        };
        let path = TreePath::of_existing(file.path.as_kept()).map_err(|_invalid| refusal("its path is invalid"))?;
        files.push((path, content.into_bytes()));
    }
    Ok(files)
}
