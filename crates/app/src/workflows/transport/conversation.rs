//! Fetching and pushing over SSH: a whole conversation over one channel.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use tenon_git::transport::{Exchange, GitProtocol, Service};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::time::{Instant, sleep_until, timeout};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::stream::ByteStream;
use crate::repository::stream::rate::TransferRate;
use crate::workflows::transport::answer::{answer, client_of, enter, output, refs};
use crate::workflows::transport::exchange::ContentEncoding;
use crate::workflows::transport::git_access::{GitCaller, GitRefusal, OpenRepository};
use crate::workflows::transport::receive::{Body, End, Unreceived, drain, receive};
use crate::workflows::transport::ssh_access::SshCaller;

/// What a client of Git asks over SSH.
#[derive(Debug, Clone)]
pub struct GitCommand {
    /// To fetch or to push.
    pub service: Service,
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
    let open = app.open_repository(command.path, command.service, GitCaller::Ssh(command.caller)).await?;
    match command.service {
        Service::UploadPack => fetch(app, &open, protocol.as_ref(), input, client).await,
        Service::ReceivePack => push(app, open, protocol.as_ref(), input, client).await,
    }
}

/// One process of Git has the whole conversation: how often the two take turns is theirs to decide.
async fn fetch(
    app: &App,
    open: &OpenRepository,
    protocol: Option<&GitProtocol>,
    mut input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let limits = app.limits();
    let service = Service::UploadPack;
    let permit = enter(app, service, client_of(app, open.user)).await?;
    let started = open.repository.serve(service, Exchange::Dialogue, protocol, None);
    let mut process = started.map_err(AppError::from)?;
    process.keep(permit);
    let stdin = process.stdin.take();
    let mut answer = output(service, process, TransferRate::new(&limits.transfers));
    let turn = Turn { most: limits.transfers.fetch_request, asked: Cell::new(0), answered: Cell::new(Instant::now()) };
    let answered = async {
        while let Some(part) = answer.next().await {
            give(client, &part.map_err(cut)?, limits.transfers.rate_window).await?;
            turn.answer();
        }
        Ok(())
    };
    let quiet = async {
        loop {
            let end = turn.answered.get() + limits.ssh.quiet;
            if Instant::now() >= end {
                return;
            }
            sleep_until(end).await;
        }
    };
    tokio::select! {
        outcome = answered => outcome,
        refusal = pass_on(&mut input, stdin, &turn) => Err(refusal),
        () = quiet => Err(GitRefusal::TooSlow),
    }
}

/// How far a conversation is since Git has said something last.
struct Turn {
    /// The most bytes that a client may send before it is answered.
    most: u64,
    asked: Cell<u64>,
    /// When Git has said something last. What the client sends does not count: it could send a byte now and then.
    answered: Cell<Instant>,
}

impl Turn {
    fn answer(&self) {
        self.asked.set(0);
        self.answered.set(Instant::now());
    }

    /// Counts bytes that the client has sent. Fails where one request is longer than it may be.
    fn ask(&self, bytes: usize) -> Result<(), GitRefusal> {
        self.asked.set(self.asked.get().saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)));
        if self.asked.get() > self.most {
            let text = format!("The request is larger than {} bytes (limit transfers.fetch_request).", self.most);
            return Err(GitRefusal::TooLarge(text));
        }
        Ok(())
    }
}

/// Gives Git what the client sends. Returns only where that is refused: what Git answers says when all is done.
async fn pass_on(input: &mut ByteStream, stdin: Option<ChildStdin>, turn: &Turn) -> GitRefusal {
    if let Some(mut stdin) = stdin {
        while let Some(Ok(part)) = input.next().await {
            if let Err(refusal) = turn.ask(part.len()) {
                return refusal;
            }
            if stdin.write_all(&part).await.is_err() {
                break;
            }
        }
    }
    std::future::pending().await
}

/// The refs, then one request and its answer, as over HTTP: the push is received whole and checked before a process of Git
/// starts for it.
async fn push(
    app: &App,
    open: OpenRepository,
    protocol: Option<&GitProtocol>,
    mut input: ByteStream,
    client: &mut (impl AsyncWrite + Unpin),
) -> Result<(), GitRefusal> {
    let (service, limits) = (Service::ReceivePack, app.limits());
    let patience = limits.transfers.rate_window;
    send(refs(app, &open, service, protocol).await?, client, patience).await?;
    // Nothing is held while the client runs its own hook, which may be its tests.
    let first = timeout(limits.ssh.before_push, input.next()).await.map_err(|_elapsed| GitRefusal::TooSlow)?;
    let Some(first) = first else { return Ok(()) };
    let mut input = stream::iter([first]).chain(input).boxed_local();
    let mut rate = TransferRate::new(&limits.transfers).saving(limits.transfers.push_pause);
    let pusher = client_of(app, open.user);
    let (encoding, end) = (ContentEncoding::Identity, End::OfPush);
    match receive(app, service, pusher, encoding, end, &mut input, &mut rate).await {
        // Everything is up to date.
        Ok(received) if matches!(&received.body, Body::Memory(bytes) if bytes == NOTHING) => Ok(()),
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

/// A list of refs to move in which there is none.
const NOTHING: &[u8] = b"0000";

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

/// Gives a client bytes, in parts for each of which it is waited so long. Where it takes an answer of Git at less than the
/// least rate, that answer ends by itself, but a client that takes nothing at all would be waited for.
async fn give(client: &mut (impl AsyncWrite + Unpin), bytes: &[u8], patience: Duration) -> Result<(), GitRefusal> {
    for part in bytes.chunks(PART) {
        let given = timeout(patience, client.write_all(part)).await;
        given.map_err(|_elapsed| GitRefusal::TooSlow)?.map_err(cut)?;
    }
    Ok(())
}

/// The most bytes that are given at once.
const PART: usize = 16 << 10;

fn cut(error: io::Error) -> GitRefusal {
    tracing::debug!(%error, "a transfer over SSH was cut off");
    GitRefusal::CutOff
}
