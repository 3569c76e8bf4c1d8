//! Comments on snippets of projects, discussions, and reactions.

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::snippet::{self, Awardable, NotesOrder, SnippetReference};
use tenon_domain::id::{AwardId, NoteId, SnippetId};
use tenon_domain::note::NoteKind;
use tenon_edge::error::ApiError;

use crate::dto::award_emoji::AwardDto;
use crate::dto::note::{DiscussionDto, NoteDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

/// The comment in the path, if there is one.
type Subject = fn(&Caller) -> Result<Option<NoteId>, ApiError>;

const NOTES: &str = "/projects/{id}/snippets/{snippet_id}/notes";
const NOTE: &str = "/projects/{id}/snippets/{snippet_id}/notes/{note_id:int}";
const THREADS: &str = "/projects/{id}/snippets/{snippet_id}/discussions";
const THREAD: &str = "/projects/{id}/snippets/{snippet_id}/discussions/{discussion_id}";
const REPLIES: &str = "/projects/{id}/snippets/{snippet_id}/discussions/{discussion_id}/notes";
const REPLY: &str = "/projects/{id}/snippets/{snippet_id}/discussions/{discussion_id}/notes/{note_id:int}";

pub(super) fn routes(api: &mut Routes) {
    api.tag("Notes")
        .get(NOTES, Guard::SignedIn, list, "The comments on a snippet.")
        .post(NOTES, Guard::SignedIn, create, "Comments on a snippet.")
        .get(NOTE, Guard::SignedIn, show, "One comment on a snippet.")
        .put(NOTE, Guard::SignedIn, edit, "Changes a comment on a snippet.")
        .delete(NOTE, Guard::SignedIn, delete, "Deletes a comment on a snippet.");
    api.tag("Discussions")
        .get(THREADS, Guard::SignedIn, discussions, "The discussions of a snippet.")
        .post(THREADS, Guard::SignedIn, start, "Begins a discussion of a snippet.")
        .get(THREAD, Guard::SignedIn, discussion, "One discussion of a snippet.")
        .post(REPLIES, Guard::SignedIn, reply, "Adds a comment to a discussion of a snippet.")
        .get(REPLY, Guard::SignedIn, show, "One comment of a discussion of a snippet.")
        .put(REPLY, Guard::SignedIn, edit, "Changes a comment in a discussion of a snippet.")
        .delete(REPLY, Guard::SignedIn, delete, "Deletes a comment in a discussion of a snippet.");
    api.tag("Award emoji");
    awards(
        api,
        "/projects/{id}/snippets/{snippet_id}/award_emoji",
        "/projects/{id}/snippets/{snippet_id}/award_emoji/{award_id:int}",
        |_caller| Ok(None),
    );
    awards(
        api,
        "/projects/{id}/snippets/{snippet_id}/notes/{note_id:int}/award_emoji",
        "/projects/{id}/snippets/{snippet_id}/notes/{note_id:int}/award_emoji/{award_id:int}",
        |caller| note_id(caller).map(Some),
    );
}

fn awards(api: &mut Routes, all: &'static str, one: &'static str, to: Subject) {
    api.get(all, Guard::SignedIn, move |call| list_awards(call, to), "The reactions to a snippet or a comment on it.")
        .post(all, Guard::SignedIn, move |call| give(call, to), "Reacts to a snippet or a comment on it.")
        .get(one, Guard::SignedIn, move |call| show_award(call, to), "One reaction.")
        .delete(one, Guard::SignedIn, move |call| withdraw(call, to), "Removes a reaction.");
}

choice! {
    /// The orders of a list of comments.
    pub(crate) enum NoteOrderBy {
        /// Date of creation.
        CreatedAt = "created_at",
        /// Date of the last change.
        UpdatedAt = "updated_at",
    }
}

params! {
    /// The order of comments.
    pub(crate) struct ListNotesParams {
        /// Sort key; the date of creation by default.
        order_by: Option<NoteOrderBy>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        paging: Paging,
    }
}

params! {
    /// The text of a comment.
    pub(crate) struct BodyParams {
        /// Markdown.
        body: String,
    }
}

params! {
    /// A reaction.
    pub(crate) struct AwardParams {
        /// The name of an emoji, without colons.
        name: String,
    }
}

fn reference(caller: &Caller) -> Result<SnippetReference, ApiError> {
    let project = Some(Reference::parse(caller.path("id")));
    Ok(SnippetReference { project, id: SnippetId::new(caller.path_i64("snippet_id")?) })
}

fn note_id(caller: &Caller) -> Result<NoteId, ApiError> {
    caller.path_i64("note_id").map(NoteId::new)
}

/// The discussion in the path, if there is one.
fn discussion_id(caller: &Caller) -> Option<String> {
    Some(caller.path("discussion_id").to_owned()).filter(|id| !id.is_empty())
}

async fn list(Call { caller, params }: Call<ListNotesParams>) -> Result<Paged<NoteDto>, ApiError> {
    let of = reference(&caller)?;
    let by_change = params.order_by == Some(NoteOrderBy::UpdatedAt);
    let order = NotesOrder { by_change, descending: params.sort != Some(Sort::Asc) };
    let page = params.paging.into();
    let page = caller.read(move |query| snippet::notes(query, &of, order, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn create(Call { caller, params }: Call<BodyParams>) -> Result<Created<NoteDto>, ApiError> {
    let of = reference(&caller)?;
    let said = caller.write(move |command| snippet::comment(command, &of, NoteKind::Note, params.body)).await?;
    Ok(Created(said.into()))
}

async fn show(call: Call<()>) -> Result<Json<NoteDto>, ApiError> {
    let (of, within, id) = (reference(&call)?, discussion_id(&call), note_id(&call)?);
    Ok(Json(call.read(move |query| snippet::note(query, &of, within.as_deref(), id)).await?.into()))
}

async fn edit(Call { caller, params }: Call<BodyParams>) -> Result<Json<NoteDto>, ApiError> {
    let (of, within, id) = (reference(&caller)?, discussion_id(&caller), note_id(&caller)?);
    let edited =
        caller.write(move |command| snippet::edit_note(command, &of, within.as_deref(), id, params.body)).await?;
    Ok(Json(edited.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (of, within, id) = (reference(&call)?, discussion_id(&call), note_id(&call)?);
    let since = call.head().unmodified_since;
    call.write(move |command| snippet::delete_note(command, &of, within.as_deref(), id, since)).await?;
    Ok(NoContent)
}

async fn discussions(Call { caller, params }: Call<Paging>) -> Result<Paged<DiscussionDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| snippet::discussions(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn discussion(call: Call<()>) -> Result<Json<DiscussionDto>, ApiError> {
    let (of, id) = (reference(&call)?, discussion_id(&call).unwrap_or_default());
    Ok(Json(call.read(move |query| snippet::discussion(query, &of, &id)).await?.into()))
}

async fn start(Call { caller, params }: Call<BodyParams>) -> Result<Created<DiscussionDto>, ApiError> {
    let of = reference(&caller)?;
    Ok(Created(caller.write(move |command| snippet::start(command, &of, params.body)).await?.into()))
}

async fn reply(Call { caller, params }: Call<BodyParams>) -> Result<Created<NoteDto>, ApiError> {
    let (of, id) = (reference(&caller)?, discussion_id(&caller).unwrap_or_default());
    Ok(Created(caller.write(move |command| snippet::reply(command, &of, &id, params.body)).await?.into()))
}

fn awardable(caller: &Caller, to: Subject) -> Result<Awardable, ApiError> {
    Ok(Awardable { of: reference(caller)?, note: to(caller)? })
}

fn award_id(caller: &Caller) -> Result<AwardId, ApiError> {
    caller.path_i64("award_id").map(AwardId::new)
}

async fn list_awards(Call { caller, params }: Call<Paging>, to: Subject) -> Result<Paged<AwardDto>, ApiError> {
    let (to, page) = (awardable(&caller, to)?, params.into());
    let page = caller.read(move |query| snippet::awards(query, &to, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show_award(call: Call<()>, to: Subject) -> Result<Json<AwardDto>, ApiError> {
    let (to, id) = (awardable(&call, to)?, award_id(&call)?);
    Ok(Json(call.read(move |query| snippet::award(query, &to, id)).await?.into()))
}

async fn give(Call { caller, params }: Call<AwardParams>, to: Subject) -> Result<Created<AwardDto>, ApiError> {
    let to = awardable(&caller, to)?;
    let given = caller.write(move |command| snippet::give(command, &to, &params.name)).await?;
    Ok(Created(given.into()))
}

async fn withdraw(call: Call<()>, to: Subject) -> Result<NoContent, ApiError> {
    let (to, id, since) = (awardable(&call, to)?, award_id(&call)?, call.head().unmodified_since);
    call.write(move |command| snippet::withdraw(command, &to, id, since)).await?;
    Ok(NoContent)
}
