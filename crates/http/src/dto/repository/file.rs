//! Files, blobs and directories as JSON.

use actix_web::http::header::{HeaderName, HeaderValue};
use serde::Serialize;
use tenon_app::repository::{BlameView, EntryView, FileView};
use utoipa::ToSchema;

use super::commit::CommitDto;

/// A file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileDto {
    #[serde(flatten)]
    pub(crate) facts: FileFactsDto,
    /// Base64 in one line.
    pub(crate) content: String,
}

/// The metadata of a file, which is also sent in headers.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct FileFactsDto {
    file_name: String,
    file_path: String,
    /// In bytes.
    size: u64,
    encoding: &'static str,
    content_sha256: String,
    /// The requested revision.
    #[serde(rename = "ref")]
    revision: String,
    blob_id: String,
    /// The commit of `ref`.
    commit_id: String,
    /// The last commit that changed the file.
    last_commit_id: String,
    /// True if the file is executable.
    execute_filemode: bool,
}

/// Lines of a file, and the commit that last changed them.
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
    pub(crate) fn new(file: &FileView, revision: String) -> Self {
        Self {
            file_name: file.name.to_string(),
            file_path: file.path.to_string(),
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

    /// The metadata as headers. A value that a header cannot contain is left out.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
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

/// A blob.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BlobDto {
    /// In bytes.
    pub(crate) size: usize,
    pub(crate) encoding: &'static str,
    /// Base64 in one line.
    pub(crate) content: String,
    pub(crate) sha: String,
}

/// An entry of a directory.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TreeEntryDto {
    id: String,
    name: String,
    /// `tree`, `blob`, or `commit` for a submodule.
    #[serde(rename = "type")]
    kind: &'static str,
    path: String,
    /// Six octal digits.
    mode: String,
}

impl From<EntryView> for TreeEntryDto {
    fn from(entry: EntryView) -> Self {
        let (name, path) = (entry.name.to_string(), entry.path.to_string());
        Self { id: entry.id, name, kind: entry.kind, path, mode: entry.mode }
    }
}

/// A file that was written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WrittenFileDto {
    pub(crate) file_path: String,
    pub(crate) branch: String,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sha2::{Digest as _, Sha256};
    use tenon_app::repository::Content;

    use super::*;

    fn file(name: &str) -> FileView {
        FileView {
            name: name.into(),
            path: format!("src/{name}").as_str().into(),
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
        let body = serde_json::to_value(FileDto { facts: facts.clone(), content: "aGkK".to_owned() }).unwrap();
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
