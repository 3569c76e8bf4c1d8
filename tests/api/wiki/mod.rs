//! Wikis of projects.

mod attachments;
mod hostile;
mod pushed;
mod rights;

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::support::*;

/// The path of the pages of a project.
fn at(project: i64) -> String {
    format!("/projects/{project}/wikis")
}

fn world(server: &TestServer) -> (User, String) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    (alice, at(tool))
}

fn page(client: &Client, wiki: &str, title: &str, content: &str) -> Value {
    made(client, wiki, json!({"title": title, "content": content}))
}

/// The slugs of all pages.
fn slugs(client: &Client, wiki: &str) -> Vec<Value> {
    client.get(wiki).assert_status(200).each("slug")
}

#[both_databases]
fn a_page_is_made_read_changed_and_removed(server: &TestServer) {
    let (alice, wiki) = world(server);
    assert_eq!(alice.get(&wiki).assert_status(200).json(), json!([]));
    alice.get(&format!("{wiki}/home")).assert(404, missing("Wiki Page"));
    let hello = json!({
        "format": "markdown", "slug": "Hello", "title": "Hello", "content": "Hello world", "encoding": "UTF-8",
    });
    assert_eq!(page(&alice, &wiki, "Hello", "Hello world"), hello);
    let one = format!("{wiki}/Hello");
    assert_eq!(alice.get(&one).assert_status(200).json(), hello);
    assert_eq!(
        alice.get(&wiki).assert_status(200).json(),
        json!([{"format": "markdown", "slug": "Hello", "title": "Hello"}])
    );
    assert_eq!(alice.get(&format!("{wiki}?with_content=true")).assert_status(200).json(), json!([hello]));
    let edited = changed(&alice, &one, json!({"content": "Other"}));
    assert_eq!((&edited["content"], &edited["format"]), (&json!("Other"), &json!("markdown")));
    // It is so already.
    assert_eq!(changed(&alice, &one, json!({"content": "Other", "title": "Hello"})), edited);
    let _ = alice.delete(&one).assert_status(204);
    for reply in [alice.get(&one), alice.put(&one, json!({"content": "c"})), alice.delete(&one)] {
        reply.assert(404, missing("Wiki Page"));
    }
    assert_eq!(alice.get(&wiki).assert_status(200).json(), json!([]));
}

#[both_databases]
fn titles_become_slugs(server: &TestServer) {
    let (alice, wiki) = world(server);
    for (title, slug, shown) in [
        ("new title", "new-title", "new title"),
        ("title/sub page", "title/sub-page", "sub page"),
        ("a b/c+d", "a-b/c-d", "c d"),
        ("Füße", "Füße", "Füße"),
    ] {
        let new = page(&alice, &wiki, title, "c");
        assert_eq!((&new["slug"], &new["title"]), (&json!(slug), &json!(shown)), "{title}");
    }
    for path in ["a-b%2Fc-d", "a-b/c-d", "a%20b%2Fc%20d", "a-b%2FC-D"] {
        let found = alice.get(&format!("{wiki}/{path}")).assert_status(200).json();
        assert_eq!(found["slug"], "a-b/c-d", "{path}");
    }
    // Folders have their letter case.
    alice.get(&format!("{wiki}/A-B%2Fc-d")).assert(404, missing("Wiki Page"));
    let _ = page(&alice, &wiki, "A b/x", "c");
    assert_eq!(slugs(&alice, &wiki), ["A-b/x", "Füße", "a-b/c-d", "new-title", "title/sub-page"]);
}

#[both_databases]
fn a_page_has_a_format(server: &TestServer) {
    let (alice, wiki) = world(server);
    for format in ["markdown", "rdoc", "asciidoc", "org"] {
        let body = json!({"title": format, "content": "*c*", "format": format});
        assert_eq!(made(&alice, &wiki, body)["format"], format);
    }
    let odd = json!({"title": "x", "content": "c", "format": "textile"});
    alice.post(&wiki, odd).assert(400, parameter("format does not have a valid value"));
    // A change without a format keeps it.
    let rdoc = format!("{wiki}/rdoc");
    assert_eq!(changed(&alice, &rdoc, json!({"content": "d"}))["format"], "rdoc");
    let moved = changed(&alice, &rdoc, json!({"format": "asciidoc"}));
    assert_eq!((&moved["format"], &moved["content"]), (&json!("asciidoc"), &json!("d")));
    let html =
        |slug: &str| alice.get(&format!("{wiki}/{slug}?render_html=true")).assert_status(200).json()["content"].clone();
    assert_eq!(html("markdown"), "<p><em>c</em></p>");
    assert_eq!(html("org"), "<pre>*c*</pre>");
}

#[both_databases]
fn links_between_pages_lead_into_the_wiki(server: &TestServer) {
    let (alice, wiki) = world(server);
    let text = "[[a page]] [[words|a page]] [x](other) ![p](uploads/1/p.png) [[javascript:alert(1)]] `[[code]]`";
    let _ = page(&alice, &wiki, "home", text);
    let shown = alice.get(&format!("{wiki}/home?render_html=true")).assert_status(200).json();
    let html = shown["content"].as_str().expect("a text");
    for part in [
        r#"href="/alice/tool/-/wikis/a-page">a page</a>"#,
        r#"href="/alice/tool/-/wikis/a-page">words</a>"#,
        r#"href="/alice/tool/-/wikis/other">x</a>"#,
        r#"src="/alice/tool/-/wikis/uploads/1/p.png""#,
        "<code>[[code]]</code>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("href=\"javascript"), "{html}");
}

#[both_databases]
fn a_page_that_is_there_is_not_made_again(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "first");
    let again = |body: Value| alice.post(&wiki, body);
    let taken = field("base", "Duplicate page: A page with that title already exists");
    again(json!({"title": "home", "content": "second"})).assert(400, taken.clone());
    again(json!({"title": "home", "content": "second", "format": "org"})).assert(400, taken);
    assert_eq!(alice.get(&format!("{wiki}/home")).json()["content"], "first");
    // Another letter case is another page.
    let _ = page(&alice, &wiki, "Home", "third");
    assert_eq!(alice.get(&format!("{wiki}/Home")).json()["content"], "third");
}

#[both_databases]
fn a_new_title_moves_a_page(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "a/one", "c");
    let _ = page(&alice, &wiki, "a/two", "c");
    let put = |slug: &str, title: &str| alice.put(&format!("{wiki}/{slug}"), json!({"title": title}));
    let text = "There is already a page with the same title in that path.";
    put("a%2Fone", "two").assert(422, parameter(text));
    assert_eq!(put("a%2Fone", "new one").assert_status(200).json()["slug"], "a/new-one");
    assert_eq!(put("a%2Fnew-one", "/top").assert_status(200).json()["slug"], "top");
    assert_eq!(put("top", "b/c/deep").assert_status(200).json()["slug"], "b/c/deep");
    assert_eq!(slugs(&alice, &wiki), ["a/two", "b/c/deep"]);
}

#[both_databases]
fn what_is_missing_is_named(server: &TestServer) {
    let (alice, wiki) = world(server);
    alice.post(&wiki, json!({})).assert(400, parameter("title is missing, content is missing"));
    alice.post(&wiki, json!({"title": " ", "content": "c"})).assert(400, field("title", "can't be blank"));
    alice.post(&wiki, json!({"title": "t", "content": " "})).assert(400, field("content", "can't be blank"));
    let both = json!({"message": {"title": ["can't be blank"], "content": ["can't be blank"]}});
    alice.post(&wiki, json!({"title": "/", "content": ""})).assert(400, both);
    let _ = page(&alice, &wiki, "home", "c");
    let home = format!("{wiki}/home");
    let nothing = "title, content, format are missing, at least one parameter must be provided";
    alice.put(&home, json!({"message": "m"})).assert(400, parameter(nothing));
    alice.put(&home, json!({"title": " "})).assert(400, field("title", "can't be blank"));
    alice.put(&home, json!({"content": ""})).assert(400, field("content", "can't be blank"));
    // A missing project comes behind a missing parameter, and before all else.
    let _ = alice.post("/projects/999999/wikis", json!({})).assert_status(400);
    alice.post("/projects/999999/wikis", json!({"title": " ", "content": "c"})).assert(404, missing("Project"));
}

#[both_databases]
fn earlier_versions_stay(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "first");
    let first = pushed::head(server, &wiki);
    let home = format!("{wiki}/home");
    let _ = changed(&alice, &home, json!({"content": "second", "message": "A word"}));
    let second = pushed::head(server, &wiki);
    let at = |version: &str| alice.get(&format!("{home}?version={version}"));
    assert_eq!(at(&first).assert_status(200).json()["content"], "first");
    assert_eq!(at(&second).assert_status(200).json()["content"], "second");
    assert_eq!(at("").assert_status(200).json()["content"], "second");
    for odd in ["0123456789012345678901234567890123456789", "none", "..", "-x", "a..b"] {
        at(odd).assert(404, missing("Wiki Page"));
    }
    let messages = pushed::git(server, &wiki, &["log", "--format=%an <%ae> %s"]);
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].ends_with(" A word") && lines[1].ends_with(" alice created page: home"), "{messages}");
    assert!(lines[0].starts_with("alice <"), "{messages}");
    // Nothing changes, so that there is no commit.
    let _ = changed(&alice, &home, json!({"content": "second"}));
    assert_eq!(pushed::head(server, &wiki), second);
}

#[both_databases]
fn a_change_of_a_page_that_has_changed_is_refused(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "first");
    let first = pushed::head(server, &wiki);
    let home = format!("{wiki}/home");
    let put = |content: &str, seen: &str| alice.put(&home, json!({"content": content, "last_commit_sha": seen}));
    let _ = put("second", &first).assert_status(200);
    let text = "You are attempting to update a page that has changed since you started editing it.";
    put("third", &first).assert(409, json!({"message": text}));
    put("third", "no id").assert(409, json!({"message": text}));
    assert_eq!(alice.get(&home).json()["content"], "second");
}

#[both_databases]
fn pages_that_are_made_at_once_are_all_there(server: &TestServer) {
    let (alice, wiki) = world(server);
    std::thread::scope(|scope| {
        for number in 0..6 {
            let (alice, wiki) = (&alice, &wiki);
            scope.spawn(move || page(alice, wiki, &format!("page {number}"), "c"));
        }
    });
    assert_eq!(slugs(&alice, &wiki).len(), 6);
    assert_eq!(pushed::git(server, &wiki, &["rev-list", "--count", "HEAD"]), "6");
    // One of those who make the same page does.
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || alice.post(&wiki, json!({"title": "same", "content": "c"})).status();
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 3, "{statuses:?}");
}

#[both_databases]
fn a_wiki_counts_as_storage(server: &TestServer) {
    let (alice, wiki) = world(server);
    let project = wiki.trim_end_matches("/wikis");
    let sizes = || alice.get(&format!("{project}?statistics=true")).assert_status(200).json()["statistics"].clone();
    assert_eq!(sizes()["wiki_size"], 0);
    let _ = page(&alice, &wiki, "home", "text");
    server.run_jobs();
    let now = sizes();
    let wiki_size = now["wiki_size"].as_i64().expect("a number");
    assert!(wiki_size > 0, "{now}");
    assert_eq!(now["storage_size"], wiki_size + now["repository_size"].as_i64().expect("a number"));
    for order in ["wiki_size", "storage_size"] {
        assert_eq!(alice.get(&format!("/projects?order_by={order}")).assert_status(200).json()[0]["name"], "tool");
    }
}

#[both_databases]
fn the_wiki_goes_with_its_project(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "text");
    let folder = pushed::folder(server, &wiki);
    assert!(folder.exists());
    let _ = alice.delete(wiki.trim_end_matches("/wikis")).assert_status(202);
    server.run_jobs();
    assert!(!folder.exists());
}

#[both_databases]
fn the_title_of_an_answer_renames_nothing(server: &TestServer) {
    let (alice, wiki) = world(server);
    let made = page(&alice, &wiki, "Foo - Bar", "text");
    let slug = made["slug"].as_str().expect("a slug").to_owned();
    let one = format!("{wiki}/{slug}");
    let sent_back = json!({"title": made["title"], "content": "other"});
    assert_eq!(changed(&alice, &one, sent_back)["slug"], slug);
    assert_eq!(slugs(&alice, &wiki), [slug]);
}

#[both_databases]
fn no_project_takes_the_address_of_a_wiki(server: &TestServer) {
    let (alice, _) = world(server);
    let crew = group(&alice, "crew", "private");
    let _ = made(&alice, "/projects", json!({"name": "tool.Wiki", "path": "tool.Wiki", "namespace_id": crew}));
    let moved = alice.put("/projects/crew%2Ftool.Wiki/transfer", json!({"namespace": "alice"}));
    let _ = moved.assert_status(400);
}
