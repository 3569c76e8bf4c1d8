//! What transfers of Git and of files take from the machine.

use std::io;

use tenon_domain::limits::Limits;

use crate::core::client::Client;
use crate::core::permits::{PermitPools, Permits};
use crate::core::worker_pool::{Shape, WorkerPool};

/// What transfers take: permits for processes of Git that serve a client and for bodies that are being received, and
/// threads that check these.
pub(crate) struct TransferPools {
    pub(crate) fetches: PermitPools,
    pub(crate) pushes: Permits,
    pub(crate) downloads: PermitPools,
    pub(crate) files: PermitPools,
    inspectors: WorkerPool,
    spool: PermitPools,
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
            spool: PermitPools::new(
                spool_permits(transfers.spool.max(largest.saturating_mul(3))),
                spool_permits(transfers.anonymous_spool.max(transfers.fetch_request.saturating_mul(3))),
            ),
            inspectors: WorkerPool::new(inspectors)?,
        })
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

/// The bytes on disk that one permit of the spool stands for.
const SPOOL_UNIT: u64 = 64 << 10;

/// The number of permits for that many bytes on disk.
pub(crate) fn spool_permits(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(SPOOL_UNIT)).unwrap_or(usize::MAX)
}
