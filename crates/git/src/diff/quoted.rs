//! Names of files as Git writes them into texts.

use tenon_domain::file_path::FilePath;

/// Takes away the quotes that Git puts around a name with unusual bytes (`core.quotePath`).
pub(crate) fn unquoted(name: &[u8]) -> FilePath {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) else {
        return FilePath::from_bytes(name);
    };
    let mut bytes = Vec::new();
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(first @ b'0'..=b'3') => {
                let digit = |byte: Option<u8>| byte.map_or(0, |byte| byte.wrapping_sub(b'0') & 7);
                let (second, third) = (digit(rest.next()), digit(rest.next()));
                bytes.push((first - b'0') << 6 | second << 3 | third);
            }
            Some(letter) => bytes.push(match letter {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            }),
            None => {}
        }
    }
    FilePath::from_bytes(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names_are_the_bytes_they_stand_for() {
        assert_eq!(unquoted(b"plain name"), "plain name");
        assert_eq!(unquoted(b"\"caf\\303\\251\""), "café");
        assert_eq!(unquoted(br#""a\tb\n\"\\\033""#), "a\tb\n\"\\\u{1b}");
        assert_eq!(unquoted(b"\"\\377\""), FilePath::from_bytes(b"\xff"));
        assert_eq!(unquoted(b"\"\\"), "\"\\");
    }
}
