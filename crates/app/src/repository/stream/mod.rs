//! Answers that come as Git makes them.

pub(crate) mod rate;

use std::io::{self, Read};
use std::pin::Pin;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use tenon_git::{CancelOnDrop, GitStream};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::spending::permits::Permit;
use crate::repository::stream::rate::{TransferRate, enforce_least_rate};

/// Bytes that come as they are made.
pub type ByteStream = Pin<Box<dyn Stream<Item = io::Result<Bytes>>>>;

/// The most bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// A permit for something large that Git makes while it is read, such as an archive.
pub(crate) async fn download(app: &App) -> Result<Permit, AppError> {
    let client = app.client();
    app.transfer_pools().downloads.of(client).acquire(client, app.limits().transfers.patience).await
}

/// The output of Git, as it is made: nothing if `open` starts nothing. Takes a permit to download; [`AppError::Busy`]
/// if there is none for long.
pub(crate) async fn stream_git(
    app: &App,
    open: impl FnOnce() -> Result<Option<GitStream>, AppError> + Send + 'static,
) -> Result<ByteStream, AppError> {
    let permit = download(app).await?;
    let (stream, cancels) = app.open_git_stream(open).await?;
    Ok(stream_of(app, stream, cancels, permit))
}

/// Bytes as they are read, on threads that may block; none if there is nothing to read. The permit ends with them.
/// Dropping the stream drops `cancels`, which ends a read that waits for Git.
pub(crate) fn stream_of(
    app: &App,
    bytes: Option<impl Read + Send + 'static>,
    cancels: CancelOnDrop,
    permit: Permit,
) -> ByteStream {
    let bytes = stream::unfold(bytes.map(|bytes| (bytes, permit, cancels)), |state| async move {
        let (mut stream, permit, cancels) = state?;
        let read = tokio::task::spawn_blocking(move || {
            let mut chunk = vec![0; CHUNK];
            let count = stream.read(&mut chunk)?;
            chunk.truncate(count);
            // The permit is held for as long as something is read, also if the client has gone.
            Ok::<_, std::io::Error>((Bytes::from(chunk), stream, permit))
        });
        match read.await.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
            Ok((chunk, ..)) if chunk.is_empty() => None,
            Ok((chunk, stream, permit)) => Some((Ok(chunk), Some((stream, permit, cancels)))),
            Err(error) => {
                tracing::warn!(%error, "an answer is cut off");
                Some((Err(error), None))
            }
        }
    });
    enforce_least_rate(bytes, TransferRate::new(&app.limits().transfers))
}
