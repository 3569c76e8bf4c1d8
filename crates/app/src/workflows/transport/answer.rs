//! A process of Git that serves a client, and what it answers.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use tenon_domain::id::UserId;
use tenon_git::RepositoryKind;
use tenon_git::transport::{Exchange, GitProtocol, Service, ServiceProcess};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::spending::client::Client;
use crate::core::spending::permits::Permit;
use crate::repository::stream::ByteStream;
use crate::repository::stream::rate::{TransferRate, enforce_least_rate};
use crate::workflows::transport::body::{Body, Received};
use crate::workflows::transport::git_access::OpenRepository;
use crate::workflows::transport::refusal::GitRefusal;

/// The most bytes that are read of Git's answer at once.
const CHUNK: usize = 64 * 1024;

/// The client whose permits count: the user, also if a password has only now proved who calls.
pub(super) fn client_of(app: &App, user: Option<UserId>) -> Client {
    user.map_or(app.client(), Client::User)
}

/// A permit to run a process for a service.
pub(super) async fn enter(app: &App, service: Service, client: Client) -> Result<Permit, GitRefusal> {
    let pools = app.transfer_pools();
    let permits = match service {
        Service::UploadPack => pools.fetches.of(client),
        Service::ReceivePack => &pools.pushes,
    };
    Ok(permits.acquire(client, app.limits().transfers.patience).await?)
}

/// The refs of a repository, in the form in which Git advertises them before one request.
pub(super) async fn refs(
    app: &App,
    open: &OpenRepository,
    service: Service,
    protocol: Option<&GitProtocol>,
) -> Result<ByteStream, GitRefusal> {
    let rate = TransferRate::new(&app.limits().transfers);
    let permit = enter(app, service, client_of(app, open.user)).await?;
    let started = open.repository.serve(service, Exchange::Advertise, protocol, open.context.as_ref());
    let mut process = started.map_err(AppError::from)?;
    process.keep(permit);
    Ok(output(service, process, rate))
}

/// Git's answer to one request that was received whole. A push goes on with it, no longer with `open`.
pub(super) async fn answer(
    app: &App,
    open: &mut OpenRepository,
    service: Service,
    protocol: Option<&GitProtocol>,
    received: Received,
    rate: TransferRate,
) -> Result<ByteStream, GitRefusal> {
    let permit = enter(app, service, client_of(app, open.user)).await?;
    if service == Service::UploadPack && received.asks_for_objects() {
        if open.kind == RepositoryKind::Code {
            app.usage().note_fetch(open.project, app.now());
        }
        app.note_download(open.user, open.project);
    }
    // A small push is unpacked before another thread has begun.
    let is_large = matches!(received.body, Body::File(_)) && service == Service::ReceivePack;
    let threads = is_large.then(|| app.transfer_pools().unpacking_threads());
    let mut context = open.context.clone();
    if let (Some(context), Some(threads)) = (&mut context, &threads) {
        context.threads = threads.count();
        if let Some(push) = &open.push {
            push.set_threads(threads.count());
        }
    }
    let (repository, context) = (&open.repository, context.as_ref());
    let mut process = match received.body {
        Body::File(file) => repository.serve_file(service, protocol, context, file),
        Body::Memory(bytes) => repository.serve(service, Exchange::Rpc, protocol, context).map(|mut process| {
            if let Some(stdin) = process.stdin.take() {
                tokio::task::spawn_local(feed(stdin, bytes));
            }
            process
        }),
    }
    .map_err(AppError::from)?;
    process.keep((permit, threads, received.permit, open.push.take()));
    Ok(output(service, process, rate.without_savings()))
}

/// Gives Git what it reads. It may answer, or end, before it has read all.
async fn feed(mut stdin: ChildStdin, bytes: Vec<u8>) {
    let _ = stdin.write_all(&bytes).await;
    let _ = stdin.shutdown().await;
}

/// Git's answer, until its end.
struct Answer {
    service: Service,
    stdout: Option<Pin<Box<dyn AsyncRead>>>,
    process: ServiceProcess,
    /// Its error stream.
    log: Option<JoinHandle<String>>,
    /// Its last output.
    last: Bytes,
}

impl Answer {
    /// Waits for the end of Git, which has printed all. Fails if it has not finished what it was asked: a fetch must
    /// not look complete then. A push ends with a report, without which its client takes it for failed.
    async fn finish(&mut self) -> io::Result<()> {
        self.stdout = None;
        // The hooks of a push run until the very end.
        let status = self.process.wait().await.map_err(io::Error::other)?;
        if status.success() {
            return Ok(());
        }
        // A child of Git may keep the pipe open for a little longer.
        let log = match self.log.take() {
            Some(log) => timeout(PATIENCE_FOR_LOG, log).await.ok().and_then(Result::ok).unwrap_or_default(),
            None => String::new(),
        };
        if ends_in_refusal(&self.last) {
            tracing::debug!(service = self.service.name(), %status, log, "a request was refused by Git");
            return Ok(());
        }
        tracing::warn!(service = self.service.name(), %status, log, "Git did not finish its answer");
        match self.service {
            Service::UploadPack => Err(io::Error::other("Git did not finish its answer")),
            Service::ReceivePack => Ok(()),
        }
    }
}

/// Time that the error stream of a process that has failed is waited for.
const PATIENCE_FOR_LOG: Duration = Duration::from_millis(100);

/// True if the last thing that Git has printed is a line with which the protocol says that it refuses, such as `0018ERR
/// not our ref 1234`: then the answer is complete.
fn ends_in_refusal(printed: &[u8]) -> bool {
    let begins = |at: usize| {
        let length = printed.get(at..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        let length = length.and_then(|digits| usize::from_str_radix(digits, 16).ok());
        printed.get(at + 4..at + 8) == Some(b"ERR ") && length == Some(printed.len() - at)
    };
    let earliest = printed.len().saturating_sub(LONGEST_REFUSAL);
    (earliest..printed.len().saturating_sub(8)).any(begins)
}

/// The longest line with which Git refuses.
const LONGEST_REFUSAL: usize = 4096;

/// The output of a process, for a client that takes it at the least rate.
pub(super) fn output(service: Service, mut process: ServiceProcess, rate: TransferRate) -> ByteStream {
    let stdout = process.stdout.take().map(|stdout| -> Pin<Box<dyn AsyncRead>> { Box::pin(stdout) });
    let log = process.stderr.take().map(|stderr| tokio::task::spawn_local(log(stderr)));
    let answer = Answer { service, stdout, process, log, last: Bytes::new() };
    let bytes = stream::unfold(answer, |mut answer| async move {
        let stdout = answer.stdout.as_mut()?;
        let mut chunk = BytesMut::with_capacity(CHUNK);
        match stdout.read_buf(&mut chunk).await {
            Ok(0) => match answer.finish().await {
                Ok(()) => None,
                Err(error) => Some((Err(error), answer)),
            },
            Ok(_) => {
                let chunk = chunk.freeze();
                answer.last = chunk.clone();
                Some((Ok(chunk), answer))
            }
            Err(error) => {
                answer.stdout = None;
                Some((Err(error), answer))
            }
        }
    });
    enforce_least_rate(bytes, rate)
}

/// Reads an error stream to its end, and returns the beginning of it.
async fn log(mut stderr: impl AsyncRead + Unpin) -> String {
    let mut text = Vec::new();
    let _ = (&mut stderr).take(4096).read_to_end(&mut text).await;
    let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    let text = String::from_utf8_lossy(&text).into_owned();
    if !text.is_empty() {
        tracing::debug!(stderr = %text, "git");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_the_protocol_is_a_complete_answer() {
        for (printed, is_refusal) in [
            (&b"0010ERR not ours"[..], true),
            (b"0008NAK\n0010ERR not ours", true),
            (b"", false),
            (b"ERR ", false),
            (b"0011ERR not ours", false),
            (b"0010ERR not ours0000", false),
            (b"zzzzERR not ours", false),
        ] {
            assert_eq!(ends_in_refusal(printed), is_refusal, "{}", String::from_utf8_lossy(printed));
        }
    }
}
