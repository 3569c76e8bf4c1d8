//! Imports from servers that are slow on purpose.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_app::jobs::Pace;
use tenon_testkit::{Backend, Client, TestServer, soon};

/// A server that answers every request with a few bytes a second, without end, until it is dropped.
struct Drip {
    url: String,
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drip {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/x.git", listener.local_addr().expect("an address"));
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n";
            let mut is_open = stream.write_all(head.as_bytes()).is_ok();
            while is_open && stopped.recv_timeout(Duration::from_millis(100)) == Err(mpsc::RecvTimeoutError::Timeout) {
                is_open = stream.write_all(b"0").is_ok();
            }
        });
        Self { url, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Drip {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// A server that may import from this machine.
fn start(backend: Backend, change: impl FnOnce(&mut Limits)) -> TestServer {
    let mut limits = Limits::without_rates();
    change(&mut limits);
    let server = TestServer::start_with(backend, limits);
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    server
}

fn backends() -> impl Iterator<Item = Backend> {
    [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available())
}

fn import(client: &Client, name: &str, url: &str) -> String {
    let made = client.post("/projects", json!({"name": name, "import_url": url})).assert_status(201).json();
    format!("/projects/{}", made["id"])
}

fn status(client: &Client, path: &str) -> Value {
    client.get(path).assert_status(200).json()["import_status"].clone()
}

#[test]
fn a_branch_of_what_is_imported_can_be_the_default_one() {
    for backend in backends() {
        let server = start(backend, |_| {});
        let alice = server.user("alice");
        let source = json!({"name": "tool", "visibility": "public", "initialize_with_readme": true});
        let tool = alice.post("/projects", source).assert_status(201).json()["id"].clone();
        let next = json!({"branch": "next", "ref": "main"});
        let _branch = alice.post(&format!("/projects/{tool}/repository/branches"), next).assert_status(201);
        let empty = json!({"name": "empty", "visibility": "public"});
        let _empty = alice.post("/projects", empty).assert_status(201);
        for (name, source, asked, want) in [
            ("named", "tool", Some("next"), "next"),
            ("missing", "tool", Some("nowhere"), "main"),
            ("unnamed", "tool", None, "main"),
            ("of-nothing", "empty", Some("trunk"), "trunk"),
        ] {
            let url = format!("{}/alice/{source}.git", server.base());
            let body = json!({"name": name, "import_url": url, "default_branch": asked});
            let made = alice.post("/projects", body).assert_status(201).json();
            server.run_jobs();
            let path = format!("/projects/{}", made["id"]);
            assert_eq!(status(&alice, &path), "finished", "{name}");
            assert_eq!(alice.get(&path).json()["default_branch"], want, "{name}");
        }
    }
}

#[test]
fn a_slow_import_delays_only_the_imports_of_its_user() {
    for backend in backends() {
        let server = start(backend, |_| {});
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let source = json!({"name": "tool", "visibility": "public", "initialize_with_readme": true});
        let tool = server.root().post("/projects", source).assert_status(201).json()["id"].clone();
        let good = format!("{}/root/tool.git", server.base());
        let _running = server.start_jobs(Pace::default());
        let drip = Drip::start();
        let slow = import(&alice, "slow", &drip.url);
        soon("the slow import begins", || status(&alice, &slow) == "started");
        let second = import(&alice, "second", &good);
        let of_bob = import(&bob, "other", &good);
        let fork = bob.post(&format!("/projects/{tool}/fork"), json!({})).assert_status(201).json();
        let fork = format!("/projects/{}", fork["id"]);
        for path in [&of_bob, &fork] {
            soon("another user's import and fork end", || status(&bob, path) == "finished");
        }
        assert_eq!(status(&alice, &slow), "started");
        assert_eq!(status(&alice, &second), "scheduled");
        drop(drip);
        soon("the slow import ends", || status(&alice, &slow) == "failed");
        soon("the next one of the same user follows", || status(&alice, &second) == "finished");
    }
}

#[test]
fn a_server_that_drips_is_given_up() {
    let server = start(Backend::Sqlite, |limits| {
        limits.transfers.rate_window = Duration::from_secs(1);
        limits.jobs.import_list = Duration::from_hours(1);
    });
    gives_up(&server, "the repository could not be fetched");
}

#[test]
fn a_server_that_takes_too_long_to_list_its_refs_is_given_up() {
    let server = start(Backend::Sqlite, |limits| {
        limits.jobs.import_list = Duration::from_secs(1);
        limits.transfers.rate_window = Duration::from_hours(1);
    });
    gives_up(&server, "the import took too long");
}

/// Imports from a server that drips, which ends with this error.
fn gives_up(server: &TestServer, error: &str) {
    let alice = server.user("alice");
    let drip = Drip::start();
    let path = import(&alice, "slow", &drip.url);
    assert_eq!(server.run_jobs(), 1);
    let project = alice.get(&path).assert_status(200).json();
    assert_eq!((&project["import_status"], &project["import_error"]), (&json!("failed"), &json!(error)));
}
