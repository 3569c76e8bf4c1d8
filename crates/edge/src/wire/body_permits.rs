//! Permits for large bodies: the server holds a few at once, and one user sends at most half of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_domain::id::UserId;

/// Counts the large bodies in memory. Clones share the count.
#[derive(Clone, Default)]
pub struct BodyPermits(Arc<Mutex<HashMap<UserId, usize>>>);

/// The right to send one large body, given back when dropped.
pub struct BodyPermit {
    permits: BodyPermits,
    user: UserId,
}

impl BodyPermits {
    /// A permit for one more body of a user; `None` if all users have `max` already, or this user half of it.
    pub fn try_acquire(&self, user: UserId, max: usize) -> Option<BodyPermit> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&user).copied().unwrap_or_default();
        if own >= max.div_ceil(2) || taken.values().sum::<usize>() >= max {
            return None;
        }
        taken.insert(user, own + 1);
        Some(BodyPermit { permits: self.clone(), user })
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        let mut taken = self.permits.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.user) {
            Some(own) if *own > 1 => *own -= 1,
            Some(_) | None => drop(taken.remove(&self.user)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_gets_half_of_the_room_and_again_when_one_body_has_gone() {
        let bodies = BodyPermits::default();
        let all_of =
            |user| -> Vec<BodyPermit> { std::iter::from_fn(|| bodies.try_acquire(UserId::new(user), 5)).collect() };
        let mut first = all_of(1);
        let second = all_of(2);
        assert_eq!((first.len(), second.len()), (3, 2));
        assert!(bodies.try_acquire(UserId::new(3), 5).is_none());
        first.pop();
        assert!(bodies.try_acquire(UserId::new(3), 5).is_some());
        drop((first, second));
        assert!(bodies.0.lock().unwrap().is_empty());
    }
}
