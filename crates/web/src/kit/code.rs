//! Lines of code as pages show them: words with their colours, and the words that differ from another line.

use std::ops::Range;
use std::sync::Arc;

use tenon_app::highlighter::{Class, Colours, Span, pieces};

/// A part of a line that looks the same throughout.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    /// Its class in the style sheet. Empty for plain text.
    pub(crate) class: &'static str,
    /// True if it differs from the corresponding line of the other side.
    pub(crate) differs: bool,
}

/// The words of a line: these spans have colours, and these ranges differ.
pub(crate) fn words<'a>(line: &'a str, spans: &[Span], changed: &[Range<usize>]) -> Vec<Word<'a>> {
    let word = |piece: tenon_app::highlighter::Piece<'a>| Word {
        text: piece.text,
        class: piece.class.map_or("", in_styles),
        differs: piece.is_changed,
    };
    pieces(line, spans, changed).into_iter().map(word).collect()
}

/// The name of a class in the style sheet.
const fn in_styles(class: Class) -> &'static str {
    match class {
        Class::Keyword => "hl-keyword",
        Class::String => "hl-string",
        Class::Comment => "hl-comment",
        Class::Number => "hl-number",
        Class::Constant => "hl-constant",
        Class::Type => "hl-type",
        Class::Function => "hl-function",
        Class::Attribute => "hl-attribute",
        Class::Tag => "hl-tag",
        Class::Heading => "hl-heading",
        Class::Inserted => "hl-inserted",
        Class::Deleted => "hl-deleted",
    }
}

/// Lines of a file that follow each other, with their colours.
pub(crate) struct Lines {
    text: Arc<str>,
    colours: Option<Arc<Colours>>,
    skipped: usize,
    shown: usize,
}

impl Lines {
    /// At most `shown` lines of `text` from its first one on. They are plain if there are no `colours`.
    pub(crate) fn new(text: Arc<str>, colours: Option<Arc<Colours>>, shown: usize) -> Self {
        Self { text, colours, skipped: 0, shown }
    }

    /// The same number of lines, after skipping the first `skipped` ones.
    pub(crate) fn behind(self, skipped: usize) -> Self {
        Self { skipped, ..self }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() || self.shown == 0
    }

    /// The words of each line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Vec<Word<'_>>> {
        let spans = |number| self.colours.as_ref().map_or(&[][..], |colours| colours.line(number));
        let lines = self.text.lines().enumerate().skip(self.skipped).take(self.shown);
        lines.map(move |(number, line)| words(line, spans(number), &[]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_colours_are_one_word_each() {
        let lines = Lines::new("let a;\n\nb".into(), None, 2);
        let words: Vec<Vec<Word<'_>>> = lines.lines().collect();
        assert_eq!(words, [vec![Word { text: "let a;", class: "", differs: false }], vec![]]);
        let rest = lines.behind(2);
        let words: Vec<Vec<Word<'_>>> = rest.lines().collect();
        assert_eq!(words, [vec![Word { text: "b", class: "", differs: false }]]);
    }

    #[test]
    fn words_that_differ_are_marked_and_nothing_is_lost() {
        let line = "old(word);";
        let found = words(line, &[], std::slice::from_ref(&(4..8)));
        let marked: Vec<&str> = found.iter().filter(|word| word.differs).map(|word| word.text).collect();
        assert_eq!(marked, ["word"]);
        assert_eq!(found.iter().map(|word| word.text).collect::<String>(), line);
    }
}
