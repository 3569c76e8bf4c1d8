//! Every page that a link leads to, as callers of each kind.

use std::collections::{BTreeMap, VecDeque};

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page, pattern};
use crate::project::fill;
use crate::{PASSWORD, member};

/// Follows all links from these pages. Each answers without an error, and obeys the rules of all pages.
fn crawl(browser: &Browser, from: &[&str]) -> BTreeMap<String, u16> {
    let mut seen = BTreeMap::new();
    let mut ahead: VecDeque<String> = from.iter().map(|path| (*path).to_owned()).collect();
    while let Some(path) = ahead.pop_front() {
        // Signing out would end the walk; the description of the API is no page of ours.
        // Each page leads to the one to sign in, and from there back.
        let is_sign_in = path.starts_with("/users/sign_in?") && seen.contains_key("/users/sign_in");
        if seen.contains_key(&path) || path.starts_with("/api/") || is_repeated(&path) || is_sign_in {
            continue;
        }
        let page = browser.get(&path);
        let status = page.reply.status();
        assert!(matches!(status, 200 | 302), "{path}: {status}");
        let is_raw = page.reply.header("content-security-policy").starts_with("sandbox");
        if status == 200 && page.reply.header("content-type").starts_with("text/html") {
            assert!(!is_raw, "{path}");
            check_rules(&path, &page);
            ahead.extend(page.links());
            // Tabs, pages and modes of pages that were reached without any of them.
            if !path.contains('?') {
                ahead.extend(page.queries().into_iter().map(|query| format!("{path}{query}")));
            }
        }
        seen.insert(path, status);
    }
    seen
}

/// True if the page shows content at another branch, tag or commit that is seen at `main`.
fn is_repeated(path: &str) -> bool {
    let at = pattern(
        "^/[^/]+/[^/]+/(tree|blob|raw|commits|network|blame|find_file|-/archive)/(?:main|feature/x|%22|([^/?]+)/.)",
    );
    at.captures(path).is_some_and(|found| found.get(2).is_some())
}

fn check_rules(path: &str, page: &Page) {
    let html = &page.html;
    // The attributes of all tags, without their values.
    let values = pattern("\"[^\"]*\"");
    let tags = pattern("<[^>]*>");
    for tag in tags.find_iter(&values.replace_all(html, "")) {
        let names: Vec<&str> = tag.as_str().split([' ', '=', '>']).collect();
        let wrong = names.iter().find(|name| **name == "style" || name.starts_with("on"));
        assert_eq!(wrong, None, "{path}: {}", tag.as_str());
    }
    for forbidden in ["href=\"javascript:", "<script>", "<img src=x", "<b>x</b>"] {
        assert!(!html.to_lowercase().contains(forbidden), "{path} has {forbidden}");
    }
    assert_eq!(html.matches("<h1").count(), 1, "{path} has one heading");
    let empty = pattern("<div class=\"(?:bar|clone|head|pictures)\">\\s*</div>").find(html);
    assert_eq!(empty.map(|found| found.as_str()), None, "{path} has an empty row");
    let posts = html.matches("method=\"post\"").count();
    assert_eq!(html.matches("name=\"authenticity_token\"").count(), posts, "{path}: each form has its token");
    let ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "{path}: {ids:?}");
    for id in html.split("<label for=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.contains(&id), "{path}: the label of {id}");
    }
    let header = |name: &str| page.reply.header(name);
    let policy = header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'")
            && policy.contains("frame-ancestors 'none'")
            && !policy.contains("unsafe"),
        "{path}: {policy}"
    );
    assert_eq!(header("referrer-policy"), "same-origin", "{path}");
    assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
    let control = header("cache-control");
    let is_kept = control == "private, no-cache" && !header("etag").is_empty();
    assert!(is_kept || control == "private, no-store" && header("etag").is_empty(), "{path}: {control}");
}

fn world(server: &TestServer) {
    let ada = member(server, "ada");
    for number in 0..60 {
        let name = format!("token {number} <img src=x onerror=alert(1)>");
        let body = json!({"name": name, "scopes": ["api"]});
        let _ = server.root().post(&format!("/users/{}/personal_access_tokens", ada.id), body).assert_status(201);
    }
    let key = json!({"title": "<script>alert(1)</script>", "key": tenon_testkit::keys::ED25519});
    let _ = ada.post("/user/keys", key).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let fields = [
        ("doorkeeper_application[name]", "<img src=x onerror=alert(1)>"),
        ("doorkeeper_application[redirect_uri]", "https://app.example/?x=1"),
        ("doorkeeper_application[scopes][]", "api"),
    ];
    let _ = browser.get("/oauth/applications/new").submit(&browser, "/oauth/applications", &fields).assert_status(201);
    let _ = ada.post("/user/emails", json!({"email": "ada@second.example"})).assert_status(201);
    for (name, visibility) in [("Engine", "private"), ("Shared", "internal"), ("Open", "public")] {
        let body = json!({"name": name, "description": "<b>steam</b>", "visibility": visibility});
        let _ = ada.post("/projects", body).assert_status(201);
        let _ = fill(&ada, &format!("ada/{}", name.to_lowercase()));
        crate::wiki::fill(&ada, &format!("ada/{}", name.to_lowercase()));
        crate::snippet::fill(&ada, &format!("ada/{}", name.to_lowercase()));
    }
    for project in ["engine", "open"] {
        let path = format!("/projects/ada%2F{project}");
        let hostile = "\"><img src=x onerror=alert(1)>";
        let body = json!({"name": format!("bug {hostile}"), "color": "#0033CC", "description": hostile});
        let label = ada.post(&format!("{path}/labels"), body).assert_status(201).json()["name"].clone();
        let body = json!({"title": hostile, "description": hostile});
        let milestone = ada.post(&format!("{path}/milestones"), body).assert_status(201).json()["id"].clone();
        let body = json!({"title": hostile, "description": hostile, "labels": label, "milestone_id": milestone});
        let _ = ada.post(&format!("{path}/issues"), body).assert_status(201);
        let body = json!({"title": "Secret issue", "confidential": true});
        let _ = ada.post(&format!("{path}/issues"), body).assert_status(201);
        let _ = ada.post(&format!("{path}/issues/1/notes"), json!({"body": hostile})).assert_status(201);
        let change = json!({"branch": "feature/x", "commit_message": hostile, "actions": [
            {"action": "update", "file_path": "README.md", "content": hostile},
        ]});
        let _ = ada.post(&format!("{path}/repository/commits"), change).assert_status(201);
        let body =
            json!({"source_branch": "feature/x", "target_branch": "main", "title": hostile, "description": hostile});
        let _ = ada.post(&format!("{path}/merge_requests"), body).assert_status(201);
        let _ = ada.post(&format!("{path}/merge_requests/1/discussions"), json!({"body": hostile})).assert_status(201);
    }
    let group =
        ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public", "description": "<b>x</b>"}));
    let group = group.assert_status(201).json()["id"].as_i64().unwrap();
    let body = json!({"title": "\"><img src=x onerror=alert(1)>", "description": "\"><img src=x onerror=alert(1)>"});
    let _ = ada.post(&format!("/groups/{group}/milestones"), body).assert_status(201);
    let body = json!({"name": "\"><img src=x onerror=alert(1)>", "color": "#0033CC", "description": "<b>x</b>"});
    let _ = ada.post(&format!("/groups/{group}/labels"), body).assert_status(201);
    let _ = ada.post("/groups", json!({"name": "Deck", "path": "deck", "parent_id": group})).assert_status(201);
    let dev = member(server, "dev");
    let _ =
        ada.post("/projects/ada%2Fengine/members", json!({"user_id": dev.id, "access_level": 30})).assert_status(201);
}

/// Pages that the owner of the project and of the group is led to.
const OF_AN_OWNER: [&str; 18] = [
    "/profile/keys",
    "/profile/gpg_keys",
    "/profile/emails",
    "/profile/active_sessions",
    "/oauth/authorized_applications",
    "/oauth/applications",
    "/oauth/applications/new",
    "/oauth/applications/1",
    "/oauth/applications/1/edit",
    "/profile/password/edit",
    "/profile/two_factor_auth",
    "/ada/engine/edit",
    "/groups/crew/-/edit",
    "/groups/crew/-/group_members",
    "/groups/crew/-/labels/new",
    "/groups/crew/-/milestones/new",
    "/groups/crew/-/milestones/1/edit",
    "/ada/engine/branches/stale",
];

#[both_databases]
fn no_link_is_dead_and_no_page_breaks_a_rule(server: &TestServer) {
    world(server);
    let stranger = crawl(&Browser::of(server), &["/", "/users/sign_in", "/ada", "/explore"]);
    assert!(
        stranger.contains_key("/users/sign_in")
            && stranger.contains_key("/help/shortcuts")
            && stranger.contains_key("/ada/open/tree/main/doc")
    );
    assert!(!stranger.keys().any(|path| path.starts_with("/ada/engine") || path.starts_with("/ada/shared")));
    let dev = crawl(&Browser::signed_in(server, "dev", PASSWORD), &["/", "/ada"]);
    assert!(dev.contains_key("/ada/engine/tree/main/doc") && dev.contains_key("/ada/shared/commits/main"));
    for page in [
        "/dashboard/todos",
        "/explore/groups",
        "/groups/crew/-/issues",
        "/groups/crew/-/milestones/1",
        "/groups/crew/-/labels",
        "/dashboard/milestones",
        "/projects/new",
        "/groups/new",
        "/ada/open/forks/new",
        "/ada/engine/project_members",
        "/ada/engine/compare?to=main",
        "/ada/engine/find_file/main",
        "/ada/engine/network/main",
        "/ada/engine/network",
    ] {
        assert_eq!(dev.get(page), Some(&200), "{page}");
    }
    for page in [
        "issues/1",
        "issues/1/edit",
        "issues/new",
        "labels",
        "labels/new",
        "milestones/1",
        "milestones/1/edit",
        "merge_requests/1",
        "merge_requests/1/diffs",
        "merge_requests/1/commits",
        "merge_requests/1/edit",
        "merge_requests/new",
    ] {
        assert_eq!(dev.get(&format!("/ada/engine/{page}")), Some(&200), "{page}");
    }
    let ada =
        crawl(&Browser::signed_in(server, "ada", PASSWORD), &["/", "/profile/personal_access_tokens", "/oauth/device"]);
    for path in OF_AN_OWNER {
        assert_eq!(ada.get(path), Some(&200), "{path}");
    }
    let root = crawl(&Browser::signed_in(server, "root", "root password"), &["/", "/profile", "/ada"]);
    for path in [
        "/admin",
        "/admin/users",
        "/admin/users/new",
        "/admin/users/1",
        "/admin/users/1/edit",
        "/admin/users/1/projects",
        "/admin/users/1/keys",
        "/admin/users/1/impersonation_tokens",
        "/admin/application_settings",
        "/admin/projects",
        "/admin/groups",
        "/admin/backups",
        "/admin/jobs",
        "/admin/applications",
        "/admin/applications/new",
        "/admin/hooks",
        "/admin/broadcast_messages",
        "/admin/variables",
        "/ada/engine/pipelines",
    ] {
        assert_eq!(root.get(path), Some(&200), "{path}");
    }
    // Others see the pages that an administrator sees only if the project allows it.
    let outsider = Browser::of(server);
    for path in root.keys().filter(|path| path.starts_with("/ada/")) {
        let page = outsider.get(path);
        let status = page.reply.status();
        let is_hidden = path.starts_with("/ada/engine") || path.starts_with("/ada/shared");
        // Of a public project, forms are for those who have signed in.
        assert!(
            if is_hidden { status == 404 } else { status != 404 || !stranger.contains_key(path) },
            "{path}: {status}"
        );
        assert!(!page.html.contains("Secret issue"), "{path}");
    }
}

#[both_databases]
fn lists_have_pages(server: &TestServer) {
    world(server);
    let ada = Browser::signed_in(server, "ada", PASSWORD);
    let first = ada.get("/profile/personal_access_tokens").assert_status(200);
    assert!(first.html.contains("Page 1 of 2") && first.html.contains(r#"rel="next""#), "{}", first.html);
    let second = ada.get("/profile/personal_access_tokens?page=2").assert_status(200);
    assert!(second.html.contains("Page 2 of 2") && second.html.contains(r#"rel="prev""#));
    let _ = ada.get("/profile/personal_access_tokens?page=99999999999999999999").assert_status(200);
}

#[both_databases]
fn what_is_hidden_and_what_is_missing_look_the_same(server: &TestServer) {
    world(server);
    let browser = Browser::of(server);
    let missing = browser.get("/no/such/page").assert_status(404);
    for path in ["/ada/engine", "/ada/nothing", "/groups/none", "/profile/none"] {
        let hidden = browser.get(path).assert_status(404);
        assert_eq!(hidden.html, missing.html, "{path}");
    }
    assert!(missing.reply.header("content-type").starts_with("text/html"));
    let _ = browser.post("/no/such/page", &[]).assert_status(404);
}

#[both_databases]
fn files_of_pages_are_packed_and_never_change(server: &TestServer) {
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in");
    for ending in ["css", "js", "svg"] {
        let path = page
            .links()
            .into_iter()
            .chain(page.html.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(ToOwned::to_owned));
        let path = path.into_iter().find(|path| path.starts_with("/assets/") && path.ends_with(ending)).unwrap();
        let file = browser.send("GET", &path, &[], &[("Accept-Encoding", "br")]).assert_status(200);
        assert!(file.reply.header("cache-control").contains("immutable"), "{path}");
        let most = match ending {
            "css" => 32,
            "js" => 40,
            _ => 20,
        };
        assert!(file.html.len() <= most * 1024, "{path}: {}", file.html.len());
    }
    let _ = browser.get("/assets/tenon-0000000000000000.css").assert_status(404);
    let _ = browser.get("/favicon.ico").assert_status(200);
    assert!(browser.get("/robots.txt").assert_status(200).html.contains("Disallow: /profile"));
}
