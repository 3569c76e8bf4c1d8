//! The meaning of a `search` parameter of a list of groups or namespaces: words, or the full path of one of them.

use super::Search;
use crate::path;

/// A search for groups or namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceSearch {
    /// The words that the name or the path must have.
    pub words: Search,
    /// The full path, in the form in which paths are compared, if the text can be one of several segments.
    pub full_path: Option<String>,
}

impl PlaceSearch {
    /// Reads a search text. `None` for a blank text: no filter.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let words = Search::parse(text)?;
        let asked = text.trim().trim_matches('/');
        let is_path = asked.contains('/') && !asked.contains('\0') && asked.len() <= Search::MAX_TEXT;
        Some(Self { words, full_path: is_path.then(|| path::key(asked)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_slash_can_be_a_full_path() {
        let path = |text: &str| PlaceSearch::parse(text).and_then(|search| search.full_path);
        assert_eq!(path(" Team/Tools "), Some("team/tools".to_owned()));
        assert_eq!(path("/a/b/c/"), Some("a/b/c".to_owned()));
        assert_eq!([path("team"), path("/team/"), path(""), path(" / ")], [None, None, None, None]);
        assert_eq!(path(&format!("a/{}", "b".repeat(2_000))), None);
        assert!(PlaceSearch::parse("team").is_some() && PlaceSearch::parse(" ").is_none());
    }
}
