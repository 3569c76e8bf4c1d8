//! What a `search` parameter means.

pub mod words;

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
    /// A search that is longer is cut here, in characters: people do not type more, and each word costs a comparison a
    /// row.
    const MAX_TEXT: usize = 1000;
    /// Words beyond these are passed over.
    const MAX_WORDS: usize = 10;

    /// Reads a search text. A phrase in double quotes is one word. `None` for a blank text: no filter.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text: String = text.trim().chars().take(Self::MAX_TEXT).collect::<String>().to_lowercase();
        if text.is_empty() {
            return None;
        }
        let mut words: Vec<String> = Vec::new();
        for (index, part) in text.split('"').enumerate() {
            let found: Vec<&str> = if index % 2 == 1 { vec![part.trim()] } else { part.split_whitespace().collect() };
            for word in found {
                let counts = word.chars().count() >= Self::MIN_WORD && words.len() < Self::MAX_WORDS;
                if counts && !words.iter().any(|known| known == word) {
                    words.push(word.to_owned());
                }
            }
        }
        Some(if words.is_empty() { Self::Exact(text) } else { Self::Words(words) })
    }
}

/// `text` as a LIKE pattern (escape character `\`) for "contains this, literally".
#[must_use]
pub fn like_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
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
        assert_eq!(Search::parse("foo foo bar"), words(&["foo", "bar"]));
    }

    #[test]
    fn a_flood_of_words_is_a_short_search() {
        let many: String = (0..20_000).map(|number| format!("word{number} ")).collect();
        assert!(matches!(Search::parse(&many), Some(Search::Words(words)) if words.len() == Search::MAX_WORDS));
        let long = "x".repeat(60_000);
        assert!(matches!(Search::parse(&long), Some(Search::Words(words)) if words == ["x".repeat(Search::MAX_TEXT)]));
    }

    #[test]
    fn metacharacters_of_like_are_literal() {
        assert_eq!(like_pattern(r"50%_\x"), r"%50\%\_\\x%");
    }
}
