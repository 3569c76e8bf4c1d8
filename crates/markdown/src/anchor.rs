//! Names of places in a text, and the links that lead to them: both ends have the same prefix.

use std::collections::HashSet;

/// The prefix of the names of places in texts: the page around them has names of its own.
pub(crate) const ANCHOR: &str = "user-content-";

/// The longest name, in bytes.
const LONGEST: usize = 200;

/// The target of a link that is a fragment only: a place in texts, unless it names a comment of the page. `None` for
/// all other links.
pub(crate) fn led(url: &str) -> Option<String> {
    let name = url.strip_prefix('#').filter(|name| !name.is_empty())?;
    let is_comment = name.strip_prefix("note_").is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    (!is_comment && !name.starts_with(ANCHOR)).then(|| format!("#{ANCHOR}{name}"))
}

/// The names that elements of a text have given themselves.
#[derive(Default)]
pub(crate) struct Given(pub(crate) HashSet<String>);

impl Given {
    /// The name, without the prefix, if it can be one and is the first of its kind.
    pub(crate) fn take<'n>(&mut self, name: &'n str) -> Option<&'n str> {
        let name = name.strip_prefix(ANCHOR).unwrap_or(name);
        let is_one = !name.is_empty()
            && name.len() <= LONGEST
            // Footnotes have those.
            && !name.starts_with("fn-")
            && !name.starts_with("fnref-")
            && !name.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | '&'));
        (is_one && self.0.insert(name.to_owned())).then_some(name)
    }
}

/// A mark that tells the places of a text from those of other texts on the same page, made of its key.
pub(crate) fn mark_of(key: &str) -> String {
    // FNV-1a.
    let hash = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{:08x}-", hash >> 32)
}
