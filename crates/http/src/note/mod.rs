//! Comments and discussions.

mod discussion;

use chrono::{DateTime, Utc};
use tenon_app::identity::Guard;
use tenon_app::note::{self, ListNotes, NewNote, NoteOrder, Noted, TextPlace};
use tenon_domain::id::NoteId;
use tenon_domain::quick_action::extract;
use tenon_edge::error::ApiError;

use crate::dto::note::{CommandsDto, NoteDto};
use crate::endpoint::{Call, Caller, CreatedOr, Json, NoContent, Paged, Routes};
use crate::issuable::{both, reference};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Notes");
    for path in both!("/notes") {
        api.get(path, Guard::SignedIn, list, "All notes.").post(path, Guard::SignedIn, create, "Adds a note.");
    }
    for path in both!("/notes/{note_id:int}") {
        api.get(path, Guard::SignedIn, show, "One note.")
            .put(path, Guard::SignedIn, edit, "Changes a comment.")
            .delete(path, Guard::SignedIn, delete, "Deletes a comment.");
    }
    discussion::routes(api);
}

choice! {
    /// The orders of a list of notes.
    pub(crate) enum OrderBy {
        /// Date of creation.
        CreatedAt = "created_at",
        /// Date of the last change.
        UpdatedAt = "updated_at",
    }
}

choice! {
    /// The kinds of notes.
    pub(crate) enum ActivityFilter {
        /// All notes.
        AllNotes = "all_notes",
        /// Comments of users.
        OnlyComments = "only_comments",
        /// System notes.
        OnlyActivity = "only_activity",
    }
}

params! {
    /// Filters of notes.
    pub(crate) struct ListParams {
        /// Sort key; the date of creation by default.
        order_by: Option<OrderBy>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        /// The kinds of notes; all by default.
        activity_filter: Option<ActivityFilter>,
        paging: Paging,
    }
}

params! {
    /// A new comment.
    pub(crate) struct NewNoteParams {
        /// Markdown; lines that are quick actions are executed.
        body: String,
        /// The date of creation, for owners and administrators.
        created_at: Option<DateTime<Utc>>,
    }
}

params! {
    /// A new text for a comment.
    pub(crate) struct EditParams {
        /// Markdown.
        body: String,
    }
}

fn note_id(caller: &Caller) -> Result<NoteId, ApiError> {
    caller.path_i64("note_id").map(NoteId::new)
}

/// The response to a new comment.
fn noted(outcome: Noted) -> CreatedOr<NoteDto, CommandsDto> {
    match outcome {
        Noted::Said(view) => CreatedOr::Created((*view).into()),
        Noted::CommandsOnly => CreatedOr::Instead(CommandsDto::default()),
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<NoteDto>, ApiError> {
    let of = reference(&caller)?;
    let request = ListNotes {
        system: match params.activity_filter {
            Some(ActivityFilter::OnlyActivity) => Some(true),
            Some(ActivityFilter::OnlyComments) => Some(false),
            Some(ActivityFilter::AllNotes) | None => None,
        },
        order_by: match params.order_by {
            Some(OrderBy::UpdatedAt) => NoteOrder::UpdatedAt,
            Some(OrderBy::CreatedAt) | None => NoteOrder::CreatedAt,
        },
        descending: params.sort != Some(Sort::Asc),
        page: params.paging.into(),
    };
    let page = caller.read(move |query| note::list(query, &of, &request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(caller: Call<()>) -> Result<Json<NoteDto>, ApiError> {
    let (of, id) = (reference(&caller)?, note_id(&caller)?);
    let view = caller.read(move |query| note::show(query, &of, id)).await?;
    Ok(Json(view.into()))
}

async fn create(Call { caller, params }: Call<NewNoteParams>) -> Result<CreatedOr<NoteDto, CommandsDto>, ApiError> {
    let of = reference(&caller)?;
    let request = NewNote { body: extract(&params.body), created_at: params.created_at, ..NewNote::default() };
    Ok(noted(caller.write_text(request.texts(), move |command| note::create(command, &of, request)).await?))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<NoteDto>, ApiError> {
    let (of, id) = (reference(&caller)?, note_id(&caller)?);
    let texts = vec![(params.body.clone(), TextPlace::Note(id))];
    let suggestions = note::suggested(caller.app(), caller.identity(), &of, texts).await?;
    let edited = caller
        .write_text(vec![params.body.clone()], move |command| note::edit(command, &of, id, &params.body, &suggestions));
    Ok(Json(edited.await?.into()))
}

async fn delete(caller: Call<()>) -> Result<NoContent, ApiError> {
    let (of, id, since) = (reference(&caller)?, note_id(&caller)?, caller.head().unmodified_since);
    caller.write(move |command| note::delete(command, &of, id, since)).await?;
    Ok(NoContent)
}
