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

impl Sides {
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
