//! Streams of events, and the end of the process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use tenon_testkit::Backend;

use crate::process::{Serving, TOKEN, database};

#[test]
fn a_server_that_stops_ends_its_streams_and_does_not_wait_for_their_clients() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_database, url) = database(Backend::Sqlite, folder.path());
    let serving = Serving::start(folder.path(), &url);
    let root = serving.root();
    let address = root.base().trim_start_matches("http://");
    let mut socket = TcpStream::connect(address).expect("a server");
    // Much less than the time for which the server waits for requests.
    socket.set_read_timeout(Some(Duration::from_secs(15))).expect("a socket with a timeout");
    let request = format!("GET /api/v4/events/stream HTTP/1.1\r\nHost: {address}\r\nPrivate-Token: {TOKEN}\r\n\r\n");
    socket.write_all(request.as_bytes()).expect("a request that is sent");
    let mut reader = BufReader::new(socket);
    let mut line = String::new();
    while !line.starts_with("retry:") {
        line.clear();
        assert!(reader.read_line(&mut line).expect("a line") > 0, "it ended too early");
    }
    assert!(serving.terminate().success());
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("an end");
    assert!(rest.ends_with("0\r\n\r\n"), "a whole answer, not one that was cut off: {rest:?}");
}
