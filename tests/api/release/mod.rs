//! Releases of tags.

mod change;
mod create;
mod links;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::merge_request::{cast, message, repository, some, text};
use crate::support::*;

/// The address of the releases of a project.
fn at(project: i64) -> String {
    format!("/projects/{project}/releases")
}

/// Makes a tag on `main`.
#[track_caller]
fn tag(client: &Client, project: i64, name: &str) {
    made(client, &format!("/projects/{project}/repository/tags"), json!({"tag_name": name, "ref": "main"}));
}

/// Makes a tag on `main` and its release, an hour after the last one.
#[track_caller]
fn release(server: &TestServer, client: &Client, project: i64, name: &str) -> Value {
    server.advance(TimeDelta::hours(1));
    made(client, &at(project), json!({"tag_name": name, "ref": "main", "description": format!("Notes of {name}")}))
}

/// The tags in a list, and the total in its headers.
#[track_caller]
fn listed(client: &Client, path: &str) -> (Vec<String>, String) {
    let reply = client.get(path).assert_status(200);
    (texts(&reply, "tag_name"), reply.header("x-total"))
}

/// The plain 404.
fn not_found() -> Value {
    json!({"message": "404 Not Found"})
}

#[both_databases]
fn a_release_shows_everything_that_clients_read(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let release =
        made(&alice, &at(tool), json!({"tag_name": "v/1", "ref": "main", "name": "One", "description": "**Notes**"}));
    let commit = alice.get(&format!("/projects/{tool}/repository/commits?per_page=1")).json()[0].clone();
    let (base, page) = (server.base(), format!("{}/alice/tool", server.base()));
    let source = |format: &str| json!({"format": format, "url": format!("{page}/-/archive/v/1/tool-v-1.{format}")});
    let listed = |what: &str, state: &str| format!("{page}/-/{what}?release_tag=v%2F1&scope=all&state={state}");
    let author: serde_json::Map<_, _> =
        BASIC_USER.iter().map(|field| ((*field).to_owned(), alice.get("/user").json()[field].clone())).collect();
    let want = json!({
        "tag_name": "v/1", "name": "One", "description": "**Notes**",
        "created_at": release["created_at"], "released_at": release["created_at"], "upcoming_release": false,
        "author": author, "commit": commit,
        "commit_path": text(&commit["web_url"]).strip_prefix(base), "tag_path": "/alice/tool/-/tags/v/1",
        "assets": {"count": 4, "sources": [source("zip"), source("tar.gz"), source("tar.bz2"), source("tar")], "links": []},
        "evidences": [],
        "_links": {
            "self": format!("{page}/-/releases/v%2F1"), "edit_url": format!("{page}/-/releases/v%2F1/edit"),
            "opened_issues_url": listed("issues", "opened"), "closed_issues_url": listed("issues", "closed"),
            "opened_merge_requests_url": listed("merge_requests", "opened"),
            "closed_merge_requests_url": listed("merge_requests", "closed"),
            "merged_merge_requests_url": listed("merge_requests", "merged"),
        },
    });
    assert_eq!(release, want);
    assert!(text(&release["created_at"]).starts_with("2026-03-02T12:00:00."), "{release}");
    let one = format!("{}/v%2F1", at(tool));
    assert_eq!(server.anonymous().get(&one).assert_status(200).json(), want);
    assert_eq!(server.anonymous().get(&at(tool)).assert_status(200).json(), json!([want]));
    let html = alice.get(&format!("{one}?include_html_description=true")).json()["description_html"].clone();
    assert!(text(&html).contains("<strong>Notes</strong>"), "{html}");
}

#[both_databases]
fn releases_are_listed_by_when_they_were_released_or_made(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = at(tool);
    for name in ["v1", "v2", "v3"] {
        release(server, &alice, tool, name);
    }
    changed(&alice, &format!("{path}/v1"), json!({"released_at": "2030-01-01T00:00:00Z"}));
    let list = |query: &str| listed(&alice, &format!("{path}?{query}")).0;
    assert_eq!(list(""), ["v1", "v3", "v2"]);
    assert_eq!(list("sort=asc"), ["v2", "v3", "v1"]);
    assert_eq!(list("order_by=created_at"), ["v3", "v2", "v1"]);
    assert_eq!(list("order_by=created_at&sort=asc"), ["v1", "v2", "v3"]);
    assert_eq!(listed(&alice, &format!("{path}?per_page=2&page=2")), (vec!["v2".to_owned()], "3".to_owned()));
    assert_eq!(listed(&alice, &format!("{path}?per_page=2&page=3")), (vec![], "3".to_owned()));
    alice.get(&format!("{path}?order_by=age")).assert(400, parameter("order_by does not have a valid value"));
    alice.get(&format!("{path}?sort=up")).assert(400, parameter("sort does not have a valid value"));
    assert_eq!(alice.get(&path).json()[0]["upcoming_release"], true);
}

#[both_databases]
fn descriptions_are_rendered_within_a_budget(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let issue = titled(&alice, tool, "Broken");
    assert!(issue.ends_with("/1"));
    server.advance(TimeDelta::hours(1));
    made(&alice, &at(tool), json!({"tag_name": "old", "ref": "main", "description": "x".repeat(600_000)}));
    server.advance(TimeDelta::hours(1));
    made(&alice, &at(tool), json!({"tag_name": "large", "ref": "main", "description": "x".repeat(600_000)}));
    server.advance(TimeDelta::hours(1));
    made(&alice, &at(tool), json!({"tag_name": "new", "ref": "main", "description": "Mends #1 for @alice <script>"}));
    let releases = alice.get(&format!("{}?include_html_description=true", at(tool))).assert_status(200).json();
    let html = text(&releases[0]["description_html"]);
    assert!(
        html.contains("/alice/tool/-/issues/1\"") && html.contains("/alice\"") && !html.contains("<script"),
        "{html}"
    );
    assert_has(&releases[1], &["description_html"]);
    assert_lacks(&releases[2], &["description_html"]);
    assert_lacks(&alice.get(&at(tool)).json()[0], &["description_html"]);
}

#[both_databases]
fn the_newest_release_has_an_address_of_its_own(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "private");
    let latest = format!("{}/permalink/latest", at(tool));
    alice.get(&latest).assert(404, not_found());
    release(server, &alice, tool, "v1");
    release(server, &alice, tool, "v/2");
    let reply = alice.get(&latest).assert_status(302);
    let there = reply.header("location");
    assert_eq!(there, format!("{}/api/v4/projects/{tool}/releases/v%2F2", server.base()));
    assert_eq!(
        alice.get(there.strip_prefix(server.base()).expect("here")).assert_status(200).json()["tag_name"],
        "v/2"
    );
    server.anonymous().get(&latest).assert(404, missing("Project"));
    // A tag of that name is found all the same.
    release(server, &alice, tool, "permalink");
    assert_eq!(alice.get(&format!("{}/permalink", at(tool))).assert_status(200).json()["name"], "permalink");
}

#[both_databases]
fn the_release_of_a_tag_is_its_release_notes(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let tags = format!("/projects/{tool}/repository/tags");
    tag(&alice, tool, "v1");
    made(&alice, &format!("{tags}/v1/release"), json!({"description": "Notes"}));
    let shown = alice.get(&format!("{}/v1", at(tool))).assert_status(200).json();
    assert_eq!(some(&shown, &["name", "description"]), json!(["v1", "Notes"]));
    assert_eq!(shown["author"]["username"], "alice");
    changed(&alice, &format!("{}/v1", at(tool)), json!({"name": "One", "description": "More"}));
    assert_eq!(alice.get(&format!("{tags}/v1")).json()["release"], json!({"tag_name": "v1", "description": "More"}));
    changed(&alice, &format!("{tags}/v1/release"), json!({"description": "Most"}));
    let shown = alice.get(&format!("{}/v1", at(tool))).json();
    assert_eq!(some(&shown, &["name", "description"]), json!(["One", "Most"]));
    made(&alice, &tags, json!({"tag_name": "v2", "ref": "main", "release_description": "Two"}));
    assert_eq!(alice.get(&format!("{}/v2", at(tool))).json()["author"]["username"], "alice");
    // A tag that is removed takes its release along.
    made(&alice, &format!("{}/v2/assets/links", at(tool)), json!({"name": "a", "url": "https://example.com/a"}));
    let _ = alice.delete(&format!("{tags}/v2")).assert_status(204);
    assert_eq!(listed(&alice, &at(tool)), (vec!["v1".to_owned()], "1".to_owned()));
    tag(&alice, tool, "v2");
    assert_eq!(release(server, &alice, tool, "v2")["assets"]["count"], 4);
}

#[both_databases]
fn a_release_that_is_not_there_is_not_found(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    tag(&alice, tool, "v1");
    for name in ["v1", "v2", "a%20b", "..%2F..", "%E2%80%AE"] {
        alice.get(&format!("{}/{name}", at(tool))).assert(404, not_found());
    }
    alice.get("/projects/999999/releases").assert(404, missing("Project"));
    let empty = project(&alice, "empty", "public");
    assert_eq!(alice.get(&at(empty)).assert_status(200).json(), json!([]));
}

#[both_databases]
fn who_reads_the_code_reads_releases_and_who_pushes_writes_them(server: &TestServer) {
    let cast = cast(server, "private");
    let path = at(cast.project);
    made(&cast.owner, &path, json!({"tag_name": "v1", "ref": "main"}));
    assert_eq!(cast.statuses(|client| client.get(&path)), [404, 403, 200, 200, 200, 200, 200]);
    assert_eq!(cast.statuses(|client| client.get(&format!("{path}/v1"))), [404, 403, 200, 200, 200, 200, 200]);
    assert_eq!(
        cast.statuses(|client| client.post(&path, json!({"tag_name": "v2", "ref": "main"}))),
        [404, 403, 403, 201, 409, 409, 409]
    );
    assert_eq!(
        cast.statuses(|client| client.put(&format!("{path}/v1"), json!({"name": "x"}))),
        [404, 403, 403, 200, 200, 200, 200]
    );
    assert_eq!(cast.statuses(|client| client.delete(&format!("{path}/v2"))), [404, 403, 403, 200, 404, 404, 404]);
    // The right to read comes before the parameters.
    assert_eq!(cast.statuses(|client| client.post(&path, json!({}))), [404, 403, 400, 400, 400, 400, 400]);
    let anonymous = server.anonymous();
    anonymous.get(&path).assert(404, missing("Project"));
    anonymous.post(&path, json!({})).assert(401, unauthorized());
}

#[both_databases]
fn the_releases_of_an_archived_project_can_only_be_read(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = at(tool);
    made(
        &alice,
        &path,
        json!({"tag_name": "v1", "ref": "main", "assets": {"links": [{"name": "a", "url": "https://example.com/a"}]}}),
    );
    let link = format!("{path}/v1/assets/links/{}", alice.get(&format!("{path}/v1/assets/links")).json()[0]["id"]);
    let _ = alice.post(&format!("/projects/{tool}/archive"), json!({})).assert_status(200);
    let body = json!({"name": "b", "url": "https://example.com/b"});
    for reply in [
        alice.post(&path, json!({"tag_name": "v2", "ref": "main"})),
        alice.put(&format!("{path}/v1"), json!({"name": "x"})),
        alice.delete(&format!("{path}/v1")),
        alice.post(&format!("{path}/v1/assets/links"), body.clone()),
        alice.put(&link, body),
        alice.delete(&link),
    ] {
        reply.assert(403, forbidden());
    }
    assert_eq!(server.anonymous().get(&format!("{path}/v1")).assert_status(200).json()["assets"]["count"], 5);
}

#[both_databases]
fn sources_and_paths_of_links_can_be_fetched(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, hidden) = (repository(&alice, "tool", "public"), repository(&alice, "hidden", "private"));
    let links = json!({"links": [{"name": "a", "url": "https://example.com/ä", "filepath": "/bin/a.zip"}]});
    for project in [tool, hidden] {
        let release = made(&alice, &at(project), json!({"tag_name": "x/v1.0", "ref": "main", "assets": links}));
        let urls: Vec<String> = release["assets"]["sources"]
            .as_array()
            .expect("sources")
            .iter()
            .map(|source| text(&source["url"]))
            .collect();
        let asset = text(&release["assets"]["links"][0]["direct_asset_url"]);
        assert!(asset.ends_with("/-/releases/x%2Fv1.0/downloads/bin/a.zip"), "{asset}");
        let path = |url: &str| format!("/{}", url.strip_prefix(server.base()).expect("here"));
        for url in &urls {
            let reply = alice.get(&path(url)).assert_status(200);
            assert!(
                reply.header("content-disposition").starts_with("attachment; filename=") && !reply.bytes().is_empty(),
                "{url}"
            );
        }
        let web = path(&asset);
        let api = format!("{}/x%2Fv1.0/downloads/bin/a.zip", at(project));
        for address in [&web, &api] {
            assert_eq!(alice.get(address).assert_status(302).header("location"), "https://example.com/%C3%A4");
        }
        let other = if project == tool { 200 } else { 404 };
        assert_eq!(server.anonymous().get(&path(&urls[0])).status(), other);
        assert_eq!(server.anonymous().get(&web).status(), if project == tool { 302 } else { 404 });
        assert_eq!(server.anonymous().get(&api).status(), if project == tool { 302 } else { 404 });
        for wrong in [
            "//alice/tool/-/archive/nowhere/x.zip",
            "//alice/tool/-/archive/x/v1.0/x.exe",
            "//alice/tool/-/releases/x%2Fv1.0/downloads/bin",
        ] {
            assert_eq!(alice.get(wrong).status(), 404, "{wrong}");
        }
    }
}
