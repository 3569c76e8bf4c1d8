//! Two who want the same at the same time.

use serde_json::json;
use tenon_testkit::{Reply, TestServer, both_databases, keys};

use crate::support::*;

/// The number of simultaneous tries.
const TOGETHER: usize = 20;

/// The statuses of `work` done by [`TOGETHER`] callers at once, in rising order.
fn together(work: impl Fn(usize) -> Reply + Sync) -> Vec<u16> {
    let start = std::sync::Barrier::new(TOGETHER);
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let (start, work) = (&start, &work);
        let running: Vec<_> = (0..TOGETHER)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    work(number).status()
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    statuses.sort_unstable();
    statuses
}

/// Exactly one success, and refusals.
fn assert_one_won(statuses: &[u16], success: u16, refusals: &[u16]) {
    assert_eq!(statuses.iter().filter(|status| **status == success).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| *status == success || refusals.contains(status)), "{statuses:?}");
}

fn total(server: &TestServer, path: &str) -> String {
    server.root().get(path).assert_status(200).header("x-total")
}

#[both_databases]
fn a_key_becomes_an_ssh_key_or_a_deploy_key_and_never_both(server: &TestServer) {
    let alice = server.user("alice");
    let deploy = format!("/projects/{}/deploy_keys", project(&alice, "p", "private"));
    let statuses = together(|number| {
        let path = if number % 2 == 0 { "/user/keys" } else { &deploy };
        alice.post(path, json!({"title": "t", "key": keys::ED25519}))
    });
    assert!(statuses.iter().all(|status| [201, 400].contains(status)), "{statuses:?}");
    let counts = ["/user/keys", &deploy].map(|path| alice.get(path).assert_status(200).header("x-total"));
    assert!(counts == ["0", "1"] || counts == ["1", "0"], "{counts:?}");
}

#[both_databases]
fn of_many_projects_with_one_path_one_is_made(server: &TestServer) {
    let alice = server.user("alice");
    let statuses = together(|number| {
        let path = if number % 2 == 0 { "tool" } else { "TOOL" };
        alice.post("/projects", json!({"name": format!("n{number}"), "path": path}))
    });
    assert_one_won(&statuses, 201, &[400, 409]);
    assert_eq!(total(server, "/projects"), "1");
}

/// Acknowledged commits are there, and of those who make one file, one does.
#[both_databases]
fn commits_to_one_branch_do_not_lose_each_other(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "tool", "initialize_with_readme": true});
    let tool = id(&made(&alice, "/projects", body));
    let commit = |file: &str| {
        let actions = json!([{"action": "create", "file_path": file, "content": "x"}]);
        let body = json!({"branch": "main", "commit_message": file, "actions": actions});
        alice.post(&format!("/projects/{tool}/repository/commits"), body)
    };
    let statuses = together(|number| commit(&format!("file-{number}")));
    let made = statuses.iter().filter(|status| **status == 201).count();
    assert!(made > 0 && statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
    let tree = alice.get(&format!("/projects/{tool}/repository/tree?per_page=100"));
    assert_eq!(texts(&tree, "name").len(), made + 1, "{statuses:?}");
    assert_one_won(&together(|_| commit("the-same")), 201, &[400, 409]);
}

#[both_databases]
fn of_many_groups_with_one_path_one_is_made(server: &TestServer) {
    let alice = server.user("alice");
    let statuses = together(|_| alice.post("/groups", json!({"name": "team", "path": "team"})));
    assert_one_won(&statuses, 201, &[400, 409]);
    assert_eq!(total(server, "/groups"), "1");
}

/// Users and groups share their paths.
#[both_databases]
fn of_a_user_and_a_group_with_one_path_one_is_made(server: &TestServer) {
    let root = server.root();
    let statuses = together(|number| {
        let mail = format!("a{number}@example.org");
        let user = json!({"email": mail, "username": "same", "name": "x", "password": "correct horse"});
        if number % 2 == 0 {
            root.post("/users", user)
        } else {
            root.post("/groups", json!({"name": "x", "path": "same"}))
        }
    });
    assert_one_won(&statuses, 201, &[400, 409]);
}

#[both_databases]
fn of_many_users_with_one_address_one_is_made(server: &TestServer) {
    let root = server.root();
    let statuses = together(|number| {
        let body = json!({"email": "same@example.org", "username": format!("u{number}"), "name": "x", "password": "correct horse"});
        root.post("/users", body)
    });
    assert_one_won(&statuses, 201, &[400, 409]);
}

#[both_databases]
fn of_many_memberships_of_one_user_one_is_made(server: &TestServer) {
    let root = server.root();
    let team = group(&root, "team", "public");
    let alice = server.user("alice");
    let statuses =
        together(|_| root.post(&format!("/groups/{team}/members"), json!({"user_id": alice.id, "access_level": 30})));
    assert_one_won(&statuses, 201, &[409]);
}

/// Different paths do not get in each other's way.
#[both_databases]
fn many_projects_at_once_are_all_made(server: &TestServer) {
    let alice = server.user("alice");
    let statuses = together(|number| alice.post("/projects", json!({"name": format!("n{number}")})));
    assert_eq!(statuses, [201; TOGETHER]);
    let reply = server.root().get("/projects?per_page=100&order_by=id&sort=asc");
    let found = ids(&reply);
    assert_eq!(found.len(), TOGETHER);
    assert!(found.is_sorted_by(|left, right| left < right), "{found:?}");
}

#[both_databases]
fn of_many_deletions_one_is_accepted(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    let statuses = together(|_| alice.delete(&format!("/projects/{project}")));
    assert_one_won(&statuses, 202, &[404]);
}

/// Stars are counted, not overwritten.
#[both_databases]
fn stars_given_at_once_are_all_counted(server: &TestServer) {
    let fans: Vec<_> = (0..TOGETHER).map(|number| server.user(&format!("fan{number}"))).collect();
    let project = project(&server.root(), "tool", "public");
    let path = format!("/projects/{project}");
    let statuses = together(|number| fans[number].post(&format!("{path}/star"), json!({})));
    assert_eq!(statuses, [200; TOGETHER]);
    assert_eq!(server.root().get(&path).json()["star_count"], TOGETHER);
    let statuses = together(|_| fans[0].post(&format!("{path}/unstar"), json!({})));
    assert_one_won(&statuses, 200, &[304]);
    assert_eq!(server.root().get(&path).json()["star_count"], TOGETHER - 1);
}

/// The last owner of a group stays, also when two go at once.
#[both_databases]
fn two_owners_who_leave_at_once_do_not_leave_a_group_without_one(server: &TestServer) {
    let owners: Vec<_> = (0..TOGETHER).map(|number| server.user(&format!("owner{number}"))).collect();
    let team = group(&owners[0], "team", "public");
    for owner in &owners[1..] {
        member(&owners[0], &format!("/groups/{team}"), owner.id, 50);
    }
    let statuses = together(|number| owners[number].delete(&format!("/groups/{team}/members/{}", owners[number].id)));
    assert_one_won(&statuses, 403, &[204]);
    assert_eq!(total(server, &format!("/groups/{team}/members")), "1");
}

/// A limit holds against many at once.
#[both_databases]
fn a_limit_of_projects_holds_against_many_at_once(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"projects_limit": 3}));
    let statuses = together(|number| alice.post("/projects", json!({"name": format!("n{number}")})));
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 3, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 201 | 403)), "{statuses:?}");
}
