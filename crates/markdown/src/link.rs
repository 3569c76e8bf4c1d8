//! Links: their allowed targets, and their form.

use comrak::html::{escape, escape_href};

use crate::Options;

/// The schemes that links may have, beside addresses relative to this server.
pub(crate) const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// The digits of the secret in the address of an upload.
const SECRET: usize = 32;

/// The address of an upload that a text of a project names as `/uploads/<secret>/<file>`; `None` if `url` is no such
/// name.
pub(crate) fn upload(url: &str, options: &Options<'_>) -> Option<String> {
    let (secret, name) = url.strip_prefix("/uploads/")?.split_once('/')?;
    let is_one = secret.len() == SECRET && secret.bytes().all(|byte| byte.is_ascii_hexdigit()) && !name.is_empty();
    (is_one && !options.project.is_empty()).then(|| format!("{}{url}", options.project))
}

/// The `rel` of a link to another server: the server learns nothing about us and cannot change our page.
pub(crate) const EXTERNAL_REL: &str = "nofollow noreferrer noopener";

/// The start tag of a link to `url`; `None` if links may not lead there.
pub(crate) fn start_tag(url: &str, title: &str, base: Option<&str>) -> Option<String> {
    if !is_allowed(url) {
        return None;
    }
    let mut tag = String::from("<a href=\"");
    escape_href(&mut tag, url, false).ok()?;
    tag.push('"');
    if !title.is_empty() {
        tag.push_str(" title=\"");
        escape(&mut tag, title).ok()?;
        tag.push('"');
    }
    if is_external(url, base) {
        tag.push_str(&external_attributes());
    }
    tag.push('>');
    Some(tag)
}

/// The additional attributes in the start tag of a link to another server.
pub(crate) fn external_attributes() -> String {
    format!(" rel=\"{EXTERNAL_REL}\" target=\"_blank\"")
}

/// True if `url` leads to another server. It is true in cases of doubt.
pub(crate) fn is_external(url: &str, base: Option<&str>) -> bool {
    let own = base.and_then(|base| url.strip_prefix(base));
    if own.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#'])) {
        return false;
    }
    if let Some(scheme) = scheme(url) {
        return !scheme.eq_ignore_ascii_case("mailto");
    }
    // Browsers take `\` for `/` and skip some control characters, and an encoded part may be anything.
    let slashes = url.find(|c: char| !matches!(c, '/' | '\\')).unwrap_or(url.len());
    slashes > 1 || url.starts_with('\\') || url.chars().any(|c| c.is_control() || c == '&')
}

pub(crate) fn has_scheme(url: &str) -> bool {
    scheme(url).is_some()
}

/// The text before the first colon, unless the path has already begun.
fn scheme(url: &str) -> Option<&str> {
    let (before, _) = url.split_once(':')?;
    (!before.contains(['/', '?', '#'])).then_some(before)
}

/// True if `url` has an allowed scheme or none.
fn is_allowed(url: &str) -> bool {
    scheme(url).is_none_or(|scheme| SCHEMES.iter().any(|allowed| scheme.eq_ignore_ascii_case(allowed)))
}

/// The endings of files that no picture shows, although texts name them as pictures: films, and pictures that few browsers know.
const NOT_SHOWN: [&str; 7] = ["m4v", "mov", "mp4", "ogv", "tif", "tiff", "webm"];

/// True if a picture of this address would stay empty in most browsers. It becomes a link to the file.
pub(crate) fn is_not_shown(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    NOT_SHOWN.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// The text of a link to a picture without a description: the host of another server, or the name of a file of this one.
pub(crate) fn words_of<'u>(url: &'u str, base: Option<&str>) -> &'u str {
    if is_external(url, base) {
        let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
        return rest.split(['/', '?', '#']).next().unwrap_or_default();
    }
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}
