//! The lines of the text of a difference, by their numbers.

use super::FileDiff;

/// The numbers of a line that is shown: both for one that is the same on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownLine {
    /// Before, counted from one; `None` for a line that was added.
    pub old: Option<i64>,
    /// After; `None` for a line that was removed.
    pub new: Option<i64>,
}

/// The place of a line after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is the same, at this number.
    Kept(i64),
    /// It was removed or changed.
    Gone,
}

impl FileDiff {
    /// The lines that are shown, in order. None if no text is shown, as of a binary file.
    pub fn lines(&self) -> impl Iterator<Item = ShownLine> + '_ {
        let (mut old, mut new) = (0, 0);
        self.diff.lines().filter_map(move |line| {
            if let Some(starts) = line.strip_prefix("@@ ").and_then(hunk) {
                (old, new) = starts;
                return None;
            }
            let (in_old, in_new) = match line.as_bytes().first()? {
                b'-' => (true, false),
                b'+' => (false, true),
                b' ' => (true, true),
                _ => return None,
            };
            let shown = ShownLine { old: in_old.then_some(old), new: in_new.then_some(new) };
            old += i64::from(in_old);
            new += i64::from(in_new);
            Some(shown)
        })
    }

    /// The fate of the lines that had the numbers `first` to `last` before: kept, with the new number of the first, if none of them
    /// was changed and nothing was put between them.
    #[must_use]
    pub fn fate_of(&self, first: i64, last: i64) -> Fate {
        let (mut moved, mut before) = (0, 0);
        for shown in self.lines() {
            match (shown.old, shown.new) {
                (Some(old), _) if old > last => break,
                (Some(old), None) if old >= first => return Fate::Gone,
                (None, Some(_)) if before >= first && before < last => return Fate::Gone,
                // Added behind the last one.
                (None, Some(_)) if before >= last => break,
                (Some(_), None) => moved -= 1,
                (None, Some(_)) => moved += 1,
                _ => {}
            }
            before = shown.old.unwrap_or(before);
        }
        Fate::Kept(first + moved)
    }

    /// The fate of the line that had this number before.
    #[must_use]
    pub fn fate(&self, line: i64) -> Fate {
        self.fate_of(line, line)
    }
}

/// The numbers at which a hunk begins on both sides: `-1,3 +1,4 @@`.
pub(super) fn hunk(text: &str) -> Option<(i64, i64)> {
    let start = |word: &str| word.get(1..)?.split(',').next()?.parse().ok();
    let mut words = text.split(' ');
    Some((start(words.next()?)?, start(words.next()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_before_is_kept_or_gone() {
        let diff = "@@ -2,3 +2,4 @@ fn x\n two\n-three\n+drei\n+vier\n four\n@@ -10 +11,2 @@\n ten\n+eleven\n";
        let file = FileDiff { diff: diff.to_owned(), ..FileDiff::default() };
        let shown: Vec<_> = file.lines().map(|line| (line.old, line.new)).collect();
        let expected = [
            (Some(2), Some(2)),
            (Some(3), None),
            (None, Some(3)),
            (None, Some(4)),
            (Some(4), Some(5)),
            (Some(10), Some(11)),
            (None, Some(12)),
        ];
        assert_eq!(shown, expected);
        let fates: Vec<_> = [1, 2, 3, 4, 5, 10, 11].map(|line| file.fate(line)).into();
        let kept = |line| Fate::Kept(line);
        assert_eq!(fates, [kept(1), kept(2), Fate::Gone, kept(5), kept(6), kept(11), kept(13)]);
    }
}
