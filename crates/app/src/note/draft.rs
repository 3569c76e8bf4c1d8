//! Reviews: comments on a merge request that only their author sees, until all of them are published together.

use std::collections::HashMap;

use tenon_domain::id::{DraftNoteId, UserId};
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::note::{DiffPosition, DraftNote, NoteKind};
use tenon_domain::quick_action::{Extracted, extract};
use tenon_domain::refusal::NoteRefusal;
use tenon_storage::note;

use super::NewNote;
use super::change::{check_body, create};
use super::discussion::{check_position, replied_to, reply, start};
use super::resolve::resolve;
use super::suggestion::{Suggestions, TextPlace};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::reference::Reference;
use crate::shared::issuable::notes::readable;
use crate::shared::issuable::open_discussions::check;
use crate::shared::markdown::{PageText, render_all};

/// A draft, for its author.
#[derive(Debug, Clone)]
pub struct ShownDraft {
    /// The draft itself.
    pub draft: DraftNote,
    /// Its text as safe HTML.
    pub html: String,
}

/// A request to write a draft.
#[derive(Debug, Clone, Default)]
pub struct NewDraft {
    /// Markdown, with quick actions, which are carried out when it is published.
    pub body: String,
    /// The discussion that it answers; it begins one if none is named.
    pub discussion: Option<String>,
    /// The place in the difference at which it begins a discussion.
    pub position: Option<DiffPosition>,
    /// True if the discussion that it answers is resolved with it.
    pub resolves: bool,
}

/// The drafts that a caller publishes, as they were read before.
#[derive(Debug, Clone, Default)]
pub struct Review {
    drafts: HashMap<DraftNoteId, (DraftNote, Extracted)>,
    suggestions: Suggestions,
}

impl Review {
    /// Takes the quick actions out of the texts of the drafts.
    #[must_use]
    pub fn of(drafts: Vec<DraftNote>) -> Self {
        let read = |draft: DraftNote| {
            let extracted = extract(&draft.body);
            (draft.id, (draft, extracted))
        };
        Self { drafts: drafts.into_iter().map(read).collect(), suggestions: Suggestions::default() }
    }

    /// The texts that are about lines, oldest first, for [`suggested`](super::suggested).
    #[must_use]
    pub fn places(&self) -> Vec<(String, TextPlace)> {
        let place = |(draft, extracted): &(DraftNote, Extracted)| {
            let place = match (&draft.discussion, &draft.position) {
                (Some(id), _) => TextPlace::Discussion(id.clone()),
                (None, position) => TextPlace::Line(position.clone()?),
            };
            Some((extracted.text.clone(), place))
        };
        let mut ordered: Vec<_> = self.drafts.iter().collect();
        ordered.sort_by_key(|(id, _)| **id);
        ordered.into_iter().filter_map(|(_, one)| place(one)).collect()
    }

    /// With the changes of lines that the texts propose.
    #[must_use]
    pub fn with(self, suggestions: Suggestions) -> Self {
        Self { suggestions, ..self }
    }

    /// The texts that are stored, for [`App::write_text`](crate::App::write_text).
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.drafts.values().map(|(_, extracted)| extracted.text.clone()).collect()
    }

    /// The text of a draft, with its quick actions. `None` if the draft was not read, or had another text.
    fn take(&mut self, draft: &DraftNote) -> Option<Extracted> {
        self.drafts.remove(&draft.id).filter(|(read, _)| read.body == draft.body).map(|(_, extracted)| extracted)
    }
}

/// The caller's drafts on a merge request, oldest first; none for callers without an account.
pub fn own_drafts(query: &mut Query<'_>, of: &IssuableReference) -> Result<Vec<DraftNote>, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let Some(author) = query.viewer().user() else { return Ok(Vec::new()) };
    Ok(note::drafts(&mut query.tx, found.issuable.id, author)?)
}

/// As [`own_drafts`], with their texts as HTML.
pub fn drafts(query: &mut Query<'_>, of: &IssuableReference) -> Result<Vec<ShownDraft>, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let drafts = own_drafts(query, of)?;
    let texts = drafts.iter().map(|draft| PageText { key: format!("draft {}", draft.id), text: &draft.body });
    let texts: Vec<PageText<'_>> = texts.collect();
    let html = render_all(query, &texts, &Reference::Id(found.home.project.id.get()))?;
    Ok(drafts.into_iter().zip(html).map(|(draft, html)| ShownDraft { draft, html }).collect())
}

/// Writes a draft; one that answers a discussion that is gone begins one. Refused if the caller may not comment, if the
/// discussion takes no replies or may not be resolved, and if there are as many drafts as one user may have.
pub fn write_draft(
    command: &mut Command<'_>,
    of: &IssuableReference,
    mut request: NewDraft,
) -> Result<DraftNote, AppError> {
    let (found, author) = reviewed(command, of)?;
    check_body(&request.body)?;
    if let Some(position) = &request.position {
        check_position(command, &found, position)?;
    }
    if let Some(id) = request.discussion.take() {
        let (_, notes) = replied_to(command, of, &id)?;
        // A discussion that is gone begins anew, also if it goes before the draft is published.
        if let Some(first) = notes.first() {
            if first.kind == NoteKind::Note {
                return Err(NoteRefusal::NoReplies.into());
            }
            if request.resolves {
                check(&found, &notes)?;
            }
            request.discussion = Some(id);
        }
    }
    store(command, &found, author, request)
}

fn store(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    author: UserId,
    request: NewDraft,
) -> Result<DraftNote, AppError> {
    let most = command.app.limits().people.drafts;
    let written = note::count_drafts(&mut command.tx, found.issuable.id, author)?;
    if usize::try_from(written).is_ok_and(|written| written >= most) {
        return Err(NoteRefusal::TooManyDrafts(most).into());
    }
    let mut draft = DraftNote {
        id: DraftNoteId::new(0),
        issuable: found.issuable.id,
        author,
        body: request.body,
        resolves: request.resolves && request.discussion.is_some(),
        position: request.position.filter(|_| request.discussion.is_none()),
        discussion: request.discussion,
        created_at: command.now,
        updated_at: command.now,
    };
    draft.id = note::insert_draft(&mut command.tx, &draft)?;
    Ok(draft)
}

/// Changes the text of a draft of the caller. Refused if it is none, or none any more: another page may have published
/// it.
pub fn edit_draft(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: DraftNoteId,
    body: &str,
) -> Result<(), AppError> {
    if !is_own(command, of, id)? {
        return Err(NoteRefusal::DraftGone.into());
    }
    check_body(body)?;
    let now = command.now;
    Ok(note::update_draft(&mut command.tx, id, body, now)?)
}

/// Discards a draft of the caller.
pub fn discard_draft(command: &mut Command<'_>, of: &IssuableReference, id: DraftNoteId) -> Result<(), AppError> {
    if !is_own(command, of, id)? {
        return Err(AppError::NotFound(Missing::Record));
    }
    Ok(note::delete_draft(&mut command.tx, id)?)
}

/// Publishes all drafts of the caller on a merge request: all of them or, if one is refused, none. Yields how many there
/// were. A draft that answers a discussion that is gone begins one. [`AppError::Busy`] if a draft was written or changed after those of
/// the `review` were read.
pub fn publish_drafts(
    command: &mut Command<'_>,
    of: &IssuableReference,
    mut review: Review,
) -> Result<usize, AppError> {
    let (found, author) = reviewed(command, of)?;
    let drafts = note::drafts(&mut command.tx, found.issuable.id, author)?;
    let bodies = drafts.iter().map(|draft| review.take(draft)).collect::<Option<Vec<_>>>();
    let bodies = bodies.ok_or(AppError::Busy { retry_after: 1 })?;
    note::delete_drafts(&mut command.tx, found.issuable.id, author)?;
    let count = drafts.len();
    for (draft, body) in drafts.into_iter().zip(bodies) {
        publish(command, of, draft, body, review.suggestions.clone())?;
    }
    Ok(count)
}

fn publish(
    command: &mut Command<'_>,
    of: &IssuableReference,
    draft: DraftNote,
    body: Extracted,
    suggestions: Suggestions,
) -> Result<(), AppError> {
    let request = NewNote { body, created_at: None, position: draft.position, suggestions };
    let Some(id) = draft.discussion else {
        return match request.position {
            Some(_) => start(command, of, request).map(drop),
            None => create(command, of, request).map(drop),
        };
    };
    let (found, notes) = replied_to(command, of, &id)?;
    if notes.is_empty() {
        return start(command, of, request).map(drop);
    }
    reply(command, of, &id, request)?;
    if draft.resolves && check(&found, &notes).is_ok() {
        resolve(command, of, &id, true)?;
    }
    Ok(())
}

/// The merge request, if the caller may comment on it, and the caller.
fn reviewed(command: &mut Command<'_>, of: &IssuableReference) -> Result<(AuthorizedIssuable, UserId), AppError> {
    let (found, _) = readable(&mut command.query(), of, IssuableAction::Comment)?;
    if found.issuable.kind != IssuableKind::MergeRequest {
        return Err(AppError::NotFound(Missing::Record));
    }
    Ok((found, command.user()?.id))
}

fn is_own(command: &mut Command<'_>, of: &IssuableReference, id: DraftNoteId) -> Result<bool, AppError> {
    let found = command.query().issuable(of, IssuableAction::Read)?;
    let author = command.user()?.id;
    Ok(note::is_draft_of(&mut command.tx, found.issuable.id, author, id)?)
}
