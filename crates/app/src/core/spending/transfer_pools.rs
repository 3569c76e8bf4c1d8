//! The use of the machine by transfers of Git and of files.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_domain::limits::Limits;

use crate::core::spending::client::Client;
use crate::core::spending::permits::{PermitPools, Permits};
use crate::core::spending::worker_pool::{Shape, WorkerPool};

/// The pools for transfers: permits for processes of Git that serve a client and for bodies that are being received,
/// and threads that check these.
pub(crate) struct TransferPools {
    pub(crate) fetches: PermitPools,
    pub(crate) pushes: Permits,
    pub(crate) downloads: PermitPools,
    pub(crate) files: PermitPools,
    pub(crate) lfs_uploads: Permits,
    pub(crate) lfs_downloads: PermitPools,
    inspectors: WorkerPool,
    spool: PermitPools,
    cores: usize,
    /// Threads that processes of Git have beside their first.
    more_threads: Arc<Mutex<usize>>,
}

impl TransferPools {
    /// As many as the limits say for the cores of this machine, and threads of this shape. Fails when they cannot
    /// start.
    pub(crate) fn new(limits: &Limits, inspectors: Shape) -> Result<Self, io::Error> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let on_all = |per_core: usize| per_core.saturating_mul(cores);
        let transfers = &limits.transfers;
        // Two clients must be able to push what is allowed at once, and others something.
        let largest = limits.push.pack.saturating_add(limits.push.commands_size);
        Ok(Self {
            fetches: PermitPools::new(on_all(transfers.fetches_per_core), on_all(transfers.anonymous_fetches_per_core)),
            pushes: Permits::new(on_all(transfers.pushes_per_core)),
            downloads: PermitPools::new(
                on_all(transfers.downloads_per_core),
                on_all(transfers.anonymous_downloads_per_core),
            ),
            files: PermitPools::new(limits.answers.file_reads, limits.answers.file_reads),
            lfs_uploads: Permits::with_share(transfers.lfs_uploads, transfers.lfs_uploads / 8),
            lfs_downloads: PermitPools::new(transfers.lfs_downloads, transfers.lfs_downloads),
            spool: PermitPools::new(
                spool_permits(transfers.spool.max(largest.saturating_mul(3))),
                spool_permits(transfers.anonymous_spool.max(transfers.fetch_request.saturating_mul(3))),
            ),
            inspectors: WorkerPool::new(inspectors)?,
            cores,
            more_threads: Arc::default(),
        })
    }

    /// The threads of a process that unpacks a push, which has its permit: the first, and half of what no process of Git keeps
    /// busy of the cores at this moment.
    pub(crate) fn unpacking_threads(&self) -> UnpackingThreads {
        let held = self.fetches.held() + self.pushes.held() + self.downloads.held();
        let mut taken = self.more_threads.lock().unwrap_or_else(PoisonError::into_inner);
        let more = share_of_idle(self.cores, held + *taken);
        *taken += more;
        UnpackingThreads { more, taken: Arc::clone(&self.more_threads) }
    }

    /// Threads that inflate and check what clients of Git send: it keeps a core busy.
    pub(crate) fn inspectors(&self) -> &WorkerPool {
        &self.inspectors
    }

    /// Permits for the bytes on disk of bodies from clients like this one.
    pub(crate) fn spool(&self, client: Client) -> &Permits {
        self.spool.of(client)
    }
}

fn share_of_idle(cores: usize, busy: usize) -> usize {
    cores.saturating_sub(busy).div_ceil(2)
}

/// Threads of one process, until this is dropped.
#[derive(Debug)]
pub(crate) struct UnpackingThreads {
    more: usize,
    taken: Arc<Mutex<usize>>,
}

impl UnpackingThreads {
    /// How many there are; at least one.
    pub(crate) fn count(&self) -> usize {
        self.more + 1
    }
}

impl Drop for UnpackingThreads {
    fn drop(&mut self) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) -= self.more;
    }
}

/// The bytes on disk that one permit of the spool stands for.
const SPOOL_UNIT: u64 = 64 << 10;

/// The number of permits for that many bytes on disk.
pub(crate) fn spool_permits(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(SPOOL_UNIT)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_is_unpacked_with_a_share_of_what_is_idle() {
        for (cores, busy, more) in [(2, 1, 1), (2, 2, 0), (2, 5, 0), (1, 1, 0), (8, 1, 4), (8, 6, 1), (8, 9, 0)] {
            assert_eq!(share_of_idle(cores, busy), more, "{cores} {busy}");
        }
    }
}
