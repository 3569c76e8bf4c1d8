//! What a merge request brings (reference: issues-merge-requests-projects, section 6.3).

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::merge_request::{self, Changes, VersionDetail};
use tenon_app::repository::ByteStream;
use tenon_domain::id::VersionId;
use tenon_domain::merge_request::Version;
use utoipa::ToSchema;

use super::dto::{MergeRequestDto, changes_count};
use crate::call::{Call, RequestHead};
use crate::error::ApiError;
use crate::issuable::reference;
use crate::params::Paging;
use crate::reply::{Json, Paged, Reply, ReplyDoc};
use crate::repository::{CommitDto, DiffDto};

/// A merge request with its files.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangesDto {
    #[serde(flatten)]
    merge_request: MergeRequestDto,
    changes: Vec<DiffDto>,
    /// Whether there is more than is shown.
    overflow: bool,
}

/// What a merge request was after a push.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MergeRequestVersionDto)]
pub(crate) struct VersionDto {
    id: i64,
    head_commit_sha: String,
    base_commit_sha: String,
    start_commit_sha: String,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
    merge_request_id: i64,
    /// `collected`, `overflow` or `empty`.
    state: &'static str,
    real_size: Option<String>,
    /// The id of the patch; null where it is empty or too large.
    patch_id_sha: Option<String>,
}

/// What a merge request was after a push, with what it brought.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionDetailDto {
    #[serde(flatten)]
    version: VersionDto,
    commits: Vec<CommitDto>,
    diffs: Vec<DiffDto>,
}

impl From<Changes> for ChangesDto {
    fn from(changes: Changes) -> Self {
        Self {
            merge_request: changes.view.into(),
            changes: changes.files.into_iter().map(Into::into).collect(),
            overflow: changes.overflow,
        }
    }
}

impl From<Version> for VersionDto {
    fn from(version: Version) -> Self {
        let state = match (version.diff.overflow, version.diff.changes_count) {
            (true, _) => "overflow",
            (false, 0) => "empty",
            (false, _) => "collected",
        };
        Self {
            id: version.id.get(),
            state,
            real_size: changes_count(&version.diff),
            head_commit_sha: version.diff.head,
            base_commit_sha: version.diff.base,
            start_commit_sha: version.diff.start,
            created_at: version.created_at,
            merge_request_id: version.of.get(),
            patch_id_sha: version.patch_id,
        }
    }
}

impl From<VersionDetail> for VersionDetailDto {
    fn from(detail: VersionDetail) -> Self {
        Self {
            version: detail.version.into(),
            commits: detail.commits.into_iter().map(Into::into).collect(),
            diffs: detail.files.into_iter().map(Into::into).collect(),
        }
    }
}

/// A patch as text.
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
    Ok(Patch(merge_request::patch(caller.app(), caller.identity(), of).await?))
}

pub(super) async fn versions(Call { caller, params }: Call<Paging>) -> Result<Paged<VersionDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| merge_request::versions(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn version(caller: Call<()>) -> Result<Json<VersionDetailDto>, ApiError> {
    let (of, id) = (reference(&caller)?, VersionId::new(caller.path_i64("version_id")?));
    Ok(Json(merge_request::version(caller.app(), caller.identity(), of, id).await?.into()))
}
