//! Titles and texts, from a vocabulary in which few words are frequent and most are rare, as in any language.

use std::collections::HashSet;

use super::words::{FILLERS, PREFIXES, SUBJECTS};
use crate::random::Random;

/// A word of one in five issues.
pub const COMMON_WORD: &str = "timeout";
/// A word of one in two thousand.
pub const RARE_WORD: &str = "overshipment";

/// Bands of words, each twice as long as the one before and drawn from less often.
const BANDS: usize = 10;
/// Words of the first band.
const FIRST_BAND: usize = 4;
/// Bands of words that mean nothing by themselves.
const FILLING: usize = 3;

/// The words, most frequent first.
pub(super) struct Vocabulary(Vec<String>);

impl Vocabulary {
    pub(super) fn new() -> Self {
        let plain = || FILLERS.split_whitespace().chain(SUBJECTS.split_whitespace()).map(ToOwned::to_owned);
        let made = PREFIXES
            .iter()
            .flat_map(|prefix| SUBJECTS.split_whitespace().map(move |subject| format!("{prefix}{subject}")));
        let known: HashSet<String> = plain().collect();
        let made = made.filter(|word| !known.contains(word));
        Self(plain().chain(made).take(start(BANDS)).collect())
    }

    /// A few words.
    pub(super) fn title(&self, random: &mut Random) -> String {
        let mut title = String::with_capacity(64);
        for number in 0..random.between(4, 9) {
            self.put(random, FILLING, number == 0, &mut title);
        }
        title
    }

    /// Sentences of this many characters, or a word more.
    pub(super) fn text(&self, random: &mut Random, length: usize) -> String {
        let mut text = String::with_capacity(length + 32);
        while text.len() < length {
            for number in 0..random.between(5, 14) {
                if text.len() < length {
                    self.put(random, 0, number == 0, &mut text);
                }
            }
            text.push('.');
        }
        text
    }

    /// Adds a word of one of the bands from `first` on; one that starts a sentence with a capital.
    fn put(&self, random: &mut Random, first: usize, starts: bool, text: &mut String) {
        let bands = BANDS - first;
        let band = first + random.below(bands).min(random.below(bands));
        let word = self.0.get(start(band) + random.below(FIRST_BAND << band)).map_or("", String::as_str);
        // One sentence in four begins a paragraph.
        let gap = match (text.is_empty(), starts) {
            (true, _) => "",
            (false, true) if random.percent(25) => "\n\n",
            (false, _) => " ",
        };
        text.push_str(gap);
        let (head, tail) = word.split_at_checked(usize::from(starts)).unwrap_or_default();
        text.extend(head.chars().map(|letter| letter.to_ascii_uppercase()));
        text.push_str(tail);
    }
}

/// The place of a band's first word.
const fn start(band: usize) -> usize {
    (FIRST_BAND << band) - FIRST_BAND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_vocabulary_is_taken_by_a_word_of_its_own() {
        let words = Vocabulary::new().0;
        assert_eq!(words.len(), start(BANDS));
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
        assert_eq!(FILLERS.split_whitespace().count(), start(FILLING));
    }

    #[test]
    fn a_common_word_is_found_often_and_a_rare_one_hardly_ever() {
        let (words, mut random) = (Vocabulary::new(), Random::new(1));
        let texts: Vec<String> = (0..5_000).map(|_| words.text(&mut random, 700)).collect();
        let having = |word: &str| texts.iter().filter(|text| text.contains(word)).count();
        assert!((800..1_500).contains(&having(COMMON_WORD)), "{}", having(COMMON_WORD));
        assert!((1..10).contains(&having(RARE_WORD)), "{}", having(RARE_WORD));
        // Nothing else contains it.
        assert_eq!(words.0.iter().filter(|word| word.contains(RARE_WORD)).count(), 1);
    }

    #[test]
    fn texts_are_as_long_as_they_should_be() {
        let (words, mut random) = (Vocabulary::new(), Random::new(1));
        for length in [1, 200, 1_480] {
            let text = words.text(&mut random, length);
            assert!((length..length + 20).contains(&text.len()), "{text}");
            assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{text}");
        }
    }
}
