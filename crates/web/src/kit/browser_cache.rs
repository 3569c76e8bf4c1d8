//! Conditional requests for pages (RFC 9110, `If-None-Match`), and the pages that a browser may keep in its cache.
//!
//! After a user has signed out, going back must not show their pages. Browsers go back without a request, even to a
//! page with `no-cache` (seen in Chromium 156). They show it from memory or from their cache. Pages with `no-store` are
//! in neither. So the pages of users may be kept only if two conditions hold:
//!
//! - The script of the pages runs, which it says with the cookie [`SCRIPT`]. It reloads a page that was shown without a
//!   request.
//! - The browser obeys `Clear-Site-Data`, which removes its cache. The header is sent when the user signs out, and by
//!   pages that ask to sign in because the session has ended. Browsers obey it only for servers with a certificate or
//!   on the same machine.
//!
//! Pages for strangers have no secrets, and may always be kept.

use sha2::{Digest as _, Sha256};
use url::{Host, Url};

/// The cookie that the script sets. It shows the server that the script runs.
pub(crate) const SCRIPT: &str = "_service_script";

/// The value of `Clear-Site-Data` that is sent when a session has ended: the browser removes its cache.
pub(crate) const CLEARED: &str = "\"cache\"";

/// True if browsers obey `Clear-Site-Data` of a server at this address. They do so for trustworthy origins only (W3C
/// Secure Contexts, 3.1).
pub(crate) fn is_trusted(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url) else { return false };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || is_here
}

/// The entity tag of a page, in quotes. `owner` is the session or visitor to whom the token in the forms of the page
/// belongs. The token is masked anew in each answer, so it is left out of the digest.
pub(crate) fn tag(owner: &str, html: &str, masked_token: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(owner);
    for part in html.split(masked_token) {
        digest.update([0]);
        digest.update(part);
    }
    let digits = hex::encode(digest.finalize());
    format!("\"{}\"", digits.get(..32).unwrap_or_default())
}

/// True if `tag` is among the tags of an `If-None-Match`, which are compared weakly.
pub(crate) fn is_among(known: &str, tag: &str) -> bool {
    known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_that_of_a_page_in_a_browser() {
        let page = |token: &str, text: &str| format!("<input value=\"{token}\"><p>{text}</p><input value=\"{token}\">");
        let first = tag("ada", &page("t1", "x"), "t1");
        assert_eq!(tag("ada", &page("t2", "x"), "t2"), first);
        assert_ne!(tag("bob", &page("t2", "x"), "t2"), first);
        assert_ne!(tag("ada", &page("t2", "y"), "t2"), first);
        assert!(is_among(&format!("\"other\", W/{first}"), &first) && !is_among("\"other\"", &first));
        assert!(!is_among("*", &first) && !is_among("", &first));
    }

    #[test]
    fn servers_are_trusted_with_a_certificate_or_on_the_same_machine() {
        for (address, want) in [
            ("https://git.example.org", true),
            ("http://git.example.org", false),
            ("http://localhost:3000/git", true),
            ("http://127.0.0.1:3000", true),
            ("http://[::1]:3000", true),
            ("http://10.0.0.1", false),
            ("none", false),
        ] {
            assert_eq!(is_trusted(address), want, "{address}");
        }
    }
}
