//! Discussions: notes that belong together (reference: issues-merge-requests-projects, section 10.4).

use tenon_app::Query;
use tenon_app::error::{AppError, Missing};
use tenon_app::identity::Guard;
use tenon_app::note::{self, NewNote, NoteView, Noteable};
use tenon_domain::id::NoteId;

use super::dto::{CommandsDto, DiscussionDto, NoteDto};
use super::{EditParams, NewNoteParams, note_id, noteable, noted};
use crate::call::{Call, Caller};
use crate::error::ApiError;
use crate::issue::{IssueParams, PagedIssueParams};
use crate::reply::{CreatedOr, Json, NoContent, Paged};
use crate::routes::Routes;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Discussions")
        .get("/projects/{id}/issues/{issue_iid}/discussions", Guard::SignedIn, list, "The discussions of an issue.")
        .post("/projects/{id}/issues/{issue_iid}/discussions", Guard::SignedIn, start, "Begins a discussion.")
        .get(
            "/projects/{id}/issues/{issue_iid}/discussions/{discussion_id}",
            Guard::SignedIn,
            show,
            "One discussion of an issue.",
        )
        .post(
            "/projects/{id}/issues/{issue_iid}/discussions/{discussion_id}/notes",
            Guard::SignedIn,
            reply,
            "Adds to a discussion.",
        )
        .get(
            "/projects/{id}/issues/{issue_iid}/discussions/{discussion_id}/notes/{note_id:int}",
            Guard::SignedIn,
            show_note,
            "One note of a discussion.",
        )
        .put(
            "/projects/{id}/issues/{issue_iid}/discussions/{discussion_id}/notes/{note_id:int}",
            Guard::SignedIn,
            edit_note,
            "Changes a comment in a discussion.",
        )
        .delete(
            "/projects/{id}/issues/{issue_iid}/discussions/{discussion_id}/notes/{note_id:int}",
            Guard::SignedIn,
            delete_note,
            "Deletes a comment in a discussion.",
        );
}

fn discussion_id(caller: &Caller) -> String {
    caller.path("discussion_id").to_owned()
}

/// The note of that discussion; one of another discussion is missing.
fn in_discussion(query: &mut Query<'_>, of: &Noteable, discussion: &str, id: NoteId) -> Result<NoteView, AppError> {
    let notes = note::discussion(query, of, discussion)?.notes;
    notes.into_iter().find(|view| view.note.id == id).ok_or(AppError::NotFound(Missing::Record))
}

async fn list(Call { caller, params }: Call<PagedIssueParams>) -> Result<Paged<DiscussionDto>, ApiError> {
    let (of, page) = (noteable(&caller, &params.issue), params.paging.into());
    let page = caller.read(move |query| note::discussions(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(Call { caller, params }: Call<IssueParams>) -> Result<Json<DiscussionDto>, ApiError> {
    let (of, id) = (noteable(&caller, &params), discussion_id(&caller));
    let view = caller.read(move |query| note::discussion(query, &of, &id)).await?;
    Ok(Json(view.into()))
}

async fn start(
    Call { caller, params }: Call<NewNoteParams>,
) -> Result<CreatedOr<DiscussionDto, CommandsDto>, ApiError> {
    let of = noteable(&caller, &params.issue);
    let request = NewNote { body: params.body, created_at: params.created_at };
    let started = caller.write(move |command| note::start(command, &of, request)).await?;
    Ok(started.map_or_else(|| CreatedOr::Instead(CommandsDto::default()), |view| CreatedOr::Created(view.into())))
}

async fn reply(Call { caller, params }: Call<NewNoteParams>) -> Result<CreatedOr<NoteDto, CommandsDto>, ApiError> {
    let (of, id) = (noteable(&caller, &params.issue), discussion_id(&caller));
    let request = NewNote { body: params.body, created_at: params.created_at };
    Ok(noted(caller.write(move |command| note::reply(command, &of, &id, request)).await?))
}

async fn show_note(Call { caller, params }: Call<IssueParams>) -> Result<Json<NoteDto>, ApiError> {
    let (of, discussion, id) = (noteable(&caller, &params), discussion_id(&caller), note_id(&caller)?);
    let view = caller.read(move |query| in_discussion(query, &of, &discussion, id)).await?;
    Ok(Json(view.into()))
}

async fn edit_note(Call { caller, params }: Call<EditParams>) -> Result<Json<NoteDto>, ApiError> {
    let (of, discussion, id) = (noteable(&caller, &params.issue), discussion_id(&caller), note_id(&caller)?);
    let edited = caller.write(move |command| {
        in_discussion(&mut command.query(), &of, &discussion, id)?;
        note::edit(command, &of, id, &params.body)
    });
    Ok(Json(edited.await?.into()))
}

async fn delete_note(Call { caller, params }: Call<IssueParams>) -> Result<NoContent, ApiError> {
    let (of, discussion, id) = (noteable(&caller, &params), discussion_id(&caller), note_id(&caller)?);
    let since = caller.head().unmodified_since;
    let deleted = caller.write(move |command| {
        in_discussion(&mut command.query(), &of, &discussion, id)?;
        note::delete(command, &of, id, since)
    });
    deleted.await?;
    Ok(NoContent)
}
