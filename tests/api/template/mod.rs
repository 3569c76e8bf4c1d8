//! Templates of files, for a project and at their older addresses.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::merge_request::{repository, write};
use crate::support::*;

const FIRST: &str = "# This file is a template, and might need editing before it works on your project.\n";

fn at(project: i64, rest: &str) -> String {
    format!("/projects/{project}/templates/{rest}")
}

fn keys_of(client: &Client, path: &str) -> Vec<String> {
    texts(&client.get(path).assert_status(200), "key")
}

fn content(client: &Client, path: &str) -> String {
    client.get(path).assert_status(200).json()["content"].as_str().expect("a text").to_owned()
}

#[both_databases]
fn each_type_lists_keys_and_shows_one_of_them(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    for (kind, known, start) in
        [("dockerfiles", "Node", FIRST), ("gitignores", "Node", "# Logs\n"), ("gitlab_ci_ymls", "Nodejs", FIRST)]
    {
        let list = alice.get(&at(tool, kind)).assert_status(200);
        assert_eq!(
            list.json().as_array().map(Vec::len),
            Some(list.header("x-total").parse::<usize>().expect("a total").min(20))
        );
        let all = alice.get(&at(tool, &format!("{kind}?per_page=100"))).json();
        let entry = json!({"key": known, "name": known});
        assert!(all.as_array().expect("a list").contains(&entry), "{kind}: {all}");
        let one = alice.get(&at(tool, &format!("{kind}/{known}"))).assert_status(200).json();
        assert_eq!(keys(&one), keys(&json!({"name": 0, "content": 0})), "{kind}");
        assert_eq!(one["name"], known);
        assert!(one["content"].as_str().expect("a text").starts_with(start), "{kind}: {one}");
        assert_eq!(alice.get(&format!("/templates/{kind}/{known}")).assert_status(200).json(), one);
        assert_eq!(keys_of(&alice, &format!("/templates/{kind}")), keys_of(&alice, &at(tool, kind)));
    }
    assert_eq!(alice.get(&at(tool, "gitignores/C%2B%2B")).assert_status(200).json()["name"], "C++");
    assert_eq!(keys_of(&alice, &at(tool, "dockerfiles?per_page=2&page=2")), ["Binary-scratch", "Golang"]);
    let ci = server.anonymous().get("/templates/gitlab_ci_ymls?per_page=100").assert_status(200);
    assert!(ci.each("key").len() > 20);
}

#[both_databases]
fn licences_have_terms_and_are_filled_in(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"name": "Alice Liddell"}));
    let tool = project(&alice, "tool", "public");
    let list = alice.get(&at(tool, "licenses")).assert_status(200);
    assert_eq!(list.header("x-total"), "12");
    assert_eq!(list.json()[9], json!({"key": "mit", "name": "MIT License"}));

    let mit = alice.get(&at(tool, "licenses/mit")).assert_status(200).json();
    let mut terms = mit.clone();
    let text = terms.as_object_mut().expect("an object").remove("content").expect("a text");
    assert_eq!(terms["permissions"], json!(["commercial-use", "modifications", "distribution", "private-use"]));
    assert_eq!(
        (&terms["conditions"], &terms["limitations"]),
        (&json!(["include-copyright"]), &json!(["liability", "warranty"]))
    );
    assert_eq!((&terms["nickname"], &terms["popular"]), (&Value::Null, &json!(true)));
    assert_eq!(terms["html_url"], "https://choosealicense.com/licenses/mit/");
    let fields = json!({"key": 0, "name": 0, "nickname": 0, "popular": 0, "html_url": 0, "source_url": 0,
        "description": 0, "conditions": 0, "permissions": 0, "limitations": 0});
    assert_eq!(keys(&terms), keys(&fields));

    let year = server.now().format("%Y").to_string();
    let owned = |holder: &str| format!("Copyright (c) {year} {holder}\n");
    assert!(text.as_str().expect("a text").contains(&owned("Alice Liddell")));
    let anonymous = server.anonymous();
    assert!(content(&anonymous, &at(tool, "licenses/mit")).contains(&owned("[fullname]")));
    for path in
        [at(tool, "licenses/mit?fullname=Bob&project=ignored"), "/templates/licenses/mit?fullname=Bob".to_owned()]
    {
        assert!(content(&anonymous, &path).contains(&owned("Bob")), "{path}");
    }
    let gpl = content(&anonymous, &at(tool, "licenses/gpl-3.0?project=Engine&fullname=%5Byear%5D"));
    assert!(gpl.contains(&format!("    Engine\n    Copyright (C) {year}  [year]\n")), "{gpl}");

    let popular = anonymous.get("/templates/licenses?popular=1").assert_status(200);
    assert_eq!(
        (texts(&popular, "key"), popular.header("x-total")),
        (vec!["apache-2.0".into(), "gpl-3.0".into(), "mit".into()], "3".to_owned())
    );
    assert!(popular.json()[2]["content"].as_str().expect("a text").contains("Copyright (c) [year] [fullname]"));
}

#[both_databases]
fn what_is_unknown_or_hidden_is_refused(server: &TestServer) {
    let (alice, bob, anonymous) = (server.user("alice"), server.user("bob"), server.anonymous());
    let (open, hidden) = (project(&alice, "open", "public"), project(&alice, "hidden", "private"));
    for (rest, client) in
        [("gitignores", &anonymous), ("gitignores/Node", &anonymous), ("licenses", &*bob), ("issues", &*bob)]
    {
        client.get(&at(open, rest)).assert_status(200).json();
        client.get(&at(hidden, rest)).assert(404, missing("Project"));
    }
    for key in ["node", "Nodes", "..%2FREADME", "%2E%2E", "C%2B"] {
        for kind in ["dockerfiles", "gitignores", "gitlab_ci_ymls", "licenses", "issues", "merge_requests"] {
            alice.get(&at(open, &format!("{kind}/{key}"))).assert(404, missing("Template"));
        }
    }
    for (path, noun) in [
        ("licenses/MIT", "License"),
        ("gitignores/node", "gitignore"),
        ("gitlab_ci_ymls/node", "gitlab_ci_yml"),
        ("dockerfiles/node", "dockerfile"),
    ] {
        anonymous.get(&format!("/templates/{path}")).assert(404, missing(noun));
    }
    for rest in ["recipes", "recipes/Node", "Licenses"] {
        // Also of a project that is not there: the type is asked first.
        for id in [open, 999_999] {
            anonymous.get(&at(id, rest)).assert(400, parameter("type does not have a valid value"));
        }
    }
    alice.get("/templates/recipes").assert_status(404).json();
    server.client("no-such-token").get("/templates/licenses").assert(401, unauthorized());
}

#[both_databases]
fn descriptions_come_from_the_repository(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    for (file, text) in [
        (".gitlab/issue_templates/Bug report.md", "## Steps\n"),
        (".gitlab/issue_templates/notes.txt", "no"),
        (".gitlab/issue_templates/deep/Inner.md", "no"),
        (".gitlab/merge_request_templates/Default.md", "## What\n"),
        (".gitlab/merge_request_templates/Twice.md", "of gitlab"),
        (".tenon/merge_request_templates/Twice.md", "of tenon"),
        (".tenon/merge_request_templates/Another.md", "another"),
    ] {
        write(&alice, tool, "main", file, text);
    }
    let list = bob.get(&at(tool, "issues")).assert_status(200);
    assert_eq!(
        (list.json(), list.header("x-total")),
        (json!([{"key": "Bug report", "name": "Bug report"}]), "1".to_owned())
    );
    assert_eq!(
        bob.get(&at(tool, "issues/Bug%20report")).assert_status(200).json(),
        json!({"name": "Bug report", "content": "## Steps\n"})
    );
    assert_eq!(
        bob.get(&at(tool, "merge_requests/Default")).assert_status(200).json(),
        json!({"name": "Default", "content": "## What\n"})
    );
    let keys = json!([
        {"key": "Another", "name": "Another"}, {"key": "Default", "name": "Default"}, {"key": "Twice", "name": "Twice"},
    ]);
    assert_eq!(bob.get(&at(tool, "merge_requests")).assert_status(200).json(), keys);
    assert_eq!(
        bob.get(&at(tool, "merge_requests/Twice")).assert_status(200).json(),
        json!({"name": "Twice", "content": "of tenon"})
    );
    for key in ["notes", "deep", "deep%2FInner", "..%2Fmerge_request_templates%2FDefault"] {
        bob.get(&at(tool, &format!("issues/{key}"))).assert(404, missing("Template"));
    }
    let empty = project(&alice, "empty", "public");
    assert_eq!(bob.get(&at(empty, "issues")).assert_status(200).json(), json!([]));
    bob.get(&at(empty, "issues/Bug")).assert(404, missing("Template"));
    // A template that is no description is not sent.
    write(&alice, tool, "main", ".gitlab/issue_templates/Long.md", &"x".repeat(1_000_001));
    let _ = bob.get(&at(tool, "issues/Long")).assert_status(413);
}
