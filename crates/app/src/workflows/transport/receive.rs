//! Receiving the body of a request of Git, whole and checked, before a permit is taken and a process is started for it: how
//! slowly a client sends delays only the client.

use std::io::{self, Seek as _, Write as _};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use tempfile::{SpooledData, SpooledTempFile, spooled_tempfile_in};
use tenon_domain::limits::Limits;
use tenon_git::pkt_line::{NoLength, RequestEnd};
use tenon_git::push::PushInspector;
use tenon_git::transport::Service;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::spending::client::Client;
use crate::core::spending::permits::{Permit, Permits};
use crate::core::spending::transfer_pools::spool_permits;
use crate::core::spending::worker_pool::WorkerPool;
use crate::repository::stream::ByteStream;
use crate::repository::stream::rate::{TooSlow, TransferRate};
use crate::workflows::transport::body::{Body, ContentEncoding, Problem, Received, unreadable};
use crate::workflows::transport::gunzip::Gunzip;
use crate::workflows::transport::refusal::{DISK_FULL, GitRefusal};

/// Bytes of a body that are held in memory. A longer one is in a file that has no name.
const IN_MEMORY: usize = 64 << 10;

/// The answer to a request whose body was not received.
pub(crate) enum Unreceived {
    /// A report that Git understands.
    Report(Vec<u8>),
    /// A refusal in plain text.
    Refused(GitRefusal),
}

impl Unreceived {
    /// True if the client may still be sending the rest.
    pub(crate) const fn may_go_on(&self) -> bool {
        !matches!(self, Self::Refused(GitRefusal::Incomplete | GitRefusal::TooSlow))
    }
}

/// The end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With the body that it came in.
    OfBody,
    /// If its own format says so: the client waits for the answer then, on a connection that stays open.
    OfMessage,
}

/// Receives the body of a request to `service` from this client. After a refusal the client may still be sending the rest.
pub(crate) async fn receive(
    app: &App,
    service: Service,
    client: Client,
    encoding: ContentEncoding,
    end: End,
    input: &mut (impl Stream<Item = io::Result<Bytes>> + Unpin),
    rate: &mut TransferRate,
) -> Result<Received, Unreceived> {
    let limits = app.limits();
    let receiver = Receiver::new(service, encoding, end, limits, &app.repositories().spool);
    let mut quota =
        Quota { permits: app.transfer_pools().spool(client), client, free: limits.bodies.anonymous, held: None };
    let receiver = match service {
        Service::ReceivePack => Receiver { most_asked: app.known_settings().push_bytes, ..receiver },
        Service::UploadPack => receiver,
    };
    let body = receive_all(app.transfer_pools().inspectors(), receiver, end, input, rate, &mut quota).await?;
    Ok(Received { body, permit: quota.held })
}

async fn receive_all(
    inspectors: &WorkerPool,
    mut receiver: Receiver,
    end: End,
    input: &mut (impl Stream<Item = io::Result<Bytes>> + Unpin),
    rate: &mut TransferRate,
    quota: &mut Quota<'_>,
) -> Result<Body, Unreceived> {
    let refused = |error: AppError| Unreceived::Refused(error.into());
    while end == End::OfBody || !receiver.is_complete() {
        let chunk = match rate.client(input.next()).await {
            Ok(Some(Ok(chunk))) => chunk,
            Ok(None) => break,
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "the body of a request ended early");
                return Err(Unreceived::Refused(GitRefusal::Incomplete));
            }
            Err(TooSlow) => return Err(Unreceived::Refused(GitRefusal::TooSlow)),
        };
        rate.count(chunk.len());
        let added = inspectors.answer(quota.client, move || {
            let outcome = receiver.add(&chunk);
            Ok((receiver, outcome))
        });
        let (next, outcome) = added.await.map_err(refused)?;
        receiver = next;
        outcome.map_err(|problem| receiver.unreceived(problem))?;
        quota.cover(receiver.size).map_err(refused)?;
    }
    inspectors.answer(quota.client, move || Ok(receiver.finish())).await.map_err(refused)?
}

/// Refuses what a client asks of a fetch and cannot be read.
pub(crate) fn request_unreadable(error: NoLength) -> GitRefusal {
    GitRefusal::Malformed(unreadable(error))
}

/// Refuses what a client asks of a fetch, of which there may be so many bytes.
pub(crate) fn request_too_large(most: u64) -> GitRefusal {
    GitRefusal::TooLarge(too_large(most))
}

fn too_large(most: u64) -> String {
    format!("The request is larger than {most} bytes (limit transfers.fetch_request).")
}

/// Reads and drops what a client still sends, within limits.
pub(crate) async fn drain(app: &App, service: Service, mut input: ByteStream, rate: &mut TransferRate) {
    let most = match service {
        Service::UploadPack => app.limits().transfers.fetch_request,
        Service::ReceivePack => app.limits().push.pack,
    };
    let mut drained = 0_u64;
    while let Ok(Some(Ok(chunk))) = rate.client(input.next()).await {
        rate.count(chunk.len());
        drained = drained.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if drained > most {
            return;
        }
    }
}

/// Permits for bytes on disk. A small body needs none.
struct Quota<'a> {
    permits: &'a Permits,
    client: Client,
    free: u64,
    held: Option<Permit>,
}

impl Quota<'_> {
    /// Takes the permits that a body of this size needs.
    fn cover(&mut self, size: u64) -> Result<(), AppError> {
        let needed = spool_permits(size.saturating_sub(self.free));
        let missing = needed.saturating_sub(self.held.as_ref().map_or(0, Permit::count));
        if missing == 0 {
            return Ok(());
        }
        let more = self.permits.try_acquire(self.client, u32::try_from(missing).unwrap_or(u32::MAX))?;
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        Ok(())
    }
}

/// Decodes, checks and keeps a body. Blocks.
struct Receiver {
    gunzip: Option<Gunzip>,
    check: Check,
    spool: SpooledTempFile,
    size: u64,
    /// The most bytes that the settings allow a push.
    most_asked: Option<u64>,
}

enum Check {
    /// At most that many bytes, with the end of the message if it is looked for.
    Fetch {
        most: u64,
        end: Option<RequestEnd>,
    },
    Push(Box<PushInspector>),
}

impl Receiver {
    fn new(service: Service, encoding: ContentEncoding, end: End, limits: &Limits, folder: &std::path::Path) -> Self {
        let gunzip = match encoding {
            ContentEncoding::Identity => None,
            ContentEncoding::Gzip => Some(Gunzip::new(limits.transfers.fetch_request, limits.transfers.gzip_ratio)),
        };
        let check = match service {
            Service::UploadPack => Check::Fetch {
                most: limits.transfers.fetch_request,
                end: (end == End::OfMessage).then(RequestEnd::default),
            },
            Service::ReceivePack => Check::Push(Box::new(PushInspector::new(&limits.push))),
        };
        Self { gunzip, check, spool: spooled_tempfile_in(IN_MEMORY, folder), size: 0, most_asked: None }
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let Some(mut gunzip) = self.gunzip.take() else { return self.add_decoded(bytes) };
        let outcome = gunzip.decode(bytes, |part| self.add_decoded(part));
        self.gunzip = Some(gunzip);
        outcome
    }

    fn add_decoded(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.size = self.size.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if let Some(most) = self.most_asked.filter(|most| self.size > *most) {
            return Err(Problem::OverLimit(format!(
                "The push is larger than {most} bytes (setting receive_max_input_size)."
            )));
        }
        match &mut self.check {
            Check::Fetch { most, .. } if self.size > *most => {
                return Err(Problem::OverLimit(too_large(*most)));
            }
            Check::Fetch { end: Some(end), .. } => end.feed(bytes)?,
            Check::Fetch { end: None, .. } => {}
            Check::Push(inspector) => inspector.feed(bytes)?,
        }
        // Threads of this pool have the lowest priority, but a time slice of theirs is longer than a read takes.
        std::thread::yield_now();
        self.spool.write_all(bytes).map_err(Problem::Failed)
    }

    fn is_complete(&self) -> bool {
        match &self.check {
            Check::Fetch { end, .. } => end.as_ref().is_some_and(RequestEnd::is_flushed),
            Check::Push(inspector) => inspector.is_complete(),
        }
    }

    fn finish(mut self) -> Result<Body, Unreceived> {
        match self.check_end() {
            Ok(()) => {}
            Err(problem) => return Err(self.unreceived(problem)),
        }
        let failed = |error: io::Error| Unreceived::Refused(AppError::internal(error).into());
        match self.spool.into_inner() {
            SpooledData::InMemory(cursor) => Ok(Body::Memory(cursor.into_inner())),
            SpooledData::OnDisk(mut file) => {
                file.rewind().map_err(failed)?;
                Ok(Body::File(file))
            }
        }
    }

    fn check_end(&mut self) -> Result<(), Problem> {
        if let Some(mut gunzip) = self.gunzip.take() {
            gunzip.finish(|part| self.add_decoded(part))?;
        }
        match &self.check {
            Check::Fetch { end: Some(end), .. } if !end.is_flushed() => Err(Problem::Incomplete),
            Check::Fetch { .. } => Ok(()),
            Check::Push(inspector) => Ok(inspector.finish()?),
        }
    }

    /// The answer: a report, if the client has asked for one.
    fn unreceived(&self, problem: Problem) -> Unreceived {
        let (text, refusal): (_, fn(String) -> GitRefusal) = match problem {
            Problem::OverLimit(text) => (text, GitRefusal::TooLarge),
            Problem::Malformed(text) => (text, GitRefusal::Malformed),
            Problem::Incomplete => return Unreceived::Refused(GitRefusal::Incomplete),
            Problem::Failed(error) => match AppError::internal(error) {
                AppError::DiskFull => (DISK_FULL.to_owned(), |_text| AppError::DiskFull.into()),
                error => return Unreceived::Refused(error.into()),
            },
        };
        let report = match &self.check {
            Check::Fetch { .. } => None,
            Check::Push(inspector) => inspector.report(&text),
        };
        report.map_or_else(|| Unreceived::Refused(refusal(text)), Unreceived::Report)
    }
}
