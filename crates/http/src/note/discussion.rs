//! Discussions.

use tenon_app::Query;
use tenon_app::error::{AppError, Missing};
use tenon_app::identity::Guard;
use tenon_app::issuable::IssuableReference;
use tenon_app::note::{self, NewNote, NoteView, Suggestions, TextPlace};
use tenon_domain::id::NoteId;
use tenon_domain::note::DiffPosition;
use tenon_domain::quick_action::extract;
use tenon_edge::error::ApiError;

use super::{NewNoteParams, note_id, noted};
use crate::dto::note::{CommandsDto, DiscussionDto, NoteDto};
use crate::endpoint::{Call, Caller, CreatedOr, Json, NoContent, Paged, Routes};
use crate::issuable::{both, reference};
use crate::params::{Hash, Paging, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Discussions");
    for path in both!("/discussions") {
        api.get(path, Guard::SignedIn, list, "All discussions.").post(
            path,
            Guard::SignedIn,
            start,
            "Begins a discussion.",
        );
    }
    for path in both!("/discussions/{discussion_id}") {
        api.get(path, Guard::SignedIn, show, "One discussion.").put(
            path,
            Guard::SignedIn,
            resolve,
            "Resolves or reopens a discussion of a merge request.",
        );
    }
    for path in both!("/discussions/{discussion_id}/notes") {
        api.post(path, Guard::SignedIn, reply, "Adds a note to a discussion.");
    }
    for path in both!("/discussions/{discussion_id}/notes/{note_id:int}") {
        api.get(path, Guard::SignedIn, show_note, "One note of a discussion.")
            .put(path, Guard::SignedIn, edit_note, "Changes a comment in a discussion.")
            .delete(path, Guard::SignedIn, delete_note, "Deletes a comment in a discussion.");
    }
}

params! {
    /// A position in the diff of a merge request.
    pub(crate) struct PositionParams {
        /// The merge base.
        base_sha: String,
        /// The head of the target branch.
        start_sha: String,
        /// The head of the source branch.
        head_sha: String,
        /// `text`.
        #[expect(dead_code, reason = "there is one type")]
        position_type: Option<String>,
        /// The path before the change; `new_path` by default.
        old_path: Option<String>,
        /// The path after the change; `old_path` by default.
        new_path: Option<String>,
        /// The line number before the change.
        old_line: Option<i64>,
        /// The line number after the change.
        new_line: Option<i64>,
    }
}

params! {
    /// A new discussion.
    pub(crate) struct StartParams {
        note: NewNoteParams,
        /// The position in a merge request.
        position: Hash<PositionParams>,
    }
}

params! {
    /// The resolution of a discussion.
    pub(crate) struct ResolveParams {
        /// True to resolve the discussion, false to reopen it.
        resolved: bool,
    }
}

params! {
    /// A new text for a comment, or its resolution.
    pub(crate) struct EditNoteParams {
        /// Markdown.
        body: Option<String>,
        /// True to resolve the note, false to reopen it.
        resolved: Option<bool>,
    }
    rules(reader) { reader.exactly_one_of(&["body", "resolved"]); }
}

impl From<PositionParams> for DiffPosition {
    fn from(params: PositionParams) -> Self {
        let (old, new) = (params.old_path.clone(), params.new_path.clone());
        Self {
            base: params.base_sha,
            start: params.start_sha,
            head: params.head_sha,
            old_path: params.old_path.or(new).unwrap_or_default(),
            new_path: params.new_path.or(old).unwrap_or_default(),
            old_line: params.old_line,
            new_line: params.new_line,
        }
    }
}

/// The changes of lines that a text at this place proposes.
async fn suggested(
    caller: &Caller,
    of: &IssuableReference,
    text: &str,
    place: TextPlace,
) -> Result<Suggestions, ApiError> {
    Ok(note::suggested(caller.app(), caller.identity(), of, vec![(text.to_owned(), place)]).await?)
}

fn discussion_id(caller: &Caller) -> String {
    caller.path("discussion_id").to_owned()
}

/// The note of that discussion; 404 for a note of another one.
fn in_discussion(
    query: &mut Query<'_>,
    of: &IssuableReference,
    discussion: &str,
    id: NoteId,
) -> Result<NoteView, AppError> {
    let notes = note::discussion(query, of, discussion)?.notes;
    notes.into_iter().find(|view| view.note.id == id).ok_or(AppError::NotFound(Missing::Record))
}

async fn list(Call { caller, params }: Call<Paging>) -> Result<Paged<DiscussionDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| note::discussions(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(caller: Call<()>) -> Result<Json<DiscussionDto>, ApiError> {
    let (of, id) = (reference(&caller)?, discussion_id(&caller));
    let view = caller.read(move |query| note::discussion(query, &of, &id)).await?;
    Ok(Json(view.into()))
}

async fn start(Call { caller, params }: Call<StartParams>) -> Result<CreatedOr<DiscussionDto, CommandsDto>, ApiError> {
    let of = reference(&caller)?;
    let position: Option<DiffPosition> = params.position.0.map(Into::into);
    let body = extract(&params.note.body);
    let suggestions = match &position {
        Some(position) => suggested(&caller, &of, &body.text, TextPlace::Line(position.clone())).await?,
        None => Suggestions::default(),
    };
    let request = NewNote { body, created_at: params.note.created_at, position, suggestions };
    let started = caller.write_text(request.texts(), move |command| note::start(command, &of, request)).await?;
    Ok(started.map_or_else(|| CreatedOr::Instead(CommandsDto::default()), |view| CreatedOr::Created(view.into())))
}

async fn reply(Call { caller, params }: Call<NewNoteParams>) -> Result<CreatedOr<NoteDto, CommandsDto>, ApiError> {
    let (of, id) = (reference(&caller)?, discussion_id(&caller));
    let body = extract(&params.body);
    let suggestions = suggested(&caller, &of, &body.text, TextPlace::Discussion(id.clone())).await?;
    let request = NewNote { body, created_at: params.created_at, position: None, suggestions };
    Ok(noted(caller.write_text(request.texts(), move |command| note::reply(command, &of, &id, request)).await?))
}

async fn show_note(caller: Call<()>) -> Result<Json<NoteDto>, ApiError> {
    let (of, discussion, id) = (reference(&caller)?, discussion_id(&caller), note_id(&caller)?);
    let view = caller.read(move |query| in_discussion(query, &of, &discussion, id)).await?;
    Ok(Json(view.into()))
}

async fn edit_note(Call { caller, params }: Call<EditNoteParams>) -> Result<Json<NoteDto>, ApiError> {
    let (of, discussion, id) = (reference(&caller)?, discussion_id(&caller), note_id(&caller)?);
    let suggestions = match &params.body {
        Some(body) => suggested(&caller, &of, body, TextPlace::Note(id)).await?,
        None => Suggestions::default(),
    };
    let edited = caller.write_text(params.body.clone().into_iter().collect(), move |command| {
        in_discussion(&mut command.query(), &of, &discussion, id)?;
        match (params.body, params.resolved) {
            (Some(body), _) => note::edit(command, &of, id, &body, &suggestions),
            (None, resolved) => note::resolve_note(command, &of, id, resolved == Some(true)),
        }
    });
    Ok(Json(edited.await?.into()))
}

async fn resolve(Call { caller, params }: Call<ResolveParams>) -> Result<Json<DiscussionDto>, ApiError> {
    let (of, id) = (reference(&caller)?, discussion_id(&caller));
    Ok(Json(caller.write(move |command| note::resolve(command, &of, &id, params.resolved)).await?.into()))
}

async fn delete_note(caller: Call<()>) -> Result<NoContent, ApiError> {
    let (of, discussion, id) = (reference(&caller)?, discussion_id(&caller), note_id(&caller)?);
    let since = caller.head().unmodified_since;
    let deleted = caller.write(move |command| {
        in_discussion(&mut command.query(), &of, &discussion, id)?;
        note::delete(command, &of, id, since)
    });
    deleted.await?;
    Ok(NoContent)
}
