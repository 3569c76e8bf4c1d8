//! The work that each process does from time to time: writing down its notes, and removing expired rows.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tenon_domain::id::{SshKeyId, TokenId, UserId};
use tenon_domain::session::lifetime;
use tenon_storage::job::Queue;
use tenon_storage::{StoreResult, project, session, sign_in_challenge, ssh_key, token, user};
use tokio::sync::watch;

use super::runner::Pace;
use super::{Job, enqueue};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::usage::first_day;

/// Works until `stop` turns true. The notes of that moment are written as well.
pub(super) async fn run(app: App, pace: Pace, mut stop: watch::Receiver<bool>) {
    let mut flush = tokio::time::interval(pace.flush);
    let mut tidy = tokio::time::interval(pace.tidy);
    let mut settings = tokio::time::interval(pace.settings);
    while !*stop.borrow() {
        tokio::select! {
            _ = flush.tick() => {
                blocking(&app, "the use of tokens could not be written", flush_usage).await;
                end_idle(&app).await;
                app.end_idle_highlighter().await;
            }
            _ = settings.tick() => blocking(&app, "the settings could not be read", App::refresh_settings).await,
            _ = tidy.tick() => {
                blocking(&app, "expired rows could not be removed", purge_expired).await;
                blocking(&app, "the database's statistics could not be renewed", |app| Ok(app.database().analyse()?)).await;
            }
            changed = stop.changed() => {
                if changed.is_err() {
                    break;
                }
            }
        }
    }
    blocking(&app, "the use of tokens could not be written", flush_usage).await;
}

/// Runs `work` on a thread of its own. A failure is logged: it is tried again later.
async fn blocking(app: &App, failure: &'static str, work: fn(&App) -> Result<(), AppError>) {
    let app = app.clone();
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    if let Err(error) = done.unwrap_or_else(|panicked| Err(AppError::internal(panicked))) {
        tracing::warn!(%error, "{failure}");
    }
}

/// Ends processes of Git that wait for questions and were not asked for long.
async fn end_idle(app: &App) {
    let engine = app.repositories().store.engine().clone();
    let ended = tokio::task::spawn_blocking(move || engine.end_idle(Instant::now())).await;
    if let Err(error) = ended {
        tracing::warn!(%error, "idle processes of Git could not be ended");
    }
}

/// Removes sessions and sign-ins that have expired, and counts of old fetches. If there are none, nothing is written.
fn purge_expired(app: &App) -> Result<(), AppError> {
    let now = app.now();
    let first = first_day(now.date_naive());
    let any = app.database().read(|tx| -> StoreResult<_> {
        let any = session::any_expired(tx, now)? || sign_in_challenge::any_expired(tx, now)?;
        Ok(any || project::any_fetches_before(tx, first)?)
    })?;
    if !any {
        return Ok(());
    }
    app.command(|command| {
        session::purge_expired(&mut command.tx, now)?;
        sign_in_challenge::purge_expired(&mut command.tx, now)?;
        project::purge_fetches(&mut command.tx, first)?;
        Ok(())
    })
}

/// Does what the settings say about a user who has downloaded more projects than they allow.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FollowDownloads {
    pub(crate) user: i64,
}

impl Job for FollowDownloads {
    const KIND: &'static str = "follow_downloads";
    const QUEUE: Queue = Queue::Short;
}

/// Writes when tokens, keys, sessions and accounts were last used and how often projects were fetched, which is remembered in memory until then. A running
/// server does so every few seconds. Blocks; fails if the database does.
pub fn flush_usage(app: &App) -> Result<(), AppError> {
    // By themselves: a project may be removed concurrently, and the other notes are not lost with them.
    let fetches = app.usage().take_fetches();
    if !fetches.is_empty() {
        app.command(|command| Ok(project::count_fetches(&mut command.tx, &fetches)?))?;
    }
    let downloaders = app.take_downloaders();
    if !downloaders.is_empty() {
        app.command(|command| {
            downloaders.iter().try_for_each(|user| enqueue(command, &FollowDownloads { user: user.get() }))
        })?;
    }
    let noted = app.usage().take();
    let used = noted.tokens.values().max().copied();
    let key_used = noted.keys.values().max().copied();
    let day = noted.users.values().max().copied();
    if used.is_none() && key_used.is_none() && day.is_none() && noted.sessions.is_empty() {
        return Ok(());
    }
    let tokens: Vec<TokenId> = noted.tokens.into_keys().collect();
    let keys: Vec<SshKeyId> = noted.keys.into_keys().collect();
    let users: Vec<UserId> = noted.users.into_keys().collect();
    app.command(|command| {
        if let Some(at) = used {
            token::mark_used(&mut command.tx, &tokens, at)?;
        }
        if let Some(at) = key_used {
            ssh_key::mark_used(&mut command.tx, &keys, at)?;
        }
        if let Some(day) = day {
            user::mark_active(&mut command.tx, &users, day)?;
        }
        let delay = command.query().settings()?.session_expire_delay;
        for (id, used) in noted.sessions {
            session::renew(&mut command.tx, id, used.at, used.at + lifetime(delay, used.remembered))?;
        }
        Ok(())
    })
}
