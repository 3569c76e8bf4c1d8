//! Changes that comments on lines propose, and texts to which they are applied.

use crate::id::{IssuableId, NoteId, SuggestionId, UserId};
use crate::time::Timestamp;

/// A suggestion is about so many lines above and below the commented one at most.
pub const MAX_LINES: usize = 100;
/// The most suggestions of one comment. Further blocks stay code.
pub const MAX_OF_NOTE: usize = 20;
/// The most bytes of the lines that one suggestion replaces. A block about more stays code.
pub const MAX_REPLACED: usize = 64 << 10;
/// The most bytes of the lines that the suggestions of one comment replace. If they are more, all its blocks stay code.
pub const MAX_REPLACED_OF_NOTE: usize = 256 << 10;
/// The same for all comments of one request. Those beyond have no suggestions.
pub const MAX_REPLACED_OF_REQUEST: usize = 1 << 20;
/// The most suggestions that one commit applies.
pub const MAX_AT_ONCE: usize = 100;
/// The largest file whose lines can be suggested, in bytes.
pub const MAX_FILE: u64 = 5 << 20;

/// Lines that are to be replaced by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The first line, counted from one.
    pub from_line: i64,
    /// The last line.
    pub to_line: i64,
    /// The lines as they are, with the ends of lines.
    pub from_content: String,
    /// The lines that replace them.
    pub to_content: String,
}

/// The change of some lines that a comment proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its id.
    pub id: SuggestionId,
    /// The merge request.
    pub issuable: IssuableId,
    /// The comment.
    pub note: NoteId,
    /// Its place among the suggestions of the comment, counted from zero.
    pub place: i64,
    /// The lines, by their numbers in the version that the comment is about, and what replaces them.
    pub proposal: Proposal,
    /// True if the lines were changed since then.
    pub outdated: bool,
    /// The commit that applies it, from the moment at which it is made.
    pub commit: Option<SuggestionCommit>,
}

impl Suggestion {
    /// True if a commit of the branch has it.
    #[must_use]
    pub fn is_applied(&self) -> bool {
        self.commit.as_ref().is_some_and(|commit| commit.applied_at.is_some())
    }

    /// True if its lines are as they were, and a commit would change them.
    #[must_use]
    pub fn changes_something(&self) -> bool {
        !self.is_applied() && !self.outdated && self.proposal.from_content != self.proposal.to_content
    }
}

/// A commit that applies suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionCommit {
    /// Its name.
    pub id: String,
    /// The head of the branch that it follows.
    pub parent: String,
    /// Who has asked for it.
    pub by: UserId,
    /// When it was made.
    pub begun_at: Timestamp,
    /// When the branch was known to have it.
    pub applied_at: Option<Timestamp>,
}

/// The lines of a text with their ends. `None` if it is none that people read.
#[must_use]
pub fn lines_of(text: &[u8]) -> Option<Vec<&[u8]>> {
    (!text.contains(&0)).then(|| text.split_inclusive(|byte| *byte == b'\n').collect())
}

/// The lines that a block with this reach replaces, if the comment is on `line` of a text with these lines ([`lines_of`]). `None`
/// if there is no such line, if it is not in UTF-8, and if the lines are too long.
#[must_use]
pub fn propose(lines: &[&[u8]], line: i64, (above, below): (usize, usize), replacement: &str) -> Option<Proposal> {
    let at = usize::try_from(line).ok().filter(|line| (1..=lines.len()).contains(line))?;
    let first = at.saturating_sub(above.min(MAX_LINES)).max(1);
    let last = at.saturating_add(below.min(MAX_LINES)).min(lines.len());
    let replaced = lines.get(first - 1..last)?.concat();
    if replaced.len() > MAX_REPLACED {
        return None;
    }
    Some(Proposal {
        from_line: i64::try_from(first).ok()?,
        to_line: i64::try_from(last).ok()?,
        from_content: String::from_utf8(replaced).ok()?,
        to_content: replacement.to_owned(),
    })
}

/// A proposal, and the first of its lines as it is numbered now.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The number of its first line now, counted from one.
    pub first: i64,
    /// Its lines, and those that replace them.
    pub proposal: &'a Proposal,
}

/// Why proposals are not applied to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotApplied {
    /// The lines are others.
    Changed,
    /// Two of them are about the same line.
    Overlapping,
}

/// The text with all these proposals. The ends of lines are those of the replaced ones, or of the text if the replaced one has none,
/// and so is a missing one at the end.
///
/// # Errors
/// [`NotApplied`] if a line is not what the suggestion has seen, or if two overlap.
pub fn applied(text: &[u8], proposals: &[Placed<'_>]) -> Result<Vec<u8>, NotApplied> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut ordered: Vec<(usize, usize, &Proposal)> = Vec::with_capacity(proposals.len());
    for Placed { first, proposal } in proposals {
        let length =
            usize::try_from(proposal.to_line - proposal.from_line + 1).map_err(|_error| NotApplied::Changed)?;
        let first = usize::try_from(*first).ok().and_then(|first| first.checked_sub(1)).ok_or(NotApplied::Changed)?;
        ordered.push((first, first.saturating_add(length), proposal));
    }
    let has_crlf = lines.first().is_some_and(|line| line.ends_with(b"\r\n"));
    ordered.sort_by_key(|(first, ..)| *first);
    let mut written = Vec::with_capacity(text.len());
    let mut next = 0;
    for (first, end, proposal) in ordered {
        if first < next {
            return Err(NotApplied::Overlapping);
        }
        let replaced = lines.get(first..end).ok_or(NotApplied::Changed)?.concat();
        if replaced != proposal.from_content.as_bytes() {
            return Err(NotApplied::Changed);
        }
        written.extend(lines.get(next..first).ok_or(NotApplied::Changed)?.concat());
        written.extend(in_style(&proposal.from_content, &proposal.to_content, has_crlf).into_bytes());
        next = end;
    }
    written.extend(lines.get(next..).ok_or(NotApplied::Changed)?.concat());
    Ok(written)
}

/// The mark at the beginning of some texts that says how their bytes are to be read.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The new lines with the ends that the old ones have; `has_crlf` says which, if these are one line without an end.
fn in_style(old: &str, new: &str, has_crlf: bool) -> String {
    let mut text = new.replace("\r\n", "\n");
    if old.contains("\r\n") || (has_crlf && !old.contains('\n')) {
        text = text.replace('\n', "\r\n");
    }
    if !old.ends_with('\n') {
        let end = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).map(str::len);
        text.truncate(end.unwrap_or(text.len()));
    }
    if old.starts_with(BYTE_ORDER_MARK) && !text.starts_with(BYTE_ORDER_MARK) {
        text.insert(0, BYTE_ORDER_MARK);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, line: i64, reach: (usize, usize), new: &str) -> Option<Proposal> {
        propose(&lines_of(text.as_bytes())?, line, reach, new)
    }

    fn apply(text: &str, proposals: &[(i64, Proposal)]) -> Result<String, NotApplied> {
        let placed: Vec<Placed<'_>> =
            proposals.iter().map(|(first, proposal)| Placed { first: *first, proposal }).collect();
        applied(text.as_bytes(), &placed).map(|bytes| String::from_utf8(bytes).expect("a text"))
    }

    #[test]
    fn a_reach_ends_at_the_ends_of_the_file_and_at_its_bound() {
        let text = "a\nb\nc\n";
        let found = one(text, 2, (9, 9), "x\n").expect("lines");
        assert_eq!((found.from_line, found.to_line, found.from_content.as_str()), (1, 3, text));
        assert_eq!(one(text, 2, (0, 0), "x\n").expect("a line").from_content, "b\n");
        assert_eq!((one(text, 0, (0, 0), ""), one(text, 4, (0, 0), "")), (None, None));
        let long = "x\n".repeat(300);
        let found = one(&long, 150, (usize::MAX, 120), "").expect("lines");
        assert_eq!((found.from_line, found.to_line), (50, 250));
        assert_eq!(one("a\0\n", 1, (0, 0), ""), None);
        assert_eq!(propose(&[b"\xff\n"], 1, (0, 0), ""), None);
        assert_eq!(one(&"x".repeat(MAX_REPLACED + 1), 1, (0, 0), ""), None);
    }

    #[test]
    fn ends_of_lines_stay_as_they_are() {
        for (text, line, new, want) in [
            ("a\r\nb\r\n", 2, "x\ny\n", Ok("a\r\nx\r\ny\r\n")),
            ("a\nb", 2, "x\n", Ok("a\nx")),
            ("a\r\nb", 2, "x\r\n", Ok("a\r\nx")),
            ("a\r\nb", 2, "x\ny\n", Ok("a\r\nx\r\ny")),
            ("a\nb", 2, "x\r\ny\r\n", Ok("a\nx\ny")),
            ("a\r\nb\nc", 2, "x\ny\n", Ok("a\r\nx\ny\nc")),
            ("a\nb\nc\n", 2, "", Ok("a\nc\n")),
            ("\u{feff}a\nb\n", 1, "x\n", Ok("\u{feff}x\nb\n")),
            ("a\nb\n", 1, "\n\n", Ok("\n\nb\n")),
        ] {
            let proposal = one(text, line, (0, 0), new).expect("a line");
            assert_eq!(apply(text, &[(line, proposal)]), want.map(str::to_owned), "{text:?} {new:?}");
        }
    }

    #[test]
    fn several_apply_at_once_where_their_lines_are_now_or_none_does() {
        let text = "a\nb\nc\nd\n";
        let first = one(text, 1, (0, 0), "x\ny\n").expect("a line");
        let second = one(text, 3, (0, 1), "z\n").expect("lines");
        assert_eq!(apply(text, &[(3, second.clone()), (1, first.clone())]).as_deref(), Ok("x\ny\nb\nz\n"));
        let moved = "0\na\nb\nc\nd\n";
        assert_eq!(apply(moved, &[(2, first.clone()), (4, second.clone())]).as_deref(), Ok("0\nx\ny\nb\nz\n"));
        assert_eq!(apply(moved, &[(1, first.clone())]), Err(NotApplied::Changed));
        assert_eq!(apply("a\nb\nc\n", &[(3, second.clone())]), Err(NotApplied::Changed));
        let wide = one(text, 2, (1, 0), "").expect("lines");
        assert_eq!(apply(text, &[(1, first), (1, wide)]), Err(NotApplied::Overlapping));
    }
}
