//! Names and texts that would do harm.

use super::*;

#[both_databases]
fn names_of_files_lead_nowhere_else(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/snippets/{}", id(&made(&alice, "/snippets", old("t", "public"))));
    for name in
        ["..", ".", "../x", "a/../b", "/a", "a/", "a//b", " ", "a\\b", "a\nb", "a\u{202e}b", "a\u{200b}", "\u{2066}"]
    {
        let body = json!({"title": "t", "file_name": name, "content": "c"});
        alice.post("/snippets", body).assert(400, field("file_name", "is invalid"));
        alice.put(&path, json!({"file_name": name})).assert(400, field("file_name", "is invalid"));
        let files = json!([{"action": "create", "file_path": name, "content": "c"}]);
        alice.put(&path, json!({"files": files})).assert(400, field("file_name", "is invalid"));
    }
    for body in [
        json!({"title": "a\0b", "file_name": "a", "content": "c"}),
        json!({"title": "a", "file_name": "a\0b", "content": "c"}),
        json!({"title": "a", "file_name": "a", "content": "c\0d"}),
        json!({"title": "a", "files": [{"file_path": "a", "content": "c\0d"}]}),
        json!({"title": "a", "files": {"file_path": "a"}}),
        json!({"title": "a", "files": []}),
        json!({"title": "a", "files": "a"}),
    ] {
        assert_eq!(alice.post("/snippets", body.clone()).status(), 400, "{body}");
    }
    for name in ["%2e%2e", "..%2f..%2fx", "a%00b", "%ff", "%2F", "%5c", "%E2%80%AE"] {
        let status = alice.get(&format!("{path}/files/main/{name}/raw")).status();
        assert!(matches!(status, 400 | 404), "{name}: {status}");
    }
    for number in ["0", "-1", "9223372036854775807", "9223372036854775808", "x"] {
        let status = alice.get(&format!("/snippets/{number}")).status();
        assert!(matches!(status, 400 | 404), "{number}: {status}");
    }
}

#[both_databases]
fn a_page_that_is_a_snippet_is_only_text(server: &TestServer) {
    let alice = server.user("alice");
    let page = "<script>alert(1)</script>";
    let body = json!({"title": page, "file_name": "\"x.html", "content": page, "visibility": "public"});
    let new = made(&alice, "/snippets", body);
    let raw = alice.get(&format!("/snippets/{}/raw", id(&new))).assert_status(200);
    assert_eq!((raw.text(), raw.header("content-type")), (page.to_owned(), "text/plain".to_owned()));
    assert_eq!(raw.header("content-disposition"), "inline; filename=\"_x.html\"; filename*=UTF-8''%22x%2Ehtml");
    assert_eq!(new["files"][0]["raw_url"].as_str().map(|url| url.ends_with("/raw/main/%22x.html")), Some(true));
}

#[both_databases]
fn a_text_comes_back_as_it_was_sent(server: &TestServer) {
    let alice = server.user("alice");
    let text = format!("\u{feff}a\r\nж\t\u{1}\u{202e}\n{}", "x".repeat(1 << 20));
    let new = made(&alice, "/snippets", json!({"title": "t", "file_name": "a", "content": text}));
    assert!(alice.get(&format!("/snippets/{}/raw", id(&new))).assert_status(200).text() == text);
}
