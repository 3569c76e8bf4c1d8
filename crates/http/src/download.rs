//! The headers of files that browsers download.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// No scripts, frames or forms.
pub(crate) const POLICY: &str = "sandbox; default-src 'none'";

/// `Content-Disposition` (RFC 6266): the name of the file, and `inline` if a browser shows it. The type of actix-web
/// leaves more characters of the name unescaped than clients of this API are used to.
pub(crate) fn disposition(name: &str, shown: bool) -> String {
    let how = if shown { "inline" } else { "attachment" };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    let fallback: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    if fallback == name {
        return format!("{how}; filename=\"{name}\"");
    }
    format!("{how}; filename=\"{fallback}\"; filename*=UTF-8''{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}
