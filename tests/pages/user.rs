//! The page of a user, the user's activity, and the public keys.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases, keys};

use crate::browser::Browser;
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

fn world(server: &TestServer) -> User {
    let ada = member(server, "ada");
    let open = project(&ada, "open", "public");
    let secret = project(&ada, "secret", "private");
    for (path, name) in [("ada/open", "open"), ("ada/secret", "secret")] {
        let _ = commit(&ada, path, "main", &format!("First of {name}"), &[("a.txt", b"a\n")]);
    }
    for id in [open, secret] {
        let body = json!({"title": format!("Sticks in {id} {MARKER}"), "description": MARKER});
        let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
        let _ = ada.post(&format!("/projects/{id}/issues/1/notes"), json!({"body": format!("Oil {id} {MARKER}")}));
    }
    let _ = ada.post("/user/keys", json!({"title": "laptop", "key": keys::ED25519})).assert_status(201);
    let about = json!({"bio": MARKER, "location": "London", "organization": "Crew", "website_url": "https://ada.example/x?y=\"z"});
    let _ = server.root().put(&format!("/users/{}", ada.id), about).assert_status(200);
    ada
}

fn safe(browser: &Browser, path: &str) -> String {
    let html = browser.get(path).assert_status(200).html;
    assert!(!html.contains("<img src=x"), "{path}: {html}");
    html
}

#[both_databases]
fn a_user_has_a_page_with_what_others_may_see(server: &TestServer) {
    let _ada = world(server);
    let stranger = Browser::of(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let seen = safe(&stranger, "/ada");
    for part in ["London", "Crew", "href=\"/ada.keys\"", "/ada/open\"", "opened issue #1", "commented on issue #1"] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(!seen.contains("/ada/secret") && !seen.contains("/profile\""), "{seen}");
    let mine = safe(&own, "/ada");
    assert!(mine.contains("/ada/secret") && mine.contains("/profile\""), "{mine}");
    for (path, hidden) in [("/users/ada/activity", "Sticks in"), ("/users/ada/projects", "/ada/")] {
        let (seen, mine) = (safe(&stranger, path), safe(&own, path));
        assert!(seen.matches(hidden).count() < mine.matches(hidden).count() && seen.contains(hidden), "{path}: {seen}");
    }
    let comments = safe(&own, "/users/ada/activity?event_filter=comments&page=1");
    assert!(
        comments.contains("Oil ") && !comments.contains("opened issue") && comments.contains("2 total"),
        "{comments}"
    );
    for odd in ["event_filter=%3Cb%3E", "page=99999999999999999999", "per_page=7&page=-1"] {
        let _ = safe(&own, &format!("/users/ada/activity?{odd}"));
    }
    for (from, to) in [("/users/ada", "/ada"), ("/u/ada", "/ada"), ("/users/ADA", "/ada")] {
        assert_eq!(stranger.get(from).location(), to, "{from}");
    }
    assert!(mine.contains("href=\"/ada/secret/issues/1\"") && mine.contains("in <a href=\"/ada/secret\">"), "{mine}");
    for page in [&seen, &mine] {
        assert!(
            page.contains("<svg class=\"year\" role=\"img\"")
                && page.contains("class=\"much-")
                && page.contains("Contributions by day"),
            "{page}"
        );
    }
    let number = |page: &str| {
        page.split(" contributions in the last year")
            .next()
            .unwrap()
            .rsplit('>')
            .next()
            .unwrap()
            .parse::<i64>()
            .unwrap()
    };
    assert!(number(&seen) < number(&mine));
}

#[both_databases]
fn a_private_profile_says_so(server: &TestServer) {
    let ada = world(server);
    let _ = server.root().put(&format!("/users/{}", ada.id), json!({"private_profile": true})).assert_status(200);
    let stranger = Browser::of(server);
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"})).assert_status(201);
    let _ = ada.post("/projects/ada%2Fopen/star", json!({}));
    for path in [
        "/ada",
        "/users/ada/activity",
        "/users/ada/projects",
        "/users/ada/contributed",
        "/users/ada/starred",
        "/users/ada/groups",
    ] {
        let page = safe(&stranger, path);
        assert!(
            page.contains("This profile is private") && !page.contains("/ada/open") && !page.contains("Sticks in"),
            "{path}: {page}"
        );
    }
    assert!(
        !safe(&stranger, "/users/ada/groups").contains("/groups/crew")
            && !safe(&stranger, "/ada").contains("in the last year")
    );
    assert!(!safe(&stranger, "/ada.atom").contains("<entry>"));
    let _ = group;
    let own = Browser::signed_in(server, "ada", PASSWORD);
    assert!(safe(&own, "/ada").contains("/ada/open\"") && !safe(&own, "/ada").contains("This profile is private"));
}

#[both_databases]
fn projects_and_groups_of_a_user_are_those_that_the_caller_sees(server: &TestServer) {
    let ada = world(server);
    let stranger = Browser::of(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for (name, visibility) in [("crew", "public"), ("deck", "private")] {
        let _ = ada.post("/groups", json!({"name": name, "path": name, "visibility": visibility})).assert_status(201);
    }
    let bob = member(server, "bob");
    let _ = bob.post("/projects", json!({"name": "Bobs", "visibility": "public"})).assert_status(201);
    for project in ["ada%2Fopen", "ada%2Fsecret", "bob%2Fbobs"] {
        let _ = ada.post(&format!("/projects/{project}/star"), json!({}));
    }
    for (path, open, secret) in [
        ("/users/ada/contributed", "/ada/open\"", "/ada/secret\""),
        ("/users/ada/starred", "/bob/bobs\"", "/ada/secret\""),
        ("/users/ada/groups", "/groups/crew\"", "/groups/deck\""),
    ] {
        let (seen, mine) = (safe(&stranger, path), safe(&own, path));
        assert!(
            seen.contains(open) && !seen.contains(secret) && mine.contains(open) && mine.contains(secret),
            "{path}: {seen} {mine}"
        );
        let past = safe(&own, &format!("{path}?page=99"));
        assert!(past.contains("The last page is 1."), "{path}: {past}");
    }
    assert!(!safe(&own, "/users/ada/contributed").contains("/bob/bobs"));
}

#[both_databases]
fn groups_of_a_user_do_not_say_which_hidden_groups_they_are_in(server: &TestServer) {
    let ada = member(server, "ada");
    let cleo = member(server, "cleo");
    let group = |user: &User, name: &str, visibility: &str| {
        let made =
            user.post("/groups", json!({"name": name, "path": name, "visibility": visibility})).assert_status(201);
        made.json()["id"].as_i64().unwrap()
    };
    let (deck, open) = (group(&ada, "deck", "private"), group(&cleo, "open", "public"));
    let _ = ada
        .post(&format!("/groups/{deck}/members"), json!({"user_id": cleo.id, "access_level": 10}))
        .assert_status(201);
    let _ =
        cleo.post(&format!("/groups/{open}/share"), json!({"group_id": deck, "group_access": 30})).assert_status(201);
    // A user who is listed in the open group through the hidden one would be known to be in that.
    for browser in [Browser::of(server), Browser::signed_in(server, "ada", PASSWORD)] {
        let page = safe(&browser, "/users/ada/groups");
        assert!(!page.contains("/groups/open\""), "{page}");
    }
    assert!(!safe(&Browser::of(server), "/users/ada/groups").contains("/groups/deck\""));
    assert!(safe(&Browser::of(server), "/users/cleo/groups").contains("/groups/open\""), "who is in it directly");
}

#[both_databases]
fn projects_contributed_to_are_those_of_contributions_that_the_reader_sees(server: &TestServer) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let id = project(&bob, "tool", "public");
    let secret = json!({"title": "Secret", "confidential": true});
    let issue = ada.post(&format!("/projects/{id}/issues"), secret).assert_status(201).json()["iid"].clone();
    let (stranger, reader) = (Browser::of(server), Browser::signed_in(server, "bob", PASSWORD));
    let page = "/users/ada/contributed";
    assert!(safe(&reader, page).contains("/bob/tool\""), "who may see the issue");
    assert!(!safe(&stranger, page).contains("/bob/tool\""), "who may not");
    let _ = ada.put(&format!("/projects/{id}/issues/{issue}"), json!({"confidential": false}));
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "Open"})).assert_status(201);
    assert!(safe(&stranger, page).contains("/bob/tool\""));
}

#[both_databases]
fn those_who_have_starred_are_listed(server: &TestServer) {
    let ada = world(server);
    let id = ada.get("/projects/ada%2Fopen").json()["id"].as_i64().unwrap();
    for (name, is_private) in [("bob", false), ("cleo", true), ("dan", false)] {
        let user = member(server, name);
        let _ = user.post(&format!("/projects/{id}/star"), json!({}));
        let _ = server
            .root()
            .put(&format!("/users/{}", user.id), json!({"private_profile": is_private}))
            .assert_status(200);
        if name == "dan" {
            let _ = server.root().post(&format!("/users/{}/block", user.id), json!({})).assert_status(201);
        }
    }
    let stranger = Browser::of(server);
    let page = safe(&stranger, "/ada/open/starrers");
    assert!(
        page.contains("@bob") && !page.contains("@cleo") && !page.contains("@dan") && page.contains("1 total"),
        "{page}"
    );
    assert!(safe(&stranger, "/ada/open").contains("href=\"/ada/open/starrers\""));
    assert!(safe(&stranger, "/ada/open/starrers?search=zed").contains("No stars"));
    let missing = stranger.get("/no/page").assert_status(404).html;
    assert_eq!(stranger.get("/ada/secret/starrers").assert_status(404).html, missing);
}

#[both_databases]
fn keys_and_a_feed_are_for_programs(server: &TestServer) {
    let ada = world(server);
    let stranger = Browser::of(server);
    let keys = stranger.get("/ada.keys").assert_status(200);
    assert_eq!(keys.reply.header("content-type"), "text/plain; charset=utf-8");
    assert!(
        keys.html.starts_with("ssh-ed25519 ") && keys.html.ends_with('\n') && keys.html.lines().count() == 1,
        "{}",
        keys.html
    );
    assert_eq!(stranger.get("/ADA.keys").assert_status(301).reply.header("location"), "/ada.keys");
    let feed = safe(&stranger, "/ada.atom");
    assert!(
        feed.contains("<entry>") && feed.contains("<title>Activity of ") && feed.contains("/ada/open/-/issues/1\""),
        "{feed}"
    );
    let missing = stranger.get("/no/page").assert_status(404).html;
    for path in [
        "/none.keys",
        "/.keys",
        "/none.atom",
        "/ada/open.keys",
        "/users/none",
        "/users/none/activity",
        "/users/none/projects",
        "/ada.keys.atom",
    ] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
    // A user who is called like that has a page.
    let _ = server.user("ada.keys");
    assert!(safe(&stranger, "/ada.keys").contains("<h1"));
    let _ = server
        .root()
        .put("/application/settings", json!({"restricted_visibility_levels": ["public"]}))
        .assert_status(200);
    assert_ne!(stranger.get("/ada").reply.status(), 500);
    let _ = ada;
}

#[both_databases]
fn signing_keys_and_days_of_a_user_are_for_programs(server: &TestServer) {
    let ada = world(server);
    let stranger = Browser::of(server);
    assert_eq!(stranger.get("/ada.gpg").assert_status(200).html, "");
    let _ = ada.post("/user/gpg_keys", json!({"key": tenon_testkit::keys::ALICE})).assert_status(201);
    let keys = stranger.get("/ada.gpg").assert_status(200);
    assert_eq!(keys.reply.header("content-type"), "text/plain; charset=utf-8");
    assert!(
        keys.html.starts_with("-----BEGIN PGP PUBLIC KEY BLOCK-----\n")
            && keys.html.ends_with("-----END PGP PUBLIC KEY BLOCK-----\n"),
        "{}",
        keys.html
    );
    assert_eq!(stranger.get("/ADA.gpg").assert_status(301).reply.header("location"), "/ada.gpg");
    let days = |browser: &Browser| browser.get("/users/ada/calendar.json").assert_status(200).reply.json();
    let (seen, mine) = (days(&stranger), days(&Browser::signed_in(server, "ada", PASSWORD)));
    let sum = |days: &serde_json::Value| {
        days.as_object().unwrap().values().filter_map(serde_json::Value::as_i64).sum::<i64>()
    };
    assert!(0 < sum(&seen) && sum(&seen) < sum(&mine), "what the caller may see: {seen} {mine}");
    let missing = stranger.get("/no/page").assert_status(404).html;
    for path in ["/none.gpg", "/.gpg", "/ada.gpg.atom", "/ada.gpg.keys", "/users/none/calendar.json"] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
    let _ = server.root().put(&format!("/users/{}", ada.id), json!({"private_profile": true})).assert_status(200);
    assert_eq!(days(&stranger), json!({}));
}

#[both_databases]
fn a_page_of_a_user_costs_a_bounded_number_of_statements(server: &TestServer) {
    let ada = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let paths = [
        "/ada",
        "/users/ada/starred",
        "/users/ada/contributed",
        "/users/ada/groups",
        "/ada/open/starrers",
        "/dashboard/activity?per_page=100",
        "/dashboard/groups",
        "/users/ada/activity?per_page=100",
        "/users/ada/projects",
        "/ada/open/activity?per_page=100",
    ];
    let count = |path: &str| {
        let _ = browser.get(path).assert_status(200);
        server.count_statements(|| drop(browser.get(path)))
    };
    let before: Vec<_> = paths.iter().map(|path| count(path)).collect();
    for number in 0..15 {
        let _ = ada.post("/projects/ada%2Fopen/issues", json!({"title": format!("More {number}")})).assert_status(201);
        let made =
            ada.post("/projects", json!({"name": format!("more-{number}")})).assert_status(201).json()["id"].clone();
        let _ = ada.post(&format!("/projects/{made}/star"), json!({}));
    }
    let after: Vec<_> = paths.iter().map(|path| count(path)).collect();
    assert!(
        after.iter().zip(&before).all(|(after, before)| *after <= before + 4 && *after <= 61),
        "{before:?} {after:?}"
    );
}

#[both_databases]
fn what_happened_in_a_project_is_listed(server: &TestServer) {
    let ada = world(server);
    let stranger = Browser::of(server);
    let page = safe(&stranger, "/ada/open/activity");
    for part in [
        "opened issue #1",
        "href=\"/ada/open/issues/1\"",
        "/ada/open/issues/1?note=",
        "href=\"/ada/open.atom\"",
        "created branch main",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let only = safe(&stranger, "/ada/open/activity?event_filter=push");
    assert!(!only.contains("opened issue") && only.contains("<option value=\"push\" selected>"), "{only}");
    let missing = stranger.get("/no/page").assert_status(404).html;
    assert_eq!(stranger.get("/ada/secret/activity").assert_status(404).html, missing);
    let _ = ada
        .post("/projects/ada%2Fopen/issues", json!({"title": "Secret issue", "confidential": true}))
        .assert_status(201);
    assert!(!safe(&stranger, "/ada/open/activity").contains("Secret issue"));
}
