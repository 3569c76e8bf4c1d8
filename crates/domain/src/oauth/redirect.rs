//! Addresses that an application may be redirected to. They are compared as they were written: one that only begins like
//! a registered one is another one.

use crate::field_errors::FieldErrors;

const FIELD: &str = "redirect_uri";
/// How many addresses an application may have.
const MOST: usize = 20;

/// The addresses in what was registered.
pub fn redirect_uris(registered: &str) -> impl Iterator<Item = &str> {
    registered.split_ascii_whitespace()
}

/// Checks the addresses that an application is registered with.
pub fn check_redirect_uris(errors: &mut FieldErrors, registered: &str) {
    errors.at_most(2000, FIELD, registered);
    errors.present(FIELD, registered);
    errors.require(redirect_uris(registered).count() <= MOST, FIELD, "has too many addresses (maximum is 20)");
    for problem in redirect_uris(registered).take(MOST).filter_map(problem) {
        errors.add(FIELD, problem);
    }
}

/// What is wrong with one address.
fn problem(address: &str) -> Option<&'static str> {
    if !address.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>')) {
        return Some("must be a valid URI.");
    }
    if address.contains('#') {
        return Some("cannot contain a fragment.");
    }
    let Some((scheme, rest)) = address.split_once(':') else { return Some("must be an absolute URI.") };
    let named = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if !named || !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Some("must be an absolute URI.");
    }
    match (scheme.to_ascii_lowercase().as_str(), rest.strip_prefix("//").map(authority)) {
        ("https" | "http", None | Some("")) => Some("must be an absolute URI."),
        ("https" | "http", Some(authority)) if authority.contains('@') => Some("must be a valid URI."),
        ("https", Some(_)) => None,
        ("http", Some(authority)) if is_loopback(authority) => None,
        ("http", Some(_)) => Some("must be an HTTPS/SSL URI."),
        // An application on its user's machine: a name that its maker owns, backwards (RFC 8252). This leaves
        // out `javascript`, `data` and their like.
        (scheme, _) if scheme.contains('.') && !rest.is_empty() => None,
        _ => Some("is forbidden by the server."),
    }
}

/// Host and port of what follows `//`.
fn authority(rest: &str) -> &str {
    rest.split(['/', '?']).next().unwrap_or_default()
}

/// Whether host and port name the machine of the browser itself.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) | None => authority,
    };
    matches!(host.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_absolute_and_safe() {
        for (address, want) in [
            ("https://app.example/callback?a=b", None),
            ("HTTPS://app.example", None),
            ("http://localhost:7171/auth/redirect", None),
            ("http://127.0.0.1/cb", None),
            ("http://[::1]:8080/cb", None),
            ("com.example.app:/callback", None),
            ("http://app.example/", Some("must be an HTTPS/SSL URI.")),
            ("http://localhost.evil.example/", Some("must be an HTTPS/SSL URI.")),
            ("http://127.0.0.1.evil.example/", Some("must be an HTTPS/SSL URI.")),
            ("http://localhost:80@evil.example/", Some("must be a valid URI.")),
            ("https://good.example@evil.example/", Some("must be a valid URI.")),
            ("https://app.example/#top", Some("cannot contain a fragment.")),
            ("https://app.example\\@evil.example/", Some("must be a valid URI.")),
            ("https://äpp.example/", Some("must be a valid URI.")),
            ("https:app.example", Some("must be an absolute URI.")),
            ("https:///callback", Some("must be an absolute URI.")),
            ("/callback", Some("must be an absolute URI.")),
            ("//app.example/", Some("must be an absolute URI.")),
            ("app.example", Some("must be an absolute URI.")),
            ("javascript:alert(1)", Some("is forbidden by the server.")),
            ("data:text/html,x", Some("is forbidden by the server.")),
            ("myapp:/callback", Some("is forbidden by the server.")),
        ] {
            assert_eq!(problem(address), want, "{address}");
        }
    }

    #[test]
    fn every_address_is_checked_and_their_number_is_bounded() {
        let checked = |text: &str| {
            let mut errors = FieldErrors::default();
            check_redirect_uris(&mut errors, text);
            errors.is_empty()
        };
        assert!(checked("https://a.example/\nhttps://b.example/"));
        assert!(!checked("https://a.example/ nonsense"));
        assert!(!checked("") && !checked(" \n"));
        assert!(checked(&"https://a.example/ ".repeat(20)) && !checked(&"https://a.example/ ".repeat(21)));
    }
}
