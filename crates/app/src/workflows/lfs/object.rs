//! Objects that clients send and get. A project gets an object only by all of its bytes.

use std::fmt::Write as _;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use bytes::Bytes;
use futures_util::StreamExt as _;
use sha2::{Digest as _, Sha256};
use tenon_domain::id::ProjectId;
use tenon_domain::lfs::LfsOid;
use tenon_domain::refusal::Quota;
use tenon_git::CancelToken;
use tenon_storage::{ReadTx, lfs};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::objects::Draft;
use crate::policy::quota::fits;
use crate::repository::stream::rate::TransferRate;
use crate::repository::stream::{ByteStream, stream_of};
use crate::shared::files::stored::lfs_key;
use crate::workflows::lfs::access::{LfsOperation, LfsRequest};
use crate::workflows::lfs::refusal::LfsRefusal;
use crate::workflows::lfs::span::{Span, span};
use crate::workflows::transport::GitRefusal;

/// Bytes of a body that are hashed and written at once.
const PIECE: usize = 256 << 10;
/// Bytes that are read and dropped of a body that is refused, so that the client reads why.
const DROPPED: u64 = 16 << 20;

/// Receives an object, whose name and size are those of the address, and gives it to the project. `announced` is the length of the
/// body, if the client has said it. Every caller sends all the bytes, also of an object that the server has.
///
/// # Errors
/// As a push; [`LfsRefusal::Mismatch`] if the bytes are not those of the name, [`LfsRefusal::TooLarge`] and
/// [`LfsRefusal::NoRoom`]. Nothing is stored then.
pub async fn upload(
    app: &App,
    request: LfsRequest,
    (oid, size): (&str, &str),
    announced: Option<u64>,
    mut input: ByteStream,
) -> Result<(), LfsRefusal> {
    let mut rate = TransferRate::new(&app.limits().transfers);
    let outcome = receive(app, request, (oid, size), announced, &mut input, &mut rate).await;
    if outcome.as_ref().is_err_and(LfsRefusal::may_go_on) {
        let mut dropped = 0;
        while let Ok(Some(Ok(part))) = rate.client(input.next()).await {
            rate.count(part.len());
            dropped += count(&part);
            if dropped > DROPPED {
                break;
            }
        }
    }
    outcome
}

async fn receive(
    app: &App,
    request: LfsRequest,
    (oid, size): (&str, &str),
    announced: Option<u64>,
    input: &mut ByteStream,
    rate: &mut TransferRate,
) -> Result<(), LfsRefusal> {
    let opened = app.open_lfs(request, LfsOperation::Upload).await?;
    let (app, project) = (opened.app.clone(), opened.project);
    let oid = LfsOid::parse(oid).ok_or(LfsRefusal::Malformed)?;
    let size: u64 = size.parse().map_err(|_source| LfsRefusal::Malformed)?;
    let limits = &app.limits().quotas;
    let (most, room) = (limits.lfs_object, limits.lfs);
    if size > most {
        return Err(LfsRefusal::TooLarge(most));
    }
    if announced.is_some_and(|announced| announced != size) {
        return Err(LfsRefusal::Mismatch);
    }
    let wanted = oid.clone();
    opened.read(move |tx| check_room(tx, room, project, &wanted, size)).await?;
    let client = app.client();
    let permit = app.transfer_pools().lfs_uploads.acquire(client, app.limits().transfers.patience).await?;
    let whole = write_all(&app, size, input, rate).await?;
    let name = oid.clone();
    let proven = app.transfer_pools().inspectors().run(client, move || prove(whole, &name)).await?;
    let draft = proven.ok_or(LfsRefusal::Mismatch)?;
    let checked = opened.clone();
    // The file gets its key together with the row that names it. Until then, whatever ends the request removes it.
    let linked = opened.write(move |command| {
        checked.check(&mut command.tx)?;
        check_room(&mut command.tx, room, project, &oid, size)?;
        let now = command.now;
        let size = i64::try_from(size).map_err(AppError::internal)?;
        command.app.objects().keep(draft, &lfs_key(&oid))?;
        Ok(lfs::link(&mut command.tx, project, &oid, size, now)?)
    });
    let outcome = linked.await;
    drop(permit);
    outcome
}

/// Refuses an object that a project does not have and has no room for.
fn check_room(tx: &mut ReadTx<'_>, room: u64, project: ProjectId, oid: &LfsOid, size: u64) -> Result<(), LfsRefusal> {
    let kept = u64::try_from(lfs::total(tx, project)?).unwrap_or(0);
    let has_it = !lfs::linked(tx, project, std::slice::from_ref(oid))?.is_empty();
    if has_it || fits(kept, size, room) { Ok(()) } else { Err(LfsRefusal::NoRoom(Quota::Lfs(room))) }
}

/// A body that is being received.
struct Received {
    draft: Draft,
    digest: Sha256,
}

impl Received {
    fn add(mut self, parts: &[Bytes]) -> Result<Self, AppError> {
        for part in parts {
            self.digest.update(part);
            self.draft.write_all(part).map_err(AppError::internal)?;
        }
        Ok(self)
    }
}

/// Writes a body to a file, on threads that may block. At most a piece of it is in memory.
async fn write_all(
    app: &App,
    size: u64,
    input: &mut ByteStream,
    rate: &mut TransferRate,
) -> Result<Received, LfsRefusal> {
    let (pool, client) = (app.transfer_pools().inspectors(), app.client());
    let objects = app.objects().clone();
    let begun = pool.answer(client, move || Ok(Received { draft: objects.begin()?, digest: Sha256::new() }));
    let mut received = begun.await?;
    let (mut parts, mut waiting, mut sum) = (Vec::new(), 0, 0_u64);
    loop {
        let part = match rate.client(input.next()).await {
            Ok(Some(Ok(part))) => Some(part),
            Ok(None) => None,
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "the body of an LFS object ended early");
                return Err(GitRefusal::Incomplete.into());
            }
            Err(_too_slow) => return Err(GitRefusal::TooSlow.into()),
        };
        let is_end = part.is_none();
        if let Some(part) = part {
            rate.count(part.len());
            sum = sum.saturating_add(count(&part));
            if sum > size {
                return Err(LfsRefusal::Mismatch);
            }
            waiting += part.len();
            parts.push(part);
        }
        if waiting >= PIECE || is_end {
            let piece = std::mem::take(&mut parts);
            waiting = 0;
            received = pool.answer(client, move || received.add(&piece)).await?;
        }
        if is_end {
            return if sum == size { Ok(received) } else { Err(LfsRefusal::Mismatch) };
        }
    }
}

fn count(part: &Bytes) -> u64 {
    u64::try_from(part.len()).unwrap_or(u64::MAX)
}

/// The file of a body, once it is on the disk; `None` if its bytes are not those of the name.
fn prove(received: Received, oid: &LfsOid) -> Result<Option<Draft>, AppError> {
    let Received { draft, digest } = received;
    let digits = digest.finalize().iter().fold(String::new(), |mut digits, byte| {
        // A text takes everything.
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    if digits != oid.as_str() {
        return Ok(None);
    }
    draft.sync()?;
    Ok(Some(draft))
}

/// An object on its way to a client.
pub struct LfsDownload {
    /// Bytes of the whole object.
    pub size: u64,
    /// The part that is sent; `None` if it is the whole.
    pub span: Option<Span>,
    /// The bytes of the part or of the whole.
    pub body: ByteStream,
}

/// Sends an object of a project, or the part that the header `Range` names.
///
/// # Errors
/// As a fetch; [`LfsRefusal::Missing`] if the project does not have the object, [`LfsRefusal::Range`] if the part begins behind its
/// end.
pub async fn download(
    app: &App,
    request: LfsRequest,
    oid: &str,
    range: Option<&str>,
) -> Result<LfsDownload, LfsRefusal> {
    let opened = app.open_lfs(request, LfsOperation::Download).await?;
    let (app, project) = (opened.app.clone(), opened.project);
    let oid = LfsOid::parse(oid).ok_or(LfsRefusal::Missing)?;
    let key = lfs_key(&oid);
    let size = opened.read(move |tx| {
        let found = lfs::linked(tx, project, std::slice::from_ref(&oid))?;
        found.get(oid.as_str()).and_then(|size| u64::try_from(*size).ok()).ok_or(LfsRefusal::Missing)
    });
    let size = size.await?;
    let span = span(range, size).map_err(|()| LfsRefusal::Range(size))?;
    let Span { first, length } = span.unwrap_or(Span { first: 0, length: size });
    let client = app.client();
    let permit = app.transfer_pools().lfs_downloads.of(client);
    let permit = permit.acquire(client, app.limits().transfers.patience).await?;
    let objects = app.objects().clone();
    let opening = app.on_reader(move || {
        let Some(mut file) = objects.open(&key)? else {
            tracing::error!(key, "a row names an LFS object whose bytes are missing");
            return Ok(None);
        };
        file.seek(SeekFrom::Start(first)).map_err(AppError::internal)?;
        Ok(Some(file.take(length)))
    });
    let bytes = opening.await?.ok_or(LfsRefusal::Missing)?;
    let body = stream_of(&app, Some(bytes), CancelToken::default().on_drop(), permit);
    Ok(LfsDownload { size, span, body })
}
