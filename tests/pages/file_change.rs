//! Files that are created, edited, renamed and deleted with forms.

use serde_json::json;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::browser::{Browser, Page, first, safe};
use crate::project::{MARKER, commit, fill, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s with a file.
fn world(server: &TestServer) -> (User, Browser) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("doc/a.md", b"# One\n"), ("b.txt", b"b")]);
    (ada, Browser::signed_in(server, "ada", PASSWORD))
}

/// The bytes of a file on a branch. `None` if it is not there.
fn bytes(client: &Client, branch: &str, path: &str) -> Option<Vec<u8>> {
    let path = path.replace('/', "%2F");
    let reply = client.get(&format!("/projects/ada%2Ftool/repository/files/{path}/raw?ref={branch}"));
    (reply.status() == 200).then(|| reply.bytes().to_vec())
}

fn titles(client: &Client, branch: &str) -> Vec<String> {
    let commits = client.get(&format!("/projects/ada%2Ftool/repository/commits?ref_name={branch}")).json();
    commits.as_array().unwrap().iter().map(|commit| commit["title"].as_str().unwrap().to_owned()).collect()
}

fn edit(browser: &Browser, path: &str) -> Page {
    browser.get(&format!("/ada/tool/edit/{path}")).assert_status(200)
}

#[both_databases]
fn a_correction_is_two_clicks(server: &TestServer) {
    let (ada, browser) = world(server);
    let shown = browser.get("/ada/tool/tree/main/doc").assert_status(200);
    let _ = commit(&ada, "ada/tool", "main", "Readme", &[("doc/README.md", b"# Reedme\n")]);
    assert!(shown.html.contains("href=\"/ada/tool/new/main/doc\""), "{}", shown.html);
    let shown = browser.get("/ada/tool/tree/main/doc").assert_status(200);
    assert!(shown.html.contains("href=\"/ada/tool/edit/main/doc/README.md\""), "{}", shown.html);
    let form = edit(&browser, "main/doc/README.md");
    let went = form.send_with(&browser, "/ada/tool/edit/main/doc/README.md", &[("file[content]", "# Readme\n")]);
    assert_eq!(went.location(), "/ada/tool/blob/main/doc/README.md");
    assert_eq!(bytes(&ada, "main", "doc/README.md").unwrap(), b"# Readme\n");
    assert_eq!(titles(&ada, "main").first().unwrap(), "Update README.md");
    assert!(browser.get("/ada/tool/blob/main/doc/README.md").html.contains("Changes committed."));
}

#[both_databases]
fn a_text_stays_as_it_was_but_for_the_change(server: &TestServer) {
    let (ada, browser) = world(server);
    let files: [(&str, &[u8]); 6] = [
        ("none.txt", b"one\ntwo"),
        ("windows.txt", b"one\r\ntwo\r\n"),
        ("mark.txt", b"\xef\xbb\xbfone\ntwo\n"),
        ("first.txt", b"\n\none\n"),
        ("marker.txt", MARKER.as_bytes()),
        ("area.txt", b"</textarea><script>alert(1)</script>\n"),
    ];
    let _ = commit(&ada, "ada/tool", "main", "More", &files);
    for (name, content) in files {
        let path = format!("/ada/tool/edit/main/{name}");
        assert!(!safe(&browser, &path).contains("<script>alert"));
        let form = browser.get(&path).assert_status(200);
        // Saved without a change, nothing is committed.
        let kept = form.send_with(&browser, &path, &[]).assert_status(422);
        assert!(kept.html.contains("There is nothing to change"), "{name}: {}", kept.html);
        let moved = form.send_with(&browser, &path, &[("file[path]", &format!("moved/{name}"))]);
        assert_eq!(moved.location(), format!("/ada/tool/blob/main/moved/{name}"));
        assert_eq!(bytes(&ada, "main", &format!("moved/{name}")).unwrap(), content, "{name}");
        assert_eq!(bytes(&ada, "main", name), None);
        assert_eq!(titles(&ada, "main").first().unwrap(), &format!("Rename {name} to {name}"));
    }
    let path = "/ada/tool/edit/main/moved/windows.txt";
    let form = browser.get(path).assert_status(200);
    assert_eq!(form.send_with(&browser, path, &[("file[content]", "one\r\n2\r\n")]).reply.status(), 303);
    assert_eq!(bytes(&ada, "main", "moved/windows.txt").unwrap(), b"one\r\n2\r\n");
}

#[both_databases]
fn a_file_that_a_form_would_damage_is_not_edited(server: &TestServer) {
    let (ada, browser) = world(server);
    let large = vec![b'a'; 600 << 10];
    let files: [(&str, &[u8], &str); 4] = [
        ("latin.txt", b"caf\xe9\n", "This file is not encoded in UTF-8."),
        ("mixed.txt", b"a\r\nb\n", "This file has mixed line endings."),
        ("zero.bin", b"a\0b", "This file is binary."),
        ("large.txt", &large, "This file is too large."),
    ];
    for (name, content, reason) in files {
        let _ = commit(&ada, "ada/tool", "main", "More", &[(name, content)]);
        let page = edit(&browser, &format!("main/{name}"));
        assert!(page.html.contains(reason) && !page.html.contains("<textarea"), "{name}: {}", page.html);
        // A request without the page is refused as well.
        let token = browser.get("/ada/tool/edit/main/b.txt").token();
        let fields = [
            ("authenticity_token", token.as_str()),
            ("_method", "put"),
            ("file[start]", "main"),
            ("file[was]", name),
            ("file[content]", "x"),
        ];
        let refused = browser.post(&format!("/ada/tool/edit/main/{name}"), &fields).assert_status(422);
        assert!(refused.html.contains(reason), "{name}: {}", refused.html);
        assert_eq!(bytes(&ada, "main", name).unwrap(), content);
    }
}

#[both_databases]
fn a_text_that_another_has_changed_is_a_conflict_with_both_texts(server: &TestServer) {
    let (ada, browser) = world(server);
    let path = "/ada/tool/edit/main/b.txt";
    let (form, same) = (browser.get(path).assert_status(200), browser.get(path).assert_status(200));
    let body = json!({"branch": "main", "commit_message": "Other", "content": "theirs\n"});
    let _ = ada.put("/projects/ada%2Ftool/repository/files/b.txt", body).assert_status(200);
    let conflict = form.send_with(&browser, path, &[("file[content]", "mine\n")]).assert_status(409);
    assert!(conflict.html.contains("theirs\n</textarea>") && conflict.html.contains("mine\n</textarea>"));
    let difference = first(&conflict.html, "(?s)(Changes since you opened the file.*?</section>)");
    let text = crate::browser::pattern("<[^>]*>").replace_all(&difference, "").into_owned();
    assert!(difference.contains("<tr class=\"added\">") && text.contains("theirs"), "{difference}");
    assert_eq!(bytes(&ada, "main", "b.txt").unwrap(), b"theirs\n");
    // Who has seen both may save again.
    assert_eq!(conflict.send_with(&browser, path, &[]).location(), "/ada/tool/blob/main/b.txt");
    assert_eq!(bytes(&ada, "main", "b.txt").unwrap(), b"mine\n");
    // A form that is sent twice makes one commit.
    let count = titles(&ada, "main").len();
    assert_eq!(same.send_with(&browser, path, &[("file[content]", "mine\n")]).location(), "/ada/tool/blob/main/b.txt");
    assert_eq!(titles(&ada, "main").len(), count);
    // A file or branch that is gone is said, and the text is kept.
    let form = browser.get(path).assert_status(200);
    let body = json!({"branch": "main", "commit_message": "Gone"});
    let _ = ada
        .send(
            "DELETE",
            "/projects/ada%2Ftool/repository/files/b.txt",
            Some("application/json"),
            body.to_string().into(),
        )
        .assert_status(204);
    let gone = form.send_with(&browser, path, &[("file[content]", "kept text")]).assert_status(409);
    assert!(gone.html.contains("deleted this file") && gone.html.contains("kept text"), "{}", gone.html);
    // Who wants the file nevertheless makes it again.
    assert_eq!(gone.send_with(&browser, "/ada/tool/create/main", &[]).location(), "/ada/tool/blob/main/b.txt");
    assert_eq!(bytes(&ada, "main", "b.txt").unwrap(), b"kept text");
}

#[both_databases]
fn a_new_branch_leads_to_a_merge_request(server: &TestServer) {
    let (ada, browser) = world(server);
    let path = "/ada/tool/edit/main/b.txt";
    let form = browser.get(path).assert_status(200);
    let went = form.send_with(&browser, path, &[("file[content]", "c"), ("file[branch]", "ada/fix")]);
    let address =
        "/ada/tool/merge_requests/new?merge_request[source_branch]=ada%2Ffix&merge_request[target_branch]=main";
    assert_eq!(went.location(), address);
    assert_eq!(bytes(&ada, "main", "b.txt").unwrap(), b"b");
    assert_eq!(bytes(&ada, "ada%2Ffix", "b.txt").unwrap(), b"c");
    let same = form.send_with(&browser, path, &[("file[content]", "c"), ("file[branch]", "ada/fix")]);
    assert_eq!((same.location(), titles(&ada, "ada%2Ffix").len()), (address.to_owned(), 2));
    let taken = form.send_with(&browser, path, &[("file[content]", "d"), ("file[branch]", "ada/fix")]);
    assert!(taken.reply.status() == 422 && taken.html.contains("already exists"), "{}", taken.html);
    let invalid = form.send_with(&browser, path, &[("file[content]", "d"), ("file[branch]", "a..b")]);
    assert_eq!(invalid.reply.status(), 422);
    // Who may not push to the branch gets the name of a new one.
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post("/projects/ada%2Ftool/members", body).assert_status(201);
    let own = Browser::signed_in(server, "bob", PASSWORD);
    let form = own.get(path).assert_status(200);
    assert!(form.html.contains("value=\"bob-patch-"), "{}", form.html);
    let refused = form.send_with(&own, path, &[("file[content]", "d"), ("file[branch]", "main")]).assert_status(422);
    assert!(refused.html.contains("You are not allowed to push into this branch"), "{}", refused.html);
    assert!(form.send_with(&own, path, &[("file[content]", "d")]).location().contains("merge_requests/new"));
}

#[both_databases]
fn files_are_created_and_deleted(server: &TestServer) {
    let (ada, browser) = world(server);
    let form = browser.get("/ada/tool/new/main/doc").assert_status(200);
    assert!(form.html.contains("value=\"doc/\""), "{}", form.html);
    let create = "/ada/tool/create/main";
    let nameless = form.send_with(&browser, create, &[("file[content]", "typed")]).assert_status(422);
    assert!(nameless.html.contains("Enter a file name.") && nameless.html.contains("typed"));
    let fields = [("file[path]", "doc/n\u{e4}w.txt"), ("file[content]", "new\n"), ("file[message]", "Say it")];
    assert_eq!(form.send_with(&browser, create, &fields).location(), "/ada/tool/blob/main/doc/n%C3%A4w.txt");
    assert_eq!(bytes(&ada, "main", "doc/n%C3%A4w.txt").unwrap(), b"new\n");
    assert_eq!(titles(&ada, "main").first().unwrap(), "Say it");
    // The same form makes no second commit. Another one does not replace the file.
    let count = titles(&ada, "main").len();
    assert_eq!(form.send_with(&browser, create, &fields).location(), "/ada/tool/blob/main/doc/n%C3%A4w.txt");
    let other = [("file[path]", "doc/n\u{e4}w.txt"), ("file[content]", "other\n")];
    let again = form.send_with(&browser, create, &other).assert_status(422);
    assert!(again.html.contains("A file with this name already exists"), "{}", again.html);
    assert_eq!(titles(&ada, "main").len(), count);
    for wrong in ["../up.txt", "a//b", ".git/config", "b.txt/c"] {
        let refused = form.send_with(&browser, create, &[("file[path]", wrong), ("file[content]", "x")]);
        assert_eq!(refused.reply.status(), 422, "{wrong}");
    }
    let form = browser.get("/ada/tool/edit/main/doc/n%C3%A4w.txt?delete=1").assert_status(200);
    let count = titles(&ada, "main").len();
    for _ in 0..2 {
        let went = form.submit(&browser, "/ada/tool/blob/main/doc/n%C3%A4w.txt", &[("file[branch]", "main")]);
        assert_eq!(went.location(), "/ada/tool/tree/main");
    }
    assert_eq!(bytes(&ada, "main", "doc/n%C3%A4w.txt"), None);
    assert_eq!(titles(&ada, "main").len(), count + 1);
}

#[both_databases]
fn the_first_file_of_a_repository(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let front = browser.get("/ada/tool").assert_status(200);
    let link = crate::browser::first(&front.html, "href=\"(/ada/tool/new/[^\"]+)\"");
    let branch = link.rsplit('/').next().unwrap().to_owned();
    let form = browser.get(&link).assert_status(200);
    let fields = [("file[path]", "README.md"), ("file[content]", "# Tool\n")];
    let went = form.send_with(&browser, &format!("/ada/tool/create/{branch}"), &fields);
    assert_eq!(went.location(), format!("/ada/tool/blob/{branch}/README.md"));
    assert_eq!(bytes(&ada, &branch, "README.md").unwrap(), b"# Tool\n");
}

#[both_databases]
fn a_preview_shows_markdown_and_keeps_the_text(server: &TestServer) {
    let (ada, browser) = world(server);
    let path = "/ada/tool/edit/main/doc/a.md";
    let form = browser.get(path).assert_status(200);
    let shown =
        form.send_with(&browser, path, &[("file[content]", "# Two\n<script>x</script>"), ("action", "preview")]);
    let shown = shown.assert_status(200);
    assert!(shown.html.contains("Two</h1>") && !shown.html.contains("<script>x"), "{}", shown.html);
    assert_eq!(bytes(&ada, "main", "doc/a.md").unwrap(), b"# One\n");
    assert_eq!(shown.send_with(&browser, path, &[]).location(), "/ada/tool/blob/main/doc/a.md");
    assert_eq!(bytes(&ada, "main", "doc/a.md").unwrap(), b"# Two\n<script>x</script>");
}

#[both_databases]
fn who_may_not_push_is_offered_nothing(server: &TestServer) {
    let (ada, _) = world(server);
    let pages = ["edit/main/b.txt", "edit/main/b.txt?delete=1", "new/main", "new/main?upload=1"];
    let (stranger, _eve) = (Browser::of(server), member(server, "eve"));
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    // Nothing is proposed to a project that takes no merge requests.
    let _ = ada.put("/projects/ada%2Ftool", json!({"merge_requests_enabled": false})).assert_status(200);
    for page in pages {
        let page = format!("/ada/tool/{page}");
        assert!(stranger.get(&page).location().contains("/users/sign_in"), "{page}");
        let _ = eve.get(&page).assert_status(403);
    }
    for browser in [&stranger, &eve] {
        assert!(!browser.get("/ada/tool/blob/main/b.txt").html.contains("/edit/main"));
        assert!(!browser.get("/ada/tool").html.contains("/new/main"));
    }
    let token = eve.get("/projects/new").token();
    let fields =
        [("authenticity_token", token.as_str()), ("_method", "put"), ("file[start]", "main"), ("file[was]", "b.txt")];
    let _ = eve.post("/ada/tool/edit/main/b.txt", &fields).assert_status(403);
    // Files of tags and commits are not changed, nor are those of archived projects.
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let _ =
        ada.post("/projects/ada%2Ftool/repository/tags", json!({"tag_name": "v1", "ref": "main"})).assert_status(201);
    let _ = own.get("/ada/tool/edit/v1/b.txt").assert_status(404);
    assert!(!own.get("/ada/tool/blob/v1/b.txt").html.contains("/edit/v1"));
    let _ = ada.post("/projects/ada%2Ftool/archive", json!({})).assert_status(200);
    let _ = own.get("/ada/tool/edit/main/b.txt").assert_status(403);
}

#[both_databases]
fn hostile_names_are_edited_safely(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = fill(&ada, "ada/tool");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/ada/tool/tree/main").assert_status(200);
    let links = crate::browser::pattern("href=\"(/ada/tool/blob/main/[^\"?#]+)\"");
    let links: Vec<String> = links.captures_iter(&page.html).map(|link| link[1].replace("/blob/", "/edit/")).collect();
    let links: Vec<String> = links.into_iter().filter(|link| !link.ends_with("/doc")).collect();
    assert!(links.len() > 2, "{links:?}");
    for link in links {
        let _ = safe(&browser, &link);
        let _ = safe(&browser, &format!("{link}?delete=1"));
    }
}
