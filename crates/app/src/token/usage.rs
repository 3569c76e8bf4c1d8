//! When tokens were last used: remembered in memory and written in bulk, so that a read stays a read.

use std::collections::HashMap;
use std::sync::Mutex;

use tenon_domain::id::TokenId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_domain::token::Token;

use crate::app::App;
use crate::error::AppError;

/// Uses closer together than this count as one.
const GRANULARITY: TimeDelta = TimeDelta::minutes(10);

/// Uses that are not in the database yet. A crash loses at most a few minutes of them.
#[derive(Default)]
pub(crate) struct Usage {
    seen: Mutex<HashMap<TokenId, Timestamp>>,
}

impl Usage {
    /// Notes that `token` was used.
    pub(crate) fn note(&self, token: &Token, now: Timestamp) {
        if token.last_used_at.is_some_and(|at| now - at < GRANULARITY) {
            return;
        }
        if let Ok(mut seen) = self.seen.lock() {
            seen.insert(token.id, now);
        }
    }

    fn take(&self) -> HashMap<TokenId, Timestamp> {
        self.seen.lock().map(|mut seen| std::mem::take(&mut *seen)).unwrap_or_default()
    }
}

/// Writes the noted uses down.
pub(crate) fn flush(app: &App) -> Result<(), AppError> {
    let seen = app.usage().take();
    let Some(latest) = seen.values().max().copied() else { return Ok(()) };
    let ids: Vec<TokenId> = seen.into_keys().collect();
    app.command(|command| Ok(tenon_storage::token::mark_used(&mut command.tx, &ids, latest)?))
}
