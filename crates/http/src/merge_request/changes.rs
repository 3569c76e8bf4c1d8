//! The commits, diffs and versions of a merge request.

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use tenon_app::merge_request;
use tenon_app::repository::{ByteStream, PatchFormat};
use tenon_domain::id::VersionId;
use tenon_edge::error::ApiError;

use crate::dto::merge_request_changes::{ChangesDto, MergeRequestVersionDto, VersionDetailDto};
use crate::dto::repository::{CommitDto, DiffDto};
use crate::endpoint::{Call, Json, Paged, Reply, ReplyDoc, RequestHead};
use crate::issuable::reference;
use crate::params::Paging;

/// A patch as plain text.
pub(crate) struct Patch(ByteStream);

impl Reply for Patch {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        let mut response = HttpResponse::Ok();
        response.insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"));
        response.insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
        Ok(response.streaming(self.0))
    }

    fn describe() -> ReplyDoc {
        ReplyDoc { outcomes: vec![(StatusCode::OK, "The patch.", None)], ..ReplyDoc::default() }
    }
}

pub(super) async fn commits(Call { caller, params }: Call<Paging>) -> Result<Paged<CommitDto>, ApiError> {
    let of = reference(&caller)?;
    let page = merge_request::commits(caller.app(), caller.identity(), of, params.into()).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn changes(caller: Call<()>) -> Result<Json<ChangesDto>, ApiError> {
    let of = reference(&caller)?;
    Ok(Json(merge_request::changes(caller.app(), caller.identity(), of).await?.into()))
}

pub(super) async fn diffs(Call { caller, params }: Call<Paging>) -> Result<Paged<DiffDto>, ApiError> {
    let of = reference(&caller)?;
    let page = merge_request::files(caller.app(), caller.identity(), of, params.into()).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn raw_diffs(caller: Call<()>) -> Result<Patch, ApiError> {
    let of = reference(&caller)?;
    Ok(Patch(merge_request::patch(caller.app(), caller.identity(), of, PatchFormat::Diff).await?))
}

pub(super) async fn versions(Call { caller, params }: Call<Paging>) -> Result<Paged<MergeRequestVersionDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| merge_request::versions(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn version(caller: Call<()>) -> Result<Json<VersionDetailDto>, ApiError> {
    let (of, id) = (reference(&caller)?, VersionId::new(caller.path_i64("version_id")?));
    Ok(Json(merge_request::version(caller.app(), caller.identity(), of, id).await?.into()))
}
