//! The notes of a long discussion that a page shows: the first and the last ones, or those that its address asks for.

use std::ops::Range;

use tenon_domain::id::NoteId;
use tenon_domain::note::Note;

use crate::kit::parameters::Parameters;
use crate::kit::words::count;

/// The most notes of one discussion that a page shows.
const MOST: usize = 50;
/// The number of first notes, if the middle is left out.
const FIRST: usize = 10;

/// The parts of long discussions that a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The discussion that the address asks for, and the index of its first note that is shown.
    part: Option<(String, usize)>,
    /// A note that has to be shown: the one whose form is open, or the one that the address names.
    note: Option<NoteId>,
}

impl Excerpt {
    /// The part that an address asks for. The form of the note `open` is shown.
    pub(crate) fn parse(query: &Parameters, open: Option<NoteId>) -> Self {
        let from = query.number("from").and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        let named = || query.number("edit_note").or_else(|| query.number("note")).map(NoteId::new);
        Self { part: query.text("discussion").map(|id| (id.to_owned(), from)), note: open.or_else(named) }
    }

    /// The notes of a discussion that are shown, by their indexes.
    pub(crate) fn kept(&self, notes: &[Note]) -> Vec<Range<usize>> {
        let id = notes.first().map_or("", |note| note.discussion.as_str());
        let from = self.part.as_ref().filter(|(named, _)| named == id).map(|(_, from)| *from);
        kept(notes.len(), from, notes.iter().position(|note| Some(note.id) == self.note))
    }
}

/// The first and the last notes of a discussion, or those behind `from`. The note at `named` is among them.
fn kept(length: usize, from: Option<usize>, named: Option<usize>) -> Vec<Range<usize>> {
    if length <= MOST {
        return std::iter::once(0..length).collect();
    }
    let part = |from: usize| std::iter::once(from..length.min(from + MOST)).collect();
    let ends = vec![0..FIRST, length - (MOST - FIRST)..length];
    let asked = from.filter(|from| *from < length).map_or_else(|| ends.clone(), part);
    let has = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
    match named {
        Some(at) if !has(&asked, at) && has(&ends, at) => ends,
        Some(at) if !has(&asked, at) => part(at / MOST * MOST),
        Some(_) | None => asked,
    }
}

/// Notes of a discussion that are left out, and the link that shows some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The number of shown notes before the link.
    pub(crate) after: usize,
    pub(crate) words: String,
    /// The first note that the link shows.
    pub(crate) from: usize,
}

/// The links to the notes of a discussion of this length that are not shown.
pub(crate) fn gaps(kept: &[Range<usize>], length: usize) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let (mut shown, mut next) = (0, 0);
    for range in kept.iter().cloned().chain(std::iter::once(length..length)) {
        if range.start > next {
            let (is_first, is_last) = (shown == 0, range.start == length);
            let whole = range.start - next;
            let comments = count(i64::try_from(whole).unwrap_or(i64::MAX), "comment", "comments");
            let some = if whole > MOST { format!("{MOST} of {comments}") } else { comments };
            let place = match (is_first, is_last) {
                (true, _) => "before",
                (false, true) => "after",
                (false, false) => "between",
            };
            // A link before all shown notes shows the last of its notes: those next to the shown ones.
            let from = if is_first { range.start.saturating_sub(MOST) } else { next };
            gaps.push(Gap { after: shown, words: format!("Show {some} {place}"), from });
        }
        shown += range.len();
        next = range.end;
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_discussion_is_shown_in_parts() {
        let gap = |after: usize, words: &str, from: usize| Gap { after, words: words.to_owned(), from };
        let shown = |length: usize, from: Option<usize>, named: Option<usize>| {
            let kept = kept(length, from, named);
            let gaps = gaps(&kept, length);
            (kept, gaps)
        };
        assert_eq!(shown(50, None, None), (std::iter::once(0..50).collect(), vec![]));
        let ends = (vec![0..10, 80..120], vec![gap(10, "Show 50 of 70 comments between", 10)]);
        assert_eq!(shown(120, None, None), ends);
        assert_eq!(shown(120, Some(120), None), ends);
        let one = |from: usize, to: usize, gaps: Vec<Gap>| (std::iter::once(from..to).collect::<Vec<_>>(), gaps);
        let middle = vec![gap(0, "Show 10 comments before", 0), gap(50, "Show 50 of 60 comments after", 60)];
        assert_eq!(shown(120, Some(10), None), one(10, 60, middle));
        let last = vec![gap(0, "Show 50 of 119 comments before", 69)];
        assert_eq!(shown(120, Some(119), None), one(119, 120, last));
        assert_eq!(shown(120, Some(0), None), one(0, 50, vec![gap(50, "Show 50 of 70 comments after", 50)]));
        assert_eq!(shown(51, None, None).1, vec![gap(10, "Show 1 comment between", 10)]);
        // A named note is shown, even if the requested part lacks it.
        assert_eq!(kept(120, None, Some(60)), one(50, 100, vec![]).0);
        assert_eq!(kept(120, None, Some(90)), ends.0);
        assert_eq!(kept(120, Some(60), Some(5)), ends.0);
        assert_eq!(kept(120, Some(60), Some(61)), one(60, 110, vec![]).0);
        assert_eq!(kept(120, Some(60), Some(30)), one(0, 50, vec![]).0);
    }

    #[test]
    fn an_address_names_a_part_or_a_note() {
        let parse = |query: &str, open: Option<i64>| {
            let query = tenon_edge::param_map::ParamMap::from_query(query.as_bytes()).unwrap();
            Excerpt::parse(&Parameters::new(query), open.map(NoteId::new))
        };
        let part = |from: usize| Excerpt { part: Some(("d".to_owned(), from)), note: None };
        assert_eq!((parse("discussion=d&from=10", None), parse("discussion=d&from=-1", None)), (part(10), part(0)));
        let note = |id: i64| Excerpt { part: None, note: Some(NoteId::new(id)) };
        assert_eq!((parse("from=10&note=7", None), parse("note=7&edit_note=8", None)), (note(7), note(8)));
        assert_eq!((parse("note=7", Some(9)), parse("note=x", None)), (note(9), Excerpt::default()));
    }
}
