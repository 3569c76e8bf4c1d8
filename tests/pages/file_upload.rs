//! Files that a form puts into a directory.

use serde_json::json;
use tenon_testkit::{Client, Multipart, TestServer, User, both_databases};

use crate::browser::{Browser, Page, first, pattern, plain, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

const CREATE: &str = "/ada/tool/create/main?upload=1";

fn world(server: &TestServer) -> (User, Browser) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("doc/a.txt", b"one\n"), ("b.txt", b"b")]);
    (ada, Browser::signed_in(server, "ada", PASSWORD))
}

/// The form with its hidden fields, in a directory and for a branch.
fn filled(page: &Page, directory: &str, branch: &str) -> Multipart {
    let form = first(&page.html, "(?s)(<form method=\"post\" [^>]*enctype.*?</form>)");
    let hidden = pattern(r#"<input type="hidden" name="([^"]+)" value="([^"]*)">"#);
    let form = hidden
        .captures_iter(&form)
        .fold(Multipart::default(), |form, field| form.text(&plain(&field[1]), &plain(&field[2])));
    form.text("file[directory]", directory).text("file[branch]", branch)
}

fn bytes(client: &Client, branch: &str, path: &str) -> Option<Vec<u8>> {
    let path = path.replace('/', "%2F");
    let reply = client.get(&format!("/projects/ada%2Ftool/repository/files/{path}/raw?ref={branch}"));
    (reply.status() == 200).then(|| reply.bytes().to_vec())
}

fn titles(client: &Client, branch: &str) -> Vec<String> {
    let commits = client.get(&format!("/projects/ada%2Ftool/repository/commits?ref_name={branch}")).json();
    commits.as_array().unwrap().iter().map(|commit| commit["title"].as_str().unwrap().to_owned()).collect()
}

#[both_databases]
fn files_become_one_commit(server: &TestServer) {
    let (ada, browser) = world(server);
    let shown = browser.get("/ada/tool/tree/main/doc").assert_status(200);
    assert!(shown.links().contains(&"/ada/tool/new/main/doc?upload=1".to_owned()), "{}", shown.html);
    let page = browser.get("/ada/tool/new/main/doc?upload=1").assert_status(200);
    assert!(page.html.contains("value=\"doc\"") && page.html.contains(" multiple "), "{}", page.html);
    let odd = b"\xff\0\r\n\xef\xbb\xbf";
    let files = |form: Multipart| form.file("file[files][]", "x.bin", odd).file("file[files][]", "y z.txt", b"");
    // Sent twice, it is one commit.
    for _ in 0..2 {
        let went = browser.upload(CREATE, &files(filled(&page, "doc", "main")));
        assert_eq!(went.location(), "/ada/tool/tree/main/doc");
    }
    assert_eq!(bytes(&ada, "main", "doc/x.bin").unwrap(), odd);
    assert_eq!(bytes(&ada, "main", "doc/y z.txt".replace(' ', "%20").as_str()).unwrap(), b"");
    assert_eq!(titles(&ada, "main"), ["Upload 2 files", "First"]);
    // At the top, and in a directory that is not there yet.
    let one = filled(&page, "", "main").text("file[message]", "Say it").file("file[files][]", "c.txt", b"c");
    assert_eq!(browser.upload(CREATE, &one).location(), "/ada/tool/tree/main");
    let deep = filled(&page, "/new/deep/", "main").file("file[files][]", "d.txt", b"d");
    assert_eq!(browser.upload(CREATE, &deep).location(), "/ada/tool/tree/main/new/deep");
    assert_eq!(bytes(&ada, "main", "new/deep/d.txt").unwrap(), b"d");
    assert_eq!(titles(&ada, "main")[..2], ["Upload d.txt", "Say it"]);
}

#[both_databases]
fn a_file_is_replaced_only_if_that_is_asked_for(server: &TestServer) {
    let (ada, browser) = world(server);
    let page = browser.get("/ada/tool/new/main/doc?upload=1").assert_status(200);
    let form = |form: Multipart| form.file("file[files][]", "n.txt", b"n").file("file[files][]", "a.txt", b"two\n");
    let refused = browser.upload(CREATE, &form(filled(&page, "doc", "main").text("file[message]", "Kept words")));
    let refused = refused.assert_status(422);
    for words in ["Upload failed", "doc/a.txt already exists.", "Kept words"] {
        assert!(refused.html.contains(words), "{words}: {}", refused.html);
    }
    // Nothing half done.
    assert_eq!((bytes(&ada, "main", "doc/n.txt"), titles(&ada, "main").len()), (None, 1));
    let replacing = form(filled(&refused, "doc", "main").text("file[replace]", "1"));
    assert_eq!(browser.upload(CREATE, &replacing).location(), "/ada/tool/tree/main/doc");
    assert_eq!(bytes(&ada, "main", "doc/a.txt").unwrap(), b"two\n");
    assert_eq!(bytes(&ada, "main", "doc/n.txt").unwrap(), b"n");
    // A directory is not replaced by a file, nor a file by a directory.
    for (directory, name) in [("", "doc"), ("b.txt", "c.txt")] {
        let form = filled(&page, directory, "main").text("file[replace]", "1").file("file[files][]", name, b"x");
        let refused = browser.upload(CREATE, &form).assert_status(422);
        assert!(refused.html.contains("as a directory and as a file"), "{}", refused.html);
    }
}

#[both_databases]
fn what_cannot_be_a_file_is_refused_with_a_reason(server: &TestServer) {
    let (ada, browser) = world(server);
    let page = browser.get("/ada/tool/new/main?upload=1").assert_status(200);
    let send = |directory: &str, name: &str, content: &[u8]| {
        browser.upload(CREATE, &filled(&page, directory, "main").file("file[files][]", name, content))
    };
    let names = ["../up.txt", "/etc/passwd", ".git", ".GIT/config", "a//b", "x/.git/hooks", "a\u{202e}b", "."];
    for name in names {
        let refused = send("", name, b"x").assert_status(422);
        assert!(refused.html.contains("is not a valid file name"), "{name}: {}", refused.html);
    }
    for directory in ["..", ".git", "a/../b"] {
        let _ = send(directory, "x.txt", b"x").assert_status(422);
    }
    let _ = send("", &"n".repeat(256), b"x").assert_status(422);
    let marked = send(MARKER, "../x", b"x").assert_status(422);
    assert!(!marked.html.contains("<script>alert") && !marked.html.contains("<img src=x"), "{}", marked.html);
    let _ = send("", &MARKER.replace(['"', '\\'], ""), b"x");
    let _ = safe(&browser, "/ada/tool/tree/main");
    let nothing = browser.upload(CREATE, &filled(&page, "", "main")).assert_status(422);
    assert!(nothing.html.contains("Choose at least one file."), "{}", nothing.html);
    let many = (0..101).fold(filled(&page, "", "main"), |form, n| form.file("file[files][]", &format!("{n}"), b"x"));
    let refused = browser.upload(CREATE, &many).assert_status(422);
    assert!(refused.html.contains("Files must not be more than 100"), "{}", refused.html);
    let large = vec![b'x'; 10 * 1024 * 1024 + 1];
    let refused = send("", "large.bin", &large).assert_status(422);
    assert!(refused.html.contains("Files must not be larger than 10 MiB: large.bin"), "{}", refused.html);
    assert_eq!(send("", "large.bin", &large[1..]).location(), "/ada/tool/tree/main");
    let count = titles(&ada, "main").len();
    let whole = vec![b'x'; 33 * 1024 * 1024];
    assert_eq!(send("", "whole.bin", &whole).reply.status(), 413);
    // Only this form takes so much.
    let other = filled(&page, "", "main").file("file[files][]", "x", &large);
    assert_eq!(browser.upload("/ada/tool/create/main", &other).reply.status(), 413);
    assert_eq!(titles(&ada, "main").len(), count);
}

#[both_databases]
fn the_rules_of_branches_hold_for_uploads(server: &TestServer) {
    let (ada, browser) = world(server);
    let page = browser.get("/ada/tool/new/main?upload=1").assert_status(200);
    let file = |form: Multipart| form.file("file[files][]", "n.txt", b"n");
    let address =
        "/ada/tool/merge_requests/new?merge_request[source_branch]=ada%2Fup&merge_request[target_branch]=main";
    for _ in 0..2 {
        assert_eq!(browser.upload(CREATE, &file(filled(&page, "", "ada/up"))).location(), address);
    }
    assert_eq!((bytes(&ada, "main", "n.txt"), bytes(&ada, "ada%2Fup", "n.txt")), (None, Some(b"n".to_vec())));
    let other = filled(&page, "", "ada/up").file("file[files][]", "n.txt", b"other");
    let refused = browser.upload(CREATE, &other).assert_status(422);
    assert!(refused.html.contains("already exists"), "{}", refused.html);
    // A developer gets a new branch beside a protected one, and is refused on that.
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post("/projects/ada%2Ftool/members", body).assert_status(201);
    let own = Browser::signed_in(server, "bob", PASSWORD);
    let page = own.get("/ada/tool/new/main?upload=1").assert_status(200);
    assert!(page.html.contains("value=\"bob-patch-"), "{}", page.html);
    let refused = own.upload(CREATE, &file(filled(&page, "", "main"))).assert_status(422);
    assert!(refused.html.contains("You are not allowed to push into this branch"), "{}", refused.html);
    // Without the token, from strangers, and in an archived project nothing is taken.
    let alone = file(Multipart::default().text("file[start]", "main"));
    let _ = own.upload(CREATE, &alone).assert_status(422);
    let _ = Browser::of(server).upload(CREATE, &file(filled(&page, "", "x"))).assert_status(401);
    let _ = ada.post("/projects/ada%2Ftool/archive", json!({})).assert_status(200);
    let _ = browser.get("/ada/tool/new/main?upload=1").assert_status(403);
    let form = browser.get("/projects/new").token();
    let sent = file(Multipart::default().text("authenticity_token", &form).text("file[start]", "main"));
    let _ = browser.upload(CREATE, &sent).assert_status(403);
    // Hidden and missing projects look the same.
    let _ = ada.post("/projects/ada%2Ftool/unarchive", json!({})).assert_status(200);
    let _ = ada.put("/projects/ada%2Ftool", json!({"visibility": "private"})).assert_status(200);
    let _eve = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    let token = eve.get("/projects/new").token();
    let sent = file(Multipart::default().text("authenticity_token", &token).text("file[start]", "main"));
    let hidden = eve.upload(CREATE, &sent).assert_status(404).html;
    assert_eq!(eve.upload("/no/tool/create/main?upload=1", &sent).assert_status(404).html, hidden);
}

#[both_databases]
fn the_first_files_of_a_repository(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let front = browser.get("/ada/tool").assert_status(200);
    let link = first(&front.html, "href=\"(/ada/tool/new/[^\"]+)\"");
    let branch = link.rsplit('/').next().unwrap().to_owned();
    let page = browser.get(&format!("{link}?upload=1")).assert_status(200);
    let form = filled(&page, "", &branch).file("file[files][]", "README.md", b"# Tool\n");
    let went = browser.upload(&format!("/ada/tool/create/{branch}?upload=1"), &form);
    assert_eq!(went.location(), format!("/ada/tool/tree/{branch}"));
    assert_eq!(bytes(&ada, &branch, "README.md").unwrap(), b"# Tool\n");
}
