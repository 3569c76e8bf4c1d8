//! Accepting connections within their limits.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use rustix::net::{Shutdown, shutdown};
use tenon_app::Network;

use crate::state::Edge;

/// Counts a connection that was accepted, for as long as it is open, and ends it at once where its network has too
/// many.
pub(crate) fn admit(edge: &Edge, connection: &dyn std::any::Any, data: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<TcpStream>() else { return };
    let peer = stream.peer_addr().ok().map(|address| address.ip());
    let is_proxy = peer.is_some_and(|address: IpAddr| edge.proxies().trusts(address.to_canonical()));
    let network = (!is_proxy).then(|| Network::of(peer));
    if let Some(counted) = edge.connections().open(network) {
        data.insert(Arc::new(counted));
        end_when_not_read(stream);
        return;
    }
    edge.metrics().count_refused_connection();
    // The worker reads the end of the stream and closes it.
    if let Err(error) = shutdown(stream, Shutdown::Both) {
        tracing::debug!(%error, "a connection beyond the limit has ended already");
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
