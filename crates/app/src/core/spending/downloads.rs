//! The projects that users have downloaded lately, in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::settings::DownloadLimit;

use crate::core::clock::Clock;

/// Downloads of all users that are remembered at once: one for each project of a user.
const REMEMBERED: usize = 100_000;
/// Users beyond the limit that are remembered until they are taken.
const MOST_TAKEN: usize = 1_000;

/// Who has downloaded what, and when last.
pub(crate) struct Downloads {
    counted: Mutex<Counted>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Counted {
    users: HashMap<UserId, HashMap<ProjectId, Duration>>,
    /// The projects of all users.
    remembered: usize,
    /// Users who have downloaded more than they may.
    beyond: Vec<UserId>,
}

impl Downloads {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { counted: Mutex::default(), clock }
    }

    /// Counts a download of `project`. A user who has downloaded more projects than the limit is counted anew from then on.
    pub(crate) fn note(&self, user: UserId, project: ProjectId, limit: DownloadLimit) {
        let now = self.clock.elapsed();
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.remembered >= REMEMBERED {
            counted.forget(|at| now.saturating_sub(at) < limit.within);
        }
        let own = counted.users.entry(user).or_default();
        let before = own.len();
        own.retain(|_, at| now.saturating_sub(*at) < limit.within);
        own.insert(project, now);
        let is_beyond = own.len() > limit.projects;
        if is_beyond {
            own.clear();
        }
        let after = own.len();
        counted.remembered = (counted.remembered + after).saturating_sub(before);
        if is_beyond {
            counted.users.remove(&user);
            if counted.beyond.len() < MOST_TAKEN && !counted.beyond.contains(&user) {
                counted.beyond.push(user);
            }
        }
    }

    /// The users who have downloaded more than they may since the last call.
    pub(crate) fn take_beyond(&self) -> Vec<UserId> {
        std::mem::take(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner).beyond)
    }
}

impl Counted {
    /// Drops what does not count any more; all of it, if that is not enough.
    fn forget(&mut self, is_current: impl Fn(Duration) -> bool) {
        for own in self.users.values_mut() {
            own.retain(|_, at| is_current(*at));
        }
        self.users.retain(|_, own| !own.is_empty());
        self.remembered = self.users.values().map(HashMap::len).sum();
        if self.remembered >= REMEMBERED {
            self.users.clear();
            self.remembered = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::time::Timestamp;

    use super::*;

    /// A clock that a test moves.
    #[derive(Default)]
    struct Hand(Mutex<Duration>);

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH + self.elapsed()
        }

        fn elapsed(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    const LIMIT: DownloadLimit = DownloadLimit { projects: 2, within: Duration::from_mins(1) };

    #[test]
    fn different_projects_count_within_the_time() {
        let hand = Arc::new(Hand::default());
        let downloads = Downloads::new(hand.clone());
        let note = |user, project| downloads.note(UserId::new(user), ProjectId::new(project), LIMIT);
        for project in [1, 2, 2, 1] {
            note(1, project);
        }
        note(2, 3);
        assert_eq!(downloads.take_beyond(), []);
        *hand.0.lock().unwrap() += LIMIT.within;
        note(1, 3);
        assert_eq!(downloads.take_beyond(), [], "the others are too old");
        note(1, 4);
        note(1, 5);
        assert_eq!(downloads.take_beyond(), [UserId::new(1)]);
        note(1, 6);
        note(1, 7);
        assert_eq!(downloads.take_beyond(), [], "counted anew");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let downloads = Downloads::new(Arc::new(Hand::default()));
        let limit = DownloadLimit { projects: 10_000, ..LIMIT };
        for user in 0..21 {
            for project in 0..5_000 {
                downloads.note(UserId::new(user), ProjectId::new(project), limit);
            }
        }
        let counted = downloads.counted.lock().unwrap();
        assert_eq!(counted.remembered, counted.users.values().map(HashMap::len).sum::<usize>());
        assert!(counted.remembered <= REMEMBERED);
    }
}
