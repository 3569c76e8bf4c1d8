//! What a `search` parameter means (reference: users-groups-auth-settings, section 8.2).

/// A search, lower-cased. Which columns it is held against is the list's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// Every one of these words, each of three characters or more, must occur in the same column.
    Words(Vec<String>),
    /// No word was long enough: a column must equal this text.
    Exact(String),
}

impl Search {
    /// Words shorter than this do not narrow a search.
    const MIN_WORD: usize = 3;

    /// Reads a search text. A phrase in double quotes is one word. `None` for a blank text: no filter.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return None;
        }
        let words: Vec<String> = text
            .split('"')
            .enumerate()
            .flat_map(|(index, part)| match index % 2 {
                1 => vec![part.trim().to_owned()],
                _ => part.split_whitespace().map(ToOwned::to_owned).collect(),
            })
            .filter(|word| word.chars().count() >= Self::MIN_WORD)
            .collect();
        Some(if words.is_empty() { Self::Exact(text) } else { Self::Words(words) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_narrow_and_short_texts_must_match_wholly() {
        let words = |list: &[&str]| Some(Search::Words(list.iter().map(ToString::to_string).collect()));
        assert_eq!(Search::parse("  "), None);
        assert_eq!(Search::parse("Foo ba bar"), words(&["foo", "bar"]));
        assert_eq!(Search::parse("\"Foo ba\" bar"), words(&["foo ba", "bar"]));
        assert_eq!(Search::parse("Ab"), Some(Search::Exact("ab".into())));
        assert_eq!(Search::parse("100%"), words(&["100%"]));
    }
}
