//! From project and number to an issue or merge request, the caller's standing, and the verdict: in one step.

use tenon_domain::access::{AccessLevel, Decision};
use tenon_domain::id::{Iid, IssuableId};
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableFacts, IssuableKind, TrackerFacts};
use tenon_domain::project::ProjectAction;
use tenon_domain::{issue, merge_request, tracker as ability};
use tenon_storage::issuable::{self, VisibleIssuables};

use crate::core::app::Query;
use crate::core::error::{AppError, Judge, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::reference::Reference;

/// Which issue or merge request a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuableReference {
    /// Which of the two.
    pub kind: IssuableKind,
    /// Its project.
    pub project: Reference,
    /// Its number there.
    pub iid: Iid,
}

/// The issue or merge request of this project that has this id, if the caller may read it. A hidden one is missing.
pub fn reference_of(query: &mut Query<'_>, project: &Reference, id: IssuableId) -> Result<IssuableReference, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let home = query.project(project, ProjectAction::Read)?.project.id;
    let found = issuable::find_by_id(&mut query.tx, id)?.filter(|found| found.project == home).ok_or_else(missing)?;
    let of = IssuableReference { kind: found.kind, project: project.clone(), iid: found.iid };
    query.issuable(&of, IssuableAction::Read)?;
    Ok(of)
}

/// An issue or merge request that the caller may use in the asked way.
#[derive(Clone)]
pub(crate) struct AuthorizedIssuable {
    pub(crate) home: AuthorizedProject,
    pub(crate) issuable: Issuable,
    /// True if the caller has written it or is assigned to it.
    pub(crate) own: bool,
}

impl AuthorizedIssuable {
    /// True if the caller may also do `action`.
    pub(crate) fn may(&self, action: IssuableAction) -> bool {
        self.decide(action) == Decision::Allow
    }

    fn decide(&self, action: IssuableAction) -> Decision {
        let facts = IssuableFacts {
            confidential: self.issuable.confidential,
            locked: self.issuable.discussion_locked == Some(true),
            own: self.own,
        };
        let kind = self.issuable.kind;
        ability::decide(kind, &self.home.standing, TrackerFacts::of(kind, &self.home.project), facts, action)
    }
}

/// Those of a project that the caller may see.
pub(crate) fn visible_issuables(kind: IssuableKind, found: &AuthorizedProject) -> VisibleIssuables {
    let facts = TrackerFacts::of(kind, &found.project);
    if !facts.enabled || !found.standing.sees(facts.visibility) {
        return VisibleIssuables::none(kind);
    }
    let trusted = match kind {
        IssuableKind::Issue => found.standing.at_least(AccessLevel::Reporter),
        IssuableKind::MergeRequest => merge_request::decide_home(&found.standing, facts) == Decision::Allow,
    };
    VisibleIssuables::of_project(kind, found.project.id, trusted, found.standing.viewer)
}

impl Query<'_> {
    /// The issue or merge request of that number, if the caller may do `action` with it. A hidden one is missing.
    pub(crate) fn issuable(
        &mut self,
        of: &IssuableReference,
        action: IssuableAction,
    ) -> Result<AuthorizedIssuable, AppError> {
        self.issuable_or(of, action, Missing::Record)
    }

    /// The issue of that number, if the caller may do `action` with it. A hidden one is missing.
    pub(crate) fn issue(
        &mut self,
        project: &Reference,
        iid: Iid,
        action: IssuableAction,
    ) -> Result<AuthorizedIssuable, AppError> {
        self.issue_or(project, iid, action, Missing::Record)
    }

    /// As [`Query::issue`], if a missing issue is called otherwise.
    pub(crate) fn issue_or(
        &mut self,
        project: &Reference,
        iid: Iid,
        action: IssuableAction,
        missing: Missing,
    ) -> Result<AuthorizedIssuable, AppError> {
        let of = IssuableReference { kind: IssuableKind::Issue, project: project.clone(), iid };
        self.issuable_or(&of, action, missing)
    }

    fn issuable_or(
        &mut self,
        of: &IssuableReference,
        action: IssuableAction,
        missing: Missing,
    ) -> Result<AuthorizedIssuable, AppError> {
        let home = self.project(&of.project, ProjectAction::Read)?;
        let is_named = |it: &Issuable| (it.kind, it.project, it.iid) == (of.kind, home.project.id, of.iid);
        let found = if let Some((issuable, own)) = self.last.issuable.clone().filter(|(issuable, _)| is_named(issuable))
        {
            AuthorizedIssuable { home, issuable, own }
        } else {
            let issuable = issuable::find(&mut self.tx, of.kind, home.project.id, of.iid)?;
            let Some(issuable) = issuable else { return Err(AppError::NotFound(missing)) };
            let found = self.with_standing(home, issuable)?;
            self.last.issuable = Some((found.issuable.clone(), found.own));
            found
        };
        found.decide(action).judge(missing)?;
        Ok(found)
    }

    /// An issue or merge request in its project, with the caller's relation to it. Does not check whether the caller
    /// may see it.
    pub(crate) fn with_standing(
        &mut self,
        home: AuthorizedProject,
        issuable: Issuable,
    ) -> Result<AuthorizedIssuable, AppError> {
        let viewer = self.viewer().user();
        // Developers may do all that assignees may.
        let own = if Some(issuable.author) == viewer || home.standing.at_least(AccessLevel::Developer) {
            Some(issuable.author) == viewer
        } else {
            let assigned = issuable::assignees(&mut self.tx, &[issuable.id])?.remove(&issuable.id).unwrap_or_default();
            assigned.into_iter().any(|user| Some(user) == viewer)
        };
        Ok(AuthorizedIssuable { home, issuable, own })
    }

    /// The project, if the caller may open an issue in it.
    pub(crate) fn issue_tracker(&mut self, project: &Reference) -> Result<AuthorizedProject, AppError> {
        let home = self.project(project, ProjectAction::Read)?;
        issue::decide_tracker(&home.standing, TrackerFacts::of(IssuableKind::Issue, &home.project))
            .judge(Missing::Project)?;
        Ok(home)
    }

    /// The project, if the caller may list its merge requests.
    pub(crate) fn merge_request_home(&mut self, project: &Reference) -> Result<AuthorizedProject, AppError> {
        let home = self.project(project, ProjectAction::Read)?;
        let facts = TrackerFacts::of(IssuableKind::MergeRequest, &home.project);
        merge_request::decide_home(&home.standing, facts).judge(Missing::Project)?;
        Ok(home)
    }
}
