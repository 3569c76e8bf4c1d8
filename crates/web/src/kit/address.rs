//! Addresses of pages of this server, and which ones a browser may be sent to.

use actix_web::http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode, utf8_percent_encode};
use tenon_app::Reference;
use tenon_app::error::AppError;
use tenon_app::initials::Initials;
use tenon_domain::file_path::bytes_of;
use tenon_domain::id::NoteId;
use url::Url;

/// The page to sign in.
pub(crate) const SIGN_IN: &str = "/users/sign_in";

/// The longest address that is returned to after signing in, in bytes.
const LONGEST: usize = 4_000;

/// The path at which the pages begin, for servers that are not at the root of their host. Empty, or without a slash at
/// the end.
pub(crate) fn root(base_url: &str) -> String {
    Url::parse(base_url).map_or_else(|_no_url| String::new(), |base| base.path().trim_end_matches('/').to_owned())
}

/// A page that comes before the requested one, and leads back to it.
pub(crate) fn leading_to(base_url: &str, first: &str, asked: &Uri) -> String {
    let root = root(base_url);
    let back = asked.path_and_query().map_or("/", |path| path.as_str());
    let back = if back == "/" || !is_own(back) { String::new() } else { format!("{root}{back}") };
    with_return(&format!("{root}{first}"), &back)
}

/// The address of a page that leads on to another one. Empty for none.
pub(crate) fn with_return(page: &str, return_to: &str) -> String {
    if return_to.is_empty() {
        return page.to_owned();
    }
    let before = if page.contains('?') { '&' } else { '?' };
    format!("{page}{before}return_to={}", utf8_percent_encode(return_to, NON_ALPHANUMERIC))
}

/// True if an address is a path of this server. Browsers read `//host` and `/\host` as another server.
pub(crate) fn is_own(address: &str) -> bool {
    let mut rest = address.chars();
    rest.next() == Some('/')
        && !matches!(rest.next(), Some('/' | '\\'))
        && !address.contains(|c: char| c.is_control() || c == '\\')
        && address.len() <= LONGEST
}

/// Finds a group or namespace by the text that a person has typed. The text is tried as a path, which may consist of
/// digits only, and then as a number.
pub(crate) fn by_path_or_number<T>(
    typed: &str,
    mut find: impl FnMut(&Reference) -> Result<T, AppError>,
) -> Result<T, AppError> {
    match find(&Reference::Path(typed.to_owned())) {
        Err(AppError::NotFound(_)) => find(&Reference::parse(typed)),
        found => found,
    }
}

/// The address of a note on the page of a discussion. Its parameter selects the part of a long discussion that has the
/// note.
pub(crate) fn of_note(page: &str, note: NoteId) -> String {
    let and = if page.contains('?') { '&' } else { '?' };
    format!("{page}{and}note={note}#note_{note}")
}

/// The same for an address that names a note by its anchor only. Other addresses stay as they are.
pub(crate) fn with_note(address: &str) -> String {
    let named = address.split_once("#note_").and_then(|(page, id)| Some((page, id.parse().ok()?)));
    named.map_or_else(|| address.to_owned(), |(page, id)| of_note(page, NoteId::new(id)))
}

/// A text, or the path of a file in its kept form ([`tenon_domain::file_path`]), as part of an address's path. Its
/// slashes stay.
pub(crate) fn in_path(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    percent_encode(&bytes_of(text).unwrap_or_default(), KEPT).to_string()
}

/// The same as a value in an address's query.
pub(crate) fn in_query(text: &str) -> String {
    percent_encode(&bytes_of(text).unwrap_or_default(), NON_ALPHANUMERIC).to_string()
}

/// The address of the form of a merge request for this branch, below its project. If the target is named, it goes into that branch.
pub(crate) fn new_request(source: &str, target: Option<&str>) -> String {
    let target = target.map(|name| format!("&merge_request[target_branch]={}", in_query(name))).unwrap_or_default();
    format!("/merge_requests/new?merge_request[source_branch]={}{target}", in_query(source))
}

/// The origin, or the scheme of a program, to which an address leads, as a source of a content security policy. None if
/// the address is on this server, or if a policy cannot name it.
pub(crate) fn form_source(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let source = match url.origin() {
        origin if origin.is_tuple() => origin.ascii_serialization(),
        _ => format!("{}:", url.scheme()),
    };
    let is_plain = source.chars().all(|c| c.is_ascii_alphanumeric() || "+-.:/[]_".contains(c));
    (is_plain && !matches!(url.scheme(), "javascript" | "data" | "blob")).then_some(source)
}

/// True if an address that a maintainer has set leads to a page. Another one could be a script.
pub(crate) fn is_of_web(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    lower.starts_with("https://") || lower.starts_with("http://")
}

/// The address of the picture that the server makes for a user: the initials of the name.
pub(crate) fn drawn_picture(root: &str, user: i64, name: &str) -> String {
    match Initials::of(name).file_name() {
        Some(file) => format!("{root}/uploads/-/system/user/initials/{}", in_path(&file)),
        None => format!("{root}/uploads/-/system/user/identicon/{user}.svg"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_server_are_own() {
        for address in ["/", "/profile", "/oauth/authorize?redirect_uri=https://elsewhere.example"] {
            assert!(is_own(address), "{address}");
        }
        for address in ["", "profile", "//evil.example", "/\\evil.example", "https://evil.example", "/a\nb", "/a\\b"] {
            assert!(!is_own(address), "{address}");
        }
        assert!(!is_own(&format!("/{}", "a".repeat(LONGEST))));
    }

    #[test]
    fn a_server_may_be_below_a_path() {
        assert_eq!(root("https://git.example.org"), "");
        assert_eq!(root("https://example.org/git/"), "/git");
        assert_eq!(root("none"), "");
    }

    #[test]
    fn a_new_merge_request_has_branches_in_its_address() {
        let form = "/merge_requests/new?merge_request[source_branch]=a%2Fb%26";
        assert_eq!(new_request("a/b&", None), form);
        assert_eq!(new_request("a/b&", Some("1 2")), format!("{form}&merge_request[target_branch]=1%202"));
    }

    #[test]
    fn a_policy_names_origins_and_schemes_of_programs() {
        for (address, want) in [
            ("https://app.example/cb?x=1", Some("https://app.example")),
            ("http://localhost:7171/auth/redirect", Some("http://localhost:7171")),
            ("vscode://callback", Some("vscode:")),
            ("javascript:alert(1)", None),
            ("/own", None),
            ("https://a.example/; script-src *", Some("https://a.example")),
        ] {
            assert_eq!(form_source(address).as_deref(), want, "{address}");
        }
    }
}
