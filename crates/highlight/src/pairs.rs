//! The pairs of a removed line of a hunk and the added line that replaces it.

use std::time::Instant;

use crate::tokens::{Bag, LEAST_SIMILAR, is_too_long, similarity, tokens};

/// The most pairs of one hunk that are weighed against each other; in a larger one, lines are paired by their places.
const MAX_WEIGHED: usize = 2_500;
/// The least similarity of lines that are paired by their places without regard to the others.
const NEARLY_SAME: f32 = 0.75;

/// Pairs of a removed and an added line, both by their places and in order. Of all ways to pair lines without crossing, this
/// one has the most in common. Lines that are too different from each other are not paired. If there are too many lines for
/// that, the first line goes with the first, the second with the second. The same holds if as many lines were added as removed,
/// and each is nearly the same as the one in its place. After `deadline` there are no pairs.
pub(crate) fn pairs(removed: &[&str], added: &[&str], deadline: Instant) -> Vec<(usize, usize)> {
    if removed.len().saturating_mul(added.len()) > MAX_WEIGHED {
        return (0..removed.len().min(added.len())).map(|place| (place, place)).collect();
    }
    let left: Vec<Option<Bag<'_>>> = removed.iter().map(|line| bag(line)).collect();
    let right: Vec<Option<Bag<'_>>> = added.iter().map(|line| bag(line)).collect();
    let is_nearly_same = |(old, new): (&Option<Bag<'_>>, &Option<Bag<'_>>)| {
        old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| similarity(old, new) >= NEARLY_SAME)
    };
    if left.len() == right.len() && left.iter().zip(&right).all(is_nearly_same) && Instant::now() < deadline {
        return (0..left.len()).map(|place| (place, place)).collect();
    }
    best(&left, &right, deadline)
}

fn bag(line: &str) -> Option<Bag<'_>> {
    (!is_too_long(line)).then(|| Bag::of(&tokens(line)))
}

/// The continuation of the best way from two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Pair,
    SkipRemoved,
    SkipAdded,
}

/// The pairs with the largest sum of similarities, by the usual table of sub-problems.
fn best(left: &[Option<Bag<'_>>], right: &[Option<Bag<'_>>], deadline: Instant) -> Vec<(usize, usize)> {
    // The best sums behind the places of the row below, and of this row.
    let mut below = vec![0.0_f32; right.len() + 1];
    let mut steps: Vec<Vec<Step>> = Vec::with_capacity(left.len());
    for old in left.iter().rev() {
        if Instant::now() >= deadline {
            return Vec::new();
        }
        let mut row = vec![0.0_f32; right.len() + 1];
        let mut ways = vec![Step::SkipRemoved; right.len()];
        let mut ahead = 0.0_f32;
        let columns = right.iter().zip(below.iter().zip(below.iter().skip(1))).zip(row.iter_mut().zip(&mut ways));
        for ((new, (down, across)), (sum, way)) in columns.rev() {
            let common = old.as_ref().zip(new.as_ref()).map_or(0.0, |(old, new)| similarity(old, new));
            let paired = if common >= LEAST_SIMILAR { across + common } else { 0.0 };
            // If two ways are as good, the earlier lines are paired.
            (*sum, *way) = if paired >= ahead.max(*down) && paired > 0.0 {
                (paired, Step::Pair)
            } else if *down >= ahead {
                (*down, Step::SkipRemoved)
            } else {
                (ahead, Step::SkipAdded)
            };
            ahead = *sum;
        }
        below = row;
        steps.push(ways);
    }
    steps.reverse();
    let (mut old, mut new, mut found) = (0, 0, Vec::new());
    while let Some(step) = steps.get(old).and_then(|ways| ways.get(new)) {
        match step {
            Step::Pair => {
                found.push((old, new));
                (old, new) = (old + 1, new + 1);
            }
            Step::SkipRemoved => old += 1,
            Step::SkipAdded => new += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn paired(removed: &[&str], added: &[&str]) -> Vec<(usize, usize)> {
        pairs(removed, added, Instant::now() + Duration::from_hours(1))
    }

    #[test]
    fn lines_are_paired_in_order_by_what_they_have_in_common() {
        for (removed, added, want) in [
            (vec!["let a = 1;", "let b = 2;"], vec!["let a = 3;", "let b = 4;"], vec![(0, 0), (1, 1)]),
            (vec!["let b = 2;"], vec!["words of no use", "let b = 3;"], vec![(0, 1)]),
            (vec!["gone from here", "let b = 2;"], vec!["let b = 3;"], vec![(1, 0)]),
            (vec!["first line of a", "second one of b"], vec!["second one of c", "first line of d"], vec![(1, 0)]),
            (vec!["same words", "same words"], vec!["same words now"], vec![(0, 0)]),
            (vec!["one"], vec!["other"], vec![]),
            (
                vec!["let a = turn(1);", "let b = turn(2);", "let c = turn(3);"],
                vec!["let a = turn(4);", "let b = turn(5);", "let c = turn(6);"],
                vec![(0, 0), (1, 1), (2, 2)],
            ),
            (vec![], vec!["other"], vec![]),
        ] {
            assert_eq!(paired(&removed, &added), want, "{removed:?} {added:?}");
        }
    }

    #[test]
    fn many_lines_are_paired_by_their_places() {
        let (removed, added) = (vec!["same words"; 60], vec!["same words"; 50]);
        assert_eq!(paired(&removed, &added), (0..50).map(|place| (place, place)).collect::<Vec<_>>());
    }

    #[test]
    fn long_lines_are_not_paired() {
        let long = "word ".repeat(200);
        assert_eq!(paired(&[&long, "let a = 1;"], &[&long, "let a = 2;"]), [(1, 1)]);
    }
}
