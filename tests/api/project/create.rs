//! New projects.

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn name_and_path_follow_from_each_other(server: &TestServer) {
    let alice = server.user("alice");
    let pair = |body: Value| {
        let made = made(&alice, "/projects", body);
        (made["name"].as_str().expect("a name").to_owned(), made["path"].as_str().expect("a path").to_owned())
    };
    assert_eq!(pair(json!({"name": "Foo  Project."})), ("Foo  Project.".to_owned(), "foo-project".to_owned()));
    assert_eq!(pair(json!({"path": "only.path"})), ("only.path".to_owned(), "only.path".to_owned()));
    assert_eq!(pair(json!({"name": "Größe", "path": "size"})), ("Größe".to_owned(), "size".to_owned()));
    assert_eq!(pair(json!({"name": "Übung"})).1, "ubung");
    alice
        .post("/projects", json!({}))
        .assert(400, parameter("name, path are missing, at least one parameter must be provided"));
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "private");
    let refused = |body: Value, name: &str, text: &str| {
        let reply = alice.post("/projects", body.clone()).assert_status(400);
        assert_eq!(reply.json()["message"][name], json!([text]), "{body}: {}", reply.text());
    };
    refused(json!({"name": "tool"}), "name", "has already been taken");
    refused(json!({"name": "tool"}), "path", "has already been taken");
    refused(json!({"name": "x", "path": "TOOL"}), "path", "has already been taken");
    refused(
        json!({"name": "x", "path": "a b"}),
        "path",
        "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
    );
    refused(
        json!({"name": "/x", "path": "x"}),
        "name",
        "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.",
    );
    refused(json!({"name": "wikis", "path": "wikis"}), "path", "wikis is a reserved name");
    refused(json!({"name": "x".repeat(256), "path": "x"}), "name", "is too long (maximum is 255 characters)");
    refused(json!({"name": "x", "path": "x".repeat(256)}), "path", "is too long (maximum is 255 characters)");
    refused(
        json!({"name": "x", "description": "x".repeat(2001)}),
        "description",
        "is too long (maximum is 2000 characters)",
    );
    refused(
        json!({"name": "x", "ci_config_path": "/x"}),
        "ci_config_path",
        "cannot include leading slash or directory traversal.",
    );
    refused(
        json!({"name": "x", "ci_config_path": "../x"}),
        "ci_config_path",
        "cannot include leading slash or directory traversal.",
    );
    for wiki in ["tool.wiki", "tool.WIKI"] {
        refused(json!({"name": wiki, "path": wiki}), "name", "has already been taken");
    }
    let hidden = group(&alice, "hidden", "private");
    refused(
        json!({"name": "x", "namespace_id": hidden, "visibility": "public"}),
        "visibility_level",
        "public is not allowed in a private group.",
    );
    refused(
        json!({"name": "x", "import_url": "file:///etc"}),
        "import_url",
        "is blocked: Only allowed schemes are http, https, and no local hosts",
    );
    alice
        .post("/projects", json!({"name": "x", "visibility": "x"}))
        .assert(400, parameter("visibility does not have a valid value"));
    alice
        .post("/projects", json!({"name": "x", "merge_method": "x"}))
        .assert(400, parameter("merge_method does not have a valid value"));
    server.anonymous().post("/projects", json!({})).assert(401, unauthorized());
}

#[both_databases]
fn a_limit_counts_personal_projects(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"projects_limit": 1}));
    project(&alice, "first", "private");
    let text = "Your project limit is 1 projects! Please contact your administrator to increase it";
    alice.post("/projects", json!({"name": "second"})).assert(403, json!({"error": [text]}));
    let team = group(&alice, "team", "private");
    project_in(&alice, team, "second", "private");
    assert_eq!(alice.get("/user").json()["can_create_project"], false);
    // A fork counts as well.
    let open = project(&server.user("bob"), "open", "public");
    alice.post(&format!("/projects/{open}/fork"), json!({})).assert(409, json!({"message": {"limit_reached": [text]}}));
    let _ = alice.post(&format!("/projects/{open}/fork"), json!({"namespace": team})).assert_status(201);
    let _ = alice.delete("/projects/alice%2Ffirst").assert_status(202);
    server.run_jobs();
    project(&alice, "second", "private");
}

#[both_databases]
fn switches_and_tags_are_kept(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "tool", "tag_list": ["b", "a"], "wiki_enabled": false, "merge_method": "ff", "public_builds": false, "lfs_enabled": "no", "ci_config_path": "ci.yml", "description": "d"});
    let made = made(&alice, "/projects", body);
    for (name, want) in [
        ("tag_list", json!(["a", "b"])),
        ("wiki_enabled", json!(false)),
        ("merge_method", json!("ff")),
        ("public_jobs", json!(false)),
        ("lfs_enabled", json!(false)),
        ("ci_config_path", json!("ci.yml")),
        ("description", json!("d")),
    ] {
        assert_eq!(made[name], want, "{name}");
    }
    for (name, form) in
        [("f1", "tag_list=z,y"), ("f2", "tag_list[]=z&tag_list[]=y"), ("f3", "tag_list%5B%5D=z&tag_list%5B%5D=y")]
    {
        let made = alice.form("POST", "/projects", &format!("name={name}&{form}")).assert_status(201).json();
        assert_eq!(made["tag_list"], json!(["y", "z"]), "{form}");
    }
}

#[both_databases]
fn a_picture_comes_with_the_other_fields(server: &TestServer) {
    let alice = server.user("alice");
    let form = Multipart::default().text("name", "tool").text("visibility", "public").file("avatar", "logo.png", PIXEL);
    let made = alice.multipart("POST", "/projects", &form).assert_status(201).json();
    assert_eq!(
        (&made["visibility"], &made["avatar_url"]),
        (&json!("public"), &json!(format!("{}/uploads/-/system/project/avatar/{}/logo.png", server.base(), id(&made))))
    );
    let empty = Multipart::default().text("name", "other").text("avatar", "");
    let _ = alice.multipart("POST", "/projects", &empty).assert_status(201);
}

#[both_databases]
fn administrators_make_projects_for_others(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/user/{}", alice.id);
    let new = |body: Value| made(&server.root(), &path, body);
    let own = new(json!({"name": "tool"}));
    assert_eq!(
        (&own["path_with_namespace"], &own["creator_id"], &own["owner"]["id"]),
        (&json!("alice/tool"), &json!(alice.id), &json!(alice.id))
    );
    let team = group(&alice, "team", "public");
    let in_group = new(json!({"name": "in group", "namespace_id": team, "default_branch": "trunk"}));
    assert_eq!(
        (&in_group["path_with_namespace"], &in_group["creator_id"], &in_group["default_branch"]),
        (&json!("team/in-group"), &json!(alice.id), &json!("trunk"))
    );
    let bob = server.user("bob");
    let others = group(&bob, "others", "public");
    for namespace in [others, 999_999] {
        server
            .root()
            .post(&path, json!({"name": "x", "namespace_id": namespace}))
            .assert(400, field("namespace", "is not valid"));
    }
    server
        .root()
        .post(&path, json!({"name": "x", "import_url": "file:///etc"}))
        .assert(400, field("import_url", "is blocked: Only allowed schemes are http, https, and no local hosts"));
    let imported =
        new(json!({"name": "imported", "import_url": "https://git.example.org/a.git", "default_branch": "trunk"}));
    assert_eq!(imported["import_status"], "scheduled");
    let odd = json!({"name": "x", "default_branch": "a..b"});
    server.root().post(&path, odd).assert(400, field("default_branch", "is not a valid branch name"));
    let both = json!({"name": "x", "import_url": "https://git.example.org/a.git", "initialize_with_readme": true});
    let refused = alice.post("/projects", both);
    refused.assert(400, field("initialize_with_readme", "is not possible together with import_url"));
    alice.post(&path, json!({"name": "x"})).assert(403, forbidden());
    server.root().post(&path, json!({})).assert(400, parameter("name is missing"));
    server.root().post("/projects/user/999999", json!({"name": "x"})).assert(404, missing("User"));
}

#[both_databases]
fn projects_in_groups_need_a_maintainer(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    member(&alice, &format!("/groups/{team}"), bob.id, 30);
    bob.post("/projects", json!({"name": "x", "namespace_id": team})).assert(400, field("namespace", "is not valid"));
    let _ = alice.put(&format!("/groups/{team}/members/{}", bob.id), json!({"access_level": 40})).assert_status(200);
    let made = made(&bob, "/projects", json!({"name": "x", "namespace_id": team}));
    assert_eq!(alice.get(&format!("/projects/{}/members", id(&made))).json(), json!([]));
}

#[both_databases]
fn a_fork_has_a_copy_of_the_picture(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let form = Multipart::default().text("name", "tool").text("visibility", "public").file("avatar", "logo.png", PIXEL);
    let tool = id(&alice.multipart("POST", "/projects", &form).assert_status(201).json());
    let copy = id(&made(&bob, &format!("/projects/{tool}/fork"), json!({})));
    server.run_jobs();
    let picture = || bob.get(&format!("/projects/{copy}")).json()["avatar_url"].as_str().map(ToOwned::to_owned);
    let url = picture().expect("a picture");
    assert!(url.ends_with(&format!("/uploads/-/system/project/avatar/{copy}/logo.png")), "{url}");
    // It stays when that of the source goes, and is taken away by itself.
    let _ = alice
        .multipart("PUT", &format!("/projects/{tool}"), &Multipart::default().text("avatar", ""))
        .assert_status(200);
    server.run_jobs();
    let files = || std::fs::read_dir(server.objects().join("avatars")).map(Iterator::count).unwrap_or_default();
    assert_eq!((picture(), files()), (Some(url), 1));
    let _ = bob.delete(&format!("/projects/{copy}")).assert_status(202);
    server.run_jobs();
    assert_eq!(files(), 0);
}

#[both_databases]
fn the_source_of_an_import_is_answered_without_credentials(server: &TestServer) {
    let alice = server.user("alice");
    let body =
        json!({"name": "tool", "visibility": "public", "import_url": "https://ada:secret@git.example.org/a.git"});
    let made = made(&alice, "/projects", body);
    let shown = json!("https://git.example.org/a.git");
    assert_eq!((&made["import_url"], &made["import_type"]), (&shown, &json!("git")));
    let path = format!("/projects/{}", made["id"]);
    let read = server.user("bob").get(&path).assert_status(200).json();
    assert_eq!((&read["import_url"], &read["import_type"]), (&json!(null), &json!("git")));
    // A client sends back what it has read.
    let kept = alice.put(&path, json!({"import_url": shown, "description": "d"})).assert_status(200).json();
    assert_eq!((&kept["import_url"], &kept["description"]), (&shown, &json!("d")));
    let own = alice.post("/projects", json!({"name": "own"})).assert_status(201).json();
    assert_eq!((&own["import_url"], &own["import_type"]), (&json!(null), &json!(null)));
}

#[both_databases]
fn approvals_are_required_by_a_field_of_the_project(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/projects", json!({"name": "tool", "visibility": "public", "approvals_before_merge": 2}));
    let path = format!("/projects/{}", made["id"]);
    let required = || alice.get(&format!("{path}/approvals")).json()["approvals_before_merge"].clone();
    assert_eq!((&made["approvals_before_merge"], required()), (&json!(2), json!(2)));
    let changed = changed(&alice, &path, json!({"approvals_before_merge": 0}));
    assert_eq!((&changed["approvals_before_merge"], required()), (&json!(0), json!(0)));
    assert_eq!(alice.put(&path, json!({"approvals_before_merge": 101})).status(), 400);
    let stranger = server.user("bob").get(&path).assert_status(200).json();
    assert_lacks(&stranger, &["approvals_before_merge", "repository_storage"]);
    assert_eq!(server.root().get(&path).json()["repository_storage"], "default");
}

#[both_databases]
fn it_is_told_who_may_open_merge_requests(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "private"));
    let (guest, reporter) = (server.user("guest"), server.user("reporter"));
    member(&alice, &path, guest.id, 10);
    member(&alice, &path, reporter.id, 20);
    let may = |client: &Client| client.get(&path).json()["can_create_merge_request_in"].clone();
    assert_eq!([may(&guest), may(&reporter), may(&alice)], [false, true, true].map(Value::from));
    changed(&alice, &path, json!({"merge_requests_access_level": "disabled"}));
    assert_eq!(may(&alice), json!(false));
    changed(&alice, &path, json!({"merge_requests_access_level": "enabled"}));
    let _ = alice.post(&format!("{path}/archive"), json!({})).assert_status(200);
    assert_eq!(may(&alice), json!(false));
}

#[both_databases]
fn a_fork_is_made_as_it_is_asked_for(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let commits = format!("/projects/{tool}/repository/commits");
    for (branch, start) in [("main", None), ("next", Some("main")), ("other", Some("main"))] {
        let action = json!({"action": "create", "file_path": branch, "content": branch});
        let mut asked = json!({"branch": branch, "commit_message": branch, "actions": [action]});
        if let Some(start) = start {
            asked["start_branch"] = json!(start);
        }
        made(&alice, &commits, asked);
    }
    let team = group(&bob, "team", "public");
    let fork = |asked: Value| {
        let made = made(&bob, &format!("/projects/{tool}/fork"), asked);
        server.run_jobs();
        bob.get(&format!("/projects/{}", id(&made))).assert_status(200).json()
    };
    let copy = fork(json!({
        "namespace_path": "team", "path": "copy", "description": "Ours.", "branches": "next", "mr_default_target_self": true,
    }));
    for (name, want) in [
        ("path_with_namespace", json!("team/copy")),
        ("description", json!("Ours.")),
        ("default_branch", json!("next")),
        ("mr_default_target_self", json!(true)),
        ("import_status", json!("finished")),
    ] {
        assert_eq!(copy[name], want, "{name}");
    }
    let branches = |project: &Value| texts(&bob.get(&format!("/projects/{}/repository/branches", id(project))), "name");
    assert_eq!(branches(&copy), ["next"]);
    let whole = fork(json!({"namespace_id": team, "name": "whole", "path": "whole"}));
    assert_eq!((&whole["default_branch"], &whole["mr_default_target_self"]), (&json!("main"), &json!(false)));
    assert_eq!(branches(&whole), ["main", "next", "other"]);
    let none = fork(json!({"path": "none", "branches": "missing"}));
    assert_eq!((&none["import_status"], &none["empty_repo"]), (&json!("failed"), &json!(true)));
}

#[both_databases]
fn there_is_one_storage(server: &TestServer) {
    let root = server.root();
    let made = made(&root, "/projects", json!({"name": "tool", "repository_storage": "default"}));
    assert_eq!(made["repository_storage"], "default");
    let path = format!("/projects/{}", id(&made));
    assert_eq!(changed(&root, &path, json!({"repository_storage": "default"}))["repository_storage"], "default");
    let refused = parameter("repository_storage does not have a valid value");
    root.put(&path, json!({"repository_storage": "other", "description": "x"})).assert(400, refused.clone());
    root.post("/projects", json!({"name": "next", "repository_storage": "other"})).assert(400, refused);
    assert_eq!(root.get(&path).json()["description"], Value::Null);
}
