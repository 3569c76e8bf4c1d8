//! The limit of open files and sockets of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files to the most that the system allows: each connection is one, and systems begin with as
/// few as 1,024. If that fails, the server runs anyway and logs it.
pub(crate) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        tracing::warn!(%error, current = limit.current, "the limit of open files cannot be raised");
    }
}
