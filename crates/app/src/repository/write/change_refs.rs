//! Making and removing branches and tags.

use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::repository::{ProtectionKind, RefChange, RefKind};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, Oid, TagName};
use tenon_storage::repository::find_rule;
use tenon_storage::{merge_request, release as stored_release};

use crate::core::app::{App, Command};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::branch::{self, BranchView};
use crate::repository::read::tag::{TagView, tag};
use crate::repository::refs::access_entries::AccessChange;
use crate::repository::refs::protection::{EditProtection, NewProtection, edit_protection, protect, unprotect};
use crate::repository::refs::ref_write::{Writable, refused};
use crate::shared::hook_event::release_event::record_release;
use crate::shared::views::release_notes;

/// A request for a new branch.
#[derive(Debug, Clone, Default)]
pub struct NewBranch {
    /// Its name.
    pub branch: String,
    /// A branch, tag or commit from which it starts.
    pub from: String,
}

/// Makes a branch. In an empty repository the default branch is made first, with an empty readme.
pub async fn create_branch(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: NewBranch,
) -> Result<BranchView, AppError> {
    let writable = app.writable(identity, project.clone()).await?;
    let (this, name) = (app.clone(), request.branch.clone());
    let made = app.on_git(move || this.create_branch_now(&writable, &request)).await?;
    match made {
        Some(view) => Ok(view),
        // Its first commit has made a default branch and a rule: both are read anew.
        None => branch::branch(app, identity, project, name).await,
    }
}

impl App {
    /// Makes a branch. `None` if the repository had no default branch.
    fn create_branch_now(&self, writable: &Writable, request: &NewBranch) -> Result<Option<BranchView>, AppError> {
        let name = BranchName::parse(&request.branch).map_err(|_invalid| RepositoryRefusal::InvalidBranch)?;
        let start = || writable.code.commit_named(Some(&request.from));
        let start = match start()? {
            Some(start) => start,
            None if self.make_first_branches(writable, &name, &request.from)? => return Ok(None),
            // Another request or a push may have been faster.
            None => start()?.ok_or(RepositoryRefusal::InvalidRef)?,
        };
        writable.check(RefKind::Branch, name.as_str(), RefChange::Create)?;
        writable.code.repository.create_branch(&name, start).map_err(|error| match error {
            WriteError::Refused(Refusal::AlreadyExists) => AppError::from(RepositoryRefusal::BranchExists),
            other => refused(other),
        })?;
        self.moved(writable, &name.full(), Oid::ZERO, start)?;
        // The first branch of a repository has become the default one, and may have got a rule.
        let is_first = writable.code.project.default_branch.is_none();
        if is_first { Ok(None) } else { branch::show(&writable.code, name.as_str()).map(Some) }
    }
}

/// Removes a branch. The default branch stays; maintainers may remove protected ones.
pub async fn delete_branch(app: &App, identity: &Identity, project: Reference, name: String) -> Result<(), AppError> {
    let writable = app.writable(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        let missing = || AppError::NotFound(Missing::Branch);
        let name = BranchName::parse(&name).map_err(|_invalid| missing())?;
        let tip = if writable.code.repository.exists() { writable.tip(&name)? } else { None };
        let tip = tip.ok_or_else(missing)?;
        writable.check(RefKind::Branch, name.as_str(), RefChange::Delete)?;
        writable.code.repository.delete_branch(&name, tip).map_err(refused)?;
        this.moved(&writable, &name.full(), tip, Oid::ZERO)
    })
    .await
}

/// Removes all branches that the default branch has wholly; protected ones and those of open merge requests stay.
pub async fn delete_merged(app: &App, identity: &Identity, project: Reference) -> Result<(), AppError> {
    let writable = app.writable(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        let Some(default) = writable.code.commit_named(None)? else { return Ok(()) };
        let project = writable.code.project.id;
        let offered =
            this.parts().database.read(|tx| merge_request::open_branches(tx, project).map_err(AppError::from))?;
        for name in writable.code.repository.merged_branches(default)? {
            let is_default = writable.code.project.default_branch.as_deref() == Some(name.as_str());
            if is_default || offered.contains(name.as_str()) || writable.code.branch_rules(name.as_str()).is_protected()
            {
                continue;
            }
            let Some(tip) = writable.tip(&name)? else { continue };
            match writable.code.repository.delete_branch(&name, tip) {
                Ok(()) => this.moved(&writable, &name.full(), tip, Oid::ZERO)?,
                // It was updated concurrently: then it is not merged any more.
                Err(WriteError::Refused(_)) => {}
                Err(error) => return Err(refused(error)),
            }
        }
        Ok(())
    })
    .await
}

/// Which protection of a branch is asked for; what is absent stays, or is for maintainers.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProtectBranch {
    /// True if developers may push.
    pub developers_can_push: Option<bool>,
    /// True if developers may merge.
    pub developers_can_merge: Option<bool>,
}

const BRANCH: ProtectionKind = ProtectionKind::Branch;

/// Protects a branch that is there, by a rule of exactly its name.
pub async fn protect_branch(
    app: &App,
    identity: &Identity,
    project: Reference,
    name: String,
    request: ProtectBranch,
) -> Result<BranchView, AppError> {
    // The branch must be there, and its caller may see it.
    branch::branch(app, identity, project.clone(), name.clone()).await?;
    let (reference, wanted) = (project.clone(), name.clone());
    app.write(identity, move |command| {
        let id = command.query().project(&reference, ProjectAction::Edit)?.project.id;
        let asked = |open: Option<bool>| {
            let level = open.map(|open| if open { 30 } else { 40 });
            AccessChange { level, ..AccessChange::default() }
        };
        let (push, merge) = (asked(request.developers_can_push), asked(request.developers_can_merge));
        let permits = EditProtection { push, merge, ..EditProtection::default() };
        if find_rule(&mut command.tx, id, BRANCH, &wanted)?.is_some() {
            edit_protection(command, &reference, (BRANCH, &wanted), &permits, None)?;
        } else {
            protect(command, &reference, BRANCH, &NewProtection { name: wanted, permits })?;
        }
        Ok(())
    })
    .await?;
    branch::branch(app, identity, project, name).await
}

/// Removes the rule of exactly a branch's name; rules with stars may still cover it.
pub async fn unprotect_branch(
    app: &App,
    identity: &Identity,
    project: Reference,
    name: String,
) -> Result<BranchView, AppError> {
    branch::branch(app, identity, project.clone(), name.clone()).await?;
    let (reference, wanted) = (project.clone(), name.clone());
    app.write(identity, move |command| {
        let id = command.query().project(&reference, ProjectAction::Edit)?.project.id;
        if find_rule(&mut command.tx, id, BRANCH, &wanted)?.is_some() {
            unprotect(command, &reference, BRANCH, &wanted, None)?;
        }
        Ok(())
    })
    .await?;
    branch::branch(app, identity, project, name).await
}

/// A request for a new tag.
#[derive(Debug, Clone, Default)]
pub struct NewTag {
    /// Its name.
    pub name: String,
    /// A branch, tag or commit.
    pub from: String,
    /// Its message: then it is an annotated one.
    pub message: Option<String>,
    /// Release notes.
    pub release_description: Option<String>,
}

/// Makes a tag.
pub async fn create_tag(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: NewTag,
) -> Result<TagView, AppError> {
    let writable = app.writable(identity, project.clone()).await?;
    let (this, name) = (app.clone(), request.name.clone());
    let notes = request.release_description.clone().filter(|text| !text.is_empty());
    if let Some(notes) = &notes {
        release_notes::check_notes(notes)?;
    }
    app.on_git(move || {
        let (id, author) = (writable.code.project.id, writable.user.id);
        let also = |command: &mut Command<'_>| match notes {
            Some(notes) => release_notes::put_notes(command, id, &request.name, notes, author),
            None => Ok(()),
        };
        match this.create_tag_now(&writable, &request, also)? {
            TagCreation::Created => Ok(()),
            TagCreation::AlreadyThere => Err(RepositoryRefusal::TagExists(request.name.clone()).into()),
        }
    })
    .await?;
    tag(app, identity, project, name).await
}

/// The outcome of a request for a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagCreation {
    /// It was made.
    Created,
    /// There is one of that name; nothing was done.
    AlreadyThere,
}

impl App {
    /// Makes a tag, and does `also` in the transaction that records it. Blocks.
    pub(crate) fn create_tag_now(
        &self,
        writable: &Writable,
        request: &NewTag,
        also: impl FnOnce(&mut Command<'_>) -> Result<(), AppError>,
    ) -> Result<TagCreation, AppError> {
        let tag = TagName::parse(&request.name).map_err(|_invalid| RepositoryRefusal::InvalidTag)?;
        let start = writable.code.commit_named(Some(&request.from))?;
        let start = start.ok_or_else(|| RepositoryRefusal::InvalidTarget(request.from.clone()))?;
        writable.check(RefKind::Tag, tag.as_str(), RefChange::Create)?;
        let repository = &writable.code.repository;
        let made = match request.message.as_deref().filter(|message| !message.is_empty()) {
            Some(message) => {
                self.check_repository_size(writable.code.project.id, u64::try_from(message.len()).unwrap_or(u64::MAX))?;
                repository.create_annotated_tag(&tag, start, message, &writable.signature(self.now()))
            }
            None => repository.create_tag(&tag, start).map(|()| start),
        };
        let target = match made {
            Ok(target) => target,
            Err(WriteError::Refused(Refusal::AlreadyExists)) => return Ok(TagCreation::AlreadyThere),
            Err(other) => return Err(refused(other)),
        };
        self.record_update_with(writable, &tag.full(), (Oid::ZERO, target), also)?;
        Ok(TagCreation::Created)
    }
}

/// Removes a tag with its release.
pub async fn delete_tag(app: &App, identity: &Identity, project: Reference, name: String) -> Result<(), AppError> {
    let writable = app.writable(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        let missing = || AppError::NotFound(Missing::Tag);
        let tag = TagName::parse(&name).map_err(|_invalid| missing())?;
        let target =
            if writable.code.repository.exists() { writable.code.repository.ref_target(&tag.full())? } else { None };
        let target = target.ok_or_else(missing)?;
        writable.check(RefKind::Tag, tag.as_str(), RefChange::Delete)?;
        writable.code.repository.delete_tag(&tag, target).map_err(refused)?;
        let project = writable.code.project.id;
        this.record_update_with(&writable, &tag.full(), (target, Oid::ZERO), |command| {
            if let Some(release) = stored_release::find(&mut command.tx, project, tag.as_str())? {
                record_release(command, &release, "delete")?;
                stored_release::delete(&mut command.tx, project, tag.as_str())?;
            }
            Ok(())
        })
    })
    .await
}
