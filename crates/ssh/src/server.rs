//! Accepting connections within their limits.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use russh::server::Config;
use russh::{MethodKind, MethodSet, SshId};
use tenon_app::{App, Client, Connections, Limits, Network};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{sleep, timeout};

use crate::connection;
use crate::host_key::HostKey;

/// The time that running commands have to end when the server stops. Requests over HTTP have the same.
const GRACE: Duration = Duration::from_secs(30);
/// The time after which connections are accepted again if the system has no room for another one.
const NO_ROOM: Duration = Duration::from_millis(100);
/// The time before an answer that refuses a key.
const REFUSAL: Duration = Duration::from_millis(100);
/// The number of parts of a client's input, of 32 KiB at most, that wait for the command of a channel.
const BUFFERED: usize = 16;
/// The bytes that a client may send on a channel before some of them are taken.
const WINDOW: u32 = 1 << 20;

/// Serves connections on a socket that is already bound until `stopped` holds true. The running commands then have half a
/// minute to end. Blocks. Fails if the system does not let it serve at all.
pub fn run(app: &App, listener: TcpListener, key: &HostKey, stopped: watch::Receiver<bool>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let config = Arc::new(config(app.limits(), key));
    LocalSet::new().block_on(&runtime, accept(app, listener, config, stopped))
}

fn config(limits: &Limits, key: &HostKey) -> Config {
    Config {
        server_id: SshId::Standard("SSH-2.0-Tenon".into()),
        methods: MethodSet::from([MethodKind::PublicKey].as_slice()),
        keys: vec![key.private()],
        auth_rejection_time: REFUSAL,
        // Clients ask first which methods there are.
        auth_rejection_time_initial: Some(Duration::ZERO),
        // That question counts as an attempt.
        max_auth_attempts: limits.ssh.keys.saturating_add(1),
        channel_buffer_size: BUFFERED,
        window_size: WINDOW,
        // A connection has its own times: until a user has signed in, and without a command.
        inactivity_timeout: None,
        keepalive_interval: Some(limits.transfers.rate_window),
        nodelay: true,
        ..Config::default()
    }
}

async fn accept(
    app: &App,
    listener: TcpListener,
    config: Arc<Config>,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let limits = &app.limits().ssh;
    let connections = Connections::new(limits.connections, limits.connections_per_network);
    let mut open = JoinSet::new();
    let stop = stopped.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => {
                    let network = Network::of(Some(address.ip()));
                    let app = app.used_by(Client::Network(network)).with_origin(Some(address.ip()));
                    let Some(place) = admitted(&app, &connections, network) else { continue };
                    let (config, stop) = (Arc::clone(&config), stop.clone());
                    open.spawn_local(connection::serve(app, place, stream, config, stop));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection over SSH could not be accepted");
                    sleep(NO_ROOM).await;
                }
            },
            Some(_) = open.join_next() => {}
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    drop(listener);
    let _ = timeout(GRACE, async { while open.join_next().await.is_some() {} }).await;
    Ok(())
}

/// Counts a connection that was accepted. `None` if its network has begun too many over time, or if users have all places.
fn admitted(app: &App, connections: &Connections, network: Network) -> Option<connection::Seat> {
    app.count_ssh_connection().ok()?;
    let gives_way = Arc::new(Notify::new());
    let ending = Arc::clone(&gives_way);
    let accepted = connections.open(Some(network), move || ending.notify_one())?;
    Some(connection::Seat { network, counted: accepted.connection, gives_way })
}
