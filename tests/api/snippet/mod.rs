//! Snippets of users and of projects.

mod hostile;
mod limits;
mod rights;
mod talk;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// A new snippet of one file, as older clients send it.
fn old(title: &str, visibility: &str) -> Value {
    json!({"title": title, "file_name": "a.rb", "content": "puts 1\r\n", "visibility": visibility})
}

/// The titles of a list, in order.
fn listed(client: &Client, path: &str) -> Vec<String> {
    texts(&client.get(path).assert_status(200), "title")
}

#[both_databases]
fn a_snippet_is_made_changed_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"title": "Tool", "file_name": "src/a b.rb", "content": "puts 1\r\n", "description": "*d*"});
    let new = made(&alice, "/snippets", body);
    let number = id(&new);
    let page = new["web_url"].as_str().expect("an address").to_owned();
    assert!(page.ends_with(&format!("/snippets/{number}")), "{page}");
    let raw_url = format!("{page}/raw");
    let want = json!({
        "id": number, "title": "Tool", "file_name": "src/a b.rb", "description": "*d*", "visibility": "internal",
        "author": new["author"], "updated_at": new["created_at"], "created_at": new["created_at"], "project_id": null,
        "web_url": page, "raw_url": raw_url,
        "files": [{"path": "src/a b.rb", "raw_url": format!("{raw_url}/main/src/a%20b.rb")}],
    });
    assert_eq!(new, want);
    assert_has(&new["author"], &BASIC_USER);
    let path = format!("/snippets/{number}");
    assert_eq!(alice.get(&path).assert_status(200).json(), want);
    let raw = alice.get(&format!("{path}/raw")).assert_status(200);
    assert_eq!(raw.bytes(), b"puts 1\r\n");
    assert_eq!(
        (raw.header("content-type"), raw.header("x-content-type-options")),
        ("text/plain".into(), "nosniff".into())
    );
    assert_eq!(raw.header("content-security-policy"), "sandbox; default-src 'none'");
    assert!(raw.header("cache-control").contains("private"), "{}", raw.header("cache-control"));
    assert_eq!(raw.header("content-disposition"), "inline; filename=\"a_b.rb\"; filename*=UTF-8''a%20b%2Erb");
    server.advance(TimeDelta::minutes(1));
    let edited = changed(&alice, &path, json!({"title": "Other", "content": "puts 2", "description": null}));
    assert_eq!((&edited["title"], &edited["description"]), (&json!("Other"), &Value::Null));
    assert_ne!(edited["updated_at"], edited["created_at"]);
    assert_eq!(alice.get(&format!("{path}/raw")).text(), "puts 2");
    assert_eq!(changed(&alice, &path, json!({"file_name": "b"}))["file_name"], "b");
    assert_eq!(changed(&alice, &path, json!({"code": "puts 3"}))["file_name"], "b");
    assert_eq!(changed(&alice, &path, json!({"description": "d"}))["description"], "d");
    assert_eq!(changed(&alice, &path, json!({"visibility": "public"}))["visibility"], "public");
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2020 11:00:00 GMT");
    early.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&path).assert_status(204);
    alice.get(&path).assert(404, json!({"message": "404 Not found"}));
    for reply in [
        alice.get(&format!("{path}/raw")),
        alice.get(&format!("{path}/files/main/b/raw")),
        alice.put(&path, json!({"title": "t"})),
        alice.delete(&path),
    ] {
        reply.assert(404, missing("Snippet"));
    }
}

#[both_databases]
fn a_snippet_has_several_files(server: &TestServer) {
    let alice = server.user("alice");
    let files = json!([{"file_path": "a", "content": "1"}, {"file_path": "", "content": "2"}]);
    let new = made(&alice, "/snippets", json!({"title": "t", "files": files}));
    let paths = |snippet: &Value| -> Vec<Value> {
        let files = snippet["files"].as_array().expect("files");
        files.iter().map(|file| file["path"].clone()).collect()
    };
    assert_eq!((paths(&new), &new["file_name"]), (vec![json!("a"), json!("snippetfile1.txt")], &json!("a")));
    let path = format!("/snippets/{}", id(&new));
    let file = |name: &str| alice.get(&format!("{path}/files/main/{name}/raw"));
    assert_eq!(file("snippetfile1.txt").assert_status(200).text(), "2");
    file("none").assert(404, missing("File"));
    let text = "400 Bad request - To update Snippets with multiple files, you must use the `files` parameter";
    alice.put(&path, json!({"content": "x"})).assert(400, json!({"message": text}));
    let changes = json!([
        {"action": "move", "previous_path": "a", "file_path": "d/c.txt"},
        {"action": "create", "file_path": "a", "content": "3"},
        {"action": "update", "file_path": "d/c.txt", "content": "4"},
        {"action": "delete", "file_path": "snippetfile1.txt"},
    ]);
    let edited = changed(&alice, &path, json!({"files": changes}));
    assert_eq!(paths(&edited), ["d/c.txt", "a"]);
    assert_eq!((file("d%2Fc.txt").text(), file("a").text()), ("4".into(), "3".into()));
    // A refused change refuses all changes of its list.
    for (change, answer) in [
        (json!({"action": "create", "file_path": "a", "content": "x"}), field("file_name", "has already been taken")),
        (json!({"action": "update", "file_path": "none", "content": "x"}), field("files", "'none' does not exist")),
        (json!({"action": "delete", "file_path": "d/c.txt"}), field("files", "can't be blank")),
        (json!({"action": "create", "file_path": "b"}), parameter("files[1][content] is missing")),
        (json!({"action": "move", "file_path": "b"}), parameter("files[1][previous_path] is missing")),
        (json!({"action": "chmod", "file_path": "b"}), parameter("files[1][action] does not have a valid value")),
    ] {
        let first =
            json!({"action": "delete", "file_path": if change["action"] == "delete" { "a" } else { "d/c.txt" }});
        alice.put(&path, json!({"files": [first, change]})).assert(400, answer);
    }
    assert_eq!(paths(&alice.get(&path).json()), ["d/c.txt", "a"]);
}

#[both_databases]
fn a_request_without_what_it_needs_is_refused_with_the_text_that_clients_know(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let of_project = format!("{}/snippets", cast.path());
    let owner = &cast.owner;
    owner
        .post("/snippets", json!({}))
        .assert(400, parameter("title is missing, file_name is missing, content is missing"));
    let all = "title is missing, file_name is missing, code is missing, visibility is missing";
    owner.post(&of_project, json!({})).assert(400, parameter(all));
    let both = json!({"title": "t", "content": "c", "files": [{"file_path": "a", "content": "c"}]});
    owner.post("/snippets", both).assert(400, parameter("files, content are mutually exclusive"));
    let mut blank = old("t", "private");
    blank["content"] = json!(" ");
    owner.post("/snippets", blank.clone()).assert(400, field("content", "can't be blank"));
    owner.post(&of_project, blank).assert(400, parameter("code is empty"));
    owner.post("/snippets", old(" ", "private")).assert(400, field("title", "can't be blank"));
    owner.post("/snippets", old("t", "secret")).assert(400, parameter("visibility does not have a valid value"));
    let long = "x".repeat(256);
    let too_long = "is too long (maximum is 255 characters)";
    owner.post("/snippets", old(&long, "private")).assert(400, field("title", too_long));
    let body = json!({"title": "t", "file_name": long, "content": "c"});
    owner.post("/snippets", body).assert(400, field("file_name", too_long));
    let own = format!("/snippets/{}", id(&made(owner, "/snippets", old("t", "private"))));
    let there = format!("{of_project}/{}", id(&made(owner, &of_project, old("t", "private"))));
    let text = "title, file_name, content, visibility are missing, at least one parameter must be provided";
    owner.put(&own, json!({})).assert(400, parameter(text));
    let text = "title, file_name, code, visibility_level are missing, at least one parameter must be provided";
    owner.put(&there, json!({})).assert(400, parameter(text));
    owner.put(&there, json!({"code": ""})).assert(400, parameter("code is empty"));
    owner.get(&format!("{of_project}/x")).assert(400, parameter("snippet_id is invalid"));
    // An empty name is none.
    let nameless = json!({"title": "t", "file_name": "", "content": "c"});
    assert_eq!(made(owner, "/snippets", nameless)["file_name"], "snippetfile1.txt");
}

#[both_databases]
fn lists_have_the_newest_first(server: &TestServer) {
    let [alice, bob, out] = server.users(["alice", "bob", "out"]);
    let _ = server.root().put(&format!("/users/{}", out.id), json!({"external": true})).assert_status(200);
    let project = project(&alice, "tool", "public");
    let of_project = format!("/projects/{project}/snippets");
    let begin = alice.get(&format!("/projects/{project}")).json()["created_at"].clone();
    for (path, client, title, visibility) in [
        ("/snippets", &alice, "own private", "private"),
        ("/snippets", &alice, "own public", "public"),
        (&of_project, &alice, "there internal", "internal"),
        (&of_project, &alice, "there public", "public"),
        ("/snippets", &bob, "bob's public", "public"),
        ("/snippets", &bob, "bob's internal", "internal"),
    ] {
        server.advance(TimeDelta::seconds(1));
        let _ = made(client, path, old(title, visibility));
    }
    assert_eq!(listed(&alice, "/snippets"), ["there public", "there internal", "own public", "own private"]);
    let public = ["bob's public", "there public", "own public"];
    for client in [&*alice, &*out, &server.root()] {
        assert_eq!(listed(client, "/snippets/public"), public);
    }
    let mine = ["bob's public", "there public", "there internal", "own public", "own private"];
    assert_eq!(listed(&alice, "/snippets/all"), mine);
    assert_eq!(listed(&server.root(), "/snippets/all").len(), 6);
    assert_eq!(listed(&bob, &of_project), ["there public", "there internal"]);
    assert_eq!(listed(&out, &of_project), ["there public"]);
    let begin = begin.as_str().expect("a moment").replace('+', "%2B");
    assert_eq!(listed(&alice, &format!("/snippets?created_after={begin}")).len(), 4);
    assert_eq!(listed(&alice, &format!("/snippets?created_before={begin}")).len(), 0);
    let page = alice.get("/snippets?per_page=3&page=2").assert_status(200);
    assert_eq!((page.header("x-total"), texts(&page, "title")), ("4".into(), vec!["own private".to_owned()]));
    // A project that nobody else sees takes its snippets along.
    let _ = changed(&alice, &format!("/projects/{project}"), json!({"visibility": "private"}));
    assert_eq!(listed(&bob, "/snippets/public"), ["bob's public", "own public"]);
    assert_eq!(listed(&alice, "/snippets").len(), 4);
}

#[both_databases]
fn a_search_finds_names_and_contents_of_what_the_caller_reads(server: &TestServer) {
    let [alice, bob] = server.users(["alice", "bob"]);
    let files = json!([{"file_path": "haystack.rb", "content": "the needle is here"}]);
    let _ = made(&alice, "/snippets", json!({"title": "Plain", "files": files, "visibility": "public"}));
    let files = json!([{"file_path": "x", "content": "another needle"}]);
    let _ = made(&alice, "/snippets", json!({"title": "Hidden haystack", "files": files, "visibility": "private"}));
    let found =
        |client: &Client, scope: &str, text: &str| listed(client, &format!("/search?scope={scope}&search={text}"));
    assert_eq!(found(&alice, "snippet_titles", "haystack"), ["Hidden haystack", "Plain"]);
    assert_eq!(found(&bob, "snippet_titles", "HAYSTACK"), ["Plain"]);
    assert_eq!(found(&bob, "snippet_blobs", "needle"), ["Plain"]);
    assert_eq!(found(&alice, "snippet_blobs", "needle").len(), 2);
    assert_eq!(found(&alice, "snippet_blobs", "plain").len(), 0);
}

#[both_databases]
fn administrators_learn_from_where_it_was_sent_and_count_it(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let of_project = format!("{}/snippets", cast.path());
    let agent = cast.owner.header("User-Agent", "Tests/1");
    let own = format!("/snippets/{}", id(&made(&agent, "/snippets", old("t", "private"))));
    let there = format!("{of_project}/{}", id(&made(&agent, &of_project, old("t", "private"))));
    let want = json!({
        "user_agent": "Tests/1", "ip_address": "127.0.0.1", "spamfilter_submitted": false, "akismet_submitted": false,
    });
    for path in [own, there] {
        let path = format!("{path}/user_agent_detail");
        cast.admin.get(&path).assert(200, want.clone());
        cast.owner.get(&path).assert(403, forbidden());
    }
    let counts = cast.admin.get("/application/statistics").assert_status(200).json();
    assert_eq!(counts["snippets"], "2");
}

#[both_databases]
fn snippets_go_with_their_author_and_with_their_project(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let of_project = format!("{}/snippets", cast.path());
    let _ = made(&cast.developer, "/snippets", old("own", "public"));
    let _ = made(&cast.developer, &of_project, old("there", "public"));
    let _ = made(&cast.owner, &of_project, old("owner's", "public"));
    let _ = cast.admin.delete(&format!("/users/{}", cast.developer.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(listed(&cast.admin, "/snippets/all"), ["owner's"]);
    let _ = cast.owner.delete(&cast.path()).assert_status(202);
    assert_eq!(listed(&cast.admin, "/snippets/all"), [""; 0]);
    server.run_jobs();
    let counts = cast.admin.get("/application/statistics").assert_status(200).json();
    assert_eq!(counts["snippets"], "0");
}
