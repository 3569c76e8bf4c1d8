//! Limits of connections.

use std::io::Read as _;
use std::net::TcpStream;

use tenon_testkit::Backend;

use super::{SshSite, outcome};

/// Reads what a server says to a client that says nothing, to the end of the connection.
fn said_to_the_end(mut stream: TcpStream) -> String {
    let mut said = Vec::new();
    // The connection may also be reset.
    let _ = stream.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

fn connect(site: &SshSite) -> TcpStream {
    let (host, port) = site.address();
    TcpStream::connect(format!("{host}:{port}")).unwrap()
}

#[test]
fn a_connection_on_which_no_user_signs_in_ends() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nlogin = 1\n");
    let said = said_to_the_end(connect(&site));
    assert!(said.starts_with("SSH-2.0-Tenon\r\n"), "{said}");
}

#[test]
fn one_network_has_so_many_connections() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nconnections_per_network = 2\nlogin = 3600\n");
    let mut first_byte = [0];
    let held: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut stream = connect(&site);
            stream.read_exact(&mut first_byte).unwrap();
            stream
        })
        .collect();
    assert_eq!(said_to_the_end(connect(&site)), "");
    drop(held);
    let (host, _) = site.address();
    crate::git::soon("a closed connection is given back", || {
        outcome(site.ssh(&["-T", &format!("git@{host}")])).success
    });
}

#[test]
fn a_connection_has_so_many_keys() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nkeys = 2\n");
    let (host, _) = site.address();
    let others: Vec<_> = (0..2).map(|n| super::Key::make(site.folder(), &format!("other{n}"), "ed25519")).collect();
    let with = |keys: &[&super::Key]| {
        let mut arguments = Vec::new();
        for key in keys {
            arguments.extend(["-i", key.file.to_str().unwrap()]);
        }
        let to = format!("git@{host}");
        let [first, ..] = keys else { panic!("no key") };
        outcome(site.ssh_with(first, &[&arguments[2..], &["-T", &to]].concat()))
    };
    with(&[&others[0], &site.key]).well();
    assert!(!with(&[&others[0], &others[1], &site.key]).success);
}
