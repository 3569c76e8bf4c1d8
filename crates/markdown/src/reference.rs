//! What a text refers to.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use comrak::Arena;

use crate::closing::closed;
use crate::document::Document;
use crate::{Ended, Ends};

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
    /// The path of the project that the text belongs to, with a slash before it: its uploads are found there. Empty: of none.
    pub project: &'a str,
    /// When the work ends early.
    pub ends: Ends<'a>,
}

impl<'a> Options<'a> {
    /// A text of no project, on the server with this address.
    pub const fn of(base_url: &'a str) -> Self {
        Self { base_url, project: "", ends: Ends::NEVER }
    }

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

/// What a text names, and where. To be found once, before it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    places: Vec<(Range<usize>, Reference)>,
    mentions: Vec<Mention>,
    closes: Vec<Reference>,
}

impl Names {
    /// What `text` names outside code, links and raw HTML. Fails where `options.ends` says that it takes too long. A text that
    /// is too long to be parsed names nothing.
    ///
    /// # Errors
    ///
    /// [`Ended`] where the work has ended early.
    pub fn of(text: &str, options: &Options<'_>) -> Result<Self, Ended> {
        let arena = Arena::new();
        let found = Document::parse(&arena, text, options)?.found()?;
        let places: Vec<_> = found.into_iter().map(|found| (found.span, found.reference)).collect();
        let (mentions, closes) = (mentioned(text, &places), closed(text, &places));
        Ok(Self { places, mentions, closes })
    }

    /// As [`references`].
    #[must_use]
    pub fn references(&self) -> Vec<Reference> {
        distinct(self.places.iter().map(|(_, reference)| reference))
    }

    /// As [`mentions`].
    #[must_use]
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// As [`crate::closes`].
    #[must_use]
    pub fn closes(&self) -> &[Reference] {
        &self.closes
    }

    /// `text`, which these are the names of, with the references replaced by what `map` returns; where it returns none, and
    /// everywhere else, byte for byte as it was.
    pub fn rewritten(&self, text: &str, mut map: impl FnMut(&Reference) -> Option<String>) -> String {
        let mut rewritten = String::with_capacity(text.len());
        let mut copied = 0;
        for (span, reference) in &self.places {
            if let Some(replacement) = map(reference) {
                rewritten.push_str(text.get(copied..span.start).unwrap_or_default());
                rewritten.push_str(&replacement);
                copied = span.end;
            }
        }
        rewritten.push_str(text.get(copied..).unwrap_or_default());
        rewritten
    }
}

/// Everything that `text` refers to outside code, links and raw HTML, in the order of first appearance, each once; at most
/// [`MAX_REFERENCES`]. A text that is too long to be parsed, or takes too long, refers to nothing.
pub fn references(text: &str, options: &Options<'_>) -> Vec<Reference> {
    Names::of(text, options).unwrap_or_default().references()
}

/// The people that `text` mentions, each once, in the order of first appearance; at most [`MAX_REFERENCES`]. A person
/// leads if one of the mentions does.
pub fn mentions(text: &str) -> Vec<Mention> {
    Names::of(text, &Options::of("")).unwrap_or_default().mentions
}

fn mentioned(text: &str, places: &[(Range<usize>, Reference)]) -> Vec<Mention> {
    let mut mentions: Vec<Mention> = Vec::new();
    let mut known_places = HashMap::new();
    // Where the mention before ends, and whether it leads its line.
    let mut before = (0, true);
    for (span, reference) in places {
        let Reference::User(username) = reference else { continue };
        let gap = text.get(before.0..span.start).unwrap_or_default();
        let line = gap.rsplit_once(['\n', '\r']).map(|(_, line)| line);
        let leads = (line.is_some() || before.1) && line.unwrap_or(gap).chars().all(|c| matches!(c, ' ' | '\t' | ','));
        before = (span.end, leads);
        let known = known_places.get(username).and_then(|place: &usize| mentions.get_mut(*place));
        if let Some(mention) = known {
            mention.leads |= leads;
        } else if mentions.len() < MAX_REFERENCES {
            known_places.insert(username.clone(), mentions.len());
            mentions.push(Mention { username: username.clone(), leads });
        }
    }
    mentions
}

/// The first [`MAX_REFERENCES`] different ones.
pub(crate) fn distinct<'r>(references: impl Iterator<Item = &'r Reference>) -> Vec<Reference> {
    let mut seen = HashSet::new();
    references.filter(|reference| seen.insert(*reference)).take(MAX_REFERENCES).cloned().collect()
}
