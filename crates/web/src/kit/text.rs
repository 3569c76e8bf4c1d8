//! Contents of files: text or binary, and the kind of text.

use tenon_domain::direction::turns_text;

/// The number of first bytes in which a NUL makes a file binary, as in Git.
const LOOKED_THROUGH: usize = 8000;

/// Endings of the names of Markdown files.
const MARKDOWN: [&str; 4] = ["md", "markdown", "mdown", "mkd"];

/// The type of pictures that are texts.
pub(crate) const SVG: &str = "image/svg+xml";

/// Endings of pictures that browsers show, with their types. Scripts in them do not run: pages show them as pictures,
/// and without a page they are in a sandbox.
const PICTURES: [(&str, &str); 9] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("bmp", "image/bmp"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("ico", "image/x-icon"),
    ("svg", SVG),
];

/// True if bytes are no text: there is a NUL among the first ones.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(LOOKED_THROUGH).any(|byte| *byte == 0)
}

/// The bytes as text. Bytes that are no UTF-8, and characters that no text has, are replaced.
pub(crate) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

pub(crate) fn is_markdown(name: &str) -> bool {
    MARKDOWN.contains(&ending(name).as_str())
}

/// The type of a picture by the name of its file.
pub(crate) fn picture(name: &str) -> Option<&'static str> {
    let ending = ending(name);
    PICTURES.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind)
}

/// The type of documents that browsers show with a viewer of their own.
pub(crate) const PDF: &str = "application/pdf";

/// True if a file of this name that begins with these bytes is such a document. Scripts in it do not reach the page.
pub(crate) fn is_pdf(name: &str, first: &[u8]) -> bool {
    is_named_pdf(name) && first.starts_with(b"%PDF-")
}

/// True if the name is that of such a document.
pub(crate) fn is_named_pdf(name: &str) -> bool {
    ending(name) == "pdf"
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// True if a reader may see another text than this one, because characters change its direction.
pub(crate) fn turns_direction(text: &str) -> bool {
    text.contains(turns_text)
}

/// A number of bytes in words.
pub(crate) fn size(bytes: u64) -> String {
    let (mut unit, mut tenths) = ("bytes", bytes.saturating_mul(10));
    for larger in ["KiB", "MiB", "GiB"] {
        if tenths < 10 * 1024 {
            break;
        }
        (unit, tenths) = (larger, tenths / 1024);
    }
    match (unit, tenths % 10) {
        ("bytes", _) => format!("{bytes} {}", if bytes == 1 { "byte" } else { "bytes" }),
        (_, 0) => format!("{} {unit}", tenths / 10),
        (_, rest) => format!("{}.{rest} {unit}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_words() {
        for (bytes, want) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (5 << 20, "5 MiB"),
        ] {
            assert_eq!(size(bytes), want);
        }
    }

    #[test]
    fn only_pictures_are_shown_as_such() {
        assert_eq!([picture("a.PNG"), picture("a.svg")], [Some("image/png"), Some(SVG)]);
        for name in ["a.html", "png", "a.png.html", ""] {
            assert_eq!(picture(name), None, "{name}");
        }
        assert!(is_markdown("README.MD") && !is_markdown("md") && is_binary(b"a\0") && !is_binary(b"a"));
    }
}
