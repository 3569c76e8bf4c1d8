//! Contents of files.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::stream::GitStream;
use crate::error::GitError;
use crate::objects::{Header, ObjectKind, Objects};
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;
use crate::tree::{EntryKind, TreeEntry};
use crate::tree_path::LookupPath;

/// Contents of at most so many bytes are remembered.
const SMALL: u64 = 256 << 10;

/// Bytes that are read of a stream at once.
const PART: usize = 64 << 10;

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Name of the object.
    pub id: Oid,
    /// The number of its bytes.
    pub size: u64,
    /// The bytes; `None` if there are more than was asked for.
    pub content: Option<Vec<u8>>,
}

/// The question for the content of a small blob.
#[derive(Debug, PartialEq, Eq, Hash)]
struct BlobContent(Oid);

impl Question for BlobContent {
    type Answer = Vec<u8>;
}

impl Repository {
    /// The file at `path` in `commit`, with its entry, and with its content if that has at most `limit` bytes. `None`
    /// if there is no file; the target of a symbolic link is its content. The commit must be known to be in this
    /// repository: small files are remembered.
    pub fn file_at(&self, commit: Oid, path: &LookupPath, limit: u64) -> Result<Option<(TreeEntry, Blob)>, GitError> {
        let mut objects = self.objects();
        let entry = self.tree_entry_by(&mut objects, commit, path)?.filter(|entry| entry.kind == EntryKind::Blob);
        let Some(entry) = entry else { return Ok(None) };
        let id = entry.id;
        if let Some(content) = self.recall(&BlobContent(id)) {
            let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
            let content = (size <= limit).then(|| Arc::unwrap_or_clone(content));
            return Ok(Some((entry, Blob { id, size, content })));
        }
        let Some(mut blob) = objects.blob(&id.to_string(), limit)? else { return Ok(None) };
        if blob.size <= SMALL
            && let Some(content) = blob.content.take()
        {
            let content = self.remember(BlobContent(id), || Ok(content))?;
            blob.content = Some(Arc::unwrap_or_clone(content));
        }
        Ok(Some((entry, blob)))
    }

    /// The SHA-256 of a blob's content. If it is remembered, it is computed only once.
    #[must_use]
    pub fn digest_of(&self, id: Oid, content: &[u8]) -> [u8; 32] {
        let known = &self.remembered().digests;
        known.get(id).unwrap_or_else(|| {
            let digest = Sha256::digest(content).into();
            known.put(id, digest);
            digest
        })
    }

    /// The blob of this name, with its content if that has at most `limit` bytes. `None` if there is none.
    pub fn blob(&self, id: Oid, limit: u64) -> Result<Option<Blob>, GitError> {
        self.objects().blob(&id.to_string(), limit)
    }

    /// Several blobs by one process, in order; `None` if there is none.
    pub fn blobs(&self, ids: &[Oid], limit: u64) -> Result<Vec<Option<Blob>>, GitError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut objects = self.objects();
        ids.iter().map(|id| objects.blob(&id.to_string(), limit)).collect()
    }

    /// The SHA-256 of the content of a blob of any size. Reads it once, and remembers it. Fails if there is no such
    /// blob.
    pub fn blob_sha256(&self, id: Oid) -> Result<[u8; 32], GitError> {
        let known = &self.remembered().digests;
        if let Some(digest) = known.get(id) {
            return Ok(digest);
        }
        let (mut stream, mut part) = (self.blob_stream(id)?, vec![0; PART]);
        let mut hasher = Sha256::new();
        loop {
            let count = stream.read_part(&mut part)?;
            if count == 0 {
                break;
            }
            hasher.update(part.get(..count).unwrap_or_default());
        }
        let digest = hasher.finalize().into();
        known.put(id, digest);
        Ok(digest)
    }

    /// The content of a blob of any size, as a stream. Fails, when it is read, if there is no such blob.
    pub fn blob_stream(&self, id: Oid) -> Result<GitStream, GitError> {
        self.git("cat-file").arg("blob").operands([id.to_string()]).download()
    }
}

impl Objects {
    pub(crate) fn blob(&mut self, name: &str, limit: u64) -> Result<Option<Blob>, GitError> {
        let found = self.content(name, limit)?.filter(|(header, _)| header.kind == ObjectKind::Blob);
        Ok(found.map(|(Header { oid, size, .. }, content)| Blob { id: oid, size, content }))
    }
}
