//! How many large bodies the server holds at once, and how many of them one user sends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_domain::id::UserId;

/// Counts the large bodies in memory. Clones count together.
#[derive(Clone, Default)]
pub(crate) struct LargeBodies(Arc<Mutex<HashMap<UserId, usize>>>);

/// Room for one large body, given back when dropped.
pub(crate) struct Room {
    bodies: LargeBodies,
    user: UserId,
}

impl LargeBodies {
    /// Room for one more of a user, if there is any: at most `max` for all, and half of it for one.
    pub(crate) fn enter(&self, user: UserId, max: usize) -> Option<Room> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&user).copied().unwrap_or_default();
        if own >= max.div_ceil(2) || taken.values().sum::<usize>() >= max {
            return None;
        }
        taken.insert(user, own + 1);
        Some(Room { bodies: self.clone(), user })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut taken = self.bodies.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let bodies = LargeBodies::default();
        let all_of = |user| -> Vec<Room> { std::iter::from_fn(|| bodies.enter(UserId::new(user), 5)).collect() };
        let mut first = all_of(1);
        let second = all_of(2);
        assert_eq!((first.len(), second.len()), (3, 2));
        assert!(bodies.enter(UserId::new(3), 5).is_none());
        first.pop();
        assert!(bodies.enter(UserId::new(3), 5).is_some());
        drop((first, second));
        assert!(bodies.0.lock().unwrap().is_empty());
    }
}
