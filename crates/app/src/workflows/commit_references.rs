//! References to issues in the messages of pushed commits.

use std::collections::{HashMap, HashSet};

use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::issuable::{IssuableAction, IssuableKind, relative_reference};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::AUTOCLOSE_REFERENCED_ISSUES;
use tenon_git::commit::{Commit, CommitQuery, CommitRange};
use tenon_git::{Oid, Repository};
use tenon_markdown::Reference as Named;
use tenon_storage::project;
use tenon_storage::repository::{CommitReference, is_known, remember};

use crate::core::app::{App, Command};
use crate::core::caller::Rights;
use crate::core::error::AppError;
use crate::jobs::AsyncJob;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::repository::refs::push_events::{ProcessCommitMessages, default_tip};
use crate::shared::issuable::issue_closing::close_because;
use crate::shared::issuable::references::{MAX_CROSS_REFERENCES, named_issuable};
use crate::shared::issuable::system_notes;

/// Of a push, the newest commits that are read.
const MAX_COMMITS: i64 = 100;

impl AsyncJob for ProcessCommitMessages {
    async fn run(self, app: &App) -> Result<(), AppError> {
        process_commit_messages(app, self).await
    }
}

/// Reads the messages of pushed commits: issues that they name get a system note, and those that they close are closed
/// once the commit reaches the default branch. As the pusher, with the rights that the pusher has now. Idempotent: what
/// a commit has done to an issue is remembered.
async fn process_commit_messages(app: &App, pushed: ProcessCommitMessages) -> Result<(), AppError> {
    let app = app.clone();
    app.clone().on_git(move || app.process_commit_messages_now(&pushed)).await
}

impl App {
    fn process_commit_messages_now(&self, pushed: &ProcessCommitMessages) -> Result<(), AppError> {
        let id = ProjectId::new(pushed.project);
        let repository = self.repositories().store.repository(id);
        let known = self.parts().database.read(|tx| project::find(tx, id))?;
        let Some(known) = known.filter(|_| repository.exists()) else { return Ok(()) };
        let is_default = known.default_branch.as_deref() == Some(&pushed.branch);
        let mut commits = new_commits(&repository, pushed, known.default_branch.as_deref(), is_default)?;
        if let Some(source) = known.forked_from {
            let source = self.repositories().store.repository(source);
            let ids: Vec<Oid> = commits.iter().map(|commit| commit.id).collect();
            let shared = if source.exists() { source.commits_by_id(&ids)? } else { HashMap::default() };
            commits.retain(|commit| !shared.contains_key(&commit.id));
        }
        // The oldest first: so they were written.
        for commit in commits.iter().rev() {
            let named = Names::of(commit, self, is_default);
            if named.all.is_empty() {
                continue;
            }
            let done = self.command_as(UserId::new(pushed.pusher), Rights::WithoutSession, |command| {
                process_commit_message(command, id, commit, &named)
            })?;
            if done.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// The commits that a push brought, newest first. The first push of the default branch brings history, not news.
fn new_commits(
    repository: &Repository,
    pushed: &ProcessCommitMessages,
    default: Option<&str>,
    is_default: bool,
) -> Result<Vec<Commit>, AppError> {
    let Ok(to) = pushed.to.parse::<Oid>() else { return Ok(Vec::new()) };
    let before = match (&pushed.from, default) {
        (Some(from), _) => from.parse::<Oid>().ok(),
        (None, _) if is_default => return Ok(Vec::new()),
        (None, Some(default)) => default_tip(repository, default)?,
        (None, None) => None,
    };
    let ends: Vec<Oid> = before.into_iter().chain([to]).collect();
    if repository.commits_by_id(&ends)?.len() < ends.iter().collect::<HashSet<_>>().len() {
        // It was rewritten concurrently, and the old commits are gone.
        return Ok(Vec::new());
    }
    let range = match before {
        Some(from) => CommitRange::Between { from, to },
        None => CommitRange::From(to),
    };
    Ok(repository.commit_list(&CommitQuery::new(range), 0, MAX_COMMITS)?)
}

/// The issues and merge requests that a message names, and the issues that it says it closes.
struct Names {
    all: Vec<Named>,
    closed: Vec<Named>,
}

impl Names {
    fn of(commit: &Commit, app: &App, closing: bool) -> Self {
        let names = app.names_of(&commit.message);
        let mut all = names.references();
        all.retain(|named| matches!(named, Named::Issue { .. } | Named::MergeRequest { .. }));
        all.truncate(MAX_CROSS_REFERENCES);
        let closed = if closing { names.closes().to_vec() } else { Vec::new() };
        Self { all, closed }
    }
}

fn process_commit_message(
    command: &mut Command<'_>,
    project: ProjectId,
    commit: &Commit,
    names: &Names,
) -> Result<(), AppError> {
    let home = match command.query().project(&Reference::Id(project.get()), ProjectAction::ReadCode) {
        Ok(home) => home,
        // The pusher has lost access since.
        Err(AppError::NotFound(_) | AppError::Forbidden) => return Ok(()),
        Err(other) => return Err(other),
    };
    for named in &names.all {
        let (kind, project, iid) = match named {
            Named::Issue { project, iid } => (IssuableKind::Issue, project, *iid),
            Named::MergeRequest { project, iid } => (IssuableKind::MergeRequest, project, *iid),
            Named::User(_) | Named::Label(_) | Named::Milestone(_) | Named::External(_) => continue,
        };
        let found = named_issuable(&mut command.query(), &home, kind, project.as_deref(), iid)?;
        let Some(found) = found else { continue };
        close_or_mention(command, &home, commit, &found, names.closed.contains(named))?;
    }
    Ok(())
}

/// Closes an issue that a commit names, or notes down that it does.
fn close_or_mention(
    command: &mut Command<'_>,
    home: &AuthorizedProject,
    commit: &Commit,
    found: &AuthorizedIssuable,
    says_closes: bool,
) -> Result<(), AppError> {
    let is_upstream = home.project.forked_from == Some(found.home.project.id);
    let is_closed_by_words = found.home.project.settings.is_on(&AUTOCLOSE_REFERENCED_ISSUES);
    let closes = says_closes && is_closed_by_words && !is_upstream && found.may(IssuableAction::Edit);
    let reference = CommitReference {
        issuable: found.issuable.id,
        project: home.project.id,
        sha: commit.id.to_string(),
        closes: true,
    };
    if is_known(&mut command.tx, &reference)? {
        return Ok(());
    }
    let (here, there) = (home.full_path(), found.home.full_path());
    let name = match relative_reference(&there, &here, &format!("@{}", commit.id)) {
        own if here == there => own.trim_start_matches('@').to_owned(),
        other => other,
    };
    if closes {
        let note = close_because(command, found, format!("closed via commit {name}"), None)?;
        return Ok(remember(&mut command.tx, &reference, note)?);
    }
    let mention = CommitReference { closes: false, ..reference };
    if found.home.project.archived || is_known(&mut command.tx, &mention)? {
        return Ok(());
    }
    let author = command.user()?.id;
    let body = format!("mentioned in commit {name}");
    let note = system_notes::insert(command, found.issuable.id, author, body, None)?;
    Ok(remember(&mut command.tx, &mention, Some(note))?)
}
