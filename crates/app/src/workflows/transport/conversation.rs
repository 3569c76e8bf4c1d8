//! The commands of Git over SSH: a whole conversation over one channel.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use tenon_domain::limits::Limits;
use tenon_git::pkt_line::{RequestEnd, asks_for_objects};
use tenon_git::transport::{Exchange, GitProtocol, Service};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::time::{Instant, timeout, timeout_at};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::stream::ByteStream;
use crate::repository::stream::rate::TransferRate;
use crate::workflows::transport::answer::{answer, client_of, enter, output, refs};
use crate::workflows::transport::body::ContentEncoding;
use crate::workflows::transport::git_access::{GitCaller, OpenRepository};
use crate::workflows::transport::give::{cut, give};
use crate::workflows::transport::receive::{End, Unreceived, drain, receive, request_too_large, request_unreadable};
use crate::workflows::transport::refusal::{GitRefusal, TOO_MANY_OPERATIONS};
use crate::workflows::transport::remote_archive::send_archive;
use crate::workflows::transport::ssh_access::SshCaller;

/// The services that clients of Git ask for over SSH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SshService {
    /// To fetch or to push.
    Transfer(Service),
    /// An archive, with `git archive --remote`.
    UploadArchive,
}

impl SshService {
    const ARCHIVE: &str = "git-upload-archive";

    /// Reads `git-upload-pack`, `git-receive-pack` or `git-upload-archive`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == Self::ARCHIVE { Some(Self::UploadArchive) } else { Service::parse(text).map(Self::Transfer) }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transfer(service) => service.name(),
            Self::UploadArchive => Self::ARCHIVE,
        }
    }

    /// The permission that a caller needs: those who may fetch may have archives.
    const fn access(self) -> Service {
        match self {
            Self::Transfer(service) => service,
            Self::UploadArchive => Service::UploadPack,
        }
    }
}

/// The command of a client of Git over SSH.
#[derive(Debug, Clone)]
pub struct GitCommand {
    /// The service to be run.
    pub service: SshService,
    /// The full path of the project, without `.git`.
    pub path: String,
    /// The variable `GIT_PROTOCOL` of the client.
    pub protocol: Option<String>,
    /// Who asks.
    pub caller: SshCaller,
}

/// Talks to a client until both sides are done: `input` is what it sends, `client` what it gets. Fails with what the client
/// is to read beside that. The process of Git ends when the returned future is dropped.
pub async fn converse(
    app: &App,
    command: GitCommand,
    input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let protocol = command.protocol.as_deref().and_then(GitProtocol::parse);
    let caller = GitCaller::Ssh(command.caller);
    let mut open = app.open_repository(command.path, command.service.access(), caller).await?;
    if open.user.is_some_and(|user| !app.admit_operation(user, open.project)) {
        return Err(GitRefusal::Forbidden(TOO_MANY_OPERATIONS));
    }
    match command.service {
        SshService::Transfer(Service::UploadPack) => fetch(app, &mut open, protocol.as_ref(), input, client).await,
        SshService::Transfer(Service::ReceivePack) => push(app, &mut open, protocol.as_ref(), input, client).await,
        SshService::UploadArchive => {
            let sent = timeout(app.limits().transfers.whole, send_archive(app, open, input, client)).await;
            sent.map_err(|_elapsed| GitRefusal::TooSlow)?
        }
    }
}

async fn fetch(
    app: &App,
    open: &mut OpenRepository,
    protocol: Option<&GitProtocol>,
    input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let whole = app.limits().transfers.whole;
    let fetched = async {
        if protocol.is_some_and(GitProtocol::is_version_2) {
            fetch_by_requests(app, open, protocol, input, client).await
        } else {
            fetch_by_dialogue(app, open, protocol, input, client).await
        }
    };
    timeout(whole, fetched).await.map_err(|_elapsed| GitRefusal::TooSlow)?
}

/// Version 2 of the protocol: each request says everything, so that it is received and answered as over HTTP. Nothing is held
/// while the client decides what to ask next.
async fn fetch_by_requests(
    app: &App,
    open: &mut OpenRepository,
    protocol: Option<&GitProtocol>,
    mut input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let (service, limits) = (Service::UploadPack, app.limits());
    let patience = limits.transfers.rate_window;
    send(refs(app, open, service, protocol).await?, client, patience).await?;
    loop {
        let Some(first) = first_part(&mut input, limits.ssh.before_request).await? else { return Ok(()) };
        let mut request = stream::iter([first]).chain(&mut input);
        let mut rate = TransferRate::new(&limits.transfers);
        let fetcher = client_of(app, open.user);
        let (encoding, end) = (ContentEncoding::Identity, End::OfMessage);
        let received = match receive(app, service, fetcher, encoding, end, &mut request, &mut rate).await {
            Ok(received) => received,
            Err(Unreceived::Refused(refusal)) => return Err(refusal),
            Err(Unreceived::Report(report)) => return give(client, &report, patience).await,
        };
        if received.is_nothing() {
            return Ok(());
        }
        send(answer(app, open, service, protocol, received, rate).await?, client, patience).await?;
    }
}

/// The older versions: one process of Git, with its permit, has the whole conversation. The client has to have asked for
/// everything soon, and then only reads.
async fn fetch_by_dialogue(
    app: &App,
    open: &mut OpenRepository,
    protocol: Option<&GitProtocol>,
    input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let limits = app.limits();
    let service = Service::UploadPack;
    let mut input = counted(app, open, input);
    let permit = enter(app, service, client_of(app, open.user)).await?;
    let started = open.repository.serve(service, Exchange::Dialogue, protocol, None);
    let mut process = started.map_err(AppError::from)?;
    process.keep(permit);
    let stdin = process.stdin.take();
    let mut answer = output(service, process, TransferRate::new(&limits.transfers));
    let answered = Cell::new(Instant::now());
    let answering = async {
        while let Some(part) = answer.next().await {
            give(client, &part.map_err(cut)?, limits.transfers.rate_window).await?;
            answered.set(Instant::now());
        }
        Ok(())
    };
    tokio::select! {
        outcome = answering => outcome,
        refusal = pass_on(&mut input, stdin, &answered, limits) => Err(refusal),
    }
}

/// The same input, whose first part counts as a fetch if it asks for objects.
fn counted(app: &App, open: &OpenRepository, input: ByteStream) -> ByteStream {
    let (app, project, user, mut is_first) = (app.clone(), open.project, open.user, true);
    input
        .inspect(move |part| {
            let asks = part.as_ref().is_ok_and(|part| asks_for_objects(part));
            if std::mem::take(&mut is_first) && asks {
                app.usage().note_fetch(project, app.now());
                app.note_download(user, project);
            }
        })
        .boxed_local()
}

/// Gives Git what the client sends. Returns only if that is refused: what Git answers says when all is done. The client
/// may be silent until it has all refs, the last of which it took at the time `answered`; then it has to ask for
/// everything in time.
async fn pass_on(
    input: &mut ByteStream,
    stdin: Option<ChildStdin>,
    answered: &Cell<Instant>,
    limits: &Limits,
) -> GitRefusal {
    let Some(mut stdin) = stdin else { return std::future::pending().await };
    let (patience, most) = (limits.ssh.before_request, limits.transfers.fetch_request);
    let (mut began, mut size, mut requests) = (None, 0_u64, RequestEnd::default());
    loop {
        let end = began.unwrap_or_else(|| answered.get()) + patience;
        let next = if requests.is_done() { Ok(input.next().await) } else { timeout_at(end, input.next()).await };
        let part = match next {
            Ok(Some(Ok(part))) => part,
            Ok(Some(Err(_)) | None) => break,
            Err(_elapsed) if began.is_none() && answered.get() + patience > end => continue,
            Err(_elapsed) => return GitRefusal::TooSlow,
        };
        began.get_or_insert_with(Instant::now);
        size = size.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
        if size > most {
            return request_too_large(most);
        }
        if let Err(error) = requests.feed(&part) {
            return request_unreadable(error);
        }
        if stdin.write_all(&part).await.is_err() {
            break;
        }
    }
    drop(stdin);
    std::future::pending().await
}

/// The beginning of what a client sends next, for which it has so long; `None` if it sends nothing more. The server
/// holds nothing for it until then.
async fn first_part(input: &mut ByteStream, patience: Duration) -> Result<Option<io::Result<Bytes>>, GitRefusal> {
    timeout(patience, input.next()).await.map_err(|_elapsed| GitRefusal::TooSlow)
}

/// The refs, then one request and its answer, as over HTTP: the push is received whole and checked before a process of Git
/// starts for it.
async fn push(
    app: &App,
    open: &mut OpenRepository,
    protocol: Option<&GitProtocol>,
    mut input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let (service, limits) = (Service::ReceivePack, app.limits());
    let patience = limits.transfers.rate_window;
    send(refs(app, open, service, protocol).await?, client, patience).await?;
    // In this time the client runs its own hook, which may be its tests.
    let Some(first) = first_part(&mut input, limits.ssh.before_push).await? else { return Ok(()) };
    let mut input = stream::iter([first]).chain(input).boxed_local();
    let mut rate = TransferRate::new(&limits.transfers).saving(limits.transfers.push_pause);
    let pusher = client_of(app, open.user);
    let (encoding, end) = (ContentEncoding::Identity, End::OfMessage);
    match receive(app, service, pusher, encoding, end, &mut input, &mut rate).await {
        // Everything is up to date.
        Ok(received) if received.is_nothing() => Ok(()),
        Ok(received) => send(answer(app, open, service, protocol, received, rate).await?, client, patience).await,
        Err(Unreceived::Report(report)) => {
            give(client, &report, patience).await?;
            // The client ends the conversation when it has sent everything and read this.
            drain(app, service, input, &mut rate).await;
            Ok(())
        }
        Err(Unreceived::Refused(refusal)) => Err(refusal),
    }
}

async fn send(
    mut answer: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
    patience: Duration,
) -> Result<(), GitRefusal> {
    while let Some(part) = answer.next().await {
        give(client, &part.map_err(cut)?, patience).await?;
    }
    Ok(())
}
