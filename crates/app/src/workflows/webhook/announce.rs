//! Mail to those who look after a hook that has failed for long: maintainers of its project, or administrators.

use serde::{Deserialize, Serialize};
use tenon_domain::access::AccessLevel;
use tenon_domain::hook::DeliveryState;
use tenon_domain::id::{HookId, ProjectId, UserId};
use tenon_domain::notification_setting::{NotificationLevel, level_in_force};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_outbound::mail::Mail;
use tenon_storage::hook::{self, Target};
use tenon_storage::job::Queue;
use tenon_storage::{member, notification_setting, project, user};

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::mail;
use crate::jobs::{AsyncJob, Job, RowJob, enqueue};
use crate::policy::reference::Reference;
use crate::workflows::notification::address;

/// Finds out who is to hear of a hook that fails, and asks for their mails.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnnounceFailingHook {
    pub(crate) hook: i64,
    /// Since when it fails, in microseconds since 1970.
    pub(crate) since: i64,
}

impl Job for AnnounceFailingHook {
    const KIND: &'static str = "announce_failing_hook";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for AnnounceFailingHook {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let Some(target) = still_failing(&mut command.query(), self.hook, self.since)? else { return Ok(()) };
        for user in caretakers(&mut command.query(), target.hook.project)? {
            enqueue(command, &SendFailingHook { hook: self.hook, since: self.since, user: user.get() })?;
        }
        Ok(())
    }
}

/// The hook or service, if it has failed all the time since then.
fn still_failing(query: &mut Query<'_>, hook: i64, since: i64) -> Result<Option<Target>, AppError> {
    let found = hook::target(&mut query.tx, HookId::new(hook))?;
    Ok(found.filter(|target| target.hook.health.failing_since.is_some_and(|at| at.timestamp_micros() == since)))
}

/// Who manages the hooks of a project, or of the whole server, but for those who want no mail.
fn caretakers(query: &mut Query<'_>, of: Option<ProjectId>) -> Result<Vec<UserId>, AppError> {
    let most = i64::try_from(query.app.limits().mail.recipients).unwrap_or(i64::MAX);
    let Some(project) = of else { return Ok(user::admins(&mut query.tx, most)?) };
    let Some(placed) = project::find_placed(&mut query.tx, project)? else { return Ok(Vec::new()) };
    let (home, today) = (placed.home.id, query.today());
    let tx = &mut query.tx;
    let mut found = member::with_level(tx, (home, Some(project)), AccessLevel::Maintainer, today, most)?;
    let settings = notification_setting::in_order(tx, &found, project, home)?;
    found.retain(|user| {
        let of_user = settings.get(user).map(Vec::as_slice).unwrap_or_default();
        level_in_force(of_user).0 != NotificationLevel::Disabled
    });
    Ok(found)
}

/// Sends the mail to one of them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendFailingHook {
    hook: i64,
    since: i64,
    user: i64,
}

impl Job for SendFailingHook {
    const KIND: &'static str = "send_failing_hook";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendFailingHook {
    async fn run(self, app: &App) -> Result<(), AppError> {
        // It may have recovered, or the user may not manage it any more.
        app.mail_to(UserId::new(self.user), self.since(), |query| self.mail(query))
    }
}

impl SendFailingHook {
    fn since(&self) -> Timestamp {
        Timestamp::from_timestamp_micros(self.since).unwrap_or_default()
    }

    /// The mail to the calling user; `None` if there is nothing to say any more, or no address to say it to.
    fn mail(&self, query: &mut Query<'_>) -> Result<Option<Mail>, AppError> {
        let Some(target) = still_failing(query, self.hook, self.since)? else { return Ok(None) };
        let place = match target.hook.project {
            Some(id) => query.project(&Reference::Id(id.get()), ProjectAction::ManageHooks)?.full_path(),
            None if query.is_admin() => query.app.base_url().to_owned(),
            None => return Err(AppError::Forbidden),
        };
        let reader = query.user()?.clone();
        let Some(to) = address(query, &reader)? else { return Ok(None) };
        let counts = hook::count_open(&mut query.tx, &[target.hook.id])?;
        let count = |state| counts.get(&(target.hook.id, state)).copied().unwrap_or_default();
        let waiting = count(DeliveryState::Waiting) + count(DeliveryState::Retrying);
        let (what, name, more) = if target.service.is_some() {
            ("service", target.hook.name.clone(), String::new())
        } else {
            // A URL may hold what only its receiver is to know.
            let origin = url::Url::parse(&target.hook.url).map(|url| url.origin().ascii_serialization());
            let more = match origin {
                Ok(origin) => format!(" Its receiver is at {origin}; the log of the hook shows what that answers."),
                // The host is the value of a variable.
                Err(_) => " The log of the hook shows what its receiver answers.".to_owned(),
            };
            ("hook", target.hook.id.to_string(), more)
        };
        let text = format!(
            "The {what} {name} of {place} has not delivered anything since {}.{more}\n\n\
             {waiting} deliveries wait, {} are parked: they were refused, or failed for a day, and are sent again only on request.\n\n\
             This is said once, until a delivery succeeds.\n",
            self.since().format("%Y-%m-%d %H:%M UTC"),
            count(DeliveryState::Parked),
        );
        let id = query.app.mail_id(&format!("failing_hook_{}_{}", self.hook, self.since));
        Ok(Some(mail::plain(&to, format!("A {what} of {place} fails"), id, text, self.since())))
    }
}
