//! The limit of the system on the size of files (`ulimit -f`, `LimitFSIZE`).

use actix_web::rt::signal::unix::{SignalKind, signal};
use rustix::process::Signal;

/// Makes a write beyond the limit fail as on a full disk. Without this the system ends the process.
pub(crate) fn survive_the_limit() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // The handler of the signal stays when the runtime has ended.
    runtime.block_on(async { signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop) })?;
    Ok(())
}
