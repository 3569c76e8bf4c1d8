//! When tokens, SSH keys and sessions were last used, when accounts were last active with Git, and how often projects were fetched:
//! remembered in memory and written in bulk, so that a read stays a read.

use std::collections::HashMap;
use std::sync::Mutex;

use tenon_domain::id::{ProjectId, SessionId, SshKeyId, TokenId, UserId};
use tenon_domain::session::Session;
use tenon_domain::ssh_key::SshKey;
use tenon_domain::time::{Date, TimeDelta, Timestamp};
use tenon_domain::token::Token;
use tenon_domain::user::User;

/// Uses closer together than this count as one.
const GRANULARITY: TimeDelta = TimeDelta::minutes(10);
/// As [`GRANULARITY`], of keys: Git asks for one several times in a row.
const KEY_GRANULARITY: TimeDelta = TimeDelta::hours(1);

/// Uses that are not in the database yet. They are written every few seconds; a crash loses those since the last time.
#[derive(Default)]
pub(crate) struct Usage {
    seen: Mutex<HashMap<TokenId, Timestamp>>,
    keys: Mutex<HashMap<SshKeyId, Timestamp>>,
    active: Mutex<HashMap<UserId, Date>>,
    sessions: Mutex<HashMap<SessionId, UsedSession>>,
    fetches: Mutex<HashMap<(ProjectId, Date), i64>>,
}

/// The most days of projects that are counted between two writes. Fetches of further ones are not counted.
const MOST_FETCHED: usize = 10_000;

/// A session that goes on because it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UsedSession {
    pub(crate) at: Timestamp,
    pub(crate) remembered: bool,
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

    /// Notes that Git was used with `key`.
    pub(crate) fn note_key(&self, key: &SshKey, now: Timestamp) {
        if key.last_used_at.is_some_and(|at| now - at < KEY_GRANULARITY) {
            return;
        }
        if let Ok(mut keys) = self.keys.lock() {
            keys.insert(key.id, now);
        }
    }

    /// Notes that `session` was used.
    pub(crate) fn note_session(&self, session: &Session, now: Timestamp) {
        if !session.is_due(now) {
            return;
        }
        if let Ok(mut sessions) = self.sessions.lock() {
            sessions.insert(session.id, UsedSession { at: now, remembered: session.remembered });
        }
    }

    /// Notes that `user` was active. Only the day counts.
    pub(crate) fn note_activity(&self, user: &User, now: Timestamp) {
        let today = now.date_naive();
        if user.last_activity_on.is_some_and(|day| day >= today) {
            return;
        }
        if let Ok(mut active) = self.active.lock() {
            active.insert(user.id, today);
        }
    }

    /// Notes that a project was fetched.
    pub(crate) fn note_fetch(&self, project: ProjectId, now: Timestamp) {
        let Ok(mut fetches) = self.fetches.lock() else { return };
        let is_full = fetches.len() >= MOST_FETCHED;
        match fetches.get_mut(&(project, now.date_naive())) {
            Some(count) => *count = count.saturating_add(1),
            None if is_full => {}
            None => drop(fetches.insert((project, now.date_naive()), 1)),
        }
    }

    /// The fetches since the last call.
    pub(crate) fn take_fetches(&self) -> Vec<(ProjectId, Date, i64)> {
        take(&self.fetches).into_iter().map(|((project, day), count)| (project, day, count)).collect()
    }

    /// The notes since the last call.
    pub(crate) fn take(&self) -> Noted {
        Noted {
            tokens: take(&self.seen),
            keys: take(&self.keys),
            users: take(&self.active),
            sessions: take(&self.sessions),
        }
    }
}

/// Days for which fetches are counted, today included.
const FETCH_DAYS: i64 = 30;

/// The first of the days for which fetches are counted.
pub(crate) fn first_day(today: Date) -> Date {
    today.checked_sub_signed(TimeDelta::days(FETCH_DAYS - 1)).unwrap_or(today)
}

/// Uses that are to be written.
pub(crate) struct Noted {
    pub(crate) tokens: HashMap<TokenId, Timestamp>,
    pub(crate) keys: HashMap<SshKeyId, Timestamp>,
    pub(crate) users: HashMap<UserId, Date>,
    pub(crate) sessions: HashMap<SessionId, UsedSession>,
}

fn take<K, V>(noted: &Mutex<HashMap<K, V>>) -> HashMap<K, V> {
    noted.lock().map(|mut noted| std::mem::take(&mut *noted)).unwrap_or_default()
}
