//! Mail about requests for access: to those who may approve one, and to who was denied. Who is approved gets the mail
//! about the new membership.

use serde::{Deserialize, Serialize};
use tenon_domain::access::AccessLevel;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_outbound::mail::Mail;
use tenon_storage::job::Queue;
use tenon_storage::{access_request, member, project, user};

use super::compose::address;
use super::room;
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::mail::{self, one_line};
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::reference::Reference;

/// Has the mails about a request sent: one to each of those who may approve it, or one to who was denied.
pub(super) fn notify(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(requester) = event.user else { return Ok(()) };
    let denied = event.kind == EventKind::AccessDenied;
    let readers = if denied { vec![requester] } else { approvers(command, event)? };
    let room = room(command, event.actor, readers.len())?;
    for reader in readers.into_iter().take(room) {
        let job = SendAccessRequestMail {
            project: event.project.map(ProjectId::get),
            group: event.namespace.map(NamespaceId::get),
            requester: requester.get(),
            denied,
            at: event.at.timestamp_micros(),
            user: reader.get(),
        };
        enqueue(command, &job)?;
    }
    Ok(())
}

/// Those who may approve a request: maintainers of the project, owners of the group.
fn approvers(command: &mut Command<'_>, event: &Event) -> Result<Vec<UserId>, AppError> {
    let most = i64::try_from(command.app.limits().mail.recipients).unwrap_or(i64::MAX);
    let today = command.today();
    let (home, level) = match (event.project, event.namespace) {
        (Some(id), _) => match project::find_placed(&mut command.tx, id)? {
            Some(placed) => (placed.home.id, AccessLevel::Maintainer),
            None => return Ok(Vec::new()),
        },
        (None, Some(group)) => (group, AccessLevel::Owner),
        (None, None) => return Ok(Vec::new()),
    };
    Ok(member::with_level(&mut command.tx, (home, event.project), level, today, most)?)
}

/// Sends one mail to one user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendAccessRequestMail {
    project: Option<i64>,
    group: Option<i64>,
    requester: i64,
    denied: bool,
    /// In microseconds since 1970.
    at: i64,
    /// Who gets it.
    user: i64,
}

impl Job for SendAccessRequestMail {
    const KIND: &'static str = "send_access_request_mail";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendAccessRequestMail {
    async fn run(self, app: &App) -> Result<(), AppError> {
        app.mail_to(UserId::new(self.user), self.at(), |query| self.mail(query))
    }
}

impl SendAccessRequestMail {
    fn at(&self) -> Timestamp {
        Timestamp::from_timestamp_micros(self.at).unwrap_or_default()
    }

    /// The mail to the calling user; `None` if the request was answered meanwhile, or if there is no address to send it to.
    fn mail(&self, query: &mut Query<'_>) -> Result<Option<Mail>, AppError> {
        let of = match (self.project, self.group) {
            (Some(id), _) => ContainerReference::Project(Reference::Id(id)),
            (None, Some(id)) => ContainerReference::Group(Reference::Id(id)),
            (None, None) => return Ok(None),
        };
        let (in_project, in_group) = if self.denied {
            (ProjectAction::Read, GroupAction::Read)
        } else {
            (ProjectAction::ManageMembers, GroupAction::Administer)
        };
        let found = AuthorizedContainer::find(query, &of, in_project, in_group)?;
        let requester = UserId::new(self.requester);
        let is_open = access_request::requested_at(&mut query.tx, found.container(), requester)?.is_some();
        let reader = query.user()?.clone();
        let (Some(to), false) = (address(query, &reader)?, is_open == self.denied) else { return Ok(None) };
        let links = query.app.links();
        let (what, name, page, members) = match &found {
            AuthorizedContainer::Project(found) => {
                let page = links.page(&found.full_path());
                ("project", one_line(&found.project.name), page.clone(), format!("{page}/project_members"))
            }
            AuthorizedContainer::Group(found) => {
                let page = links.group(&found.group.namespace.full_path);
                let members = format!("{page}/-/group_members");
                ("group", one_line(&found.group.namespace.name), page, members)
            }
        };
        let (subject, text) = if self.denied {
            let text = format!("Your request for access to the {what} {name} was denied.\n\n{page}\n");
            (format!("Access to the {what} {name} was denied"), text)
        } else {
            let Some(requester) = user::find(&mut query.tx, requester)? else { return Ok(None) };
            let (who, username) = (one_line(&requester.name), &requester.username);
            let text = format!(
                "{who} (@{username}) requests access to the {what} {name}.\n\nApprove or deny the request: {members}\n"
            );
            (format!("Request for access to the {what} {name}"), text)
        };
        let id = query.app.mail_id(&format!("access_request_{}_{}_{}", self.requester, reader.id, self.at));
        Ok(Some(mail::plain(&to, subject, id, text, self.at())))
    }
}
