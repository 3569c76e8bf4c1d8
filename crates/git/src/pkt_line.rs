//! pkt-lines, of which what a client of Git sends is made: four hexadecimal digits that count the bytes of the line, their own
//! included, and the rest of it. Lengths below four mark ends: 0 is the flush packet.

use thiserror::Error;

/// The most bytes of one pkt-line, with its length.
pub(crate) const LONGEST_LINE: usize = 65_520;

/// Reads the length of a line; `None` for what is not four hexadecimal digits.
pub(crate) fn line_length(digits: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() == 4)?;
    // A sign is no digit.
    text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| usize::from_str_radix(text, 16).ok())?
}

/// A pkt-line begins with something else than a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a line has no length")]
pub struct NoLength;

/// Finds where a request of version 2 of the protocol ends: with a flush packet. Over SSH nothing else says so.
#[derive(Debug, Default)]
pub struct RequestEnd {
    /// The digits of a length that have come.
    digits: Vec<u8>,
    /// Bytes of the current line that have not come.
    missing: usize,
    is_flushed: bool,
}

impl RequestEnd {
    /// Reads the next bytes, in pieces of any size.
    ///
    /// # Errors
    /// Where a line has no length.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), NoLength> {
        while !bytes.is_empty() {
            if self.missing > 0 {
                let skipped = self.missing.min(bytes.len());
                self.missing -= skipped;
                bytes = bytes.get(skipped..).unwrap_or_default();
                continue;
            }
            let (digits, rest) = bytes.split_at_checked(4 - self.digits.len()).unwrap_or((bytes, &[]));
            self.digits.extend_from_slice(digits);
            bytes = rest;
            self.is_flushed = false;
            if self.digits.len() == 4 {
                match line_length(&self.digits) {
                    Some(0) => self.is_flushed = true,
                    // A delimiter, the end of a response, an empty line.
                    Some(1 | 2 | 4) => {}
                    Some(length @ 5..=LONGEST_LINE) => self.missing = length - 4,
                    Some(_) | None => return Err(NoLength),
                }
                self.digits.clear();
            }
        }
        Ok(())
    }

    /// Whether the last thing that was read is a flush packet.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.is_flushed
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
                assert!(!end.is_complete(), "in pieces of {size} bytes");
            }
            end.feed(b"0000").unwrap();
            assert!(end.is_complete(), "in pieces of {size} bytes");
            end.feed(b"0").unwrap();
            assert!(!end.is_complete(), "in pieces of {size} bytes");
        }
    }

    #[test]
    fn what_has_no_length_is_refused() {
        for bytes in [&b"GET / HT"[..], b"0003", b"+005x", b"fff1"] {
            assert_eq!(RequestEnd::default().feed(bytes), Err(NoLength), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
