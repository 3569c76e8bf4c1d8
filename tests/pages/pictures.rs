//! Pictures in differences, in texts and in what has moved.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tenon_testkit::{Multipart, TestServer, User, both_databases};

use crate::browser::{Browser, first, pattern};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

/// A change of pictures of a private project: one is changed, one removed and one added. The commit before and the one after.
fn changed_pictures(ada: &User) -> (String, String) {
    let id = project(ada, "tool", "private");
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>\n";
    let files: [(&str, &[u8]); 4] =
        [("a b.png", b"\x89PNG\0one"), ("gone.gif", b"GIF\0"), ("drawn.svg", svg), ("data.bin", b"\0one")];
    let before = commit(ada, "ada/tool", "main", "First", &files);
    let encoded = |bytes: &[u8]| STANDARD.encode(bytes);
    let body = json!({"branch": "topic", "start_branch": "main", "commit_message": "Redraw", "actions": [
        {"action": "update", "file_path": "a b.png", "content": encoded(b"\x89PNG\0three"), "encoding": "base64"},
        {"action": "delete", "file_path": "gone.gif"},
        {"action": "create", "file_path": "new.jpeg", "content": encoded(b"\xff\0"), "encoding": "base64"},
        {"action": "update", "file_path": "drawn.svg", "content": String::from_utf8_lossy(svg).replace('9', "8")},
        {"action": "update", "file_path": "data.bin", "content": encoded(b"\0two"), "encoding": "base64"},
    ]});
    let made = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201).json();
    let request = json!({"source_branch": "topic", "target_branch": "main", "title": "Redraw"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), request).assert_status(201);
    (before, made["id"].as_str().expect("an id").to_owned())
}

#[both_databases]
fn pictures_that_differ_are_shown_before_and_after(server: &TestServer) {
    let ada = member(server, "ada");
    let (before, after) = changed_pictures(&ada);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let pages = [
        format!("/ada/tool/commit/{after}"),
        "/ada/tool/compare/main...topic".to_owned(),
        "/ada/tool/merge_requests/1/diffs?view=inline".to_owned(),
        "/ada/tool/merge_requests/1/diffs?view=parallel".to_owned(),
    ];
    for path in pages {
        let page = browser.get(&path).assert_status(200).html;
        for (commit, name, words, size) in [
            (&before, "a%20b.png", "a b.png before", "Before: 8 bytes"),
            (&after, "a%20b.png", "a b.png after", "After: 10 bytes"),
            (&before, "gone.gif", "gone.gif before", "Before: 4 bytes"),
            (&after, "new.jpeg", "new.jpeg after", "After: 2 bytes"),
            (&before, "drawn.svg", "drawn.svg before", "Before: 63 bytes"),
            (&after, "drawn.svg", "drawn.svg after", "After: 63 bytes"),
        ] {
            let picture = format!("<img src=\"/ada/tool/raw/{commit}/{name}\" alt=\"{words}\"");
            assert!(page.contains(&picture) && page.contains(size), "{path}: {picture}: {page}");
        }
        assert_eq!(page.matches("<figure>").count(), 6, "{path}: {page}");
        // A picture that is a text has its lines too; what is neither a picture nor a text says so.
        assert!(page.contains("class=\"added\""), "{path}: {page}");
        assert_eq!(page.matches("Binary file not shown.").count(), 1, "{path}: {page}");
        for found in pattern("<img src=\"(/ada/tool/raw/[^\"]+)\"").captures_iter(&page) {
            let answer = browser.get(&found[1]).assert_status(200).reply;
            assert!(answer.header("content-type").starts_with("image/"), "{}", &found[1]);
            let _ = Browser::of(server).get(&found[1]).assert_status(404);
        }
    }
}

#[both_databases]
fn a_pdf_is_shown_by_the_browser_and_cannot_act(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "private");
    let files: [(&str, &[u8]); 4] = [
        ("doc.PDF", b"%PDF-1.4\n%\xe2\xe3\0"),
        ("text.pdf", b"<script>alert(1)</script>"),
        ("other.bin", b"%PDF-1.4\n\0"),
        ("odd.pdf", b"\0\0"),
    ];
    let _ = commit(&ada, "ada/tool", "main", "First", &files);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/ada/tool/blob/main/doc.PDF").assert_status(200);
    let object = "<object data=\"/ada/tool/raw/main/doc.PDF\" type=\"application/pdf\"";
    assert!(page.html.contains(object) && page.html.contains(">Open file</a></p></object>"), "{}", page.html);
    let policy = page.reply.header("content-security-policy");
    assert!(policy.ends_with("; object-src 'self'; frame-src 'self'") && policy.contains("frame-ancestors 'none'"));
    let answer = browser.get("/ada/tool/raw/main/doc.PDF").assert_status(200).reply;
    assert_eq!(answer.header("content-type"), "application/pdf");
    assert_eq!(answer.header("content-disposition"), "inline");
    let guards = |reply: &tenon_testkit::Reply| {
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("x-frame-options"), "SAMEORIGIN");
        let policy = reply.header("content-security-policy");
        assert_eq!(policy, "sandbox; default-src 'none'; frame-ancestors 'self'");
    };
    guards(&answer);
    let tag = answer.header("etag");
    let known = browser.send("GET", "/ada/tool/raw/main/doc.PDF", &[], &[("If-None-Match", &tag)]).assert_status(304);
    guards(&known.reply);
    let _ = Browser::of(server).get("/ada/tool/raw/main/doc.PDF").assert_status(404);
    // Only a file that begins as PDF is one, and only if its name says so.
    for (path, kind) in [
        ("text.pdf", "text/plain; charset=utf-8"),
        ("other.bin", "application/octet-stream"),
        ("odd.pdf", "application/octet-stream"),
    ] {
        let page = browser.get(&format!("/ada/tool/blob/main/{path}")).assert_status(200);
        assert!(!page.html.contains("<object"), "{path}");
        assert!(!page.reply.header("content-security-policy").contains("object-src"), "{path}");
        let answer = browser.get(&format!("/ada/tool/raw/main/{path}")).assert_status(200).reply;
        assert_eq!(answer.header("content-type"), kind, "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
    }
}

/// Uploads a file, and returns its address in texts of the project.
fn upload(ada: &User, project: i64, name: &str, bytes: &[u8]) -> String {
    let form = Multipart::default().file("file", name, bytes);
    let made = ada.multipart("POST", &format!("/projects/{project}/uploads"), &form).assert_status(201).json();
    made["url"].as_str().expect("an address").to_owned()
}

#[both_databases]
fn a_milestone_that_moves_up_keeps_its_pictures(server: &TestServer) {
    let ada = member(server, "ada");
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].clone();
    let tool = ada.post("/projects", json!({"name": "tool", "namespace_id": group})).assert_status(201).json();
    let tool = tool["id"].as_i64().expect("an id");
    let url = upload(&ada, tool, "a.png", b"\x89PNG\0");
    let body = json!({"title": "1.0", "description": format!("![plan]({url})")});
    let goal = ada.post(&format!("/projects/{tool}/milestones"), body).assert_status(201).json()["id"].clone();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let picture = |path: &str| {
        let page = browser.get(path).assert_status(200).html;
        first(&page, "<img src=\"([^\"]+)\" alt=\"plan\"")
    };
    assert_eq!(picture("/crew/tool/milestones/1"), format!("/crew/tool{url}"));
    let _ = ada.post(&format!("/projects/{tool}/milestones/{goal}/promote"), json!({})).assert_status(200);
    let there = picture("/groups/crew/-/milestones/1");
    assert_eq!(browser.get(&there).assert_status(200).reply.header("content-type"), "image/png");
    // It stays where it is when the project moves.
    let _ = ada.put(&format!("/projects/{tool}"), json!({"path": "machine"})).assert_status(200);
    let _ = browser.get(&picture("/groups/crew/-/milestones/1")).assert_status(200);
}

#[both_databases]
fn an_uploaded_drawing_is_a_picture_and_a_film_is_a_link(server: &TestServer) {
    let ada = member(server, "ada");
    let tool = project(&ada, "tool", "public");
    let drawn = upload(&ada, tool, "drawn.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>");
    let film = upload(&ada, tool, "film.mp4", b"\0\0\0\x18ftyp");
    let body = json!({"title": "Look", "description": format!("![drawn]({drawn}) ![film]({film})")});
    let _ = ada.post(&format!("/projects/{tool}/issues"), body).assert_status(201);
    let browser = Browser::of(server);
    let page = browser.get("/ada/tool/issues/1").assert_status(200).html;
    assert!(page.contains(&format!("<img src=\"/ada/tool{drawn}\" alt=\"drawn\"")), "{page}");
    assert!(page.contains(&format!("<a href=\"/ada/tool{film}\">film</a>")), "{page}");
    let picture = browser.get(&format!("/ada/tool{drawn}")).assert_status(200).reply;
    assert_eq!(picture.header("content-type"), "image/svg+xml");
    assert!(picture.header("content-security-policy").ends_with("sandbox"));
    let _ = browser.get(&format!("/ada/tool{film}")).assert_status(200);
}

#[both_databases]
fn equal_comments_have_footnotes_and_headings_of_their_own(server: &TestServer) {
    let ada = member(server, "ada");
    let tool = project(&ada, "tool", "public");
    let text = "# Plan\n\nSee[^1] [above](#plan).\n\n[^1]: There.";
    let body = json!({"title": "Look", "description": text});
    let _ = ada.post(&format!("/projects/{tool}/issues"), body).assert_status(201);
    for _ in 0..2 {
        let body = json!({"body": text});
        let _ = ada.post(&format!("/projects/{tool}/issues/1/notes"), body).assert_status(201);
    }
    let page = Browser::of(server).get("/ada/tool/issues/1").assert_status(200).html;
    let ids = pattern(" id=\"(user-content-[^\"]*)\"");
    let mut names: Vec<&str> = ids.captures_iter(&page).map(|found| found.get(1).unwrap().as_str()).collect();
    assert_eq!(names.len(), 9, "{page}");
    assert!(names.iter().all(|name| page.contains(&format!("href=\"#{name}\""))), "{page}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 9, "{names:?}");
}
