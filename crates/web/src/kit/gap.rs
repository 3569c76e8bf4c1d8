//! Lines of a file that a difference leaves out, and the address of a page that shows some of them.

use super::parameters::Parameters;

/// Lines that one link shows.
const STEP: u64 = 20;

/// The most lines that one answer shows, whatever its address asks for.
pub(crate) const MOST: u64 = 100;

/// Lines next to each other that a difference leaves out. Their numbers are those of the file after the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) first: u64,
    /// The last of them. None if they go on to the end of the file.
    pub(crate) last: Option<u64>,
    /// The number of lines by which their numbers are higher than before the change.
    pub(crate) offset: i64,
}

impl Gap {
    /// The lines that a link shows: those next to lines that are already shown.
    fn next(self) -> (u64, u64) {
        match self.last {
            Some(last) => (last.saturating_sub(STEP - 1).max(self.first), last),
            None => (self.first, self.first.saturating_add(STEP - 1)),
        }
    }

    /// The text of the link.
    pub(crate) fn words(&self) -> String {
        match (self.next(), self.last) {
            (_, None) => "Show more lines".to_owned(),
            ((first, last), Some(_)) if first == last => format!("Show line {first}"),
            ((first, last), Some(_)) => format!("Show lines {first} to {last}"),
        }
    }

    /// The address of these lines, below that of the file.
    pub(crate) fn below(&self, is_parallel: bool) -> String {
        let (since, to) = self.next();
        let above = if since > self.first { format!("&first={}", self.first) } else { String::new() };
        let end = if self.last.is_none() { "&bottom=true" } else { "" };
        let mode = if is_parallel { "&view=parallel" } else { "" };
        format!("/diff?since={since}&to={to}&offset={}{above}{end}{mode}", self.offset)
    }
}

/// The lines that an address asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GapRequest {
    pub(crate) since: u64,
    pub(crate) to: u64,
    offset: i64,
    /// The first line that is not shown yet, if it is above these.
    first: Option<u64>,
    /// True if they follow the last lines of the difference.
    is_bottom: bool,
}

impl GapRequest {
    /// The lines that an address asks for. None if the address names no lines, or if the last one lies above the first.
    pub(crate) fn parse(query: &Parameters) -> Option<Self> {
        let number = |name: &str| query.number(name).and_then(|number| u64::try_from(number).ok());
        let since = number("since")?;
        let to = number("to").filter(|to| *to >= since)?;
        Some(Self {
            since,
            to: to.min(since.saturating_add(MOST - 1)),
            offset: query.text("offset").and_then(|text| text.parse().ok()).unwrap_or(0),
            first: number("first").filter(|first| *first < since),
            is_bottom: query.text("bottom") == Some("true"),
        })
    }

    /// The number of requested lines.
    pub(crate) fn count(&self) -> usize {
        usize::try_from((self.to + 1).saturating_sub(self.since)).unwrap_or(0)
    }

    /// The number that a line had before the change.
    pub(crate) fn before(&self, number: u64) -> Option<i64> {
        i64::try_from(number).ok()?.checked_sub(self.offset).filter(|number| *number > 0)
    }

    /// True if the file ends above these lines. It then has none of them, and those above are already shown.
    pub(crate) fn is_past_end(&self, lines: usize) -> bool {
        self.is_bottom && u64::try_from(lines).is_ok_and(|lines| lines < self.since)
    }

    /// The gap above these lines.
    pub(crate) fn above(&self) -> Option<Gap> {
        self.first.map(|first| Gap { first, last: Some(self.since - 1), offset: self.offset })
    }

    /// The gap below these lines, in a file of this length.
    pub(crate) fn below(&self, lines: usize) -> Option<Gap> {
        let has_more = u64::try_from(lines).is_ok_and(|lines| lines > self.to);
        (self.is_bottom && has_more).then(|| Gap { first: self.to + 1, last: None, offset: self.offset })
    }
}

#[cfg(test)]
mod tests {
    use tenon_edge::param_map::ParamMap;

    use super::*;

    fn wanted(query: &str) -> Option<GapRequest> {
        GapRequest::parse(&Parameters::new(ParamMap::from_query(query.as_bytes()).unwrap()))
    }

    #[test]
    fn a_link_asks_for_the_lines_next_to_those_that_are_shown() {
        let gap = Gap { first: 3, last: Some(50), offset: -2 };
        assert_eq!(gap.below(false), "/diff?since=31&to=50&offset=-2&first=3");
        assert_eq!(gap.words(), "Show lines 31 to 50");
        let all = Gap { first: 45, ..gap };
        assert_eq!(all.below(true), "/diff?since=45&to=50&offset=-2&view=parallel");
        assert_eq!(Gap { first: 50, ..gap }.words(), "Show line 50");
        let end = Gap { last: None, ..gap };
        assert_eq!(end.below(false), "/diff?since=3&to=22&offset=-2&bottom=true");
    }

    #[test]
    fn what_is_left_out_then_follows_from_the_address() {
        let above = wanted("since=31&to=50&offset=-2&first=3").unwrap();
        assert_eq!((above.count(), above.before(31)), (20, Some(33)));
        assert_eq!(above.above(), Some(Gap { first: 3, last: Some(30), offset: -2 }));
        assert_eq!(above.below(100), None);
        let end = wanted("since=3&to=22&offset=5&bottom=true").unwrap();
        assert_eq!((end.before(3), end.before(6)), (None, Some(1)));
        assert_eq!((end.below(22), end.below(23)), (None, Some(Gap { first: 23, last: None, offset: 5 })));
        assert!(end.is_past_end(2) && !end.is_past_end(3) && !above.is_past_end(0));
        assert_eq!(wanted("since=1&to=9223372036854775807").unwrap().count(), 100);
        assert_eq!(wanted("since=7&to=7").unwrap().count(), 1);
        for odd in ["", "since=1", "to=1", "since=0&to=1", "since=x&to=2", "since=-1&to=2", "since=3&to=2"] {
            assert_eq!(wanted(odd), None, "{odd}");
        }
    }
}
