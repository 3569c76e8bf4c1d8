//! Writing to a repository over the API: checked like a push, made by Git with a compare-and-swap, and recorded like a
//! push.

use tenon_domain::access::Decision;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{self, RepositoryRefusal};
use tenon_domain::repository::{ProtectionKind, RefChange, RefKind};
use tenon_domain::user::User;
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, Oid, RefName, Signature, TagName};
use tenon_storage::user;

use crate::core::app::{App, Command, Query};
use crate::core::authentication::viewer_without_session;
use crate::core::error::{AppError, Judge, Missing};
use crate::core::identity::Identity;
use crate::core::ref_update::RefUpdate;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;
use crate::repository::refs::push_policy::{Rules, Wanted};

/// A repository that the caller may write to, as far as no rule for single refs says otherwise.
pub(crate) struct Writable {
    pub(crate) code: RepositoryContext,
    pub(crate) user: User,
    /// The caller's address in commits.
    pub(crate) commit_email: String,
    rules: Rules,
}

impl App {
    /// The repository of a project, if the caller may push to it.
    pub(crate) async fn writable(&self, identity: &Identity, project: Reference) -> Result<Writable, AppError> {
        self.read(identity, move |query| query.writable(&project, ProjectAction::Push)).await
    }

    /// As [`App::writable`], also for those who may push to some branches only, as their merge requests permit. The
    /// caller asks [`Writable::check`] before any ref is updated.
    pub(crate) async fn writable_in_part(&self, identity: &Identity, project: Reference) -> Result<Writable, AppError> {
        self.read(identity, move |query| {
            let writable = query.writable(&project, ProjectAction::ReadCode)?;
            Decision::allow_if(writable.rules.admit_some()).judge(Missing::Project)?;
            Ok(writable)
        })
        .await
    }

    /// Removes a branch that has been merged, as `user`, if it is no default branch, is not protected and the user may push there.
    /// Yields whether it was removed. Refused if it is not at `head` any more.
    pub(crate) fn remove_merged_branch(
        &self,
        project: ProjectId,
        branch: &str,
        head: Oid,
        user: UserId,
    ) -> Result<bool, AppError> {
        let today = self.now().date_naive();
        let rules = self.parts().database.read(|tx| -> Result<_, AppError> {
            let Some(user) = user::find(tx, user)?.filter(User::may_act) else { return Ok(None) };
            let viewer = viewer_without_session(tx, &user)?;
            Rules::load(tx, viewer, project, today)
        })?;
        let Some(rules) = rules else { return Ok(false) };
        let change = RefChange::Delete;
        let wanted = Wanted { kind: RefKind::Branch, name: branch, change, through_api: true };
        let protected = rules.protections.covering(ProtectionKind::Branch, branch).is_protected();
        if protected || rules.check(&wanted, false).is_err() {
            return Ok(false);
        }
        let name = BranchName::parse(branch).map_err(AppError::internal)?;
        self.repositories().store.repository(project).delete_branch(&name, head).map_err(refused)?;
        let moved = RefUpdate { name: name.full().as_str().to_owned(), old: head, new: Oid::ZERO };
        self.handle_ref_updates(project, Some(user), &[moved])?;
        Ok(true)
    }

    /// Records that one ref was updated.
    pub(crate) fn moved(&self, writable: &Writable, name: &RefName, old: Oid, new: Oid) -> Result<(), AppError> {
        self.record_update_with(writable, name, (old, new), |_command| Ok(()))
    }

    /// As [`App::moved`], and does `also` in the same transaction.
    pub(crate) fn record_update_with(
        &self,
        writable: &Writable,
        name: &RefName,
        (old, new): (Oid, Oid),
        also: impl FnOnce(&mut Command<'_>) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let moved = RefUpdate { name: name.as_str().to_owned(), old, new };
        self.handle_ref_updates_with(writable.code.project.id, Some(writable.user.id), &[moved], also)
    }
}

impl Query<'_> {
    /// The repository of a project that the caller may use in this way. Whether they may push there is for [`Writable::check`].
    pub(crate) fn writable(&mut self, project: &Reference, action: ProjectAction) -> Result<Writable, AppError> {
        let code = self.code(project, action)?;
        let user = self.user()?.clone();
        let today = self.today();
        let known = (code.project.clone(), code.standing, code.rules.clone());
        let rules = Rules::of(&mut self.tx, known, today)?;
        let commit_email = tenon_storage::user::commit_email(&mut self.tx, &user)?;
        Ok(Writable { code, user, commit_email, rules })
    }
}

impl Writable {
    /// Refuses a change of a ref that may not happen.
    pub(crate) fn check(&self, kind: RefKind, name: &str, change: RefChange) -> Result<(), RepositoryRefusal> {
        let empty = self.code.project.default_branch.is_none();
        let wanted = Wanted { kind, name, change, through_api: true };
        self.rules.check(&wanted, empty).map_err(RepositoryRefusal::Push)
    }

    /// The caller, as commits name them.
    pub(crate) fn signature(&self, at: tenon_domain::time::Timestamp) -> Signature {
        Signature::new(&self.user.name, &self.commit_email, at)
    }

    /// True if there is a tag of that name.
    pub(crate) fn has_tag(&self, tag: &TagName) -> Result<bool, AppError> {
        let repository = &self.code.repository;
        Ok(repository.exists() && repository.ref_target(&tag.full())?.is_some())
    }

    /// The commit of a branch.
    pub(crate) fn tip(&self, branch: &BranchName) -> Result<Option<Oid>, AppError> {
        Ok(self.code.repository.ref_target(&branch.full())?)
    }
}

/// How often a change is made anew because a push was faster, before the caller gets an error.
const ATTEMPTS: usize = 10;

/// Makes a change at the head of a branch, and makes it anew at the new head if the branch moved concurrently: who
/// names a branch and no commit means the branch as it is.
pub(crate) fn at_the_head<T>(mut change: impl FnMut() -> Result<T, AppError>) -> Result<T, AppError> {
    for _ in 1..ATTEMPTS {
        match change() {
            Err(AppError::Refused(refusal::Refusal::Repository(RepositoryRefusal::BranchMoved))) => {}
            outcome => return outcome,
        }
    }
    change()
}

/// Why Git did not make a change.
pub(crate) fn refused(error: WriteError) -> AppError {
    let refusal = match error {
        WriteError::Git(error) => return error.into(),
        WriteError::Refused(refusal) => refusal,
    };
    AppError::from(match refusal {
        Refusal::Conflict(_) => RepositoryRefusal::Conflict,
        Refusal::Stale => RepositoryRefusal::BranchMoved,
        Refusal::NoFastForward => RepositoryRefusal::NoFastForward,
        Refusal::Empty => RepositoryRefusal::NothingToChange,
        Refusal::Missing => RepositoryRefusal::InvalidRef,
        Refusal::AlreadyExists => RepositoryRefusal::RefExists,
        Refusal::TooManyRefs(most) => RepositoryRefusal::TooManyRefs(most),
        Refusal::MessageTooLong(most) => RepositoryRefusal::MessageTooLong(most),
        Refusal::DirectoryFileConflict => RepositoryRefusal::DirectoryFileConflict,
        Refusal::FileExists(_) => RepositoryRefusal::FileExists,
        Refusal::FileMissing(_) => RepositoryRefusal::FileMissing,
        Refusal::FileChanged(path) => RepositoryRefusal::FileChanged(path.as_str().to_owned()),
    })
}
