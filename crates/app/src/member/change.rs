//! Adding, changing and removing members.

use tenon_domain::access::AccessLevel;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::UserId;
use tenon_domain::member::{Member, MemberChange, MemberFacts, Source, check_change};
use tenon_domain::patch::Patch;
use tenon_domain::time::{Date, Timestamp, is_unexpired};
use tenon_storage::{StoreError, UniqueKey, member, user};

use super::list::{MemberView, view};
use super::{Found, Purpose, find};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::container::ContainerReference;
use crate::policy::precondition::check_unmodified;
use crate::shared::revocation::purge_inaccessible;

/// A request for a new member.
#[derive(Debug, Clone, Copy)]
pub struct AddMember {
    /// Who.
    pub user: UserId,
    /// With what level, as a number that may be none.
    pub level: i64,
    /// When it ends.
    pub expires_at: Option<Date>,
}

/// A request to change a membership.
#[derive(Debug, Clone)]
pub struct EditMember {
    /// With what level, as a number that may be none.
    pub level: i64,
    /// When it ends.
    pub expires_at: Patch<Date>,
}

/// Adds a member. An expired membership of the same user is replaced.
pub fn add(command: &mut Command<'_>, of: &ContainerReference, request: AddMember) -> Result<MemberView, AppError> {
    let found = find(&mut command.query(), of, Purpose::Manage)?;
    match member::find(&mut command.tx, found.source, request.user)? {
        Some(old) if is_unexpired(old.expires_at, command.now) => {
            return Err(AppError::Conflict("Member already exists".to_owned()));
        }
        Some(_) => member::delete(&mut command.tx, found.source, request.user)?,
        None => {}
    }
    let known = user::find(&mut command.tx, request.user)?.filter(|user| !user.ghost);
    known.ok_or(AppError::NotFound(Missing::USER))?;
    let added = Member {
        source: found.source,
        user: request.user,
        level: level(request.level, &found)?,
        expires_at: request.expires_at,
        created_at: command.now,
        updated_at: command.now,
    };
    check_inherited(command, &found, request.user, added.level)?;
    member::insert(&mut command.tx, &added).map_err(|error| match error {
        StoreError::Unique(UniqueKey::Member) => AppError::Conflict("Member already exists".to_owned()),
        other => other.into(),
    })?;
    append(command, EventKind::MemberAdded, &added)?;
    view(&mut command.query(), added)
}

/// As [`add`], for a user named by user name.
pub fn add_named(
    command: &mut Command<'_>,
    of: &ContainerReference,
    username: &str,
    level: i64,
    expires_at: Option<Date>,
) -> Result<MemberView, AppError> {
    find(&mut command.query(), of, Purpose::Manage)?;
    let known = user::find_by_username(&mut command.tx, username)?.ok_or(AppError::NotFound(Missing::USER))?;
    add(command, of, AddMember { user: known.id, level, expires_at })
}

/// Changes level and end of a membership.
pub fn edit(
    command: &mut Command<'_>,
    of: &ContainerReference,
    user: UserId,
    request: EditMember,
) -> Result<MemberView, AppError> {
    let found = find(&mut command.query(), of, Purpose::Manage)?;
    let mut member = direct(command, &found, user)?;
    let level = level(request.level, &found)?;
    let expires_at = request.expires_at.apply(member.expires_at);
    check(command, &found, &member, MemberChange::Level { level, ends: expires_at.is_some() })?;
    check_inherited(command, &found, user, level)?;
    let narrows = level < member.level || expires_at != member.expires_at;
    member.level = level;
    member.expires_at = expires_at;
    member.updated_at = command.now;
    member::update(&mut command.tx, &member)?;
    append(command, EventKind::MemberUpdated, &member)?;
    if narrows {
        purge_inaccessible(command, user)?;
    }
    view(&mut command.query(), member)
}

/// Ends a membership: those who manage the members may do that, and every member may leave.
pub fn remove(
    command: &mut Command<'_>,
    of: &ContainerReference,
    user: UserId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let leaving = command.viewer().user() == Some(user);
    let purpose = if leaving { Purpose::See } else { Purpose::Manage };
    let found = find(&mut command.query(), of, purpose)?;
    let member = direct(command, &found, user)?;
    check_unmodified(member.updated_at, unmodified_since)?;
    check(command, &found, &member, MemberChange::Removal)?;
    member::delete(&mut command.tx, found.source, user)?;
    append(command, EventKind::MemberRemoved, &member)?;
    purge_inaccessible(command, user)
}

fn direct(command: &mut Command<'_>, found: &Found, user: UserId) -> Result<Member, AppError> {
    let member = member::find(&mut command.tx, found.source, user)?;
    member.ok_or(AppError::NotFound(Missing::Record))
}

fn level(number: i64, found: &Found) -> Result<AccessLevel, AppError> {
    let level = AccessLevel::from_value(number).filter(|level| *level <= found.most);
    level.ok_or_else(|| AppError::invalid("access_level", "is not included in the list"))
}

fn check(command: &mut Command<'_>, found: &Found, member: &Member, change: MemberChange) -> Result<(), AppError> {
    let direct_owners = match found.source {
        Source::Group(id) => {
            let today = command.today();
            member::count_owners(&mut command.tx, id, today)?
        }
        Source::Project(_) => 0,
    };
    let namespace_owner = found.owner == Some(member.user);
    let facts = MemberFacts { level: member.level, direct_owners, namespace_owner };
    check_change(found.source, facts, change).map_err(|_refusal| AppError::Forbidden)
}

/// Refuses a level below what the user inherits anyway: it would have no effect.
fn check_inherited(command: &mut Command<'_>, found: &Found, user: UserId, level: AccessLevel) -> Result<(), AppError> {
    let today = command.today();
    let inherited = member::inherited(&mut command.tx, found.source, found.namespace, user, today)?;
    match inherited {
        Some((higher, group)) if higher > level => {
            let text = format!("should be greater than or equal to {higher:?} inherited membership from group {group}");
            Err(AppError::invalid("access_level", text))
        }
        Some(_) | None => Ok(()),
    }
}

fn append(command: &mut Command<'_>, kind: EventKind, member: &Member) -> Result<(), AppError> {
    let event: Event = command.event(kind).user(member.user);
    let event = match member.source {
        Source::Group(id) => event.namespace(id),
        Source::Project(id) => event.project(id),
    };
    command.append(&event)
}
