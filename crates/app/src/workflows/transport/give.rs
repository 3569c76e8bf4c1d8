//! Giving a client of SSH what it is sent.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::workflows::transport::refusal::GitRefusal;

/// Gives a client bytes, in parts for each of which it is waited so long. If it takes an answer of Git at less than the
/// least rate, that answer ends by itself, but a client that takes nothing at all would be waited for.
pub(super) async fn give(
    client: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    patience: Duration,
) -> Result<(), GitRefusal> {
    for part in bytes.chunks(PART) {
        let given = timeout(patience, client.write_all(part)).await;
        given.map_err(|_elapsed| GitRefusal::TooSlow)?.map_err(cut)?;
    }
    Ok(())
}

/// The most bytes that are given at once.
const PART: usize = 16 << 10;

pub(super) fn cut(error: io::Error) -> GitRefusal {
    tracing::debug!(%error, "a transfer over SSH was cut off");
    GitRefusal::CutOff
}
