//! Requests for access to projects and groups: asking, and what those who manage the members answer.

use tenon_domain::access::AccessLevel;
use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::member::AccessRequest;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_storage::{StoreError, UniqueKey, access_request};

use super::change::add_one;
use super::list::MemberView;
use super::{Found, Purpose, find};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::ContainerReference;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};
use crate::shared::access::admission::check_admission;
use crate::shared::views::user_ref::UserRef;

/// A request for access, with who asks.
#[derive(Debug, Clone)]
pub struct AccessRequestView {
    /// Who asks.
    pub user: UserRef,
    /// When.
    pub requested_at: Timestamp,
}

/// The requests of a project or group, as the page of its members shows them.
#[derive(Debug, Clone, Default)]
pub struct AccessRequests {
    /// The first that wait, for those who manage the members.
    pub waiting: Option<Page<AccessRequestView>>,
    /// True if the caller has asked and waits.
    pub has_asked: bool,
    /// True if the caller may ask.
    pub may_ask: bool,
}

/// Asks for access for the caller. Fails with 403 for those who have access already, and if the project or group takes no
/// requests.
pub fn request_access(command: &mut Command<'_>, of: &ContainerReference) -> Result<AccessRequestView, AppError> {
    let caller = command.user()?;
    let (user, is_person) = (caller.id, caller.is_person());
    let found = find(&mut command.query(), of, Purpose::RequestAccess)?;
    // Access tokens of projects and groups become members of nothing else.
    if !is_person {
        return Err(AppError::Forbidden);
    }
    check_admission(command, found.container, found.namespace, user)?;
    let most = command.app.limits().contents.access_requests;
    let count = access_request::count(&mut command.tx, found.container)?;
    check_number(count, most, container_word(found.container), "requests for access")?;
    let new = AccessRequest { container: found.container, user, requested_at: command.now };
    access_request::insert(&mut command.tx, &new).map_err(|error| match error {
        StoreError::Unique(UniqueKey::AccessRequest) => AppError::invalid("user_id", "already exists in source"),
        other => other.into(),
    })?;
    append(command, EventKind::AccessRequested, &found, user)?;
    let user = UserRef::of(&mut command.query(), vec![user])?.remove(&user);
    let user = user.ok_or(AppError::NotFound(Missing::User))?;
    Ok(AccessRequestView { user, requested_at: command.now })
}

/// The requests that wait, oldest first; for those who manage the members.
pub fn access_requests(
    query: &mut Query<'_>,
    of: &ContainerReference,
    page: PageRequest,
) -> Result<Page<AccessRequestView>, AppError> {
    let found = find(query, of, Purpose::Manage)?;
    let Page { items, total, request } = access_request::list(&mut query.tx, found.container, page)?;
    let mut users = UserRef::of(query, items.iter().map(|one| one.user).collect())?;
    let view = |one: AccessRequest| {
        let user = users.remove(&one.user)?;
        Some(AccessRequestView { user, requested_at: one.requested_at })
    };
    Ok(Page { items: items.into_iter().filter_map(view).collect(), total, request })
}

/// The requests as the page of the members shows them to the caller.
pub fn access_requests_of_page(query: &mut Query<'_>, of: &ContainerReference) -> Result<AccessRequests, AppError> {
    let found = find(query, of, Purpose::See)?;
    let Some(user) = query.viewer().user() else { return Ok(AccessRequests::default()) };
    let first = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let waiting = match access_requests(query, of, first) {
        Ok(page) => Some(page),
        Err(AppError::Forbidden) => None,
        Err(other) => return Err(other),
    };
    let has_asked = access_request::requested_at(&mut query.tx, found.container, user)?.is_some();
    let may_ask = match find(query, of, Purpose::RequestAccess) {
        Ok(_) => !has_asked,
        Err(AppError::Forbidden) => false,
        Err(other) => return Err(other),
    };
    Ok(AccessRequests { waiting, has_asked, may_ask })
}

/// A request that waits. Fails with 404 if there is none, for every caller.
fn waiting(command: &mut Command<'_>, of: &ContainerReference, user: UserId) -> Result<(Found, Timestamp), AppError> {
    let found = find(&mut command.query(), of, Purpose::See)?;
    let at = access_request::requested_at(&mut command.tx, found.container, user)?;
    Ok((found, at.ok_or(AppError::NotFound(Missing::Record))?))
}

/// Makes the user who has asked a member. `level` is `None` for a number that is no level.
pub fn approve(
    command: &mut Command<'_>,
    of: &ContainerReference,
    user: UserId,
    level: Option<AccessLevel>,
) -> Result<MemberView, AppError> {
    command.user()?;
    waiting(command, of, user)?;
    let found = find(&mut command.query(), of, Purpose::Manage)?;
    // The request goes where the membership begins.
    add_one(command, &found, user, level, None)
}

/// Removes a request: those who manage the members may do that, and who has asked. A user who is denied gets a mail.
pub fn deny(
    command: &mut Command<'_>,
    of: &ContainerReference,
    user: UserId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let caller = command.user()?.id;
    let (found, requested_at) = waiting(command, of, user)?;
    if caller != user {
        find(&mut command.query(), of, Purpose::Manage)?;
    }
    check_unmodified(requested_at, unmodified_since)?;
    access_request::delete(&mut command.tx, found.container, user)?;
    if caller == user {
        return Ok(());
    }
    append(command, EventKind::AccessDenied, &found, user)
}

fn append(command: &mut Command<'_>, kind: EventKind, found: &Found, user: UserId) -> Result<(), AppError> {
    let event = command.event(kind).user(user).container(found.container);
    command.append(&event)
}
