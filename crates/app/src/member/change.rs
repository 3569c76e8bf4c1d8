//! Adding, changing and removing members.

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::UserId;
use tenon_domain::member::{Member, MemberChange, MemberFacts, check_change};
use tenon_domain::patch::Patch;
use tenon_domain::refusal::AdmissionRefusal;
use tenon_domain::time::{Date, Timestamp, is_unexpired};
use tenon_domain::user::{User, sees};
use tenon_storage::{member, user};

use super::list::{MemberView, view};
use super::{Found, Purpose, find};
use crate::core::app::Command;
use crate::core::error::{AppError, Judge, Missing};
use crate::policy::container::ContainerReference;
use crate::policy::precondition::check_unmodified;
use crate::shared::access::admission::check_admission;
use crate::shared::access::revocation::purge_inaccessible;
use crate::shared::access::system_event::{self, Membership};
use crate::shared::access::{account_removal, membership};

/// The most users that one request may add.
pub const MAX_ADDED: usize = 100;

/// Who becomes a member.
#[derive(Debug, Clone)]
pub enum NewMembers {
    /// The users of these names, at least one.
    Named(Vec<String>),
    /// These users, at least one.
    Users(Vec<UserId>),
}

/// A request for new members.
#[derive(Debug, Clone)]
pub struct AddMembers {
    /// Who becomes a member.
    pub users: NewMembers,
    /// `None` for a number that is no level.
    pub level: Option<AccessLevel>,
    /// The first day on which the membership no longer counts.
    pub expires_at: Option<Date>,
}

/// A request to change a membership.
#[derive(Debug, Clone)]
pub struct EditMember {
    /// `None` for a number that is no level.
    pub level: Option<AccessLevel>,
    /// The first day on which the membership no longer counts.
    pub expires_at: Patch<Date>,
}

impl NewMembers {
    fn len(&self) -> usize {
        match self {
            Self::Named(names) => names.len(),
            Self::Users(users) => users.len(),
        }
    }
}

/// Adds members, all or none. An expired membership of the same user is replaced. A user who is missing is
/// [`Missing::UserNamed`] if the request names users.
pub fn add(
    command: &mut Command<'_>,
    of: &ContainerReference,
    request: AddMembers,
) -> Result<Vec<MemberView>, AppError> {
    let AddMembers { users, level, expires_at } = request;
    if users.len() == 0 {
        return Err(AdmissionRefusal::NoUsers.into());
    }
    if users.len() > MAX_ADDED {
        return Err(AdmissionRefusal::TooMany(MAX_ADDED).into());
    }
    let found = find(&mut command.query(), of, Purpose::Manage)?;
    match users {
        NewMembers::Users(users) => {
            users.into_iter().map(|user| add_one(command, &found, user, level, expires_at)).collect()
        }
        NewMembers::Named(names) => {
            names.into_iter().map(|name| add_named(command, &found, name, level, expires_at)).collect()
        }
    }
}

fn add_named(
    command: &mut Command<'_>,
    found: &Found,
    name: String,
    level: Option<AccessLevel>,
    expires_at: Option<Date>,
) -> Result<MemberView, AppError> {
    let added = match user::find_by_username(&mut command.tx, &name)? {
        Some(user) => add_one(command, found, user.id, level, expires_at),
        None => Err(AppError::NotFound(Missing::User)),
    };
    added.map_err(|error| match error {
        AppError::NotFound(Missing::User) => AppError::NotFound(Missing::UserNamed(name)),
        error => error,
    })
}

pub(super) fn add_one(
    command: &mut Command<'_>,
    found: &Found,
    user: UserId,
    level: Option<AccessLevel>,
    expires_at: Option<Date>,
) -> Result<MemberView, AppError> {
    let old = member::find(&mut command.tx, found.container, user)?;
    if old.as_ref().is_some_and(|old| is_unexpired(old.expires_at, command.now)) {
        return Err(AdmissionRefusal::AlreadyMember.into());
    }
    let known = user::find(&mut command.tx, user)?.filter(User::is_person);
    let known = known.ok_or(AppError::NotFound(Missing::User))?;
    // An account that waits for approval is hidden from all but administrators, who can approve it.
    sees(command.viewer(), &known).judge(Missing::User)?;
    let added = Member {
        container: found.container,
        user,
        level: check_level(level, found)?,
        expires_at,
        created_at: command.now,
        created_by: command.viewer().user(),
        updated_at: command.now,
    };
    check_admission(command, found.container, found.namespace, user)?;
    check_inherited(command, found, user, added.level)?;
    membership::begin(command, &added, old.as_ref())?;
    view(&mut command.query(), added)
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
    let level = check_level(request.level, &found)?;
    let expires_at = request.expires_at.apply(member.expires_at);
    check(command, &found, &member, MemberChange::Level { level, ends: expires_at.is_some() })?;
    if expires_at.is_some() && user::is_bot(&mut command.tx, user)? {
        return Err(AppError::invalid("expires_at", "must be blank: the access token has an end"));
    }
    check_inherited(command, &found, user, level)?;
    let is_news = level != member.level || expires_at != member.expires_at;
    let narrows = level < member.level || expires_at != member.expires_at;
    member.level = level;
    member.expires_at = expires_at;
    member.updated_at = command.now;
    member::update(&mut command.tx, &member)?;
    if is_news {
        system_event::of_member(command, Membership::Changed, &member)?;
        append(command, EventKind::MemberUpdated, &member)?;
    }
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
    if user::is_bot(&mut command.tx, user)? {
        // It is there for its membership only.
        return account_removal::begin(command, user, false);
    }
    member::delete(&mut command.tx, found.container, user)?;
    system_event::of_member(command, Membership::Ended, &member)?;
    append(command, EventKind::MemberRemoved, &member)?;
    purge_inaccessible(command, user)
}

fn direct(command: &mut Command<'_>, found: &Found, user: UserId) -> Result<Member, AppError> {
    let member = member::find(&mut command.tx, found.container, user)?;
    member.ok_or(AppError::NotFound(Missing::Record))
}

pub(super) fn check_level(level: Option<AccessLevel>, found: &Found) -> Result<AccessLevel, AppError> {
    level
        .filter(|level| *level <= found.container.highest_level())
        .ok_or_else(|| AppError::invalid("access_level", "is not included in the list"))
}

fn check(command: &mut Command<'_>, found: &Found, member: &Member, change: MemberChange) -> Result<(), AppError> {
    let other_owners = match found.container {
        // No group needs a bot as its owner.
        Container::Group(_) if user::is_bot(&mut command.tx, member.user)? => 1,
        Container::Group(id) => member::count_other_owners(&mut command.tx, id, member.user)?,
        Container::Project(_) => 0,
    };
    let namespace_owner = found.owner == Some(member.user);
    let facts = MemberFacts { level: member.level, other_owners, namespace_owner };
    Ok(check_change(found.container, facts, change)?)
}

/// Refuses a level below what the user inherits anyway: it would have no effect.
fn check_inherited(command: &mut Command<'_>, found: &Found, user: UserId, level: AccessLevel) -> Result<(), AppError> {
    let today = command.today();
    let inherited = member::inherited(&mut command.tx, found.container, found.namespace, user, today)?;
    match inherited {
        Some((higher, group)) if higher > level => {
            let name = higher.name();
            let text = format!("should be greater than or equal to {name} inherited membership from group {group}");
            Err(AppError::invalid("access_level", text))
        }
        Some(_) | None => Ok(()),
    }
}

fn append(command: &mut Command<'_>, kind: EventKind, member: &Member) -> Result<(), AppError> {
    let event: Event = command.event(kind).user(member.user).container(member.container);
    command.append(&event)
}
