//! Fetching and pushing over HTTP: bytes in, bytes out, and a process of Git between them (reference:
//! repository-git-webhooks, section 2; git-engine, section 4.3).

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt as _};
use tenon_domain::id::UserId;
use tenon_git::transport::{Exchange, GitProtocol, Service, ServiceProcess};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::access::{GitCredential, GitRefusal};
use super::pushes::Running;
use super::turns::{Client, Turn, Turns};
use crate::app::App;
use crate::error::AppError;

/// What a client of Git asks.
#[derive(Clone)]
pub struct GitRequest {
    /// The full path of the project, without `.git`.
    pub path: String,
    /// `git-upload-pack` or `git-receive-pack`.
    pub service: String,
    /// The header `Git-Protocol`.
    pub protocol: Option<String>,
    /// What Basic authentication brought.
    pub credential: Option<GitCredential>,
    /// Where it comes from, behind any trusted proxy.
    pub peer: Option<IpAddr>,
}

/// Bytes that come as they are made.
pub type ByteStream = Pin<Box<dyn Stream<Item = io::Result<Bytes>>>>;

/// How many clients may fetch and push at once. The rest waits a little, and is then asked to come again.
#[derive(Debug)]
pub(crate) struct Exchanges {
    fetches: Turns,
    pushes: Turns,
    downloads: Arc<Semaphore>,
}

impl Default for Exchanges {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            fetches: Turns::new(2 * cores),
            pushes: Turns::new(cores.max(2)),
            downloads: Arc::new(Semaphore::new(4 * cores)),
        }
    }
}

/// How long a client waits for a download.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a client may say nothing in the middle of a request, and take nothing of an answer.
const SILENCE: Duration = Duration::from_mins(2);
/// The most bytes of a request to fetch: it only says what is there and what is wanted.
const MAX_FETCH_REQUEST: usize = 10 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// The refs of a repository, as a client is told before it fetches or pushes.
pub async fn advertise(app: &App, request: GitRequest) -> Result<ByteStream, GitRefusal> {
    let service = service_of(&request)?;
    let protocol = request.protocol.as_deref().and_then(GitProtocol::parse);
    let open = app.open_repository(request.path, service, request.credential).await?;
    let turn = enter(app, service, open.user, request.peer).await?;
    let process = open
        .repository
        .serve(service, Exchange::Advertise, protocol.as_ref(), open.context.as_ref())
        .map_err(AppError::from)?;
    let is_version_2 = service == Service::UploadPack && protocol.is_some_and(|protocol| protocol.is_version_2());
    // Only older protocols have the line with the service's name in front.
    let line = format!("# service={}\n", service.name());
    let greeting = if is_version_2 { String::new() } else { format!("{:04x}{line}0000", line.len() + 4) };
    let body = output(process, turn, open.push);
    Ok(stream::iter([Ok(Bytes::from(greeting))]).chain(body).boxed_local())
}

/// One request of a client, and the answer of Git.
pub async fn exchange(app: &App, request: GitRequest, input: ByteStream) -> Result<ByteStream, GitRefusal> {
    let service = service_of(&request)?;
    let protocol = request.protocol.as_deref().and_then(GitProtocol::parse);
    let open = app.open_repository(request.path, service, request.credential).await?;
    let turn = enter(app, service, open.user, request.peer).await?;
    let mut process = open
        .repository
        .serve(service, Exchange::Rpc, protocol.as_ref(), open.context.as_ref())
        .map_err(AppError::from)?;
    let most = match service {
        Service::UploadPack => MAX_FETCH_REQUEST,
        // The engine counts the bytes of packs itself.
        Service::ReceivePack => usize::MAX,
    };
    if let Some(stdin) = process.stdin.take() {
        tokio::task::spawn_local(feed(stdin, input, most));
    }
    Ok(output(process, turn, open.push))
}

fn service_of(request: &GitRequest) -> Result<Service, GitRefusal> {
    Service::parse(&request.service)
        .ok_or(GitRefusal::Forbidden("The command you're trying to execute is not allowed."))
}

async fn enter(app: &App, service: Service, user: Option<UserId>, peer: Option<IpAddr>) -> Result<Turn, GitRefusal> {
    let exchanges = app.exchanges();
    let turns = match service {
        Service::UploadPack => &exchanges.fetches,
        Service::ReceivePack => &exchanges.pushes,
    };
    let client = user.map(Client::User).or(peer.map(Client::Address)).unwrap_or(Client::Unknown);
    Ok(turns.take(client).await?)
}

/// A turn for something large that Git makes while it is read, such as an archive.
pub(crate) async fn download(app: &App) -> Result<OwnedSemaphorePermit, AppError> {
    match timeout(PATIENCE, Arc::clone(&app.exchanges().downloads).acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => Err(AppError::Busy { retry_after: 10 }),
    }
}

/// Chunks that are read before the client takes them.
const AHEAD: usize = 2;

/// Bytes for a client. They are let go of, with the process behind them and the turn that it has taken, when the client takes
/// nothing for long; whoever still reads then sees an error, and not an end.
pub(super) fn patient(bytes: impl Stream<Item = io::Result<Bytes>> + 'static) -> ByteStream {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::task::spawn_local(async move {
        let mut bytes = std::pin::pin!(bytes);
        loop {
            // `None` says that this is the end.
            let part = bytes.next().await;
            let is_end = part.is_none();
            if !matches!(timeout(SILENCE, sender.send(part)).await, Ok(Ok(()))) || is_end {
                break;
            }
        }
    });
    stream::unfold(Some(receiver), |receiver| async {
        let mut receiver = receiver?;
        match receiver.recv().await {
            Some(Some(part)) => Some((part, Some(receiver))),
            Some(None) => None,
            None => Some((Err(io::ErrorKind::TimedOut.into()), None)),
        }
    })
    .boxed_local()
}

/// Hands a request's body to Git. When the client goes, falls silent or says too much, Git sees the end of its input, and
/// gives up by itself.
async fn feed(mut stdin: impl tokio::io::AsyncWrite + Unpin, mut input: ByteStream, most: usize) {
    let mut taken = 0_usize;
    while let Ok(Some(Ok(chunk))) = timeout(SILENCE, input.next()).await {
        taken = taken.saturating_add(chunk.len());
        if taken > most || stdin.write_all(&chunk).await.is_err() {
            break;
        }
    }
    let _ = stdin.shutdown().await;
}

/// What Git answers. What it needs is kept until the answer has been read, or nobody wants it any more.
struct Answer {
    stdout: Option<Pin<Box<dyn AsyncRead>>>,
    process: ServiceProcess,
    _turn: Turn,
    push: Option<Running>,
}

fn output(mut process: ServiceProcess, turn: Turn, push: Option<Running>) -> ByteStream {
    let stdout = process.stdout.take().map(|stdout| -> Pin<Box<dyn AsyncRead>> { Box::pin(stdout) });
    if let Some(stderr) = process.stderr.take() {
        tokio::task::spawn_local(log(stderr));
    }
    let answer = Answer { stdout, process, _turn: turn, push };
    patient(stream::unfold(answer, |mut answer| async move {
        let stdout = answer.stdout.as_mut()?;
        let mut chunk = BytesMut::with_capacity(CHUNK);
        match stdout.read_buf(&mut chunk).await {
            Ok(0) => {
                // The hooks of a push run until the very end.
                let _ = answer.process.wait().await;
                drop(answer.push.take());
                None
            }
            Ok(_) => Some((Ok(chunk.freeze()), answer)),
            Err(error) => {
                answer.stdout = None;
                Some((Err(error), answer))
            }
        }
    }))
}

async fn log(mut stderr: impl AsyncRead + Unpin) {
    let mut text = Vec::new();
    let _ = (&mut stderr).take(4096).read_to_end(&mut text).await;
    let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    if !text.is_empty() {
        tracing::debug!(stderr = %String::from_utf8_lossy(&text), "git");
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use tokio::task::LocalSet;

    use super::*;

    /// Chunks without end, which hold something until they are let go of.
    fn endless(held: Rc<()>) -> impl Stream<Item = io::Result<Bytes>> {
        stream::unfold(held, |held| async { Some((Ok(Bytes::from_static(b"x")), held)) })
    }

    /// Lets the clock of the test go on, and everybody do what is due.
    async fn pass(time: Duration) {
        tokio::time::advance(time).await;
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_takes_is_let_go_of_and_ends_in_an_error() {
        let all = async {
            let held = Rc::new(());
            let mut answer = patient(endless(Rc::clone(&held)));
            assert!(answer.next().await.is_some_and(|part| part.is_ok()));
            pass(SILENCE / 2).await;
            assert!(answer.next().await.is_some_and(|part| part.is_ok()), "slow is not gone");
            pass(Duration::ZERO).await;
            assert_eq!(Rc::strong_count(&held), 2);
            pass(SILENCE * 2).await;
            assert_eq!(Rc::strong_count(&held), 1);
            let rest: Vec<_> = answer.collect().await;
            assert!(rest.last().is_some_and(Result::is_err), "{rest:?}");
        };
        LocalSet::new().run_until(all).await;
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_taken_ends_as_it_ends() {
        let all = async {
            let parts = stream::iter([Ok(Bytes::from_static(b"a")), Ok(Bytes::from_static(b"b"))]);
            let taken: Vec<_> = patient(parts).collect().await;
            assert!(taken.len() == 2 && taken.iter().all(Result::is_ok), "{taken:?}");
        };
        LocalSet::new().run_until(all).await;
    }
}
