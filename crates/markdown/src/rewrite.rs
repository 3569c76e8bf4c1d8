//! A text that moves to another project.

use crate::{Names, Options, Reference};

/// `text` with the references outside code, links and raw HTML replaced by the results of `map`. If `map` returns
/// `None`, and everywhere else, it stays byte for byte as it was. Full addresses are not asked about: they mean the
/// same everywhere.
pub fn rewrite(text: &str, map: impl FnMut(&Reference) -> Option<String>) -> String {
    Names::of(text, &Options::of("")).unwrap_or_default().rewritten(text, map)
}
