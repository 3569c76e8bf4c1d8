//! Making commits.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// The files of a branch: modes and paths.
#[track_caller]
fn files(client: &Client, project: i64, branch: &str) -> Vec<String> {
    let tree =
        client.get(&format!("{}/tree?recursive=true&per_page=100&ref={branch}", at(project))).assert_status(200).json();
    let files = tree.as_array().expect("a list").iter().filter(|entry| entry["type"] == "blob");
    files.map(|entry| format!("{} {}", text(&entry["mode"]), text(&entry["path"]))).collect()
}

/// An action without content.
fn only(action: &str, path: &str) -> Value {
    json!({"action": action, "file_path": path})
}

#[both_databases]
fn one_commit_does_everything_that_can_be_done(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let before = json!([
        new_file("changed", "1\n"),
        new_file("gone", "g\n"),
        new_file("old", "o\n"),
        new_file("moved", "m\n"),
        new_file("run.sh", "r\n")
    ]);
    let parent = commit(&alice, tool, "main", "Before", &before);
    let body = json!({"branch": "main", "commit_message": "After\n\nBody", "actions": [
        {"action": "update", "file_path": "changed", "content": "2\n"},
        {"action": "delete", "file_path": "gone"},
        {"action": "move", "previous_path": "old", "file_path": "new/place"},
        {"action": "move", "previous_path": "moved", "file_path": "rewritten", "content": "other\n"},
        {"action": "chmod", "file_path": "run.sh", "execute_filemode": true},
        {"action": "create", "file_path": "tool", "content": "t\n", "execute_filemode": true},
        {"action": "create", "file_path": "bin", "content": "/wD/", "encoding": "base64"},
    ]});
    let made = made(&alice, &format!("{}/commits", at(tool)), body);
    let fields = [
        "title",
        "message",
        "parent_ids",
        "author_name",
        "author_email",
        "committer_name",
        "committer_email",
        "project_id",
        "status",
        "last_pipeline",
    ];
    assert_eq!(
        some(&made, &fields),
        json!([
            "After",
            "After\n\nBody",
            [parent],
            "alice",
            "alice@example.org",
            "alice",
            "alice@example.org",
            tool,
            null,
            null
        ])
    );
    assert_eq!(made, alice.get(&format!("{}/commits/main", at(tool))).json());
    assert_eq!(
        files(&alice, tool, "main"),
        [
            "100644 README.md",
            "100644 bin",
            "100644 changed",
            "100644 new/place",
            "100644 rewritten",
            "100755 run.sh",
            "100755 tool",
        ]
    );
    let of = |file: &str| content(&alice, tool, "main", file).expect("a file");
    assert_eq!(["changed", "new%2Fplace", "rewritten", "run.sh"].map(of), ["2\n", "o\n", "other\n", "r\n"]);
    assert_eq!(alice.get(&format!("{}/files/bin/raw?ref=main", at(tool))).bytes(), [0xff, 0, 0xff]);
}

#[both_databases]
fn actions_are_done_in_order(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let actions = json!([
        new_file("a", "1"), {"action": "update", "file_path": "a", "content": "2"}, {"action": "move", "previous_path": "a", "file_path": "b"},
        new_file("a", "3"), {"action": "chmod", "file_path": "a", "execute_filemode": true}, new_file("c", "c"), only("delete", "c"),
    ]);
    let sha = commit(&alice, tool, "main", "All", &actions);
    assert_eq!(files(&alice, tool, "main"), ["100644 README.md", "100755 a", "100644 b"]);
    let of = |file| content(&alice, tool, "main", file);
    assert_eq!((of("a"), of("b"), of("c")), (Some("3".to_owned()), Some("2".to_owned()), None));
    assert_eq!(listed(&alice, tool, "main")["id"], sha);
}

#[both_databases]
fn a_commit_that_fails_in_part_fails_wholly(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let before = tip(&alice, tool, "main");
    let actions = json!([new_file("a", "a"), only("delete", "nowhere")]);
    try_commit(&alice, tool, "main", &actions).assert(400, message("A file with this name doesn't exist"));
    assert_eq!((tip(&alice, tool, "main"), content(&alice, tool, "main", "a")), (before, None));
}

#[both_databases]
fn a_commit_that_cannot_be_made_is_refused_in_known_words(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    write(&alice, tool, "main", "dir/file", "f");
    let before = tip(&alice, tool, "main");
    let (exists, missing) = ("A file with this name already exists", "A file with this name doesn't exist");
    let traversal = "Path cannot include directory traversal";
    for (action, text) in [
        (new_file("dir/file", "x"), exists),
        (json!({"action": "move", "previous_path": "README.md", "file_path": "dir/file"}), exists),
        (json!({"action": "update", "file_path": "nowhere", "content": "x"}), missing),
        (only("delete", "nowhere"), missing),
        (json!({"action": "move", "previous_path": "nowhere", "file_path": "x"}), missing),
        (json!({"action": "chmod", "file_path": "nowhere", "execute_filemode": true}), missing),
        (only("delete", "dir"), missing),
        (new_file("../x", "x"), traversal),
        (new_file("dir/../../x", "x"), traversal),
        (json!({"action": "move", "previous_path": "../x", "file_path": "y"}), traversal),
        (only("create", "x"), "You must provide content"),
        (only("update", "README.md"), "You must provide content"),
    ] {
        try_commit(&alice, tool, "main", &json!([action])).assert(400, message(text));
    }
    for path in
        ["dir", "dir/file/below", ".git/config", "a/.GIT/hooks/x", "git~1/x", "/x", "x/", "a//b", "a\nb", "a\\b", "."]
    {
        let _ = try_commit(&alice, tool, "main", &json!([new_file(path, "x")])).assert_status(400);
    }
    assert_eq!(tip(&alice, tool, "main"), before);
}

#[both_databases]
fn missing_fields_of_a_commit_are_named(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/commits", at(tool));
    alice
        .post(&path, json!({}))
        .assert(400, parameter("branch is missing, commit_message is missing, actions is missing"));
    for (name, value) in [("branch", " "), ("commit_message", "")] {
        let body = with(
            json!({"branch": "main", "commit_message": "m", "actions": [new_file("a", "a")]}),
            &json!({name: value}),
        );
        alice.post(&path, body).assert(400, parameter(&format!("{name} is empty")));
    }
    for (action, text) in [
        (json!({"file_path": "a"}), "actions[0][action] is missing"),
        (json!({"action": "create"}), "actions[0][file_path] is missing"),
        (only("copy", "a"), "actions[0][action] does not have a valid value"),
        (
            json!({"action": "create", "file_path": "a", "content": "a", "encoding": "rot13"}),
            "actions[0][encoding] does not have a valid value",
        ),
    ] {
        try_commit(&alice, tool, "main", &json!([action])).assert(400, parameter(text));
    }
    let _ = try_commit(&alice, tool, "main", &json!([{"action": "move", "file_path": "a"}])).assert_status(400);
}

#[both_databases]
fn a_file_that_has_changed_since_is_left_alone(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let seen = write(&alice, tool, "main", "a", "1\n");
    // Other files may change.
    write(&alice, tool, "main", "b", "b");
    let act = |mut action: Value, last: &str| {
        action["last_commit_id"] = json!(last);
        try_commit(&alice, tool, "main", &json!([action]))
    };
    let update = |content: &str| json!({"action": "update", "file_path": "a", "content": content});
    let now = text(&act(update("2\n"), &seen).assert_status(201).json()["id"]);
    let stale = message("The file has changed since you started editing it: a");
    let chmod = json!({"action": "chmod", "file_path": "a", "execute_filemode": true});
    for action in [update("3\n"), only("delete", "a"), chmod.clone()] {
        act(action, &seen).assert(400, stale.clone());
    }
    let moved = json!({"action": "move", "previous_path": "a", "file_path": "c"});
    let _ = act(moved, &seen).assert_status(400);
    let _ = act(chmod, &now).assert_status(201);
}

#[both_databases]
fn a_branch_is_made_with_its_first_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let start = tip(&alice, tool, "main").expect("a commit");
    let path = format!("{}/commits", at(tool));
    let body = |branch: &str, start: &str| json!({"branch": branch, "start_branch": start, "commit_message": "m", "actions": [new_file("a", "a")]});
    let sha = made(&alice, &path, body("a/b", "main"));
    assert_eq!(sha["parent_ids"], json!([start]));
    assert_eq!((tip(&alice, tool, "a%2Fb"), tip(&alice, tool, "main")), (Some(text(&sha["id"])), Some(start)));
    let text = "A branch called 'a/b' already exists. Switch to that branch in order to make changes";
    alice.post(&path, body("a/b", "main")).assert(400, message(text));
    let none = "You can only create or edit files when you are on a branch";
    alice.post(&path, body("new", "nowhere")).assert(400, message(none));
    try_commit(&alice, tool, "new", &json!([new_file("a", "a")])).assert(400, message(none));
    let wrong = alice.post(&path, body("a b", "main")).assert_status(400).json();
    assert!(
        wrong["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("Something went wrong when we tried to create 'a b' for you: ")),
        "{wrong}"
    );
    assert_eq!(tip(&alice, tool, "new"), None);
}

#[both_databases]
fn the_author_may_be_another_but_the_committer_is_the_caller(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let fields = ["author_name", "author_email", "committer_name", "committer_email"];
    for (n, (more, author)) in [
        (json!({"author_name": "Ann", "author_email": "ann@else.example"}), ["Ann", "ann@else.example"]),
        (json!({"author_name": "Ann"}), ["Ann", "alice@example.org"]),
        (json!({"author_email": "ann@else.example"}), ["alice", "ann@else.example"]),
    ]
    .into_iter()
    .enumerate()
    {
        let body =
            with(json!({"branch": "main", "commit_message": "m", "actions": [new_file(&format!("f{n}"), "x")]}), &more);
        let made = made(&alice, &format!("{}/commits", at(tool)), body);
        assert_eq!(some(&made, &fields), json!([author[0], author[1], "alice", "alice@example.org"]));
    }
}

#[both_databases]
fn lines_are_counted_unless_they_are_not_wanted(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/commits", at(tool));
    let body = |file: &str, more: Value| {
        with(json!({"branch": "main", "commit_message": "m", "actions": [new_file(file, "1\n2\n")]}), &more)
    };
    assert_eq!(made(&alice, &path, body("a", json!({})))["stats"], json!({"additions": 2, "deletions": 0, "total": 2}));
    assert_lacks(&made(&alice, &path, body("b", json!({"stats": false}))), &["stats"]);
}

#[both_databases]
fn the_first_commit_makes_the_default_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let made = try_commit(&alice, tool, "trunk", &json!([new_file("a", "a")])).assert_status(201).json();
    assert_eq!(made["parent_ids"], json!([]));
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["default_branch"], "trunk");
    assert_eq!(
        some(&alice.get(&format!("{}/branches/trunk", at(tool))).json(), &["default", "protected"]),
        json!([true, true])
    );
}

#[both_databases]
fn a_commit_needs_the_right_to_push_to_its_branch(server: &TestServer) {
    let cast = cast(server, "private");
    branch(&cast.owner, cast.project, "open", "main");
    let act = |client: &Client, branch: &str, file: &str| {
        try_commit(client, cast.project, branch, &json!([new_file(file, "x")]))
    };
    assert_eq!(cast.statuses(|client| act(client, "open", "README.md")), [404, 403, 403, 400, 400, 400, 400]);
    act(&server.anonymous(), "open", "a").assert(401, unauthorized());
    act(&cast.reporter, "open", "a").assert(403, forbidden());
    act(&cast.developer, "main", "a").assert(403, protected());
    let _ = act(&cast.developer, "open", "a").assert_status(201);
    let _ = act(&cast.maintainer, "main", "a").assert_status(201);
    archive(&cast.owner, cast.project);
    for client in [&*cast.owner, &cast.admin] {
        assert_eq!(act(client, "open", "b").status(), 403);
    }
    assert_eq!(content(&cast.owner, cast.project, "open", "b"), None);
}

#[both_databases]
fn in_an_empty_repository_the_first_commit_is_for_maintainers(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let act = |client: &Client| try_commit(client, cast.project, "main", &json!([new_file("a", "a")]));
    assert_eq!(act(&cast.developer).status(), 403);
    let _ = act(&cast.maintainer).assert_status(201);
}

#[both_databases]
fn what_is_no_submodule_is_not_moved(server: &TestServer) {
    let cast = cast(server, "private");
    let oid = "0123456789012345678901234567890123456789";
    let act =
        |client: &Client, path: &str, body: Value| client.put(&format!("{}/submodules/{path}", at(cast.project)), body);
    let body = json!({"branch": "main", "commit_sha": oid});
    for path in ["README.md", "nothing", "lib%2Fnothing", "%2e%2e%2Fx"] {
        act(&cast.owner, path, body.clone()).assert(400, message("Invalid submodule path"));
    }
    for wrong in ["main", "0123", "-x", &"0".repeat(40)] {
        let body = json!({"branch": "main", "commit_sha": wrong});
        act(&cast.owner, "lib", body).assert(400, message("Invalid parameters"));
    }
    act(&cast.owner, "lib", json!({"branch": "main"})).assert(400, parameter("commit_sha is missing"));
    act(&cast.owner, "lib", json!({"commit_sha": oid})).assert(400, parameter("branch is missing"));
    assert_eq!(cast.statuses(|client| act(client, "lib", body.clone())), [404, 403, 403, 403, 400, 400, 400]);
    act(&cast.developer, "lib", body.clone()).assert(403, protected());
    let empty = project(&cast.owner, "empty", "public");
    let reply = cast.owner.put(&format!("{}/submodules/lib", at(empty)), body);
    reply.assert(400, message("The repository is empty"));
}

#[both_databases]
fn a_branch_is_made_from_a_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let first = write(&alice, tool, "main", "a", "1");
    let second = json!([{"action": "update", "file_path": "a", "content": "2"}]);
    let _ = commit(&alice, tool, "main", "Second", &second);
    let commits = format!("{}/commits", at(tool));
    let from = |sha: &str| json!({"branch": "side", "start_sha": sha, "commit_message": "Side", "actions": [new_file("b", "b")]});
    let side = made(&alice, &commits, from(&first));
    assert_eq!(side["parent_ids"], json!([first]));
    assert_eq!(content(&alice, tool, "side", "a").as_deref(), Some("1"));
    let taken = "A branch called 'side' already exists. Switch to that branch in order to make changes";
    alice.post(&commits, from(&first)).assert(400, message(taken));
    let none = "You can only create or edit files when you are on a branch";
    for bad in ["0000000000000000000000000000000000000001", "main", "xyz"] {
        let mut body = from(bad);
        body["branch"] = json!("other");
        alice.post(&commits, body).assert(400, message(none));
    }
    let mut both = from(&first);
    both["start_branch"] = json!("main");
    alice.post(&commits, both).assert(400, parameter("start_branch, start_sha are mutually exclusive"));
}

#[both_databases]
fn a_branch_is_reset_by_force_if_it_is_not_protected(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 30);
    let first = write(&alice, tool, "main", "a", "1");
    let second = json!([{"action": "update", "file_path": "a", "content": "2"}]);
    let _ = commit(&alice, tool, "main", "Second", &second);
    let commits = format!("{}/commits", at(tool));
    let forced = |branch: &str, start: &str, value: &str| {
        json!({
            "branch": branch, "start_sha": start, "force": true, "commit_message": "Forced",
            "actions": [{"action": "update", "file_path": "a", "content": value}],
        })
    };
    // A branch that is not there is made.
    let side = made(&bob, &commits, forced("side", &first, "3"));
    let again = made(&bob, &commits, forced("side", &first, "4"));
    assert_eq!((&side["parent_ids"], &again["parent_ids"]), (&json!([first]), &json!([first])));
    assert_eq!(tip(&alice, tool, "side"), Some(text(&again["id"])));
    assert_eq!(content(&alice, tool, "side", "a").as_deref(), Some("4"));
    let before = tip(&alice, tool, "main");
    for client in [&*bob, &*alice] {
        client.post(&commits, forced("main", &first, "5")).assert(403, protected());
    }
    assert_eq!(tip(&alice, tool, "main"), before);
    // Without a start it is a commit as any other.
    let plain = json!({"branch": "side", "force": true, "commit_message": "Plain", "actions": [new_file("c", "c")]});
    assert_eq!(made(&bob, &commits, plain)["parent_ids"], json!([again["id"]]));
    let push = bob.get(&format!("/projects/{tool}/events?action=pushed")).json()[1].clone();
    assert_eq!((&push["push_data"]["commit_from"], &push["push_data"]["commit_to"]), (&side["id"], &again["id"]));
}

#[both_databases]
fn a_branch_is_made_from_another_project(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    write(&alice, tool, "main", "a", "1");
    let fork = id(&made(&bob, &format!("/projects/{tool}/fork"), json!({})));
    server.run_jobs();
    let second = json!([{"action": "update", "file_path": "a", "content": "2"}]);
    let newer = commit(&alice, tool, "main", "Second", &second);
    let commits = format!("{}/commits", at(fork));
    let from = |project: &str, branch: &str| {
        json!({
            "branch": branch, "start_project": project, "start_branch": "main", "commit_message": "Side",
            "actions": [new_file("b", "b")],
        })
    };
    assert_eq!(made(&bob, &commits, from("alice/tool", "by-path"))["parent_ids"], json!([newer]));
    assert_eq!(made(&bob, &commits, from(&tool.to_string(), "by-id"))["parent_ids"], json!([newer]));
    let mut by_commit = from(&tool.to_string(), "by-commit");
    by_commit["start_branch"] = Value::Null;
    by_commit["start_sha"] = json!(newer);
    assert_eq!(made(&bob, &commits, by_commit)["parent_ids"], json!([newer]));
    assert_eq!(content(&bob, fork, "by-path", "a").as_deref(), Some("2"));
    // Without a named start, it is the branch of the same name there.
    let mut same_name = from("alice/tool", "main");
    same_name["start_branch"] = Value::Null;
    let taken = "A branch called 'main' already exists. Switch to that branch in order to make changes";
    bob.post(&commits, same_name.clone()).assert(400, json!({"message": taken}));
    same_name["force"] = json!(true);
    assert_eq!(made(&bob, &commits, same_name.clone())["parent_ids"], json!([newer]));
    same_name["branch"] = json!("none");
    let _ = bob.post(&commits, same_name.clone()).assert_status(400);
    // The own project as start is a commit as any other.
    let own =
        json!({"branch": "main", "start_project": fork, "commit_message": "Own", "actions": [new_file("c", "c")]});
    let _ = made(&bob, &commits, own);
    // Nothing is fetched for who may not push.
    let newest =
        commit(&alice, tool, "main", "Third", &json!([{"action": "update", "file_path": "a", "content": "3"}]));
    let carl = server.user("carl");
    let _ = carl.post(&commits, from("alice/tool", "y")).assert_status(403);
    let _ = bob.post(&commits, from("alice/tool", "by-path")).assert_status(400);
    let _ = bob.get(&format!("{commits}/{newest}")).assert_status(404);
    // Nor for who may push, but not by force.
    let _ = bob.delete(&format!("/projects/{fork}/protected_branches/main"));
    made(&bob, &format!("/projects/{fork}/protected_branches"), json!({"name": "main", "push_access_level": 40}));
    let forced = json!({
        "branch": "main", "start_project": tool, "start_sha": newest, "force": true, "commit_message": "Forced",
        "actions": [new_file("d", "d")],
    });
    let _ = bob.delete(&format!("{}/branches/by-path", at(fork)));
    let refused = bob.post(&commits, forced).assert_status(403).text();
    assert!(refused.contains("You are not allowed to push into this branch"), "{refused}");
    let _ = bob.get(&format!("{commits}/{newest}")).assert_status(404);
    // A hidden project is none.
    let secret = repository(&alice, "secret", "private");
    write(&alice, secret, "main", "a", "s");
    for project in [secret.to_string(), "999999".to_owned()] {
        bob.post(&commits, from(&project, "x")).assert(404, missing("Project"));
    }
}
