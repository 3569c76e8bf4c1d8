//! The time and the memory that one client may take (docs/limits.md).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Client, TestServer, both_databases};

use crate::support::*;

/// Runs a test on both databases with these limits.
fn with_limits(limits: &Limits, run: impl Fn(&TestServer)) {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if backend.is_available() {
            run(&TestServer::start_with(backend, limits.clone()));
        }
    }
}

/// The statuses of so many equal reads.
fn statuses(client: &Client, path: &str, number: usize) -> Vec<u16> {
    (0..number).map(|_| client.get(path).status()).collect()
}

fn git_as(server: &TestServer, user: &str, password: &str) -> Client {
    server.anonymous().basic(user, password)
}

const REFS: &str = "//ann/tool.git/info/refs?service=git-upload-pack";

#[test]
fn anonymous_requests_from_one_address_are_counted_and_signed_in_ones_are_not() {
    let mut limits = Limits::default();
    (limits.rates.anonymous_burst, limits.rates.anonymous_per_second) = (5, 2);
    with_limits(&limits, |server| {
        let owner = server.user("ann");
        project(&owner, "tool", "private");
        let tokens = format!("/users/{}/personal_access_tokens", owner.id);
        let unused = made(&server.root(), &tokens, json!({"name": "unused", "scopes": ["api"]}))["token"].clone();
        let unused = unused.as_str().unwrap_or_default().to_owned();
        server.advance(TimeDelta::seconds(10));
        let (ann, stranger) = (server.root(), server.anonymous());
        assert_eq!(statuses(&stranger, "/projects", 7), [200, 200, 200, 200, 200, 429, 429]);
        let refused = stranger.get("/nothing/here");
        assert_eq!((refused.status(), refused.text()), (429, "Retry later\n".to_owned()));
        assert_eq!(refused.header("content-type"), "text/plain");
        assert_eq!(refused.header("retry-after"), "1");
        let headers = ["ratelimit-name", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
        let values = ["throttle_unauthenticated", "5", "0", "1"];
        assert_eq!(headers.map(|name| refused.header(name)), values);
        assert_eq!(statuses(&ann, "/user", 20), [200; 20]);
        assert_eq!(stranger.get("//-/liveness").status(), 200, "monitoring is not counted");
        let metrics = server.root().get("//-/metrics").text();
        assert!(metrics.contains("tenon_http_throttled_total 3"), "{metrics}");
        assert!(metrics.contains("tenon_pool_waiting{pool=\"git\"} 0"), "{metrics}");
        assert!(metrics.contains("tenon_http_bytes_in_flight{direction=\"out\"} "), "{metrics}");
        server.advance(TimeDelta::seconds(1));
        assert_eq!(statuses(&stranger, "/projects", 3), [200, 200, 429]);
        assert_eq!(server.client("a token that proves nothing").get("/user").status(), 429, "counts as anonymous");
        assert_eq!(git_as(server, "x", "proves nothing").get(REFS).status(), 429);
        assert_eq!(git_as(server, "x", &unused).get(REFS).status(), 200, "a token of which nothing was known");
    });
}

/// A connection to a server that has sent these bytes.
fn begun(server: &TestServer, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.base().trim_start_matches("http://")).expect("a connection");
    stream.write_all(bytes.as_bytes()).expect("a write");
    stream
}

/// Sends a request on a connection that stays open; the begin of the answer, empty if the connection has ended.
fn asked(stream: &mut TcpStream, path: &str, more: &str) -> String {
    let mut answer = vec![0; 12];
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n");
    match stream.write_all(head.as_bytes()).and_then(|()| stream.read_exact(&mut answer)) {
        Ok(()) => String::from_utf8(answer).expect("text"),
        Err(_ended) => String::new(),
    }
}

/// True if the other side has closed a connection on which nothing was answered; waits until it has.
fn is_ended(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).expect("a limit of time");
    matches!(stream.read(&mut [0]), Ok(0)) || stream.take_error().is_ok_and(|error| error.is_some())
}

#[test]
fn the_oldest_stranger_of_a_network_gives_way_to_the_next() {
    let mut limits = Limits::default();
    limits.connections.per_network = 4;
    with_limits(&limits, |server| {
        let mut silent: Vec<TcpStream> = (0..10).map(|_| begun(server, "GET / HTTP/1.1\r\n")).collect();
        // Which ones are the oldest is known once all were accepted.
        assert_eq!(asked(&mut begun(server, ""), "/-/liveness", ""), "HTTP/1.1 200");
        let ended: Vec<&mut TcpStream> = silent.iter_mut().take(7).collect();
        assert_eq!(ended.len(), ended.into_iter().map(is_ended).filter(|ended| *ended).count());
        let metrics = server.root().get("//-/metrics").text();
        let count =
            metrics.lines().find_map(|line| line.strip_prefix("tenon_http_connections_refused_total ")).unwrap();
        assert!(count.parse::<u32>().unwrap() >= 7, "{count}");
    });
}

#[test]
fn silent_connections_close_the_server_for_no_user() {
    let mut limits = Limits::default();
    (limits.connections.all, limits.connections.per_network) = (16, 16);
    with_limits(&limits, |server| {
        let ann = server.user("ann");
        let token = format!("Private-Token: {}\r\n", ann.token);
        let mut own = begun(server, "");
        assert_eq!(asked(&mut own, "/api/v4/version", &token), "HTTP/1.1 200");
        let _silent: Vec<TcpStream> = (0..40).map(|_| begun(server, "GET / HTTP/1.1\r\n")).collect();
        for _ in 0..3 {
            assert_eq!(asked(&mut begun(server, ""), "/api/v4/version", &token), "HTTP/1.1 200");
        }
        let mut rest = [0; 1 << 12];
        own.set_nonblocking(true).unwrap();
        while own.read(&mut rest).is_ok_and(|read| read > 0) {}
        own.set_nonblocking(false).unwrap();
        assert_eq!(asked(&mut own, "/api/v4/version", &token), "HTTP/1.1 200", "it has its place for good");
    });
}

#[test]
fn wrong_passwords_are_limited_for_each_account_alike() {
    let mut limits = Limits::without_rates();
    limits.rates.sign_in_burst_per_account = 3;
    with_limits(&limits, |server| {
        let ann = server.user("ann");
        project(&ann, "tool", "private");
        for name in ["ann", "no-one-of-this-name"] {
            let wrong = git_as(server, name, "wrong");
            assert_eq!(statuses(&wrong, REFS, 4), [401, 401, 401, 429], "{name}");
            let refused = wrong.get(REFS);
            assert_eq!((refused.header("retry-after"), refused.text()), ("10".to_owned(), "Retry later\n".to_owned()));
        }
        assert_eq!(git_as(server, "ann", "correct horse").get(REFS).status(), 429, "also the right one");
        assert_eq!(git_as(server, "ann", &ann.token).get(REFS).status(), 200, "tokens are not passwords");
        server.advance(TimeDelta::seconds(11));
        assert_eq!(git_as(server, "ann", "correct horse").get(REFS).status(), 200);
        let wrong = git_as(server, "ann", "wrong");
        assert_eq!(
            statuses(&wrong, REFS, 4),
            [401, 401, 401, 429],
            "where the right password came from, they count again"
        );
    });
}

#[test]
fn wrong_passwords_from_one_address_are_limited_whatever_the_account() {
    let mut limits = Limits::without_rates();
    limits.rates.sign_in_burst_per_address = 4;
    with_limits(&limits, |server| {
        project(&server.user("ann"), "tool", "private");
        let tried: Vec<u16> =
            (0..6).map(|number| git_as(server, &format!("user{number}"), "wrong").get(REFS).status()).collect();
        assert_eq!(tried, [401, 401, 401, 401, 429, 429]);
    });
}

/// M4: the body of a stranger's request is held in memory until it is complete.
#[both_databases]
fn bodies_are_small_until_a_credential_is_proved(server: &TestServer) {
    let text = json!({"text": "x".repeat(100_000)});
    assert_eq!(server.anonymous().post("/markdown", text.clone()).status(), 413);
    assert_eq!(server.client("a token that proves nothing").post("/markdown", text.clone()).status(), 401);
    assert_eq!(server.root().post("/markdown", text).status(), 201);
    assert_eq!(server.anonymous().post("/markdown", json!({"text": "x".repeat(60_000)})).status(), 201);
}

#[test]
fn reads_whose_answers_do_not_fit_into_the_budget_are_refused() {
    let mut limits = Limits::without_rates();
    limits.answers.in_flight_per_client = 50_000;
    with_limits(&limits, |server| {
        let text = "x".repeat(100_000);
        let project = project(&server.root(), "tool", "public");
        let path = format!("/projects/{project}/issues");
        let made = made(&server.root(), &path, json!({"title": "Long"}));
        let issue = format!("{path}/{}", made["iid"]);
        // A request that has changed something is answered in any case: a client that is asked to try again would
        // change it twice.
        assert_eq!(server.root().put(&issue, json!({"description": text})).status(), 200);
        let refused = server.root().get(&issue);
        assert_eq!((refused.status(), refused.header("retry-after")), (503, "2".to_owned()));
        assert_eq!(server.root().get(&format!("/projects/{project}")).status(), 200);
    });
}

#[test]
fn a_client_without_room_for_answers_is_refused_before_it_writes() {
    let mut limits = Limits::without_rates();
    limits.answers.in_flight_per_client = 0;
    with_limits(&limits, |server| {
        let refused = server.root().post("/projects", json!({"name": "tool"}));
        assert_eq!((refused.status(), refused.header("retry-after")), (503, "2".to_owned()));
        assert_eq!(server.anonymous().get("//-/readiness").status(), 200, "monitoring is answered");
    });
}
