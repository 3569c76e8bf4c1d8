//! A text that moves to another project.

use comrak::Arena;

use crate::document::Document;
use crate::{Options, Reference};

/// `text` with the references outside code, links and raw HTML replaced by what `map` returns; where it returns none,
/// and everywhere else, byte for byte as it was. Full addresses are not asked about: they mean the same everywhere.
pub fn rewrite(text: &str, mut map: impl FnMut(&Reference) -> Option<String>) -> String {
    let arena = Arena::new();
    let mut rewritten = String::with_capacity(text.len());
    let mut copied = 0;
    for found in Document::parse(&arena, text, &Options { base_url: "" }).found() {
        if let Some(replacement) = map(&found.reference) {
            rewritten.push_str(text.get(copied..found.span.start).unwrap_or_default());
            rewritten.push_str(&replacement);
            copied = found.span.end;
        }
    }
    rewritten.push_str(text.get(copied..).unwrap_or_default());
    rewritten
}
