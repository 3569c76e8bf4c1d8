//! Reading files (reference: repository-git-webhooks, sections 0 and 13).

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tenon_app::identity::Guard;
use tenon_app::repository::{self, BlameView, FileView};
use utoipa::ToSchema;

use super::blob::{Raw, aside, encoded};
use super::dto::CommitDto;
use super::project;
use crate::call::{Call, Caller, RequestHead};
use crate::error::ApiError;
use crate::params::{Filled, params};
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
    size: usize,
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
            size: file.content.len(),
            encoding: "base64",
            content_sha256: hex::encode(Sha256::digest(&file.content)),
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

/// The file that the path names, and what is known of it.
async fn find(caller: &Caller, revision: String) -> Result<(FileView, FileFactsDto), ApiError> {
    let path = caller.path("file_path").to_owned();
    let file = repository::file(caller.app(), caller.identity(), project(caller), path, revision.clone()).await?;
    aside(move || {
        let facts = FileFactsDto::new(&file, revision);
        (file, facts)
    })
    .await
}

async fn show(Call { caller, params }: Call<FileParams>) -> Result<OfFile<Json<FileDto>>, ApiError> {
    let (file, facts) = find(&caller, params.r#ref.0).await?;
    let content = aside(move || encoded(&file.content)).await?;
    Ok(OfFile { reply: Json(FileDto { facts: facts.clone(), content }), facts })
}

async fn raw(Call { caller, params }: Call<FileParams>) -> Result<OfFile<Raw>, ApiError> {
    let (file, facts) = find(&caller, params.r#ref.0).await?;
    Ok(OfFile { facts, reply: Raw { name: file.name, bytes: file.content } })
}

async fn blame(Call { caller, params }: Call<FileParams>) -> Result<Json<Vec<BlameDto>>, ApiError> {
    let (path, revision) = (caller.path("file_path").to_owned(), params.r#ref.0);
    let ranges = repository::blame(caller.app(), caller.identity(), project(&caller), path, revision).await?;
    Ok(Json(ranges.into_iter().map(Into::into).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn file(name: &str) -> FileView {
        FileView {
            name: name.to_owned(),
            path: format!("src/{name}"),
            content: b"hi\n".to_vec(),
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
