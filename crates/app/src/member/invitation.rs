//! Inviting people by mail, and what they answer.

use std::collections::BTreeMap;

use tenon_auth::Secret;
use tenon_domain::access::{AccessLevel, Decision};
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{InvitationId, UserId};
use tenon_domain::member::Invitation;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::patch::Patch;
use tenon_domain::refusal::{AdmissionRefusal, Refusal};
use tenon_domain::search::Search;
use tenon_domain::time::{Date, Timestamp, is_unexpired};
use tenon_domain::user::{User, check_email, normalise_email, sees};
use tenon_storage::{StoreError, UniqueKey, invitation, service, user};

use super::change::{MAX_ADDED, add_one, check_level};
use super::{Found, Purpose, find};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::ContainerReference;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};
use crate::shared::access::admission::check_invited;
use crate::shared::access::invitation::{admit, end_of_link, open, send};
use crate::shared::views::user_ref::UserRef;

pub use crate::shared::access::invitation::{Admission, OpenInvitation};

/// A request for invitations.
#[derive(Debug, Clone, Default)]
pub struct Invite {
    /// The addresses, as they were typed.
    pub addresses: Vec<String>,
    /// Users who become members at once, by id.
    pub users: Vec<UserId>,
    /// `None` for a number that is no level.
    pub level: Option<AccessLevel>,
    /// The first day on which the membership no longer counts.
    pub expires_at: Option<Date>,
}

/// A request to change an invitation.
#[derive(Debug, Clone, Default)]
pub struct EditInvitation {
    /// The level; cleared for a number that is no level.
    pub level: Patch<AccessLevel>,
    /// The end of the membership.
    pub expires_at: Patch<Date>,
}

/// An invitation with who has sent it.
#[derive(Debug, Clone)]
pub struct InvitationView {
    /// The invitation.
    pub invitation: Invitation,
    /// Who invites.
    pub inviter: Option<UserRef>,
}

/// Invites these addresses, and makes these users members. Each is done or refused by itself: yields the refusals, by
/// the address, username or id that they are about. Fails as a whole if the caller may not manage the members, and if the
/// request names no one or too many.
///
/// An address is treated in the same way whether or not an account has it.
pub fn invite(
    command: &mut Command<'_>,
    of: &ContainerReference,
    request: Invite,
) -> Result<BTreeMap<String, String>, AppError> {
    let found = find(&mut command.query(), of, Purpose::Manage)?;
    let Invite { addresses, users, level, expires_at } = request;
    if addresses.is_empty() && users.is_empty() {
        return Err(AdmissionRefusal::NoOneInvited.into());
    }
    if addresses.len() + users.len() > MAX_ADDED {
        return Err(AdmissionRefusal::TooMany(MAX_ADDED).into());
    }
    let mut refused = BTreeMap::new();
    for typed in addresses {
        if let Some(reason) = reason(invite_one(command, &found, &typed, level, expires_at))? {
            refused.insert(typed, reason);
        }
    }
    for id in users {
        if let Some(reason) = reason(add_one(command, &found, id, level, expires_at).map(drop))? {
            refused.insert(name_of(command, id)?, reason);
        }
    }
    Ok(refused)
}

/// Why one of several was refused. What is no refusal of that one is passed on.
fn reason(outcome: Result<(), AppError>) -> Result<Option<String>, AppError> {
    match outcome {
        Ok(()) => Ok(None),
        Err(AppError::Invalid(errors)) => Ok(Some(errors.sentences())),
        Err(AppError::Refused(Refusal::Admission(AdmissionRefusal::AlreadyMember))) => {
            Ok(Some("User already exists in source".to_owned()))
        }
        Err(AppError::Refused(refusal)) => Ok(Some(refusal.to_string())),
        Err(AppError::NotFound(_)) => Ok(Some("User not found".to_owned())),
        Err(AppError::Throttled { .. }) => Ok(Some("Too many invitations were sent. Try again later".to_owned())),
        Err(other) => Err(other),
    }
}

/// The username of a user whom the caller sees; otherwise the id that the caller has sent.
fn name_of(command: &mut Command<'_>, id: UserId) -> Result<String, AppError> {
    let known = user::find(&mut command.tx, id)?.filter(User::is_person);
    let seen = known.filter(|user| sees(command.viewer(), user) == Decision::Allow);
    Ok(seen.map_or_else(|| id.to_string(), |user| user.username))
}

fn invite_one(
    command: &mut Command<'_>,
    found: &Found,
    typed: &str,
    level: Option<AccessLevel>,
    expires_at: Option<Date>,
) -> Result<(), AppError> {
    let address = normalise_email(typed);
    let level = check_level(level, found)?;
    check_end(expires_at, command.now)?;
    let mut errors = FieldErrors::default();
    check_email(&mut errors, "invite_email", &address);
    errors.require(!address.contains('\0'), "invite_email", "is invalid");
    if errors.is_empty()
        && let Err(refusal) = command.query().settings()?.email_domains.admit(&address)
    {
        errors.add("invite_email", refusal.message());
    }
    errors.into_result()?;
    check_invited(command, found.container, found.namespace, &address)?;
    let now = command.now;
    let old = invitation::of_address(&mut command.tx, found.container, &address)?;
    if old.as_ref().is_some_and(|old| old.ends_at > now) {
        return Err(AdmissionRefusal::AlreadyInvited.into());
    }
    let most = command.app.limits().contents.invitations;
    let count = invitation::count(&mut command.tx, found.container, now)?;
    check_number(count, most, container_word(found.container), "open invitations")?;
    let inviter = count_mail(command, &address)?;
    if let Some(over) = old {
        invitation::delete(&mut command.tx, over.id)?;
    }
    let mut new = Invitation {
        id: InvitationId::new(0),
        container: found.container,
        address,
        level,
        expires_at,
        inviter,
        created_at: now,
        updated_at: now,
        ends_at: end_of_link(command.app, now)?,
    };
    new.id = invitation::insert(&mut command.tx, &new).map_err(|error| match error {
        StoreError::Unique(UniqueKey::Invitation) => AppError::from(AdmissionRefusal::AlreadyInvited),
        other => other.into(),
    })?;
    send(command, &new)
}

fn check_end(expires_at: Option<Date>, now: Timestamp) -> Result<(), AppError> {
    if is_unexpired(expires_at, now) {
        return Ok(());
    }
    Err(AppError::invalid("expires_at", "cannot be a date in the past"))
}

/// Counts one mail to a stranger against the caller and against the address. Yields the caller.
fn count_mail(command: &mut Command<'_>, address: &str) -> Result<UserId, AppError> {
    let (app, now, by) = (command.app, command.now, command.user()?.id);
    if !app.sends_mail() {
        return Err(AdmissionRefusal::NoMail.into());
    }
    let sent = service::mails_to_users(&mut command.tx, by, now)?;
    if usize::try_from(sent).unwrap_or(usize::MAX) >= app.limits().mail.per_user {
        return Err(AppError::Throttled { retry_after: 3_600 });
    }
    let counted = app.anonymous_throttle().count_invitation(by, address);
    counted.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
    service::count_mails(&mut command.tx, Some(by), None, now, (1, 0))?;
    Ok(by)
}

/// The invitations that have not ended, oldest first; for those who manage the members. `search` is a part of the
/// address.
pub fn invitations(
    query: &mut Query<'_>,
    of: &ContainerReference,
    search: Option<&str>,
    page: PageRequest,
) -> Result<Page<InvitationView>, AppError> {
    let found = find(query, of, Purpose::Manage)?;
    let now = query.now;
    let mut all = invitation::open(&mut query.tx, found.container, now)?;
    if let Some(search) = search.and_then(Search::parse) {
        all.retain(|one| search.finds(&one.address));
    }
    let Page { items, total, request } = Page::cut(all, page);
    let inviters = UserRef::of(query, items.iter().map(|one| one.inviter).collect())?;
    let view = |invitation: Invitation| {
        let inviter = inviters.get(&invitation.inviter).cloned();
        InvitationView { invitation, inviter }
    };
    Ok(Page { items: items.into_iter().map(view).collect(), total, request })
}

/// The open invitation of an address, for those who manage the members.
fn managed(command: &mut Command<'_>, of: &ContainerReference, address: &str) -> Result<(Found, Invitation), AppError> {
    let found = find(&mut command.query(), of, Purpose::Manage)?;
    let now = command.now;
    let address = normalise_email(address);
    // No address holds it, and PostgreSQL takes no text that does.
    let known =
        if address.contains('\0') { None } else { invitation::of_address(&mut command.tx, found.container, &address)? };
    let known = known.filter(|known| known.ends_at > now).ok_or(AppError::NotFound(Missing::Record))?;
    Ok((found, known))
}

/// Changes level and end of the membership to which an address is invited.
pub fn edit_invitation(
    command: &mut Command<'_>,
    of: &ContainerReference,
    address: &str,
    request: EditInvitation,
) -> Result<InvitationView, AppError> {
    let (found, mut invitation) = managed(command, of, address)?;
    let was = invitation.clone();
    invitation.level = check_level(request.level.apply(Some(invitation.level)), &found)?;
    invitation.expires_at = request.expires_at.apply(invitation.expires_at);
    if invitation.expires_at != was.expires_at {
        check_end(invitation.expires_at, command.now)?;
    }
    if invitation != was {
        invitation.updated_at = command.now;
        invitation::update(&mut command.tx, &invitation)?;
    }
    let inviter = UserRef::of(&mut command.query(), vec![invitation.inviter])?.remove(&invitation.inviter);
    Ok(InvitationView { invitation, inviter })
}

/// Sends the mail of an invitation once more, with another link that works from now on. The caller then is who invites.
/// Fails with 429 if the caller has sent too many, or the address got too many.
pub fn resend_invitation(command: &mut Command<'_>, of: &ContainerReference, address: &str) -> Result<(), AppError> {
    let (_, mut invitation) = managed(command, of, address)?;
    invitation.inviter = count_mail(command, &invitation.address)?;
    invitation.updated_at = command.now;
    invitation.ends_at = end_of_link(command.app, command.now)?;
    invitation::update(&mut command.tx, &invitation)?;
    send(command, &invitation)
}

/// Takes an invitation back. Its link is void.
pub fn remove_invitation(
    command: &mut Command<'_>,
    of: &ContainerReference,
    address: &str,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let (_, invitation) = managed(command, of, address)?;
    check_unmodified(invitation.updated_at, unmodified_since)?;
    Ok(invitation::delete(&mut command.tx, invitation.id)?)
}

/// The invitation that a link is for; `None` if it does not count any more.
pub fn invitation_of(query: &mut Query<'_>, token: &Secret) -> Result<Option<OpenInvitation>, AppError> {
    open(query, token)
}

/// Makes the caller a member as the invitation says, whatever the addresses of the account: who has the link was trusted
/// with it. Fails with 404 if it does not count any more.
pub fn accept_invitation(command: &mut Command<'_>, token: &Secret) -> Result<(OpenInvitation, Admission), AppError> {
    let user = command.user()?.id;
    let found = open(&mut command.query(), token)?.ok_or(AppError::NotFound(Missing::Plain))?;
    let admission = admit(command, &found.invitation, user)?;
    Ok((found, admission))
}

/// Ends an invitation for who does not want it; the link is enough for that. Fails with 404 if it does not count any more.
pub fn decline_invitation(command: &mut Command<'_>, token: &Secret) -> Result<(), AppError> {
    let found = open(&mut command.query(), token)?.ok_or(AppError::NotFound(Missing::Plain))?;
    Ok(invitation::delete(&mut command.tx, found.invitation.id)?)
}
