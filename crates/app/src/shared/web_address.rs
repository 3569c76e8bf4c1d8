//! The check of addresses of the web that requests set.

use tenon_domain::project::is_invisible;

/// The problem of an address of the web. `filled` is the address with values in the place of placeholders, or the address
/// itself. `None` if it can be kept.
pub(crate) fn problem_of(address: &str, filled: &str) -> Option<&'static str> {
    let known = address
        .split_once("://")
        .filter(|(scheme, _)| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)));
    let Some((_, rest)) = known else {
        return Some("is blocked: Only allowed protocols are http, https");
    };
    // The parser takes the first part of the path for the host if there is none.
    let has_host = !rest.starts_with(['/', '?', '#']);
    let is_plain = !address.chars().any(|c| c.is_whitespace() || is_invisible(c) || "<>\"\\`".contains(c));
    let parses = url::Url::parse(filled).is_ok();
    (!has_host || !is_plain || !parses).then_some("is blocked: URI is invalid")
}
