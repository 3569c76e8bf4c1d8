//! Reactions with an emoji, to issues, merge requests and their notes.

use tenon_app::award_emoji::{self, Awardable};
use tenon_app::identity::Guard;
use tenon_domain::id::{AwardId, NoteId};
use tenon_edge::error::ApiError;

use crate::dto::award_emoji::AwardDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::issuable::{both, reference};
use crate::params::{Paging, params};

/// The note in the path, if there is one.
type Subject = fn(&Caller) -> Result<Option<NoteId>, ApiError>;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Award emoji");
    for paths in both!("/award_emoji").into_iter().zip(both!("/award_emoji/{award_id:int}")) {
        add(api, paths, |_| Ok(None));
    }
    let of_notes = both!("/notes/{note_id:int}/award_emoji/{award_id:int}");
    for paths in both!("/notes/{note_id:int}/award_emoji").into_iter().zip(of_notes) {
        add(api, paths, |caller| caller.path_i64("note_id").map(|id| Some(NoteId::new(id))));
    }
}

fn add(api: &mut Routes, (all, one): (&'static str, &'static str), to: Subject) {
    api.get(all, Guard::SignedIn, move |call| list(call, to), "The reactions to something.")
        .post(all, Guard::SignedIn, move |call| give(call, to), "Reacts to something.")
        .get(one, Guard::SignedIn, move |call| show(call, to), "One reaction.")
        .delete(one, Guard::SignedIn, move |call| withdraw(call, to), "Removes a reaction.");
}

params! {
    /// A reaction.
    pub(crate) struct GiveParams {
        /// The name of an emoji, without colons.
        name: String,
    }
}

fn awardable(caller: &Caller, to: Subject) -> Result<Awardable, ApiError> {
    Ok(Awardable { of: reference(caller)?, note: to(caller)? })
}

fn award_id(caller: &Caller) -> Result<AwardId, ApiError> {
    caller.path_i64("award_id").map(AwardId::new)
}

async fn list(Call { caller, params }: Call<Paging>, to: Subject) -> Result<Paged<AwardDto>, ApiError> {
    let (to, page) = (awardable(&caller, to)?, params.into());
    let page = caller.read(move |query| award_emoji::list(query, &to, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(caller: Call<()>, to: Subject) -> Result<Json<AwardDto>, ApiError> {
    let (to, id) = (awardable(&caller, to)?, award_id(&caller)?);
    let view = caller.read(move |query| award_emoji::show(query, &to, id)).await?;
    Ok(Json(view.into()))
}

async fn give(Call { caller, params }: Call<GiveParams>, to: Subject) -> Result<Created<AwardDto>, ApiError> {
    let to = awardable(&caller, to)?;
    let view = caller.write(move |command| award_emoji::give(command, &to, &params.name)).await?;
    Ok(Created(view.into()))
}

async fn withdraw(caller: Call<()>, to: Subject) -> Result<NoContent, ApiError> {
    let (to, id) = (awardable(&caller, to)?, award_id(&caller)?);
    let since = caller.head().unmodified_since;
    caller.write(move |command| award_emoji::withdraw(command, &to, id, since)).await?;
    Ok(NoContent)
}
