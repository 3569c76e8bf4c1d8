//! The review of the caller, as pages show it: drafts of comments, files viewed, and the newest version that the caller
//! has seen.

use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::merge_request::{self, MergeRequestPage, ReviewProgress};
use tenon_app::note::{self, ShownDraft};
use tenon_domain::id::{DraftNoteId, VersionId};
use tenon_domain::note::DiffPosition;

use crate::context::project::ProjectRequest;
use crate::kit::parameters::Parameters;
use crate::parts::issuable::changed::pending;
use crate::parts::issuable::reference::reference;
use crate::parts::issuable::talk::{Draft, DraftCard, DraftPlace};

/// The data of the review that a page reads.
pub(crate) struct ReviewFound {
    pub(super) drafts: Vec<ShownDraft>,
    pub(super) progress: ReviewProgress,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<ReviewFound, AppError> {
    let of = reference(asked)?;
    Ok(ReviewFound { drafts: note::drafts(query, &of)?, progress: merge_request::progress(query, &of)? })
}

/// The form of a draft that the address opens. It holds the Markdown.
pub(super) fn opened(asked: &Parameters, found: &ReviewFound) -> Option<Draft> {
    let id = DraftNoteId::new(asked.number("edit_draft")?);
    let known = found.drafts.iter().find(|known| known.draft.id == id)?;
    Some(Draft { place: DraftPlace::Review(id), text: known.draft.body.clone(), ..Draft::default() })
}

/// Drafts that have no place on the page yet.
pub(super) struct Waiting(Vec<(ShownDraft, DraftCard)>);

impl Waiting {
    pub(super) fn new(found: Vec<ShownDraft>, draft: Option<&Draft>) -> Self {
        let card = |shown: ShownDraft| {
            let card = DraftCard::new(&shown, draft);
            (shown, card)
        };
        Self(found.into_iter().map(card).collect())
    }

    /// The drafts that answer this discussion.
    pub(super) fn of_thread(&mut self, id: &str) -> Vec<DraftCard> {
        let is_here = |(shown, _): &mut (ShownDraft, DraftCard)| shown.draft.discussion.as_deref() == Some(id);
        self.0.extract_if(.., is_here).map(|(_, card)| card).collect()
    }

    /// The drafts on a line of this file for which there is a place.
    pub(super) fn on_lines<P>(
        &mut self,
        path: &str,
        place: impl Fn(&DiffPosition) -> Option<P>,
    ) -> Vec<(P, DraftCard)> {
        let mut found = Vec::new();
        for (shown, card) in std::mem::take(&mut self.0) {
            let position = shown.draft.position.as_ref().filter(|position| position.new_path == path);
            match position.and_then(&place) {
                Some(place) => found.push((place, card)),
                None => self.0.push((shown, card)),
            }
        }
        found
    }

    fn rest(self) -> Vec<DraftCard> {
        self.0.into_iter().map(|(_, card)| card).collect()
    }
}

/// The review, as a page shows it.
pub(crate) struct Review {
    /// The drafts that have no other place on the page.
    pub(super) drafts: Vec<DraftCard>,
    /// The number of drafts, and the same in words.
    pub(super) count: usize,
    pub(super) waiting: String,
    pub(super) is_empty: bool,
    pub(super) may_comment: bool,
    /// True if there is a newer version than the last one that the caller has seen.
    pub(super) has_news: bool,
    pub(super) newest: Option<VersionId>,
    /// True if the caller can confirm having seen the newest version.
    pub(super) may_mark: bool,
}

impl Review {
    pub(super) fn new(count_of_drafts: usize, rest: Waiting, request: &MergeRequestPage, page: &Standing<'_>) -> Self {
        let newest = request.versions.first().map(|version| version.id);
        let seen = page.progress.seen.as_ref().map(|version| version.id);
        Self {
            drafts: rest.rest(),
            count: count_of_drafts,
            waiting: pending(count_of_drafts),
            is_empty: count_of_drafts == 0,
            may_comment: page.may_comment,
            has_news: seen.is_some() && newest.is_some() && seen != newest,
            newest,
            may_mark: page.is_signed_in && newest.is_some() && seen != newest,
        }
    }
}

/// The reader, and the version that the reader has seen.
pub(super) struct Standing<'a> {
    pub(super) progress: &'a ReviewProgress,
    pub(super) is_signed_in: bool,
    pub(super) may_comment: bool,
}
