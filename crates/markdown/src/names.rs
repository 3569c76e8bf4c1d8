//! The references of a text: found in one pass, for callers that store it.

use std::collections::HashMap;
use std::ops::Range;

use comrak::Arena;

use crate::Ended;
use crate::closing::closed;
use crate::document::Document;
use crate::reference::{MAX_REFERENCES, Mention, Options, Reference, distinct};

/// The references in a text, with their places. To be found once, before it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    places: Vec<(Range<usize>, Reference)>,
    mentions: Vec<Mention>,
    closes: Vec<Reference>,
}

impl Names {
    /// The references in `text` outside code, links and raw HTML. A text that is too long to be parsed has none.
    ///
    /// # Errors
    ///
    /// [`Ended`] if `options.ends` says that it takes too long.
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

    /// As [`closes`].
    #[must_use]
    pub fn closes(&self) -> &[Reference] {
        &self.closes
    }

    /// The text with the references replaced by the results of `map`; `text` must be the one that these names are of.
    /// If `map` returns `None`, and everywhere else, it stays byte for byte as it was.
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

/// Everything that `text` refers to outside code, links and raw HTML, in the order of first appearance, each once; at
/// most [`MAX_REFERENCES`]. A text that is too long to be parsed, or takes too long, refers to nothing.
pub fn references(text: &str, options: &Options<'_>) -> Vec<Reference> {
    Names::of(text, options).unwrap_or_default().references()
}

/// The people that `text` mentions, each once, in the order of first appearance; at most [`MAX_REFERENCES`]. A person
/// leads if one of the mentions does.
pub fn mentions(text: &str) -> Vec<Mention> {
    Names::of(text, &Options::of("")).unwrap_or_default().mentions
}

/// The issues that `text` says it closes, each once, in its order; at most [`crate::MAX_REFERENCES`]. Those of other
/// programs (`ABC-12`) are among them. The caller finds out whether they exist and may be closed.
pub fn closes(text: &str, options: &Options<'_>) -> Vec<Reference> {
    Names::of(text, options).unwrap_or_default().closes().to_vec()
}

fn mentioned(text: &str, places: &[(Range<usize>, Reference)]) -> Vec<Mention> {
    let mut mentions: Vec<Mention> = Vec::new();
    let mut known_places = HashMap::new();
    // The end of the mention before. The flag is true if it leads its line.
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
