//! Changes that are proposed in a fork, by users who may not push.

use serde_json::{Value, json};
use tenon_testkit::{Multipart, TestServer, User, both_databases};

use crate::browser::{Browser, Page};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

const EDIT: &str = "/ada/tool/edit/main/b.txt";

/// A public project of `ada`'s, and a user who may only read it.
fn world(server: &TestServer) -> (User, User, Browser) {
    let (ada, eve) = (member(server, "ada"), member(server, "eve"));
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("doc/a.md", b"# One\n"), ("b.txt", b"b\n")]);
    (ada, eve, Browser::signed_in(server, "eve", PASSWORD))
}

/// The form at this page, after the fork that it needs was made.
fn form(server: &TestServer, browser: &Browser, path: &str) -> Page {
    let page = browser.get(path).assert_status(200);
    if !page.html.contains("Fork this project to propose changes") {
        return page;
    }
    assert_eq!(page.submit(browser, "/ada/tool/forks", &[]).location(), path);
    let _ = server.run_jobs();
    browser.get(path).assert_status(200)
}

fn forks(ada: &User) -> Vec<String> {
    let all = ada.get("/projects/ada%2Ftool/forks").json();
    all.as_array().unwrap().iter().map(|fork| fork["path_with_namespace"].as_str().unwrap().to_owned()).collect()
}

fn text(user: &User, path: &str, branch: &str) -> Option<String> {
    let reply = user.get(&format!("/projects/eve%2Ftool/repository/files/{path}/raw?ref={branch}"));
    (reply.status() == 200).then(|| reply.text())
}

#[both_databases]
fn an_edit_goes_to_one_fork_as_one_commit_and_becomes_a_merge_request(server: &TestServer) {
    let (ada, eve, browser) = world(server);
    let shown = browser.get("/ada/tool/blob/main/b.txt").assert_status(200);
    assert!(shown.links().contains(&EDIT.to_owned()), "{}", shown.html);
    let first = browser.get(EDIT).assert_status(200);
    assert!(first.html.contains("Fork this project to propose changes") && !first.html.contains("<textarea"));
    // Pressed twice, it is one fork.
    for _ in 0..2 {
        assert_eq!(first.submit(&browser, "/ada/tool/forks", &[]).location(), EDIT);
    }
    assert_eq!(forks(&ada), ["eve/tool"]);
    let _ = server.run_jobs();
    // The fork may be older than the project.
    let _ = commit(&ada, "ada/tool", "main", "Newer", &[("new.txt", b"new\n")]);
    let page = browser.get(EDIT).assert_status(200);
    assert!(page.html.contains("eve/tool") && page.html.contains("b\n</textarea>"), "{}", page.html);
    let branch = crate::browser::first(&page.html, "value=\"(eve-patch-[0-9]+)\"");
    let id = ada.get("/projects/ada%2Ftool").json()["id"].as_i64().unwrap();
    let in_address = branch.replace('-', "%2D");
    let there = format!(
        "/eve/tool/merge_requests/new?merge_request[source_branch]={in_address}&merge_request[target_branch]=main\
         &merge_request[target_project_id]={id}"
    );
    for _ in 0..2 {
        assert_eq!(page.send_with(&browser, EDIT, &[("file[content]", "better\n")]).location(), there);
    }
    assert_eq!(text(&eve, "b.txt", &branch).as_deref(), Some("better\n"));
    assert_eq!(text(&eve, "new.txt", &branch).as_deref(), Some("new\n"), "it begins at the project's branch");
    let log = eve.get(&format!("/projects/eve%2Ftool/repository/commits?ref_name={branch}")).json();
    let titles: Vec<&str> = log.as_array().unwrap().iter().filter_map(|commit| commit["title"].as_str()).collect();
    assert_eq!(titles, ["Update b.txt", "Newer", "First"]);
    assert_eq!(ada.get("/projects/ada%2Ftool/repository/branches").json().as_array().unwrap().len(), 1);
    // The form of the merge request is for the project.
    let new = browser.get(&there).assert_status(200);
    let made = new.send_with(&browser, "/eve/tool/merge_requests", &[]);
    assert_eq!(made.location(), "/ada/tool/merge_requests/1");
    let request = ada.get("/projects/ada%2Ftool/merge_requests/1").json();
    assert_eq!((&request["source_branch"], &request["target_branch"]), (&json!(branch), &json!("main")));
}

#[both_databases]
fn new_files_uploads_and_deletions_are_proposed_too(server: &TestServer) {
    let (ada, eve, browser) = world(server);
    let page = form(server, &browser, "/ada/tool/new/main/doc");
    let fields = [("file[path]", "doc/n.txt"), ("file[content]", "n"), ("file[branch]", "one")];
    assert!(page.send_with(&browser, "/ada/tool/create/main", &fields).location().contains("source_branch]=one&"));
    assert_eq!(text(&eve, "doc%2Fn.txt", "one").as_deref(), Some("n"));
    let page = form(server, &browser, "/ada/tool/edit/main/b.txt?delete=1");
    for _ in 0..2 {
        let went = page.send_with(&browser, "/ada/tool/blob/main/b.txt", &[("file[branch]", "two")]);
        assert!(went.location().contains("source_branch]=two&"), "{}", went.location());
    }
    assert_eq!((text(&eve, "b.txt", "two"), text(&eve, "b.txt", "main").is_some()), (None, true));
    let page = form(server, &browser, "/ada/tool/new/main?upload=1");
    for _ in 0..2 {
        let sent = Multipart::default()
            .text("authenticity_token", &page.token())
            .text("file[start]", "main")
            .text("file[branch]", "three")
            .file("file[files][]", "u.txt", b"u");
        let went = browser.upload("/ada/tool/create/main?upload=1", &sent);
        assert!(went.location().starts_with("/eve/tool/merge_requests/new?"), "{}", went.location());
    }
    assert_eq!(text(&eve, "u.txt", "three").as_deref(), Some("u"));
    // A branch of the fork that is there is not written to.
    let page = form(server, &browser, EDIT);
    for branch in ["main", "one"] {
        let fields = [("file[content]", "x"), ("file[branch]", branch)];
        let refused = page.send_with(&browser, EDIT, &fields).assert_status(422);
        assert!(refused.html.contains("already exists") && refused.html.contains("x</textarea>"), "{}", refused.html);
    }
    // A concurrent change of the file in the project is a conflict with both texts.
    let body = json!({"branch": "main", "commit_message": "Other", "content": "theirs\n"});
    let _ = ada.put("/projects/ada%2Ftool/repository/files/b.txt", body).assert_status(200);
    let conflict = page.send_with(&browser, EDIT, &[("file[content]", "mine\n")]).assert_status(409);
    assert!(conflict.html.contains("theirs\n</textarea>") && conflict.html.contains("mine\n</textarea>"));
    assert!(conflict.send_with(&browser, EDIT, &[]).location().starts_with("/eve/tool/merge_requests/new?"));
}

#[both_databases]
fn a_fork_that_is_not_complete_is_waited_for(server: &TestServer) {
    let (ada, eve, browser) = world(server);
    let id = eve.post("/projects", json!({"name": "Tool", "path": "tool"})).assert_status(201).json();
    let _ = server.run_jobs();
    let first = browser.get(EDIT).assert_status(200);
    assert_eq!(first.submit(&browser, "/ada/tool/forks", &[]).location(), EDIT);
    assert_eq!(forks(&ada), ["eve/tool-1"], "another project of eve's has the name: {id}");
    let waiting = browser.get(EDIT).assert_status(200);
    assert!(waiting.html.contains("Creating your fork") && !waiting.html.contains("<textarea"), "{}", waiting.html);
    assert_eq!(waiting.reply.header("refresh"), "2");
    let _ = server.run_jobs();
    let page = browser.get(EDIT).assert_status(200);
    assert!(page.html.contains("b\n</textarea>") && page.html.contains("eve/tool-1"), "{}", page.html);
    // The fork has gone since the form was opened: nothing is committed, and nothing is lost but the way.
    let _ = eve.send("DELETE", "/projects/eve%2Ftool-1", None, Vec::new());
    let _ = server.run_jobs();
    let _ = page.send_with(&browser, EDIT, &[("file[content]", "c")]).assert_status(403);
    let branches: Value = ada.get("/projects/ada%2Ftool/repository/branches").json();
    assert_eq!(branches.as_array().unwrap().len(), 1);
}
