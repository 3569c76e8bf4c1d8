//! Archives over SSH, as `git archive --remote` asks for them. They are made as those of the API are: with the same
//! permits, and by the same process of Git. The client's request is read here, never by Git.

use std::io::Read;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use tenon_git::pkt_line::RequestEnd;
use tenon_git::remote_archive::{ArchiveRequest, FORMATS, MOST_BYTES, NotArchived, RemoteArchive};
use tokio::io::AsyncWrite;
use tokio::time::timeout;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::stream::{ByteStream, download, stream_of};
use crate::workflows::transport::git_access::OpenRepository;
use crate::workflows::transport::give::{cut, give};
use crate::workflows::transport::refusal::GitRefusal;

/// The most bytes of the archive in one line, which also has its length and its channel.
const PART: usize = 65_515;
/// The channel of what was asked for.
const DATA: u8 = 1;
/// The end of a message.
const FLUSH: &[u8] = b"0000";

/// Reads what a client asks for, and sends it the archive, or the reason why there is none.
pub(super) async fn send_archive(
    app: &App,
    open: OpenRepository,
    mut input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let limits = app.limits();
    let patience = limits.transfers.rate_window;
    let lines = timeout(limits.ssh.before_request, receive(&mut input)).await;
    let lines = lines.map_err(|_elapsed| GitRefusal::TooSlow)??;
    let archive = match ArchiveRequest::parse(&lines) {
        Ok(ArchiveRequest::Formats) => {
            let answer = [line(b"ACK\n").as_slice(), FLUSH, &part(FORMATS.as_bytes()), FLUSH].concat();
            return give(client, &answer, patience).await;
        }
        Ok(ArchiveRequest::Archive(archive)) => archive,
        Err(problem) => return give(client, &refusal(&problem), patience).await,
    };
    match make(app, open, archive).await? {
        Ok(mut body) => {
            give(client, &[line(b"ACK\n").as_slice(), FLUSH].concat(), patience).await?;
            while let Some(bytes) = body.next().await {
                for bytes in bytes.map_err(cut)?.chunks(PART) {
                    give(client, &part(bytes), patience).await?;
                }
            }
            give(client, FLUSH, patience).await
        }
        Err(problem) => give(client, &refusal(&problem), patience).await,
    }
}

/// The archive as Git makes it.
async fn make(
    app: &App,
    open: OpenRepository,
    archive: RemoteArchive,
) -> Result<Result<ByteStream, NotArchived>, AppError> {
    let permit = download(app).await?;
    app.note_download(open.user, open.project);
    let work = move || match open.repository.remote_archive(&archive) {
        Err(NotArchived::Git(error)) => Err(error.into()),
        other => Ok(other),
    };
    let (made, cancels) = app.open_git_stream(work).await?;
    Ok(made.map(|stream| {
        let bytes: Box<dyn Read + Send> = Box::new(stream);
        stream_of(app, Some(bytes), cancels, permit)
    }))
}

/// The lines of a client, up to their end.
async fn receive(input: &mut ByteStream) -> Result<BytesMut, GitRefusal> {
    let (mut lines, mut end) = (BytesMut::new(), RequestEnd::default());
    while !end.is_flushed() {
        let bytes: Bytes = match input.next().await {
            Some(Ok(bytes)) => bytes,
            Some(Err(_)) | None => return Err(GitRefusal::Incomplete),
        };
        let refused = |_| GitRefusal::Malformed("The request cannot be read.".to_owned());
        end.feed(&bytes).map_err(refused)?;
        lines.extend_from_slice(&bytes);
        if lines.len() > MOST_BYTES {
            return Err(GitRefusal::TooLarge(format!("The request is larger than {MOST_BYTES} bytes.")));
        }
    }
    Ok(lines)
}

/// A pkt-line.
fn line(content: &[u8]) -> Vec<u8> {
    [format!("{:04x}", content.len() + 4).as_bytes(), content].concat()
}

/// A part of what was asked for.
fn part(bytes: &[u8]) -> Vec<u8> {
    line(&[&[DATA], bytes].concat())
}

fn refusal(problem: &NotArchived) -> Vec<u8> {
    line(format!("NACK {problem}\n").as_bytes())
}
