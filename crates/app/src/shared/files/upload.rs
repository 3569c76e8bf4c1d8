//! Files uploaded for use in texts.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tenon_auth::Secret;
use tenon_domain::id::{Iid, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, IssuableAction};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::ENFORCE_AUTH_CHECKS_ON_UPLOADS;
use tenon_storage::job::Queue;
use tenon_storage::upload::{self, Upload};
use tenon_storage::{note, project};

use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::quota::{check_uploads, fits};
use crate::policy::reference::Reference;
use crate::shared::files::object_deletion::DeleteObject;
use crate::shared::files::stored;

/// The largest body with a file, in bytes: it is held in memory. The setting `max_attachment_size` has an effect only below
/// this.
pub const MAX_BODY: usize = 32 * 1024 * 1024;

/// The place in which a file may be stored: decided before its bytes are.
#[derive(Debug, Clone, Copy)]
struct Place {
    project: ProjectId,
    uploader: UserId,
    max_bytes: usize,
}

/// A stored file as the answer names it.
#[derive(Debug, Clone)]
pub struct UploadView {
    /// The project that it was uploaded into.
    pub project: ProjectId,
    /// The random part of the address.
    pub secret: String,
    /// The name under which it is served.
    pub file_name: String,
}

/// How a text names an uploaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadLink {
    /// The text of the link or picture.
    pub alt: String,
    /// The address below that of the project.
    pub url: String,
    /// Markdown that shows the file, or a link to it.
    pub markdown: String,
}

/// Extensions of files that a text shows, in lower case.
const SHOWN: [&str; 13] =
    ["png", "jpg", "jpeg", "gif", "bmp", "tiff", "ico", "webp", "mp4", "m4v", "mov", "webm", "ogv"];

impl UploadView {
    /// How a text of the project names the file: pictures and films are shown there.
    #[must_use]
    pub fn link(&self) -> UploadLink {
        UploadLink::of(&self.file_name, format!("/uploads/{}/{}", self.secret, self.file_name))
    }
}

impl UploadLink {
    /// The link to a file with this stored name at this address: pictures and films are shown.
    pub(crate) fn of(name: &str, url: String) -> Self {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let extension = extension.to_ascii_lowercase();
        let (alt, mark) = match extension.as_str() {
            extension if SHOWN.contains(&extension) => (stem, "!"),
            "svg" => (name, "!"),
            _ => (name, ""),
        };
        // A stored name contains no brackets, so nothing needs escaping.
        Self { alt: alt.to_owned(), markdown: format!("{mark}[{alt}]({url})"), url }
    }
}

/// Stores a file for use in texts of a project. The bytes are stored before the row, so that no row ever names a missing file;
/// it is not served before its row is there.
///
/// # Errors
/// [`AppError::TooLarge`] above the setting `max_attachment_size`, [`AppError::QuotaExceeded`] if the project or the
/// caller has no room, else those of a caller who may not upload.
pub async fn save(
    app: &App,
    identity: &Identity,
    project: Reference,
    file_name: &str,
    bytes: Bytes,
) -> Result<UploadView, AppError> {
    let size = bytes.len();
    let place = app.read(identity, move |query| place(query, &project, size)).await?;
    let stored = store(app, place, file_name, bytes).await?;
    let row = stored.clone();
    let recorded = app.write(identity, move |command| record(command, &row)).await;
    if recorded.is_err() {
        forget(app, &stored).await;
    }
    recorded
}

/// Checks that the caller may upload into a project, before a file is received.
///
/// # Errors
/// As [`save`].
pub fn check(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    place(query, project, 0).map(drop)
}

/// The place of an upload into a project, and the bound of its size. The quotas are asked of `size` bytes before these
/// are stored, and again when they are recorded.
fn place(query: &mut Query<'_>, project: &Reference, size: usize) -> Result<Place, AppError> {
    let found = query.project(project, ProjectAction::Upload)?;
    let uploader = query.user()?.id;
    let size = u64::try_from(size).map_err(AppError::internal)?;
    check_uploads(&mut query.tx, query.app.limits(), &found, uploader, size)?;
    let megabytes = query.settings()?.max_attachment_size;
    let max_bytes = usize::try_from(megabytes).unwrap_or(0).saturating_mul(1024 * 1024);
    Ok(Place { project: found.project.id, uploader, max_bytes })
}

async fn store(app: &App, place: Place, file_name: &str, bytes: Bytes) -> Result<Upload, AppError> {
    if bytes.len() > place.max_bytes {
        return Err(AppError::TooLarge);
    }
    let upload = Upload {
        project: place.project,
        uploader: place.uploader,
        secret: Secret::generate_hex(app.entropy()).expose().to_owned(),
        file_name: stored_name(file_name),
        size: i64::try_from(bytes.len()).map_err(AppError::internal)?,
        created_at: app.now(),
    };
    app.objects().put(&object(&upload), bytes).await?;
    Ok(upload)
}

/// Takes stored bytes away that could not be recorded.
async fn forget(app: &App, upload: &Upload) {
    if let Err(error) = app.objects().delete(&object(upload)).await {
        tracing::warn!(%error, "an unused upload stays behind");
    }
}

/// Records a stored file, which makes it served. The right to upload is asked again, as it may have ended since, and so
/// are the quotas: writes run one after the other, so none can be exceeded by uploads at the same time.
fn record(command: &mut Command<'_>, upload: &Upload) -> Result<UploadView, AppError> {
    let id = Reference::Id(upload.project.get());
    let found = command.query().project(&id, ProjectAction::Upload)?;
    let size = u64::try_from(upload.size).map_err(AppError::internal)?;
    check_uploads(&mut command.tx, command.app.limits(), &found, upload.uploader, size)?;
    upload::insert(&mut command.tx, upload)?;
    let Upload { project, secret, file_name, .. } = upload.clone();
    Ok(UploadView { project, secret, file_name })
}

/// Files that a text of one project names, copied so that another can serve them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Copies(Vec<Upload>);

/// The most files that follow a text.
const MAX_COPIES: usize = 100;

/// Copies the files that the texts of an issue name, if the caller may see it, to the folder in which the uploads of
/// `target` lie, under the same names. They are not served before the move records them; a crash in between leaves
/// files that no row names.
pub(crate) async fn copy(
    app: &App,
    identity: &Identity,
    project: &Reference,
    iid: Iid,
    target: &Reference,
) -> Result<Copies, AppError> {
    let (project, target) = (project.clone(), target.clone());
    let wanted = app.read(identity, move |query| named_files(query, &project, iid, &target)).await?;
    copy_bytes(app, wanted).await
}

async fn copy_bytes(app: &App, wanted: Vec<(String, Upload)>) -> Result<Copies, AppError> {
    let mut copied = Vec::new();
    for (from, upload) in wanted {
        // A file whose bytes are gone is not copied.
        let Some(bytes) = app.objects().get(&from).await? else { continue };
        app.objects().put(&object(&upload), bytes).await?;
        copied.push(upload);
    }
    Ok(Copies(copied))
}

/// The files that the texts of an issue name: the key of each, and what its copy will be.
fn named_files(
    query: &mut Query<'_>,
    project: &Reference,
    iid: Iid,
    target: &Reference,
) -> Result<Vec<(String, Upload)>, AppError> {
    let found = query.issue_or(project, iid, IssuableAction::Read, Missing::Issue)?;
    let there = AuthorizedIssuable { home: query.project(target, ProjectAction::Read)?, ..found.clone() };
    // The move itself refuses what is not permitted.
    if !found.may(IssuableAction::Move) || !there.may(IssuableAction::Move) {
        return Ok(Vec::new());
    }
    let uploader = query.user()?.id;
    let named = named_by(query, &found.issuable)?;
    wanted(query, found.home.project.id, there.home.project.id, uploader, named)
}

/// The secrets and names of the files that the texts of an issue name, each once.
fn named_by(query: &mut Query<'_>, issue: &Issuable) -> Result<Vec<(String, String)>, AppError> {
    let mut texts = vec![issue.description.clone().unwrap_or_default()];
    texts.extend(note::all(&mut query.tx, issue.id)?.into_iter().filter(|note| !note.system).map(|note| note.body));
    let mut named: Vec<(String, String)> = texts.iter().flat_map(|text| named_in(text)).collect();
    named.sort();
    named.dedup();
    named.truncate(MAX_COPIES);
    Ok(named)
}

/// Those of the named files that one project has and another has not yet.
fn wanted(
    query: &mut Query<'_>,
    source: ProjectId,
    target: ProjectId,
    uploader: UserId,
    named: Vec<(String, String)>,
) -> Result<Vec<(String, Upload)>, AppError> {
    let created_at = query.now;
    let mut wanted = Vec::new();
    for (secret, file_name) in named {
        let Some(size) = upload::size(&mut query.tx, source, &secret, &file_name)? else { continue };
        if source == target || upload::exists(&mut query.tx, target, &secret, &file_name)? {
            continue;
        }
        let from = stored::upload_key(source, &secret, &file_name);
        wanted.push((from, Upload { project: target, uploader, secret, file_name, size, created_at }));
    }
    Ok(wanted)
}

/// Copies the files that follow an issue which was moved in the middle of something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CopyUploads {
    /// From which project.
    from: i64,
    /// Into which project.
    to: i64,
    /// Who moved the issue.
    uploader: i64,
    /// Their secrets and names.
    files: Vec<(String, String)>,
}

impl Job for CopyUploads {
    const KIND: &'static str = "copy_uploads";
    const QUEUE: Queue = Queue::Short;

    fn charged_to(&self) -> Option<UserId> {
        Some(UserId::new(self.uploader))
    }
}

impl AsyncJob for CopyUploads {
    async fn run(self, app: &App) -> Result<(), AppError> {
        copy_now(app, self).await
    }
}

/// Asks for the files that the texts of an issue name to be copied into another project, once this transaction is over. The
/// caller was permitted to move the issue there.
pub(crate) fn copy_later(command: &mut Command<'_>, issue: &Issuable, target: ProjectId) -> Result<(), AppError> {
    let files = named_by(&mut command.query(), issue)?;
    if files.is_empty() {
        return Ok(());
    }
    let uploader = command.user()?.id.get();
    let copies = CopyUploads { from: issue.project.get(), to: target.get(), uploader, files };
    enqueue(command, &copies)
}

/// Copies files. Idempotent: what is there already is left alone.
async fn copy_now(app: &App, copies: CopyUploads) -> Result<(), AppError> {
    let (from, to) = (ProjectId::new(copies.from), ProjectId::new(copies.to));
    let wanted = app.query(|query| {
        // It may have been deleted concurrently.
        if project::find(&mut query.tx, to)?.is_none() {
            return Ok(Vec::new());
        }
        wanted(query, from, to, UserId::new(copies.uploader), copies.files)
    })?;
    let done = copy_bytes(app, wanted).await?;
    app.command(|command| record_copies(command, to, &done))
}

/// The addresses of uploads in a text: `/uploads/`, 32 or more hexadecimal digits, `/`, a name.
fn named_in(text: &str) -> impl Iterator<Item = (String, String)> {
    text.split("/uploads/").skip(1).filter_map(|rest| {
        let (secret, rest) = rest.split_once('/')?;
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | '"' | '\'' | '<' | '>' | '/' | ']'));
        let name = rest.get(..end.unwrap_or(rest.len()))?;
        let is_secret = secret.len() >= 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_secret && !name.is_empty() && stored_name(name) == name).then(|| (secret.to_owned(), name.to_owned()))
    })
}

/// Records copied files, which makes them served. Those that do not fit into the quota of the target stay behind: a moved
/// issue then names files that are not there.
pub(crate) fn record_copies(command: &mut Command<'_>, target: ProjectId, copies: &Copies) -> Result<(), AppError> {
    let (limit, most) = (command.app.limits().quotas.uploads, command.app.limits().contents.uploads);
    for upload in copies.0.iter().filter(|upload| upload.project == target) {
        if upload::exists(&mut command.tx, target, &upload.secret, &upload.file_name)? {
            continue;
        }
        let (kept, _) = upload::totals(&mut command.tx, target, upload.uploader)?;
        let number = |size: i64| u64::try_from(size).unwrap_or(0);
        let is_many = usize::try_from(upload::count(&mut command.tx, target, None)?).is_ok_and(|count| count >= most);
        if !is_many && fits(number(kept), number(upload.size), limit) {
            upload::insert(&mut command.tx, upload)?;
        } else {
            enqueue(command, &DeleteObject { key: object(upload) })?;
        }
    }
    Ok(())
}

/// A file that the caller may see.
#[derive(Debug, Clone)]
pub struct VisibleFile {
    key: String,
}

/// An uploaded file, if the caller may see the project, or the project lets everybody have it who knows its address.
pub fn find(
    query: &mut Query<'_>,
    project: &Reference,
    secret: &str,
    file_name: &str,
) -> Result<VisibleFile, AppError> {
    let found = query.project_with_standing(project)?.ok_or(AppError::NotFound(Missing::Project))?;
    let id = found.project.id;
    let is_there = upload::exists(&mut query.tx, id, secret, file_name)?;
    if !is_there || found.project.settings.is_on(&ENFORCE_AUTH_CHECKS_ON_UPLOADS) {
        found.judge(ProjectAction::Read)?;
    }
    if !is_there {
        return Err(AppError::NotFound(Missing::Record));
    }
    Ok(VisibleFile { key: stored::upload_key(id, secret, file_name) })
}

/// The bytes of a file.
pub async fn bytes(app: &App, file: &VisibleFile) -> Result<Bytes, AppError> {
    app.objects().get(&file.key).await?.ok_or(AppError::NotFound(Missing::Record))
}

fn object(upload: &Upload) -> String {
    stored::upload_key(upload.project, &upload.secret, &upload.file_name)
}

/// The longest stored name, in bytes: what file systems take.
const MAX_NAME: usize = 200;

/// The name under which a file is stored: the last part of what the client called it, with everything replaced that
/// means something to a file system, an address or a reader's eyes.
fn stored_name(file_name: &str) -> String {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let keep = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
    let mut name: String = base.chars().map(|c| if keep(c) { c } else { '_' }).collect();
    if name.chars().all(|c| c == '.') {
        name.insert(0, '_');
    }
    shortened(name)
}

/// `name` cut to [`MAX_NAME`] bytes in front of its ending.
fn shortened(name: String) -> String {
    if name.len() <= MAX_NAME {
        return name;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= 16);
    let room = MAX_NAME - ending.map_or(0, |ending| ending.len() + 1);
    let mut stem = String::new();
    for c in name.chars() {
        if stem.len() + c.len_utf8() > room {
            break;
        }
        stem.push(c);
    }
    ending.map_or_else(|| stem.clone(), |ending| format!("{stem}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_pictures_and_links_to_the_rest() {
        for (name, alt, markdown) in [
            ("a.png", "a", "![a](/uploads/s/a.png)"),
            ("a.b.MP4", "a.b", "![a.b](/uploads/s/a.b.MP4)"),
            ("a.webp", "a", "![a](/uploads/s/a.webp)"),
            ("a.svg", "a.svg", "![a.svg](/uploads/s/a.svg)"),
            ("a.txt", "a.txt", "[a.txt](/uploads/s/a.txt)"),
            ("png", "png", "[png](/uploads/s/png)"),
        ] {
            let view = UploadView { project: ProjectId::new(7), secret: "s".to_owned(), file_name: name.to_owned() };
            let link = view.link();
            assert_eq!((link.alt.as_str(), link.markdown.as_str()), (alt, markdown));
            assert_eq!(link.url, format!("/uploads/s/{name}"));
        }
    }

    #[test]
    fn a_text_names_uploads_by_their_addresses() {
        let secret = "0123456789abcdef0123456789abcdef";
        let text = format!(
            "![a](/uploads/{secret}/a.png) and [b](/group/tool/uploads/{secret}/b.txt)\n/uploads/{secret}/../x \
             /uploads/short/c.txt /uploads/{secret}/ <img src=\"/uploads/{secret}/d.png\">"
        );
        let names: Vec<String> = named_in(&text).map(|(_, name)| name).collect();
        assert_eq!(names, ["a.png", "b.txt", "d.png"]);
    }

    #[test]
    fn names_that_lie_become_names() {
        for (given, want) in [
            ("../../x", "x"),
            ("C:\\x", "x"),
            ("a b.png", "a_b.png"),
            ("größe.txt", "größe.txt"),
            ("a\0b", "a_b"),
            ("..", "_.."),
            ("", "_"),
            ("evil\u{202e}gnp.exe", "evil_gnp.exe"),
        ] {
            assert_eq!(stored_name(given), want, "{given:?}");
        }
        let long = stored_name(&format!("{}.tar", "x".repeat(5_000_000)));
        assert_eq!((long.len() <= MAX_NAME, long.rsplit('.').next()), (true, Some("tar")));
    }
}
