//! Requests of devices that have no browser (RFC 8628): the device shows a code, which the user enters on another one.

use crate::id::{ApplicationId, DeviceGrantId, UserId};
use crate::time::{TimeDelta, Timestamp};
use crate::token::Scopes;

/// Letters of a user code: consonants only, so that no code is a word.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Letters in each half of a user code: 34 bits in both.
const HALF: usize = 4;

/// The request of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceGrant {
    /// Unique on the server.
    pub id: DeviceGrantId,
    /// The application on the device.
    pub application: ApplicationId,
    /// The scopes that it asks for.
    pub scopes: Scopes,
    /// The code that the user enters.
    pub user_code: UserCode,
    /// The decision of the user; `None` until then.
    pub decision: Option<DeviceDecision>,
    /// When the device has asked for its tokens last.
    pub polled_at: Option<Timestamp>,
    /// When the codes end.
    pub expires_at: Timestamp,
}

/// The decision of a user about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceDecision {
    /// This user allows it.
    Approved(UserId),
    /// The user does not.
    Denied,
}

/// The answer to a device that asks for its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DevicePoll {
    /// Its time is over.
    Expired,
    /// It asks more often than it may.
    TooSoon,
    /// The user has not decided.
    Pending,
    /// The user has.
    Decided(DeviceDecision),
}

impl DeviceGrant {
    /// The answer to the device at this time. It may ask once in `interval`.
    #[must_use]
    pub fn poll(&self, now: Timestamp, interval: TimeDelta) -> DevicePoll {
        if now >= self.expires_at {
            return DevicePoll::Expired;
        }
        match self.decision {
            Some(decision) => DevicePoll::Decided(decision),
            None if self.polled_at.is_some_and(|last| now < last + interval) => DevicePoll::TooSoon,
            None => DevicePoll::Pending,
        }
    }
}

/// The code that a device shows, such as `BCDF-GHJK`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCode(String);

impl UserCode {
    /// The code of these random bytes, one letter for each byte. The first sixteen letters are a little more frequent, since 256
    /// is no multiple of twenty.
    #[must_use]
    pub fn of(random: [u8; 2 * HALF]) -> Self {
        let letter = |byte: u8| LETTERS.get(usize::from(byte) % LETTERS.len()).copied().unwrap_or(b'B');
        let (first, second) = random.split_at(HALF);
        let half = |bytes: &[u8]| bytes.iter().map(|byte| char::from(letter(*byte))).collect::<String>();
        Self(format!("{}-{}", half(first), half(second)))
    }

    /// Reads what a user has typed, in letters of any case and with anything between them; `None` if it is no code.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let letters: String = typed.chars().filter(char::is_ascii_alphanumeric).take(2 * HALF + 1).collect();
        let letters = letters.to_ascii_uppercase();
        let is_code = letters.len() == 2 * HALF && letters.bytes().all(|letter| LETTERS.contains(&letter));
        is_code.then(|| {
            let (first, second) = letters.split_at(HALF);
            Self(format!("{first}-{second}"))
        })
    }

    /// The code as it is shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = UserCode::of([0, 1, 2, 3, 23, 39, 255, 20]);
        assert_eq!(code.as_str(), "BCDF-FZTB");
        for typed in ["BCDF-FZTB", "bcdffztb", " bcdf fztb ", "B-C-D-F-F-Z-T-B"] {
            assert_eq!(UserCode::parse(typed), Some(code.clone()), "{typed}");
        }
        for typed in ["", "BCDF-FZT", "BCDF-FZTBB", "ACDF-FZTB", "BCDF-FZT1", "ßCDF-FZTB"] {
            assert_eq!(UserCode::parse(typed), None, "{typed}");
        }
    }

    #[test]
    fn a_device_waits_for_its_user_and_for_its_turn() {
        let now = Timestamp::from_timestamp(1_000_000, 0).unwrap();
        let five = TimeDelta::seconds(5);
        let asks = DeviceGrant {
            id: DeviceGrantId::new(1),
            application: ApplicationId::new(1),
            scopes: Scopes::new([crate::token::Scope::Api]),
            user_code: UserCode::of([0; 8]),
            decision: None,
            polled_at: None,
            expires_at: now + TimeDelta::seconds(300),
        };
        let user = DeviceDecision::Approved(UserId::new(1));
        let polled = DeviceGrant { polled_at: Some(now), ..asks.clone() };
        assert_eq!(asks.poll(now, five), DevicePoll::Pending);
        assert_eq!(polled.poll(now + TimeDelta::seconds(4), five), DevicePoll::TooSoon);
        assert_eq!(polled.poll(now + five, five), DevicePoll::Pending);
        let approved = DeviceGrant { decision: Some(user), ..polled };
        assert_eq!(approved.poll(now + TimeDelta::seconds(1), five), DevicePoll::Decided(user));
        assert_eq!(approved.poll(now + TimeDelta::seconds(300), five), DevicePoll::Expired);
    }
}
