//! The words that differ between a removed line and the added line that replaces it.

use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffTag, TextDiff};

use crate::pairs::pairs;
use crate::tokens::{LEAST_SIMILAR, is_space, is_too_long, similarity_of, tokens};

/// The words of a line that differ from another one, in bytes from the beginning of the line: sorted, apart from each
/// other, never empty, and never within a character.
pub type Words = Vec<Range<usize>>;

/// The words that differ between lines of one hunk. Lines are counted from 0 among the removed, or the added ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedWords {
    /// The words of each removed line; empty for a line that has no counterpart, or none that is similar enough.
    pub removed: Vec<Words>,
    /// The words of each added line.
    pub added: Vec<Words>,
}

/// The words that differ between lines that were removed and the lines that were added in their place, without the ends of
/// the lines.
///
/// Lines are paired in order, by their similarity. Pairs that have less than half in common, and lines of more than
/// [`MAX_PAIR`](crate::MAX_PAIR) characters, have no words. The same holds for pairs that are not compared before `deadline`. A
/// caller passes the same deadline for all hunks of a file.
#[must_use]
pub fn changed_words(removed: &[&str], added: &[&str], deadline: Instant) -> ChangedWords {
    let mut changed =
        ChangedWords { removed: vec![Words::new(); removed.len()], added: vec![Words::new(); added.len()] };
    for (old, new) in pairs(removed, added, deadline) {
        let (Some(before), Some(after)) = (removed.get(old), added.get(new)) else { continue };
        let Some((left, right)) = words_of_pair(before, after, deadline) else { continue };
        if let Some(words) = changed.removed.get_mut(old) {
            *words = left;
        }
        if let Some(words) = changed.added.get_mut(new) {
            *words = right;
        }
    }
    changed
}

/// The words that differ between two lines, of the first and of the second one. `None` if one of them is too long, if they have
/// less than half in common, or if they were not compared before `deadline`.
#[must_use]
pub fn words_of_pair(old: &str, new: &str, deadline: Instant) -> Option<(Words, Words)> {
    if is_too_long(old) || is_too_long(new) || Instant::now() >= deadline {
        return None;
    }
    let (left, right) = (tokens(old), tokens(new));
    // This is cheap, and never less than the result of the comparison.
    if similarity_of(&left, &right) < LEAST_SIMILAR {
        return None;
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).deadline(deadline).diff_slices(&left, &right);
    let mut ends = (End::default(), End::default());
    let mut same = 0;
    for op in diff.ops() {
        let (left, right) = (left.get(op.old_range()), right.get(op.new_range()));
        let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
        let is_changed = op.tag() != DiffTag::Equal;
        if !is_changed {
            same += weight(left);
        }
        ends.0.advance(left, is_changed);
        ends.1.advance(right, is_changed);
    }
    // Words that were not compared in time count as different, and would be marked.
    if Instant::now() >= deadline || !is_similar(same, weight(&left), weight(&right)) {
        return None;
    }
    Some((ends.0.finish(old), ends.1.finish(new)))
}

/// Bytes of all words that are not white space.
fn weight(tokens: &[&str]) -> usize {
    tokens.iter().filter(|token| !is_space(token)).map(|token| token.len()).sum()
}

/// True if two lines of these weights that have `same` in common are similar enough. Lines that differ in white space only are.
fn is_similar(same: usize, left: usize, right: usize) -> bool {
    same * 4 >= left + right
}

/// The progress of the comparison of a line, and the words of it that differ.
#[derive(Debug, Default)]
struct End {
    at: usize,
    words: Words,
}

impl End {
    fn advance(&mut self, tokens: &[&str], is_changed: bool) {
        let length: usize = tokens.iter().map(|token| token.len()).sum();
        let (start, end) = (self.at, self.at + length);
        self.at = end;
        if !is_changed || length == 0 {
            return;
        }
        match self.words.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.words.push(start..end),
        }
    }

    /// The words that differ, joined if only white space is between them, so that they look like the phrase that was changed.
    fn finish(self, line: &str) -> Words {
        let mut joined: Words = Vec::with_capacity(self.words.len());
        for word in self.words {
            let last = joined.last_mut().filter(|last| line.get(last.end..word.start).is_some_and(is_space));
            match last {
                Some(last) => last.end = word.end,
                None => joined.push(word),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn later() -> Instant {
        Instant::now() + Duration::from_hours(1)
    }

    fn marked(line: &str, words: &Words) -> String {
        let mut text = line.to_owned();
        for word in words.iter().rev() {
            text.insert(word.end, ']');
            text.insert(word.start, '[');
        }
        text
    }

    fn compared(old: &str, new: &str) -> Option<(String, String)> {
        words_of_pair(old, new, later()).map(|(left, right)| (marked(old, &left), marked(new, &right)))
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        for (old, new, left, right) in [
            ("let old = 1;", "let new = 1;", "let [old] = 1;", "let [new] = 1;"),
            ("fn a(x: i32) {", "fn a(x: i32, y: u8) {", "fn a(x: i32) {", "fn a(x: i32[, y: u8]) {"),
            ("same", "same", "same", "same"),
            ("a = b", "a  = b", "a[ ]= b", "a[  ]= b"),
            ("die Straße ist lang", "die Straßen ist lang", "die [Straße] ist lang", "die [Straßen] ist lang"),
            (
                "one two three four five",
                "one six seven four five",
                "one [two three] four five",
                "one [six seven] four five",
            ),
            ("  indented(code)", "    indented(code)", "[  ]indented(code)", "[    ]indented(code)"),
        ] {
            assert_eq!(compared(old, new), Some((left.to_owned(), right.to_owned())), "{old} {new}");
        }
    }

    #[test]
    fn lines_that_have_less_than_half_in_common_are_left_without() {
        assert_eq!(compared("return x;", "the sun is shining"), None);
        assert_eq!(compared("", "something"), None);
        assert_eq!(compared("( ) { } a b", "( ) { } whole other words that differ"), None);
    }

    #[test]
    fn long_lines_are_left_without() {
        let fits = "wörd ".repeat(100);
        assert!(words_of_pair(&fits, &fits, later()).is_some());
        let long = format!("{fits}x");
        assert_eq!(words_of_pair(&long, &fits, later()), None);
        assert_eq!(words_of_pair(&fits, &long, later()), None);
    }

    #[test]
    fn after_the_deadline_nothing_is_compared() {
        let past = Instant::now();
        assert_eq!(words_of_pair("let old = 1;", "let new = 1;", past), None);
        let changed = changed_words(&["let old = 1;"], &["let new = 1;"], past);
        assert_eq!(changed, ChangedWords { removed: vec![vec![]], added: vec![vec![]] });
    }

    #[test]
    fn lines_of_a_hunk_are_compared_with_those_that_replace_them() {
        let removed = ["let first = 1;", "nothing like the others at all"];
        let added = ["// A comment that is new here", "let second = 1;"];
        let changed = changed_words(&removed, &added, later());
        assert_eq!(marked(removed[0], &changed.removed[0]), "let [first] = 1;");
        assert_eq!(marked(added[1], &changed.added[1]), "let [second] = 1;");
        assert!(changed.removed[1].is_empty() && changed.added[0].is_empty());
    }

    fn is_sound(line: &str, words: &Words) -> bool {
        let mut last = 0;
        words.iter().enumerate().all(|(place, word)| {
            let is_apart = place == 0 || word.start > last;
            last = word.end;
            is_apart && line.get(word.clone()).is_some_and(|text| !text.is_empty())
        })
    }

    proptest! {
        #[test]
        fn words_are_sorted_and_lie_within_their_lines(
            old in proptest::collection::vec("[ab äß漢👩‍🚀().\t]{0,40}", 0..6),
            new in proptest::collection::vec("[ab äß漢👩‍🚀().\t]{0,40}", 0..6),
        ) {
            let removed: Vec<&str> = old.iter().map(String::as_str).collect();
            let added: Vec<&str> = new.iter().map(String::as_str).collect();
            let changed = changed_words(&removed, &added, later());
            prop_assert_eq!((changed.removed.len(), changed.added.len()), (removed.len(), added.len()));
            prop_assert!(removed.iter().zip(&changed.removed).all(|(line, words)| is_sound(line, words)));
            prop_assert!(added.iter().zip(&changed.added).all(|(line, words)| is_sound(line, words)));
        }

        #[test]
        fn what_is_not_marked_is_the_same_in_both_lines(old in "[a-c ]{0,40}", new in "[a-c ]{0,40}") {
            let rest = |line: &str, words: &Words| {
                let mut text = line.to_owned();
                words.iter().rev().for_each(|word| text.replace_range(word.clone(), ""));
                text.replace(' ', "")
            };
            if let Some((left, right)) = words_of_pair(&old, &new, later()) {
                prop_assert_eq!(rest(&old, &left), rest(&new, &right));
            }
        }
    }
}
