//! Finds the colours of a text.

use std::fmt;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::class::Class;
use crate::colours::{Colours, Span};
use crate::language::{self, Language};
use crate::scopes::Classifier;
use crate::{MAX_LINE, MAX_TEXT};

/// The syntaxes of all languages, ready to find colours.
///
/// Making one takes about 10 ms; a syntax is unpacked when it is used for the first time, and its regular expressions are
/// compiled when they are, so that memory grows with the languages that were asked for.
pub struct Highlighter {
    syntaxes: SyntaxSet,
    classifier: Classifier,
}

/// Why a text got no colours: it took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TookTooLong;

impl fmt::Display for TookTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("finding the colours took too long")
    }
}

impl std::error::Error for TookTooLong {}

impl Default for Highlighter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Highlighter").finish_non_exhaustive()
    }
}

impl Highlighter {
    /// Loads the list of syntaxes.
    #[must_use]
    pub fn new() -> Self {
        Self { syntaxes: two_face::syntax::extra_newlines(), classifier: Classifier::new() }
    }

    /// The name of the syntax that a text has; `None` for plain text.
    pub fn syntax_name(&self, language: Language<'_>, text: &str) -> Option<&str> {
        language::find(&self.syntaxes, language, text).map(|syntax| syntax.name.as_str())
    }

    /// The colours of a text: none where its language is not known, or it has more than [`MAX_TEXT`] bytes. Lines of more
    /// than [`MAX_LINE`] characters have none.
    ///
    /// # Errors
    /// Where `is_over`, which is asked before each line, says so. One line takes as long as it takes: a caller that must
    /// not wait longer runs this in a process that it can kill.
    pub fn colours(
        &mut self,
        text: &str,
        language: Language<'_>,
        mut is_over: impl FnMut() -> bool,
    ) -> Result<Colours, TookTooLong> {
        let mut colours = Colours::default();
        if text.len() > MAX_TEXT {
            return Ok(colours);
        }
        let Some(syntax) = language::find(&self.syntaxes, language, text) else { return Ok(colours) };
        let mut state = ParseState::new(syntax);
        let mut stack = ScopeStack::new();
        let mut ended = String::new();
        for line in text.lines() {
            if is_over() {
                return Err(TookTooLong);
            }
            if is_long(line) {
                colours.push([]);
                continue;
            }
            // A mark of the order of bytes belongs to no language.
            let code = line.strip_prefix('\u{feff}').filter(|_| colours.lines() == 0).unwrap_or(line);
            ended.clear();
            ended.push_str(code);
            // Syntaxes look for the end of the line, and only for this one.
            ended.push('\n');
            let Ok(operations) = state.parse_line(&ended, &self.syntaxes) else {
                // A syntax that refers to a part that is not there. What was found until then is right.
                break;
            };
            let mut spans = Spans::new(line, line.len() - code.len());
            let mut start = 0;
            for (place, operation) in operations {
                let place = place.min(code.len());
                spans.add(start, place, &mut self.classifier, stack.as_slice());
                start = place.max(start);
                if stack.apply(&operation).is_err() {
                    return Ok(colours.finish());
                }
            }
            spans.add(start, code.len(), &mut self.classifier, stack.as_slice());
            colours.push(spans.found);
        }
        Ok(colours.finish())
    }
}

/// Whether a line has more characters than one with colours may have.
fn is_long(line: &str) -> bool {
    line.len() > MAX_LINE && line.chars().nth(MAX_LINE).is_some()
}

/// The spans of one line, as they are found.
struct Spans<'a> {
    line: &'a str,
    /// Bytes before what the syntax has seen of the line.
    skipped: usize,
    found: Vec<Span>,
}

impl<'a> Spans<'a> {
    fn new(line: &'a str, skipped: usize) -> Self {
        Self { line, skipped, found: Vec::new() }
    }

    /// Adds what is from `start` to `end` and has these scopes. What is next to a span of the same class, but for white
    /// space, becomes part of it.
    fn add(&mut self, start: usize, end: usize, classifier: &mut Classifier, scopes: &[Scope]) {
        let (start, end) = (start + self.skipped, end + self.skipped);
        let Some(text) = self.line.get(start..end) else { return };
        let Some(class) = classifier.class(scopes, text) else { return };
        let start = self.join(start, class);
        self.found.extend(Span::new(start, end, class));
    }

    /// Where a span of this class begins that is found at `start`: where the last one begins, which is then taken out, or
    /// there.
    fn join(&mut self, start: usize, class: Class) -> usize {
        let between = |last: &Span| self.line.get(last.end()..start);
        let joins = |last: &&Span| last.class() == class && between(last).is_some_and(|text| text.trim().is_empty());
        match self.found.last().filter(joins).map(|last| last.start()) {
            Some(earlier) => {
                self.found.pop();
                earlier
            }
            None => start,
        }
    }
}
