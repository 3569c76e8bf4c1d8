//! A server that answers everything with one constant body, on the stack of the real one: no server can be faster.

use std::net::SocketAddr;

use actix_web::http::header;
use actix_web::{App, HttpResponse, HttpServer, web};
use bytes::Bytes;
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Answer every request with a constant body.
#[derive(Parser)]
struct Arguments {
    /// Address to listen on
    #[arg(long)]
    listen: SocketAddr,
    /// Threads that accept requests
    #[arg(long)]
    workers: usize,
    /// Bytes of the body
    #[arg(long)]
    size: usize,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let body = Bytes::from(vec![b'x'; arguments.size]);
    let app = move || {
        let body = body.clone();
        // What was sent is read, or the connection could not be used again.
        let answer = move |_sent: Bytes| {
            let body = body.clone();
            async move { HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "application/json")).body(body) }
        };
        App::new().default_service(web::to(answer))
    };
    HttpServer::new(app).workers(arguments.workers).bind(arguments.listen)?.run().await
}
