//! Settings that the server obeys.

use std::path::Path;

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use super::set;
use crate::merge_request::{repository, write};
use crate::support::*;

const REFS: &str = "//alice/tool.git/info/refs?service=git-upload-pack";

fn new_user(root: &Client, name: &str, more: &Value) -> Value {
    let mut body =
        json!({"username": name, "name": name, "email": format!("{name}@example.org"), "password": "correct horse"});
    body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    made(root, "/users", body)
}

#[both_databases]
fn visibilities_are_the_defaults_of_new_groups_and_projects(server: &TestServer) {
    let alice = server.user("alice");
    set(server, json!({"default_group_visibility": "internal", "default_project_visibility": "public"}));
    assert_eq!(made(&alice, "/groups", json!({"name": "g", "path": "g"}))["visibility"], "internal");
    assert_eq!(made(&alice, "/projects", json!({"name": "p"}))["visibility"], "public");
    assert_eq!(made(&alice, "/projects", json!({"name": "q", "visibility": "private"}))["visibility"], "private");
}

#[both_databases]
fn restricted_visibilities_are_for_administrators(server: &TestServer) {
    let alice = server.user("alice");
    let (old_group, old_project) = (group(&alice, "old", "public"), project(&alice, "old", "public"));
    let own = project(&alice, "own", "private");
    set(server, json!({"restricted_visibility_levels": ["public"]}));
    let _ = alice.post("/projects", json!({"name": "p", "visibility": "public"})).assert_status(400);
    let _ = alice.post("/groups", json!({"name": "g", "path": "g", "visibility": "public"})).assert_status(400);
    let _ = alice.put(&format!("/projects/{own}"), json!({"visibility": "public"})).assert_status(400);
    // A public project can still be changed in other fields.
    let _ = alice.put(&format!("/projects/{old_project}"), json!({"description": "d"})).assert_status(200);
    let _ = alice.put(&format!("/groups/{old_group}"), json!({"description": "d"})).assert_status(200);
    let _ = made(&server.root(), "/projects", json!({"name": "p", "visibility": "public"}));
    // Users are hidden from callers without an account.
    let _ = server.anonymous().get(&format!("/users/{}", alice.id)).assert_status(404);
    set(server, json!({"restricted_visibility_levels": []}));
    let _ = server.anonymous().get(&format!("/users/{}", alice.id)).assert_status(200);
    let _ = made(&alice, "/projects", json!({"name": "p", "visibility": "public"}));
}

#[both_databases]
fn new_users_get_the_limit_of_projects(server: &TestServer) {
    let root = server.root();
    let before = new_user(&root, "before", &json!({}));
    set(server, json!({"default_projects_limit": 1}));
    let after = new_user(&root, "after", &json!({}));
    assert_eq!(
        (&after["projects_limit"], &root.get(&format!("/users/{}", id(&before))).json()["projects_limit"]),
        (&json!(1), &json!(100_000))
    );
    let user = server.client(&server.token(id(&after), &["api"]));
    let _ = made(&user, "/projects", json!({"name": "one"}));
    let _ = user.post("/projects", json!({"name": "two"})).assert_status(403);
}

#[both_databases]
fn new_users_are_external_where_the_setting_says_so(server: &TestServer) {
    let root = server.root();
    set(server, json!({"user_default_external": true}));
    assert_eq!(new_user(&root, "one", &json!({}))["external"], true);
    assert_eq!(new_user(&root, "two", &json!({"external": false}))["external"], false);
}

#[both_databases]
fn uploads_are_as_large_as_the_setting_says(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/uploads", project(&alice, "tool", "public"));
    set(server, json!({"max_attachment_size": 1}));
    let file = |bytes: usize| Multipart::default().file("file", "a.bin", &vec![b'x'; bytes]);
    alice
        .multipart("POST", &path, &file((1 << 20) + 1))
        .assert(413, json!({"message": "413 Request Entity Too Large"}));
    let _ = alice.multipart("POST", &path, &file(1 << 20)).assert_status(201);
    set(server, json!({"max_attachment_size": 2}));
    let _ = alice.multipart("POST", &path, &file((1 << 20) + 1)).assert_status(201);
}

#[both_databases]
fn the_first_branch_is_protected_and_named_as_the_settings_say(server: &TestServer) {
    let alice = server.user("alice");
    let rules = |name: &str, body: Value| {
        set(server, body);
        let made = made(&alice, "/projects", json!({"name": name, "initialize_with_readme": true}));
        let branch = alice.get(&format!("/projects/{}", id(&made))).json()["default_branch"].clone();
        let rules = alice.get(&format!("/projects/{}/protected_branches", id(&made))).json();
        (branch, rules[0]["push_access_levels"][0]["access_level"].clone())
    };
    assert_eq!(rules("full", json!({"default_branch_protection": 2})), (json!("main"), json!(40)));
    assert_eq!(
        rules("part", json!({"default_branch_protection": 1, "default_branch_name": "trunk"})),
        (json!("trunk"), json!(30))
    );
    assert_eq!(
        rules("none", json!({"default_branch_protection": 0, "default_branch_name": null})),
        (json!("main"), Value::Null)
    );
}

#[both_databases]
fn imports_by_address_can_be_switched_off(server: &TestServer) {
    let alice = server.user("alice");
    let own = project(&alice, "own", "private");
    let body = json!({"name": "copy", "import_url": "https://git.example.org/a.git"});
    set(server, json!({"import_sources": ["github"]}));
    alice.post("/projects", body.clone()).assert(403, forbidden());
    alice.put(&format!("/projects/{own}"), body.clone()).assert(403, forbidden());
    server.root().post("/projects", body.clone()).assert(403, forbidden());
    let _ = made(&alice, "/projects", json!({"name": "plain"}));
    set(server, json!({"import_sources": ["git"]}));
    let copy = made(&alice, "/projects", body.clone());
    assert_eq!(copy["import_status"], "scheduled");
    // A client sends back the address that it has read.
    set(server, json!({"import_sources": ["github"]}));
    let path = format!("/projects/{}", copy["id"]);
    let same = json!({"import_url": copy["import_url"], "description": "d"});
    assert_eq!(changed(&alice, &path, same)["description"], "d");
    let other = json!({"import_url": "https://git.example.org/b.git"});
    alice.put(&path, other).assert(403, forbidden());
}

#[both_databases]
fn hooks_call_the_local_network_where_the_setting_permits(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/hooks", project(&alice, "tool", "private"));
    let _ = alice.post(&path, json!({"url": "http://127.0.0.1:9/"})).assert_status(422);
    set(server, json!({"allow_local_requests_from_hooks_and_services": true}));
    let _ = alice.post(&path, json!({"url": "http://127.0.0.1:9/"})).assert_status(201);
}

#[both_databases]
fn new_projects_use_shared_runners_where_the_setting_says_so(server: &TestServer) {
    let alice = server.user("alice");
    assert_eq!(made(&alice, "/projects", json!({"name": "one"}))["shared_runners_enabled"], true);
    set(server, json!({"shared_runners_enabled": false}));
    assert_eq!(made(&alice, "/projects", json!({"name": "two"}))["shared_runners_enabled"], false);
}

#[both_databases]
fn pictures_come_from_the_avatar_service_where_the_setting_says_so(server: &TestServer) {
    let alice = server.user("alice");
    let own = |client: &Client| client.get("/user").json()["avatar_url"].as_str().unwrap_or_default().to_owned();
    let before = own(&alice);
    set(server, json!({"avatarservice_enabled": true}));
    assert_ne!(own(&alice), before);
    set(server, json!({"avatarservice_enabled": false}));
    assert_eq!(own(&alice), before);
}

#[both_databases]
fn git_works_over_the_enabled_protocol_only(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "public");
    let git = server.anonymous().basic("alice", &alice.token);
    let _ = git.get(REFS).assert_status(200);
    set(server, json!({"enabled_git_access_protocol": "ssh"}));
    let refused = git.get(REFS).assert_status(403);
    assert_eq!(refused.text(), "Git access over HTTP is not allowed\n");
    let _ = alice.get("/projects").assert_status(200);
    for both in [json!("http"), json!("nil")] {
        set(server, json!({"enabled_git_access_protocol": both}));
        let _ = git.get(REFS).assert_status(200);
    }
}

#[both_databases]
fn git_takes_passwords_where_the_setting_permits(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "private");
    let by_password = server.anonymous().basic("alice", "correct horse");
    let _ = by_password.get(REFS).assert_status(200);
    set(server, json!({"password_authentication_enabled_for_git": false}));
    let refused = by_password.get(REFS).assert_status(401);
    assert_eq!(refused.header("www-authenticate"), "Basic realm=\"Tenon\"");
    assert!(
        refused.text().starts_with("HTTP Basic: Access denied\nYou must use a personal access token"),
        "{}",
        refused.text()
    );
    // A wrong password is answered alike.
    assert_eq!(server.anonymous().basic("alice", "wrong").get(REFS).assert_status(401).text(), refused.text());
    let _ = server.anonymous().basic("alice", &alice.token).get(REFS).assert_status(200);
}

#[both_databases]
fn repositories_are_packed_where_the_setting_says_so(server: &TestServer) {
    let _ = made(&server.user("alice"), "/projects", json!({"name": "tool", "initialize_with_readme": true}));
    let _ = server.run_jobs();
    let scan = || {
        server.enqueue("look_after_repositories", &json!({"kind": "look_after_repositories", "after": 0}));
        server.run_jobs()
    };
    set(server, json!({"housekeeping_enabled": false}));
    let without = scan();
    assert_eq!(scan(), without);
    set(
        server,
        json!({
            "housekeeping_enabled": true, "housekeeping_bitmaps_enabled": true, "housekeeping_full_repack_period": 50,
            "housekeeping_gc_period": 200, "housekeeping_incremental_repack_period": 10,
        }),
    );
    assert!(scan() > without, "what packs, and what follows from it");
}

#[both_databases]
fn the_first_page_leads_strangers_to_the_home_page(server: &TestServer) {
    let first = || server.anonymous().get("//").assert_status(302).header("location");
    assert_eq!(first(), "/users/sign_in");
    set(server, json!({"home_page_url": "https://www.example.org/start"}));
    assert_eq!(first(), "https://www.example.org/start");
    let _ = server.anonymous().head("//").assert_status(302);
    let _ = server.anonymous().post("//", json!({})).assert_status(405);
    // A redirect to itself would never end.
    set(server, json!({"home_page_url": server.base()}));
    assert_eq!(first(), "/users/sign_in");
    set(server, json!({"home_page_url": null}));
    assert_eq!(first(), "/users/sign_in");
}

#[both_databases]
fn metrics_can_be_switched_off(server: &TestServer) {
    let read = || server.anonymous().get("//-/metrics").assert_status(200).text();
    assert!(read().contains("tenon_pool_waiting"));
    set(server, json!({"prometheus_metrics_enabled": false}));
    assert_eq!(read(), "# Metrics are switched off.\n");
    set(server, json!({"prometheus_metrics_enabled": true}));
    assert!(read().contains("tenon_pool_waiting"));
}

/// The loose objects of all repositories.
fn loose_objects(server: &TestServer) -> usize {
    let is_loose = |path: &Path| {
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        folder.is_some_and(|name| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let (mut folders, mut found) = (vec![server.data().to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if is_loose(&entry) && entry.components().any(|part| part.as_os_str() == "objects") {
                found += 1;
            }
        }
    }
    found
}

#[both_databases]
fn new_objects_are_packed_after_so_many_pushes(server: &TestServer) {
    let alice = server.user("alice");
    set(server, json!({"housekeeping_optimize_repository_period": 3}));
    let tool = repository(&alice, "tool", "private");
    let push = |name: &str| {
        let _ = write(&alice, tool, "main", name, "text");
        let _ = server.run_jobs();
        loose_objects(server)
    };
    // The repository began with one.
    assert!(push("a") > 0);
    assert_eq!(push("b"), 0);
    assert!(push("c") > 0 && push("d") > 0);
    assert_eq!(push("e"), 0);
    // Several pushes before the job runs are one job.
    for name in ["f", "g", "h", "i", "j", "k"] {
        let _ = write(&alice, tool, "main", name, "text");
    }
    assert!(loose_objects(server) > 0);
    let _ = server.run_jobs();
    assert_eq!(loose_objects(server), 0);
    set(server, json!({"housekeeping_enabled": false}));
    for name in ["l", "m", "n", "o"] {
        assert!(push(name) > 0);
    }
}
