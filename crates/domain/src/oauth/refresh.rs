//! Refresh tokens of a grant: each works once, and one that comes a second time within moments of the first was not stolen.

use crate::time::{TimeDelta, Timestamp};

/// The most tokens that were replaced and are remembered.
const REMEMBERED: usize = 16;

/// The refresh tokens of one grant, by their digests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefreshTokens {
    /// The one that works.
    pub current: Option<String>,
    /// Those that were replaced last, the newest first.
    pub replaced: Vec<ReplacedRefresh>,
}

/// A refresh token that works no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedRefresh {
    /// Its digest.
    pub digest: String,
    /// When another one took its place.
    pub at: Timestamp,
}

/// The consequence of a refresh token that is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshUse {
    /// It is the one that works.
    Current,
    /// It was replaced a moment ago: another thread of the same client was faster. It is refused, and nothing ends.
    JustReplaced,
    /// It was replaced before, or never issued: the grant ends.
    Stale,
}

impl RefreshTokens {
    /// The consequence of the token with this digest. For `grace` after it was replaced, a token ends nothing.
    #[must_use]
    pub fn used(&self, digest: &str, now: Timestamp, grace: TimeDelta) -> RefreshUse {
        if self.current.as_deref() == Some(digest) {
            return RefreshUse::Current;
        }
        let is_known = self.replaced.iter().any(|known| known.digest == digest && now < known.at + grace);
        if is_known { RefreshUse::JustReplaced } else { RefreshUse::Stale }
    }

    /// The tokens after `digest` has taken the place of the current one. Those that were replaced longer than `grace` ago are forgotten.
    #[must_use]
    pub fn replaced_by(self, digest: String, now: Timestamp, grace: TimeDelta) -> Self {
        let earlier = self.replaced.into_iter().filter(|known| now < known.at + grace);
        let last = self.current.map(|digest| ReplacedRefresh { digest, at: now });
        Self { current: Some(digest), replaced: last.into_iter().chain(earlier).take(REMEMBERED).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::default() + TimeDelta::seconds(seconds)
    }

    #[test]
    fn a_token_that_was_just_replaced_ends_nothing() {
        let grace = TimeDelta::seconds(30);
        let tokens = RefreshTokens::default().replaced_by("a".into(), at(0), grace);
        assert_eq!(tokens.used("a", at(1_000), grace), RefreshUse::Current);
        let tokens = tokens.replaced_by("b".into(), at(100), grace).replaced_by("c".into(), at(110), grace);
        for (digest, now, want) in [
            ("c", 110, RefreshUse::Current),
            ("b", 110, RefreshUse::JustReplaced),
            ("b", 139, RefreshUse::JustReplaced),
            ("b", 140, RefreshUse::Stale),
            ("a", 129, RefreshUse::JustReplaced),
            ("a", 130, RefreshUse::Stale),
            ("z", 110, RefreshUse::Stale),
        ] {
            assert_eq!(tokens.used(digest, at(now), grace), want, "{digest} at {now}");
        }
        assert_eq!(tokens.used("b", at(110), TimeDelta::zero()), RefreshUse::Stale, "without a grace");
    }

    #[test]
    fn few_replaced_tokens_are_remembered() {
        let grace = TimeDelta::seconds(30);
        let tokens = (0..100_i64)
            .fold(RefreshTokens::default(), |tokens, number| tokens.replaced_by(number.to_string(), at(0), grace));
        assert_eq!((tokens.replaced.len(), tokens.used("98", at(0), grace)), (REMEMBERED, RefreshUse::JustReplaced));
        let later = tokens.replaced_by("x".into(), at(31), grace);
        assert_eq!(later.replaced.len(), 1, "only the last one");
    }
}
