//! The notes of a long discussion that a page shows: the first and the last ones, or those that its address asks for.

use std::ops::Range;

use crate::parameters::Parameters;
use crate::words::count;

/// The most notes of one discussion that a page shows.
const MOST: usize = 50;
/// How many of them are the first ones, where the middle is left out.
const FIRST: usize = 10;

/// A part of a discussion that an address asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    discussion: String,
    from: usize,
}

impl Excerpt {
    pub(crate) fn parse(query: &Parameters) -> Option<Self> {
        let from = query.number("from").and_then(|number| usize::try_from(number).ok());
        Some(Self { discussion: query.text("discussion")?.to_owned(), from: from.unwrap_or(0) })
    }
}

/// Notes of a discussion that are left out, and the link that shows some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The number of notes on the page that stand before the link.
    pub(crate) after: usize,
    pub(crate) words: String,
    /// The first note that the link shows.
    pub(crate) from: usize,
}

/// Which of the notes of a discussion are shown, in two parts of which the second may be empty, and links to the others. A note whose form is `open` is among them.
pub(crate) fn shown(
    discussion: &str,
    notes: usize,
    part: Option<&Excerpt>,
    open: Option<usize>,
) -> ([Range<usize>; 2], Vec<Gap>) {
    if notes <= MOST {
        return ([0..notes, notes..notes], Vec::new());
    }
    let last = notes - (MOST - FIRST);
    let asked = part.filter(|part| part.discussion == discussion && part.from < notes).map(|part| part.from);
    let hidden = open.filter(|at| (FIRST..last).contains(at)).map(|at| at / MOST * MOST);
    let comments = |number: usize| count(i64::try_from(number).unwrap_or(i64::MAX), "comment", "comments");
    let Some(from) = hidden.or(asked) else {
        let words = format!("Show {} between", comments(last - FIRST));
        return ([0..FIRST, last..notes], vec![Gap { after: FIRST, words, from: FIRST }]);
    };
    let to = notes.min(from + MOST);
    let before = Gap { after: 0, words: format!("Show {} before", comments(from)), from: from.saturating_sub(MOST) };
    let behind = Gap { after: to - from, words: format!("Show {} after", comments(notes - to)), from: to };
    let gaps = [(from > 0).then_some(before), (to < notes).then_some(behind)];
    ([from..to, to..to], gaps.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_discussion_is_shown_in_parts() {
        let part = |from: usize| Excerpt { discussion: "d".to_owned(), from };
        let gap = |after: usize, words: &str, from: usize| Gap { after, words: words.to_owned(), from };
        assert_eq!(shown("d", 50, None, None), ([0..50, 50..50], vec![]));
        let ends = ([0..10, 80..120], vec![gap(10, "Show 70 comments between", 10)]);
        assert_eq!(shown("d", 120, None, None), ends);
        assert_eq!(shown("other", 120, Some(&part(10)), None), ends);
        assert_eq!(shown("d", 120, Some(&part(120)), None), ends);
        let middle =
            ([10..60, 60..60], vec![gap(0, "Show 10 comments before", 0), gap(50, "Show 60 comments after", 60)]);
        assert_eq!(shown("d", 120, Some(&part(10)), None), middle);
        assert_eq!(
            shown("d", 120, Some(&part(119)), None),
            ([119..120, 120..120], vec![gap(0, "Show 119 comments before", 69)])
        );
        assert_eq!(
            shown("d", 120, Some(&part(0)), None),
            ([0..50, 50..50], vec![gap(50, "Show 70 comments after", 50)])
        );
        // The form of a note in the middle is shown.
        assert_eq!(shown("d", 120, None, Some(60)).0, [50..100, 100..100]);
        assert_eq!(shown("d", 120, None, Some(90)), ends);
        assert_eq!(shown("d", 51, None, None).1, vec![gap(10, "Show 1 comment between", 10)]);
    }

    #[test]
    fn an_address_names_a_part() {
        let parse = |query: &str| {
            Excerpt::parse(&Parameters::new(tenon_edge::param_map::ParamMap::from_query(query.as_bytes()).unwrap()))
        };
        assert_eq!(parse("discussion=d&from=10"), Some(Excerpt { discussion: "d".to_owned(), from: 10 }));
        assert_eq!(parse("discussion=d&from=-1"), Some(Excerpt { discussion: "d".to_owned(), from: 0 }));
        assert_eq!(parse("from=10"), None);
    }
}
