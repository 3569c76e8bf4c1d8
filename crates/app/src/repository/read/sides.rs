//! The two sides of a difference, whose files have colours.

use std::sync::Arc;

use tenon_domain::file_path::FilePath;
use tenon_domain::id::ProjectId;
use tenon_git::diff::FileDiff;
use tenon_git::{LookupPath, Oid, Repository};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::highlighter::{Colours, MAX_TEXT, Source};

/// Files of one difference that have colours, and bytes of both sides of them.
const FILES: usize = 50;
const BYTES: usize = 2 << 20;

/// The compared sides: two commits or trees of one repository.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The repository, which has both.
    pub(crate) repository: Repository,
    /// The project whose code it is.
    pub(crate) project: ProjectId,
    /// The side before.
    pub(crate) before: Oid,
    /// The side after.
    pub(crate) after: Oid,
}

/// The colours of a file that differs, by lines of the whole file. A side that is plain has none.
#[derive(Debug, Clone, Default)]
pub struct FileColours {
    /// The colours before.
    pub before: Arc<Colours>,
    /// The colours after.
    pub after: Arc<Colours>,
}

/// A file on one side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFile {
    /// The id of the commit that has it.
    pub commit: String,
    /// Its path there.
    pub path: FilePath,
    /// Its size in bytes, which is not 0.
    pub size: u64,
}

impl Sides {
    /// The files of these paths, before and after, on both sides. There is none on a side without such a file, and on one that is no
    /// commit: no address names what lies there.
    pub async fn files_of(
        &self,
        app: &App,
        paths: Vec<(FilePath, FilePath)>,
    ) -> Result<Vec<[Option<SideFile>; 2]>, AppError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let sides = self.clone();
        app.on_git_long(move || {
            let is_commit = sides.repository.commit(sides.before)?.is_some();
            let both = |(before, after): (FilePath, FilePath)| -> Result<[Option<SideFile>; 2], AppError> {
                let before = if is_commit { sides.file(sides.before, before)? } else { None };
                Ok([before, sides.file(sides.after, after)?])
            };
            paths.into_iter().map(both).collect()
        })
        .await
    }

    fn file(&self, side: Oid, path: FilePath) -> Result<Option<SideFile>, AppError> {
        let Ok(named) = LookupPath::try_from(&path) else { return Ok(None) };
        // Its content is not read.
        let Some((entry, blob)) = self.repository.file_at(side, &named, 0)? else { return Ok(None) };
        let is_file = !entry.is_link() && blob.size > 0;
        Ok(is_file.then(|| SideFile { commit: side.to_string(), path, size: blob.size }))
    }

    /// The colours of these files, in their order, as far as they are found in time; of both sides as a whole, since what
    /// begins above a hunk counts in it. The first 50 files with text, and 2 MiB, have colours.
    pub async fn colours(&self, app: &App, files: &[FileDiff]) -> Result<Vec<FileColours>, AppError> {
        let wanted: Vec<(FilePath, FilePath, bool)> = files
            .iter()
            .map(|file| {
                let is_text = !file.diff.is_empty() && !file.diff.starts_with("Binary files ");
                (file.old_path.clone(), file.new_path.clone(), is_text)
            })
            .collect();
        let sides = self.clone();
        let read = app.on_git_long(move || sides.read(&wanted)).await?;
        let sources: Vec<Source> = read.iter().flatten().flatten().cloned().collect();
        let mut colours = app.colours(sources).await.into_iter();
        let mut of = |source: &Option<Source>| source.as_ref().and_then(|_| colours.next()).unwrap_or_default();
        Ok(read.iter().map(|[before, after]| FileColours { before: of(before), after: of(after) }).collect())
    }

    /// The texts of both sides of each file that has colours.
    fn read(&self, files: &[(FilePath, FilePath, bool)]) -> Result<Vec<[Option<Source>; 2]>, AppError> {
        let (mut files_left, mut bytes_left) = (FILES, BYTES);
        let mut read = Vec::with_capacity(files.len());
        for (old_path, new_path, is_text) in files {
            let mut texts = [None, None];
            if *is_text && files_left > 0 {
                files_left -= 1;
                for (text, (side, path)) in texts.iter_mut().zip([(self.before, old_path), (self.after, new_path)]) {
                    *text = self.source(side, path, bytes_left)?;
                    bytes_left = bytes_left.saturating_sub(text.as_ref().map_or(0, |source| source.text.len()));
                }
            }
            read.push(texts);
        }
        Ok(read)
    }

    fn source(&self, side: Oid, path: &FilePath, bytes_left: usize) -> Result<Option<Source>, AppError> {
        let Ok(path) = LookupPath::try_from(path) else { return Ok(None) };
        let most = u64::try_from(MAX_TEXT.min(bytes_left)).unwrap_or(u64::MAX);
        let Some((entry, blob)) = self.repository.file_at(side, &path, most)? else { return Ok(None) };
        let Some(text) = blob.content.filter(|_| !entry.is_link()).and_then(|bytes| String::from_utf8(bytes).ok())
        else {
            return Ok(None);
        };
        Ok(Some(Source {
            origin: self.project.into(),
            blob: blob.id,
            name: entry.path.name().to_string().into(),
            text: text.into(),
        }))
    }
}
