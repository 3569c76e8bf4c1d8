//! Texts with conflicts, as Git merges them, and the choice of one side for each.

/// The most conflicts of a file between which one chooses. A file with more is edited.
pub const MAX_CONFLICTS: usize = 100;
/// The largest text with conflicts that is resolved here, in bytes.
pub const MAX_CONFLICTED_TEXT: u64 = 128 << 10;
/// The most files that are resolved at once.
pub const MAX_CONFLICTED_FILES: usize = 20;

/// One of the two sides of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictSide {
    /// The source branch, which gets the commit.
    Ours,
    /// The target branch.
    Theirs,
}

/// A part of a text with conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Lines that are merged.
    Merged(&'t str),
    /// Lines that differ on both sides.
    Conflict {
        /// Those of the source branch.
        ours: &'t str,
        /// Those of the target branch.
        theirs: &'t str,
    },
}

/// True if a line marks a conflict, or would be taken for such a mark, between these commits.
fn is_mark(line: &str, sign: char, of: &str) -> bool {
    let mut rest = line.trim_end();
    for _ in 0..7 {
        let Some(behind) = rest.strip_prefix(sign) else { return false };
        rest = behind;
    }
    match rest.strip_prefix(' ') {
        None => rest.is_empty() && of.is_empty(),
        // A file that was renamed has its path behind the commit.
        Some(rest) => !of.is_empty() && rest.strip_prefix(of).is_some_and(|it| it.is_empty() || it.starts_with(':')),
    }
}

/// True if a text still has marks of conflicts between these commits.
#[must_use]
pub fn has_marks(text: &str, ours: &str, theirs: &str) -> bool {
    text.lines().any(|line| is_mark(line, '<', ours) || is_mark(line, '>', theirs))
}

/// The parts of a text that Git has merged, with the conflicts between these two commits. None if the marks are in doubt, as the
/// text has lines like them, and if there are too many conflicts or none.
#[must_use]
pub fn pieces<'t>(text: &'t str, ours: &str, theirs: &str) -> Option<Vec<Piece<'t>>> {
    let (mut found, mut count) = (Vec::new(), 0);
    // The beginnings of the part that is read, and of the two sides.
    let (mut begin, mut first, mut second): (usize, Option<usize>, Option<(usize, usize)>) = (0, None, None);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if is_mark(line, '<', ours) {
            if first.is_some() {
                return None;
            }
            found.push(Piece::Merged(text.get(begin..at)?));
            first = Some(end);
        } else if first.is_some() && is_mark(line, '=', "") {
            if second.is_some() {
                return None;
            }
            second = Some((at, end));
        } else if is_mark(line, '>', theirs) {
            let (begin_of_ours, (end_of_ours, begin_of_theirs)) = (first.take()?, second.take()?);
            let (ours, theirs) = (text.get(begin_of_ours..end_of_ours)?, text.get(begin_of_theirs..at)?);
            found.push(Piece::Conflict { ours, theirs });
            begin = end;
            count += 1;
        }
        at = end;
    }
    if first.is_some() || count == 0 || count > MAX_CONFLICTS {
        return None;
    }
    found.push(Piece::Merged(text.get(begin..)?));
    found.retain(|piece| *piece != Piece::Merged(""));
    Some(found)
}

/// The text with one side of each conflict. None if there are not as many choices as conflicts.
#[must_use]
pub fn chosen(pieces: &[Piece<'_>], choices: &[ConflictSide]) -> Option<String> {
    let (mut text, mut choices) = (String::new(), choices.iter());
    for piece in pieces {
        text.push_str(match piece {
            Piece::Merged(lines) => lines,
            Piece::Conflict { ours, theirs } => match choices.next()? {
                ConflictSide::Ours => ours,
                ConflictSide::Theirs => theirs,
            },
        });
    }
    choices.next().is_none().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<<<<<<< 1f\nb\n=======\nc\n>>>>>>> 2f\nd\n<<<<<<< 1f:x\n=======\ne\n>>>>>>> 2f:y z\n";

    #[test]
    fn one_side_is_chosen_for_each_conflict() {
        let found = pieces(TEXT, "1f", "2f").expect("conflicts");
        assert_eq!(found.len(), 4);
        for (choices, want) in [
            ([ConflictSide::Ours, ConflictSide::Ours], "a\nb\nd\n"),
            ([ConflictSide::Theirs, ConflictSide::Theirs], "a\nc\nd\ne\n"),
            ([ConflictSide::Ours, ConflictSide::Theirs], "a\nb\nd\ne\n"),
        ] {
            assert_eq!(chosen(&found, &choices).as_deref(), Some(want));
        }
        assert_eq!(chosen(&found, &[ConflictSide::Ours]), None);
        assert_eq!(chosen(&found, &[ConflictSide::Ours; 3]), None);
        let windows = TEXT.replace('\n', "\r\n");
        let found = pieces(&windows, "1f", "2f").expect("conflicts");
        assert_eq!(chosen(&found, &[ConflictSide::Ours; 2]).as_deref(), Some("a\r\nb\r\nd\r\n"));
    }

    #[test]
    fn marks_in_doubt_divide_nothing() {
        for text in [
            "a\n",
            "<<<<<<< 1f\na\n=======\nb\n",
            "<<<<<<< 1f\na\n=======\nb\n=======\nc\n>>>>>>> 2f\n",
            "<<<<<<< 1f\n<<<<<<< 1f\na\n=======\nb\n>>>>>>> 2f\n",
            "<<<<<<< 1f\na\n>>>>>>> 2f\n",
            ">>>>>>> 2f\n",
            "<<<<<<< other\na\n=======\nb\n>>>>>>> 2f\n",
        ] {
            assert_eq!(pieces(text, "1f", "2f"), None, "{text}");
        }
        assert!(has_marks(TEXT, "1f", "2f") && !has_marks("=======\n<<<<<<<\n", "1f", "2f"));
        assert_eq!(pieces(&TEXT.repeat(60), "1f", "2f"), None);
    }
}
