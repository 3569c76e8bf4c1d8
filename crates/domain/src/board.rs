//! Boards: the issues of a project or group in lists by label.

use crate::container::Container;
use crate::field_errors::FieldErrors;
use crate::id::{BoardId, BoardListId};
use crate::label::Label;
use crate::time::Timestamp;

/// The longest name, in characters.
pub const MAX_NAME: usize = 255;

/// A board of a project or group. Before its lists it shows the open issues that are in none of them, and behind its
/// lists the closed issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The board's id.
    pub id: BoardId,
    /// The project or group that it belongs to.
    pub container: Container,
    /// Its name.
    pub name: String,
    /// True if it does not show the open issues that are in none of its lists.
    pub hides_open: bool,
    /// True if it does not show the closed issues.
    pub hides_closed: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Board {
    /// Notes what is wrong with the board.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.present("name", &self.name);
        errors.at_most(MAX_NAME, "name", &self.name);
    }
}

/// A list of a board: the open issues with a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardList {
    /// The list's id.
    pub id: BoardListId,
    /// The label.
    pub label: Label,
    /// When it was made or last moved.
    pub updated_at: Timestamp,
}

/// Moves the item at `from` to the place `to`, and those between by one. Yields false, and moves nothing, if the item is
/// there already or if there is no such place.
pub fn moved<T>(items: &mut Vec<T>, from: usize, to: i64) -> bool {
    let Some(to) = usize::try_from(to).ok().filter(|to| *to != from && *to < items.len() && from < items.len()) else {
        return false;
    };
    let item = items.remove(from);
    items.insert(to, item);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_between_move_by_one() {
        for (from, to, want) in [(0, 2, [2, 3, 1]), (2, 0, [3, 1, 2]), (1, 2, [1, 3, 2])] {
            let mut items = vec![1, 2, 3];
            assert!(moved(&mut items, from, to));
            assert_eq!(items, want);
        }
    }

    #[test]
    fn nothing_moves_to_its_own_place_or_to_none() {
        for (from, to) in [(1, 1), (1, -1), (1, 3), (1, i64::MIN), (1, i64::MAX), (3, 0)] {
            let mut items = vec![1, 2, 3];
            assert!(!moved(&mut items, from, to));
            assert_eq!(items, [1, 2, 3]);
        }
    }
}
