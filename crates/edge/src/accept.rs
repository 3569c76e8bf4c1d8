//! Accepting connections within their limits.

use std::net::IpAddr;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use rustix::net::{Shutdown, shutdown};
use tenon_app::{Accepted, Network};

use crate::state::Edge;

/// Counts a connection that was accepted, for as long as it is open. If strangers have all places that they may have,
/// the oldest connection of the network with most of them ends. If users have all the others too, the new connection
/// ends at once.
pub(crate) fn admit(edge: &Edge, connection: &dyn std::any::Any, data: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<TcpStream>() else { return };
    let peer = stream.peer_addr().ok().map(|address| address.ip());
    let is_proxy = peer.is_some_and(|address: IpAddr| edge.proxies().trusts(address.to_canonical()));
    let network = (!is_proxy).then(|| Network::of(peer));
    if let Some(Accepted { connection, has_displaced }) = edge.connections().open(network, ending(stream)) {
        if has_displaced {
            edge.metrics().count_refused_connection();
        }
        data.insert(Arc::new(connection));
        end_when_not_read(stream);
        return;
    }
    edge.metrics().count_refused_connection();
    // The worker reads the end of the stream and closes it.
    if let Err(error) = shutdown(stream, Shutdown::Both) {
        tracing::debug!(%error, "a connection beyond the limit has ended already");
    }
}

/// Ends a connection from outside of its worker, which then reads the end of the stream. The function holds a second
/// handle on the socket, until a user is proved on the connection.
fn ending(stream: &TcpStream) -> impl FnOnce() + Send + 'static {
    let socket = stream.as_fd().try_clone_to_owned();
    move || {
        let ended = socket.and_then(|socket| Ok(shutdown(socket, Shutdown::Both)?));
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection that has to give way has ended already");
        }
    }
}

/// Makes the kernel end a connection whose client acknowledges no data for a minute. The response itself is
/// dropped earlier, but nothing reads from it, and the connection would stay open.
fn end_when_not_read(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, 60_000) {
        tracing::debug!(%error, "a connection has no timeout for its peer");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}
