//! Pages that browsers keep, and ask about: the same page is not sent twice, and no page is kept for anyone else.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page};
use crate::issue::tracker;
use crate::project::commit;
use crate::{PASSWORD, member};

/// Asks for a page that the browser has under this tag.
fn again(browser: &Browser, path: &str, tag: &str) -> Page {
    browser.send("GET", path, &[], &[("If-None-Match", tag)])
}

/// A user's browser in which the script runs.
fn with_script(browser: Browser) -> Browser {
    browser.set_cookie("_service_script", "1");
    browser
}

/// The tag of a page that may be kept.
#[track_caller]
fn tag(page: &Page) -> String {
    assert_eq!(
        (page.reply.status(), page.reply.header("cache-control").as_str()),
        (200, "private, no-cache"),
        "{}",
        page.html
    );
    let tag = page.reply.header("etag");
    assert!(tag.starts_with("W/\"") && tag.len() == 36, "{tag}");
    tag
}

#[both_databases]
fn a_page_that_is_the_same_is_not_sent_twice(server: &TestServer) {
    let (ada, id) = tracker(server);
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n"), ("doc/b.md", b"# B\n")]);
    let stranger = Browser::of(server);
    let _ = stranger.get("/users/sign_in");
    let own = with_script(Browser::signed_in(server, "ada", PASSWORD));
    let head = ada.get(&format!("/projects/{id}/repository/commits/main")).json()["id"].as_str().unwrap().to_owned();
    let of_project = [
        "",
        "/tree/main",
        "/tree/main/doc",
        "/blob/main/a.txt",
        "/blob/main/doc/b.md",
        "/blame/main/a.txt",
        "/commits/main",
        "/find_file/main",
        "/branches",
        "/tags",
        "/releases",
        "/issues",
        "/issues/1",
        "/merge_requests",
        "/labels",
        "/milestones",
        "/milestones/1",
        "/activity",
        "/pipelines",
        "/compare/main...main",
    ];
    let paths = of_project.iter().map(|below| format!("/ada/tool{below}")).chain([
        format!("/ada/tool/commit/{head}"),
        "/explore".to_owned(),
        "/explore/groups".to_owned(),
        "/ada".to_owned(),
    ]);
    let paths: Vec<String> = paths.collect();
    let dashboards = [
        "/",
        "/dashboard/issues",
        "/dashboard/merge_requests",
        "/dashboard/todos",
        "/dashboard/activity",
        "/dashboard/groups",
    ]
    .map(str::to_owned);
    for (browser, paths) in [(&stranger, paths.clone()), (&own, [paths, dashboards.to_vec()].concat())] {
        for path in paths {
            let first = browser.get(&path);
            let known = tag(&first);
            let same = again(browser, &path, &format!("\"other\", {known}"));
            assert_eq!((same.reply.status(), same.html.as_str()), (304, ""), "{path}");
            assert_eq!(
                (same.reply.header("etag"), same.reply.header("cache-control")),
                (known, "private, no-cache".to_owned()),
                "{path}"
            );
            // The page that the browser has keeps its policy.
            let policy = |page: &Page| page.reply.header("content-security-policy");
            assert_eq!(policy(&same), policy(&first), "{path}");
        }
    }
    let before = tag(&own.get("/ada/tool/issues/1"));
    let _ = ada.put(&format!("/projects/{id}/issues/1"), json!({"title": "Another title"})).assert_status(200);
    let after = again(&own, "/ada/tool/issues/1", &before).assert_status(200);
    assert!(after.html.contains("Another title") && tag(&after) != before);
    // The token of a form in a page that was kept still fits.
    let kept = own.get("/ada/tool/issues/1");
    let _ = again(&own, "/ada/tool/issues/1", &tag(&kept)).assert_status(304);
    let said = kept.submit(&own, "/ada/tool/issues/1/notes", &[("note[note]", "Said"), ("action", "comment")]);
    assert_eq!(said.reply.status(), 303, "{}", said.html);
}

#[both_databases]
fn a_tag_is_that_of_one_browser(server: &TestServer) {
    let (_ada, _) = tracker(server);
    let _ = member(server, "bob");
    let path = "/ada/tool/issues";
    let own = with_script(Browser::signed_in(server, "ada", PASSWORD));
    let bob = with_script(Browser::signed_in(server, "bob", PASSWORD));
    let (first, second) = (Browser::of(server), Browser::of(server));
    for browser in [&first, &second] {
        let new = browser.get(path).assert_status(200);
        assert_eq!(new.reply.header("cache-control"), "private, no-store", "the answer names the browser");
    }
    let all = [&own, &bob, &first, &second];
    let tags: Vec<String> = all.iter().map(|browser| tag(&browser.get(path))).collect();
    for (at, browser) in all.iter().enumerate() {
        for (of, known) in tags.iter().enumerate() {
            assert_eq!(again(browser, path, known).reply.status() == 304, at == of, "{at} {of}");
        }
    }
    // Another session of the same user has other tokens in its forms.
    let other = with_script(Browser::signed_in(server, "ada", PASSWORD));
    let _ = again(&other, path, &tags[0]).assert_status(200);
}

#[both_databases]
fn a_tag_says_nothing_about_what_is_hidden(server: &TestServer) {
    let (ada, id) = tracker(server);
    let own = with_script(Browser::signed_in(server, "ada", PASSWORD));
    let stranger = Browser::of(server);
    let _ = stranger.get("/users/sign_in");
    let known = tag(&stranger.get("/ada/tool/issues/1"));
    let owned = tag(&own.get("/ada/tool/issues/1"));
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let missing = again(&stranger, "/no/such/page", &known).assert_status(404);
    for tag in [known.as_str(), owned.as_str(), "*"] {
        let hidden = again(&stranger, "/ada/tool/issues/1", tag).assert_status(404);
        assert_eq!(hidden.html, missing.html);
        for name in ["etag", "cache-control", "vary"] {
            assert_eq!(hidden.reply.header(name), missing.reply.header(name), "{name}");
        }
    }
}

#[both_databases]
fn what_belongs_to_one_answer_or_to_an_account_is_not_kept(server: &TestServer) {
    let (_ada, _) = tracker(server);
    let browser = with_script(Browser::signed_in(server, "ada", PASSWORD));
    let not_kept = |page: &Page, what: &str| {
        assert_eq!(
            (page.reply.header("etag").as_str(), page.reply.header("cache-control").as_str()),
            ("", "private, no-store"),
            "{what}"
        );
    };
    for path in [
        "/profile",
        "/profile/personal_access_tokens",
        "/profile/active_sessions",
        "/oauth/applications",
        "/ada/tool/edit",
        "/ada/tool/hooks",
        "/ada/tool/project_members",
        "/ada/tool/issues/new",
        "/ada/tool/issues/1/edit",
        "/users/sign_out",
    ] {
        not_kept(&browser.get(path).assert_status(200), path);
    }
    // A page with a message about an action, and the answer to a form.
    let issue = browser.get("/ada/tool/issues/1");
    let known = tag(&issue);
    let done =
        issue.submit(&browser, "/ada/tool/issues/1/notes", &[("note[note]", "/due 2030-03-01"), ("action", "comment")]);
    assert_eq!(done.reply.status(), 303, "{}", done.html);
    let answered = again(&browser, "/ada/tool/issues/1", &known).assert_status(200);
    assert!(answered.html.contains("Commands applied."), "{}", answered.html);
    not_kept(&answered, "flash");
    let preview = issue
        .submit(&browser, "/ada/tool/issues/1/notes", &[("note[note]", "x"), ("action", "preview")])
        .assert_status(200);
    not_kept(&preview, "preview");
    // If the script does not run, going back would show a page of a user who has signed out.
    let without = Browser::signed_in(server, "ada", PASSWORD);
    not_kept(&without.get("/ada/tool/issues/1").assert_status(200), "without script");
    // Kept texts go when the user signs out.
    let out = browser.get("/").submit(&browser, "/users/sign_out", &[]);
    assert_eq!(out.reply.header("clear-site-data"), "\"cache\"");
    assert_ne!(again(&browser, "/ada/tool/issues/1", &known).reply.status(), 304);
}

#[both_databases]
fn what_is_kept_goes_with_a_session_that_was_ended_elsewhere(server: &TestServer) {
    let (_ada, _) = tracker(server);
    let browser = with_script(Browser::signed_in(server, "ada", PASSWORD));
    let cleared = |page: &Page| page.reply.header("clear-site-data");
    let token = browser.get("/profile").assert_status(200).token();
    assert_eq!(cleared(&browser.get("/profile")), "");
    let other = Browser::signed_in(server, "ada", PASSWORD);
    let ended =
        other.get("/profile/active_sessions").submit(&other, "/profile/active_sessions", &[("_method", "delete")]);
    assert_eq!(ended.reply.status(), 302, "{}", ended.html);
    let asked = browser.get("/profile");
    assert_eq!(
        (asked.location().as_str(), cleared(&asked).as_str()),
        ("/users/sign_in?return_to=%2Fprofile", "\"cache\"")
    );
    let sent = browser.post("/profile/keys", &[("authenticity_token", &token)]).assert_status(401);
    assert_eq!(cleared(&sent), "\"cache\"");
    let form = browser.get("/users/sign_in").assert_status(200);
    assert_eq!(cleared(&form), "\"cache\"");
    let back = form.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", PASSWORD)]);
    assert_eq!((back.location().as_str(), cleared(&back).as_str()), ("/", ""));
    // A browser without a session has nothing to remove.
    assert_eq!(cleared(&Browser::of(server).get("/users/sign_in")), "");
}

#[both_databases]
fn pages_are_sent_in_gzip_where_they_have_no_secrets(server: &TestServer) {
    let (_ada, _) = tracker(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let asked = |path: &str, accepted: &str| own.send("GET", path, &[], &[("Accept-Encoding", accepted)]);
    let path = "/ada/tool/issues";
    let plain = asked(path, "br").assert_status(200);
    let packed = asked(path, "gzip, br");
    assert_eq!((packed.reply.status(), packed.reply.header("content-encoding").as_str()), (200, "gzip"));
    assert!(
        packed.reply.bytes().starts_with(&[0x1f, 0x8b]) && 3 * packed.reply.bytes().len() < plain.reply.bytes().len()
    );
    assert_eq!(plain.reply.header("content-encoding"), "");
    // A request of another site could be compressed with a text that this site has put into the address.
    for (site, want) in [("same-origin", "gzip"), ("none", "gzip"), ("cross-site", ""), ("same-site", "")] {
        let page = own.send("GET", path, &[], &[("Accept-Encoding", "gzip"), ("Sec-Fetch-Site", site)]);
        assert_eq!((page.reply.status(), page.reply.header("content-encoding").as_str()), (200, want), "{site}");
    }
    assert!(plain.reply.header("vary").contains("Accept-Encoding"));
    // The compressed length of a page with a secret would reveal something of the secret.
    for path in ["/profile/personal_access_tokens", "/ada/tool/hooks", "/no/such/page"] {
        assert_eq!(asked(path, "gzip").reply.header("content-encoding"), "", "{path}");
    }
}

#[both_databases]
fn a_page_is_sent_again_when_the_words_of_its_times_change(server: &TestServer) {
    let _ = tracker(server);
    let stranger = Browser::of(server);
    let _ = stranger.get("/users/sign_in");
    let page = stranger.get("/ada/tool/issues/1");
    let at = "<time datetime=\"2026-03-02T12:00:00Z\" title=\"2 Mar 2026, 12:00 UTC\">";
    assert!(page.html.contains(&format!("{at}just now</time>")), "{}", page.html);
    let known = tag(&page);
    let _ = again(&stranger, "/ada/tool/issues/1", &known).assert_status(304);
    server.advance(TimeDelta::hours(3));
    let later = again(&stranger, "/ada/tool/issues/1", &known).assert_status(200);
    assert!(later.html.contains(&format!("{at}3 hours ago</time>")), "{}", later.html);
}
