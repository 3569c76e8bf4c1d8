//! The table of what the resources add to the application: kinds of jobs, and what follows from events.
//! `crate::registry` fills it in, so that nothing here knows a resource.

use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::ProjectId;
use tenon_domain::user::AccountDemand;
use tokio::runtime::Handle;

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::push_sessions::Pusher;
use crate::core::ref_update::RefUpdate;

/// All that the queue knows of one kind of jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handler {
    pub(crate) kind: &'static str,
    pub(crate) run: Run,
    pub(crate) give_up: fn(&str, &mut Command<'_>) -> Result<(), AppError>,
    pub(crate) enqueue: fn(&str, &mut Command<'_>) -> Result<(), AppError>,
}

/// How jobs of a kind are run, given the payload.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// In a transaction that is shared with others.
    Rows(fn(&str, &mut Command<'_>) -> Result<(), AppError>),
    /// On a thread that may block.
    Blocking(fn(&str, &App, &Handle) -> Result<(), AppError>),
}

/// The reaction to an event: it enqueues jobs, in the transaction of the relay.
pub(crate) type Reaction = fn(&mut Command<'_>, &Event) -> Result<(), AppError>;

/// The application's knowledge of the resources.
#[derive(Debug)]
pub(crate) struct Registry {
    /// All kinds of jobs.
    pub(crate) handlers: &'static [Handler],
    /// The reaction to events of a kind.
    pub(crate) reaction: fn(EventKind) -> Option<Reaction>,
    /// The reaction to events of a kind if the server sends mail.
    pub(crate) mail_reaction: fn(EventKind) -> Option<Reaction>,
    /// Asks for what is to be done each hour.
    pub(crate) hourly: fn(&mut Command<'_>) -> Result<(), AppError>,
    /// The demand on the user of a session before anything but the page for it.
    pub(crate) demanded_first: fn(&mut Query<'_>) -> Result<Option<AccountDemand>, AppError>,
    /// Does what a pusher is to see at once after refs were updated. Blocks: runs Git.
    pub(crate) refs_updated: fn(&App, ProjectId, &[RefUpdate], Option<Pusher>),
}

impl Registry {
    /// The handler of a kind. Fails if there is none: the job was queued by another version of the program.
    pub(crate) fn handler(&self, kind: &str) -> Result<&'static Handler, AppError> {
        let found = self.handlers.iter().find(|handler| handler.kind == kind);
        found.ok_or_else(|| AppError::internal(format!("no job is called {kind:?}")))
    }
}
