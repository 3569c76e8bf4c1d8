//! Pictures of users, groups and projects: checked by content, stripped of what cameras write into them, stored under a
//! random name.

use bytes::Bytes;
use img_parts::ImageEXIF;
use img_parts::jpeg::Jpeg;
use img_parts::png::Png;
use img_parts::webp::WebP;
use tenon_auth::Secret;
use tenon_domain::access::Viewer;
use tenon_domain::avatar::Avatar;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::patch::Patch;
use tenon_domain::project::{Import, Project, ProjectAction};
use tenon_domain::refusal::UserRefusal;
use tenon_domain::user::UserAction;
use tenon_storage::{ReadTx, project};

use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::links::DEFAULT_PICTURE_SIZE;
use crate::jobs;
use crate::policy::reference::Reference;
use crate::shared::files::object_deletion::DeleteObject;
use crate::shared::files::stored::avatar_key;

/// The largest picture, in bytes.
const MAX_BYTES: usize = 200 * 1024;
/// The longest side, in pixels: a browser that shows a list of these must not run out of memory.
const MAX_SIDE: usize = 4096;

/// Whose picture is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A user's.
    User(UserId),
    /// A group's.
    Group(NamespaceId),
    /// A project's.
    Project(ProjectId),
}

/// A picture as it was uploaded.
#[derive(Debug, Clone)]
pub struct NewPicture {
    /// Its content.
    pub bytes: Bytes,
    /// The name that the client gave it. Not to be trusted.
    pub file_name: String,
}

/// Runs a use case that creates or changes what has a picture, with what the request says of the picture. The bytes are
/// stored before the row that names them, so that no row ever names a missing file, and removed again if the use case fails.
///
/// # Errors
/// Those of a caller who is not admitted, of a file that is no picture, and of the use case.
pub async fn write_with_picture<T: Send + 'static>(
    app: &App,
    identity: &Identity,
    picture: Patch<NewPicture>,
    work: impl FnOnce(&mut Command<'_>, Patch<Avatar>) -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let picture = match picture {
        Patch::Absent => return app.write(identity, move |command| work(command, Patch::Absent)).await,
        Patch::Clear => return app.write(identity, move |command| work(command, Patch::Clear)).await,
        Patch::Set(picture) => picture,
    };
    app.admit(identity).await?;
    let avatar = Picture::check(picture.bytes, &picture.file_name)?.store(app).await?;
    let stored = avatar.clone();
    let outcome = app.write(identity, move |command| work(command, Patch::Set(avatar))).await;
    if outcome.is_err() {
        forget(app, &stored).await;
    }
    outcome
}

/// A picture that can be stored.
struct Picture {
    bytes: Bytes,
    file_name: String,
}

impl Picture {
    /// Checks an uploaded picture: what it is, is decided by its content, never by its name.
    fn check(bytes: Bytes, file_name: &str) -> Result<Self, AppError> {
        if bytes.len() > MAX_BYTES {
            return Err(AppError::invalid("avatar", "is too big (should be at most 200 KB)"));
        }
        let unsupported = || {
            let text = "file format is not supported. Please try one of the following supported formats: png, jpg, \
                        jpeg, gif, webp";
            AppError::invalid("avatar", text)
        };
        let kind = imagesize::image_type(&bytes).map_err(|_source| unsupported())?;
        let size = imagesize::blob_size(&bytes).map_err(|_source| unsupported())?;
        if size.width == 0 || size.height == 0 || size.width > MAX_SIDE || size.height > MAX_SIDE {
            return Err(AppError::invalid("avatar", format!("must be at most {MAX_SIDE} by {MAX_SIDE} pixels")));
        }
        let (bytes, extension) = match kind {
            imagesize::ImageType::Png => (without_exif(Png::from_bytes(bytes)).ok_or_else(unsupported)?, "png"),
            imagesize::ImageType::Jpeg => (without_exif(Jpeg::from_bytes(bytes)).ok_or_else(unsupported)?, "jpg"),
            imagesize::ImageType::Webp => (without_exif(WebP::from_bytes(bytes)).ok_or_else(unsupported)?, "webp"),
            imagesize::ImageType::Gif => (bytes, "gif"),
            _ => return Err(unsupported()),
        };
        Ok(Self { bytes, file_name: served_name(file_name, extension) })
    }

    /// Stores the picture. No row refers to it until a command does; [`forget`] removes it again.
    async fn store(self, app: &App) -> Result<Avatar, AppError> {
        let key = Secret::generate_hex(app.entropy()).expose().to_owned();
        app.objects().put(&avatar_key(&key), self.bytes).await?;
        Ok(Avatar { key, file_name: self.file_name })
    }
}

/// The picture without its EXIF block. One that carries none keeps its bytes exactly.
fn without_exif<T: ImageEXIF + Encode>(parsed: Result<T, img_parts::Error>) -> Option<Bytes> {
    let mut picture = parsed.ok()?;
    picture.set_exif(None);
    Some(picture.encoded())
}

trait Encode {
    fn encoded(self) -> Bytes;
}

macro_rules! encode {
    ($($format:ty),*) => {$(
        impl Encode for $format {
            fn encoded(self) -> Bytes {
                self.encoder().bytes()
            }
        }
    )*};
}
encode!(Png, Jpeg, WebP);

/// A name for the address: what the client called it, reduced to plain characters, with the ending of its real kind.
fn served_name(file_name: &str, extension: &str) -> String {
    let stem = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, given) = stem.rsplit_once('.').unwrap_or((stem, ""));
    let plain: String =
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(100).collect();
    let stem = if plain.is_empty() { "avatar" } else { plain.as_str() };
    let same_kind = given.eq_ignore_ascii_case(extension) || (extension == "jpg" && given.eq_ignore_ascii_case("jpeg"));
    format!("{stem}.{}", if same_kind { given } else { extension })
}

/// Takes a stored picture away that no command wanted. Losing this race only leaves an unused file.
async fn forget(app: &App, avatar: &Avatar) {
    if let Err(error) = app.objects().delete(&avatar_key(&avatar.key)).await {
        tracing::warn!(%error, "an unused avatar stays behind");
    }
}

/// Gives a new fork a copy of its source's picture, unless it has one of its own. Idempotent.
pub(crate) async fn copy_to_fork(app: &App, id: ProjectId) -> Result<(), AppError> {
    let bare = |tx: &mut ReadTx<'_>| -> Result<Option<Project>, AppError> {
        let found = project::find(tx, id)?;
        Ok(found.filter(|fork| fork.avatar.is_none() && fork.import != Import::Finished))
    };
    let picture = app.database().read(|tx| -> Result<_, AppError> {
        let Some(source) = bare(tx)?.and_then(|fork| fork.forked_from) else { return Ok(None) };
        Ok(project::find(tx, source)?.and_then(|source| source.avatar))
    })?;
    let Some(Avatar { key, file_name }) = picture else { return Ok(()) };
    // Deleted concurrently: then the source has no picture any more.
    let Some(bytes) = app.objects().get(&avatar_key(&key)).await? else { return Ok(()) };
    let copy = Avatar { key: Secret::generate_hex(app.entropy()).expose().to_owned(), file_name };
    app.objects().put(&avatar_key(&copy.key), bytes).await?;
    let is_taken = app.command(|command| {
        let Some(fork) = bare(&mut command.tx)? else { return Ok(false) };
        project::update(&mut command.tx, &Project { avatar: Some(copy.clone()), ..fork })?;
        Ok(true)
    })?;
    if !is_taken {
        forget(app, &copy).await;
    }
    Ok(())
}

/// Has a picture removed by a job, once this transaction is committed.
pub(crate) fn discard(command: &mut Command<'_>, avatar: &Avatar) -> Result<(), AppError> {
    jobs::enqueue(command, &DeleteObject { key: avatar_key(&avatar.key) })
}

/// Has `before` removed if `after` is another picture.
pub(crate) fn discard_replaced(
    command: &mut Command<'_>,
    before: Option<&Avatar>,
    after: Option<&Avatar>,
) -> Result<(), AppError> {
    match before {
        Some(before) if after != Some(before) => discard(command, before),
        Some(_) | None => Ok(()),
    }
}

/// A picture that the caller may see.
#[derive(Debug, Clone)]
pub struct VisiblePicture(Avatar);

/// The stored picture of `holder` that is served as `file_name`, if the caller may see whose it is. A picture of a
/// private project or group is as private as that.
pub fn find(query: &mut Query<'_>, holder: Holder, file_name: &str) -> Result<VisiblePicture, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let avatar = match holder {
        Holder::User(id) => query.account(id, UserAction::Read)?.avatar,
        Holder::Group(id) => query.group(&Reference::Id(id.get()), GroupAction::Read)?.group.namespace.avatar,
        Holder::Project(id) => query.project(&Reference::Id(id.get()), ProjectAction::Read)?.project.avatar,
    };
    avatar.filter(|avatar| avatar.file_name == file_name).map(VisiblePicture).ok_or_else(missing)
}

/// The bytes of a picture.
pub async fn bytes(app: &App, picture: &VisiblePicture) -> Result<Bytes, AppError> {
    app.objects().get(&avatar_key(&picture.0.key)).await?.ok_or(AppError::NotFound(Missing::Record))
}

/// The address of the picture that goes with an e-mail address: that of the user who shows this address to everyone, or
/// the avatar service's, which makes it `size` pixels wide. An address that its user does not show is answered like one
/// that no account has.
pub fn of_email(query: &mut Query<'_>, email: &str, size: Option<u16>) -> Result<Option<String>, AppError> {
    let settings = query.settings()?;
    if query.viewer() == Viewer::Anonymous && settings.restricts(tenon_domain::visibility::Visibility::Public) {
        return Err(UserRefusal::PicturesHidden.into());
    }
    let email = tenon_domain::user::normalise_email(email);
    let found = tenon_storage::user::find_by_public_email(&mut query.tx, &email)?;
    let links = query.app.links();
    Ok(match found {
        Some(user) => links.user_avatar(&user.basic(), &settings),
        None => links.avatar_service(&email, size.unwrap_or(DEFAULT_PICTURE_SIZE), &settings),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_reduced_and_get_their_real_ending() {
        for (given, extension, want) in [
            ("me.png", "png", "me.png"),
            ("../../etc/passwd", "png", "passwd.png"),
            ("C:\\x\\me.JPEG", "jpg", "me.JPEG"),
            ("evil.html", "gif", "evil.gif"),
            ("\u{202e}", "png", "avatar.png"),
        ] {
            assert_eq!(served_name(given, extension), want);
        }
    }

    #[test]
    fn only_real_pictures_of_reasonable_size_are_taken() {
        assert!(Picture::check(Bytes::from_static(b"<svg/>"), "x.png").is_err());
        assert!(Picture::check(Bytes::from(vec![0; MAX_BYTES + 1]), "x.png").is_err());
        // A GIF header that claims 50,000 by 50,000 pixels.
        let bomb = b"GIF89a\x50\xc3\x50\xc3\x00\x00\x00;";
        assert!(Picture::check(Bytes::from_static(bomb), "x.gif").is_err());
        let tiny = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;";
        assert!(Picture::check(Bytes::from_static(tiny), "x.gif").is_ok());
    }
}
