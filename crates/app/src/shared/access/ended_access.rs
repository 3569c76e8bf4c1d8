//! Memberships and keys that end with something else: with an account, a group, a project or their last day.
//!
//! Hooks of the whole server learn of each. If there are any, the rows go in batches, each in a transaction with its
//! events, before what they belong to: a crash in between loses no event and repeats none. If there are none, that is
//! one query, and the rows go in the cascade.

use tenon_domain::hook::{SystemEvent, Trigger};
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::page::PageRequest;
use tenon_storage::member::{self, Ending};
use tenon_storage::{deploy_key, hook, ssh_key, user};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::shared::access::system_event::{self, Key, Membership};

/// Rows that go in one transaction.
const BATCH: usize = 100;

/// The progress of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
}

fn after(count: usize) -> Progress {
    if count < BATCH { Progress::Done } else { Progress::More }
}

/// True if any hook of the whole server is there to learn of it.
pub(crate) fn is_heard(command: &mut Command<'_>) -> Result<bool, AppError> {
    Ok(hook::is_received(&mut command.tx, None, Trigger::System)?)
}

/// Ends memberships that end together; a batch of them.
pub(crate) fn end_some(command: &mut Command<'_>, which: Ending) -> Result<Progress, AppError> {
    let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
    let ended = member::ending(&mut command.tx, which, limit)?;
    for one in &ended {
        member::delete(&mut command.tx, one.container, one.user)?;
        system_event::of_member(command, Membership::Ended, one)?;
    }
    Ok(after(ended.len()))
}

/// Does `some` until all has gone, if a hook is there to learn of it.
fn all(app: &App, some: impl Fn(&mut Command<'_>) -> Result<Progress, AppError>) -> Result<(), AppError> {
    if !app.database().read(|tx| hook::is_received(tx, None, Trigger::System))? {
        return Ok(());
    }
    while app.command(&some)? == Progress::More {}
    Ok(())
}

/// Ends memberships before what they belong to.
pub(crate) fn end_memberships(app: &App, which: Ending) -> Result<(), AppError> {
    all(app, |command| end_some(command, which))
}

/// Ends the memberships of an account that is hidden in the same transaction.
pub(crate) fn end_memberships_of(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    if is_heard(command)? {
        while end_some(command, Ending::OfUser(user))? == Progress::More {}
    }
    Ok(())
}

/// Removes the keys of an account before the account.
pub(crate) fn end_keys(app: &App, owner: UserId) -> Result<(), AppError> {
    all(app, |command| {
        let Some(found) = user::by_ids(&mut command.tx, &[owner])?.remove(&owner) else { return Ok(Progress::Done) };
        let keys = ssh_key::list(&mut command.tx, owner, first_page())?.items;
        for key in &keys {
            ssh_key::delete(&mut command.tx, key.id)?;
            let (id, username) = (key.id.get(), Some(found.username.as_str()));
            let named = Key { id, text: &key.text, username, created_at: key.created_at };
            system_event::of_key(command, SystemEvent::KeyDestroy, named)?;
        }
        Ok(after(keys.len()))
    })
}

/// Closes a project to its deploy keys before it is removed. Those that open no other project go.
pub(crate) fn end_deploy_keys(app: &App, of: ProjectId) -> Result<(), AppError> {
    all(app, |command| {
        let keys = deploy_key::list_of(&mut command.tx, of, first_page())?.items;
        for key in keys.iter().map(|enabled| &enabled.key) {
            deploy_key::disable(&mut command.tx, of, key.id)?;
            if deploy_key::find(&mut command.tx, key.id)?.is_none() {
                let named = Key { id: key.id.get(), text: &key.text, username: None, created_at: key.created_at };
                system_event::of_key(command, SystemEvent::KeyDestroy, named)?;
            }
        }
        Ok(after(keys.len()))
    })
}

fn first_page() -> PageRequest {
    PageRequest::new(None, i64::try_from(BATCH).ok())
}
