//! The meaning of a `search` parameter.

mod place;
pub mod words;

pub use place::PlaceSearch;

/// A search, lower-cased. Which columns it is held against is the list's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// Every one of these words must occur in the same column, each of three characters or more, or with a sign ([`words::is_sign`]).
    Words(Vec<String>),
    /// There was no such word: every one of these, of one or two characters, must be a word of the same column.
    ShortWords(Vec<String>),
}

impl Search {
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
        let (mut words, mut short): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for (index, part) in text.split('"').enumerate() {
            let found: Vec<&str> = if index % 2 == 1 { vec![part.trim()] } else { part.split_whitespace().collect() };
            for word in found.into_iter().filter(|word| !word.is_empty()) {
                let narrows = word.chars().nth(words::SHORTEST - 1).is_some() || word.contains(words::is_sign);
                let list = if narrows { &mut words } else { &mut short };
                if list.len() < Self::MAX_WORDS && !list.iter().any(|known| known == word) {
                    list.push(word.to_owned());
                }
            }
        }
        Some(match (words.is_empty(), short.is_empty()) {
            (false, _) => Self::Words(words),
            (true, false) => Self::ShortWords(short),
            // Nothing but quotation marks.
            (true, true) => Self::Words(vec![text]),
        })
    }

    /// The words as one text.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Words(words) | Self::ShortWords(words) => words.join(" "),
        }
    }

    /// True if a text, lower-cased, has what is searched.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        match self {
            Self::Words(words) => words.iter().all(|word| text.contains(word)),
            Self::ShortWords(words) => words.iter().all(|word| Self::has_short(text, word)),
        }
    }

    /// `c#` is not in `abc#`, and `ci` is not in `science`.
    fn has_short(text: &str, word: &str) -> bool {
        text.contains(word) && words::runs(word).all(|run| words::has_word(text, run))
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
    fn long_words_narrow_and_short_ones_count_where_there_are_no_others() {
        let words = |list: &[&str]| Some(Search::Words(list.iter().map(ToString::to_string).collect()));
        assert_eq!(Search::parse("  "), None);
        assert_eq!(Search::parse("Foo ba bar"), words(&["foo", "bar"]));
        assert_eq!(Search::parse("\"Foo ba\" bar"), words(&["foo ba", "bar"]));
        let short = |list: &[&str]| Some(Search::ShortWords(list.iter().map(ToString::to_string).collect()));
        assert_eq!(Search::parse("Ab"), short(&["ab"]));
        assert_eq!(Search::parse("x CI \"c#\" x"), short(&["x", "ci", "c#"]));
        assert_eq!(Search::parse("日本 go crash"), words(&["日本", "crash"]));
        assert_eq!(Search::parse("🚀"), words(&["🚀"]));
        assert_eq!(Search::parse("\"\""), words(&["\"\""]));
        assert_eq!(Search::parse("100%"), words(&["100%"]));
        assert_eq!(Search::parse("foo foo bar"), words(&["foo", "bar"]));
    }

    #[test]
    fn a_search_finds_parts_of_words_and_short_words() {
        for (text, search, found) in [
            ("the timeout of the ci", "timeout", true),
            ("the timeout of the ci", "meou ci", true),
            ("the timeout of the ci", "CI", true),
            ("science", "ci", false),
            ("the timeout of the ci", "ci of", true),
            ("the timeout of the ci", "ci no", false),
            ("written in c#, not in c++", "c#", true),
            ("abc#", "c#", false),
            ("日本語の検索", "検索", true),
            ("日本語の検索", "の", true),
            ("日本語の検索", "検の", false),
            ("ship it🚀now", "🚀", true),
            ("a & b", "&", true),
        ] {
            assert_eq!(Search::parse(search).is_some_and(|search| search.finds(text)), found, "{search} in {text}");
        }
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
