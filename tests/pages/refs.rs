//! Branches, tags and releases: pages and forms. And copying a repository into an empty project.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Multipart, TestServer, User, both_databases};

use crate::browser::{Browser, Page};
use crate::project::{MARKER, commit, fill, get, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s, with `dev` as a developer and `guest` as a guest.
fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", &format!("First {MARKER}"), &[("a.txt", b"a\n")]);
    for (name, level) in [("dev", 30), ("guest", 10)] {
        let user = member(server, name);
        let body = json!({"user_id": user.id, "access_level": level});
        let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    }
    (ada, id)
}

fn safe(browser: &Browser, path: &str) -> String {
    let html = browser.get(path).assert_status(200).html;
    assert!(!html.contains("<img src=x"), "{path}: {html}");
    html
}

#[track_caller]
fn done(answer: &Page, to: &str) {
    assert_eq!((answer.reply.status(), answer.reply.header("location").as_str()), (303, to), "{}", answer.html);
}

#[both_databases]
fn branches_are_made_and_deleted_with_forms(server: &TestServer) {
    let (_ada, _) = world(server);
    let dev = Browser::signed_in(server, "dev", PASSWORD);
    let form = dev.get("/ada/tool/branches/new?branch_name=topic/x").assert_status(200);
    assert!(
        form.html.contains("value=\"topic/x\"") && form.html.contains("name=\"ref\" value=\"main\""),
        "{}",
        form.html
    );
    done(&form.send_with(&dev, "/ada/tool/branches", &[]), "/ada/tool/tree/topic/x?ref_type=heads");
    for (fields, want) in [
        ([("branch_name", "topic/x"), ("ref", "main")], "Branch already exists"),
        ([("branch_name", "a b"), ("ref", "main")], "Branch name is invalid"),
        ([("branch_name", MARKER), ("ref", MARKER)], "Branch name is invalid"),
        ([("branch_name", "y"), ("ref", "none")], "Invalid reference name"),
    ] {
        let refused = form.send_with(&dev, "/ada/tool/branches", &fields).assert_status(422);
        assert!(refused.html.contains(want) && !refused.html.contains("<img src=x"), "{want}: {}", refused.html);
    }
    // A branch may be called as one of the pages.
    done(&form.send_with(&dev, "/ada/tool/branches", &[("branch_name", "new")]), "/ada/tool/tree/new?ref_type=heads");
    let list = dev.get("/ada/tool/branches").assert_status(200);
    done(&list.submit(&dev, "/ada/tool/branches/new", &[]), "/ada/tool/branches");
    done(&list.submit(&dev, "/ada/tool/branches/topic/x", &[]), "/ada/tool/branches");
    let left = safe(&dev, "/ada/tool/branches");
    assert!(
        left.contains("Branch deleted.") && !left.contains("topic/x") && !left.contains("/branches/main\""),
        "{left}"
    );
    let token = list.token();
    let delete = |name: &str| {
        dev.post(&format!("/ada/tool/branches/{name}"), &[("_method", "delete"), ("authenticity_token", &token)])
    };
    let kept = delete("main").assert_status(422);
    assert!(
        kept.html.contains("The branch could not be deleted") && kept.html.contains(">Branches</h1>"),
        "{}",
        kept.html
    );
    let _ = delete("none").assert_status(404);
    for order in ["active", "stale", "all"] {
        let _ = safe(&dev, &format!("/ada/tool/branches/{order}?sort=%3Cb%3E&page=-1"));
    }
}

#[both_databases]
fn branches_are_stale_after_three_months(server: &TestServer) {
    let (ada, id) = world(server);
    let _ = ada
        .post(&format!("/projects/{id}/repository/branches"), json!({"branch": "topic", "ref": "main"}))
        .assert_status(201);
    server.advance(TimeDelta::days(89));
    let browser = Browser::of(server);
    let lists = |age: &str| {
        let page = safe(&browser, &format!("/ada/tool/branches/{age}"));
        ["main", "topic"].map(|name| page.contains(&format!("<h3 class=\"cut\"><a href=\"/ada/tool/tree/{name}\">")))
    };
    assert_eq!((lists("active"), lists("stale")), ([true, true], [false, false]));
    let _ = commit(&ada, "ada/tool", "topic", "More", &[("b.txt", b"b\n")]);
    server.advance(TimeDelta::days(2));
    assert_eq!((lists("active"), lists("stale"), lists("all")), ([false, true], [true, false], [true, true]));
    let stale = safe(&browser, "/ada/tool/branches/stale");
    assert!(
        stale.contains(
            "<a href=\"/ada/tool/branches/stale\" aria-current=\"true\">Stale <span class=\"count\">1</span></a>"
        ),
        "{stale}"
    );
    // The list from which a branch is deleted is shown again.
    let _ = ada
        .post(&format!("/projects/{id}/repository/branches"), json!({"branch": "old", "ref": "main"}))
        .assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let deleted = own.get("/ada/tool/branches/stale").submit(&own, "/ada/tool/branches/old", &[]);
    assert_eq!(deleted.location(), "/ada/tool/branches/stale");
}

#[both_databases]
fn merged_branches_are_deleted_together(server: &TestServer) {
    let (ada, id) = world(server);
    for name in ["one", "two"] {
        let _ = ada
            .post(&format!("/projects/{id}/repository/branches"), json!({"branch": name, "ref": "main"}))
            .assert_status(201);
    }
    let _ = commit(&ada, "ada/tool", "two", "More", &[("b.txt", b"b\n")]);
    let _ = commit(&ada, "ada/tool", "main", "On", &[("c.txt", b"c\n")]);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    done(&browser.get("/ada/tool/branches").submit(&browser, "/ada/tool/merged_branches", &[]), "/ada/tool/branches");
    let left = safe(&browser, "/ada/tool/branches");
    assert!(!left.contains("tree/one\"") && left.contains("tree/two\""), "{left}");
}

#[both_databases]
fn a_branch_leads_to_its_merge_request_or_to_a_new_one(server: &TestServer) {
    let (ada, id) = world(server);
    for name in ["one", "two"] {
        let _ = ada
            .post(&format!("/projects/{id}/repository/branches"), json!({"branch": name, "ref": "main"}))
            .assert_status(201);
        let _ = commit(&ada, "ada/tool", name, "More", &[(name, b"b\n")]);
    }
    let request = json!({"source_branch": "one", "target_branch": "main", "title": "One"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), request).assert_status(201);
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1/merge"), json!({})).assert_status(200);
    let own = safe(&Browser::signed_in(server, "ada", PASSWORD), "/ada/tool/branches");
    for count in [
        "All <span class=\"count\">3</span>",
        "Active <span class=\"count\">3</span>",
        "Stale <span class=\"count\">0</span>",
    ] {
        assert!(own.contains(count), "{count}: {own}");
    }
    // The state of the merge request says that the branch is merged.
    assert!(own.contains(">Merged</span> !1</a>") && own.matches(">Merged</span>").count() == 1, "{own}");
    let offered = "aria-label=\"New merge request for two\"";
    assert!(
        own.contains(&format!(
            "<a class=\"button\" href=\"/ada/tool/merge_requests/new?merge_request[source_branch]=two\" {offered}"
        )),
        "{own}"
    );
    assert!(own.contains("data-copy-text=\"two\" aria-label=\"Copy name two\""), "{own}");
    assert!(!safe(&Browser::of(server), "/ada/tool/branches").contains(offered));
}

#[both_databases]
fn only_those_who_may_push_change_branches_and_tags(server: &TestServer) {
    let (ada, id) = world(server);
    let _ = ada
        .post(&format!("/projects/{id}/repository/tags"), json!({"tag_name": "v1", "ref": "main"}))
        .assert_status(201);
    let stranger = Browser::of(server);
    let guest = Browser::signed_in(server, "guest", PASSWORD);
    for path in ["/ada/tool/branches", "/ada/tool/tags", "/ada/tool/tags/v1", "/ada/tool/releases"] {
        for browser in [&stranger, &guest] {
            let page = safe(browser, path);
            assert!(
                !page.contains("value=\"delete\"")
                    && !page.contains("/ada/tool/branches/new\"")
                    && !page.contains("/ada/tool/tags/new\""),
                "{path}: {page}"
            );
        }
    }
    for path in ["/ada/tool/branches/new", "/ada/tool/tags/new", "/ada/tool/import/new"] {
        assert!(stranger.get(path).location().starts_with("/users/sign_in"), "{path}");
    }
    let token = guest.get("/").token();
    let send = |path: &str, method: &str| {
        guest.post(
            path,
            &[
                ("_method", method),
                ("authenticity_token", &token),
                ("branch_name", "x"),
                ("tag_name", "x"),
                ("ref", "main"),
                ("release[description]", "x"),
            ],
        )
    };
    for (path, method) in [
        ("/ada/tool/branches", "post"),
        ("/ada/tool/tags", "post"),
        ("/ada/tool/branches/main", "delete"),
        ("/ada/tool/tags/v1", "delete"),
        ("/ada/tool/tags/v1/release", "put"),
        ("/ada/tool/merged_branches", "delete"),
        ("/ada/tool/import", "post"),
    ] {
        let _ = send(path, method);
        assert!(matches!(send(path, method).reply.status(), 403 | 404 | 422), "{path}");
    }
    assert_eq!(ada.get(&format!("/projects/{id}/repository/branches")).json().as_array().unwrap().len(), 1);
    let _ = ada.get(&format!("/projects/{id}/repository/tags/v1")).assert_status(200);
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let missing = stranger.get("/no/page").assert_status(404).html;
    for path in [
        "/ada/tool/tags/v1",
        "/ada/tool/releases",
        "/ada/tool/releases/v1",
        "/ada/tool/tags.atom",
        "/ada/tool/tags/new",
    ] {
        assert_eq!(stranger.get(path).assert_status(404).html, missing, "{path}");
    }
}

#[both_databases]
fn tags_have_pages_notes_and_a_feed(server: &TestServer) {
    let (ada, id) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser.get("/ada/tool/tags/new").assert_status(200);
    let fields = [
        ("tag_name", "v1.0/rc"),
        ("message", MARKER),
        ("release_description", "# Out\n\n\"><img src=x onerror=alert(1)>"),
    ];
    done(&form.send_with(&browser, "/ada/tool/tags", &fields), "/ada/tool/tags/v1.0/rc");
    let page = safe(&browser, "/ada/tool/tags/v1.0/rc");
    for part in ["Release", "Out</h", "/-/archive/v1.0/rc/tool-v1.0-rc.zip", "/tree/v1.0/rc?ref_type=tags"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let refused =
        form.send_with(&browser, "/ada/tool/tags", &[("tag_name", "v1.0/rc"), ("message", "kept")]).assert_status(422);
    assert!(refused.html.contains(">kept</textarea>") && refused.html.contains("already exists"), "{}", refused.html);
    let _ = ada
        .post(&format!("/projects/{id}/repository/tags"), json!({"tag_name": "new", "ref": "main"}))
        .assert_status(201);
    let _ = ada
        .post(&format!("/projects/{id}/repository/tags"), json!({"tag_name": "plain", "ref": "main"}))
        .assert_status(201);
    let page = browser.get("/ada/tool/tags/plain").assert_status(200);
    assert!(!page.html.contains("<h2>Release</h2>"));
    let saved =
        page.send_with(&browser, "/ada/tool/tags/plain/release", &[("release[description]", "Notes of *plain*")]);
    done(&saved, "/ada/tool/tags/plain");
    let page = browser.get("/ada/tool/tags/plain").assert_status(200);
    assert!(
        page.html.contains("<em>plain</em>") && page.html.contains(">Notes of *plain*</textarea>"),
        "{}",
        page.html
    );
    done(
        &page.send_with(&browser, "/ada/tool/tags/plain/release", &[("release[description]", "Other")]),
        "/ada/tool/tags/plain",
    );
    let stranger = Browser::of(server);
    let releases = safe(&stranger, "/ada/tool/releases");
    assert!(releases.contains("Other") && releases.contains("href=\"/ada/tool/tags/v1.0/rc\""), "{releases}");
    assert!(safe(&stranger, "/ada/tool/releases/plain").contains("Other"));
    let feed = safe(&stranger, "/ada/tool/tags.atom");
    assert!(feed.contains("<title>v1.0/rc</title>") && feed.matches("<entry>").count() == 3, "{feed}");
    assert!(safe(&stranger, "/ada/tool/tags").contains("href=\"/ada/tool/tags.atom\""));
    for path in ["/ada/tool/tags/none", "/ada/tool/releases/none", "/ada/tool/tags/plain/x"] {
        let _ = stranger.get(path).assert_status(404);
    }
    let list = browser.get("/ada/tool/tags").assert_status(200);
    for name in ["v1.0/rc", "new"] {
        done(&list.submit(&browser, &format!("/ada/tool/tags/{name}"), &[]), "/ada/tool/tags");
    }
    assert_eq!(ada.get(&format!("/projects/{id}/repository/tags")).json().as_array().unwrap().len(), 1);
    let _ = ada
        .post(&format!("/projects/{id}/protected_tags"), json!({"name": "plain", "create_access_level": 0}))
        .assert_status(201);
    let kept = list.submit(&browser, "/ada/tool/tags/plain", &[]).assert_status(422);
    assert!(kept.html.contains("The tag could not be deleted"), "{}", kept.html);
    for path in ["/ada/tool/tags", "/ada/tool/tags/plain"] {
        let page = safe(&browser, path);
        assert!(page.contains("Protected") && !page.contains("value=\"delete\""), "{path}: {page}");
    }
}

#[both_databases]
fn an_empty_project_is_filled_from_elsewhere(server: &TestServer) {
    let (ada, _) = world(server);
    let _ = project(&ada, "empty", "private");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(safe(&browser, "/ada/empty").contains("href=\"/ada/empty/import/new\""));
    let form = browser.get("/ada/empty/import/new").assert_status(200);
    for wrong in ["", "file:///etc/passwd", "http://127.0.0.1/x.git"] {
        let refused =
            form.send_with(&browser, "/ada/empty/import", &[("project[import_url]", wrong)]).assert_status(422);
        assert!(
            refused.html.contains("problem-import_url") && refused.html.contains(&format!("value=\"{wrong}\"")),
            "{wrong}: {}",
            refused.html
        );
    }
    done(
        &form.send_with(&browser, "/ada/empty/import", &[("project[import_url]", "https://git.example/x.git")]),
        "/ada/empty",
    );
    assert!(safe(&browser, "/ada/empty").contains("Import in progress"));
    // One that has something is not asked for it.
    let _ = browser.get("/ada/tool/import/new").assert_status(404);
}

#[both_databases]
fn browsers_are_given_a_manifest(server: &TestServer) {
    let browser = Browser::of(server);
    assert!(browser.get("/help").html.contains("<link rel=\"manifest\" href=\"/-/manifest.json\">"));
    let manifest = browser.get("/-/manifest.json").assert_status(200);
    assert_eq!(manifest.reply.json()["icons"][0]["type"], "image/svg+xml");
    assert_eq!(browser.get(manifest.reply.json()["icons"][0]["src"].as_str().unwrap()).reply.status(), 200);
}

#[both_databases]
fn branches_and_tags_are_listed_and_found(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = fill(&ada, "ada/tool");
    let branches = get(server, "/ada/tool/branches").assert_status(200).html;
    assert!(branches.contains("<span class=\"badge\">Default</span>"), "{branches}");
    assert!(branches.contains("/ada/tool/tree/%22%3E%3Cb%3Ex%3C/b%3E\"><bdi>&#34;&#62;&#60;b&#62;x"), "{branches}");
    let found = get(server, "/ada/tool/branches?search=feature").assert_status(200).html;
    assert!(found.contains("1 matching") && found.contains("feature/x") && !found.contains("Default<"));
    let tags = get(server, "/ada/tool/tags").assert_status(200).html;
    assert!(tags.contains("/ada/tool/tags/both\"") && tags.contains("v1.0"));
}

#[both_databases]
fn a_release_is_created_from_the_row_of_a_tag(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    for tag in ["v1", "v2"] {
        let body = json!({"tag_name": tag, "ref": "main"});
        let _ = ada.post("/projects/ada%2Ftool/repository/tags", body).assert_status(201);
    }
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let stranger = Browser::of(server);
    for tag in ["v1", "v2"] {
        let form = format!("/ada/tool/tags/{tag}?release=new");
        assert!(safe(&own, "/ada/tool/tags").contains(&format!("href=\"{form}\"")), "{tag}");
        assert!(!safe(&stranger, "/ada/tool/tags").contains("?release=new"), "{tag}");
        let page = own.get(&form).assert_status(200);
        assert!(page.html.contains("<details open><summary>Add release notes"), "{}", page.html);
        let fields = [("release[description]", "Notes")];
        let _ = page.send_with(&own, &format!("/ada/tool/tags/{tag}/release"), &fields);
        assert!(!safe(&own, "/ada/tool/tags").contains(&form), "{tag}");
    }
    let page = safe(&stranger, "/ada/tool/releases");
    assert_eq!(page.matches(">Latest</span>").count(), 1, "{page}");
    assert!(page.contains("/ada/tool/compare/v1...v2\"") || page.contains("/ada/tool/compare/v2...v1\""), "{page}");
}

#[both_databases]
fn every_download_of_a_release_is_there(server: &TestServer) {
    let (ada, id) = world(server);
    let base = server.app().base_url().to_owned();
    let file = Multipart::default().file("file", "tool.txt", b"a tool");
    let made = ada.multipart("POST", &format!("/projects/{id}/uploads"), &file).assert_status(201).json();
    let upload = made["url"].as_str().unwrap();
    let links = json!([
        {"name": "by path", "url": format!("{base}/ada/tool{upload}")},
        {"name": "by id", "url": format!("{base}/-/project/{id}{upload}")},
        {"name": "raw", "url": format!("{base}/ada/tool/-/raw/main/a.txt")},
        {"name": "placed", "url": format!("{base}/ada/tool{upload}?"), "filepath": "/bin/tool"},
    ]);
    let body = json!({"tag_name": "v1", "ref": "main", "description": "x", "assets": {"links": links}});
    let _ = ada.post(&format!("/projects/{id}/releases"), body).assert_status(201);
    let stranger = Browser::of(server);
    for page in ["/ada/tool/releases", "/ada/tool/releases/v1"] {
        let links = stranger.get(page).assert_status(200).links();
        let of_files = ["/archive/", "/uploads/", "/downloads/", "/raw/"];
        let downloads: Vec<&String> =
            links.iter().filter(|link| of_files.iter().any(|part| link.contains(part))).collect();
        assert_eq!(downloads.len(), 8, "{page}: {links:?}");
        for link in downloads {
            let mut reply = server.anonymous().get(&format!("/{link}"));
            if reply.status() == 302 {
                let target = reply.header("location");
                reply = server.anonymous().get(&format!("/{}", target.strip_prefix(&base).unwrap_or(&target)));
            }
            assert_eq!(reply.status(), 200, "{page}: {link}");
        }
    }
}
