//! People around an issue or merge request.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::{AccessLevel, Decision, Standing, Viewer};
use tenon_domain::id::UserId;
use tenon_domain::issue::{self, IssueAction, IssueFacts};
use tenon_domain::user::User;
use tenon_storage::{access, issuable, user};

use crate::context::Query;
use crate::error::AppError;
use crate::issue::{FoundIssue, tracker};
use crate::user::UserRef;

/// How people are shown, by id.
pub type UserRefs = HashMap<UserId, UserRef>;

/// How these people are shown; those whose accounts are gone are left out.
pub(crate) fn refs(query: &mut Query<'_>, mut ids: Vec<UserId>) -> Result<UserRefs, AppError> {
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(UserRefs::new());
    }
    let settings = query.settings()?;
    let found = user::by_ids(&mut query.tx, &ids)?;
    let links = query.app.links();
    Ok(found.into_iter().map(|(id, user)| (id, UserRef::new(links, &settings, &user))).collect())
}

/// Those of `users` who may read an issue, in their order. The same rule as for a caller, asked for many at once.
pub(crate) fn readers(query: &mut Query<'_>, found: &FoundIssue, users: Vec<User>) -> Result<Vec<User>, AppError> {
    if users.is_empty() {
        return Ok(users);
    }
    let today = query.today();
    let project = &found.home.project;
    let ids: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let levels = access::project_levels_of(&mut query.tx, &ids, project.id, found.home.namespace.id, today)?;
    let assigned: HashSet<UserId> = if found.issue.confidential {
        let id = found.issue.id;
        issuable::assignees(&mut query.tx, &[id])?.remove(&id).unwrap_or_default().into_iter().collect()
    } else {
        HashSet::new()
    };
    let may_read = |user: &User| {
        let owner = (found.home.namespace.owner == Some(user.id)).then_some(AccessLevel::Owner);
        let viewer = Viewer::User { id: user.id, admin: user.admin, external: user.external };
        let standing = Standing { viewer, level: owner.max(levels.get(&user.id).copied()) };
        let facts = IssueFacts {
            confidential: found.issue.confidential,
            locked: false,
            own: found.issue.author == user.id || assigned.contains(&user.id),
        };
        issue::decide(&standing, tracker(project), facts, IssueAction::Read) == Decision::Allow
    };
    Ok(users.into_iter().filter(may_read).collect())
}

/// The accounts of these ids who may read an issue, in that order, each once: who can be assigned to it.
pub(crate) fn assignable(query: &mut Query<'_>, found: &FoundIssue, ids: &[UserId]) -> Result<Vec<UserId>, AppError> {
    let accounts = user::by_ids(&mut query.tx, ids)?;
    let mut seen = HashSet::new();
    let wanted = ids.iter().filter(|id| seen.insert(**id)).filter_map(|id| accounts.get(id)).filter(|user| !user.ghost);
    // Whoever is to be assigned to a confidential issue may read it by that alone: what counts is the project.
    let mut open = found.clone();
    open.issue.confidential = false;
    Ok(readers(query, &open, wanted.cloned().collect())?.into_iter().map(|user| user.id).collect())
}
