//! Which changes of refs a user may make in a project.

use tenon_domain::access::{AccessLevel, Standing, Viewer};
use tenon_domain::id::{DeployKeyId, ProjectId};
use tenon_domain::project::Project;
use tenon_domain::repository::{
    KeyPushFacts, ProtectedRef, ProtectionKind, Protections, PushFacts, PushRefusal, RefChange, RefKind, RefRules,
    check_ref_change, check_ref_change_by_key,
};
use tenon_domain::time::Date;
use tenon_storage::{ReadTx, project, repository};

use crate::core::error::AppError;
use crate::policy::authorization::standing_of;
use crate::policy::collaboration::branches_open_to;
use crate::policy::protection::{default_protection, ref_rules};

/// The facts about a project that judge changes of its refs.
pub(crate) struct Rules {
    pub(crate) project: Project,
    standing: Standing,
    /// The branches that open merge requests let the user push to, if their level does not.
    open_branches: Vec<String>,
    pub(crate) protections: RefRules,
    /// True if only maintainers make the first push.
    first_push_is_protected: bool,
}

/// A change of one ref that is asked for.
pub(crate) struct Wanted<'a> {
    pub(crate) kind: RefKind,
    /// The short name.
    pub(crate) name: &'a str,
    pub(crate) change: RefChange,
    pub(crate) through_api: bool,
}

impl Rules {
    /// The rules for a user in a project; `None` if that is gone.
    pub(crate) fn load(
        tx: &mut ReadTx<'_>,
        viewer: Viewer,
        project: ProjectId,
        today: Date,
    ) -> Result<Option<Self>, AppError> {
        let Some(placed) = project::find_placed(tx, project)? else { return Ok(None) };
        let standing = standing_of(tx, viewer, &placed, today)?;
        let protections = ref_rules(tx, viewer, &placed.project, today)?;
        Self::of(tx, (placed.project, standing, protections), today).map(Some)
    }

    /// As [`Rules::load`], if the project, the user's standing in it and what protects its refs are known already.
    pub(crate) fn of(
        tx: &mut ReadTx<'_>,
        (project, standing, protections): (Project, Standing, RefRules),
        today: Date,
    ) -> Result<Self, AppError> {
        let may_push = standing.at_least(AccessLevel::Developer);
        let open_branches = if may_push { Vec::new() } else { branches_open_to(tx, standing.viewer, &project, today)? };
        // Asked only of a project without a branch, where it matters.
        let first_push_is_protected =
            project.default_branch.is_none() && default_protection(tx, &project)?.reserves_first_push();
        Ok(Self { project, standing, open_branches, protections, first_push_is_protected })
    }

    /// True if the user may push to any branch at all.
    pub(crate) fn admit_some(&self) -> bool {
        let may_push = self.standing.at_least(AccessLevel::Developer) || !self.open_branches.is_empty();
        may_push && !self.project.archived
    }

    /// Refuses a change of a ref that may not happen.
    pub(crate) fn check(&self, wanted: &Wanted<'_>, empty: bool) -> Result<(), PushRefusal> {
        let protections = self.protections.covering(protection_kind(wanted.kind), wanted.name);
        let facts = PushFacts {
            standing: self.standing,
            collaborates: self.open_branches.iter().any(|branch| branch == wanted.name),
            archived: self.project.archived,
            empty,
            first_push_is_protected: self.first_push_is_protected,
            kind: wanted.kind,
            name: wanted.name,
            is_default: self.project.default_branch.as_deref() == Some(wanted.name),
            change: wanted.change,
            protections: &protections,
            through_api: wanted.through_api,
        };
        check_ref_change(&facts)
    }
}

const fn protection_kind(kind: RefKind) -> ProtectionKind {
    match kind {
        RefKind::Tag => ProtectionKind::Tag,
        RefKind::Branch | RefKind::Other => ProtectionKind::Branch,
    }
}

/// The facts about a project that judge changes of its refs by a deploy key that may write to it.
pub(crate) struct KeyRules {
    key: DeployKeyId,
    default_branch: Option<String>,
    protections: Vec<ProtectedRef>,
}

impl KeyRules {
    /// The rules for a key in a project.
    pub(crate) fn load(tx: &mut ReadTx<'_>, key: DeployKeyId, project: Project) -> Result<Self, AppError> {
        let protections = repository::rules(tx, project.id)?;
        Ok(Self { key, default_branch: project.default_branch, protections })
    }

    /// Refuses a change of a ref that may not happen.
    pub(crate) fn check(&self, wanted: &Wanted<'_>) -> Result<(), PushRefusal> {
        let protections = Protections::covering(&self.protections, protection_kind(wanted.kind), wanted.name);
        let is_default = wanted.kind == RefKind::Branch && self.default_branch.as_deref() == Some(wanted.name);
        let (key, kind, change) = (self.key, wanted.kind, wanted.change);
        check_ref_change_by_key(&KeyPushFacts { key, kind, is_default, change, protections: &protections })
    }
}

/// The kind of a ref, and its name without what says the kind.
pub(crate) fn short_name(full: &str) -> (RefKind, &str) {
    match (full.strip_prefix("refs/heads/"), full.strip_prefix("refs/tags/")) {
        (Some(name), _) => (RefKind::Branch, name),
        (None, Some(name)) => (RefKind::Tag, name),
        (None, None) => (RefKind::Other, full),
    }
}
