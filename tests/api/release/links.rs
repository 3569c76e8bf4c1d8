//! Links of releases.

use super::*;

/// Makes a project with a release, and yields the path of its links.
#[track_caller]
fn with_release(server: &TestServer, client: &Client) -> String {
    let tool = repository(client, "tool", "public");
    release(server, client, tool, "v/1");
    format!("{}/v%2F1/assets/links", at(tool))
}

#[both_databases]
fn links_are_added_changed_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let links = with_release(server, &alice);
    let one = made(&alice, &links, json!({"name": "one", "url": "https://example.com/1"}));
    let want = json!({"id": one["id"], "name": "one", "url": "https://example.com/1", "direct_asset_url": "https://example.com/1", "link_type": "other"});
    assert_eq!(one, want);
    let path = format!("{links}/{}", one["id"]);
    assert_eq!(server.anonymous().get(&path).assert_status(200).json(), want);
    let body = json!({"name": "uno", "filepath": "/bin/uno", "link_type": "image"});
    let direct = format!("{}/alice/tool/-/releases/v%2F1/downloads/bin/uno", server.base());
    let want = json!({"id": one["id"], "name": "uno", "url": "https://example.com/1", "direct_asset_url": direct, "link_type": "image"});
    assert_eq!(changed(&alice, &path, body), want);
    assert_eq!(changed(&alice, &path, json!({"url": "https://example.com/1"})), want);
    assert_eq!(alice.delete(&path).assert_status(200).json(), want);
    alice.get(&path).assert(404, message("404 Not found"));
    assert_eq!(alice.get(&links).assert_status(200).json(), json!([]));
}

#[both_databases]
fn links_are_listed_newest_first(server: &TestServer) {
    let alice = server.user("alice");
    let links = with_release(server, &alice);
    for name in ["a", "b", "c"] {
        made(&alice, &links, json!({"name": name, "url": format!("https://example.com/{name}")}));
    }
    let page = server.anonymous().get(&format!("{links}?per_page=2")).assert_status(200);
    assert_eq!((names(&page), page.header("x-total")), (vec!["c".to_owned(), "b".to_owned()], "3".to_owned()));
    assert_eq!(names(&alice.get(&format!("{links}?per_page=2&page=2"))), ["a"]);
}

#[both_databases]
fn a_link_that_cannot_be_is_refused_by_its_field(server: &TestServer) {
    let alice = server.user("alice");
    let links = with_release(server, &alice);
    let taken =
        made(&alice, &links, json!({"name": "taken", "url": "https://example.com/taken", "filepath": "/taken"}));
    let other = made(&alice, &links, json!({"name": "other", "url": "https://example.com/other"}));
    let other = format!("{links}/{}", other["id"]);
    let long = format!("https://example.com/{}", "a".repeat(2030));
    let path = format!("/{}", "a".repeat(128));
    for (body, name, text) in [
        (json!({"name": "taken"}), "name", "has already been taken"),
        (json!({"url": "https://example.com/taken"}), "url", "has already been taken"),
        (json!({"name": "x", "filepath": "/taken"}), "filepath", "has already been taken"),
        (json!({"url": "javascript:alert(1)"}), "url", "is blocked: Only allowed schemes are http, https, ftp"),
        (json!({"url": "/a"}), "url", "is blocked: Only allowed schemes are http, https, ftp"),
        (json!({"url": long}), "url", "is too long (maximum is 2048 characters)"),
        (json!({"name": "n".repeat(256)}), "name", "is too long (maximum is 255 characters)"),
        (json!({"name": "x", "filepath": "a"}), "filepath", "is in an invalid format"),
        (json!({"name": "x", "filepath": "/../a"}), "filepath", "is in an invalid format"),
        (json!({"name": "x", "direct_asset_path": path}), "filepath", "is too long (maximum is 128 characters)"),
    ] {
        alice.put(&other, body.clone()).assert(400, field(name, text));
        let mut whole = json!({"name": "new", "url": "https://example.com/new"});
        whole.as_object_mut().expect("an object").extend(body.as_object().cloned().expect("an object"));
        alice.post(&links, whole).assert(400, field(name, text));
    }
    alice.put(&other, json!({"url": ""})).assert(400, field("url", "can't be blank"));
    alice.put(&other, json!({"name": ""})).assert(400, field("name", "can't be blank"));
    alice.post(&links, json!({})).assert(400, parameter("name is missing, url is missing"));
    alice
        .put(&other, json!({"link_type": "other"}))
        .assert(400, parameter("name, url are missing, at least one parameter must be provided"));
    alice
        .put(&other, json!({"name": "x", "link_type": "y"}))
        .assert(400, parameter("link_type does not have a valid value"));
    // The values that the link has already do not count as taken.
    changed(
        &alice,
        &format!("{links}/{}", taken["id"]),
        json!({"name": "taken", "url": "https://example.com/taken", "filepath": "/taken"}),
    );
}

#[both_databases]
fn a_link_belongs_to_its_release(server: &TestServer) {
    let alice = server.user("alice");
    let links = with_release(server, &alice);
    let link = made(&alice, &links, json!({"name": "a", "url": "https://example.com/a"}));
    let tool = links.split('/').nth(2).and_then(|id| id.parse().ok()).expect("an id");
    release(server, &alice, tool, "v2");
    tag(&alice, tool, "v3");
    let body = json!({"name": "b", "url": "https://example.com/b"});
    for name in ["v2", "v3", "nowhere"] {
        let wrong = format!("{}/{name}/assets/links/{}", at(tool), link["id"]);
        for reply in [alice.get(&wrong), alice.put(&wrong, body.clone()), alice.delete(&wrong)] {
            reply.assert(404, message("404 Not found"));
        }
    }
    for name in ["v3", "nowhere"] {
        let wrong = format!("{}/{name}/assets/links", at(tool));
        alice.get(&wrong).assert(404, message("404 Not found"));
        alice.post(&wrong, body.clone()).assert(404, message("404 Not found"));
    }
    // The same name in another release is another link.
    made(&alice, &format!("{}/v2/assets/links", at(tool)), json!({"name": "a", "url": "https://example.com/a"}));
    assert_eq!(alice.get(&format!("{links}/x")).status(), 404);
}

#[both_databases]
fn who_pushes_writes_links(server: &TestServer) {
    let cast = cast(server, "private");
    made(&cast.owner, &at(cast.project), json!({"tag_name": "v1", "ref": "main"}));
    let links = format!("{}/v1/assets/links", at(cast.project));
    let body = json!({"name": "a", "url": "https://example.com/a"});
    assert_eq!(cast.statuses(|client| client.post(&links, body.clone())), [404, 403, 403, 201, 400, 400, 400]);
    let link = format!("{links}/{}", cast.owner.get(&links).json()[0]["id"]);
    assert_eq!(cast.statuses(|client| client.get(&links)), [404, 403, 200, 200, 200, 200, 200]);
    assert_eq!(cast.statuses(|client| client.get(&link)), [404, 403, 200, 200, 200, 200, 200]);
    assert_eq!(cast.statuses(|client| client.put(&link, body.clone())), [404, 403, 403, 200, 200, 200, 200]);
    assert_eq!(cast.statuses(|client| client.delete(&link)), [404, 403, 403, 200, 404, 404, 404]);
}
