//! Reading files.

use actix_web::HttpResponse;
use actix_web::http::Method;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, Content, FileView};
use tenon_edge::error::ApiError;

use super::blob::{AT_ONCE, Raw, encoded, spawn_blocking, too_large};
use super::project;
use crate::dto::repository::{BlameDto, FileDto, FileFactsDto};
use crate::endpoint::{Call, Caller, Json, Reply, ReplyDoc, RequestHead, Routes};
use crate::params::{Filled, Hash, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repository files")
        .get("/projects/{id}/repository/files/{file_path}", Guard::Anyone, show, "One file, in Base64.")
        .get("/projects/{id}/repository/files/{file_path}/raw", Guard::Anyone, raw, "The bytes of a file.")
        .get("/projects/{id}/repository/files/{file_path}/blame", Guard::Anyone, blame, "The blame of a file.");
}

params! {
    /// The revision of a file.
    pub(crate) struct FileParams {
        /// A branch, tag or commit; `HEAD` for the default branch.
        r#ref: Filled,
    }
}

params! {
    /// The revision of a file; the default branch by default.
    pub(crate) struct RawFileParams {
        /// A branch, tag or commit.
        r#ref: Option<Filled>,
        /// True for the bytes of a large file (LFS) instead of its pointer, if the project has them.
        lfs: Option<bool>,
    }
}

/// A reply with the metadata of a file as headers.
#[derive(Debug)]
struct WithFileHeaders<R> {
    facts: FileFactsDto,
    reply: R,
}

impl<R: Reply> Reply for WithFileHeaders<R> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        let mut response = self.reply.respond(head)?;
        for (name, value) in self.facts.headers() {
            response.headers_mut().insert(name, value);
        }
        Ok(response)
    }

    fn describe() -> ReplyDoc {
        R::describe()
    }
}

/// The file in the path, with its content up to `whole` bytes, and its metadata.
async fn find(caller: &Caller, revision: String, whole: u64) -> Result<(FileView, FileFactsDto), ApiError> {
    let path = caller.path("file_path").to_owned();
    let project = project(caller);
    let file = repository::file(caller.app(), caller.identity(), project, path, revision.clone(), whole).await?;
    let facts = FileFactsDto::new(&file, revision);
    Ok((file, facts))
}

/// A file; for HEAD of a file that is too large for JSON, only its headers.
#[derive(Debug)]
enum FileReply {
    Whole(Box<Json<FileDto>>),
    HeadersOnly,
}

impl Reply for FileReply {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        match self {
            Self::Whole(reply) => reply.respond(head),
            Self::HeadersOnly => {
                let nothing = futures_util::stream::empty::<Result<_, std::convert::Infallible>>();
                Ok(HttpResponse::Ok().content_type("application/json").streaming(nothing))
            }
        }
    }

    fn describe() -> ReplyDoc {
        <Json<FileDto>>::describe()
    }
}

async fn show(Call { caller, params }: Call<FileParams>) -> Result<WithFileHeaders<FileReply>, ApiError> {
    let most = caller.app().limits().answers.json_file;
    let (file, facts) = find(&caller, params.r#ref.0, most).await?;
    let reply = match file.content {
        Content::Whole(bytes) => {
            let content = spawn_blocking(move || encoded(&bytes)).await?;
            FileReply::Whole(Box::new(Json(FileDto { facts: facts.clone(), content })))
        }
        Content::Large(_) if caller.head().method == Method::HEAD => FileReply::HeadersOnly,
        Content::Large(_) => return Err(too_large(most)),
    };
    Ok(WithFileHeaders { facts, reply })
}

async fn raw(Call { caller, params }: Call<RawFileParams>) -> Result<WithFileHeaders<Raw>, ApiError> {
    let revision = params.r#ref.map_or_else(|| "HEAD".to_owned(), |named| named.0);
    let (file, facts) = find(&caller, revision, AT_ONCE).await?;
    if params.lfs == Some(true) {
        let found = repository::lfs_object(caller.app(), caller.identity(), project(&caller), &file.content).await?;
        if let Some(object) = found {
            return Ok(WithFileHeaders { facts, reply: Raw::of_object(file.name.to_string(), object) });
        }
    }
    Ok(WithFileHeaders { facts, reply: Raw::new(&caller, file.name.to_string(), file.content).await? })
}

params! {
    /// A range of lines.
    pub(crate) struct RangeParams {
        /// The number of the first line, from 1.
        start: i64,
        /// The number of the last line.
        end: i64,
    }
}

params! {
    /// The revision and the lines of a file.
    pub(crate) struct BlameParams {
        /// A branch, tag or commit; `HEAD` for the default branch.
        r#ref: Filled,
        /// The lines; all by default.
        range: Hash<RangeParams>,
    }
}

async fn blame(Call { caller, params }: Call<BlameParams>) -> Result<Json<Vec<BlameDto>>, ApiError> {
    let (path, revision) = (caller.path("file_path").to_owned(), params.r#ref.0);
    let lines = params.range.0.map(|range| lines(&range)).transpose()?;
    let ranges = repository::blame(caller.app(), caller.identity(), project(&caller), path, revision, lines).await?;
    Ok(Json(ranges.into_iter().map(Into::into).collect()))
}

fn lines(range: &RangeParams) -> Result<(usize, usize), ApiError> {
    let number = |name: &str, number: i64| match usize::try_from(number) {
        Ok(number) if number > 0 => Ok(number),
        Ok(_) | Err(_) => Err(ApiError::parameters(&format!("range[{name}] is invalid"))),
    };
    let (start, end) = (number("start", range.start)?, number("end", range.end)?);
    if start > end {
        return Err(ApiError::parameters("range[start] must be less than or equal to range[end]"));
    }
    Ok((start, end))
}
