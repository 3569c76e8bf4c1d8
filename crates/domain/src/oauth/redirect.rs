//! Addresses that an application may be redirected to. They are compared as they were written: one that only begins like
//! a registered one is another one. Only the port of an application on its user's machine is left out.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::field_errors::FieldErrors;

const FIELD: &str = "redirect_uri";
/// How many addresses an application may have.
const MOST: usize = 20;

/// The addresses in what was registered.
pub fn redirect_uris(registered: &str) -> impl Iterator<Item = &str> {
    registered.split_ascii_whitespace()
}

/// True if `asked` is one of the registered addresses. An application on its user's machine listens on whatever port is
/// free, so that every port is that of the registered one if the host is the number of a loopback address (RFC 8252).
#[must_use]
pub fn is_registered(registered: &str, asked: &str) -> bool {
    let on_any_port = on_loopback(asked);
    let is_same = |known: &str| known == asked || on_any_port.is_some() && on_loopback(known) == on_any_port;
    redirect_uris(registered).any(is_same)
}

/// The host, and what follows the port, of an address whose host is the number of a loopback address.
fn on_loopback(address: &str) -> Option<(&str, &str)> {
    let rest = address.strip_prefix("http://")?;
    let authority = authority(rest);
    let host = without_port(authority);
    let path = rest.strip_prefix(authority).filter(|path| !path.is_empty()).unwrap_or("/");
    is_loopback_number(host).then_some((host, path))
}

/// The machines whose addresses may be `http`, so that codes are sent to them without encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// The machine of the browser only.
    Loopback,
    /// Any machine.
    Anywhere,
}

impl PlainHttp {
    /// The rule for a caller. An administrator knows the network. A server whose own address is `http` already sends
    /// passwords without encryption.
    #[must_use]
    pub fn of(is_administrator: bool, server: &str) -> Self {
        if is_administrator || server.starts_with("http:") { Self::Anywhere } else { Self::Loopback }
    }
}

/// Checks the addresses that an application is registered with.
pub fn check_redirect_uris(errors: &mut FieldErrors, registered: &str, http: PlainHttp) {
    errors.at_most(2000, FIELD, registered);
    errors.present(FIELD, registered);
    errors.require(redirect_uris(registered).count() <= MOST, FIELD, "has too many addresses (maximum is 20)");
    for problem in redirect_uris(registered).take(MOST).filter_map(|address| problem(address, http)) {
        errors.add(FIELD, problem);
    }
}

/// The problem of one address.
fn problem(address: &str, http: PlainHttp) -> Option<&'static str> {
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
        ("http", Some(authority)) if http == PlainHttp::Anywhere || is_loopback(authority) => None,
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

/// The host of host and port.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) | None => authority,
    }
}

/// True if host and port name the machine of the browser itself.
fn is_loopback(authority: &str) -> bool {
    let host = without_port(authority);
    host.eq_ignore_ascii_case("localhost") || is_loopback_number(host)
}

/// True if a host is the number of an address in `127.0.0.0/8`, or `[::1]`.
fn is_loopback_number(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(number) => number.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
        None => host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback()),
    }
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
            ("http://127.8.9.10/cb", None),
            ("http://128.0.0.1/cb", Some("must be an HTTPS/SSL URI.")),
            ("http://[::2]/cb", Some("must be an HTTPS/SSL URI.")),
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
            assert_eq!(problem(address, PlainHttp::Loopback), want, "{address}");
            // Nothing but encryption is waived.
            let want = want.filter(|problem| *problem != "must be an HTTPS/SSL URI.");
            assert_eq!(problem(address, PlainHttp::Anywhere), want, "{address}");
        }
    }

    #[test]
    fn administrators_and_servers_without_encryption_admit_plain_addresses() {
        for (is_administrator, server, want) in [
            (false, "https://code.example", PlainHttp::Loopback),
            (true, "https://code.example", PlainHttp::Anywhere),
            (false, "http://code.example", PlainHttp::Anywhere),
            (true, "http://code.example", PlainHttp::Anywhere),
        ] {
            assert_eq!(PlainHttp::of(is_administrator, server), want, "{is_administrator} {server}");
        }
    }

    #[test]
    fn any_port_of_a_registered_loopback_address_is_registered() {
        let registered =
            "http://127.0.0.1/cb http://[::1]:80/ https://app.example/cb http://localhost:7171/cb http://127.0.0.9?a=b";
        for (asked, want) in [
            ("http://127.0.0.1/cb", true),
            ("http://127.0.0.1:45678/cb", true),
            ("http://127.0.0.1:/cb", true),
            ("http://[::1]/", true),
            ("http://[::1]:65535/", true),
            ("http://127.0.0.9:1?a=b", true),
            ("https://app.example/cb", true),
            ("http://localhost:7171/cb", true),
            ("http://127.0.0.1:45678/cb/", false),
            ("http://127.0.0.1:45678/cb?a=b", false),
            ("http://127.0.0.1:45678/", false),
            ("http://127.0.0.1:45678", false),
            ("http://127.0.0.2:45678/cb", false),
            ("http://[::1]:80", true),
            ("http://[::1]:81", true),
            ("http://127.0.0.9:1?a=c", false),
            ("https://127.0.0.1:45678/cb", false),
            ("http://127.0.0.1:45678/cb#x", false),
            ("http://127.0.0.1:80@evil.example/cb", false),
            ("http://127.0.0.1:1:2/cb", false),
            ("http://127.0.0.1.evil.example:1/cb", false),
            ("http://127.1:45678/cb", false),
            ("https://app.example:443/cb", false),
            ("http://localhost:7172/cb", false),
            ("http://localhost/cb", false),
            ("127.0.0.1:1/cb", false),
            ("", false),
        ] {
            assert_eq!(is_registered(registered, asked), want, "{asked}");
        }
    }

    #[test]
    fn every_address_is_checked_and_their_number_is_bounded() {
        let checked = |text: &str| {
            let mut errors = FieldErrors::default();
            check_redirect_uris(&mut errors, text, PlainHttp::Loopback);
            errors.is_empty()
        };
        assert!(checked("https://a.example/\nhttps://b.example/"));
        assert!(!checked("https://a.example/ nonsense"));
        assert!(!checked("") && !checked(" \n"));
        assert!(checked(&"https://a.example/ ".repeat(20)) && !checked(&"https://a.example/ ".repeat(21)));
    }
}
