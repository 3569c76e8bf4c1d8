//! Fields of an account that administrators set and read, and the address in commits.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// The author of the newest commit of a project.
fn author(client: &Client, project: i64) -> Value {
    client.get(&format!("/projects/{project}/repository/commits")).json()[0]["author_email"].clone()
}

fn commit(client: &Client, project: i64, name: &str) {
    let file = json!({"branch": "main", "content": "x", "commit_message": name});
    made(client, &format!("/projects/{project}/repository/files/{name}"), file);
}

/// A client that makes an account with everything set, reads it, changes each field and reads it again finds what it has sent.
#[both_databases]
fn a_client_that_compares_comes_to_rest(server: &TestServer) {
    let root = server.root();
    let first = json!({
        "username": "ada", "name": "Ada", "email": "ada@example.org", "note": "Joined by hand", "theme_id": 3,
        "linkedin": "ada-l", "skype": "ada.s", "twitter": "ada_t", "website_url": "https://ada.test", "bio": "Counts",
        "location": "London", "organization": "Engines", "projects_limit": 7, "can_create_group": false,
        "external": false, "private_profile": true, "extern_uid": "42", "provider": "corp", "job_title": "Countess",
    });
    let second = json!({
        "username": "ada2", "name": "Ada L", "note": "", "theme_id": 1, "linkedin": "", "skype": "", "twitter": "",
        "website_url": "", "bio": "", "location": "", "organization": "", "projects_limit": 9, "can_create_group": true,
        "private_profile": false, "extern_uid": "43", "provider": "corp", "job_title": "",
    });
    let assert_has_all = |answer: &Value, sent: &Value| {
        for (name, want) in sent.as_object().expect("an object") {
            let found = if answer[name].is_null() { json!("") } else { answer[name].clone() };
            assert_eq!(&found, want, "{name}");
        }
    };
    let mut body = first.clone();
    body["password"] = json!("a long password");
    body["skip_confirmation"] = json!(true);
    body["view_diffs_file_by_file"] = json!(true);
    let created = made(&root, "/users", body);
    assert_has_all(&created, &first);
    let path = format!("/users/{}", id(&created));
    assert_has_all(&root.get(&path).json(), &first);
    assert_eq!(created["created_by"]["username"], "root");
    assert_has(&created, &["bot", "locked", "current_sign_in_ip", "last_sign_in_ip", "commit_email"]);
    assert_has_all(&changed(&root, &path, second.clone()), &second);
    assert_has_all(&root.get(&path).json(), &second);
    for (name, value) in first.as_object().expect("an object") {
        let mut change = json!({ name.as_str(): value });
        match name.as_str() {
            // An address takes effect when it is confirmed; the two parts of an identity come together.
            "email" | "provider" => continue,
            "extern_uid" => change["provider"] = json!("corp"),
            _ => {}
        }
        assert_has_all(&changed(&root, &path, change.clone()), &change);
    }
    assert_has_all(&root.get(&path).json(), &first);
}

#[both_databases]
fn only_administrators_read_remarks_and_addresses(server: &TestServer) {
    let (root, alice, bob) = (server.root(), server.user("alice"), server.user("bob"));
    let path = format!("/users/{}", alice.id);
    changed(&root, &path, json!({"note": "Careful <b>"}));
    let secrets = ["note", "created_by", "current_sign_in_ip", "last_sign_in_ip"];
    for (reader, path) in [(&*bob, path.as_str()), (&*alice, path.as_str()), (&*alice, "/user")] {
        let read = reader.get(path).assert_status(200).json();
        assert_lacks(&read, &secrets);
        assert_eq!((&read["bot"], &read["locked"]), (&json!(false), &json!(false)));
    }
    assert_lacks(&bob.get(&path).json(), &["commit_email", "extern_uid", "provider", "theme_id"]);
    assert_has(&alice.get("/user").json(), &["commit_email", "extern_uid", "provider", "theme_id"]);
    assert_eq!(root.get(&path).json()["note"], "Careful <b>");
    let listed = root.get("/users?username=alice").json();
    assert_eq!(listed[0]["note"], "Careful <b>");
    let _ = alice.put(&path, json!({"note": "mine"})).assert_status(403);
}

#[both_databases]
fn wrong_values_are_refused_by_name(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let path = format!("/users/{}", alice.id);
    for (body, name, text) in [
        (json!({"theme_id": 0}), "theme_id", "is not included in the list"),
        (json!({"theme_id": 12}), "theme_id", "is not included in the list"),
        (json!({"note": "x".repeat(10_001)}), "note", "is too long (maximum is 10000 characters)"),
        (json!({"commit_email": "other@example.org"}), "commit_email", "is not an email you own"),
    ] {
        let mut with_name = body.clone();
        with_name["name"] = json!("not stored");
        root.put(&path, with_name).assert(400, field(name, text));
    }
    let _ = root.put(&path, json!({"theme_id": "x"})).assert_status(400);
    assert_ne!(root.get(&path).json()["name"], "not stored");
}

#[both_databases]
fn commits_of_the_api_carry_the_chosen_address(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let path = format!("/users/{}", alice.id);
    let tool = id(&made(&alice, "/projects", json!({"name": "tool", "initialize_with_readme": true})));
    assert_eq!(author(&alice, tool), "alice@example.org");
    let new = json!({"email": "alice@work.test", "skip_confirmation": true});
    let address = made(&root, &format!("{path}/emails"), new);
    assert_eq!(changed(&root, &path, json!({"commit_email": "Alice@Work.test"}))["commit_email"], "alice@work.test");
    commit(&alice, tool, "one");
    assert_eq!(author(&alice, tool), "alice@work.test");
    // A readme that the server makes, and a merge.
    let next = id(&made(&alice, "/projects", json!({"name": "next", "initialize_with_readme": true})));
    assert_eq!(author(&alice, next), "alice@work.test");
    let file = json!({"branch": "topic", "start_branch": "main", "content": "x", "commit_message": "x"});
    made(&alice, &format!("/projects/{next}/repository/files/x"), file);
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Topic"});
    let request = made(&alice, &format!("/projects/{next}/merge_requests"), body);
    server.run_jobs();
    changed(&alice, &format!("/projects/{next}/merge_requests/{}/merge", request["iid"]), json!({}));
    assert_eq!(author(&alice, next), "alice@work.test");
    // Without the address, commits carry the primary one again.
    let _ = alice.delete(&format!("/user/emails/{}", address["id"])).assert_status(204);
    assert_eq!(alice.get("/user").json()["commit_email"], "alice@example.org");
    commit(&alice, tool, "two");
    assert_eq!(author(&alice, tool), "alice@example.org");
}

#[both_databases]
fn an_administrator_sets_the_preference_of_a_user(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    changed(&alice, "/user/preferences", json!({"show_whitespace_in_diffs": false}));
    changed(&root, &format!("/users/{}", alice.id), json!({"view_diffs_file_by_file": true}));
    let read = alice.get("/user/preferences").json();
    assert_eq!((&read["view_diffs_file_by_file"], &read["show_whitespace_in_diffs"]), (&json!(true), &json!(false)));
}
