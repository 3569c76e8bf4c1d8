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
