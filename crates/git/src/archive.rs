//! All files of a commit in one file.

use std::ffi::OsString;

use crate::command::stream::GitStream;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree_path::{LookupPath, TreePath};

/// A format of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// `tar.gz`
    TarGz,
    /// `tar.bz2`
    TarBz2,
    /// `tar`
    Tar,
    /// `zip`
    Zip,
}

impl ArchiveFormat {
    /// Reads the suffix of a file name in a URL: the text behind the first dot.
    #[must_use]
    pub fn parse(suffix: &str) -> Option<Self> {
        match suffix {
            "tar.gz" | "tgz" | "gz" => Some(Self::TarGz),
            "tar.bz2" | "tbz" | "tbz2" | "tb2" | "bz2" => Some(Self::TarBz2),
            "tar" => Some(Self::Tar),
            "zip" => Some(Self::Zip),
            _ => None,
        }
    }

    /// The suffix of the file name, without the dot before it.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::TarGz => "tar.gz",
            Self::TarBz2 => "tar.bz2",
            Self::Tar => "tar",
            Self::Zip => "zip",
        }
    }
}

impl Repository {
    /// A stream of an archive of `commit`, or of the directory `path` in it. All its entries lie in the directory
    /// `folder`. `None` if there is no such directory. `tar.bz2` needs the program `bzip2`: without it the stream
    /// fails.
    pub fn archive(
        &self,
        commit: Oid,
        format: ArchiveFormat,
        folder: &TreePath,
        path: Option<&LookupPath>,
    ) -> Result<Option<GitStream>, GitError> {
        if self.tree_id(commit, path)?.is_none() {
            return Ok(None);
        }
        let path = path.map(LookupPath::argument);
        self.archive_of(&commit.to_string(), format, &format!("{}/", folder.as_kept()), None, path).map(Some)
    }

    /// An archive of these paths in a tree, or of all of it; each path in it begins with `prefix`.
    pub(crate) fn archive_of(
        &self,
        tree: &str,
        format: ArchiveFormat,
        prefix: &str,
        level: Option<u8>,
        paths: impl IntoIterator<Item = OsString>,
    ) -> Result<GitStream, GitError> {
        let options = [format!("--format={}", format.suffix()), format!("--prefix={prefix}")];
        let mut command = self.git("archive").args(options).args(level.map(|level| format!("-{level}")));
        if format == ArchiveFormat::TarBz2 {
            command = command.setting("tar.tar.bz2.command=bzip2 -c");
        }
        command.arg(tree).paths(paths).download()
    }
}
