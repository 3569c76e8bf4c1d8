//! The review of the caller: comments that are not published yet, files viewed, and the version up to which they have looked.

use tenon_app::error::AppError;
use tenon_app::merge_request::{self, MergeRequestPage, ReviewProgress};
use tenon_app::note::{self, NewDraft, ShownDraft};
use tenon_app::{Command, Query};
use tenon_domain::id::{DraftNoteId, VersionId};
use tenon_domain::note::DiffPosition;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::issuable::note::{origin, page_of, position, refused};
use crate::issuable::reference;
use crate::issuable::talk::{Draft, DraftCard, DraftPlace};
use crate::parameters::Parameters;
use crate::project::{Asked, Room, Table};
use crate::words::count;

pub(super) fn routes(table: &mut Table) {
    table.post("/merge_requests/{iid}/drafts", create);
    table.post("/merge_requests/{iid}/drafts/publish", publish);
    table.put("/merge_requests/{iid}/drafts/{id}", update);
    table.delete("/merge_requests/{iid}/drafts/{id}", discard);
    table.post("/merge_requests/{iid}/viewed", set_viewed);
    table.post("/merge_requests/{iid}/seen", mark_seen);
}

/// What a page reads of the review.
pub(crate) struct ReviewFound {
    pub(super) drafts: Vec<ShownDraft>,
    pub(super) progress: ReviewProgress,
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<ReviewFound, AppError> {
    let of = reference(asked)?;
    Ok(ReviewFound { drafts: note::drafts(query, &of)?, progress: merge_request::progress(query, &of)? })
}

/// The form of a draft that the address opens: it holds the Markdown.
pub(super) fn opened(asked: &Parameters, found: &ReviewFound) -> Option<Draft> {
    let id = DraftNoteId::new(asked.number("edit_draft")?);
    let known = found.drafts.iter().find(|known| known.draft.id == id)?;
    Some(Draft { place: DraftPlace::Review(id), text: known.draft.body.clone(), ..Draft::default() })
}

/// Drafts that have not found their place on a page yet.
pub(super) struct Waiting(Vec<(ShownDraft, DraftCard)>);

impl Waiting {
    pub(super) fn new(found: Vec<ShownDraft>, draft: Option<&Draft>) -> Self {
        let card = |shown: ShownDraft| {
            let card = DraftCard::new(&shown, draft);
            (shown, card)
        };
        Self(found.into_iter().map(card).collect())
    }

    /// Those that answer this discussion.
    pub(super) fn of_thread(&mut self, id: &str) -> Vec<DraftCard> {
        let is_here = |(shown, _): &mut (ShownDraft, DraftCard)| shown.draft.discussion.as_deref() == Some(id);
        self.0.extract_if(.., is_here).map(|(_, card)| card).collect()
    }

    /// Those on a line of this file for which there is a place.
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
    /// The drafts that stand nowhere else on the page.
    pub(super) drafts: Vec<DraftCard>,
    /// How many drafts there are, in words; empty for none.
    pub(super) waiting: String,
    /// Whether there is a newer version than the one up to which the caller has looked.
    pub(super) has_news: bool,
    /// The newest version.
    pub(super) newest: Option<VersionId>,
    /// Whether the caller can say that they have seen the newest version.
    pub(super) may_mark: bool,
}

impl Review {
    pub(super) fn new(count_of_drafts: usize, rest: Waiting, request: &MergeRequestPage, page: &Standing<'_>) -> Self {
        let newest = request.versions.first().map(|version| version.id);
        let seen = page.progress.seen.as_ref().map(|version| version.id);
        let number = i64::try_from(count_of_drafts).unwrap_or(i64::MAX);
        let waiting = match number {
            0 => String::new(),
            1 => "1 comment is not published yet.".to_owned(),
            number => format!("{} are not published yet.", count(number, "comment", "comments")),
        };
        Self {
            drafts: rest.rest(),
            waiting,
            has_news: seen.is_some() && newest.is_some() && seen != newest,
            newest,
            may_mark: page.is_signed_in && newest.is_some() && seen != newest,
        }
    }
}

/// Who looks, and how far they have looked.
pub(super) struct Standing<'a> {
    pub(super) progress: &'a ReviewProgress,
    pub(super) is_signed_in: bool,
}

/// Writes a comment that is published with the review.
async fn create(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let form = room.visit.form();
    let (text, from_diff) = (form.text("note", "note"), form.ticked("", "from_diff"));
    let (discussion, position) = (form.filled("", "in_reply_to_discussion_id"), position(form));
    let place = match (&discussion, &position) {
        (Some(id), _) => DraftPlace::Reply(id.clone()),
        (None, Some(_)) => DraftPlace::Line(form.text("", "line")),
        (None, None) => DraftPlace::Comment,
    };
    let resolves = form.ticked("", "resolves");
    let request = NewDraft { body: text.clone(), discussion, position, resolves };
    match room.visit.write(move |command| note::write_draft(command, &of, request)).await {
        Ok(draft) => Ok(room.done(&format!("{}#draft_{}", origin(&room), draft.id))),
        Err(error) => refused(room, place, text, from_diff, error).await,
    }
}

async fn update(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let id = DraftNoteId::new(room.asked.number("id")?);
    let form = room.visit.form();
    let (text, from_diff) = (form.text("note", "note"), form.ticked("", "from_diff"));
    let body = text.clone();
    match room.visit.write(move |command| note::edit_draft(command, &of, id, &body)).await {
        Ok(()) => Ok(room.done(&format!("{}#draft_{id}", origin(&room)))),
        // The draft is gone, and its form with it. The text stands in the form for a comment, on the page that has one.
        Err(error @ AppError::Refused(_)) => refused(room, DraftPlace::Comment, text, false, error).await,
        Err(error) => refused(room, DraftPlace::Review(id), text, from_diff, error).await,
    }
}

async fn discard(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let id = DraftNoteId::new(room.asked.number("id")?);
    room.visit.write(move |command| note::discard_draft(command, &of, id)).await?;
    Ok(room.done(&origin(&room)).cookie(cookie::of_flash(Flash::DraftDiscarded)))
}

/// The version that was the newest when the page of a form was made.
fn version(room: &Room) -> Option<VersionId> {
    room.visit.form().filled("", "version").and_then(|text| text.parse().ok()).map(VersionId::new)
}

/// Publishes the drafts, and notes up to which version the caller has looked, where the form says so.
async fn publish(room: Room) -> Result<Answer, PageError> {
    let (of, version) = (reference(&room.asked)?, version(&room));
    let work = move |command: &mut Command<'_>| {
        note::publish_drafts(command, &of)?;
        version.map_or(Ok(()), |version| merge_request::mark_seen(command, &of, version))
    };
    match room.visit.write_text(Vec::new(), work).await {
        Ok(()) => Ok(room.done(&origin(&room)).cookie(cookie::of_flash(Flash::ReviewPublished))),
        Err(error) => super::show::refused(room, Problems::of(error)?).await,
    }
}

/// Notes that a file was viewed, or that it was not. The button that was pressed names it: by the digest of its changes, a space,
/// and its path.
async fn set_viewed(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let form = room.visit.form();
    let is_viewed = form.has("", "viewed");
    let named = form.text("", if is_viewed { "viewed" } else { "not_viewed" });
    let (digest, path) = named.split_once(' ').unwrap_or_default();
    let (digest, path, file) = (digest.to_owned(), path.to_owned(), crate::diff::anchor(path));
    let work = move |command: &mut Command<'_>| merge_request::set_viewed(command, &of, &path, &digest, is_viewed);
    match room.visit.write(work).await {
        Ok(()) => Ok(room.done(&format!("{}#{file}", origin(&room)))),
        Err(error) => super::show::refused(room, Problems::of(error)?).await,
    }
}

async fn mark_seen(room: Room) -> Result<Answer, PageError> {
    let (of, version) = (reference(&room.asked)?, version(&room).ok_or(PageError::NotFound)?);
    room.visit.write(move |command| merge_request::mark_seen(command, &of, version)).await?;
    Ok(room.done(&page_of(&room.asked)).cookie(cookie::of_flash(Flash::MarkedAsSeen)))
}
