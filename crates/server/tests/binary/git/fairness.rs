//! Clients that hold their permits: they stop no other client from fetching, pushing and downloading.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use tenon_testkit::Backend;

use super::bounds::{begin, line};
use super::{Site, commit, git, noise};

/// A site with a public project that has several megabytes in it, more than the buffers of a connection hold.
fn site() -> Site {
    let site = Site::start(Backend::Sqlite);
    site.project("p", "public");
    let here = site.working_copy("here", "main");
    commit(&here, "large.bin", &noise(0..12_000_000), "large");
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    site
}

/// A request that stays half-sent for as long as this is kept.
fn half_sent(site: &Site, service: &str, token: Option<&str>) -> TcpStream {
    let mut stream = begin(site, service, token, "", 1_000_000);
    stream.write_all(b"0011command=fetch").unwrap();
    stream
}

/// A clone whose answer is not read for as long as this is kept.
pub(super) fn not_read(site: &Site, token: Option<&str>) -> TcpStream {
    let here = site.folder.path().join("here");
    let tip = git(&here, &["rev-parse", "HEAD"]).well();
    let wanted = line(&format!("want {}\n", tip.trim()));
    let body = [line("command=fetch"), b"0001".to_vec(), wanted, line("done\n"), b"0000".to_vec()].concat();
    let mut stream = begin(site, "git-upload-pack", token, "Git-Protocol: version=2\r\n", body.len());
    stream.write_all(&body).unwrap();
    // It has begun.
    let mut first = [0];
    stream.read_exact(&mut first).unwrap();
    stream
}

/// Git proves its user only if it is asked to. A public project does not ask: the signed-in client uses another
/// project.
#[test]
fn anonymous_clients_do_not_stop_the_fetches_of_signed_in_ones() {
    let site = site();
    let held: Vec<_> = (0..40).map(|_| half_sent(&site, "git-upload-pack", None)).collect();
    // Half-sent requests hold no permit: anonymous clients are served as well.
    git(site.folder.path(), &["clone", "--quiet", &site.address("p", None), "anonymous"]).well();
    let slow = not_read(&site, None);
    site.project("q", "private");
    git(&site.folder.path().join("here"), &["push", "--quiet", &site.mine("q"), "main"]).well();
    git(site.folder.path(), &["clone", "--quiet", &site.mine("q"), "signed-in"]).well();
    drop((held, slow));
}

#[test]
fn half_sent_pushes_of_two_accounts_do_not_stop_a_third() {
    let site = site();
    let tokens: Vec<String> = ["ann", "bob"]
        .into_iter()
        .map(|name| {
            let (user, token) = site.user(name);
            site.member("p", &user, 30);
            token
        })
        .collect();
    let here = site.folder.path().join("here");
    let tip = git(&here, &["rev-parse", "HEAD"]).well();
    let command = line(&format!("{} {} refs/heads/x\0report-status", "0".repeat(40), tip.trim()));
    let mut held = Vec::new();
    for token in &tokens {
        for _ in 0..4 {
            held.push(half_sent(&site, "git-receive-pack", Some(token)));
            // All commands, and the start of a pack.
            let mut stream = begin(&site, "git-receive-pack", Some(token), "", 1_000_000);
            stream.write_all(&[command.clone(), b"0000PACK".to_vec()].concat()).unwrap();
            held.push(stream);
        }
    }
    commit(&here, "file", b"more", "more");
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    drop(held);
}

#[test]
fn anonymous_downloads_that_are_not_read_do_not_stop_those_of_signed_in_clients() {
    let site = site();
    let host = site.root.base().strip_prefix("http://").unwrap().to_owned();
    let get = format!("GET /api/v4/projects/root%2Fp/repository/archive.tar HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let held: Vec<_> = (0..16)
        .map(|_| {
            let mut stream = TcpStream::connect(&host).unwrap();
            stream.write_all(get.as_bytes()).unwrap();
            stream
        })
        .collect();
    let whole = site.root.get("/projects/root%2Fp/repository/archive.tar").assert_status(200);
    assert!(whole.bytes().len() > 12_000_000);
    drop(held);
}
