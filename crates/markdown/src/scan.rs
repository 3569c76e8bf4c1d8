//! References in a piece of plain text, by how they are written.

use std::ops::Range;

use crate::Reference;

/// The most digits of a number.
const MAX_DIGITS: usize = 10;
/// The longest name of a project of another program, in `ABC-12`.
const MAX_KEY: usize = 50;
/// The longest segment of a path, label or title, in characters.
const MAX_NAME: usize = 255;

/// A reference and its bytes in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) range: Range<usize>,
    pub(crate) reference: Reference,
}

/// The piece of text that is looked through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    /// True if it is as it was written: `&#12;` is no reference then.
    pub(crate) is_source: bool,
    /// The characters directly before and behind it.
    pub(crate) before: Option<char>,
    pub(crate) after: Option<char>,
    /// The address of this server, if it is known.
    pub(crate) base: Option<&'a str>,
}

impl Piece<'_> {
    /// The references, in their order. One pass: no byte is read more than a fixed number of times.
    pub(crate) fn references(&self) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let first_of_base = self.base.and_then(|base| base.bytes().next());
        // The byte at which the characters begin that could be the path before a `#`.
        let mut path = 0;
        let mut at = 0;
        while let Some(&byte) = self.text.as_bytes().get(at) {
            let candidate = match byte {
                b'@' => self.user(at),
                b'#' | b'!' => self.numbered(path, at),
                b'~' | b'%' => self.named(at),
                _ if Some(byte) == first_of_base => self.address(at),
                b'A'..=b'Z' => self.external(at),
                _ => None,
            };
            if let Some(candidate) = candidate {
                at = candidate.range.end;
                path = at;
                candidates.push(candidate);
            } else {
                at += 1;
                if !is_of_path(byte) {
                    path = at;
                }
            }
        }
        candidates
    }

    /// `@name` or `@group/sub`.
    fn user(&self, at: usize) -> Option<Candidate> {
        if self.is_held(at) {
            return None;
        }
        let behind = self.text.get(at + 1..)?;
        let mut length = 0;
        loop {
            let segment = path_segment(behind.get(length..)?)?;
            length += segment.len();
            let next = behind.get(length..).and_then(|rest| rest.strip_prefix('/'));
            if next.and_then(path_segment).is_none() {
                break;
            }
            length += 1;
        }
        let end = at + 1 + length;
        let goes_on = match self.after(end) {
            // An escaped character is part of another name, which belongs to another user.
            Some(after) if end == self.text.len() => is_of_word(after) || matches!(after, '-' | '.' | '/' | '@'),
            Some(after) => is_of_word(after) || after == '@',
            None => false,
        };
        (!goes_on).then_some(Candidate { range: at..end, reference: Reference::User(behind.get(..length)?.to_owned()) })
    }

    /// `#12` and `!12`, with the path of a project before it or not.
    fn numbered(&self, path: usize, at: usize) -> Option<Candidate> {
        let digits = leading(self.text.get(at + 1..)?, |c| c.is_ascii_digit());
        let end = at + 1 + digits.len();
        if self.after(end).is_some_and(is_of_word) {
            return None;
        }
        let iid = number(digits)?;
        let written = self.text.get(path..at)?;
        let begins =
            !self.is_held(path) && !self.before(path).is_some_and(|c| matches!(c, '@' | '#' | '!' | '~' | '%'));
        let (start, project) = if begins && is_path(written) {
            (path, Some(written.to_owned()))
        } else if self.is_held(at) || (self.is_source && self.before(at) == Some('&')) {
            return None;
        } else {
            (at, None)
        };
        let reference = if self.text.as_bytes().get(at) == Some(&b'#') {
            Reference::Issue { project, iid }
        } else {
            Reference::MergeRequest { project, iid }
        };
        Some(Candidate { range: start..end, reference })
    }

    /// `ABC-12`: two or more capital letters, digits and underlines, and a number.
    fn external(&self, at: usize) -> Option<Candidate> {
        let is_inside =
            |c: char| is_of_word(c) || matches!(c, '-' | '.' | '/' | '@' | '#' | '!' | '~' | '%' | '\\' | '&');
        if self.before(at).is_some_and(is_inside) {
            return None;
        }
        let behind = self.text.get(at..)?;
        let key = leading(behind, |c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let digits = leading(behind.get(key.len()..)?.strip_prefix('-')?, |c| c.is_ascii_digit());
        let end = at + key.len() + 1 + digits.len();
        // If a word or a path goes on, an address of an issue of ours may begin so.
        let goes_on = match self.after(end) {
            Some('.') => self.text.get(end + 1..).is_some_and(|rest| rest.starts_with(is_of_word)),
            Some(c) => is_of_word(c) || matches!(c, '-' | '/' | '#' | '!' | '@'),
            None => false,
        };
        let is_key = (2..=MAX_KEY).contains(&key.len());
        let is_one = is_key && !goes_on && number(digits).is_some();
        is_one.then(|| Candidate {
            range: at..end,
            reference: Reference::External(behind.get(..end - at).unwrap_or_default().to_owned()),
        })
    }

    /// `~bug`, `~"two words"`, `%1.0` and `%"two words"`.
    fn named(&self, at: usize) -> Option<Candidate> {
        let sign = self.text.get(at..)?.chars().next()?;
        if self.is_held(at) || self.before(at) == Some(sign) {
            return None;
        }
        let behind = self.text.get(at + 1..)?;
        let (name, length) = match behind.strip_prefix('"') {
            Some(quoted) => quoted_name(quoted).map(|name| (name, name.len() + 2))?,
            None => self.bare_name(behind, sign).map(|name| (name, name.len()))?,
        };
        let name = name.to_owned();
        let reference = if sign == '~' { Reference::Label(name) } else { Reference::Milestone(name) };
        Some(Candidate { range: at..at + 1 + length, reference })
    }

    /// The name of a label or milestone that `behind`, the rest of the text, starts with.
    fn bare_name<'t>(&self, behind: &'t str, sign: char) -> Option<&'t str> {
        let in_label = |c| sign == '~' && matches!(c, ':' | '?' | '&');
        let name = leading(behind, |c| is_of_word(c) || matches!(c, '-' | '.') || in_label(c));
        // Punctuation at the end of a sentence is not part of it.
        let name = name.trim_end_matches(|c| !is_of_word(c));
        let goes_on = name.len() == behind.len() && self.after.is_some_and(|c| is_of_word(c) || matches!(c, '-' | '.'));
        (name.starts_with(is_of_word) && name.chars().count() <= MAX_NAME && !goes_on).then_some(name)
    }

    /// The address of an issue or merge request on this server, with `/-/` or without.
    fn address(&self, at: usize) -> Option<Candidate> {
        let behind = self.text.get(at..)?.strip_prefix(self.base?)?;
        if self.is_held(at) {
            return None;
        }
        let written = leading(behind, |c| c.is_ascii() && u8::try_from(c).is_ok_and(is_of_path));
        // A full stop ends the sentence.
        let written = written.trim_end_matches('.');
        let end = at + self.base?.len() + written.len();
        let mut after = self.text.get(end..)?.chars();
        let goes_on = match after.next() {
            Some('?' | '#' | '=' | '&' | '%' | '~' | '+' | '@' | ':' | '.') => {
                after.next().is_some_and(|c| !c.is_whitespace())
            }
            Some(c) => is_of_word(c),
            None => false,
        };
        if goes_on {
            return None;
        }
        let (head, digits) = written.strip_prefix('/')?.rsplit_once('/')?;
        let iid = number(digits)?;
        let (project, kind) = head.rsplit_once('/')?;
        let project = project.strip_suffix("/-").unwrap_or(project);
        if !project.contains('/') || !is_path(project) {
            return None;
        }
        let project = Some(project.to_owned());
        let reference = match kind {
            "issues" => Reference::Issue { project, iid },
            "merge_requests" => Reference::MergeRequest { project, iid },
            _ => return None,
        };
        Some(Candidate { range: at..end, reference })
    }

    /// True if a sign here begins no reference: it stands in a word, or a backslash has taken its meaning. In the
    /// source, an underline may also be the start of emphasis.
    fn is_held(&self, at: usize) -> bool {
        self.before(at).is_some_and(|c| c.is_alphanumeric() || c == '\\' || (c == '_' && !self.is_source))
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at).and_then(|text| text.chars().next_back()).or(self.before)
    }

    fn after(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|text| text.chars().next()).or(self.after)
    }
}

/// Part of a word: a reference does not begin or end inside of one.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

/// The start of `text` whose characters are all such.
fn leading(text: &str, such: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !such(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The user name or segment of a path that `text` starts with. Punctuation at the end of a sentence is not part of it.
fn path_segment(text: &str) -> Option<&str> {
    let written = leading(text, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let segment = written.trim_end_matches(['-', '.']);
    (!segment.is_empty() && segment.len() <= MAX_NAME && !segment.starts_with(['-', '.'])).then_some(segment)
}

/// The name up to the closing quote, which stands in the same line.
fn quoted_name(text: &str) -> Option<&str> {
    let (end, _) = text.char_indices().take(MAX_NAME + 1).find(|(_, c)| matches!(c, '"' | '\n' | '\r'))?;
    let (name, rest) = text.split_at_checked(end)?;
    (rest.starts_with('"') && !name.trim().is_empty()).then_some(name)
}

/// True if this could be the path of a project.
fn is_path(text: &str) -> bool {
    let is_segment = |segment: &str| {
        !segment.is_empty() && segment.len() <= MAX_NAME && !segment.starts_with(['-', '.']) && !segment.ends_with('.')
    };
    text.split('/').all(is_segment) && text.contains(char::is_alphanumeric)
}

fn number(digits: &str) -> Option<i64> {
    let written = !digits.is_empty() && digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|iid| written && *iid > 0)
}
