//! The place of a file whose text is shown on a page, and the targets of its relative links.

use crate::anchor::{self, ANCHOR};
use crate::{Options, link};

/// The place of a file whose text is shown on a page. Addresses are encoded, and end without a slash.
#[derive(Debug, Clone, Copy)]
pub struct FileContext<'a> {
    /// The address of the file's page up to the path of the file.
    pub pages: &'a str,
    /// The address of the file's bytes up to the path of the file.
    pub raw: &'a str,
    /// The path of the file's folder; empty at the top.
    pub folder: &'a str,
    /// How many levels of headings the page has above the text.
    pub levels: u8,
    /// The names of places that the page has itself.
    pub taken: &'a [&'a str],
}

/// Prefixes of generated names of places on pages.
const RESERVED: [&str; 7] = ["file-", "line-", "note_", "reply_", "share-", "user-content-", "user_"];

/// The lowest level of headings.
const LOWEST: u8 = 6;

impl FileContext<'_> {
    /// The level at which a heading of the text is shown.
    pub(crate) fn shown_level(&self, level: u8) -> u8 {
        level.saturating_add(self.levels).min(LOWEST)
    }

    /// A place of this name without the prefix, to which links from elsewhere lead, unless the page may have that
    /// itself.
    pub(crate) fn plain_anchor(&self, name: &str) -> String {
        let is_safe = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let may_be_line = name.starts_with(['L', 'l']) && name.chars().skip(1).all(|c| c.is_ascii_digit());
        if !is_safe || may_be_line || RESERVED.iter().any(|start| name.starts_with(start)) || self.taken.contains(&name)
        {
            return String::new();
        }
        format!("<a class=\"anchor\" id=\"{name}\"></a>")
    }

    /// The target of a link that is relative to the file; `None` for all others.
    pub(crate) fn link(&self, url: &str) -> Option<String> {
        if url.starts_with('#') { anchor::led(url) } else { self.resolved(self.pages, url) }
    }

    /// The address of a picture that is relative to the file; `None` for all others.
    pub(crate) fn picture(&self, url: &str) -> Option<String> {
        self.resolved(self.raw, url)
    }

    fn resolved(&self, root: &str, url: &str) -> Option<String> {
        if link::has_scheme(url) || link::is_external(url, None) {
            return None;
        }
        let end = url.find(['?', '#']).unwrap_or(url.len());
        let (path, rest) = url.split_at_checked(end).filter(|(path, _)| !path.is_empty())?;
        let from = if path.starts_with('/') { "" } else { self.folder };
        let mut segments: Vec<&str> = from.split('/').filter(|segment| !segment.is_empty()).collect();
        for segment in path.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(segments.pop()),
                segment => segments.push(segment),
            }
        }
        let mut address = root.to_owned();
        for segment in segments {
            address.push('/');
            address.push_str(segment);
        }
        address.push_str(&anchored(rest));
        Some(address)
    }
}

/// A query and a fragment, whose fragment names a heading unless it names a line.
fn anchored(rest: &str) -> String {
    let Some((query, name)) = rest.split_once('#') else { return rest.to_owned() };
    let is_line = name.strip_prefix('L').is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    if is_line || name.is_empty() || name.starts_with(ANCHOR) {
        rest.to_owned()
    } else {
        format!("{query}#{ANCHOR}{name}")
    }
}

/// The address from which the picture of this address is loaded; `None` if it stays the same.
pub(crate) fn picture_address(url: &str, options: &Options<'_>, file: Option<&FileContext<'_>>) -> Option<String> {
    link::upload(url, options).or_else(|| file?.picture(url))
}

/// The target of a link of this address; `None` if it stays the same.
pub(crate) fn link_address(url: &str, options: &Options<'_>, file: Option<&FileContext<'_>>) -> Option<String> {
    let elsewhere = || file.map_or_else(|| anchor::led(url), |file| file.link(url));
    link::upload(url, options).or_else(elsewhere)
}
