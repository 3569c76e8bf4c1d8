//! Finds the colours of a text.

use std::fmt;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::class::Class;
use crate::colours::{Colours, Span};
use crate::fence::{self, Fence};
use crate::language::{self, Language};
use crate::scopes::Classifier;
use crate::{MAX_LINE, MAX_TEXT};

/// The syntaxes of all languages, ready to find colours.
///
/// Making one takes 2 ms. A syntax is unpacked when it is used for the first time, and so its regular expressions are compiled
/// then. Memory therefore grows with the languages of the requests.
pub struct Highlighter {
    syntaxes: SyntaxSet,
    classifier: Classifier,
}

/// The reason why a text got no colours: it took too long.
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

    /// The name of the syntax of a text; `None` for plain text.
    pub fn syntax_name(&self, language: Language<'_>, text: &str) -> Option<&str> {
        language::find(&self.syntaxes, language, text).map(|syntax| syntax.name.as_str())
    }

    /// The colours of a text. There are none if its language is not known, or if it has more than [`MAX_TEXT`] bytes. Lines of
    /// more than [`MAX_LINE`] characters have none.
    ///
    /// # Errors
    /// If `is_over`, which is asked before each line, says so. The time of one line has no bound. A caller that must not wait
    /// longer runs this in a process that it can kill.
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
        let Self { syntaxes, classifier } = self;
        let Some(syntax) = language::find(syntaxes, language, text) else { return Ok(colours) };
        let mut parser = Parser::new(syntax);
        let has_blocks = syntax.name == "Markdown";
        // A block of code, with the parser of its language.
        let mut block: Option<(Fence, Option<Parser>)> = None;
        for line in text.lines() {
            if is_over() {
                return Err(TookTooLong);
            }
            let spans = if is_long(line) {
                Some(Vec::new())
            } else if let Some((fence, inner)) = &mut block {
                if fence.is_closed_by(line) {
                    block = None;
                    Some(Vec::new())
                } else {
                    inner.as_mut().map_or(Some(Vec::new()), |inner| inner.line(line, 0, syntaxes, classifier))
                }
            } else if let Some((fence, words)) = Fence::opened_by(line).filter(|_| has_blocks) {
                let named = line.get(words.clone()).map(fence::language).unwrap_or_default();
                let inner = language::find(syntaxes, Language::Named(named), "");
                block = Some((fence, inner.map(Parser::new)));
                // A block ends the paragraph before it.
                parser.line("", 0, syntaxes, classifier).map(|mut spans| {
                    spans.extend(Span::new(words.start, words.end, Class::Constant));
                    spans
                })
            } else {
                // A mark of the order of bytes belongs to no language.
                let is_marked = colours.lines() == 0 && line.starts_with('\u{feff}');
                parser.line(line, if is_marked { '\u{feff}'.len_utf8() } else { 0 }, syntaxes, classifier)
            };
            // The spans that were found until then are right.
            let Some(spans) = spans else { break };
            colours.push(spans);
        }
        Ok(colours.finish())
    }
}

/// The state of the parser in a text.
struct Parser {
    state: ParseState,
    scopes: ScopeStack,
    /// The line with its end.
    ended: String,
}

impl Parser {
    fn new(syntax: &SyntaxReference) -> Self {
        Self { state: ParseState::new(syntax), scopes: ScopeStack::new(), ended: String::new() }
    }

    /// The spans of the next line, whose first `skipped` bytes are not code. `None` if a syntax is not complete, so that it
    /// cannot go on.
    fn line(
        &mut self,
        line: &str,
        skipped: usize,
        syntaxes: &SyntaxSet,
        classifier: &mut Classifier,
    ) -> Option<Vec<Span>> {
        let code = line.get(skipped..)?;
        self.ended.clear();
        self.ended.push_str(code);
        // Syntaxes know one end of a line, which is this one.
        self.ended.push('\n');
        let operations = self.state.parse_line(&self.ended, syntaxes).ok()?;
        let mut spans = Spans { line, skipped, found: Vec::new() };
        let mut start = 0;
        for (place, operation) in operations {
            let place = place.min(code.len());
            spans.add(start, place, classifier, self.scopes.as_slice());
            start = place.max(start);
            self.scopes.apply(&operation).ok()?;
        }
        spans.add(start, code.len(), classifier, self.scopes.as_slice());
        Some(spans.found)
    }
}

/// True if a line has more characters than one with colours may have.
fn is_long(line: &str) -> bool {
    line.len() > MAX_LINE && line.chars().nth(MAX_LINE).is_some()
}

/// The spans of one line, as they are found.
struct Spans<'a> {
    line: &'a str,
    /// The bytes of the line before the part that the syntax has seen.
    skipped: usize,
    found: Vec<Span>,
}

impl Spans<'_> {
    /// Adds the part from `start` to `end`, which has these scopes. A part that follows a span of the same class, but for white
    /// space, becomes part of it.
    fn add(&mut self, start: usize, end: usize, classifier: &mut Classifier, scopes: &[Scope]) {
        let (start, end) = (start + self.skipped, end + self.skipped);
        let Some(text) = self.line.get(start..end) else { return };
        let Some(class) = classifier.class(scopes, text) else { return };
        let start = self.join(start, class);
        self.found.extend(Span::new(start, end, class));
    }

    /// The beginning of a span of this class that is found at `start`. If it continues the last span, that one is taken out,
    /// and the result is its beginning.
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
