//! Requests of Git that are too slow or too large.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use tenon_domain::limits::Limits;
use tenon_testkit::{Backend, TestServer};

use crate::support::*;

/// A server with a public project, on which a transfer is too slow after a second.
fn servers() -> impl Iterator<Item = TestServer> {
    let backends = [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available());
    backends.map(|backend| {
        let mut limits = Limits::without_rates();
        limits.transfers.rate_window = Duration::from_secs(1);
        limits.transfers.fetch_request = 1000;
        let server = TestServer::start_with(backend, limits);
        project(&server.root(), "p", "public");
        server
    })
}

/// The first line of the answer to a fetch whose body is said to have `length` bytes, and has these.
fn fetched(server: &TestServer, length: usize, body: &[u8]) -> String {
    let mut stream =
        TcpStream::connect(server.base().strip_prefix("http://").expect("an address")).expect("a connection");
    let head = format!("POST /root/p.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).expect("a request that is sent");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("a line");
    line
}

/// Case 45.
#[test]
fn a_request_that_is_sent_too_slowly_ends() {
    for server in servers() {
        let answer = fetched(&server, 900, b"0014command=ls-refs\n");
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}

/// Case 42.
#[test]
fn a_request_to_fetch_over_its_limit_is_refused() {
    for server in servers() {
        let answer = fetched(&server, 1001, &[b'0'; 1001]);
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        let answer = fetched(&server, 4, b"0000");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}
