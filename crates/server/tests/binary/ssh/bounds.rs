//! Limits of connections.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddrV4, TcpStream};
use std::process::{Child, Stdio};

use serde_json::json;
use tenon_testkit::Backend;

use super::{SshSite, outcome};
use crate::git::{backends, commit, git};

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

/// Connects from this address of the loopback network, and waits until the server has said its name.
fn silent_from(site: &SshSite, last: u8) -> TcpStream {
    let (host, port) = site.address();
    assert_eq!(host, "127.0.0.1");
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddrV4::new([127, 0, 0, last].into(), 0)).unwrap();
    rustix::net::connect(&socket, &SocketAddrV4::new([127, 0, 0, 1].into(), port.parse().unwrap())).unwrap();
    let mut stream = TcpStream::from(socket);
    stream.read_exact(&mut [0]).unwrap();
    stream
}

/// Nine addresses that say nothing took all places of all users.
#[test]
fn silent_connections_close_ssh_for_no_user() {
    let limits = "[limits.ssh]\nconnections = 8\nconnections_per_network = 4\nlogin = 3600\n";
    let site = SshSite::start_with(Backend::Sqlite, limits);
    let mut silent: Vec<TcpStream> = (1..=9).flat_map(|last| [(); 4].map(|()| silent_from(&site, last))).collect();
    let (host, _) = site.address();
    for _ in 0..5 {
        outcome(site.ssh(&["-T", &format!("git@{host}")])).well();
    }
    for stream in &mut silent {
        stream.set_nonblocking(true).unwrap();
    }
    let silent = std::sync::Mutex::new(silent);
    tenon_testkit::soon("half of the places are left to them", || {
        silent.lock().unwrap().iter_mut().filter_map(|stream| is_open(stream).then_some(())).count() <= 4
    });
}

/// True if the server has not ended a connection that does not block.
fn is_open(stream: &mut TcpStream) -> bool {
    let mut said = [0; 4096];
    loop {
        match stream.read(&mut said) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn one_network_has_so_many_connections_without_a_user() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nconnections_per_network = 2\nlogin = 3600\n");
    let mut held: Vec<TcpStream> = (0..3).map(|_| silent_from(&site, 1)).collect();
    let oldest = held.remove(0);
    assert!(said_to_the_end(oldest).ends_with("\r\n"), "the oldest one has given way");
    let (host, _) = site.address();
    outcome(site.ssh(&["-T", &format!("git@{host}")])).well();
}

/// A user who is busy keeps the place, whatever strangers do.
#[test]
fn a_connection_with_a_user_gives_way_to_no_stranger() {
    let limits = "[limits.ssh]\nconnections = 4\nconnections_per_network = 2\nlogin = 3600\n";
    let site = SshSite::start_with(Backend::Sqlite, limits);
    let here = site.site.working_copy("here", "main");
    site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
    let mut client = conversation(&site, "git-upload-pack", "version=2");
    assert!(read_message(&mut client).contains("ls-refs"));
    let _silent: Vec<TcpStream> = (1..=9).map(|last| silent_from(&site, last)).collect();
    client.stdin.as_mut().unwrap().write_all(b"0014command=ls-refs\n0000").unwrap();
    assert!(read_message(&mut client).contains("refs/heads/main"));
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

/// A client that has asked for a service of Git and sends nothing yet.
fn conversation(site: &SshSite, service: &str, protocol: &str) -> Child {
    let (host, _) = site.address();
    let line = format!("{service} 'root/p.git'");
    let mut ssh = site.ssh(&["-o", "SendEnv=GIT_PROTOCOL", &format!("git@{host}"), &line]);
    ssh.env("GIT_PROTOCOL", protocol).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ssh.spawn().unwrap()
}

/// Reads pkt-lines up to a flush packet.
fn read_message(client: &mut Child) -> String {
    let stdout = client.stdout.as_mut().unwrap();
    let mut said = String::new();
    loop {
        let mut digits = [0; 4];
        stdout.read_exact(&mut digits).unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap();
        if length == 0 {
            return said;
        }
        let mut line = vec![0; length.saturating_sub(4)];
        stdout.read_exact(&mut line).unwrap();
        said.push_str(&String::from_utf8_lossy(&line));
    }
}

#[test]
fn a_client_that_asks_nothing_more_holds_nothing_of_the_server() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.transfers]\nfetches_per_core = 0\npatience = 1\n");
    let here = site.site.working_copy("here", "main");
    site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
    // A pool has two permits at least, of which a client has one.
    let mut clients: Vec<Child> = (0..3).map(|_| conversation(&site, "git-upload-pack", "version=2")).collect();
    for client in &mut clients {
        assert!(read_message(client).contains("ls-refs"));
        client.stdin.as_mut().unwrap().write_all(b"0014command=ls-refs\n0000").unwrap();
        assert!(read_message(client).contains("refs/heads/main"));
    }
    let refs = site.git(&here, &["-c", "protocol.version=2", "ls-remote", &site.url("p")]).well();
    assert!(refs.contains("refs/heads/main"), "{refs}");
    for mut client in clients {
        client.stdin.take().unwrap().write_all(b"0000").unwrap();
        assert!(client.wait().unwrap().success());
    }
}

#[test]
fn a_client_has_so_long_for_what_it_asks_next() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nbefore_request = 1\nbefore_push = 1\n");
    let here = site.site.working_copy("here", "main");
    commit(&here, "second", b"x", "second");
    site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
    let head = git(&here, &["rev-parse", "HEAD"]).well();
    let want = format!("0032want {}\n0000", head.trim());
    let cases = [
        ("git-upload-pack", "version=2", ""),
        ("git-upload-pack", "version=2", "0014command=ls-refs\n0000"),
        ("git-upload-pack", "version=0", ""),
        // It never says that it is done.
        ("git-upload-pack", "version=0", &want),
        ("git-receive-pack", "version=0", ""),
    ];
    for (service, protocol, sent) in cases {
        let mut client = conversation(&site, service, protocol);
        client.stdin.as_mut().unwrap().write_all(sent.as_bytes()).unwrap();
        // Its input does not end.
        let stdin = client.stdin.take();
        let output = client.wait_with_output().unwrap();
        drop(stdin);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("The request was sent too slowly."), "{service} {protocol} {sent}: {text}");
        assert!(!output.status.success());
    }
}

#[test]
fn a_client_that_has_asked_for_everything_reads_for_longer_than_it_had_to_ask() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nbefore_request = 1\n");
    let here = site.site.working_copy("here", "main");
    // More than the buffers between server and client hold.
    commit(&here, "large", &crate::git::noise(0..12_000_000), "large");
    site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
    let head = git(&here, &["rev-parse", "HEAD"]).well();
    let mut client = conversation(&site, "git-upload-pack", "version=0");
    // Without a line feed, as Git takes it as well.
    let asked = format!("0032want {}\n00000008done", head.trim());
    client.stdin.as_mut().unwrap().write_all(asked.as_bytes()).unwrap();
    let mut stdout = client.stdout.take().unwrap();
    let mut taken = vec![0; 100_000];
    stdout.read_exact(&mut taken).unwrap();
    // One that asks for nothing has that time, and ends.
    for _ in 0..2 {
        let mut silent = conversation(&site, "git-upload-pack", "version=0");
        let stdin = silent.stdin.take();
        assert!(!silent.wait_with_output().unwrap().status.success());
        drop(stdin);
    }
    stdout.read_to_end(&mut taken).unwrap();
    assert!(taken.len() > 12_000_000, "{} bytes", taken.len());
    assert!(client.wait().unwrap().success());
}

#[test]
fn what_is_no_request_of_a_fetch_is_refused() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.transfers]\nfetch_request = 1000\n");
    let long = "0009have\n".repeat(120);
    for (sent, said) in [
        ("0014command=ls-refs\n", "The request is incomplete."),
        ("GET / HTTP/1.1\r\n\r\n", "The request cannot be read: a line has no length."),
        (long.as_str(), "(limit transfers.fetch_request)"),
    ] {
        let mut client = conversation(&site, "git-upload-pack", "version=2");
        client.stdin.take().unwrap().write_all(sent.as_bytes()).unwrap();
        let text = String::from_utf8_lossy(&client.wait_with_output().unwrap().stderr).into_owned();
        assert!(text.contains(said), "{sent:?}: {text}");
    }
}

#[test]
fn a_connection_without_a_command_ends() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nidle = 1\n");
    let (host, _) = site.address();
    assert!(!outcome(site.ssh(&["-N", &format!("git@{host}")])).success);
}

#[test]
fn a_connection_has_so_many_commands() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\ncommands = 1\n");
    let here = site.site.working_copy("here", "main");
    site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
    let (host, _) = site.address();
    let socket = format!("ControlPath={}", site.folder().join("control").display());
    let line = "git-upload-pack 'root/p.git'";
    let mut first = site.ssh(&["-o", "ControlMaster=yes", "-o", &socket, &format!("git@{host}"), line]);
    let mut first = first.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    assert!(read_message(&mut first).contains("refs/heads/main"));
    // There is no connection of its own if the first one takes no second command.
    let second =
        site.ssh(&["-o", &socket, "-o", "ControlMaster=no", "-o", "ProxyCommand=false", &format!("git@{host}"), line]);
    assert!(!outcome(second).success);
    first.stdin.take().unwrap().write_all(b"0000").unwrap();
    assert!(first.wait().unwrap().success());
}

#[test]
fn a_user_has_so_many_operations_on_a_repository_in_a_minute() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let limit = |number: i64| {
            let body = json!({"gitlab_shell_operation_limit": number});
            let _ = site.site.root.put("/application/settings", body).assert_status(200);
        };
        limit(1);
        let refs = |project: &str| site.git(site.folder(), &["ls-remote", &site.url(project)]);
        refs("p").well();
        refs("p").refused("You have used this repository too often.");
        site.site.project("q", "private");
        refs("q").well();
        limit(0);
        refs("p").well();
    }
}
