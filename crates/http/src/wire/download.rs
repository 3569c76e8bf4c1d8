//! The headers under which files are handed to browsers.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Scripts, frames, forms: nothing at all.
pub(crate) const POLICY: &str = "sandbox; default-src 'none'";

/// How a browser is to take the file: shown or saved, under its name (RFC 6266).
pub(crate) fn disposition(name: &str, shown: bool) -> String {
    let how = if shown { "inline" } else { "attachment" };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    let fallback: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    if fallback == name {
        return format!("{how}; filename=\"{name}\"");
    }
    format!("{how}; filename=\"{fallback}\"; filename*=UTF-8''{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}
