//! How many large bodies the server holds at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the large bodies in memory. Clones count together.
#[derive(Clone)]
pub(crate) struct LargeBodies {
    taken: Arc<AtomicUsize>,
    most: usize,
}

/// Room for one large body, given back when dropped.
pub(crate) struct Room(Arc<AtomicUsize>);

impl LargeBodies {
    /// Room for so many at a time.
    pub(crate) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// Room for one more, if there is any.
    pub(crate) fn enter(&self) -> Option<Room> {
        let taken = self.taken.fetch_add(1, Ordering::AcqRel);
        let room = Room(Arc::clone(&self.taken));
        // Where it was one too many, dropping the room takes it back.
        (taken < self.most).then_some(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_so_many_and_again_when_one_has_gone() {
        let bodies = LargeBodies::new(8);
        let mut rooms: Vec<Room> = std::iter::from_fn(|| bodies.enter()).collect();
        assert_eq!(rooms.len(), 8);
        rooms.pop();
        assert!(bodies.enter().is_some());
    }
}
