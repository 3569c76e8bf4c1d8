//! From an `:id` to the thing itself, the caller's standing towards it, and the ability's verdict: in one step, so
//! that no use case can forget one.

use tenon_domain::access::{Decision, Standing, Viewer};
use tenon_domain::group::{self, Group, GroupAction, GroupFacts, GroupStanding};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::project::{self, Project, ProjectAction, ProjectFacts};
use tenon_domain::settings::Setting;
use tenon_domain::time::Date;
use tenon_domain::user::{self, User, UserAction};
use tenon_domain::visibility::Visibility;
use tenon_storage::access::Levels;
use tenon_storage::namespace::PathHolder;
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::{ReadTx, StoreResult, access, namespace};

use crate::core::app::Query;
use crate::core::error::{AppError, Judge, Missing};
use crate::policy::reference::Reference;

/// A project that the caller may use in the asked way.
#[derive(Clone)]
pub(crate) struct AuthorizedProject {
    pub(crate) project: Project,
    pub(crate) namespace: Namespace,
    pub(crate) standing: Standing,
    pub(crate) levels: Levels,
}

impl AuthorizedProject {
    fn new(viewer: Viewer, placed: ProjectWithNamespace, levels: Levels) -> Self {
        let standing = Standing { viewer, level: levels.effective() };
        Self { project: placed.project, namespace: placed.home, standing, levels }
    }

    /// Its full path.
    pub(crate) fn full_path(&self) -> String {
        self.namespace.path_of(&self.project.path)
    }

    /// True if the caller may also do `action`.
    pub(crate) fn may(&self, action: ProjectAction) -> bool {
        project::decide(&self.standing, facts(&self.project), action) == Decision::Allow
    }

    /// True if the caller has a part of the project.
    pub(crate) fn has(&self, part: &Setting) -> bool {
        self.project.has(part) && self.standing.sees(self.project.visibility_of(part))
    }

    /// Refuses `action` if the caller may not do it. A project that the caller may not see is missing.
    pub(crate) fn judge(&self, action: ProjectAction) -> Result<(), AppError> {
        project::decide(&self.standing, facts(&self.project), action).judge(Missing::Project)
    }
}

/// A group that the caller may use in the asked way.
pub(crate) struct AuthorizedGroup {
    pub(crate) group: Group,
    pub(crate) standing: GroupStanding,
}

impl AuthorizedGroup {
    /// True if the caller may also do `action`.
    pub(crate) fn may(&self, action: GroupAction) -> bool {
        group::decide(&self.standing, self.group.facts(), action) == Decision::Allow
    }
}

/// True if a reference is the id of this project, or its full path as it is written.
fn is_named(reference: &Reference, placed: &ProjectWithNamespace) -> bool {
    match reference {
        Reference::Id(id) => placed.project.id.get() == *id,
        Reference::Path(path) => placed.home.path_of(&placed.project.path) == *path,
    }
}

pub(crate) fn facts(project: &Project) -> ProjectFacts {
    ProjectFacts::of(project)
}

/// The standing of a user towards a project, outside any request of theirs.
pub(crate) fn standing_of(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    of: &ProjectWithNamespace,
    today: Date,
) -> StoreResult<Standing> {
    standing_at(tx, viewer, Some(of), today)
}

/// As [`standing_of`], asking the same of the database if there is no project at all.
pub(crate) fn standing_at(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    of: Option<&ProjectWithNamespace>,
    today: Date,
) -> StoreResult<Standing> {
    let (project, home) = of.map_or((ProjectId::new(0), NamespaceId::new(0)), |of| (of.project.id, of.home.id));
    let Some(user) = viewer.user() else { return Ok(Standing { viewer, level: None }) };
    let mut levels = access::project_levels(tx, user, project, home, today)?;
    levels.owns_namespace = of.is_some_and(|of| of.home.owner == Some(user));
    Ok(Standing { viewer, level: levels.effective() })
}

impl Query<'_> {
    /// The project that `reference` names, if the caller may do `action` with it. A thing that the caller may not see
    /// is missing, with the same answer.
    pub(crate) fn project(
        &mut self,
        reference: &Reference,
        action: ProjectAction,
    ) -> Result<AuthorizedProject, AppError> {
        let found = self.project_with_standing(reference)?.ok_or(AppError::NotFound(Missing::Project))?;
        found.judge(action)?;
        Ok(found)
    }

    /// As [`Query::project`], if the caller also has this part of the project. [`AppError::Forbidden`] if not.
    pub(crate) fn project_part(
        &mut self,
        reference: &Reference,
        action: ProjectAction,
        part: &Setting,
    ) -> Result<AuthorizedProject, AppError> {
        let found = self.project(reference, action)?;
        if found.has(part) { Ok(found) } else { Err(AppError::Forbidden) }
    }

    /// The project that `reference` names with the caller's standing in it; whether they may do anything there is
    /// still to be asked.
    pub(crate) fn project_with_standing(
        &mut self,
        reference: &Reference,
    ) -> Result<Option<AuthorizedProject>, AppError> {
        if let Some((placed, levels)) = self.last.project.clone().filter(|(placed, _)| is_named(reference, placed)) {
            return Ok(Some(AuthorizedProject::new(self.viewer(), placed, levels)));
        }
        let id = match reference {
            Reference::Id(id) => Some(ProjectId::new(*id)),
            Reference::Path(path) => namespace::holder(&mut self.tx, path)?.and_then(PathHolder::project),
        };
        // A missing project costs the same queries as a hidden one: the time must not distinguish them.
        let found = tenon_storage::project::find_placed(&mut self.tx, id.unwrap_or(ProjectId::new(0)))?;
        let (project, home) = found
            .as_ref()
            .map_or((ProjectId::new(0), NamespaceId::new(0)), |placed| (placed.project.id, placed.home.id));
        let viewer = self.viewer();
        let mut levels = match viewer {
            Viewer::Anonymous => Levels::default(),
            Viewer::User { id, .. } => {
                let today = self.today();
                access::project_levels(&mut self.tx, id, project, home, today)?
            }
        };
        let Some(placed) = found.filter(|placed| self.reaches(&placed.home)) else { return Ok(None) };
        levels.owns_namespace = placed.home.owner.is_some() && placed.home.owner == viewer.user();
        self.last.project = Some((placed.clone(), levels));
        Ok(Some(AuthorizedProject::new(viewer, placed, levels)))
    }

    /// The group that `reference` names, if the caller may do `action` with it.
    pub(crate) fn group(&mut self, reference: &Reference, action: GroupAction) -> Result<AuthorizedGroup, AppError> {
        // As with projects: the same questions, whether it is missing or hidden.
        let id = self.namespace_id(reference)?.unwrap_or(NamespaceId::new(0));
        let group = tenon_storage::group::find(&mut self.tx, id)?;
        let visibility = group.as_ref().map_or(Visibility::Private, Group::visibility);
        let standing = self.group_standing(id, visibility)?;
        let group = group.filter(|group| self.reaches(&group.namespace)).ok_or(AppError::NotFound(Missing::Group))?;
        group::decide(&standing, group.facts(), action).judge(Missing::Group)?;
        Ok(AuthorizedGroup { group, standing })
    }

    /// True if what is in a namespace is there for the caller, from the address of the request.
    fn reaches(&self, home: &Namespace) -> bool {
        home.admits(self.viewer(), self.app.origin()) == Decision::Allow
    }

    /// The id of the namespace that `reference` names. A number is returned unchecked: there may be no such namespace.
    pub(crate) fn namespace_id(&mut self, reference: &Reference) -> Result<Option<NamespaceId>, AppError> {
        Ok(match reference {
            Reference::Id(id) => Some(NamespaceId::new(*id)),
            Reference::Path(path) => namespace::holder(&mut self.tx, path)?.and_then(PathHolder::namespace),
        })
    }

    /// The namespace that `reference` names, if the caller may do `action` with it. A personal namespace is its
    /// owner's alone.
    pub(crate) fn namespace(&mut self, reference: &Reference, action: GroupAction) -> Result<Namespace, AppError> {
        let missing = || AppError::NotFound(Missing::Namespace);
        // As with projects and groups: the same questions, whether it is missing or hidden.
        let id = self.namespace_id(reference)?.unwrap_or(NamespaceId::new(0));
        let Some(found) = namespace::find(&mut self.tx, id)? else {
            self.group_standing(id, Visibility::Private)?;
            return Err(missing());
        };
        let verdict = match found.kind {
            NamespaceKind::User if self.is_admin() || found.owner == self.viewer().user() => Decision::Allow,
            NamespaceKind::User => Decision::Hide,
            NamespaceKind::Group => {
                let standing = self.group_standing(id, found.visibility)?;
                group::decide(&standing, GroupFacts { visibility: found.visibility, creation: found.creation }, action)
            }
        };
        found.admits(self.viewer(), self.app.origin()).judge(Missing::Namespace)?;
        verdict.judge(Missing::Namespace)?;
        Ok(found)
    }

    /// The caller's standing towards a group of this visibility.
    pub(crate) fn group_standing(
        &mut self,
        id: NamespaceId,
        visibility: Visibility,
    ) -> Result<GroupStanding, AppError> {
        let viewer = self.viewer();
        let Viewer::User { id: user, .. } = viewer else {
            return Ok(GroupStanding { standing: Standing { viewer, level: None }, reaches_below: false });
        };
        let today = self.today();
        let level = access::group_levels(&mut self.tx, user, id, today)?.effective();
        let standing = Standing { viewer, level };
        // The dearer question is asked only if the answer matters.
        let reaches_below = !standing.sees(visibility) && access::is_related(&mut self.tx, user, id, today)?;
        Ok(GroupStanding { standing, reaches_below })
    }

    /// The user of that id, if the caller may do `action` with the account.
    pub(crate) fn account(&mut self, id: UserId, action: UserAction) -> Result<User, AppError> {
        let restricted = self.settings()?.restricts(Visibility::Public);
        user::decide(self.viewer(), restricted, action).judge(Missing::User)?;
        let found = tenon_storage::user::find(&mut self.tx, id)?.ok_or(AppError::NotFound(Missing::User))?;
        user::sees(self.viewer(), &found).judge(Missing::User)?;
        Ok(found)
    }

    /// As [`Query::account`], by number or by user name.
    pub(crate) fn account_named(&mut self, reference: &Reference, action: UserAction) -> Result<User, AppError> {
        let id = match reference {
            Reference::Id(id) => UserId::new(*id),
            Reference::Path(name) => {
                let found = tenon_storage::user::find_by_username(&mut self.tx, name)?;
                found.map_or(UserId::new(0), |user| user.id)
            }
        };
        self.account(id, action)
    }
}
