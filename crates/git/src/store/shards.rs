//! The folders of the store that hold repositories.

use std::fs;
use std::io;
use std::path::Path;

use super::{SET_ASIDE, TEMPORARY};

/// The directories of the store that hold repositories.
pub(super) fn shards(root: &Path) -> io::Result<impl Iterator<Item = fs::DirEntry>> {
    let is_special = |path: &Path| path.ends_with(TEMPORARY) || path.ends_with(SET_ASIDE);
    Ok(entries(root)?.into_iter().filter(move |entry| !is_special(&entry.path())))
}

/// The entries of a folder; none if it is not there.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
