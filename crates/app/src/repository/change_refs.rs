//! Making and removing branches and tags (reference: repository-git-webhooks, sections 7 and 9).

use tenon_domain::project::ProjectAction;
use tenon_domain::repository::{ProtectedRef, ProtectionKind, RefChange, RefKind};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, Oid, TagName};
use tenon_storage::merge_request;
use tenon_storage::repository::{
    Release, find_release, insert_release, insert_rule, remove_rule, rules, set_rule, update_release,
};

use super::branch::{self, BranchView};
use super::tag::{TagView, tag};
use super::writing::{Writable, refused};
use crate::access::Reference;
use crate::app::App;
use crate::context::Command;
use crate::error::{AppError, Missing};
use crate::identity::Identity;

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
    /// Makes a branch. `None` where the repository had no default branch.
    fn create_branch_now(&self, writable: &Writable, request: &NewBranch) -> Result<Option<BranchView>, AppError> {
        let refuse = |text: &str| AppError::Refused(text.to_owned());
        let name = BranchName::parse(&request.branch).map_err(|_invalid| refuse("Branch name is invalid"))?;
        let start = || writable.code.commit_named(Some(&request.from));
        let start = match start()? {
            Some(start) => start,
            None if self.make_first_branches(writable, &name, &request.from)? => return Ok(None),
            // Another request or a push may have been faster.
            None => start()?.ok_or_else(|| refuse("Invalid reference name"))?,
        };
        writable.check(RefKind::Branch, name.as_str(), RefChange::Create).map_err(AppError::Refused)?;
        writable.code.repository.create_branch(&name, start).map_err(|error| match error {
            WriteError::Refused(Refusal::AlreadyExists) => refuse("Branch already exists"),
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
        let missing = || AppError::NotFound(Missing::Named("Branch"));
        let name = BranchName::parse(&name).map_err(|_invalid| missing())?;
        let tip = if writable.code.repository.exists() { writable.tip(&name)? } else { None };
        let tip = tip.ok_or_else(missing)?;
        writable.check(RefKind::Branch, name.as_str(), RefChange::Delete).map_err(AppError::Refused)?;
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
                // It has moved meanwhile: then it is not merged any more.
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
    /// Whether developers may push.
    pub developers_can_push: Option<bool>,
    /// Whether developers may merge.
    pub developers_can_merge: Option<bool>,
}

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
        let known = rules(&mut command.tx, id)?;
        let known = known.into_iter().find(|rule| rule.kind == ProtectionKind::Branch && rule.name == wanted);
        let level = |asked: Option<bool>, before: i64| asked.map_or(before, |open| if open { 30 } else { 40 });
        let before = known.as_ref().map_or((40, 40), |rule| (rule.push_level, rule.merge_level));
        let rule = ProtectedRef {
            kind: ProtectionKind::Branch,
            name: wanted,
            push_level: level(request.developers_can_push, before.0),
            merge_level: level(request.developers_can_merge, before.1),
        };
        let now = command.now;
        match known {
            Some(_) => set_rule(&mut command.tx, id, &rule, now)?,
            None => insert_rule(&mut command.tx, id, &rule, now)?,
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
        Ok(remove_rule(&mut command.tx, id, ProtectionKind::Branch, &wanted).map(drop)?)
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
    /// What it says: then it is an annotated one.
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
    let (this, id, name) = (app.clone(), writable.code.project.id, request.name.clone());
    let notes = request.release_description.clone().filter(|text| !text.is_empty());
    app.on_git(move || {
        let tag = TagName::parse(&request.name).map_err(|_invalid| AppError::Refused("Tag name invalid".to_owned()))?;
        let start = writable.code.commit_named(Some(&request.from))?;
        let start = start.ok_or_else(|| AppError::Refused(format!("Target {} is invalid", request.from)))?;
        writable.check(RefKind::Tag, tag.as_str(), RefChange::Create).map_err(AppError::Refused)?;
        let repository = &writable.code.repository;
        let made = match request.message.as_deref().filter(|message| !message.is_empty()) {
            Some(message) => {
                this.check_repository_size(id, u64::try_from(message.len()).unwrap_or(u64::MAX))?;
                repository.create_annotated_tag(&tag, start, message, &writable.signature(this.now()))
            }
            None => repository.create_tag(&tag, start).map(|()| start),
        };
        let target = made.map_err(|error| match error {
            WriteError::Refused(Refusal::AlreadyExists) => {
                AppError::Refused(format!("Tag {} already exists", tag.as_str()))
            }
            other => refused(other),
        })?;
        this.moved(&writable, &tag.full(), Oid::ZERO, target)
    })
    .await?;
    if let Some(description) = notes {
        let release = Release { tag_name: name.clone(), description };
        app.write(identity, move |command| {
            let now = command.now;
            Ok(insert_release(&mut command.tx, id, &release, now)?)
        })
        .await?;
    }
    tag(app, identity, project, name).await
}

/// Removes a tag with its release notes.
pub async fn delete_tag(app: &App, identity: &Identity, project: Reference, name: String) -> Result<(), AppError> {
    let writable = app.writable(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        let missing = || AppError::NotFound(Missing::Named("Tag"));
        let tag = TagName::parse(&name).map_err(|_invalid| missing())?;
        let target =
            if writable.code.repository.exists() { writable.code.repository.ref_target(&tag.full())? } else { None };
        let target = target.ok_or_else(missing)?;
        writable.check(RefKind::Tag, tag.as_str(), RefChange::Delete).map_err(AppError::Refused)?;
        writable.code.repository.delete_tag(&tag, target).map_err(refused)?;
        this.moved(&writable, &tag.full(), target, Oid::ZERO)
    })
    .await
}

/// Writes the release notes of a tag that is there; 409 where it has some.
pub async fn create_release(
    app: &App,
    identity: &Identity,
    project: Reference,
    name: String,
    description: String,
) -> Result<Release, AppError> {
    tag_must_exist(app, identity, project.clone(), name.clone()).await?;
    app.write(identity, move |command| {
        let id = command.query().project(&project, ProjectAction::Push)?.project.id;
        if find_release(&mut command.tx, id, &name)?.is_some() {
            return Err(AppError::Conflict("Release already exists".to_owned()));
        }
        let (release, now) = (Release { tag_name: name, description }, command.now);
        insert_release(&mut command.tx, id, &release, now)?;
        Ok(release)
    })
    .await
}

/// Changes the release notes of a tag.
pub async fn edit_release(
    app: &App,
    identity: &Identity,
    project: Reference,
    name: String,
    description: String,
) -> Result<Release, AppError> {
    tag_must_exist(app, identity, project.clone(), name.clone()).await?;
    app.write(identity, move |command: &mut Command<'_>| {
        let id = command.query().project(&project, ProjectAction::Push)?.project.id;
        let missing = AppError::NotFound(Missing::Verbatim("Release does not exist"));
        let mut release = find_release(&mut command.tx, id, &name)?.ok_or(missing)?;
        release.description = description;
        let now = command.now;
        update_release(&mut command.tx, id, &release, now)?;
        Ok(release)
    })
    .await
}

async fn tag_must_exist(app: &App, identity: &Identity, project: Reference, name: String) -> Result<(), AppError> {
    app.writable(identity, project.clone()).await?;
    match tag(app, identity, project, name).await {
        Ok(_) => Ok(()),
        Err(AppError::NotFound(Missing::Named("Tag"))) => {
            Err(AppError::NotFound(Missing::Verbatim("Tag does not exist")))
        }
        Err(other) => Err(other),
    }
}
