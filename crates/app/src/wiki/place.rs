//! From an `:id` to the wiki of a project that the caller may use.

use tenon_domain::access::{Decision, Viewer};
use tenon_domain::id::ProjectId;
use tenon_domain::project::{Project, ProjectAction, decide};
use tenon_domain::time::Date;
use tenon_domain::user::User;
use tenon_git::{BranchName, Oid, Repository, RepositoryKind, Signature};
use tenon_storage::{ReadTx, user};

use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::authorization::{facts, standing_at};
use crate::policy::reference::Reference;

/// The words for a caller who may not push to a wiki.
pub(crate) const NO_WIKI_PUSH: &str = "You are not allowed to write to this project's wiki.";

/// The rights of a caller who reads a wiki.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WikiRights {
    /// To fetch the repository.
    pub fetch: bool,
    /// To make and change pages.
    pub write: bool,
    /// To remove pages.
    pub delete: bool,
}

/// The wiki of a project that the caller may read.
pub(super) struct Wiki {
    pub(super) project: Project,
    pub(super) repository: Repository,
    pub(super) rights: WikiRights,
}

/// The wiki of a project that the caller may change.
pub(super) struct WritableWiki {
    pub(super) wiki: Wiki,
    pub(super) user: User,
    commit_email: String,
}

impl WritableWiki {
    /// The caller, as commits name them.
    pub(super) fn signature(&self, app: &App) -> Signature {
        Signature::new(&self.user.name, &self.commit_email, app.now())
    }
}

impl Wiki {
    /// The branch of the pages, and its commit. `None` if there is no commit yet.
    pub(super) fn head(&self) -> Result<Option<(BranchName, Oid)>, AppError> {
        if !self.repository.exists() {
            return Ok(None);
        }
        let Some(branch) = self.repository.default_branch()? else { return Ok(None) };
        Ok(self.repository.ref_target(&branch.full())?.map(|tip| (branch, tip)))
    }
}

impl Query<'_> {
    /// The wiki of a project, if the caller may do `action` with it.
    pub(super) fn wiki(&mut self, project: &Reference, action: ProjectAction) -> Result<Wiki, AppError> {
        let found = self.project(project, action)?;
        let rights = WikiRights {
            fetch: found.may(ProjectAction::FetchWiki),
            write: found.may(ProjectAction::WriteWiki),
            delete: found.may(ProjectAction::DeleteWikiPage),
        };
        let repository = self.app.repositories().store.find(found.project.id, RepositoryKind::Wiki);
        Ok(Wiki { repository, rights, project: found.project })
    }
}

impl App {
    /// The wiki of a project that the caller may read.
    pub(super) async fn readable_wiki(&self, identity: &Identity, project: Reference) -> Result<Wiki, AppError> {
        self.read(identity, move |query| query.wiki(&project, ProjectAction::ReadWiki)).await
    }

    /// The wiki of a project, if the caller may do `action`, which changes it.
    pub(super) async fn writable_wiki(
        &self,
        identity: &Identity,
        project: Reference,
        action: ProjectAction,
    ) -> Result<WritableWiki, AppError> {
        self.read(identity, move |query| {
            let wiki = query.wiki(&project, action)?;
            let user = query.user()?.clone();
            let commit_email = user::commit_email(&mut query.tx, &user)?;
            Ok(WritableWiki { wiki, user, commit_email })
        })
        .await
    }
}

/// True if a user may push to the wiki of a project now.
pub(crate) fn may_write(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    project: ProjectId,
    today: Date,
) -> Result<bool, AppError> {
    let placed = tenon_storage::project::find_placed(tx, project)?;
    let standing = standing_at(tx, viewer, placed.as_ref(), today)?;
    Ok(placed
        .is_some_and(|placed| decide(&standing, facts(&placed.project), ProjectAction::WriteWiki) == Decision::Allow))
}
