//! The words that differ between a removed line and the added line that replaces it.

use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, DiffTag, TextDiff};

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
/// Lines are paired in order, by their similarity. Pairs that have less than two fifths in common, and lines of more than
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
/// less than two fifths in common, or if they were not compared before `deadline`.
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
    let ops = diff.ops();
    let equal = ops.iter().filter(|op| op.tag() == DiffTag::Equal).filter_map(|op| left.get(op.old_range()));
    let same: usize = equal.map(weight).sum();
    let changed = |side: fn(&DiffOp) -> Range<usize>| {
        let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
        changed.map(move |op| (side(op), op.tag() != DiffTag::Replace)).filter(|(range, _)| !range.is_empty())
    };
    let words = (finished(old, &left, changed(DiffOp::old_range)), finished(new, &right, changed(DiffOp::new_range)));
    // Words that were not compared in time count as different, and would be marked.
    if Instant::now() >= deadline || !is_similar(same, weight(&left), weight(&right)) {
        return None;
    }
    Some(words)
}

/// Bytes of all words that are not white space.
fn weight(tokens: &[&str]) -> usize {
    tokens.iter().filter(|token| !is_space(token)).map(|token| token.len()).sum()
}

/// True if two lines of these weights that have `same` in common are similar enough. Lines that differ in white space only are.
fn is_similar(same: usize, left: usize, right: usize) -> bool {
    same * 5 >= left + right
}

/// The words of a line at these ranges of its tokens. True is a range that has no counterpart in the other line. Ranges are
/// joined if only white space is between them, so that they look like the phrase that was changed.
fn finished(line: &str, tokens: &[&str], changed: impl Iterator<Item = (Range<usize>, bool)>) -> Words {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(tokens.iter().scan(0, |at, token| {
            *at += token.len();
            Some(*at)
        }))
        .collect();
    let changed: Vec<(Range<usize>, bool)> = changed.collect();
    let mut words = Words::new();
    let mut done = 0;
    for (place, (range, is_alone)) in changed.iter().enumerate() {
        let behind = changed.get(place + 1).map_or(tokens.len(), |(behind, _)| behind.start);
        let range = if *is_alone { moved(tokens, range.clone(), done..behind) } else { range.clone() };
        done = range.end;
        let (Some(start), Some(end)) = (starts.get(range.start), starts.get(range.end)) else { continue };
        match words.last_mut().filter(|last| line.get(last.end..*start).is_some_and(is_space)) {
            Some(last) => last.end = *end,
            None => words.push(*start..*end),
        }
    }
    words
}

/// The best place of a range that has no counterpart. If the token before it is also its last one, it can as well lie one token
/// further left, and the same holds for the right. Best is a place between blanks. `within` is the room.
fn moved(tokens: &[&str], range: Range<usize>, within: Range<usize>) -> Range<usize> {
    let token = |place: usize| tokens.get(place).copied();
    let is_end = |place: Option<usize>| place.and_then(token).is_none_or(is_space);
    let worth = |range: &Range<usize>| {
        let begins = is_end(range.start.checked_sub(1));
        let ends = is_end(range.end.checked_sub(1)) || is_end(Some(range.end));
        2 * u8::from(begins) + u8::from(ends)
    };
    let mut best = (worth(&range), range.clone());
    let mut left = range.clone();
    while left.start > within.start && token(left.start - 1) == token(left.end - 1) {
        left = left.start - 1..left.end - 1;
        if worth(&left) > best.0 {
            best = (worth(&left), left.clone());
        }
    }
    let mut right = range;
    while right.end < within.end && token(right.start) == token(right.end) {
        right = right.start + 1..right.end + 1;
        if worth(&right) > best.0 {
            best = (worth(&right), right.clone());
        }
    }
    best.1
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
            (
                "[--chmod=x] file",
                "[--resolved] [--chmod=x] file",
                "[--chmod=x] file",
                "[[--resolved] ][--chmod=x] file",
            ),
            ("f(a, b)", "f(a, c, b)", "f(a, b)", "f(a, [c, ]b)"),
            ("let v1 = 30;", "let changed = 30; // a", "let [v1] = 30;", "let [changed] = 30;[ // a]"),
            ("if x {", "if x && y {", "if x {", "if x [&& y ]{"),
            ("return one;", "return one + two;", "return one;", "return one[ + two];"),
            ("the end", "the very end", "the end", "the [very ]end"),
        ] {
            assert_eq!(compared(old, new), Some((left.to_owned(), right.to_owned())), "{old} {new}");
        }
    }

    #[test]
    fn lines_that_have_too_little_in_common_are_left_without() {
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
