//! Lines cut into words, and the similarity of two lines whatever the order of their words.

use similar::DiffableStr as _;

/// The most characters of a line whose words are compared.
pub const MAX_PAIR: usize = 500;

/// The least similarity of two lines whose words are compared: the part of both that is words in both, by their characters.
pub(crate) const LEAST_SIMILAR: f32 = 0.4;

/// True if a line has more characters than lines whose words are compared.
pub(crate) fn is_too_long(line: &str) -> bool {
    line.len() > MAX_PAIR && line.chars().nth(MAX_PAIR).is_some()
}

/// The words of a line by the rules of Unicode. The text between two words counts as a word.
pub(crate) fn tokens(line: &str) -> Vec<&str> {
    line.tokenize_unicode_words()
}

/// True if a text is nothing but white space.
pub(crate) fn is_space(text: &str) -> bool {
    text.trim().is_empty()
}

/// The similarity of two lines, from 0 to 1: twice the bytes of the words that are in both, however often, divided by the bytes
/// of all words. White space does not count. Lines of nothing else have the similarity 1.
pub(crate) fn similarity_of(left: &[&str], right: &[&str]) -> f32 {
    similarity(&Bag::of(left), &Bag::of(right))
}

/// The words of a line in a fixed order, without white space.
#[derive(Debug, Clone)]
pub(crate) struct Bag<'a> {
    words: Vec<&'a str>,
    bytes: u16,
}

impl<'a> Bag<'a> {
    pub(crate) fn of(tokens: &[&'a str]) -> Self {
        let mut words: Vec<&str> = tokens.iter().copied().filter(|token| !is_space(token)).collect();
        words.sort_unstable();
        let bytes = words.iter().map(|word| word.len()).sum();
        // Lines that are compared have 500 characters at most.
        Self { words, bytes: bytes_of(bytes) }
    }
}

/// As [`similarity_of`].
pub(crate) fn similarity(left: &Bag<'_>, right: &Bag<'_>) -> f32 {
    let all = f32::from(left.bytes) + f32::from(right.bytes);
    if all == 0.0 {
        return 1.0;
    }
    let (mut rest, mut same) = (right.words.as_slice(), 0_usize);
    for word in &left.words {
        rest = rest.get(rest.partition_point(|other| other < word)..).unwrap_or_default();
        if let Some((_, behind)) = rest.split_first().filter(|(other, _)| *other == word) {
            same += word.len();
            rest = behind;
        }
    }
    2.0 * f32::from(bytes_of(same)) / all
}

fn bytes_of(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_by_their_bytes_and_white_space_does_not() {
        let close = |left: &str, right: &str, want: f32| {
            let found = similarity_of(&tokens(left), &tokens(right));
            assert!((found - want).abs() < 0.001, "{left:?} {right:?}: {found}");
        };
        close("a b", "a b", 1.0);
        close("b a", "a   b", 1.0);
        close("", " ", 1.0);
        close("", "a", 0.0);
        close("abcd x", "abcd y", 0.8);
        close("x x x", "x", 0.5);
    }

    #[test]
    fn the_words_of_a_line_are_the_line() {
        for line in ["let x = 1;", "die Straße", "👩‍🚀 a_b.c", ""] {
            assert_eq!(tokens(line).concat(), line);
        }
    }
}
