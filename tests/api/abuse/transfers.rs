//! Requests of Git that are too slow or too large.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use tenon_domain::limits::Limits;
use tenon_testkit::{Backend, ROOT_TOKEN, TestServer};

use crate::support::*;

/// A server with a public project, on which a transfer is too slow after a second.
fn servers() -> impl Iterator<Item = TestServer> {
    let backends = [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available());
    backends.map(|backend| {
        let mut limits = Limits::without_rates();
        limits.transfers.rate_window = Duration::from_secs(1);
        limits.transfers.fetch_request = 1000;
        limits.transfers.downloads_per_core = 1;
        limits.transfers.anonymous_fetches_per_core = 1;
        let server = TestServer::start_with(backend, limits);
        project(&server.root(), "p", "public");
        server
    })
}

/// Bytes that no buffer of a connection holds, as text that cannot be compressed to much less.
const LARGE: usize = 12 << 20;

fn noise() -> String {
    let mut state = 1_u64;
    let mut text = String::with_capacity(LARGE + 16);
    while text.len() < LARGE {
        state = (state ^ (state >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
        text.push_str(&format!("{state:016x}"));
    }
    text
}

/// A connection on which this was sent. Only the beginning of its answer is read.
fn unread(server: &TestServer, request: &[u8]) -> TcpStream {
    let address = server.base().strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a timeout");
    stream.write_all(request).expect("a request that is sent");
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).expect("an answer");
    assert_eq!(&begin, b"HTTP/1.1 200");
    stream
}

/// The bytes that come yet, until the end of the connection.
fn rest(mut stream: TcpStream) -> usize {
    let (mut part, mut count) = (vec![0; 1 << 16], 0);
    loop {
        match stream.read(&mut part) {
            Ok(read) if read > 0 => count += read,
            Ok(_) => return count,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return count,
            // A process of Git has ended.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => panic!("the connection goes on: {error}"),
        }
    }
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

#[test]
fn a_request_that_is_sent_too_slowly_ends() {
    for server in servers() {
        let answer = fetched(&server, 900, b"0014command=ls-refs\n");
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}

#[test]
fn a_request_to_fetch_over_its_limit_is_refused() {
    for server in servers() {
        let answer = fetched(&server, 1001, &[b'0'; 1001]);
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        let answer = fetched(&server, 4, b"0000");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

#[test]
fn a_clone_of_a_stranger_gives_way_to_no_silent_connection() {
    let file = json!({"branch": "main", "commit_message": "Large", "content": noise()});
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::without_rates();
        limits.connections.per_network = 4;
        let server = TestServer::start_with(backend, limits);
        let root = server.root();
        project(&root, "p", "public");
        made(&root, "/projects/1/repository/files/large", file.clone());
        let tip = root.get("/projects/1/repository/branches/main").json()["commit"]["id"].clone();
        let body = format!("0032want {}\n00000009done\n", tip.as_str().expect("an id"));
        let clone = format!(
            "POST /root/p.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let whole = rest(unread(&server, clone.as_bytes()));
        let under_way = unread(&server, clone.as_bytes());
        let silent: Vec<TcpStream> = (0..8)
            .map(|_| {
                let address = server.base().strip_prefix("http://").expect("an address");
                let mut stream = TcpStream::connect(address).expect("a connection");
                stream.write_all(b"GET / HTTP/1.1\r\n").expect("a begun request");
                stream
            })
            .collect();
        // Connections are accepted in their order: all of these were.
        let _last = unread(&server, b"GET /-/liveness HTTP/1.1\r\nHost: x\r\n\r\n");
        let received = rest(under_way);
        assert!(received > whole / 10 * 9, "{received} of {whole} bytes");
        drop(silent);
    }
}

/// An answer that is not read holds its permit for a moment only.
#[test]
fn a_download_that_is_not_read_ends_and_leaves_its_permit_to_the_next() {
    let file = json!({"branch": "main", "commit_message": "Large", "content": noise()});
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    // All that one client may have.
    let permits = (cores.max(2) / 2).max(1);
    for server in servers() {
        let root = server.root();
        made(&root, "/projects/1/repository/files/large", file.clone());
        let tip = root.get("/projects/1/repository/branches/main").json()["commit"]["id"].clone();
        let want = format!("want {}\n", tip.as_str().expect("an id"));
        let body = format!("0011command=fetch0001{:04x}{want}0009done\n0000", want.len() + 4);
        let signed_in = format!("Host: x\r\nPrivate-Token: {ROOT_TOKEN}\r\n");
        let get = |path: &str| format!("GET /api/v4/projects/1/repository/{path} HTTP/1.1\r\n{signed_in}\r\n");
        let fetch = format!(
            "POST /root/p.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nGit-Protocol: version=2\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        for request in [get("archive.tar"), get("files/large/raw?ref=main"), fetch] {
            let held: Vec<_> = (0..permits).map(|_| unread(&server, request.as_bytes())).collect();
            // Takes one of their permits: the answer of a closed connection is read as it comes.
            let closing = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
            let whole = rest(unread(&server, closing.as_bytes()));
            assert!(whole > LARGE / 3, "{whole} bytes of: {request}");
            for stream in held {
                let part = rest(stream);
                assert!(part < whole, "{part} of {whole} bytes of: {request}");
            }
        }
    }
}
