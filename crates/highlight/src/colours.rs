//! Ranges of a text with their classes, line by line.

use crate::class::Class;

/// A piece of one line, in bytes from the beginning of that line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u16,
    end: u16,
    class: Class,
}

impl Span {
    /// The span from `start` to `end`; `None` if it is empty, or lies behind the longest line with colours.
    pub(crate) fn new(start: usize, end: usize, class: Class) -> Option<Self> {
        let (start, end) = (u16::try_from(start).ok()?, u16::try_from(end).ok()?);
        (start < end).then_some(Self { start, end, class })
    }

    /// Its beginning.
    #[must_use]
    pub fn start(self) -> usize {
        self.start.into()
    }

    /// Its end.
    #[must_use]
    pub fn end(self) -> usize {
        self.end.into()
    }

    /// Its class.
    #[must_use]
    pub const fn class(self) -> Class {
        self.class
    }
}

/// The colours of a text. The default has none, as every plain text has.
///
/// Lines are those of [`str::lines`], counted from 0. The spans of a line are sorted and do not overlap. They lie within the
/// line without its end, and begin and end between characters. This holds for the text for which they were found. For other
/// texts, [`pieces`](crate::pieces) leaves out spans that do not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colours {
    /// The end of the spans of each line. Plain lines at the end of the text have no entry.
    ends: Vec<u32>,
    spans: Vec<Span>,
}

impl Colours {
    /// The spans of a line; none for a plain line and for one that the text does not have.
    #[must_use]
    pub fn line(&self, number: usize) -> &[Span] {
        let at = |number: usize| self.ends.get(number).and_then(|end| usize::try_from(*end).ok());
        let start = number.checked_sub(1).map_or(Some(0), at);
        start.zip(at(number)).and_then(|(start, end)| self.spans.get(start..end)).unwrap_or_default()
    }

    /// True if no line has colours.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.spans.is_empty()
    }

    /// The number of lines up to the last one with colours.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.ends.len() * size_of::<u32>() + self.spans.len() * size_of::<Span>() + size_of::<Self>()
    }

    /// Adds the next line.
    pub(crate) fn push(&mut self, line: impl IntoIterator<Item = Span>) {
        self.spans.extend(line);
        // A text of 512 KiB has fewer spans than that.
        self.ends.push(u32::try_from(self.spans.len()).unwrap_or(u32::MAX));
    }

    /// Drops plain lines at the end, and memory that is not used.
    pub(crate) fn finish(mut self) -> Self {
        let spans = self.ends.last().copied().unwrap_or_default();
        let used = self.ends.partition_point(|end| *end < spans);
        self.ends.truncate(if spans == 0 { 0 } else { used + 1 });
        self.ends.shrink_to_fit();
        self.spans.shrink_to_fit();
        self
    }

    /// True if these can be the colours of `text`, as the type promises.
    #[must_use]
    pub fn fit(&self, text: &str) -> bool {
        let mut lines = text.lines();
        (0..self.lines()).all(|number| lines.next().is_some_and(|line| fit_line(self.line(number), line)))
    }
}

fn fit_line(spans: &[Span], line: &str) -> bool {
    let mut last = 0;
    spans.iter().all(|span| {
        let follows = span.start() >= last;
        last = span.end();
        // Fails if a boundary cuts a character or lies behind the line.
        follows && line.get(span.start()..span.end()).is_some_and(|piece| !piece.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: usize) -> Span {
        Span::new(start, end, Class::String).unwrap()
    }

    fn colours(lines: &[&[Span]]) -> Colours {
        let mut colours = Colours::default();
        for line in lines {
            colours.push(line.iter().copied());
        }
        colours.finish()
    }

    #[test]
    fn each_line_has_its_spans_and_plain_lines_at_the_end_take_no_room() {
        let colours = colours(&[&[], &[span(0, 1), span(2, 3)], &[], &[span(1, 2)], &[], &[]]);
        assert_eq!(colours.lines(), 4);
        let starts = |number| colours.line(number).iter().map(|span| span.start()).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3, 4, 9].map(starts), [vec![], vec![0, 2], vec![], vec![1], vec![], vec![]]);
    }

    #[test]
    fn a_text_without_colours_is_plain() {
        let plain = colours(&[&[], &[], &[]]);
        assert_eq!(plain, Colours::default());
        assert!(plain.is_plain() && plain.line(0).is_empty() && plain.fit(""));
    }

    #[test]
    fn spans_fit_a_text_whose_lines_and_characters_they_do_not_cut() {
        assert!(colours(&[&[span(0, 2), span(2, 3)]]).fit("abc\n"));
        for (line, text) in [
            (vec![span(0, 2), span(1, 3)], "abc"),
            (vec![span(1, 3), span(0, 1)], "abc"),
            (vec![span(0, 4)], "abc\nd"),
            (vec![span(0, 1)], "ä"),
            (vec![span(0, 1)], ""),
        ] {
            assert!(!colours(&[&line]).fit(text), "{line:?} {text:?}");
        }
        assert!(!colours(&[&[], &[span(0, 1)]]).fit("abc"), "a line that is not there");
    }

    #[test]
    fn a_span_is_neither_empty_nor_longer_than_any_line_with_colours() {
        assert_eq!(Span::new(3, 3, Class::Tag), None);
        assert_eq!(Span::new(4, 3, Class::Tag), None);
        assert_eq!(Span::new(0, 70_000, Class::Tag), None);
    }
}
