//! From an `:id` to a repository that the caller may use, and what protects its refs. Git itself is asked later, on
//! threads of its own, when no connection to the database is held.

use tenon_domain::access::Standing;
use tenon_domain::project::{Project, ProjectAction};
use tenon_domain::repository::{ProtectionKind, Protections, RefRules};
use tenon_git::commit::CommitRange;
use tenon_git::{Oid, Repository, Revision, RevisionRange};

use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::protection::ref_rules;
use crate::policy::reference::Reference;
use crate::repository::read::sides::Sides;

/// A repository that the caller may read.
#[derive(Clone)]
pub(crate) struct RepositoryContext {
    pub(crate) project: Project,
    pub(crate) full_path: String,
    /// The address below which the pages of the project are.
    pub(crate) pages: String,
    pub(crate) standing: Standing,
    pub(crate) can_push: bool,
    /// What protects its refs, as the caller meets it.
    pub(crate) rules: RefRules,
    pub(crate) repository: Repository,
}

/// For callers outside: the code of a project, as it was found to be readable in the snapshot that a
/// page is made from.
#[derive(Clone)]
pub struct Code(pub(crate) RepositoryContext);

impl RepositoryContext {
    /// The rules that cover a branch.
    pub(crate) fn branch_rules(&self, name: &str) -> Protections<'_> {
        self.rules.covering(ProtectionKind::Branch, name)
    }

    /// The commit that a request names: a branch, tag or commit, the default branch if it names nothing. `None` if
    /// there is no such thing, or no commit yet.
    pub(crate) fn commit_named(&self, revision: Option<&str>) -> Result<Option<Oid>, AppError> {
        if !self.repository.exists() {
            return Ok(None);
        }
        let Some(text) = revision.or(self.project.default_branch.as_deref()) else { return Ok(None) };
        let Ok(revision) = Revision::parse(text) else { return Ok(None) };
        Ok(self.repository.resolve(&revision)?.map(|resolved| resolved.commit))
    }

    /// The compared sides: two commits or trees.
    pub(crate) fn sides(&self, before: Oid, after: Oid) -> Sides {
        Sides { repository: self.repository.clone(), project: self.project.id, before, after }
    }

    /// The commits that a revision or a range names. `None` if there is no branch and no tag yet; 404 if it names nothing.
    pub(crate) fn range_or(&self, text: &str, missing: Missing) -> Result<Option<CommitRange>, AppError> {
        let Ok(range) = RevisionRange::parse(text) else { return Err(AppError::NotFound(missing)) };
        let found = if self.repository.exists() { self.repository.resolve_range(&range)? } else { None };
        match found {
            None if self.repository.exists() && self.repository.has_refs()? => Err(AppError::NotFound(missing)),
            found => Ok(found),
        }
    }

    /// As [`RepositoryContext::commit_named`], if it must be there.
    pub(crate) fn commit_or(&self, revision: Option<&str>, missing: Missing) -> Result<Oid, AppError> {
        self.commit_named(revision)?.ok_or(AppError::NotFound(missing))
    }
}

impl Query<'_> {
    /// The repository of a project, if the caller may do `action` with it.
    pub(crate) fn code(&mut self, project: &Reference, action: ProjectAction) -> Result<RepositoryContext, AppError> {
        let found = self.project(project, action)?;
        self.repository_of(found)
    }

    /// The repository of a project whose code the caller was found to be allowed to use.
    pub(crate) fn repository_of(&mut self, found: AuthorizedProject) -> Result<RepositoryContext, AppError> {
        let (viewer, today) = (found.standing.viewer, self.today());
        Ok(RepositoryContext {
            rules: ref_rules(&mut self.tx, viewer, &found.project, today)?,
            repository: self.app.repositories().store.repository(found.project.id),
            pages: self.app.links().pages(&found.full_path()),
            full_path: found.full_path(),
            can_push: found.may(ProjectAction::Push),
            standing: found.standing,
            project: found.project,
        })
    }
}

impl App {
    /// The repository of a project that the caller may read.
    pub(crate) async fn readable(
        &self,
        identity: &Identity,
        project: Reference,
    ) -> Result<RepositoryContext, AppError> {
        self.read(identity, move |query| query.code(&project, ProjectAction::ReadCode)).await
    }
}
