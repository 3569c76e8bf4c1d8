//! The words of the index: a word is a longest run of letters and digits. Every character outside ASCII counts as a
//! letter. So does the tokenizer `ascii` of SQLite's FTS5, which splits the text of [`indexed`] once more.
//!
//! A sign ([`is_sign`]) means something by itself, or together with its neighbour: both are words too, and so is what stands between
//! signs.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

/// Runs that are longer, in characters, are cut into pieces of this length. Nothing searches for them as
/// words: they are tokens, digests, or scripts without spaces.
const LONGEST: usize = 256;
/// By how much such pieces overlap, so that what is not longer is in one of them wherever it stands.
const OVERLAP: usize = 64;
/// Shorter words, in characters, have no trigram by which they could be looked up.
pub const SHORTEST: usize = 3;
/// The most bytes of a text that are indexed, from its begin: each write of the index is done while other writes wait.
const LONGEST_TEXT: usize = 100_000;
/// The most different words of a text that are indexed, from its begin.
const MOST_WORDS: usize = 5_000;
/// The most words of a text that its signs make.
const MOST_OF_SIGNS: usize = 5_000;

/// Characters that are searched for by themselves, as ranges: scripts that are written without spaces, pictures, and the punctuation and
/// the symbols outside ASCII.
pub const SIGNS: [(char, char); 14] = [
    ('\u{a1}', '\u{bf}'),
    // Thai, Lao and Tibetan; Burmese; Khmer.
    ('\u{e00}', '\u{fff}'),
    ('\u{1000}', '\u{109f}'),
    ('\u{1780}', '\u{17ff}'),
    // Punctuation, arrows, symbols and dingbats.
    ('\u{2000}', '\u{2bff}'),
    // Chinese, Japanese and Korean, of which some are further below.
    ('\u{2e80}', '\u{a4cf}'),
    ('\u{a960}', '\u{a97f}'),
    ('\u{ac00}', '\u{d7ff}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{fe00}', '\u{ffef}'),
    ('\u{1b000}', '\u{1b2ff}'),
    // Emoji and other pictures.
    ('\u{1f000}', '\u{1faff}'),
    ('\u{20000}', '\u{3ffff}'),
    // Characters that change the look of the character before them.
    ('\u{e0000}', '\u{e01ef}'),
];

/// True if a character is searched for by itself ([`SIGNS`]).
#[must_use]
pub fn is_sign(character: char) -> bool {
    !character.is_ascii() && SIGNS.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

/// True if `text`, lower-cased, has `word`, and characters that are no letters or digits, or are signs, around it.
#[must_use]
pub fn has_word(text: &str, word: &str) -> bool {
    text.split(|character| !is_part_of_word(character) || is_sign(character)).any(|found| found == word)
}

fn is_part_of_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || !character.is_ascii()
}

/// The runs of letters and digits in a text.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_part_of_word(character)).filter(|run| !run.is_empty())
}

/// `text` as the index takes it: its begin, lower-cased, with the longest runs in pieces, and at the end what its signs make.
pub fn indexed(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or_default().to_lowercase();
    let text = begin(&text);
    let of_signs = of_signs(text);
    // As bytes no run is shorter than in characters.
    let is_plain = runs(text).all(|run| run.len() <= LONGEST);
    let mut whole = if is_plain { text.to_owned() } else { runs(text).flat_map(pieces).collect::<Vec<_>>().join(" ") };
    for word in of_signs {
        whole.push(' ');
        whole.push_str(&word);
    }
    whole
}

/// `text` up to the place at which it has had [`MOST_WORDS`] different words.
fn begin(text: &str) -> &str {
    let mut words = HashSet::new();
    let mut new = runs(text).filter(|run| words.insert(*run));
    let Some(next) = new.nth(MOST_WORDS) else { return text };
    // The run is a part of the text.
    let end = next.as_ptr().addr() - text.as_ptr().addr();
    text.get(..end).unwrap_or(text)
}

/// Each sign of a text, each pair of neighbours of which one is a sign, and each text between signs, if that is so
/// short that it is looked up as a whole.
fn of_signs(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for run in runs(text).filter(|run| run.contains(is_sign)) {
        let mut before: Option<char> = None;
        for character in run.chars() {
            if found.len() + 2 > MOST_OF_SIGNS {
                return found;
            }
            if is_sign(character) {
                found.insert(character.to_string());
            }
            if let Some(before) = before.filter(|before| is_sign(*before) || is_sign(character)) {
                found.insert([before, character].iter().collect());
            }
            before = Some(character);
        }
        let between = run.split(is_sign).filter(|part| !part.is_empty() && is_short(part));
        let room = MOST_OF_SIGNS - found.len();
        found.extend(between.take(room).map(str::to_owned));
    }
    found
}

fn is_short(text: &str) -> bool {
    text.chars().nth(SHORTEST - 1).is_none()
}

fn pieces(run: &str) -> Vec<Cow<'_, str>> {
    if run.len() <= LONGEST {
        return vec![Cow::Borrowed(run)];
    }
    let characters: Vec<char> = run.chars().collect();
    let starts = (0..characters.len().saturating_sub(OVERLAP).max(1)).step_by(LONGEST - OVERLAP);
    starts.map(|start| Cow::Owned(characters.iter().skip(start).take(LONGEST).collect())).collect()
}

/// The words of texts as they were [`indexed`], each once.
pub fn all<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    texts.into_iter().flat_map(runs).collect()
}

/// Those of them that have parts by which they can be looked up.
pub fn known<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    texts.into_iter().flat_map(runs).filter(|word| !is_short(word)).collect()
}

/// A part that a text must have if the search finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Lower-cased.
    pub text: String,
    /// The place of that part.
    pub place: PartOf,
    /// True if each text with this part is found, and needs no second check.
    pub is_all: bool,
}

/// The place of a [`Part`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartOf {
    /// Anywhere in a word. It has three characters or more.
    Within,
    /// It is a word.
    Whole,
}

/// The part of a searched text, lower-cased, that can be looked up: its longest part that is in one word, or one with
/// signs. `None` if it has neither.
pub fn part(searched: &str) -> Option<Part> {
    let longest = runs(searched).max_by_key(|run| (run.chars().count(), run.contains(is_sign)))?;
    let text: String = longest.chars().take(OVERLAP).collect();
    let is_all = text == searched;
    if !is_short(&text) {
        return Some(Part { text, place: PartOf::Within, is_all });
    }
    text.contains(is_sign).then_some(Part { text, place: PartOf::Whole, is_all })
}

/// As [`part`], of a text that is searched as a word ([`has_word`]).
pub fn whole(searched: &str) -> Option<Part> {
    let text = runs(searched).next()?.to_owned();
    Some(Part { is_all: text == searched, text, place: PartOf::Whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(indexed("Déjà-vu, in C++ 20!"), "déjà-vu, in c++ 20!");
        assert_eq!(known(["déjà-vu, in c++ 2020!", "déjà"]), BTreeSet::from(["2020", "déjà"]));
        assert_eq!(all(["déjà-vu, c++"]), BTreeSet::from(["c", "déjà", "vu"]));
    }

    #[test]
    fn the_begin_of_a_long_text_is_indexed() {
        let words = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(indexed(&words(MOST_WORDS)), words(MOST_WORDS));
        assert_eq!(indexed(&words(3 * MOST_WORDS)), words(MOST_WORDS));
        assert_eq!(indexed(&"again ".repeat(LONGEST_TEXT)).len(), LONGEST_TEXT);
        let signs: String = (0x4e00..0x9000_u32).filter_map(char::from_u32).collect();
        assert!(of_signs(&signs).len() <= MOST_OF_SIGNS);
        assert!(all([indexed(&signs).as_str()]).len() <= MOST_WORDS + MOST_OF_SIGNS + 1);
    }

    #[test]
    fn signs_are_words_and_so_are_their_pairs_and_what_stands_between_them() {
        let found = |text: &str| {
            let text = indexed(text);
            all([text.as_str()]).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found("日本語"), ["日", "日本", "日本語", "本", "本語", "語"]);
        assert_eq!(found("go言語"), ["go", "go言語", "o言", "言", "言語", "語"]);
        assert_eq!(found("ship it🚀now"), ["it", "it🚀now", "ship", "t🚀", "🚀", "🚀n"]);
        assert_eq!(found("über"), ["über"]);
        for (sign, is_one) in [
            ('日', true),
            ('ก', true),
            ('🚀', true),
            ('…', true),
            ('한', true),
            ('é', false),
            ('ж', false),
            ('a', false),
        ] {
            assert_eq!(is_sign(sign), is_one, "{sign}");
        }
    }

    #[test]
    fn a_word_stands_between_what_is_none() {
        for (text, word, is_there) in [
            ("the ci is red", "ci", true),
            ("ci", "ci", true),
            ("(ci)", "ci", true),
            ("science", "ci", false),
            ("ci2", "ci", false),
            ("go言語", "go", true),
            ("där", "d", false),
            ("", "ci", false),
        ] {
            assert_eq!(has_word(text, word), is_there, "{word} in {text}");
        }
    }

    #[test]
    fn a_text_of_many_signs_has_a_bound() {
        // Each of so many characters beside each of as many others.
        let pair = |n: u32| [0x4e00 + n % 400, 0x6e00 + n / 400];
        let text: String = (0..160_000).flat_map(pair).filter_map(char::from_u32).collect();
        let found = of_signs(&text).len();
        assert!((MOST_OF_SIGNS - 1..=MOST_OF_SIGNS).contains(&found), "{found}");
    }

    #[test]
    fn what_is_not_longer_than_the_overlap_is_in_one_piece_of_a_long_run() {
        let run: String = (0..1000_u32).filter_map(|number| char::from_u32(0x4e00 + number)).collect();
        let text = indexed(&format!("a {run} b"));
        let pieces = known([text.as_str()]);
        assert!(pieces.iter().all(|piece| piece.chars().count() <= LONGEST));
        let characters: Vec<char> = run.chars().collect();
        for part in characters.windows(OVERLAP) {
            let part: String = part.iter().collect();
            assert!(pieces.iter().any(|piece| piece.contains(&part)), "{part}");
        }
        assert!(runs(&text).any(|word| word == "a") && runs(&text).any(|word| word == "b"));
    }

    #[test]
    fn the_longest_part_is_looked_up() {
        let found = |text: &str, is_all| Some(Part { text: text.to_owned(), place: PartOf::Within, is_all });
        let word = |text: &str, is_all| Some(Part { text: text.to_owned(), place: PartOf::Whole, is_all });
        assert_eq!(
            (part("日本"), part("🚀"), part("日本!"), part("a🚀")),
            (word("日本", true), word("🚀", true), word("日本", false), word("a🚀", true))
        );
        assert_eq!(
            (part("日本語"), whole("ci"), whole("c#"), whole("##")),
            (found("日本語", true), word("ci", true), word("c", false), None)
        );
        assert_eq!(part("timeout"), found("timeout", true));
        assert_eq!(part("time-out now"), found("time", false));
        assert_eq!(part("c++"), None);
        assert_eq!(part("日本 crash"), found("crash", false));
        assert_eq!(part(&"x".repeat(65)), found(&"x".repeat(64), false));
    }
}
