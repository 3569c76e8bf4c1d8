//! Archives of a repository.

use std::io::Read;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tenon_domain::project::ProjectAction;
use tenon_git::archive::ArchiveFormat;
use tenon_git::{LookupPath, TreePath};
use tenon_storage::job::Queue;

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::jobs::{AsyncJob, Job};
use crate::policy::reference::Reference;
use crate::repository::stream::{ByteStream, download, stream_of};

/// An archive on its way.
pub struct ArchiveView {
    /// The name of the file.
    pub file_name: String,
    /// True if it is a ZIP.
    pub is_zip: bool,
    /// Its bytes.
    pub body: ByteStream,
}

/// An archive of a branch, tag or commit. `format` is what stands behind the dot of the address; `tar.gz` if nothing
/// does.
pub async fn archive(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: Option<String>,
    format: Option<String>,
    path: Option<String>,
) -> Result<ArchiveView, AppError> {
    let format = match format.as_deref() {
        None => ArchiveFormat::TarGz,
        Some(suffix) => ArchiveFormat::parse(suffix).ok_or(AppError::NotFound(Missing::Plain))?,
    };
    let read = app.read(identity, move |query| {
        let code = query.code(&project, ProjectAction::ReadCode)?;
        Ok((code, query.viewer().user()))
    });
    let (code, user) = read.await?;
    app.note_download(user, code.project.id);
    let permit = download(app).await?;
    let (cache, now) = (app.repositories().archives.clone(), SystemTime::from(app.now()));
    let ((bytes, file_name), cancels) = app
        .open_git_stream(move || {
            let missing = || AppError::NotFound(Missing::File);
            let commit = code.commit_or(revision.as_deref(), Missing::File)?;
            let path = match path.as_deref().map(|path| path.trim_matches('/')).filter(|path| !path.is_empty()) {
                None => None,
                Some(path) => {
                    let path = LookupPath::parse(path).ok_or_else(missing)?;
                    Some(code.repository.exact_path(commit, path)?)
                }
            };
            let name = revision.or_else(|| code.project.default_branch.clone()).unwrap_or_default();
            let folder = format!("{}-{}-{commit}", code.project.path, name.replace('/', "-"));
            let folder = TreePath::parse(&folder).map_err(|_invalid| missing())?;
            let file_name = format!("{folder}.{}", format.suffix());
            let project = code.project.id;
            // The name of the file has the commit in it.
            let key = format!("{file_name}\0{}", path.as_ref().map_or("", LookupPath::as_kept));
            if let Some(file) = cache.find(project, &key, now) {
                let bytes: Box<dyn Read + Send> = Box::new(file);
                return Ok((bytes, file_name));
            }
            let stream = code.repository.archive(commit, format, &folder, path.as_ref())?.ok_or_else(missing)?;
            let bytes: Box<dyn Read + Send> = Box::new(cache.keep(project, &key, now, stream));
            Ok((bytes, file_name))
        })
        .await?;
    let body = stream_of(app, Some(bytes), cancels, permit);
    Ok(ArchiveView { file_name, is_zip: format == ArchiveFormat::Zip, body })
}

/// Removes archives that have not been asked for lately.
#[derive(Serialize, Deserialize)]
pub(crate) struct SweepArchives {}

impl Job for SweepArchives {
    const KIND: &'static str = "sweep_archives";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for SweepArchives {
    async fn run(self, app: &App) -> Result<(), AppError> {
        sweep_archives(app).await
    }
}

async fn sweep_archives(app: &App) -> Result<(), AppError> {
    let (cache, now) = (app.repositories().archives.clone(), SystemTime::from(app.now()));
    app.on_git(move || cache.sweep(now).map_err(AppError::internal)).await
}
