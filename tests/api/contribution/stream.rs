//! The stream of contributions.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_domain::limits::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, TestServer, User, both_databases};

use crate::support::*;

/// How long a test waits for an event before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client that reads a stream.
struct Events {
    status: u16,
    reader: BufReader<TcpStream>,
}

impl Events {
    /// Connects with this token, and reads the head of the answer.
    fn open(server: &TestServer, token: &str, query: &str, headers: &str) -> Self {
        let address = server.base().trim_start_matches("http://");
        let mut socket = TcpStream::connect(address).expect("a server");
        socket.set_read_timeout(Some(PATIENCE)).expect("a socket with a timeout");
        let request = format!(
            "GET /api/v4/events/stream{query} HTTP/1.1\r\nHost: {address}\r\nPrivate-Token: {token}\r\n{headers}Connection: close\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).expect("a request that is sent");
        let mut events = Self { status: 0, reader: BufReader::new(socket) };
        let head = events.line().expect("a status line");
        events.status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        while events.line().is_some_and(|line| !line.is_empty()) {}
        events
    }

    /// The stream of a user, from now on.
    fn of(server: &TestServer, user: &User, query: &str) -> Self {
        let mut events = Self::open(server, &user.token, query, "");
        assert_eq!(events.status, 200);
        while events.line().expect("a beginning") != "retry: 2000" {}
        events
    }

    /// One line; none at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).expect("something within time");
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; none at the end.
    fn next(&mut self) -> Option<Value> {
        let mut id = None;
        loop {
            let line = self.line()?;
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse::<i64>().ok();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).expect("an event");
                assert_eq!(event["id"].as_i64(), id, "the id of the event is that of the line");
                return Some(event);
            }
        }
    }

    /// The titles of the next events.
    fn titles(&mut self, count: usize) -> Vec<String> {
        let title = |event: Value| event["target_title"].as_str().unwrap_or("-").to_owned();
        (0..count).map(|_| title(self.next().expect("an event"))).collect()
    }
}

fn issue(client: &User, project: i64, title: &str) {
    made(client, &format!("/projects/{project}/issues"), json!({"title": title}));
}

/// The events after an event, as titles.
fn titles_after(client: &User, id: i64, more: &str) -> Vec<String> {
    let text = client.get(&format!("/events/stream?seconds=0&last_event_id={id}{more}")).assert_status(200).text();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let title = |data: &str| {
        serde_json::from_str::<Value>(data).expect("JSON")["target_title"].as_str().unwrap_or("-").to_owned()
    };
    data.map(title).collect()
}

#[both_databases]
fn a_stream_sends_what_lists_show_as_it_happens(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let mut events = Events::of(server, &alice, "");
    issue(&alice, tool, "first");
    let event = events.next().expect("an event");
    assert_eq!(json!([event]), alice.get(&format!("/projects/{tool}/events?action=created&target_type=issue")).json());
    made(&alice, &format!("/projects/{tool}/issues/1/notes"), json!({"body": "said"}));
    issue(&alice, tool, "second");
    let note = events.next().expect("an event");
    assert_eq!((&note["action_name"], &note["note"]["body"]), (&json!("commented on"), &json!("said")));
    assert_eq!(events.titles(1), ["second"]);
}

#[both_databases]
fn a_stream_goes_on_after_the_last_event_that_the_client_has(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    for title in ["a", "b", "c"] {
        issue(&alice, tool, title);
    }
    let ids = ids(&alice.get("/events?sort=asc"));
    assert_eq!(titles_after(&alice, ids[1], ""), ["b", "c"]);
    assert_eq!(titles_after(&alice, 0, "").len(), 4, "everything");
    assert_eq!(titles_after(&alice, -5, "").len(), 4, "everything");
    assert_eq!(titles_after(&alice, 1_000_000, ""), Vec::<String>::new(), "from now on");
    let resumed = alice.header("Last-Event-ID", &ids[2].to_string()).get("/events/stream?seconds=0&last_event_id=0");
    assert_eq!(resumed.text().matches("data: ").count(), 1, "the header is preferred");
    assert_eq!(resumed.header("content-type"), "text/event-stream");
    alice
        .header("Last-Event-ID", "x")
        .get("/events/stream?seconds=0")
        .assert(400, parameter("Last-Event-ID is invalid"));
    let mut events = Events::open(server, &alice.token, "", &format!("Last-Event-ID: {}\r\n", ids[2]));
    issue(&alice, tool, "d");
    assert_eq!(events.titles(2), ["c", "d"], "what has happened, and then what happens");
}

#[both_databases]
fn more_than_one_step_can_take_is_sent_in_several(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let titles: Vec<String> = (0..45).map(|number| format!("t{number}")).collect();
    for title in &titles {
        issue(&alice, tool, title);
    }
    let after = ids(&alice.get("/events?sort=asc&per_page=1"))[0];
    assert_eq!(titles_after(&alice, after, ""), titles);
    let long = "x".repeat(70_000);
    for _ in 0..3 {
        made(&alice, &format!("/projects/{tool}/issues/1/notes"), json!({"body": long}));
    }
    assert_eq!(titles_after(&alice, after, "").len(), 48);
}

#[both_databases]
fn projects_that_are_named_narrow_a_stream(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let [one, two, hidden] = [("one", "public"), ("two", "public"), ("hidden", "private")]
        .map(|(name, visibility)| project(&alice, name, visibility));
    let mut of_one = Events::of(server, &bob, &format!("?project_id={one}"));
    let mut of_both = Events::of(server, &bob, &format!("?project_ids[]={two}&project_ids[]=alice%2Fone"));
    issue(&alice, hidden, "hidden");
    issue(&alice, two, "two");
    issue(&alice, one, "one");
    assert_eq!(of_one.titles(1), ["one"]);
    assert_eq!(of_both.titles(2), ["two", "one"]);
    bob.get(&format!("/events/stream?seconds=0&project_id={hidden}")).assert(404, missing("Project"));
    bob.get("/events/stream?seconds=0&project_id=1000000").assert(404, missing("Project"));
    let many = vec![one.to_string(); 101].join(",");
    bob.get(&format!("/events/stream?seconds=0&project_ids={many}"))
        .assert(400, parameter("project_ids is too long (maximum is 100)"));
}

#[both_databases]
fn what_the_caller_may_no_longer_see_is_not_sent(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (private, public) = (project(&alice, "private", "private"), project(&alice, "public", "public"));
    let path = format!("/projects/{private}");
    member(&alice, &path, bob.id, 20);
    let mut everything = Events::of(server, &bob, "");
    let mut named = Events::of(server, &bob, &format!("?project_ids={private},{public}"));
    issue(&alice, private, "while a member");
    assert_eq!(
        (everything.titles(1), named.titles(1)),
        (vec!["while a member".to_owned()], vec!["while a member".to_owned()])
    );
    let _ = alice.delete(&format!("{path}/members/{}", bob.id)).assert_status(204);
    issue(&alice, private, "afterwards");
    issue(&alice, public, "public");
    assert_eq!((everything.titles(1), named.titles(1)), (vec!["public".to_owned()], vec!["public".to_owned()]));
    let _ = alice.put(&format!("/projects/{public}"), json!({"visibility": "private"})).assert_status(200);
    issue(&alice, public, "private now");
    member(&alice, &path, bob.id, 20);
    issue(&alice, private, "a member again");
    assert_eq!(everything.next().expect("an event")["action_name"], "joined");
    assert_eq!(everything.titles(1), ["a member again"]);
}

#[both_databases]
fn confidential_issues_are_sent_to_those_who_may_read_them(server: &TestServer) {
    let (alice, guest, reporter) = (server.user("alice"), server.user("guest"), server.user("reporter"));
    let tool = project(&alice, "tool", "public");
    let path = format!("/projects/{tool}");
    member(&alice, &path, guest.id, 10);
    member(&alice, &path, reporter.id, 20);
    let mut of_guest = Events::of(server, &guest, "");
    let mut of_reporter = Events::of(server, &reporter, "");
    made(&alice, &format!("{path}/issues"), json!({"title": "secret", "confidential": true}));
    made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "secret too"}));
    issue(&alice, tool, "open");
    assert_eq!(of_guest.titles(1), ["open"]);
    assert_eq!(of_reporter.titles(3), ["secret", "secret", "open"]);
    assert_eq!(titles_after(&guest, 0, "").iter().filter(|title| *title == "secret").count(), 0);
}

#[both_databases]
fn a_stream_ends_with_the_token_and_with_the_account(server: &TestServer) {
    let (alice, bob, carol) = (server.user("alice"), server.user("bob"), server.user("carol"));
    let public = project(&alice, "public", "public");
    let (mut revoked, mut blocked) = (Events::of(server, &bob, ""), Events::of(server, &carol, ""));
    let _ = bob.delete("/personal_access_tokens/self").assert_status(204);
    let _ = server.root().post(&format!("/users/{}/block", carol.id), json!({})).assert_status(201);
    issue(&alice, public, "afterwards");
    assert_eq!((revoked.next(), blocked.next()), (None, None));
    assert_eq!(Events::open(server, &bob.token, "", "").status, 401);
}

#[both_databases]
fn a_stream_ends_when_the_token_expires(server: &TestServer) {
    let alice = server.user("alice");
    let public = project(&alice, "public", "public");
    let path = format!("/users/{}/personal_access_tokens", alice.id);
    let token = made(&server.root(), &path, json!({"name": "short", "scopes": ["api"], "expires_at": "2026-03-04"}));
    let token = token["token"].as_str().expect("a token").to_owned();
    let mut events = Events::open(server, &token, "", "");
    issue(&alice, public, "before");
    assert_eq!(events.titles(1), ["before"]);
    server.advance(TimeDelta::days(2));
    issue(&alice, public, "afterwards");
    assert_eq!(events.next(), None);
}

#[both_databases]
fn what_another_process_commits_is_sent_too(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let other = TestServer::beside(server);
    let mut events = Events::of(server, &alice, "");
    made(&other.client(&alice.token), &format!("/projects/{tool}/issues"), json!({"title": "elsewhere"}));
    assert_eq!(events.titles(1), ["elsewhere"]);
}

#[both_databases]
fn all_streams_end_when_the_server_stops(server: &TestServer) {
    let alice = server.user("alice");
    let mut events = Events::of(server, &alice, "");
    server.app().end_streams();
    assert_eq!(events.next(), None);
    assert_eq!(Events::of(server, &alice, "").next(), None);
}

#[both_databases]
fn strangers_have_no_streams(server: &TestServer) {
    server.anonymous().get("/events/stream?seconds=0").assert(401, unauthorized());
    let alice = server.user("alice");
    let token = server.token(alice.id, &["read_user"]);
    let _ = server.client(&token).get("/events/stream?seconds=0").assert_status(403);
    assert_eq!(alice.head("/events/stream").assert_status(200).text(), "");
}

/// The statuses of two streams at once: of one user, and then of another one.
fn second_streams(limits: Limits) -> [u16; 2] {
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let _held = Events::of(&server, &alice, "");
    [&alice, &bob].map(|user| user.get("/events/stream?seconds=0").status())
}

#[test]
fn users_networks_and_all_together_have_so_many_streams() {
    let with = |change: &dyn Fn(&mut Limits)| {
        let mut limits = Limits::without_rates();
        change(&mut limits);
        second_streams(limits)
    };
    assert_eq!(with(&|limits| limits.streams.per_user = 1), [429, 200]);
    assert_eq!(with(&|limits| limits.streams.per_network = 1), [429, 429]);
    assert_eq!(with(&|limits| limits.streams.all = 1), [503, 503]);
    assert_eq!(with(&|limits| limits.streams.per_user = 2), [200, 200]);
}

#[test]
fn a_stream_that_has_ended_is_not_counted_any_more() {
    let mut limits = Limits::without_rates();
    limits.streams.per_user = 1;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let alice = server.user("alice");
    for _ in 0..3 {
        let _ = alice.get("/events/stream?seconds=0").assert_status(200);
    }
}

#[test]
fn a_stream_does_not_last_longer_than_it_may() {
    let mut limits = Limits::without_rates();
    limits.streams.whole = Duration::ZERO;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let alice = server.user("alice");
    assert_eq!(Events::of(&server, &alice, "?seconds=1000").next(), None);
}
