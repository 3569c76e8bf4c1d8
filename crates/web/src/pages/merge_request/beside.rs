//! A difference in two columns: the lines before the change, beside those after it.

use super::below::Below;
use crate::parts::diff::{DiffLine, MARKER};

/// A line with the threads and forms below it.
pub(super) struct DiffRow {
    pub(super) line: DiffLine,
    /// The name of the line in addresses. Empty for heads of hunks.
    pub(super) id: String,
    pub(super) below: Below,
}

/// Two lines side by side.
pub(super) struct Pair {
    pub(super) left: Option<DiffLine>,
    pub(super) right: Option<DiffLine>,
    /// A head of a hunk, which spans both sides.
    pub(super) hunk: Option<DiffLine>,
    pub(super) left_id: String,
    pub(super) right_id: String,
    pub(super) below: Vec<Below>,
}

impl Pair {
    const EMPTY: Self = Self {
        left: None,
        right: None,
        hunk: None,
        left_id: String::new(),
        right_id: String::new(),
        below: Vec::new(),
    };
}

/// The sides of the file that a line is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

/// The lines in two columns: removed lines beside added ones. A marker stands below the line that it is about, on the side
/// of that line.
pub(super) fn side_by_side(rows: Vec<DiffRow>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    // The index from which a free place is searched for the next added line of this run.
    let mut free = 0;
    let mut last = Side::Both;
    for row in rows {
        let side = match row.line.class {
            "removed" => Side::Left,
            "added" => Side::Right,
            MARKER => last,
            _ => Side::Both,
        };
        match side {
            Side::Left => pairs.push(removed(row)),
            Side::Right => put_right(&mut pairs, free, row),
            Side::Both => {
                pairs.push(over_both(row));
                free = pairs.len();
            }
        }
        last = side;
    }
    pairs
}

fn removed(DiffRow { line, id, below }: DiffRow) -> Pair {
    Pair { left: Some(line), left_id: id, below: vec![below], ..Pair::EMPTY }
}

/// Puts a line on the right side, into the first free place.
fn put_right(pairs: &mut Vec<Pair>, free: usize, DiffRow { line, id, below }: DiffRow) {
    let waiting = pairs.iter_mut().skip(free).find(|pair| pair.right.is_none() && pair.hunk.is_none());
    match waiting {
        Some(pair) => {
            (pair.right, pair.right_id) = (Some(line), id);
            pair.below.push(below);
        }
        None => pairs.push(Pair { right: Some(line), right_id: id, below: vec![below], ..Pair::EMPTY }),
    }
}

/// A line that is on both sides, or goes over both.
fn over_both(DiffRow { line, id, below }: DiffRow) -> Pair {
    if !line.is_line() {
        return Pair { hunk: Some(line), ..Pair::EMPTY };
    }
    Pair { left: Some(line.clone()), right: Some(line), left_id: id, below: vec![below], ..Pair::EMPTY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::diff::lines;

    fn shown(diff: &str) -> Vec<(String, String)> {
        let rows =
            lines(diff).into_iter().map(|line| DiffRow { id: line.numbers(), line, below: Below::default() }).collect();
        side_by_side(rows)
            .iter()
            .map(|pair| {
                let text = |line: &Option<DiffLine>| line.as_ref().map(|line| line.text.clone()).unwrap_or_default();
                (text(&pair.left), text(&pair.right))
            })
            .collect()
    }

    fn beside<const ROWS: usize>(want: [(&str, &str); ROWS]) -> Vec<(String, String)> {
        want.map(|(left, right)| (left.to_owned(), right.to_owned())).into()
    }

    #[test]
    fn removed_lines_stand_beside_added_ones() {
        let want = [("", ""), ("a", "a"), ("b", "d"), ("c", ""), ("e", "e"), ("", "f")];
        assert_eq!(shown("@@ -1,4 +1,4 @@\n a\n-b\n-c\n+d\n e\n+f\n"), beside(want));
    }

    #[test]
    fn a_marker_stands_below_its_line_and_parts_no_pair() {
        let mark = "\\ No newline at end of file";
        let left = format!("@@ -1,2 +1,2 @@\n a\n-b\n{mark}\n+c\n");
        assert_eq!(shown(&left), beside([("", ""), ("a", "a"), ("b", "c"), (mark, "")]));
        let right = format!("@@ -1,3 +1,2 @@\n a\n-b\n-c\n+d\n{mark}\n");
        assert_eq!(shown(&right), beside([("", ""), ("a", "a"), ("b", "d"), ("c", mark)]));
        let both = format!("@@ -1,2 +1,2 @@\n a\n-b\n{mark}\n+c\n{mark}\n");
        assert_eq!(shown(&both), beside([("", ""), ("a", "a"), ("b", "c"), (mark, mark)]));
        // It goes over both sides if the last line is on both.
        let neither = format!("@@ -1,2 +1,1 @@\n-a\n b\n{mark}\n");
        assert_eq!(shown(&neither), beside([("", ""), ("a", ""), ("b", "b"), ("", "")]));
    }
}
