//! A difference in two columns: the lines before the change, beside those after it.

use super::below::Below;
use crate::parts::diff::DiffLine;

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

/// The lines in two columns: removed lines beside added ones.
pub(super) fn side_by_side(rows: Vec<DiffRow>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    // The index for the next added line of this run.
    let mut free = 0;
    for DiffRow { line, id, below } in rows {
        let empty = Pair {
            left: None,
            right: None,
            hunk: None,
            left_id: String::new(),
            right_id: String::new(),
            below: Vec::new(),
        };
        match line.class {
            "removed" => pairs.push(Pair { left: Some(line), left_id: id, below: vec![below], ..empty }),
            "added" => {
                let waiting =
                    pairs.iter().enumerate().skip(free).find(|(_, pair)| pair.right.is_none() && pair.hunk.is_none());
                match waiting.map(|(at, _)| at).and_then(|at| pairs.get_mut(at)) {
                    Some(pair) => {
                        (pair.right, pair.right_id) = (Some(line), id);
                        pair.below.push(below);
                    }
                    None => pairs.push(Pair { right: Some(line), right_id: id, below: vec![below], ..empty }),
                }
            }
            "hunk" => {
                pairs.push(Pair { hunk: Some(line), ..empty });
                free = pairs.len();
            }
            _ => {
                let left = Some(line.clone());
                pairs.push(Pair { left, right: Some(line), left_id: id, below: vec![below], ..empty });
                free = pairs.len();
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::diff::lines;

    #[test]
    fn removed_lines_stand_beside_added_ones() {
        let rows = lines("@@ -1,4 +1,4 @@\n a\n-b\n-c\n+d\n e\n+f\n")
            .into_iter()
            .map(|line| DiffRow { id: line.numbers(), line, below: Below::default() })
            .collect();
        let shown: Vec<(String, String)> = side_by_side(rows)
            .iter()
            .map(|pair| {
                let text = |line: &Option<DiffLine>| line.as_ref().map(|line| line.text.clone()).unwrap_or_default();
                (text(&pair.left), text(&pair.right))
            })
            .collect();
        let want = [("", ""), ("a", "a"), ("b", "d"), ("c", ""), ("e", "e"), ("", "f")];
        assert_eq!(shown, want.map(|(left, right)| (left.to_owned(), right.to_owned())));
    }
}
