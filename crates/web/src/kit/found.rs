//! The words of a search in the texts that it has found.

use tenon_domain::search::Search;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoundPart<'a> {
    pub(crate) text: &'a str,
    /// True if the search was for it.
    pub(crate) is_found: bool,
}

/// The words that are marked, in lower case.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needles(Vec<String>);

impl Needles {
    /// Those of a search in the database, which looks for each word.
    pub(crate) fn of_words(text: &str) -> Self {
        match Search::parse(text) {
            Some(Search::Words(words) | Search::ShortWords(words)) => Self(words),
            None => Self::default(),
        }
    }

    /// That of a search in files, which looks for the whole text.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(Some(text.to_lowercase()).filter(|text| !text.is_empty()).into_iter().collect())
    }

    /// The parts of a text: those that were found, and those between them.
    pub(crate) fn parts<'a>(&self, text: &'a str) -> Vec<FoundPart<'a>> {
        let (mut parts, mut done, mut at) = (Vec::new(), 0, 0);
        let part = |from: usize, to: usize, is_found| {
            text.get(from..to).filter(|text| !text.is_empty()).map(|text| FoundPart { text, is_found })
        };
        while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
            if let Some(end) = self.0.iter().filter_map(|needle| end_of(needle, text, at)).max() {
                parts.extend(part(done, at, false));
                parts.extend(part(at, end, true));
                (done, at) = (end, end);
            } else {
                at += first.len_utf8();
            }
        }
        parts.extend(part(done, text.len(), false));
        parts
    }
}

/// The end of a word in a text in which it begins at `at`, in any letter case. `None` if it does not begin there.
fn end_of(needle: &str, text: &str, at: usize) -> Option<usize> {
    let mut wanted = needle.chars().peekable();
    for (offset, c) in text.get(at..)?.char_indices() {
        if wanted.peek().is_none() {
            return Some(at + offset);
        }
        for lower in c.to_lowercase() {
            if wanted.next() != Some(lower) {
                return None;
            }
        }
    }
    wanted.peek().is_none().then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(needles: &Needles, text: &str) -> String {
        let mark = |part: FoundPart<'_>| if part.is_found { format!("[{}]", part.text) } else { part.text.to_owned() };
        needles.parts(text).into_iter().map(mark).collect()
    }

    #[test]
    fn words_are_found_in_any_case() {
        let words = Needles::of_words("Crank \"two words\"");
        for (text, want) in [
            ("the crank, CRANKS", "the [crank], [CRANK]S"),
            ("two words and two", "[two words] and two"),
            ("none", "none"),
            ("", ""),
        ] {
            assert_eq!(marked(&words, text), want, "{text}");
        }
    }

    #[test]
    fn a_text_is_found_as_a_whole() {
        let text = Needles::of_text("a b");
        assert_eq!(marked(&text, "A B a b ab"), "[A B] [a b] ab");
        // Letters whose lower case is longer, and a text that ends in the middle of the word.
        assert_eq!(marked(&Needles::of_text("i\u{307}x"), "\u{130}X \u{130}"), "[\u{130}X] \u{130}");
        assert_eq!(marked(&Needles::of_text(""), "abc"), "abc");
        assert_eq!(marked(&Needles::of_text("\u{e4}"), "x\u{c4}\u{e4}"), "x[\u{c4}][\u{e4}]");
    }
}
