//! One connection: the time to sign in, the commands that run on it, and its end.

use std::collections::HashMap;
use std::net::Shutdown;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;
use russh::server::{Config, run_stream};
use russh::{ChannelId, ChannelMsg, ChannelReadHalf};
use tenon_app::error::AppError;
use tenon_app::lfs::authenticate;
use tenon_app::transport::{GitCommand, GitRefusal, converse};
use tenon_app::{App, Connection, Network};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::command::Request;
use crate::peer::{Event, Peer, Task};

/// The exit status of a command that was refused.
const REFUSED: u32 = 1;

/// The place of a connection among all of them.
pub(crate) struct Seat {
    /// The network of its client.
    pub(crate) network: Network,
    /// Its place in the count of connections.
    pub(crate) counted: Connection,
    /// Notified when another connection gets its place.
    pub(crate) gives_way: Arc<Notify>,
}

/// Serves a connection to its end. Its running commands then end with it, and so do their processes of Git. Before a user is
/// proved on it, it also ends if another stranger gets its place.
pub(crate) async fn serve(
    app: App,
    seat: Seat,
    stream: TcpStream,
    config: Arc<Config>,
    stopped: watch::Receiver<bool>,
) {
    let Ok((stream, socket)) = stream.into_std().and_then(|stream| {
        let socket = stream.try_clone()?;
        Ok((TcpStream::from_std(stream)?, socket))
    }) else {
        return;
    };
    tokio::select! {
        served = serve_on(&app, &seat, stream, config, stopped) => if let Err(error) = served {
            tracing::debug!(%error, "a connection over SSH has failed");
        },
        () = seat.gives_way.notified() => tracing::debug!("a connection over SSH has given way to another one"),
    }
    // The task that reads and writes holds the other handle. It ends when there is nothing more to read.
    if let Err(error) = socket.shutdown(Shutdown::Both) {
        tracing::trace!(%error, "a connection over SSH was closed by its client");
    }
}

async fn serve_on(
    app: &App,
    seat: &Seat,
    stream: TcpStream,
    config: Arc<Config>,
    mut stopped: watch::Receiver<bool>,
) -> Result<(), russh::Error> {
    let limits = &app.limits().ssh;
    let login = Instant::now() + limits.login;
    let (sender, mut events) = mpsc::unbounded_channel();
    let peer = Peer::new(app.clone(), seat.network, sender);
    let Ok(session) = timeout_at(login, run_stream(config, stream, peer)).await else { return Ok(()) };
    let mut session = pin!(session?);
    let mut running = Running::default();
    let mut end = login;
    let mut is_stopping = false;
    loop {
        tokio::select! {
            outcome = &mut session => return outcome,
            event = events.recv() => match event {
                Some(Event::SignedIn(client)) => {
                    // If there is no place among those of users, it keeps the one among strangers.
                    let _is_counted = seat.counted.prove(client);
                    end = Instant::now() + limits.idle;
                }
                Some(Event::Asked(task)) => running.start(app, *task),
                Some(Event::Closed(channel)) => running.abort(channel),
                None => return Ok(()),
            },
            Some(ended) = running.tasks.join_next() => {
                if ended.is_err_and(|error| error.is_panic()) {
                    // Its channel is still open, and its client would wait.
                    return Ok(());
                }
                end = Instant::now() + limits.idle;
            }
            () = sleep_until(end), if running.tasks.is_empty() => return Ok(()),
            _ = stopped.wait_for(|stopped| *stopped), if !is_stopping => is_stopping = true,
        }
        if is_stopping && running.tasks.is_empty() {
            return Ok(());
        }
    }
}

/// The commands of a connection. They end when this is dropped.
#[derive(Default)]
struct Running {
    tasks: JoinSet<()>,
    by_channel: HashMap<ChannelId, AbortHandle>,
}

impl Running {
    fn start(&mut self, app: &App, task: Task) {
        let (app, channel) = (app.used_by(task.caller.client()), task.channel.id());
        self.by_channel.retain(|_, task| !task.is_finished());
        self.by_channel.insert(channel, self.tasks.spawn_local(run(app, task)));
    }

    fn abort(&mut self, channel: ChannelId) {
        if let Some(task) = self.by_channel.remove(&channel) {
            task.abort();
        }
    }
}

/// Does the work of a channel, and closes the channel with the exit status of a program.
async fn run(app: App, task: Task) {
    let (began, name) = (Instant::now(), task.request.name());
    let (reader, writer) = task.channel.split();
    let mut output = writer.make_writer();
    let patience = app.limits().transfers.rate_window;
    let outcome = match task.request {
        Request::Greeting => match app.greet(task.caller).await {
            Ok(greeting) => {
                let line = format!("{greeting}\n");
                let _ = timeout(patience, output.write_all(line.as_bytes())).await;
                Ok(())
            }
            Err(refusal) => Err(refusal),
        },
        Request::Git { service, path } => {
            let command = GitCommand { service, path, protocol: task.protocol, caller: task.caller };
            converse(&app, command, input(reader).fuse().boxed_local(), &mut output).await
        }
        Request::Lfs { operation, path } => match authenticate(&app, task.caller, path, operation).await {
            Ok(grant) => {
                let line = format!("{}\n", grant.to_json());
                let _ = timeout(patience, output.write_all(line.as_bytes())).await;
                Ok(())
            }
            Err(refusal) => Err(refusal),
        },
        Request::Unknown => Err(GitRefusal::Forbidden("Disallowed command")),
    };
    let status = if outcome.is_ok() { 0 } else { REFUSED };
    // Never with the path: logs have more readers than projects.
    let milliseconds = began.elapsed().as_millis();
    tracing::info!(command = name, status, milliseconds, "a command over SSH");
    // The client may have gone, or take nothing. Its connection then ends without a command.
    let _ = timeout(patience, async {
        if let Err(refusal) = &outcome {
            let text = format!("Tenon: {}\n", said(refusal));
            let _ = writer.make_writer_ext(Some(STDERR)).write_all(text.as_bytes()).await;
        }
        let _ = writer.exit_status(status).await;
        let _ = writer.eof().await;
        let _ = writer.close().await;
    })
    .await;
}

/// The number of the stream of errors.
const STDERR: u32 = 1;

/// The bytes that a client sends on a channel, to their end.
fn input(reader: ChannelReadHalf) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> {
    stream::unfold(reader, |mut reader| async move {
        loop {
            match reader.wait().await? {
                ChannelMsg::Data { data } => return Some((Ok(data), reader)),
                ChannelMsg::Eof | ChannelMsg::Close => return None,
                _ => {}
            }
        }
    })
}

/// The text of a refusal for the user's terminal.
fn said(refusal: &GitRefusal) -> String {
    match refusal {
        GitRefusal::Failed(AppError::Busy { .. } | AppError::TookTooLong { .. } | AppError::Throttled { .. }) => {
            "The server is busy. Please try again later.".to_owned()
        }
        GitRefusal::Failed(AppError::DiskFull) => tenon_app::transport::DISK_FULL.to_owned(),
        GitRefusal::Failed(error) => {
            let error: &dyn std::error::Error = error;
            tracing::error!(error, "Git was not served");
            "The server has failed. Please try again later.".to_owned()
        }
        other => other.to_string(),
    }
}
