//! Applying suggestions. Two stores change: the commit is made and recorded as intended, the branch moves to it by
//! compare-and-swap, and the suggestions are recorded as applied. Who finds an intended commit, because the button was pressed
//! twice or the server has stopped in between, finishes it first.

use std::collections::{BTreeMap, HashMap, HashSet};

use tenon_domain::file_path::FilePath;
use tenon_domain::id::{IssuableId, NoteId, ProjectId, SuggestionId, UserId};
use tenon_domain::issuable::{Issuable, IssuableAction, State};
use tenon_domain::merge_request::{MergeRequest, expand};
use tenon_domain::note::{Note, Resolution};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::SUGGESTION_COMMIT_MESSAGE;
use tenon_domain::refusal::{Refusal as AnyRefusal, RepositoryRefusal, SuggestionRefusal};
use tenon_domain::repository::{RefChange, RefKind};
use tenon_domain::suggestion::{MAX_AT_ONCE, MAX_FILE, NotApplied, Placed, Suggestion, SuggestionCommit, applied};
use tenon_domain::user::User;
use tenon_git::write::actions::{Action, CommitRequest};
use tenon_git::write::{RefChange as GitChange, Refusal, WriteError};
use tenon_git::{BranchName, LookupPath, Oid, Signature, TreePath};
use tenon_storage::note::OpenDiscussion;
use tenon_storage::{issuable, merge_request, note, user};

use super::mergeability::{MergeRepositories, oid};
use super::message::{open_address, trailer};
use super::traced::Tracer;
use crate::core::app::{App, By, Command, CrashPoint, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::ref_update::RefUpdate;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_write::{Writable, refused};
use crate::shared::issuable::merge_requests::load;
use crate::shared::issuable::open_discussions::note_if_all_resolved;
use crate::shared::issuable::suggestions::{SuggestionView, views};

/// A request to apply suggestions by one commit.
#[derive(Debug, Clone, Default)]
pub struct ApplySuggestions {
    /// Which.
    pub ids: Vec<SuggestionId>,
    /// The message; one that counts them if absent.
    pub message: Option<String>,
}

/// How often it is tried again if the branch moves concurrently.
const ATTEMPTS: usize = 10;
/// A commit that was begun this long ago, in seconds, is not under way any more.
const ABANDONED: i64 = 60;

/// Applies suggestions of one merge request: all of them by one commit, or none. Those that are applied already stay so. For
/// callers who may push to the source branch.
pub async fn apply_suggestions(
    app: &App,
    identity: &Identity,
    request: ApplySuggestions,
) -> Result<Vec<SuggestionView>, AppError> {
    let mut ids = request.ids.clone();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Err(SuggestionRefusal::None.into());
    }
    if ids.len() > MAX_AT_ONCE {
        return Err(SuggestionRefusal::TooMany(MAX_AT_ONCE).into());
    }
    let named = ids.clone();
    let (home, request_of) = app.read(identity, move |query| of_suggestions(query, &named)).await?;
    let source = Reference::Id(request_of.source_project.ok_or(SuggestionRefusal::BranchGone)?.get());
    let writable = app.writable_in_part(identity, source).await.map_err(|error| match error {
        // The project of the branch may be hidden from the caller.
        AppError::NotFound(_) => AppError::Forbidden,
        error => error,
    })?;
    let branch = BranchName::parse(&request_of.source_branch).map_err(AppError::internal)?;
    writable
        .check(RefKind::Branch, branch.as_str(), RefChange::FastForward)
        .map_err(|_reason| RepositoryRefusal::BranchProtected)?;
    let (this, wanted) = (app.clone(), ids.clone());
    let work = move || {
        let apply = Apply { app: &this, home: &home, of: request_of.id, writable: &writable, branch: &branch };
        apply.all(&wanted, request.message.as_deref())
    };
    app.on_git(work).await?;
    app.read(identity, move |query| applied_views(query, &ids)).await
}

/// The merge request of these suggestions, if the caller may read it. Hidden ones are missing.
fn of_suggestions(query: &mut Query<'_>, ids: &[SuggestionId]) -> Result<(AuthorizedProject, MergeRequest), AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    query.user()?;
    let found = note::suggestions(&mut query.tx, ids)?;
    if found.len() != ids.len() {
        return Err(missing());
    }
    let of: HashSet<IssuableId> = found.iter().map(|one| one.issuable).collect();
    let mut readable = Vec::new();
    for id in &of {
        let of = issuable::find_by_id(&mut query.tx, *id)?.ok_or_else(missing)?;
        let of = IssuableReference { kind: of.kind, project: Reference::Id(of.project.get()), iid: of.iid };
        readable.push(query.merge_request(&of, IssuableAction::Read).map_err(|error| match error {
            AppError::NotFound(_) | AppError::Forbidden => missing(),
            error => error,
        })?);
    }
    match (readable.pop(), readable.is_empty()) {
        (Some(found), true) => {
            // Its threads are resolved, too, and the caller sees the code.
            if found.home.project.archived || !found.home.may(ProjectAction::ReadCode) {
                return Err(AppError::Forbidden);
            }
            Ok((found.home.clone(), found.request))
        }
        _ => Err(SuggestionRefusal::SeveralBranches.into()),
    }
}

fn applied_views(query: &mut Query<'_>, ids: &[SuggestionId]) -> Result<Vec<SuggestionView>, AppError> {
    let found = note::suggestions(&mut query.tx, ids)?;
    let Some(first) = found.first() else { return Ok(Vec::new()) };
    let of = issuable::find_by_id(&mut query.tx, first.issuable)?.ok_or(AppError::NotFound(Missing::Record))?;
    let notes: Vec<NoteId> = found.iter().map(|one| one.note).collect();
    let notes: Vec<Note> = note::by_ids(&mut query.tx, &notes)?.into_values().collect();
    let views = views(query, &of, &notes)?;
    let mut views: HashMap<SuggestionId, SuggestionView> =
        views.into_values().flatten().map(|view| (view.suggestion.id, view)).collect();
    Ok(ids.iter().filter_map(|id| views.remove(id)).collect())
}

/// Suggestions as they are stored now.
struct Stored {
    issuable: Issuable,
    request: MergeRequest,
    suggestions: Vec<Suggestion>,
    notes: HashMap<NoteId, Note>,
    authors: HashMap<UserId, User>,
}

impl Stored {
    /// The commit that applies each suggestion, if there is one.
    fn commits(&self) -> Vec<(SuggestionId, Option<&SuggestionCommit>)> {
        self.suggestions.iter().map(|one| (one.id, one.commit.as_ref())).collect()
    }
}

/// The parts that the attempts have in common.
struct Apply<'a> {
    app: &'a App,
    home: &'a AuthorizedProject,
    of: IssuableId,
    writable: &'a Writable,
    branch: &'a BranchName,
}

impl Apply<'_> {
    fn all(&self, ids: &[SuggestionId], message: Option<&str>) -> Result<(), AppError> {
        for _ in 0..ATTEMPTS {
            let stored = self.stored(ids)?;
            let Some(begun) = stored.suggestions.iter().find(|one| one.commit.is_some() && !one.is_applied()) else {
                let open: Vec<&Suggestion> = stored.suggestions.iter().filter(|one| !one.is_applied()).collect();
                if open.is_empty() {
                    return Ok(());
                }
                match self.begin(&stored, &open, message) {
                    // A concurrent request has applied the suggestions, so that the lines differ.
                    Err(AppError::Refused(_)) if self.stored(ids)?.commits() != stored.commits() => {}
                    begun => begun?,
                }
                continue;
            };
            let commit = begun.commit.clone().ok_or(AppError::NotFound(Missing::Record))?;
            self.complete(&commit)?;
        }
        Err(RepositoryRefusal::BranchMoved.into())
    }

    fn stored(&self, ids: &[SuggestionId]) -> Result<Stored, AppError> {
        let missing = || AppError::NotFound(Missing::Record);
        self.app.parts().database.read(|tx| -> Result<Stored, AppError> {
            let issuable = issuable::find_by_id(tx, self.of)?.ok_or_else(missing)?;
            let request = merge_request::find(tx, self.of)?.ok_or_else(missing)?;
            let suggestions = note::suggestions(tx, ids)?;
            // One whose comment was deleted or changed meanwhile.
            if suggestions.len() != ids.len() {
                return Err(missing());
            }
            let notes: Vec<NoteId> = suggestions.iter().map(|one| one.note).collect();
            let notes = note::by_ids(tx, &notes)?;
            let authors: Vec<UserId> = notes.values().map(|note| note.author).collect();
            let authors = user::by_ids(tx, &authors)?;
            Ok(Stored { issuable, request, suggestions, notes, authors })
        })
    }

    /// Makes the commit of these suggestions, and records it as intended.
    fn begin(&self, stored: &Stored, open: &[&Suggestion], message: Option<&str>) -> Result<(), AppError> {
        match stored.issuable.state {
            State::Opened => {}
            State::Merged | State::Locked => return Err(SuggestionRefusal::Merged.into()),
            State::Closed { .. } => return Err(SuggestionRefusal::Closed.into()),
        }
        let repositories = self.app.merge_repositories(&self.home.project, &stored.request);
        let tip = repositories.source_tip(&stored.request)?.ok_or(SuggestionRefusal::BranchGone)?;
        repositories.fetch(tip)?;
        let actions = Self::actions(&repositories, stored, open, tip)?;
        let (now, project) = (self.app.now(), self.writable.code.project.id);
        let committer = self.writable.signature(now);
        let authors = authors(stored, open);
        let author = match authors.as_slice() {
            [only] if only.id != self.writable.user.id => {
                Signature::new(&only.name, &open_address(self.app, only), now)
            }
            _ => committer.clone(),
        };
        let message = self.message(message, open.len(), &actions, &authors);
        let content = |action: &Action| match action {
            Action::Update { content, .. } => content.len(),
            _ => 0,
        };
        let bytes = actions.iter().map(content).sum::<usize>().saturating_add(message.len()).max(1);
        self.app.check_repository_size(project, u64::try_from(bytes).unwrap_or(u64::MAX))?;
        let (branch, tip_of) = (self.branch.clone(), Some(tip));
        let commit = CommitRequest { branch, tip: tip_of, start: tip_of, author, committer, message, actions };
        let made = self.writable.code.repository.prepare_commit(&commit).map_err(refused)?;
        let commit = SuggestionCommit {
            id: made.to_string(),
            parent: tip.to_string(),
            by: self.writable.user.id,
            begun_at: now,
            applied_at: None,
        };
        let ids: Vec<SuggestionId> = open.iter().map(|one| one.id).collect();
        let is_begun = self.app.command(|command| {
            let begun = note::begin_suggestions(&mut command.tx, &ids, &commit)?;
            // Another commit has begun to apply some of them.
            if begun == ids.len() { Ok(()) } else { Err(RepositoryRefusal::BranchMoved.into()) }
        });
        match is_begun {
            Ok(()) => {}
            Err(AppError::Refused(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        self.app.crash_point(CrashPoint::Locked)?;
        self.complete(&commit)
    }

    /// The changes of files that bring the suggestions, as the files are at the tip of the branch.
    fn actions(
        repositories: &MergeRepositories,
        stored: &Stored,
        open: &[&Suggestion],
        tip: Oid,
    ) -> Result<Vec<Action>, AppError> {
        let mut files: BTreeMap<String, Vec<(&Suggestion, String)>> = BTreeMap::new();
        for one in open {
            let position = stored.notes.get(&one.note).and_then(|note| note.position.as_ref());
            let position = position.ok_or(AppError::NotFound(Missing::Record))?;
            files.entry(position.new_path.clone()).or_default().push((one, position.head.clone()));
        }
        let mut actions = Vec::with_capacity(files.len());
        let mut tracer = Tracer::new(repositories, tip);
        for (path, suggestions) in files {
            let path = FilePath::from_stored(&path);
            let name = path.legible();
            let gone = || SuggestionRefusal::FileGone(name.clone());
            let lookup = LookupPath::parse(path.as_kept()).ok_or_else(gone)?;
            let lookup = repositories.target.exact_path(tip, lookup)?;
            let (entry, blob) = repositories.target.file_at(tip, &lookup, MAX_FILE)?.ok_or_else(gone)?;
            let content = blob.content.filter(|content| !entry.is_link() && !content.contains(&0));
            let content = content.ok_or_else(|| SuggestionRefusal::NotText(name.clone()))?;
            let mut placed = Vec::with_capacity(suggestions.len());
            for (one, head) in suggestions {
                if one.proposal.from_content == one.proposal.to_content {
                    return Err(SuggestionRefusal::SameContent(name).into());
                }
                let lines = (one.proposal.from_line, one.proposal.to_line);
                let first = tracer.traced(oid(&head)?, &lookup, lines)?;
                let first = first.ok_or_else(|| SuggestionRefusal::Outdated(name.clone()))?;
                placed.push(Placed { first, proposal: &one.proposal });
            }
            let content = applied(&content, &placed).map_err(|why| match why {
                NotApplied::Changed => SuggestionRefusal::Outdated(name.clone()),
                NotApplied::Overlapping => SuggestionRefusal::Overlapping(name.clone()),
            })?;
            let path = TreePath::of_existing(lookup.as_kept()).map_err(|_invalid| gone())?;
            actions.push(Action::Update { path, content, last_commit: None });
        }
        Ok(actions)
    }

    /// The message: the typed one or that of the project, with its placeholders; or the usual one, with the co-authors.
    fn message(&self, typed: Option<&str>, suggestions: usize, actions: &[Action], authors: &[&User]) -> String {
        let (project, user) = (&self.home.project, &self.writable.user);
        let template = typed.or_else(|| project.settings.text_of(&SUGGESTION_COMMIT_MESSAGE));
        let paths: Vec<String> = actions
            .iter()
            .filter_map(|action| match action {
                Action::Update { path, .. } => Some(path.to_string()),
                _ => None,
            })
            .collect();
        let value = |name: &str| match name {
            "branch_name" => Some(self.branch.as_str().to_owned()),
            "files_count" => Some(paths.len().to_string()),
            "file_path" => paths.first().cloned(),
            "file_paths" => Some(paths.join(" ")),
            "project_name" => Some(project.name.clone()),
            "project_path" => Some(self.home.full_path()),
            "suggestions_count" => Some(suggestions.to_string()),
            "user_full_name" => Some(user.name.clone()),
            "username" => Some(user.username.clone()),
            _ => None,
        };
        let filled = template.map(|template| expand(template, value)).filter(|text| !text.trim().is_empty());
        filled.unwrap_or_else(|| {
            let mut message = format!("Apply {suggestions} suggestion(s) to {} file(s)", paths.len());
            let others = authors.iter().filter(|author| authors.len() > 1 && author.id != user.id);
            let lines: Vec<String> = others.map(|author| trailer(self.app, "Co-authored-by", author)).collect();
            if !lines.is_empty() {
                message += &format!("\n\n{}", lines.join("\n"));
            }
            message
        })
    }

    /// Moves the branch to a commit that was begun, and records that. Forgets the commit if the branch has gone on without it.
    fn complete(&self, commit: &SuggestionCommit) -> Result<(), AppError> {
        let (new, old) = (oid(&commit.id)?, oid(&commit.parent)?);
        let repository = &self.writable.code.repository;
        let is_abandoned = (self.app.now() - commit.begun_at).num_seconds() > ABANDONED;
        let change = GitChange::Update { name: self.branch.full(), new, old };
        // A commit that was left half-way is not brought by a later press, which may be about other suggestions.
        let moved = if is_abandoned { Err(Refusal::Stale.into()) } else { repository.update_refs(&[change]) };
        let is_newest = match moved {
            Ok(()) => true,
            Err(WriteError::Refused(_)) => {
                let tip = self.writable.tip(self.branch)?;
                let has_it = match tip {
                    Some(tip) => repository.commit(new)?.is_some() && repository.is_ancestor(new, tip)?,
                    None => false,
                };
                if !has_it {
                    return self
                        .app
                        .command(|command| Ok(note::drop_suggestion_commit(&mut command.tx, self.of, &commit.id)?));
                }
                tip == Some(new)
            }
            Err(WriteError::Git(error)) => return Err(error.into()),
        };
        self.app.crash_point(CrashPoint::Moved)?;
        let project = self.writable.code.project.id;
        if is_newest {
            self.record(project, RefUpdate { name: self.branch.full().as_str().to_owned(), old, new }, commit)?;
        } else {
            // Others have pushed since then: the refs are recorded as they are now.
            self.app.as_actor(By::User(commit.by), |command| finish(command, self.of, commit))?;
            self.app.reconcile_refs(project)?;
        }
        self.app.crash_point(CrashPoint::Finished)
    }

    /// Records that the branch has moved to the commit and that its suggestions are applied, both or neither, and once, whoever
    /// has come here.
    fn record(&self, project: ProjectId, moved: RefUpdate, commit: &SuggestionCommit) -> Result<(), AppError> {
        let recorded = self.app.handle_ref_updates_with(project, Some(commit.by), &[moved], |command| {
            let is_first = command.as_actor(By::User(commit.by), |command| finish(command, self.of, commit))?;
            if is_first { Ok(()) } else { Err(RepositoryRefusal::BranchMoved.into()) }
        });
        match recorded {
            Err(AppError::Refused(AnyRefusal::Repository(RepositoryRefusal::BranchMoved))) => Ok(()),
            recorded => recorded,
        }
    }
}

/// Who has written the suggestions, each once.
fn authors<'s>(stored: &'s Stored, open: &[&Suggestion]) -> Vec<&'s User> {
    let mut authors: Vec<&User> = Vec::new();
    for note in open.iter().filter_map(|one| stored.notes.get(&one.note)) {
        if let Some(author) = stored.authors.get(&note.author)
            && !authors.iter().any(|known| known.id == author.id)
        {
            authors.push(author);
        }
    }
    authors
}

/// Records that the branch has the commit: its suggestions are applied, and their threads resolved. False if that was recorded
/// before.
fn finish(command: &mut Command<'_>, of: IssuableId, commit: &SuggestionCommit) -> Result<bool, AppError> {
    let now = command.now;
    let notes = note::finish_suggestions(&mut command.tx, of, &commit.id, now)?;
    if notes.is_empty() {
        return Ok(false);
    }
    let Some((found, _)) = load(command, of)? else { return Ok(true) };
    let notes: Vec<Note> = note::by_ids(&mut command.tx, &notes)?.into_values().collect();
    let threads: HashMap<String, NoteId> = notes.into_iter().map(|note| (note.discussion, note.id)).collect();
    let threads: Vec<OpenDiscussion> = threads.into_iter().map(|(id, first)| OpenDiscussion { id, first }).collect();
    // The account may be gone by now.
    let by = user::find(&mut command.tx, commit.by)?.map(|user| user.id);
    let resolved = note::resolve_discussions(&mut command.tx, of, &threads, Resolution { by, at: now })?;
    note_if_all_resolved(command, &found, resolved > 0)?;
    Ok(true)
}
