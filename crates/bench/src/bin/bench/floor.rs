//! A server that answers everything with one constant body, on the stack of the real one: no server can be faster.

use std::net::SocketAddr;
use std::process::ExitCode;

use actix_web::http::header;
use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::Result;
use bytes::Bytes;
use clap::Args;

/// Answer every request with a constant body.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Address to listen on
    #[arg(long)]
    listen: SocketAddr,
    /// Number of threads that accept requests
    #[arg(long)]
    workers: usize,
    /// Size of the body in bytes
    #[arg(long)]
    size: usize,
}

/// Serves until the process is ended.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let body = Bytes::from(vec![b'x'; arguments.size]);
    let app = move || {
        let body = body.clone();
        // The sent bytes are read, or the connection could not be used again.
        let answer = move |_sent: Bytes| {
            let body = body.clone();
            async move { HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "application/json")).body(body) }
        };
        App::new().default_service(web::to(answer))
    };
    let server = HttpServer::new(app).workers(arguments.workers).bind(arguments.listen)?;
    actix_web::rt::System::new().block_on(server.run())?;
    Ok(ExitCode::SUCCESS)
}
