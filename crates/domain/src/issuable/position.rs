//! The positions of issues in the order in which users put them.
//!
//! A position is a number; smaller ones come first, and of equal ones the newer issue. An issue that no user has moved has a
//! position that follows from its id, so that newer ones come first. The position of one that was moved is odd: it
//! never equals an initial one. No issue but the moved one gets another position, unless there is no number left between
//! two others.

use crate::id::IssuableId;

/// The distance of the initial positions of two issues that follow each other.
pub const GAP: i64 = 1 << 24;

/// How many moved issues on either side of a place are spread to make room there: first few, and more if these lie close
/// together as well.
pub const SPREADS: [usize; 3] = [32, 256, 2_048];

/// The position of an issue that no user has moved.
#[must_use]
pub const fn initial(id: IssuableId) -> i64 {
    id.get().saturating_mul(-GAP)
}

/// The initial position at or before `position`.
#[must_use]
pub const fn cell(position: i64) -> i64 {
    position.div_euclid(GAP).saturating_mul(GAP)
}

/// An odd number between two positions, near their middle. `None` if there is none.
#[must_use]
pub fn between(before: i64, after: i64) -> Option<i64> {
    let middle = before.checked_add(after.checked_sub(before)? / 2)? | 1;
    [middle, middle.checked_sub(2)?].into_iter().find(|found| before < *found && *found < after)
}

/// The positions of so many issues that are spread between two positions, with room for another before and behind each.
/// `None` if there is no such room.
#[must_use]
pub fn spread(before: i64, after: i64, count: usize) -> Option<Vec<i64>> {
    let parts = i64::try_from(count).ok()?.checked_add(1)?;
    let step = after.checked_sub(before)? / parts;
    (step >= 4).then(|| (1..parts).map(|number| (before + number * step) | 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_issues_come_first() {
        assert!(initial(IssuableId::new(2)) < initial(IssuableId::new(1)));
        assert_eq!(initial(IssuableId::new(i64::MAX)), i64::MIN);
    }

    #[test]
    fn a_position_between_two_is_odd() {
        for (before, after, want) in [
            (0, GAP, Some(GAP / 2 + 1)),
            (0, 2, Some(1)),
            (1, 3, None),
            (1, 4, Some(3)),
            (-3, 0, Some(-1)),
            (-GAP, 0, Some(-GAP / 2 + 1)),
            (5, 6, None),
            (5, 5, None),
            (6, 5, None),
            (i64::MIN, i64::MAX, None),
        ] {
            assert_eq!(between(before, after), want, "{before} {after}");
        }
    }

    #[test]
    fn a_cell_begins_at_an_initial_position() {
        for (position, want) in [(0, 0), (1, 0), (GAP, GAP), (-1, -GAP), (-GAP, -GAP), (1 - GAP, -GAP)] {
            assert_eq!(cell(position), want);
        }
    }

    #[test]
    fn spread_positions_have_room_between_them() {
        for (before, after) in [(-GAP, 0), (-GAP + 1, -3), (0, 8_195), (1, 8_193), (-7, 8_190)] {
            for count in [0, 1, 2, 3, 1_000, 2_047] {
                let spread = spread(before, after, count).unwrap();
                let all: Vec<i64> = std::iter::once(before).chain(spread).chain([after]).collect();
                assert_eq!(all.len(), count + 2);
                assert!(all.windows(2).all(|pair| matches!(pair, [a, b] if between(*a, *b).is_some())), "{count}");
            }
        }
        for (before, after, count) in [(0, 7, 1), (0, 8_000, 2_047), (5, 5, 1), (6, 5, 1), (i64::MIN, i64::MAX, 1)] {
            assert_eq!(spread(before, after, count), None);
        }
    }
}
