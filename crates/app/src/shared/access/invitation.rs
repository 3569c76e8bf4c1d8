//! Invitations by mail: the mail with the link, what the link opens, and the membership that follows from it.
//!
//! Who has the link may use it with any account, as they could have the mail forwarded. No answer says whether an address
//! belongs to an account.

use serde::{Deserialize, Serialize};
use tenon_auth::{Secret, digest};
use tenon_domain::container::Container;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{InvitationId, UserId};
use tenon_domain::member::{Invitation, Member};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::{TimeDelta, Timestamp, is_unexpired};
use tenon_domain::user::User;
use tenon_outbound::mail::Mail;
use tenon_storage::job::Queue;
use tenon_storage::{ReadTx, invitation, member, user};

use crate::core::app::{App, Command, Query};
use crate::core::caller::Caller;
use crate::core::error::AppError;
use crate::core::mail::{self, one_line};
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::reference::Reference;
use crate::shared::access::admission::check_admission;
use crate::shared::access::membership;

/// An invitation that still counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// The name of the project or group.
    pub name: String,
    /// Its full path.
    pub full_path: String,
    /// The name of who invites.
    pub inviter_name: String,
    /// The username of who invites.
    pub inviter_username: String,
}

/// The outcome of an invitation that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The user has become a member.
    Joined,
    /// The user has at least this access already, or a membership of another level, which stays.
    AlreadyMember,
}

/// How long a link works that is sent at `now`.
pub(crate) fn end_of_link(app: &App, now: Timestamp) -> Result<Timestamp, AppError> {
    Ok(now + TimeDelta::from_std(app.limits().mail.invitation).map_err(AppError::internal)?)
}

/// The invitation of this token. `None` if it has ended, if what it opens is gone, or if who has sent it may no longer
/// manage the members there.
pub(crate) fn open(query: &mut Query<'_>, token: &Secret) -> Result<Option<OpenInvitation>, AppError> {
    let (app, now) = (query.app, query.now);
    let Some(found) = invitation::by_digest(&mut query.tx, &digest(token.expose()), now)? else { return Ok(None) };
    in_force(query.tx.reborrow(), app, now, found)
}

fn in_force(
    mut tx: ReadTx<'_>,
    app: &App,
    now: Timestamp,
    found: Invitation,
) -> Result<Option<OpenInvitation>, AppError> {
    if !is_unexpired(found.expires_at, now) || found.ends_at <= now {
        return Ok(None);
    }
    let Some(inviter) = user::find(&mut tx, found.inviter)?.filter(User::may_act) else { return Ok(None) };
    let (inviter_name, inviter_username) = (inviter.name.clone(), inviter.username.clone());
    let caller = Caller::of(inviter);
    let of = match found.container {
        Container::Project(id) => ContainerReference::Project(Reference::Id(id.get())),
        Container::Group(id) => ContainerReference::Group(Reference::Id(id.get())),
    };
    let mut query = Query::new(tx, app, &caller, now);
    let (name, full_path) =
        match AuthorizedContainer::find(&mut query, &of, ProjectAction::ManageMembers, GroupAction::Administer) {
            Ok(AuthorizedContainer::Project(project)) => (project.project.name.clone(), project.full_path()),
            Ok(AuthorizedContainer::Group(group)) => {
                (group.group.namespace.name.clone(), group.group.namespace.full_path.clone())
            }
            Err(AppError::NotFound(_) | AppError::Forbidden) => return Ok(None),
            Err(other) => return Err(other),
        };
    Ok(Some(OpenInvitation { invitation: found, name, full_path, inviter_name, inviter_username }))
}

/// Makes `user` a member as the invitation says, which is then gone. Fails, and leaves the invitation, if a group does not admit
/// the user or has too many members.
pub(crate) fn admit(command: &mut Command<'_>, found: &Invitation, user: UserId) -> Result<Admission, AppError> {
    let admission = join(command, found, user)?;
    invitation::delete(&mut command.tx, found.id)?;
    Ok(admission)
}

fn join(command: &mut Command<'_>, found: &Invitation, user: UserId) -> Result<Admission, AppError> {
    let (now, today, container) = (command.now, command.today(), found.container);
    let old = member::find(&mut command.tx, container, user)?;
    if old.as_ref().is_some_and(|old| is_unexpired(old.expires_at, now)) {
        return Ok(Admission::AlreadyMember);
    }
    let home = match container {
        Container::Group(id) => Some(id),
        Container::Project(id) => tenon_storage::project::find_placed(&mut command.tx, id)?.map(|found| found.home.id),
    };
    if let Some(home) = home {
        let inherited = member::inherited(&mut command.tx, container, home, user, today)?;
        if inherited.is_some_and(|(level, _)| level >= found.level) {
            return Ok(Admission::AlreadyMember);
        }
        check_admission(command, container, home, user)?;
    }
    let (level, expires_at) = (found.level, found.expires_at);
    let added = Member {
        container,
        user,
        level,
        expires_at,
        created_at: now,
        created_by: Some(found.inviter),
        updated_at: now,
    };
    membership::begin(command, &added, old.as_ref())?;
    Ok(Admission::Joined)
}

/// Has the mail of an invitation sent.
pub(crate) fn send(command: &mut Command<'_>, found: &Invitation) -> Result<(), AppError> {
    enqueue(command, &SendInvitation { invitation: found.id.get() })
}

/// The mail with the link. Each time that it is sent it has another token, and the one before is void.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendInvitation {
    invitation: i64,
}

impl Job for SendInvitation {
    const KIND: &'static str = "send_invitation";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendInvitation {
    async fn run(self, app: &App) -> Result<(), AppError> {
        match app.command(|command| prepare(command, InvitationId::new(self.invitation)))? {
            Some((mail, asked_at)) => app.send_mail_of(&mail, asked_at),
            None => Ok(()),
        }
    }
}

/// The mail, whose token counts from now on; `None` if the invitation does not count any more.
fn prepare(command: &mut Command<'_>, id: InvitationId) -> Result<Option<(Mail, Timestamp)>, AppError> {
    let (app, now) = (command.app, command.now);
    let Some(found) = invitation::find(&mut command.tx, id)? else { return Ok(None) };
    let Some(open) = in_force((*command.tx).reborrow(), app, now, found)? else { return Ok(None) };
    let token = Secret::generate(app.entropy());
    invitation::set_digest(&mut command.tx, id, &digest(token.expose()))?;
    Ok(Some((letter(app, &open, &token), open.invitation.updated_at)))
}

fn letter(app: &App, open: &OpenInvitation, token: &Secret) -> Mail {
    let OpenInvitation { invitation, name, full_path, inviter_name, inviter_username } = open;
    let base = app.base_url();
    let (what, place) = match invitation.container {
        Container::Project(_) => ("project", app.links().page(full_path)),
        Container::Group(_) => ("group", app.links().group(full_path)),
    };
    let name = one_line(name);
    let until = invitation.expires_at.map(|day| format!(" until {}", day.format("%Y-%m-%d"))).unwrap_or_default();
    let text = format!(
        "{} (@{inviter_username}) invites you to the {what} {name} as {}{until}:\n\n{place}\n\n\
         To accept or decline, open this link:\n\n{base}/invites?invite_token={}\n\n\
         The link works once and expires on {}. If you do not expect this invitation, ignore this email.\n",
        one_line(inviter_name),
        invitation.level.name(),
        token.expose(),
        invitation.ends_at.format("%Y-%m-%d %H:%M UTC"),
    );
    let asked_at = invitation.updated_at;
    let id = app.mail_id(&format!("invitation_{}_{}", invitation.id, asked_at.timestamp_micros()));
    mail::plain(&invitation.address, format!("Invitation to the {what} {name}"), id, text, asked_at)
}
