//! Pictures in differences, in texts and in what has moved.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, pattern};
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
        assert!(page.contains("width=&#39;8&#39;"), "{path}: {page}");
        assert_eq!(page.matches("This is no text.").count(), 1, "{path}: {page}");
        for found in pattern("<img src=\"(/ada/tool/raw/[^\"]+)\"").captures_iter(&page) {
            let answer = browser.get(&found[1]).assert_status(200).reply;
            assert!(answer.header("content-type").starts_with("image/"), "{}", &found[1]);
            let _ = Browser::of(server).get(&found[1]).assert_status(404);
        }
    }
}
