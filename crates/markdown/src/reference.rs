//! What a text refers to.

use std::collections::{HashMap, HashSet};

use comrak::Arena;

use crate::document::Document;

/// The most references that are taken from one text. Each costs a look-up, and no reader follows more.
pub const MAX_REFERENCES: usize = 200;

/// What a text names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reference {
    /// `@name`: a user, or a group by its full path (`@group/sub`). Without the `@`.
    User(String),
    /// `#12`, `project#12`, `group/project#12`, or the address of an issue on this server.
    Issue {
        /// The path as it is written: none is this project, one segment a project of the same namespace, several a
        /// full path.
        project: Option<String>,
        /// The number behind the `#`.
        iid: i64,
    },
    /// `!12`, and the same longer forms as of an issue.
    MergeRequest {
        /// As for an issue.
        project: Option<String>,
        /// The number behind the `!`.
        iid: i64,
    },
    /// `~bug` or `~"two words"`. Without the `~` and the quotes.
    Label(String),
    /// `%1.0` or `%"two words"`. Without the `%` and the quotes.
    Milestone(String),
    /// `ABC-12`: an issue of another program, if the project uses one.
    External(String),
}

/// Where texts are read.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The address of this server, to recognise full addresses of its issues. Empty: none are recognised.
    pub base_url: &'a str,
}

impl<'a> Options<'a> {
    /// The address of this server without a slash at its end; none if it is not known.
    pub(crate) fn base(&self) -> Option<&'a str> {
        let base = self.base_url.trim_end_matches('/');
        (!base.is_empty()).then_some(base)
    }
}

/// A user or group whom a text calls by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The name without the `@`, as it is written.
    pub username: String,
    /// Whether the name starts a line, be it behind other names: then the user is addressed directly.
    pub leads: bool,
}

/// Everything that `text` refers to outside code, links and raw HTML, in the order of first appearance, each once; at most
/// [`MAX_REFERENCES`]. A text that is too long to be parsed refers to nothing.
pub fn references(text: &str, options: &Options<'_>) -> Vec<Reference> {
    let arena = Arena::new();
    let found = Document::parse(&arena, text, options).found();
    distinct(found.into_iter().map(|found| found.reference))
}

/// The people that `text` mentions, each once, in the order of first appearance; at most [`MAX_REFERENCES`]. A person
/// leads if one of the mentions does.
pub fn mentions(text: &str) -> Vec<Mention> {
    let arena = Arena::new();
    let found = Document::parse(&arena, text, &Options { base_url: "" }).found();
    let mut mentions: Vec<Mention> = Vec::new();
    let mut places = HashMap::new();
    // Where the mention before ends, and whether it leads its line.
    let mut before = (0, true);
    for found in found {
        let Reference::User(username) = found.reference else { continue };
        let gap = text.get(before.0..found.span.start).unwrap_or_default();
        let line = gap.rsplit_once(['\n', '\r']).map(|(_, line)| line);
        let leads = (line.is_some() || before.1) && line.unwrap_or(gap).chars().all(|c| matches!(c, ' ' | '\t' | ','));
        before = (found.span.end, leads);
        let known = places.get(&username).and_then(|place: &usize| mentions.get_mut(*place));
        if let Some(mention) = known {
            mention.leads |= leads;
        } else if mentions.len() < MAX_REFERENCES {
            places.insert(username.clone(), mentions.len());
            mentions.push(Mention { username, leads });
        }
    }
    mentions
}

/// The first [`MAX_REFERENCES`] different ones.
pub(crate) fn distinct(references: impl Iterator<Item = Reference>) -> Vec<Reference> {
    let mut seen = HashSet::new();
    references.filter(|reference| seen.insert(reference.clone())).take(MAX_REFERENCES).collect()
}
