//! The cost of one text: it does not block the writes of others, and gets no more than its share of processor time.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::limits::Milliseconds;
use tenon_testkit::{Backend, Client, TestServer, both_databases};

use crate::merge_request::write;
use crate::support::*;

const NOTE: &str = "This text is shown as it was written: formatting it would take too long.";

/// Runs a test on both databases with these limits.
fn with_limits(limits: &Limits, run: impl Fn(&TestServer)) {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if backend.is_available() {
            run(&TestServer::start_with(backend, limits.clone()));
        }
    }
}

fn html(client: &Client, text: &str) -> String {
    let body = json!({"text": text, "gfm": true, "project": "owner/tool"});
    made(client, "/markdown", body)["html"].as_str().unwrap_or_default().to_owned()
}

fn names_of(list: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(|one| one["username"].as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_text_that_takes_too_long_is_shown_as_it_was_written() {
    let mut one = Limits::without_rates();
    one.texts.one = Milliseconds(0);
    let mut page = Limits::without_rates();
    page.texts.page = Milliseconds(0);
    let mut client = Limits::without_rates();
    client.texts.client = Milliseconds(0);
    for limits in [one, page, client] {
        with_limits(&limits, |server| {
            let cast = Cast::of(server, "public");
            let shown = html(&cast.owner, "*a* <b>");
            assert!(shown.contains(NOTE) && shown.contains("<pre>*a* &lt;b&gt;</pre>"), "{shown}");
            let path = cast.path();
            let asked = json!({"title": "x", "description": "*a* @guest"});
            let iid = made(&cast.owner, &format!("{path}/issues"), asked)["iid"].as_i64().unwrap_or_default();
            let page = server.anonymous().get(&format!("//owner/tool/issues/{iid}")).assert_status(200).text();
            assert!(page.contains(NOTE) && page.contains("<pre>*a* @guest</pre>"), "{page}");
        });
    }
}

#[test]
fn a_request_calls_at_most_so_many_people() {
    let mut limits = Limits::without_rates();
    limits.people.called = 2;
    with_limits(&limits, |server| {
        let cast = Cast::of(server, "public");
        let path = format!("{}/issues", cast.path());
        let called = |body: Value| {
            let iid = made(&cast.owner, &path, body)["iid"].as_i64().unwrap_or_default();
            cast.owner.get(&format!("{path}/{iid}/participants")).assert_status(200).json()
        };
        let text = "@guest @reporter @developer @maintainer";
        let people = called(json!({"title": "x", "description": text}));
        assert_eq!(names_of(&people), ["guest", "owner", "reporter"]);
        // Commands of the same request count as well.
        let people = called(json!({"title": "x", "description": "@guest\n/assign @reporter @developer"}));
        assert_eq!(names_of(&people), ["guest", "owner", "reporter"]);
    });
}

/// The references of the texts are found before the transaction. It begins anew if it meets an unexpected one.
#[both_databases]
fn whatever_is_changed_of_a_text_is_followed(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = format!("{}/issues", cast.path());
    let called = |iid: i64| cast.owner.get(&format!("{path}/{iid}/participants")).assert_status(200).json();
    let made = |body: Value| made(&cast.owner, &path, body)["iid"].as_i64().unwrap_or_default();
    let iid = made(json!({"title": "for @guest", "description": "and @reporter"}));
    assert_eq!(names_of(&called(iid)), ["guest", "owner", "reporter"]);
    // A part of it, the other part, and the title by a command.
    let _ = cast.owner.put(&format!("{path}/{iid}"), json!({"title": "for @developer"})).assert_status(200);
    assert_eq!(names_of(&called(iid)), ["developer", "owner", "reporter"]);
    let _ = cast.owner.put(&format!("{path}/{iid}"), json!({"description": "and @guest"})).assert_status(200);
    assert_eq!(names_of(&called(iid)), ["developer", "guest", "owner"]);
    let body = json!({"body": "/title for @reporter"});
    assert!(cast.owner.post(&format!("{path}/{iid}/notes"), body).status() < 300);
    assert_eq!(names_of(&called(iid)), ["guest", "owner", "reporter"]);
    let body = json!({"body": "see @developer\n/title for @maintainer"});
    assert!(cast.owner.post(&format!("{path}/{iid}/notes"), body).status() < 300);
    assert_eq!(names_of(&called(iid)), ["developer", "guest", "maintainer", "owner"]);
}

/// A long one is formatted in steps, between which no connection to the database is held.
#[both_databases]
fn a_long_text_is_shown_as_a_short_one(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let filler = "word ".repeat(2_000);
    let (text, long) = ("@guest *a* :tada:\n\n[b](b.md)\n", format!("@guest *a* :tada:\n\n[b](b.md)\n\n{filler}\n"));
    let short = html(&cast.guest, text);
    assert!(short.contains("/guest\"") && html(&cast.guest, &long).starts_with(short.trim_end()), "{short}");
    for gfm in [true, false] {
        let sent = |text: &str| json!({"text": text, "gfm": gfm, "project": "owner/tool"});
        for text in [text, &long] {
            server.anonymous().post("/markdown", sent(text)).assert(404, missing("Project"));
            server.client("no such token").post("/markdown", sent(text)).assert(401, unauthorized());
        }
        let shown = |text: &str| made(&cast.guest, "/markdown", sent(text))["html"].as_str().map(str::to_owned);
        let (short, whole) = (shown(text).unwrap_or_default(), shown(&long).unwrap_or_default());
        assert!(whole.starts_with(short.trim_end()) && whole.contains("word word"), "{gfm} {short}");
    }
    let open = project(&cast.owner, "open", "public");
    for (name, text) in [("long.md", &*long), ("short.md", text)] {
        write(&cast.owner, open, "main", name, text);
        let page = server.anonymous().get(&format!("//owner/open/blob/main/{name}")).assert_status(200).text();
        assert!(page.contains("href=\"/owner/open/blob/main/b.md\""), "{name} {page}");
    }
}

/// Each of these took minutes of the write turn, or of a view, before.
#[both_databases]
fn dear_texts_are_stored_and_shown(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = format!("{}/issues", cast.path());
    for repeated in ["<http://a", ">", "$`'", "http://a<"] {
        let text = repeated.repeat(300_000 / repeated.len());
        let issue = made(&cast.owner, &path, json!({"title": "x", "description": text}));
        let iid = issue["iid"].as_i64().unwrap_or_default();
        let _ = cast.owner.post(&format!("{path}/{iid}/notes"), json!({"body": text})).assert_status(201);
        let _ = server.anonymous().get(&format!("//owner/tool/issues/{iid}")).assert_status(200);
    }
}
