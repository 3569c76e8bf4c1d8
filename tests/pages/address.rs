//! The object that the path of a page names: a project, a group or a user, under the addresses of now and of before.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page};
use crate::project::{fill, project};
use crate::{PASSWORD, member};

#[both_databases]
fn other_spellings_and_older_addresses_lead_to_the_page(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "Tool", "public");
    let _ = fill(&ada, "ada/tool");
    let _ = ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"})).assert_status(201);
    let browser = Browser::of(server);
    for (from, status, to) in [
        ("/Ada/TOOL", 301, "/ada/tool"),
        ("/ada/tool/", 301, "/ada/tool"),
        ("/Ada/tool/tree/main/doc?page=1", 301, "/ada/tool/tree/main/doc?page=1"),
        ("/ada/tool/tree/main/doc/", 301, "/ada/tool/tree/main/doc"),
        ("/ada/tool.git", 302, "/ada/tool"),
        ("/Ada/tool/-/tree/main/doc?page=1", 301, "/ada/tool/-/tree/main/doc?page=1"),
        ("/ADA", 301, "/ada"),
        ("/groups/CREW?page=1", 301, "/groups/crew?page=1"),
    ] {
        let page = browser.get(from);
        assert_eq!((page.reply.status(), page.reply.header("location").as_str()), (status, to), "{from}");
        let _ = browser.get(to).assert_status(200);
    }
    // Pages have both forms.
    for below in ["tree/main/doc", "blob/main/src/a%20b%23c.rs?plain=1", "raw/feature%2Fx/README.md", "commits/main"] {
        // The link to sign in names the address itself.
        let forms = ["", "-/"].map(|dash| browser.get(&format!("/ada/tool/{dash}{below}")).assert_status(200).html);
        let titles = forms.each_ref().map(|html| html.split("</title>").next().unwrap());
        assert_eq!(titles[0], titles[1], "{below}");
    }
    assert_eq!(browser.post("/ada/tool", &[]).reply.status(), 404);
}

#[both_databases]
fn a_project_that_has_moved_is_found_by_those_who_may_see_it(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    for visibility in ["public", "private"] {
        let id = project(&ada, visibility, visibility);
        let _ = fill(&ada, &format!("ada/{visibility}"));
        let _ = ada.put(&format!("/projects/{id}"), json!({"path": format!("new-{visibility}")})).assert_status(200);
    }
    let stranger = Browser::of(server);
    let page = stranger.get("/ada/public/tree/main?x=1");
    let led = |page: &Page| (page.reply.status(), page.reply.header("location"));
    assert_eq!(led(&page), (301, "/ada/new-public/tree/main?x=1".to_owned()));
    // No browser keeps it, because another project may take the path.
    assert_eq!(page.reply.header("cache-control"), "private, no-store");
    let missing = stranger.get("/ada/none").assert_status(404).html;
    for browser in [stranger, Browser::signed_in(server, "bob", PASSWORD)] {
        for path in ["/ada/private", "/ada/new-private", "/ada/private/tree/main", "/ada/new-private/nothing"] {
            assert_eq!(browser.get(path).assert_status(404).html, missing, "{path}");
        }
    }
    let page = Browser::signed_in(server, "ada", PASSWORD).get("/ada/private");
    assert_eq!(led(&page), (301, "/ada/new-private".to_owned()));
    // An object that takes the path is found there from then on.
    let body = json!({"name": "Another", "path": "public", "visibility": "public"});
    let _ = ada.post("/projects", body).assert_status(201);
    assert!(Browser::of(server).get("/ada/public").assert_status(200).html.contains("Another"));
}

#[both_databases]
fn a_group_that_has_moved_is_found_with_all_below_it(server: &TestServer) {
    let ada = member(server, "ada");
    let make = |path: &str, body: serde_json::Value| ada.post(path, body).assert_status(201).json()["id"].clone();
    for (path, visibility) in [("open", "public"), ("secret", "private")] {
        let top = make("/groups", json!({"name": path, "path": path, "visibility": visibility}));
        let below = json!({"name": "below", "path": "below", "parent_id": top, "visibility": visibility});
        let below = make("/groups", below);
        let _ = make("/projects", json!({"name": "tool", "namespace_id": below, "visibility": visibility}));
        let body = json!({"path": format!("new-{path}")});
        let _ = ada.put(&format!("/groups/{top}"), body).assert_status(200);
    }
    let (stranger, own) = (Browser::of(server), Browser::signed_in(server, "ada", PASSWORD));
    for (from, to) in [
        ("/open", "/new-open"),
        ("/groups/open?page=1", "/groups/new-open?page=1"),
        ("/open/below", "/new-open/below"),
        ("/groups/OPEN/below/-/activity?event_filter=push", "/groups/new-open/below/-/activity?event_filter=push"),
        ("/open/below/tool/-/issues?state=all", "/new-open/below/tool/-/issues?state=all"),
    ] {
        let page = stranger.get(from);
        assert_eq!((page.reply.status(), page.reply.header("location")), (301, to.to_owned()), "{from}");
        let _ = stranger.get(to).assert_status(200);
    }
    let missing = stranger.get("/nothing").assert_status(404).html;
    for path in ["/secret", "/new-secret", "/groups/secret", "/groups/secret/-/activity", "/secret/below/tool"] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
    assert_eq!(own.get("/groups/secret").assert_status(301).reply.header("location"), "/groups/new-secret");
    // A user who takes the name takes all paths below it.
    let _ = member(server, "open");
    for path in ["/open/below", "/open/below/tool"] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
    let _ = stranger.get("/open").assert_status(200);
}

#[both_databases]
fn a_session_that_has_ended_reads_what_strangers_read(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = project(&ada, "own", "private");
    let browser = Browser::of(server);
    browser.set_cookie("_service_session", "ended long ago");
    let _ = browser.get("/ada/tool").assert_status(200);
    let _ = browser.get("/ada/own").assert_status(404);
}

#[both_databases]
fn go_finds_the_repository_of_an_import_path(server: &TestServer) {
    let ada = member(server, "ada");
    let group =
        ada.post("/groups", json!({"name": "g", "path": "g", "visibility": "public"})).assert_status(201).json();
    let body = json!({"name": "sub", "path": "sub", "parent_id": group["id"], "visibility": "public"});
    let below = ada.post("/groups", body).assert_status(201).json();
    for (name, visibility) in [("lib", "public"), ("own", "private")] {
        let body = json!({"name": name, "namespace_id": below["id"], "visibility": visibility});
        let _ = ada.post("/projects", body).assert_status(201);
    }
    let (base, browser) = (server.base(), Browser::of(server));
    let host = base.strip_prefix("http://").unwrap();
    for (path, want) in [
        ("g/sub/lib", "g/sub/lib"),
        ("g/sub/lib/deep/er", "g/sub/lib"),
        ("g/sub/own/deep", "g/sub"),
        ("no/thing/here", "no/thing"),
        ("x/%22%3E", "x/%22%3E"),
    ] {
        let page = browser.get(&format!("/{path}?go-get=1")).assert_status(200).html;
        let meta = format!("<meta name=\"go-import\" content=\"{host}/{want} git {base}/{want}.git\">");
        assert!(page.contains(&meta), "{path}: {page}");
    }
}

#[both_databases]
fn go_get_finds_private_projects_by_what_the_client_presents(server: &TestServer) {
    let (ada, eve) = (member(server, "ada"), member(server, "eve"));
    let group = ada.post("/groups", json!({"name": "g", "path": "g"})).assert_status(201).json();
    let body = json!({"name": "sub", "path": "sub", "parent_id": group["id"]});
    let below = ada.post("/groups", body).assert_status(201).json();
    let _ = ada.post("/projects", json!({"name": "own", "namespace_id": below["id"]})).assert_status(201);
    let host = server.base().strip_prefix("http://").unwrap().to_owned();
    let anonymous = server.anonymous();
    let token = |scopes: &[&str]| server.token(ada.id, scopes);
    let (api, reads) = (token(&["api"]), token(&["read_repository"]));
    let asked = "//g/sub/own/deep/er?go-get=1";
    let by_query = |name: &str, token: &str| anonymous.get(&format!("{asked}&{name}={token}"));
    let expired = |user: i64| {
        let body = json!({"name": "old", "scopes": ["api"], "expires_at": "2100-01-01"});
        let made = server.root().post(&format!("/users/{user}/personal_access_tokens"), body).assert_status(201).json();
        let _ = server.root().delete(&format!("/personal_access_tokens/{}", made["id"])).assert_status(204);
        made["token"].as_str().unwrap().to_owned()
    };
    for (reply, finds) in [
        (anonymous.with_token(&api).get(asked), true),
        (anonymous.with_token(&reads).get(asked), true),
        (anonymous.header("Authorization", &format!("Bearer {api}")).get(asked), true),
        (anonymous.basic("ada", &reads).get(asked), true),
        (anonymous.basic("any", &api).get(asked), true),
        (anonymous.basic("ada", PASSWORD).get(asked), true),
        (by_query("private_token", &api), true),
        (by_query("access_token", &api), true),
        (anonymous.get(asked), false),
        (anonymous.with_token("unknown").get(asked), false),
        (anonymous.with_token(&expired(ada.id)).get(asked), false),
        (anonymous.with_token(&token(&["read_user"])).get(asked), false),
        (anonymous.with_token(&eve.token).get(asked), false),
        (anonymous.basic("ada", "wrong horse").get(asked), false),
        (anonymous.basic("eve", &eve.token).get(asked), false),
    ] {
        let page = reply.assert_status(200);
        let want = if finds { "g/sub/own" } else { "g/sub" };
        assert!(page.text().contains(&format!("content=\"{host}/{want} git ")), "{want}: {}", page.text());
        assert!(page.header("cache-control").contains("no-store"), "{}", page.header("cache-control"));
    }
    // Other pages know browsers only.
    let _ = anonymous.with_token(&api).get("//g/sub/own").assert_status(404);
    let _ = anonymous.basic("ada", &api).get("//g/sub/own").assert_status(404);
}

#[both_databases]
fn hidden_and_missing_cost_the_same_questions(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "hidden", "private");
    let group = json!({"name": "Hidden", "path": "hidden", "visibility": "private"});
    let _ = ada.post("/groups", group).assert_status(201);
    let browser = Browser::of(server);
    let count = |path: &str| {
        let _ = browser.get(path).assert_status(404);
        server.count_statements(|| drop(browser.get(path)))
    };
    let missing = count("/ada/none");
    assert_eq!((count("/ada/hidden"), count("/hidden"), count("/absent")), (missing, missing, missing));
}

#[both_databases]
fn groups_and_users_list_the_projects_that_the_caller_may_see(server: &TestServer) {
    let ada = member(server, "ada");
    let group = json!({"name": "Engines", "path": "engines", "visibility": "public", "description": "<b>steam</b>"});
    let group = ada.post("/groups", group).assert_status(201).json();
    let below = json!({"name": "Sub", "path": "sub", "parent_id": group["id"], "visibility": "public"});
    let below = ada.post("/groups", below).assert_status(201).json();
    for (name, visibility) in [("seen", "public"), ("unlisted", "private")] {
        let body = json!({"name": name, "namespace_id": below["id"], "visibility": visibility});
        let _ = ada.post("/projects", body).assert_status(201);
        let _ = project(&ada, name, visibility);
    }
    let (stranger, own) = (Browser::of(server), Browser::signed_in(server, "ada", PASSWORD));
    for path in ["/engines", "/groups/engines", "/engines/sub", "/groups/engines/sub", "/ada"] {
        let page = stranger.get(path).assert_status(200).html;
        assert!(page.contains("/seen\"") && !page.contains("unlisted"), "{path}: {page}");
        assert!(own.get(path).assert_status(200).html.contains("unlisted"), "{path}");
    }
    assert!(stranger.get("/engines").html.contains("&#60;b&#62;steam"));
    assert_eq!(
        stranger.get(group["web_url"].as_str().unwrap().strip_prefix(server.base()).unwrap()).reply.status(),
        200
    );
    for path in ["/groups/ada", "/groups/none", "/groups/engines/sub/seen"] {
        let _ = stranger.get(path).assert_status(404);
    }
    let deep = format!("/engines{}", "/x".repeat(3000));
    let _ = stranger.get(&deep).assert_status(404);
}
