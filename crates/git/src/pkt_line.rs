//! pkt-lines, of which the messages of Git's clients are made. Each has four hexadecimal digits that count its bytes,
//! these included, and then its payload. Lengths below four mark ends: 0 is the flush packet.

use thiserror::Error;

/// The most bytes of one pkt-line, with its length.
pub(crate) const LONGEST_LINE: usize = 65_520;

/// Reads the length of a line; `None` if it is not four hexadecimal digits.
pub(crate) fn line_length(digits: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() == 4)?;
    // A sign is no digit.
    text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| usize::from_str_radix(text, 16).ok())?
}

/// A pkt-line begins with something else than a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a line has no length")]
pub struct NoLength;

/// True if the beginning of a request to `upload-pack` asks for objects: `command=fetch` of version 2, and `want` of the
/// versions before.
#[must_use]
pub fn asks_for_objects(request: &[u8]) -> bool {
    let first = request.get(4..).unwrap_or_default();
    first.starts_with(b"want ") || first.starts_with(b"command=fetch")
}

/// Follows the requests of a client that fetches, to find their end: over SSH nothing else marks it.
#[derive(Debug, Default)]
pub struct RequestEnd {
    /// The digits of a length that have come.
    digits: Vec<u8>,
    /// Bytes of the current line that have not come.
    missing: usize,
    /// The beginning of the current line, long enough to know `done`.
    beginning: Vec<u8>,
    last: Last,
}

/// The kind of the last thing that was read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    Other,
    Flush,
    Done,
}

/// The last line of the last request, in versions 0 and 1. Git takes it without the line feed as well.
const DONE: [&[u8]; 2] = [b"done\n", b"done"];

impl RequestEnd {
    /// Reads the next bytes, in pieces of any size.
    ///
    /// # Errors
    /// If a line has no length.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), NoLength> {
        while !bytes.is_empty() {
            self.last = Last::Other;
            bytes = if self.missing > 0 { self.read_line(bytes) } else { self.read_length(bytes)? };
        }
        Ok(())
    }

    /// True if the last thing that was read is a flush packet, with which a request of version 2 ends.
    #[must_use]
    pub fn is_flushed(&self) -> bool {
        self.last == Last::Flush
    }

    /// True if the last thing that was read is the line with which the requests of versions 0 and 1 end.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.last == Last::Done
    }

    fn read_line<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (part, rest) = bytes.split_at_checked(self.missing).unwrap_or((bytes, &[]));
        self.missing -= part.len();
        // One byte more than `done` has shows that a line is another.
        let room = DONE[0].len() + 1 - self.beginning.len();
        self.beginning.extend(part.iter().take(room));
        if self.missing == 0 {
            if DONE.contains(&self.beginning.as_slice()) {
                self.last = Last::Done;
            }
            self.beginning.clear();
        }
        rest
    }

    fn read_length<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], NoLength> {
        let (digits, rest) = bytes.split_at_checked(4 - self.digits.len()).unwrap_or((bytes, &[]));
        self.digits.extend_from_slice(digits);
        if self.digits.len() == 4 {
            match line_length(&self.digits) {
                Some(0) => self.last = Last::Flush,
                // A delimiter, the end of a response, an empty line.
                Some(1 | 2 | 4) => {}
                Some(length @ 5..=LONGEST_LINE) => self.missing = length - 4,
                Some(_) | None => return Err(NoLength),
            }
            self.digits.clear();
        }
        Ok(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_ends_with_its_flush_packet() {
        // A payload may look like one.
        let request: &[u8] = b"0014command=ls-refs\n000100080000";
        for size in 1..=request.len() {
            let mut end = RequestEnd::default();
            for piece in request.chunks(size) {
                end.feed(piece).unwrap();
                assert!(!end.is_flushed(), "in pieces of {size} bytes");
            }
            end.feed(b"0000").unwrap();
            assert!(end.is_flushed(), "in pieces of {size} bytes");
            end.feed(b"0").unwrap();
            assert!(!end.is_flushed(), "in pieces of {size} bytes");
        }
    }

    #[test]
    fn the_line_done_ends_all_requests_of_older_versions() {
        for (sent, is_done) in [
            (&b"0009done\n"[..], true),
            (b"0008done", true),
            (b"00000009done\n", true),
            (b"0009done\n0000", false),
            (b"000adone\n\n", false),
            (b"0010have done\n0", false),
            // The end of a longer line, of which the rest has not come.
            (b"ffe00009done\n", false),
            (b"0009don", false),
        ] {
            for size in 1..=sent.len() {
                let mut end = RequestEnd::default();
                for piece in sent.chunks(size) {
                    end.feed(piece).unwrap();
                }
                assert_eq!(end.is_done(), is_done, "{} in pieces of {size} bytes", String::from_utf8_lossy(sent));
            }
        }
    }

    #[test]
    fn what_has_no_length_is_refused() {
        for bytes in [&b"GET / HT"[..], b"0003", b"+005x", b"fff1"] {
            assert_eq!(RequestEnd::default().feed(bytes), Err(NoLength), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
