//! Sessions of browsers.

use crate::id::{SessionId, UserId};
use crate::time::{TimeDelta, Timestamp};

/// The longest description of a browser that is kept, in characters.
const LONGEST_USER_AGENT: usize = 255;

/// A browser in which a user has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Who has signed in.
    pub user: UserId,
    /// The address from which the user signed in.
    pub address: Option<String>,
    /// How the browser describes itself.
    pub user_agent: Option<String>,
    /// True if the cookie outlives the browser.
    pub remembered: bool,
    /// When the user signed in.
    pub created_at: Timestamp,
    /// When it was last renewed by a request.
    pub last_used_at: Timestamp,
    /// When it ends, if it is not used before.
    pub expires_at: Timestamp,
    /// The session of the administrator who acts as the user in this one; `None` if the user has signed in.
    pub impersonator: Option<SessionId>,
    /// Until when an administrator acts as such in it, if the settings ask to enter that mode. `None` if the user has not
    /// entered it, or has left it.
    pub admin_mode_until: Option<Timestamp>,
}

/// How long an administrator acts as another user at most. Such a session is not prolonged by its use.
pub const IMPERSONATION: TimeDelta = TimeDelta::hours(1);

/// How long an administrator acts as such after having entered that mode.
pub const ADMIN_MODE: TimeDelta = TimeDelta::hours(6);

impl Session {
    /// True if the user has entered the mode of administrators in this session, and it has not ended.
    #[must_use]
    pub fn is_in_admin_mode(&self, now: Timestamp) -> bool {
        self.admin_mode_until.is_some_and(|end| now < end)
    }

    /// True if a use now is to be written down: not before a tenth of its time has passed, so that not each request is.
    /// That of an administrator who acts as the user never is.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.impersonator.is_none() && now - self.last_used_at > (self.expires_at - self.last_used_at) / 10
    }
}

/// The lifetime of an unused session: the setting, in minutes, or two weeks at least if the user wants to be
/// remembered.
#[must_use]
pub fn lifetime(session_expire_delay: i64, remembered: bool) -> TimeDelta {
    const REMEMBERED: TimeDelta = TimeDelta::days(14);
    /// The lifetime if the setting says nothing useful.
    const ONE_WEEK: TimeDelta = TimeDelta::days(7);
    let by_setting = TimeDelta::try_minutes(session_expire_delay).filter(|delay| *delay > TimeDelta::zero());
    let by_setting = by_setting.unwrap_or(ONE_WEEK);
    if remembered { by_setting.max(REMEMBERED) } else { by_setting }
}

/// The part of a browser's description of itself that is kept.
#[must_use]
pub fn shortened_user_agent(sent: &str) -> String {
    sent.chars().filter(|c| !c.is_control()).take(LONGEST_USER_AGENT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_written_down_once_a_tenth_of_its_time_has_passed() {
        let start: Timestamp = "2026-11-23T12:00:00Z".parse().unwrap();
        let session = Session {
            id: SessionId::new(1),
            user: UserId::new(1),
            address: None,
            user_agent: None,
            remembered: false,
            created_at: start,
            last_used_at: start,
            expires_at: start + TimeDelta::minutes(100),
            impersonator: None,
            admin_mode_until: None,
        };
        assert!(!session.is_due(start + TimeDelta::minutes(10)));
        assert!(session.is_due(start + TimeDelta::minutes(11)));
        let impersonation = Session { impersonator: Some(SessionId::new(2)), ..session };
        assert!(!impersonation.is_due(start + TimeDelta::minutes(11)));
    }

    #[test]
    fn a_remembered_session_lasts_two_weeks_at_least() {
        assert_eq!(lifetime(60, false), TimeDelta::hours(1));
        assert_eq!(lifetime(60, true), TimeDelta::days(14));
        assert_eq!(lifetime(0, false), TimeDelta::days(7));
        assert_eq!(lifetime(-5, false), TimeDelta::days(7));
    }

    #[test]
    fn a_user_agent_is_cut_and_has_no_control_characters() {
        assert_eq!(shortened_user_agent("a\r\nb\0c"), "abc");
        assert_eq!(shortened_user_agent(&"ä".repeat(300)).chars().count(), 255);
    }
}
