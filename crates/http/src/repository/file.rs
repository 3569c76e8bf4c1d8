//! Reading files (reference: repository-git-webhooks, sections 0 and 13).

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use serde::Serialize;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, BlameView, Content, FileView};
use utoipa::ToSchema;

use super::blob::{AT_ONCE, Raw, aside, encoded, too_large};
use super::dto::CommitDto;
use super::project;
use crate::call::{Call, Caller, RequestHead};
use crate::error::ApiError;
use crate::params::{Filled, Hash, params};
use crate::reply::{Json, Reply, ReplyDoc};
use crate::routes::Routes;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repository files")
        .get("/projects/{id}/repository/files/{file_path}", Guard::Anyone, show, "One file, in Base64.")
        .get("/projects/{id}/repository/files/{file_path}/raw", Guard::Anyone, raw, "The bytes of a file.")
        .get(
            "/projects/{id}/repository/files/{file_path}/blame",
            Guard::Anyone,
            blame,
            "Where the lines of a file come from.",
        );
}

params! {
    /// Which state of a file is wanted.
    pub(crate) struct FileParams {
        /// A branch, tag or commit; `HEAD` for the default branch.
        r#ref: Filled,
    }
}

params! {
    /// Which state of a file is wanted, the default branch where absent.
    pub(crate) struct RawParams {
        /// A branch, tag or commit.
        r#ref: Option<Filled>,
    }
}

/// A file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileDto {
    #[serde(flatten)]
    facts: FileFactsDto,
    /// Base64 in one line.
    content: String,
}

/// What is known of a file besides its content. The headers say the same.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
struct FileFactsDto {
    file_name: String,
    file_path: String,
    /// In bytes.
    size: u64,
    encoding: &'static str,
    /// Of the content, in hexadecimal digits.
    content_sha256: String,
    /// As it was asked for.
    #[serde(rename = "ref")]
    revision: String,
    blob_id: String,
    /// What `ref` stands for.
    commit_id: String,
    /// The last commit that changed the file.
    last_commit_id: String,
    /// Whether it is a program.
    execute_filemode: bool,
}

/// Lines of a file, and the commit that they come from.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BlameDto {
    commit: CommitDto,
    lines: Vec<String>,
}

impl From<BlameView> for BlameDto {
    fn from(view: BlameView) -> Self {
        Self { commit: view.commit.into(), lines: view.lines }
    }
}

impl FileFactsDto {
    fn new(file: &FileView, revision: String) -> Self {
        Self {
            file_name: file.name.clone(),
            file_path: file.path.clone(),
            size: file.content.size(),
            encoding: "base64",
            content_sha256: hex::encode(file.sha256),
            revision,
            blob_id: file.blob_id.clone(),
            commit_id: file.commit_id.clone(),
            last_commit_id: file.last_commit_id.clone(),
            execute_filemode: file.executable,
        }
    }

    /// The headers that clients read who do not want the content. A name that no header can hold has none.
    fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        [
            ("x-gitlab-file-name", self.file_name.clone()),
            ("x-gitlab-file-path", self.file_path.clone()),
            ("x-gitlab-size", self.size.to_string()),
            ("x-gitlab-encoding", self.encoding.to_owned()),
            ("x-gitlab-content-sha256", self.content_sha256.clone()),
            ("x-gitlab-ref", self.revision.clone()),
            ("x-gitlab-blob-id", self.blob_id.clone()),
            ("x-gitlab-commit-id", self.commit_id.clone()),
            ("x-gitlab-last-commit-id", self.last_commit_id.clone()),
            ("x-gitlab-execute-filemode", self.execute_filemode.to_string()),
        ]
        .into_iter()
        .filter_map(|(name, value)| {
            Some((HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).ok()?))
        })
    }
}

/// An answer with the headers of a file.
#[derive(Debug)]
struct OfFile<R> {
    facts: FileFactsDto,
    reply: R,
}

impl<R: Reply> Reply for OfFile<R> {
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

/// The file that the path names, with up to `whole` bytes, and what is known of it.
async fn find(caller: &Caller, revision: String, whole: u64) -> Result<(FileView, FileFactsDto), ApiError> {
    let path = caller.path("file_path").to_owned();
    let project = project(caller);
    let file = repository::file(caller.app(), caller.identity(), project, path, revision.clone(), whole).await?;
    let facts = FileFactsDto::new(&file, revision);
    Ok((file, facts))
}

/// A file, or only its headers where JSON cannot hold it and only they are wanted.
#[derive(Debug)]
enum Shown {
    Whole(Box<Json<FileDto>>),
    HeadersOnly,
}

impl Reply for Shown {
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

async fn show(Call { caller, params }: Call<FileParams>) -> Result<OfFile<Shown>, ApiError> {
    let most = caller.app().limits().answers.json_file;
    let (file, facts) = find(&caller, params.r#ref.0, most).await?;
    let reply = match file.content {
        Content::Whole(bytes) => {
            let content = aside(move || encoded(&bytes)).await?;
            Shown::Whole(Box::new(Json(FileDto { facts: facts.clone(), content })))
        }
        Content::Large(_) if caller.head().method == Method::HEAD => Shown::HeadersOnly,
        Content::Large(_) => return Err(too_large(most)),
    };
    Ok(OfFile { facts, reply })
}

async fn raw(Call { caller, params }: Call<RawParams>) -> Result<OfFile<Raw>, ApiError> {
    let revision = params.r#ref.map_or_else(|| "HEAD".to_owned(), |named| named.0);
    let (file, facts) = find(&caller, revision, AT_ONCE).await?;
    Ok(OfFile { facts, reply: Raw::new(&caller, file.name, file.content).await? })
}

params! {
    /// Which lines of a file are wanted.
    pub(crate) struct RangeParams {
        /// The number of the first line, from 1.
        start: i64,
        /// The number of the last line.
        end: i64,
    }
}

params! {
    /// Which lines of which state of a file are wanted.
    pub(crate) struct BlameParams {
        /// A branch, tag or commit; `HEAD` for the default branch.
        r#ref: Filled,
        /// Only these lines; all of them where absent.
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn file(name: &str) -> FileView {
        FileView {
            name: name.to_owned(),
            path: format!("src/{name}"),
            content: Content::Whole(b"hi\n".to_vec()),
            sha256: Sha256::digest(b"hi\n").into(),
            blob_id: "b".to_owned(),
            commit_id: "c".to_owned(),
            last_commit_id: "d".to_owned(),
            executable: false,
        }
    }

    #[test]
    fn the_headers_say_what_the_body_says() {
        let facts = FileFactsDto::new(&file("ä.txt"), "main".to_owned());
        let body = serde_json::to_value(FileDto { facts: facts.clone(), content: encoded(b"hi\n") }).unwrap();
        assert_eq!(body["content"], json!("aGkK"));
        let sha256 = "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4";
        assert_eq!(body["content_sha256"], json!(sha256));
        let headers: Vec<_> = facts.headers().collect();
        assert_eq!(headers.len(), 10);
        for (name, value) in headers {
            let field = name.as_str().trim_start_matches("x-gitlab-").replace('-', "_");
            let text = match &body[&field] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(value.as_bytes(), text.as_bytes(), "{name}");
        }
    }

    #[test]
    fn a_name_that_no_header_can_hold_has_none() {
        let facts = FileFactsDto::new(&file("a\nx-evil: 1"), "main".to_owned());
        let names: Vec<String> = facts.headers().map(|(name, _)| name.to_string()).collect();
        assert!(!names.contains(&"x-gitlab-file-name".to_owned()), "{names:?}");
        assert_eq!(names.len(), 8);
    }
}
