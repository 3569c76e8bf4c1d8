//! What the index of words takes for a word: a longest run of letters and digits, where every character outside ASCII
//! counts as a letter. So does the tokenizer `ascii` of SQLite's FTS5, which splits the text of [`indexed`] once more.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Runs that are longer, in characters, are cut into pieces of this length. Nothing searches for them as
/// words: they are tokens, digests, or scripts without spaces.
const LONGEST: usize = 256;
/// By how much such pieces overlap, so that what is not longer is in one of them wherever it stands.
const OVERLAP: usize = 64;
/// Shorter words, in characters, have no trigram by which they could be looked up.
const SHORTEST: usize = 3;

fn is_part_of_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || !character.is_ascii()
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_part_of_word(character)).filter(|run| !run.is_empty())
}

/// `text` as the index takes it: lower-cased, and its longest runs in pieces.
pub fn indexed(text: &str) -> String {
    let text = text.to_lowercase();
    // As bytes no run is shorter than in characters.
    if runs(&text).all(|run| run.len() <= LONGEST) {
        return text;
    }
    runs(&text).flat_map(pieces).collect::<Vec<_>>().join(" ")
}

fn pieces(run: &str) -> Vec<Cow<'_, str>> {
    if run.len() <= LONGEST {
        return vec![Cow::Borrowed(run)];
    }
    let characters: Vec<char> = run.chars().collect();
    let starts = (0..characters.len().saturating_sub(OVERLAP).max(1)).step_by(LONGEST - OVERLAP);
    starts.map(|start| Cow::Owned(characters.iter().skip(start).take(LONGEST).collect())).collect()
}

/// The words of texts as they were [`indexed`] that can be looked up, each once.
pub fn known<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    texts.into_iter().flat_map(runs).filter(|word| word.chars().nth(SHORTEST - 1).is_some()).collect()
}

/// A part of a word that a text must have where it contains a searched one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Lower-cased, three characters or more.
    pub text: String,
    /// Whether a text that has a word with this part contains what is searched, and needs no second look.
    pub is_all: bool,
}

/// What of a searched text, lower-cased, can be looked up: its longest part that is in one word. `None` where it has none.
pub fn part(searched: &str) -> Option<Part> {
    let longest = runs(searched).max_by_key(|run| run.chars().count())?;
    let text: String = longest.chars().take(OVERLAP).collect();
    let is_all = text == searched;
    text.chars().nth(SHORTEST - 1).is_some().then_some(Part { text, is_all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(indexed("Déjà-vu, in C++ 20!"), "déjà-vu, in c++ 20!");
        assert_eq!(known(["déjà-vu, in c++ 2020!", "déjà"]), BTreeSet::from(["2020", "déjà"]));
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
        let found = |text: &str, is_all| Some(Part { text: text.to_owned(), is_all });
        assert_eq!(part("timeout"), found("timeout", true));
        assert_eq!(part("time-out now"), found("time", false));
        assert_eq!(part("c++"), None);
        assert_eq!(part("日本 crash"), found("crash", false));
        assert_eq!(part(&"x".repeat(65)), found(&"x".repeat(64), false));
    }
}
