//! The context of a use case: a transaction, the caller, and the time.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tenon_domain::access::Viewer;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::UserId;
use tenon_domain::issuable::Issuable;
use tenon_domain::refusal::AccessRefusal;
use tenon_domain::settings::Settings;
use tenon_domain::time::{Date, Timestamp};
use tenon_domain::user::User;
use tenon_storage::access::Levels;
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::{ReadTx, WriteTx};

use super::App;
use crate::core::caller::Caller;
use crate::core::error::AppError;
use crate::core::texts::Texts;

/// A use case that reads.
pub struct Query<'a> {
    pub(crate) tx: ReadTx<'a>,
    pub(crate) app: &'a App,
    /// Who is calling.
    pub caller: &'a Caller,
    /// The moment of the request.
    pub now: Timestamp,
    /// The processor time that formatting texts has taken.
    pub(crate) formatted: Cell<Duration>,
    /// The rows that were found last: a page asks several use cases about the same project and the same issue, on one
    /// snapshot.
    pub(crate) last: LastFound,
}

/// The rows that a query has found last, visible to the caller or not.
#[derive(Default)]
pub(crate) struct LastFound {
    /// A project, and what gives the caller access to it.
    pub(crate) project: Option<(ProjectWithNamespace, Levels)>,
    /// An issue or merge request, and whether the caller has written it or is assigned to it.
    pub(crate) issuable: Option<(Issuable, bool)>,
}

/// A use case that writes. Everything it does is committed together, or nothing is.
pub struct Command<'a> {
    pub(crate) tx: WriteTx<'a>,
    pub(crate) app: &'a App,
    /// Who is calling.
    pub caller: &'a Caller,
    /// The moment of the request.
    pub now: Timestamp,
    /// The names in the texts that it stores.
    pub(crate) texts: Texts<'a>,
    /// The names of the people whom it has called, in lower case.
    pub(crate) called: HashSet<String>,
}

impl<'a> Query<'a> {
    /// The query of `caller` on this snapshot.
    pub(crate) fn new(tx: ReadTx<'a>, app: &'a App, caller: &'a Caller, now: Timestamp) -> Self {
        Self { tx, app, caller, now, formatted: Cell::default(), last: LastFound::default() }
    }
}

impl Query<'_> {
    /// The caller as abilities see it.
    pub fn viewer(&self) -> Viewer {
        self.caller.viewer()
    }

    /// The signed-in user; 401 for anonymous callers.
    pub fn user(&self) -> Result<&User, AppError> {
        self.caller.user.as_deref().ok_or(AppError::Unauthenticated)
    }

    /// The present day: rows that expire on or before it have ended.
    pub(crate) fn today(&self) -> Date {
        self.now.date_naive()
    }

    /// The application settings in force.
    pub(crate) fn settings(&mut self) -> Result<Arc<Settings>, AppError> {
        Ok(tenon_storage::settings::load(&mut self.tx)?)
    }

    /// Refuses everybody but administrators.
    pub(crate) fn administrators_only(&self) -> Result<(), AppError> {
        if self.is_admin() { Ok(()) } else { Err(AppError::Forbidden) }
    }

    /// True if an administrator asks: some parameters are ignored for other callers.
    pub(crate) fn is_admin(&self) -> bool {
        self.viewer().is_admin()
    }
}

impl<'a> Command<'a> {
    /// The command of `caller` in this transaction.
    pub(crate) fn new(tx: WriteTx<'a>, app: &'a App, caller: &'a Caller, now: Timestamp) -> Self {
        Self { tx, app, caller, now, texts: Texts::InPlace, called: HashSet::new() }
    }
}

impl Command<'_> {
    /// The reading half, on the same transaction.
    pub fn query(&mut self) -> Query<'_> {
        Query::new((*self.tx).reborrow(), self.app, self.caller, self.now)
    }

    /// A query for another caller, on the same transaction.
    pub(crate) fn query_as<'q>(&'q mut self, other: &'q Caller) -> Query<'q> {
        Query::new((*self.tx).reborrow(), self.app, other, self.now)
    }

    /// The caller as abilities see it.
    pub fn viewer(&self) -> Viewer {
        self.caller.viewer()
    }

    /// The signed-in user; 401 for anonymous callers.
    pub fn user(&self) -> Result<&User, AppError> {
        self.caller.user.as_deref().ok_or(AppError::Unauthenticated)
    }

    /// Refused (403) if an administrator acts as the user: what would outlive that, as keys and tokens, and what only
    /// the user can promise.
    pub(crate) fn refuse_impersonated(&self) -> Result<(), AppError> {
        if self.caller.is_impersonated() {
            return Err(AccessRefusal::Impersonated.into());
        }
        Ok(())
    }

    /// The id of the signed-in user, for events.
    pub(crate) fn actor(&self) -> Option<UserId> {
        self.viewer().user()
    }

    /// The present day: rows that expire on or before it have ended.
    pub(crate) fn today(&self) -> Date {
        self.now.date_naive()
    }

    /// Runs `work` as a part of this command; the jobs that it asks for take the turn of `user`, if they name no other.
    pub(crate) fn charged_to<T>(&mut self, user: Option<UserId>, work: impl FnOnce(&mut Command<'_>) -> T) -> T {
        let app = self.app.charging(user);
        let (caller, now, texts) = (self.caller, self.now, self.texts);
        let people = std::mem::take(&mut self.called);
        let mut part = Command { tx: self.tx.reborrow(), app: &app, caller, now, texts, called: people };
        let done = work(&mut part);
        self.called = part.called;
        done
    }

    /// True if it may call a person of this name, who counts as called then: one request calls no more people than
    /// `people.called`. Who was called before may be called again.
    pub(crate) fn may_call(&mut self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let may = self.called.contains(&name) || self.called.len() < self.app.limits().people.called;
        if may {
            self.called.insert(name);
        }
        may
    }

    /// An event of this kind, now, by the caller.
    pub(crate) fn event(&self, kind: EventKind) -> Event {
        Event::new(kind, self.actor(), self.now)
    }

    /// Appends an event to the outbox. One from which no work follows costs the relay nothing.
    pub(crate) fn append(&mut self, event: &Event) -> Result<(), AppError> {
        let is_mailed = self.app.sends_mail() && (self.app.registry().mail_reaction)(event.kind).is_some();
        if is_mailed || (self.app.registry().reaction)(event.kind).is_some() {
            return Ok(tenon_storage::event::append(&mut self.tx, event)?);
        }
        Ok(tenon_storage::event::append_relayed(&mut self.tx, event)?)
    }
}
