//! The place of a piece of parsed text in the source.

use std::collections::HashMap;
use std::ops::Range;

use comrak::nodes::{LineColumn, Sourcepos};

use crate::Reference;
use crate::scan::Piece;

/// Finds the bytes of the source. The parser's positions are exact with three exceptions: text with entities, text in
/// tables with escaped bars, and paragraphs that begin with definitions of links. There, references are searched for in
/// the source.
pub(crate) struct Spans<'a> {
    source: &'a str,
    base: Option<&'a str>,
    /// The byte at which each line begins.
    lines: Vec<usize>,
    /// The end of the reference found last.
    cursor: usize,
    /// All that looks like a reference (in code as well); made when first needed.
    everywhere: Option<HashMap<Reference, Vec<Range<usize>>>>,
}

impl<'a> Spans<'a> {
    pub(crate) fn new(source: &'a str, base: Option<&'a str>) -> Self {
        let bytes = source.as_bytes();
        let ends_line = |at: usize, byte: u8| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let ends = bytes.iter().enumerate().filter(|(at, byte)| ends_line(*at, **byte));
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { source, base, lines, cursor: 0, everywhere: None }
    }

    /// The text in the source at the parser's position.
    pub(crate) fn written(&self, position: Sourcepos) -> Option<(usize, &'a str)> {
        let start = self.offset(position.start)?;
        // The parser's columns count from one, and the last one belongs to the text.
        let end = self.offset(position.end)? + 1;
        Some((start, self.source.get(start..end)?))
    }

    /// Takes a place for a reference; false if it is taken already.
    pub(crate) fn take(&mut self, place: &Range<usize>) -> bool {
        let is_free = place.start >= self.cursor;
        if is_free {
            self.cursor = place.end;
        }
        is_free
    }

    /// The next place in this line, from the column on, that reads like `reference`. `None` if it does not stand there
    /// as such: it was made of entities then, and is not meant.
    pub(crate) fn search(&mut self, reference: &Reference, from: LineColumn) -> Option<Range<usize>> {
        let start = self.offset(from)?.max(self.cursor);
        let end = self.lines.get(from.line).copied().unwrap_or(self.source.len());
        let (source, base) = (self.source, self.base);
        let everywhere = self.everywhere.get_or_insert_with(|| {
            let mut places: HashMap<Reference, Vec<Range<usize>>> = HashMap::new();
            for found in (Piece { text: source, is_source: true, before: None, after: None, base }).references() {
                places.entry(found.reference).or_default().push(found.range);
            }
            places
        });
        let places = everywhere.get(reference)?;
        let next = places.get(places.partition_point(|place| place.start < start))?;
        (next.end <= end).then(|| next.clone())
    }

    /// True if the definition of a link may begin here.
    pub(crate) fn may_define(&self, position: LineColumn) -> bool {
        self.offset(position).and_then(|start| self.source.get(start..)).is_some_and(|text| text.starts_with('['))
    }

    fn offset(&self, position: LineColumn) -> Option<usize> {
        Some(self.lines.get(position.line.checked_sub(1)?)? + position.column.checked_sub(1)?)
    }
}
