//! Files: avatars, uploads and LFS objects, in a folder or (later) in a bucket.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path as FilePath, PathBuf};

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use tempfile::NamedTempFile;
use tenon_domain::time::Timestamp;

use crate::core::error::AppError;

/// The folder of files that no row names, and of rows that the doctor has moved away.
pub(crate) const LOST: &str = "lost/";
/// The folder of files that are being written.
pub(crate) const UNFINISHED: &str = "unfinished";

/// The store of files. Keys are made by the server; nothing that a client sends becomes part of one unchecked.
#[derive(Clone)]
pub struct Objects {
    store: LocalFileSystem,
}

/// A file on its way into the store. Dropped, it leaves nothing.
pub struct Draft(NamedTempFile);

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Draft {
    /// Waits until all bytes are on the disk. Blocks.
    pub(crate) fn sync(&self) -> Result<(), AppError> {
        self.0.as_file().sync_all().map_err(AppError::internal)
    }
}

impl Objects {
    /// Files in `folder`, which is made if it is missing.
    pub fn in_folder(folder: &FilePath) -> Result<Self, AppError> {
        std::fs::create_dir_all(folder).map_err(AppError::internal)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(AppError::internal)?.with_automatic_cleanup(true);
        Ok(Self { store })
    }

    /// Stores a file; one of the same key is replaced.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<(), AppError> {
        self.store.put(&Path::from(key), PutPayload::from_bytes(bytes)).await.map_err(AppError::internal)?;
        Ok(())
    }

    /// The file of that key, if there is one.
    pub async fn get(&self, key: &str) -> Result<Option<Bytes>, AppError> {
        match self.store.get(&Path::from(key)).await {
            Ok(found) => Ok(Some(found.bytes().await.map_err(AppError::internal)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(AppError::internal(error)),
        }
    }

    /// A file that is written piece by piece, and gets its key when it is whole. Blocks.
    pub fn begin(&self) -> Result<Draft, AppError> {
        let folder = self.place(UNFINISHED)?;
        fs::create_dir_all(&folder).map_err(AppError::internal)?;
        NamedTempFile::new_in(folder).map(Draft).map_err(AppError::internal)
    }

    /// Gives a file its key, once its bytes are on the disk; one of the same key is replaced. Blocks.
    pub fn keep(&self, draft: Draft, key: &str) -> Result<(), AppError> {
        let place = self.place(key)?;
        draft.0.as_file().sync_all().map_err(AppError::internal)?;
        let folder = place.parent().ok_or_else(|| AppError::internal("a key without a folder"))?;
        fs::create_dir_all(folder).map_err(AppError::internal)?;
        draft.0.persist(&place).map_err(|error| AppError::internal(error.error))?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(AppError::internal)
    }

    /// The file of that key, to be read piece by piece; `None` if there is none. Blocks.
    pub fn open(&self, key: &str) -> Result<Option<File>, AppError> {
        found(File::open(self.place(key)?))
    }

    /// True if there is a file of that key. Blocks.
    pub(crate) fn is_there(&self, key: &str) -> Result<bool, AppError> {
        self.place(key)?.try_exists().map_err(AppError::internal)
    }

    /// As [`Self::delete`]. Blocks.
    pub(crate) fn delete_now(&self, key: &str) -> Result<(), AppError> {
        found(fs::remove_file(self.place(key)?)).map(drop)
    }

    /// Removes the files that killed processes were writing. For the start of a process that is alone. Blocks.
    pub(crate) fn remove_unfinished(&self) -> Result<(), AppError> {
        found(fs::remove_dir_all(self.place(UNFINISHED)?)).map(drop)
    }

    fn place(&self, key: &str) -> Result<PathBuf, AppError> {
        self.store.path_to_filesystem(&Path::from(key)).map_err(AppError::internal)
    }

    /// Removes a file; one that is gone already is no error.
    pub async fn delete(&self, key: &str) -> Result<(), AppError> {
        self.delete_at(&Path::from(key)).await
    }

    async fn delete_at(&self, path: &Path) -> Result<(), AppError> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(AppError::internal(error)),
        }
    }

    /// Every file that was stored before `until`: its key, as [`Self::stored_key`] writes it, and its bytes.
    pub(crate) async fn stored_before(&self, until: Timestamp) -> Result<Vec<(String, u64)>, AppError> {
        use futures_util::TryStreamExt;
        let mut found = Vec::new();
        let mut listed = self.store.list(None);
        while let Some(object) = listed.try_next().await.map_err(AppError::internal)? {
            if object.last_modified < until {
                found.push((object.location.to_string(), object.size));
            }
        }
        Ok(found)
    }

    /// The key under which the store lists a file.
    pub(crate) fn stored_key(key: &str) -> String {
        Path::from(key).to_string()
    }

    /// True if there is a file of that key.
    pub(crate) async fn has(&self, key: &str) -> Result<bool, AppError> {
        match self.store.head(&Path::from(key)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(AppError::internal(error)),
        }
    }

    /// Gives a listed file another key; one that is gone is no error.
    pub(crate) async fn rename(&self, from: &str, to: &str) -> Result<(), AppError> {
        let path = |key: &str| Path::parse(key).map_err(AppError::internal);
        match self.store.rename(&path(from)?, &path(to)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(AppError::internal(error)),
        }
    }

    /// Removes everything whose key starts with the folder `prefix`.
    pub async fn delete_below(&self, prefix: &str) -> Result<(), AppError> {
        use futures_util::TryStreamExt;
        let prefix = Path::from(prefix);
        let found: Vec<_> = self.store.list(Some(&prefix)).try_collect().await.map_err(AppError::internal)?;
        for object in found {
            self.delete_at(&object.location).await?;
        }
        Ok(())
    }
}

/// The outcome of work on a file; `None` if there is no such file.
fn found<T>(outcome: io::Result<T>) -> Result<Option<T>, AppError> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AppError::internal(error)),
    }
}
