//! A line cut into pieces that look the same.

use std::ops::Range;

use crate::class::Class;
use crate::colours::Span;

/// A piece of a line that looks the same from its beginning to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Its text, never empty.
    pub text: &'a str,
    /// Its class; `None` for plain text.
    pub class: Option<Class>,
    /// True if it is among the words that differ.
    pub is_changed: bool,
}

/// The line, cut at each change of its class, and at the ends of words that differ. Together the pieces are the whole line,
/// whatever is passed in. A span or a range that does not fit the line is left out. So is one that begins before the one ahead
/// of it has ended.
pub fn pieces<'a>(line: &'a str, spans: &[Span], changed: &[Range<usize>]) -> Vec<Piece<'a>> {
    let spans = fitting(line, spans.iter().map(|span| (span.start()..span.end(), span.class())));
    let changed = fitting(line, changed.iter().map(|range| (range.clone(), ())));
    let ends = |range: &Range<usize>| [range.start, range.end];
    let mut cuts: Vec<usize> = spans.iter().flat_map(|(range, _)| ends(range)).collect();
    cuts.extend(changed.iter().flat_map(|(range, ())| ends(range)));
    cuts.push(line.len());
    cuts.sort_unstable();
    cuts.dedup();
    let (mut spans, mut changed) = (spans.as_slice(), changed.as_slice());
    let mut pieces = Vec::with_capacity(cuts.len());
    let mut start = 0;
    for end in cuts {
        if let Some(text) = line.get(start..end).filter(|text| !text.is_empty()) {
            let class = covering(&mut spans, start).copied();
            pieces.push(Piece { text, class, is_changed: covering(&mut changed, start).is_some() });
        }
        start = end;
    }
    pieces
}

/// The ranges that lie in the line, do not cut characters, and do not overlap the one before.
fn fitting<T>(line: &str, ranges: impl Iterator<Item = (Range<usize>, T)>) -> Vec<(Range<usize>, T)> {
    let mut last = 0;
    let fits = |(range, _): &(Range<usize>, T)| {
        let fits = range.start >= last && line.get(range.clone()).is_some_and(|text| !text.is_empty());
        if fits {
            last = range.end;
        }
        fits
    };
    ranges.filter(fits).collect()
}

/// The value of the range that covers `place`. Ranges that end before it are dropped.
fn covering<'a, T>(ranges: &mut &'a [(Range<usize>, T)], place: usize) -> Option<&'a T> {
    while let Some(((range, value), rest)) = ranges.split_first() {
        if range.end > place {
            return (range.start <= place).then_some(value);
        }
        *ranges = rest;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(start: usize, end: usize, class: Class) -> Span {
        Span::new(start, end, class).unwrap()
    }

    fn shown(line: &str, spans: &[Span], changed: &[Range<usize>]) -> String {
        let show = |piece: Piece<'_>| {
            let class = piece.class.map_or("-", Class::short_name);
            format!("{class}{}[{}]", if piece.is_changed { "*" } else { "" }, piece.text)
        };
        pieces(line, spans, changed).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_line_is_cut_where_its_look_changes() {
        let spans = [span(0, 2, Class::Keyword), span(3, 7, Class::Function)];
        let cases: [(&[Range<usize>], &str); 4] = [
            (&[], "k[fn] -[ ] f[main] -[()]"),
            (&[5..8, 8..9], "k[fn] -[ ] f[ma] f*[in] -*[(] -*[)]"),
            (&[0..2, 2..9], "k*[fn] -*[ ] f*[main] -*[()]"),
            (&[0..2, 3..7], "k*[fn] -[ ] f*[main] -[()]"),
        ];
        for (changed, want) in cases {
            assert_eq!(shown("fn main()", &spans, changed), want);
        }
        assert_eq!(shown("plain", &[], &[]), "-[plain]");
        assert_eq!(shown("", &[], &[]), "");
    }

    #[test]
    fn what_does_not_fit_the_line_is_left_out() {
        let spans = [span(0, 3, Class::Tag), span(2, 4, Class::String), span(4, 9, Class::String)];
        assert_eq!(shown("abcd", &spans, &[]), "g[abc] -[d]");
        assert_eq!(shown("äb", &[span(1, 3, Class::Tag)], &[]), "-[äb]");
        let reversed = Range { start: 2, end: 1 };
        assert_eq!(shown("abcd", &[], &[reversed, 1..1, 0..1]), "-*[a] -[bcd]");
    }

    proptest! {
        #[test]
        fn the_pieces_of_a_line_are_the_line(
            line in "[a-zäß漢 ]{0,30}",
            spans in proptest::collection::vec((0_usize..40, 1_usize..8), 0..6),
            changed in proptest::collection::vec((0_usize..40, 0_usize..40), 0..6),
        ) {
            let spans: Vec<Span> = spans.iter().map(|(start, length)| span(*start, start + length, Class::Tag)).collect();
            let changed: Vec<Range<usize>> = changed.iter().map(|(start, end)| *start..*end).collect();
            let pieces = pieces(&line, &spans, &changed);
            prop_assert_eq!(pieces.iter().map(|piece| piece.text).collect::<String>(), line.as_str());
            prop_assert!(pieces.iter().all(|piece| !piece.text.is_empty()));
        }
    }
}
