//! Mail about an account and its access: to its user, or to the members of a project that has moved.

use serde::{Deserialize, Serialize};
use tenon_domain::container::Container;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, PipelineId, ProjectId, UserId};
use tenon_domain::notification_setting::{NotificationEvent, NotificationLevel, level_in_force};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_domain::user::{User, UserState};
use tenon_outbound::mail::Mail;
use tenon_storage::job::Queue;
use tenon_storage::{member, notification_setting, pipeline, project, user};

use super::compose::address;
use super::{approval, room};
use crate::core::app::{App, Command, Query, Reaction};
use crate::core::error::AppError;
use crate::core::mail::{self, one_line};
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::policy::reference::Reference;
use crate::shared::views::pipelines::may_see;

/// The reaction to an event about an account.
pub(super) fn reaction(kind: EventKind) -> Option<Reaction> {
    let about = About::of(kind)?;
    Some(match about {
        About::Welcome => notify_of_account,
        About::Deactivated => notify_of_deactivation,
        About::ProjectMoved => notify_members,
        About::Approved
        | About::SshKey
        | About::GpgKey
        | About::Email
        | About::SignIn
        | About::MemberAdded
        | About::MemberChanged
        | About::PipelineFailed
        | About::PipelineSucceeded => notify_user,
    })
}

/// The subject of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum About {
    Welcome,
    Approved,
    Deactivated,
    SshKey,
    GpgKey,
    Email,
    SignIn,
    MemberAdded,
    MemberChanged,
    ProjectMoved,
    PipelineFailed,
    PipelineSucceeded,
}

/// The kinds of events that mail is about.
const MAILED: [(EventKind, About); 12] = [
    (EventKind::UserCreated, About::Welcome),
    (EventKind::UserApproved, About::Approved),
    (EventKind::UserDeactivated, About::Deactivated),
    (EventKind::SshKeyCreated, About::SshKey),
    (EventKind::GpgKeyCreated, About::GpgKey),
    (EventKind::EmailCreated, About::Email),
    (EventKind::UserSignedInElsewhere, About::SignIn),
    (EventKind::MemberAdded, About::MemberAdded),
    (EventKind::MemberUpdated, About::MemberChanged),
    (EventKind::ProjectTransferred, About::ProjectMoved),
    (EventKind::PipelineFailed, About::PipelineFailed),
    (EventKind::PipelineSucceeded, About::PipelineSucceeded),
];

impl About {
    fn of(kind: EventKind) -> Option<Self> {
        MAILED.iter().find(|(known, _)| *known == kind).map(|(_, about)| *about)
    }

    /// True if the event says what it is about by a name.
    const fn is_named(self) -> bool {
        match self {
            Self::SshKey | Self::GpgKey | Self::Email | Self::SignIn => true,
            Self::Welcome
            | Self::Approved
            | Self::Deactivated
            | Self::MemberAdded
            | Self::MemberChanged
            | Self::ProjectMoved
            | Self::PipelineFailed
            | Self::PipelineSucceeded => false,
        }
    }

    /// True if any user can have others sent such mail, so that it counts against the budget of who does. Mails that
    /// users have sent to themselves are not counted.
    const fn is_by_others(self) -> bool {
        match self {
            Self::MemberAdded
            | Self::MemberChanged
            | Self::ProjectMoved
            | Self::PipelineFailed
            | Self::PipelineSucceeded => true,
            Self::Welcome
            | Self::Approved
            | Self::Deactivated
            | Self::SshKey
            | Self::GpgKey
            | Self::Email
            | Self::SignIn => false,
        }
    }

    /// True if users also hear of what they have done themselves: that it was done with their account may be news, and
    /// so is what became of it.
    const fn is_also_for_actor(self) -> bool {
        match self {
            Self::Deactivated
            | Self::SshKey
            | Self::GpgKey
            | Self::Email
            | Self::SignIn
            | Self::PipelineFailed
            | Self::PipelineSucceeded => true,
            Self::Welcome | Self::Approved | Self::MemberAdded | Self::MemberChanged | Self::ProjectMoved => false,
        }
    }
}

/// The event, as jobs carry it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Happened {
    about: About,
    actor: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<i64>,
    /// The pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<i64>,
    /// The title or fingerprint of a key, or an address, of mail or of a browser. It is not looked up when the mail is sent: what was added to do harm is soon
    /// removed again, and its owner is to hear of it all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// In microseconds since 1970.
    at: i64,
}

impl Happened {
    fn of(event: &Event) -> Option<Self> {
        let about = About::of(event.kind)?;
        Some(Self {
            about,
            actor: event.actor.map(UserId::get),
            project: event.project.map(ProjectId::get),
            group: event.namespace.map(NamespaceId::get),
            subject: event.detail.as_deref().filter(|_| !about.is_named()).and_then(|detail| detail.parse().ok()),
            name: event.detail.clone().filter(|_| about.is_named()),
            at: event.at.timestamp_micros(),
        })
    }

    fn at(&self) -> Timestamp {
        Timestamp::from_timestamp_micros(self.at).unwrap_or_default()
    }
}

fn notify_user(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let (Some(happened), Some(user)) = (Happened::of(event), event.user) else { return Ok(()) };
    // Users know what they have done themselves.
    let is_own = event.actor.is_none() || event.actor == Some(user);
    if is_own && !happened.about.is_also_for_actor() {
        return Ok(());
    }
    if !is_own && happened.about.is_by_others() && room(command, event.actor, 1)? == 0 {
        return Ok(());
    }
    enqueue(command, &SendAccountMail { happened, user: user.get() })
}

/// A new account is news to its user, if another one has made it, or to administrators, if it waits for them.
fn notify_of_account(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    if event.actor.is_none() {
        return approval::announce(command, event);
    }
    notify_user(command, event)
}

/// Notifies the user if the settings ask for it. The server itself deactivates accounts that were not used.
fn notify_of_deactivation(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    if command.query().settings()?.accounts.mails_deactivated { notify_user(command, event) } else { Ok(()) }
}

fn notify_members(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(happened) = Happened::of(event) else { return Ok(()) };
    enqueue(command, &NotifyMembers { happened })
}

/// Asks for a mail to each member of a project that has moved, but for those who want none at all.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NotifyMembers {
    #[serde(flatten)]
    happened: Happened,
}

impl Job for NotifyMembers {
    const KIND: &'static str = "notify_members";
    const QUEUE: Queue = Queue::Mail;

    fn charged_to(&self) -> Option<UserId> {
        self.happened.actor.map(UserId::new)
    }
}

impl AsyncJob for NotifyMembers {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let users = app.query(|query| members(query, &self.happened))?;
        app.command(|command| {
            let room = room(command, self.charged_to(), users.len())?;
            for user in users.iter().take(room) {
                enqueue(command, &SendAccountMail { happened: self.happened.clone(), user: user.get() })?;
            }
            Ok(())
        })
    }
}

fn members(query: &mut Query<'_>, happened: &Happened) -> Result<Vec<UserId>, AppError> {
    let Some(id) = happened.project.map(ProjectId::new) else { return Ok(Vec::new()) };
    let Some(placed) = project::find_placed(&mut query.tx, id)? else { return Ok(Vec::new()) };
    let today = query.today();
    let all = member::effective(&mut query.tx, placed.home.id, Some(id), today)?;
    let mut users: Vec<UserId> = all.into_iter().map(|member| member.user).collect();
    users.extend(placed.home.owner);
    users.sort_unstable();
    users.dedup();
    users.retain(|user| Some(user.get()) != happened.actor);
    users.truncate(query.app.limits().mail.recipients);
    let settings = notification_setting::in_order(&mut query.tx, &users, id, placed.home.id)?;
    let level = |user: &UserId| level_in_force(settings.get(user).map(Vec::as_slice).unwrap_or_default()).0;
    users.retain(|user| level(user) != NotificationLevel::Disabled);
    Ok(users)
}

/// Sends one mail to one user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendAccountMail {
    #[serde(flatten)]
    happened: Happened,
    user: i64,
}

impl Job for SendAccountMail {
    const KIND: &'static str = "send_account_mail";
    const QUEUE: Queue = Queue::Mail;

    fn charged_to(&self) -> Option<UserId> {
        self.happened.actor.map(UserId::new)
    }
}

impl AsyncJob for SendAccountMail {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let user = UserId::new(self.user);
        let at = self.happened.at();
        match self.happened.about {
            // The account acts no more.
            About::Deactivated => {
                app.send_composed(app.query(|query| compose_for_deactivated(query, user, &self.happened)), at)
            }
            About::Welcome
            | About::Approved
            | About::SshKey
            | About::GpgKey
            | About::Email
            | About::SignIn
            | About::MemberAdded
            | About::MemberChanged
            | About::ProjectMoved
            | About::PipelineFailed
            | About::PipelineSucceeded => app.mail_to(user, at, |query| {
                let reader = query.user()?.clone();
                compose(query, &reader, &self.happened)
            }),
        }
    }
}

/// The mail to a user whose account is deactivated; `None` if it is not any more.
fn compose_for_deactivated(query: &mut Query<'_>, user: UserId, happened: &Happened) -> Result<Option<Mail>, AppError> {
    let found = user::find(&mut query.tx, user)?.filter(|user| user.state == UserState::Deactivated);
    match found {
        Some(reader) => compose(query, &reader, happened),
        None => Ok(None),
    }
}

/// The mail to a user; `None` if there is nothing left to say, or no address to say it to.
fn compose(query: &mut Query<'_>, reader: &User, happened: &Happened) -> Result<Option<Mail>, AppError> {
    let Some(to) = address(query, reader)? else { return Ok(None) };
    let Some((subject, text)) = words(query, reader, happened)? else { return Ok(None) };
    let about = serde_json::to_value(happened.about).map_err(AppError::internal)?;
    let name = format!("{}_{}_{}", about.as_str().unwrap_or_default(), reader.id, happened.at);
    let id = query.app.mail_id(&name);
    Ok(Some(mail::plain(&to, subject, id, text, happened.at())))
}

/// Subject and text.
fn words(query: &mut Query<'_>, reader: &User, happened: &Happened) -> Result<Option<(String, String)>, AppError> {
    let base = query.app.base_url().to_owned();
    let host = mail::host(&base).to_owned();
    let own = |what: &str, page: &str| {
        let name = one_line(happened.name.as_deref().unwrap_or_default());
        let subject = format!("{what} was added to your account");
        let text = format!(
            "{what} was added to the account @{} on {base}:\n\n{name}\n\nIf this wasn't you, remove it: {base}{page}\n",
            reader.username,
        );
        (subject, text)
    };
    Ok(match happened.about {
        About::Welcome => Some((
            format!("Your account on {host}"),
            format!("An account was created for you on {base}.\n\nYour username is {}.\n", reader.username),
        )),
        About::Approved => Some((
            format!("Your account on {host} was approved"),
            format!("You can sign in now: {base}/users/sign_in\n\nYour username is {}.\n", reader.username),
        )),
        About::Deactivated => Some((
            format!("Your account on {host} was deactivated"),
            format!(
                "Your account @{} on {base} was deactivated. To activate it again, sign in: {base}/users/sign_in\n",
                reader.username,
            ),
        )),
        About::SshKey => Some(own("An SSH key", "/profile/keys")),
        About::GpgKey => Some(own("A GPG key", "/profile/gpg_keys")),
        About::Email => Some(own("An email address", "/profile/emails")),
        About::SignIn => Some((
            format!("Sign-in to {host} from a new address"),
            format!(
                "Someone has signed in to the account @{} on {base} at {} UTC, from an address that is not known as yours:\n\n{}\n\n\
                 If this wasn't you, change your password: {base}/profile/password/edit\n\n\
                 Your sessions: {base}/profile/active_sessions\n",
                reader.username,
                happened.at().format("%Y-%m-%d %H:%M"),
                one_line(happened.name.as_deref().unwrap_or_default()),
            ),
        )),
        About::MemberAdded | About::MemberChanged => about_membership(query, reader, happened)?,
        About::PipelineFailed => about_pipeline(query, reader, happened, "failed")?,
        About::PipelineSucceeded => about_pipeline(query, reader, happened, "succeeded")?,
        About::ProjectMoved => {
            let Some(id) = happened.project else { return Ok(None) };
            let found = query.project(&Reference::Id(id), ProjectAction::Read)?;
            let path = found.full_path();
            let page = query.app.links().page(&path);
            let name = one_line(&found.project.name);
            Some((format!("{name} | Project was moved"), format!("{name} is now {path}.\n\n{page}\n")))
        }
    })
}

fn about_membership(
    query: &mut Query<'_>,
    reader: &User,
    happened: &Happened,
) -> Result<Option<(String, String)>, AppError> {
    let (container, what, name, page) = match (happened.project, happened.group) {
        (Some(id), _) => {
            let found = query.project(&Reference::Id(id), ProjectAction::Read)?;
            let page = query.app.links().page(&found.full_path());
            (Container::Project(found.project.id), "project", found.project.name, page)
        }
        (None, Some(id)) => {
            let group = query.group(&Reference::Id(id), GroupAction::Read)?.group.namespace;
            let page = query.app.links().group(&group.full_path);
            (Container::Group(group.id), "group", group.name, page)
        }
        (None, None) => return Ok(None),
    };
    // It may have ended since.
    let Some(found) = member::find(&mut query.tx, container, reader.id)? else { return Ok(None) };
    let name = one_line(&name);
    let level = found.level.name();
    let by = match happened.actor.map(UserId::new) {
        Some(id) => user::find(&mut query.tx, id)?.map(|user| format!(" by @{}", user.username)),
        None => None,
    };
    let by = by.unwrap_or_default();
    let until = found.expires_at.map(|day| format!(" until {}", day.format("%Y-%m-%d"))).unwrap_or_default();
    Ok(Some(if happened.about == About::MemberAdded {
        (
            format!("Access to the {what} {name} was granted"),
            format!("You have been granted {level} access to the {what} {name}{until}{by}.\n\n{page}\n"),
        )
    } else {
        (
            format!("Access to the {what} {name} was changed"),
            format!("Your access to the {what} {name} was changed to {level}{until}{by}.\n\n{page}\n"),
        )
    }))
}

/// That a pipeline has ended, for the user who has set it going. Success is news only for those who have chosen it.
fn about_pipeline(
    query: &mut Query<'_>,
    reader: &User,
    happened: &Happened,
    how: &str,
) -> Result<Option<(String, String)>, AppError> {
    let (Some(project), Some(id)) = (happened.project, happened.subject) else { return Ok(None) };
    let found = query.project(&Reference::Id(project), ProjectAction::Read)?;
    if !may_see(&found) {
        return Ok(None);
    }
    let home = found.namespace.id;
    let settings = notification_setting::in_order(&mut query.tx, &[reader.id], found.project.id, home)?;
    let (level, chosen) = level_in_force(settings.get(&reader.id).map(Vec::as_slice).unwrap_or_default());
    let is_failure = happened.about == About::PipelineFailed;
    let event = if is_failure { NotificationEvent::FailedPipeline } else { NotificationEvent::SuccessPipeline };
    let is_wanted = match level {
        NotificationLevel::Custom => chosen.contains(event),
        NotificationLevel::Participating | NotificationLevel::Watch | NotificationLevel::Global => is_failure,
        NotificationLevel::Mention | NotificationLevel::Disabled => false,
    };
    let Some(of) = pipeline::find(&mut query.tx, found.project.id, PipelineId::new(id))?.filter(|_| is_wanted) else {
        return Ok(None);
    };
    let short: String = of.sha.chars().take(8).collect();
    let (name, pages) = (one_line(&found.project.name), query.app.links().pages(&found.full_path()));
    let subject = format!("{name} | Pipeline #{id} has {how} for {} | {short}", of.ref_name);
    let text = format!("Your pipeline #{id} for {} ({short}) has {how}.\n\n{pages}/pipelines/{id}\n", of.ref_name);
    Ok(Some((subject, text)))
}
