//! People around an issue or merge request.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::{Decision, Standing};
use tenon_domain::id::UserId;
use tenon_domain::issuable::{IssuableAction, IssuableFacts, IssuableKind, TrackerFacts};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::tracker::decide;
use tenon_domain::user::{User, sees};
use tenon_storage::{access, issuable, user};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::shared::views::user_ref::UserRef;

/// How people are shown, by id.
pub type UserRefs = HashMap<UserId, UserRef>;

/// Those of `users` who may read an issue, in their order. The same rule as for a caller, asked for many at once.
pub(crate) fn readers(
    query: &mut Query<'_>,
    found: &AuthorizedIssuable,
    users: Vec<User>,
) -> Result<Vec<User>, AppError> {
    if users.is_empty() {
        return Ok(users);
    }
    let today = query.today();
    let project = &found.home.project;
    let ids: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let levels = access::levels_in_projects(&mut query.tx, &ids, &[project.id], today)?;
    let by_assignment = found.issuable.confidential || found.issuable.kind == IssuableKind::MergeRequest;
    let assigned: HashSet<UserId> = if by_assignment {
        let id = found.issuable.id;
        issuable::assignees(&mut query.tx, &[id])?.remove(&id).unwrap_or_default().into_iter().collect()
    } else {
        HashSet::new()
    };
    let may_read = |user: &User| {
        let standing = Standing { viewer: user.viewer(), level: levels.get(&(project.id, user.id)).copied() };
        let facts = IssuableFacts {
            confidential: found.issuable.confidential,
            locked: false,
            own: found.issuable.author == user.id || assigned.contains(&user.id),
        };
        let kind = found.issuable.kind;
        decide(kind, &standing, TrackerFacts::of(kind, project), facts, IssuableAction::Read) == Decision::Allow
    };
    Ok(users.into_iter().filter(may_read).collect())
}

/// Refuses more people than one request may name; `field` is in which they were named.
pub(crate) fn check_count(query: &Query<'_>, field: &str, named: &[UserId]) -> Result<(), AppError> {
    let most = query.app.limits().people.assigned;
    if named.iter().collect::<HashSet<_>>().len() > most {
        return Err(AppError::invalid(field, format!("are too many (maximum is {most})")));
    }
    Ok(())
}

/// The accounts of these ids who may read an issue, in that order, each once: who can be assigned to it, or asked to
/// review it. How many a request names is checked by [`check_count`].
pub(crate) fn assignable(
    query: &mut Query<'_>,
    found: &AuthorizedIssuable,
    ids: &[UserId],
) -> Result<Vec<UserId>, AppError> {
    let mut seen = HashSet::new();
    let ids: Vec<UserId> = ids.iter().filter(|id| seen.insert(**id)).copied().collect();
    let accounts = user::by_ids(&mut query.tx, &ids)?;
    let viewer = query.viewer();
    let is_seen = |user: &&User| !user.ghost && sees(viewer, user) == Decision::Allow;
    let wanted = ids.iter().filter_map(|id| accounts.get(id)).filter(is_seen);
    // An assignment to a confidential issue is itself a right to read it: only the access to the project counts.
    let mut open = found.clone();
    open.issuable.confidential = false;
    Ok(readers(query, &open, wanted.cloned().collect())?.into_iter().map(|user| user.id).collect())
}

/// The users who take part and may read it, of those whom the caller may see.
pub fn participants(
    query: &mut Query<'_>,
    of: &IssuableReference,
    page: PageRequest,
) -> Result<Page<UserRef>, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let ids = issuable::participants(&mut query.tx, &found.issuable)?;
    let mut accounts = user::by_ids(&mut query.tx, &ids)?;
    let viewer = query.viewer();
    let is_seen = |user: &User| sees(viewer, user) == Decision::Allow;
    let users = ids.iter().filter_map(|id| accounts.remove(id)).filter(is_seen).collect();
    let readers: Vec<UserId> = readers(query, &found, users)?.into_iter().map(|user| user.id).collect();
    let Page { items: slice, total, request } = Page::cut(readers, page);
    let refs = UserRef::of(query, slice.clone())?;
    Ok(Page { items: slice.iter().filter_map(|id| refs.get(id).cloned()).collect(), total, request })
}
