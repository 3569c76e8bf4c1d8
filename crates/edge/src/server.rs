//! The server: a socket, and the steps of all its requests.

use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{Payload, ServiceConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use futures_util::future::LocalBoxFuture;

use crate::state::Edge;
use crate::{accept, admission};

/// Answers requests to paths that nothing else serves.
pub type Fallback = Arc<dyn Fn(HttpRequest, Payload) -> LocalBoxFuture<'static, HttpResponse> + Send + Sync>;

/// A server on a socket that is already bound, with the routes that `configure` adds. It stops on a signal, or through
/// its handle. Fails if its `workers` threads cannot be started.
pub fn run(
    edge: Edge,
    listener: TcpListener,
    workers: usize,
    configure: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> std::io::Result<Server> {
    let counting = edge.clone();
    let server = HttpServer::new(move || {
        let (admitting, configure) = (edge.clone(), configure.clone());
        let admit = from_fn(move |request, next| admission::admit(admitting.clone(), request, next));
        App::new().wrap(admit).configure(move |config| configure(config))
    });
    let server = server.on_connect(move |connection, data| accept::admit(&counting, connection, data));
    // Otherwise the second piece of an answer waits until the client acknowledges the first, and clients put that off
    // by 40 ms.
    let server = server.tcp_nodelay(true);
    // A Git client that disconnects must not leave a packing process behind.
    Ok(server.h1_allow_half_closed(false).workers(workers.max(1)).listen(listener)?.run())
}
