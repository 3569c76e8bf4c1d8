//! Feeds of projects.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, pattern};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

#[both_databases]
fn a_project_has_feeds(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", &format!("First {MARKER}"), &[("a.txt", b"a\n")]);
    let _ = ada
        .post(&format!("/projects/{id}/repository/branches"), json!({"branch": "feature/x", "ref": "main"}))
        .assert_status(201);
    let _ = ada
        .post(
            &format!("/projects/{id}/issues"),
            json!({"title": format!("Sticks \u{1}{MARKER}"), "description": MARKER}),
        )
        .assert_status(201);
    let _ = ada
        .post(&format!("/projects/{id}/issues"), json!({"title": "Secret issue", "confidential": true}))
        .assert_status(201);
    let _ = ada.post(&format!("/projects/{id}/issues/1/notes"), json!({"body": "Oil it"})).assert_status(201);
    server.run_jobs();
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for (path, want) in [
        ("/ada/tool.atom", "/ada/tool/-/issues/1"),
        ("/ada/tool/issues.atom", "Sticks"),
        ("/ada/tool/issues.atom?state=all", "Sticks"),
        ("/ada/tool/commits/main.atom", "/ada/tool/-/commit/"),
        ("/ada/tool/commits/feature/x.atom", "Commits to feature/x"),
    ] {
        let feed = own.get(path).assert_status(200);
        assert!(feed.html.contains(want), "{path}: {}", feed.html);
        assert_eq!(feed.reply.header("content-type"), "application/atom+xml; charset=utf-8");
        assert_eq!(feed.reply.header("content-security-policy"), "sandbox; default-src 'none'");
        assert!(
            !feed.html.contains("<img") && !feed.html.contains('\u{1}') && feed.html.contains("<updated>2"),
            "{path}: {}",
            feed.html
        );
        let base = server.base();
        assert!(feed.html.contains(&format!("<link href=\"{base}")), "{path}: {}", feed.html);
    }
    // An edit moves the feed, and a new path leaves the ids of its entries.
    let kept =
        |html: &str| pattern("<id>[^<]*</id>").find_iter(html).map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
    let before = own.get("/ada/tool/issues.atom?state=all").html;
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "Later"})).assert_status(201);
    server.advance(TimeDelta::hours(1));
    let edited =
        ada.put(&format!("/projects/{id}/issues/1"), json!({"title": "Sticks again"})).assert_status(200).json();
    let after = own.get("/ada/tool/issues.atom?state=all").html;
    let at = &edited["updated_at"].as_str().unwrap()[..19];
    assert!(after.contains(&format!("<id>{}/projects/{id}/issues.atom</id>\n<updated>{at}", server.base())), "{after}");
    assert!(kept(&before).iter().all(|id| kept(&after).contains(id)), "{before}\n{after}");
    let stranger = Browser::of(server);
    for path in ["/ada/tool.atom", "/ada/tool/commits/main.atom"] {
        assert!(!stranger.get(path).assert_status(200).html.contains("Secret issue"), "{path}");
    }
    let missing = stranger.get("/no/page").html;
    for path in ["/ada/none.atom", "/ada/tool/commits/none.atom"] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
    let moved = stranger.get("/ADA/tool.atom").assert_status(301);
    assert_eq!(moved.reply.header("location"), "/ada/tool.atom");
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    for path in ["/ada/tool.atom", "/ada/tool/issues.atom", "/ada/tool/commits/main.atom"] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
}

const TOKENS: &str = "/profile/personal_access_tokens";

/// The token of feeds that the page of access tokens shows.
fn feed_token(browser: &Browser) -> Option<String> {
    let html = browser.get(TOKENS).assert_status(200).html;
    pattern(r#"id="feed-token"[^>]* value="([^"]+)""#).captures(&html).map(|found| found[1].to_owned())
}

fn reset(browser: &Browser) -> String {
    let made = browser.get(TOKENS).submit(browser, "/profile/feed_token", &[]);
    assert_eq!(made.location(), TOKENS);
    feed_token(browser).expect("a token")
}

/// A user with a private project that has feeds, signed in.
fn reader(server: &TestServer) -> (tenon_testkit::User, Browser) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.atom", b"text")]);
    let _ = ada.post(&format!("/projects/{id}/repository/tags"), json!({"tag_name": "v1", "ref": "main"}));
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "Sticks"})).assert_status(201);
    server.run_jobs();
    (ada, Browser::signed_in(server, "ada", PASSWORD))
}

const FEEDS: [&str; 5] = [
    "/ada/tool.atom",
    "/ada/tool/-/issues.atom",
    "/ada/tool/-/tags.atom",
    "/ada/tool/-/commits/main.atom",
    "/ada.atom",
];

#[both_databases]
fn a_feed_token_opens_feeds_and_nothing_else(server: &TestServer) {
    let (ada, own) = reader(server);
    assert_eq!(feed_token(&own), None);
    let token = reset(&own);
    assert_eq!(feed_token(&own).as_ref(), Some(&token), "it is shown again");
    let stranger = Browser::of(server);
    let get = |path: &str| stranger.get(&format!("{path}?feed_token={token}"));
    for path in FEEDS {
        let feed = get(path).assert_status(200);
        assert_eq!(feed.reply.header("content-type"), "application/atom+xml; charset=utf-8", "{path}");
        assert!(feed.html.contains("tool") || path == "/ada.atom", "{path}: {}", feed.html);
        assert!(!feed.html.contains(&token), "{path}: {}", feed.html);
    }
    for path in [
        "/ada/tool",
        "/ada/tool/-/raw/main/a.atom",
        "/ada/tool/-/blob/main/a.atom",
        "/ada/tool/-/issues",
        "/ada/none.atom",
        "/api/v4/projects/ada%2Ftool",
        "/api/v4/user",
    ] {
        assert!(matches!(get(path).reply.status(), 401 | 404), "{path}");
    }
    assert!(get("/profile").location().starts_with("/users/sign_in"));
    for wrong in ["x", &token[1..]] {
        let _ = stranger.get(&format!("/ada/tool.atom?feed_token={wrong}")).assert_status(401);
    }
    let written = stranger.post(&format!("/ada/tool.atom?feed_token={token}"), &[]).reply.status();
    assert!(matches!(written, 404 | 405 | 422), "{written}");
    // Another token takes its place.
    let second = reset(&own);
    let _ = get(FEEDS[0]).assert_status(401);
    let _ = stranger.get(&format!("{}?feed_token={second}", FEEDS[0])).assert_status(200);
    // A token that is deleted opens nothing.
    let deleted = own.get(TOKENS).submit(&own, "/profile/feed_token", &[("_method", "delete")]);
    assert_eq!((deleted.location().as_str(), feed_token(&own)), (TOKENS, None));
    let _ = stranger.get(&format!("{}?feed_token={second}", FEEDS[0])).assert_status(401);
    let second = reset(&own);
    // Users who are shut out have no feeds.
    let _ = server.root().post(&format!("/users/{}/block", ada.id), json!({})).assert_status(201);
    let _ = stranger.get(&format!("{}?feed_token={second}", FEEDS[0])).assert_status(403);
}

#[both_databases]
fn links_to_feeds_of_private_projects_have_the_token(server: &TestServer) {
    let (ada, own) = reader(server);
    let pages = ["/ada/tool/activity", "/ada/tool/-/issues", "/ada/tool/-/tags", "/ada/tool/-/commits/main"];
    // All links of a page to feeds have the same query; the last one is the button.
    let links = |path: &str| -> Vec<String> {
        let html = own.get(path).assert_status(200).html;
        let links = pattern(r#"href="([^"]*\.atom[^"]*)""#);
        links.captures_iter(&html).map(|link| link[1].to_owned()).collect()
    };
    let all_end = |query: &str| {
        pages.iter().all(|page| {
            let found = links(page);
            found.len() == 2 && found.iter().all(|link| link.ends_with(query))
        })
    };
    assert!(all_end(".atom"), "there is no token");
    let token = reset(&own);
    assert!(all_end(&format!(".atom?feed_token={token}")));
    for link in pages.iter().flat_map(|page| links(page)) {
        let _ = Browser::of(server).get(&link).assert_status(200);
    }
    // Not of public ones, and not for administrators who act as the user.
    let _ = ada.put("/projects/ada%2Ftool", json!({"visibility": "public"})).assert_status(200);
    assert!(all_end(".atom"));
    let root = Browser::signed_in(server, "root", "root password");
    let account = root.get(&format!("/admin/users/{}", ada.id));
    let _ = account.submit(&root, &format!("/admin/users/{}/impersonate", ada.id), &[]).location();
    assert_eq!(feed_token(&root), None);
}

#[both_databases]
fn a_setting_forbids_feed_tokens(server: &TestServer) {
    let (_ada, own) = reader(server);
    let token = reset(&own);
    let feed = format!("/ada/tool.atom?feed_token={token}");
    let _ = Browser::of(server).get(&feed).assert_status(200);
    let _ = server.root().put("/application/settings", json!({"disable_feed_token": true})).assert_status(200);
    let _ = Browser::of(server).get(&feed).assert_status(401);
    let page = own.get(TOKENS).assert_status(200);
    assert!(!page.html.contains("Feed token"), "{}", page.html);
    let fields = [("authenticity_token", page.token())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let _ = own.post("/profile/feed_token", &fields).assert_status(403);
    assert!(own.get("/ada/tool/activity").html.contains("/ada/tool.atom\""));
}

#[both_databases]
fn a_feed_token_of_an_administrator_reads_as_any_other_user(server: &TestServer) {
    let (_ada, _own) = reader(server);
    let root = Browser::signed_in(server, "root", "root password");
    let token = reset(&root);
    let _ = root.get("/ada/tool.atom").assert_status(200);
    let _ = Browser::of(server).get(&format!("/ada/tool.atom?feed_token={token}")).assert_status(404);
}
