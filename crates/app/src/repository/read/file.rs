//! Files and blobs: small ones as bytes, others as streams.

use sha2::{Digest as _, Sha256};
use tenon_domain::file_path::FilePath;
use tenon_git::blob::Blob;
use tenon_git::{LookupPath, Oid, Repository};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;
use crate::repository::stream::{ByteStream, stream_git};

/// A file.
#[derive(Debug, Clone)]
pub struct FileView {
    /// The last component of the path.
    pub name: FilePath,
    /// From the top of the repository.
    pub path: FilePath,
    /// The bytes.
    pub content: Content,
    /// The SHA-256 of them.
    pub sha256: [u8; 32],
    /// The blob.
    pub blob_id: String,
    /// The commit that was asked about.
    pub commit_id: String,
    /// The last one that changed the file.
    pub last_commit_id: String,
    /// True if it may be executed.
    pub executable: bool,
}

/// The bytes of a blob.
#[derive(Debug, Clone)]
pub enum Content {
    /// All of them.
    Whole(Vec<u8>),
    /// More than were asked for at once.
    Large(LargeBlob),
}

impl Content {
    /// How many there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Whole(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::Large(blob) => blob.size,
        }
    }

    pub(crate) fn of(code: &RepositoryContext, blob: Blob) -> Self {
        Self::of_blob(&code.repository, blob)
    }

    pub(crate) fn of_blob(repository: &Repository, blob: Blob) -> Self {
        let Blob { id, size, content } = blob;
        let large = || Self::Large(LargeBlob { repository: repository.clone(), id, size });
        content.map_or_else(large, Self::Whole)
    }
}

/// A blob that is read while it is sent.
#[derive(Debug, Clone)]
pub struct LargeBlob {
    repository: Repository,
    id: Oid,
    size: u64,
}

impl LargeBlob {
    /// Its bytes, as Git reads them. Takes a permit to download; [`AppError::Busy`] if there is none for long.
    pub async fn stream(self, app: &App) -> Result<ByteStream, AppError> {
        stream_git(app, move || Ok(Some(self.repository.blob_stream(self.id)?))).await
    }
}

/// A file as it is in a branch, tag or commit, at a path in its kept form, with its content if that has no more than
/// `limit` bytes.
pub async fn file(
    app: &App,
    identity: &Identity,
    project: Reference,
    path: String,
    revision: String,
    limit: u64,
) -> Result<FileView, AppError> {
    let code = app.readable(identity, project).await?;
    let work = move || {
        let commit = code.commit_or(Some(&revision), Missing::Commit)?;
        let missing = || AppError::NotFound(Missing::File);
        let path = code.repository.exact_path(commit, LookupPath::parse(&path).ok_or_else(missing)?)?;
        let (entry, blob) = code.repository.file_at(commit, &path, limit)?.ok_or_else(missing)?;
        let last = code.repository.last_commit_id(commit, &path)?;
        let digest = blob.content.as_ref().map(|content| code.repository.digest_of(blob.id, content));
        Ok((entry, path, digest, Content::of(&code, blob), commit, last))
    };
    let (entry, path, digest, content, commit, last) = app.read_git(work).await?;
    let sha256 = match (&content, digest) {
        (_, Some(digest)) => digest,
        (Content::Large(LargeBlob { repository, id, .. }), None) => {
            let (repository, id) = (repository.clone(), *id);
            app.on_git_long(move || Ok(repository.blob_sha256(id)?)).await?
        }
        (Content::Whole(bytes), None) => Sha256::digest(bytes).into(),
    };
    Ok(FileView {
        name: path.file().name(),
        path: path.file().clone(),
        content,
        sha256,
        blob_id: entry.id.to_string(),
        commit_id: commit.to_string(),
        last_commit_id: last.unwrap_or(commit).to_string(),
        executable: entry.mode == "100755",
    })
}

/// A blob by its name, with its content if that has no more than `limit` bytes.
pub async fn blob(
    app: &App,
    identity: &Identity,
    project: Reference,
    id: String,
    limit: u64,
) -> Result<Content, AppError> {
    let code = app.readable(identity, project).await?;
    let missing = || AppError::NotFound(Missing::Blob);
    let id: Oid = id.parse().map_err(|_invalid| missing())?;
    app.read_git(move || {
        if !code.repository.exists() {
            return Err(missing());
        }
        let blob = code.repository.blob(id, limit)?.ok_or_else(missing)?;
        Ok(Content::of(&code, blob))
    })
    .await
}
