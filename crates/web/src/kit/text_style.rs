//! Texts of files in fields of forms: a browser sends other line ends than the file has, and no byte order mark.

use super::text;

/// The form of a text that a field of a form does not keep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextStyle {
    /// True if the text begins with a byte order mark.
    has_mark: bool,
    /// True if its lines end as those of Windows.
    has_returns: bool,
}

const MARK: char = '\u{feff}';

impl TextStyle {
    /// The text of a file for a field, and its style. The sentence says why a form cannot change the file.
    pub(crate) fn read(bytes: &[u8]) -> Result<(String, Self), &'static str> {
        if text::is_binary(bytes) {
            return Err("This file is binary.");
        }
        let whole = std::str::from_utf8(bytes).map_err(|_invalid| "This file is not encoded in UTF-8.")?;
        let has_mark = whole.starts_with(MARK);
        let whole = whole.strip_prefix(MARK).unwrap_or(whole);
        let (pairs, returns) = (whole.matches("\r\n").count(), whole.matches('\r').count());
        if returns != pairs || (pairs > 0 && whole.matches('\n').count() != pairs) {
            return Err("This file has mixed line endings.");
        }
        Ok((whole.replace("\r\n", "\n"), Self { has_mark, has_returns: pairs > 0 }))
    }

    /// The bytes of a text that came from a field, with Unix line ends.
    pub(crate) fn write(self, text: &str) -> Vec<u8> {
        let text = if self.has_returns { text.replace('\n', "\r\n") } else { text.to_owned() };
        let mark = if self.has_mark { MARK.to_string() } else { String::new() };
        (mark + &text).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_as_it_was_read() {
        for bytes in [
            "",
            "a",
            "a\n",
            "\na\n\n",
            "a\r\nb\r\n",
            "a\r\nb",
            "\u{feff}a\n",
            "\u{feff}a\r\n",
            "é\u{2028}\n",
            "\t\u{c}\n",
        ] {
            let (text, style) = TextStyle::read(bytes.as_bytes()).unwrap();
            assert!(!text.contains(['\r', MARK]), "{bytes:?}");
            assert_eq!(style.write(&text), bytes.as_bytes(), "{bytes:?}");
        }
    }

    #[test]
    fn a_change_keeps_the_style() {
        let (text, style) = TextStyle::read("\u{feff}one\r\ntwo".as_bytes()).unwrap();
        assert_eq!(style.write(&(text + "\nthree")), "\u{feff}one\r\ntwo\r\nthree".as_bytes());
    }

    #[test]
    fn a_text_that_a_field_would_change_is_refused() {
        for bytes in [&b"a\0b"[..], b"caf\xe9\n", b"a\r\nb\n", b"a\rb\n", b"a\r"] {
            assert!(TextStyle::read(bytes).is_err(), "{bytes:?}");
        }
    }
}
