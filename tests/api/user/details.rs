//! The fields of an account about the person at work, and its memberships.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 4] = ["job_title", "pronouns", "organization", "work_information"];

fn some(user: &Value) -> [Value; 4] {
    FIELDS.map(|field| user[field].clone())
}

#[both_databases]
fn an_account_tells_what_the_person_does(server: &TestServer) {
    let root = server.root();
    let alice = server.user_with("alice", &json!({"job_title": "Chemist", "pronouns": "she/her"}));
    let bob = server.user("bob");
    let path = format!("/users/{}", alice.id);
    let fresh = some(&bob.get("/user").json());
    assert_eq!(fresh, [json!(""), Value::Null, Value::Null, Value::Null]);
    let known = [json!("Chemist"), json!("she/her"), Value::Null, json!("Chemist")];
    for client in [&root, &*bob, &server.anonymous()] {
        assert_eq!(some(&client.get(&path).json()), known);
    }
    let edited = changed(&root, &path, json!({"organization": "Lab", "job_title": "Head"}));
    assert_eq!(some(&edited), [json!("Head"), json!("she/her"), json!("Lab"), json!("Head at Lab")]);
    let edited = changed(&root, &path, json!({"job_title": "", "name": "Alice"}));
    assert_eq!(some(&edited), [json!(""), json!("she/her"), json!("Lab"), json!("Lab")]);
    for (name, longest) in [("job_title", 200), ("pronouns", 50)] {
        let mut body = json!({});
        body[name] = json!("x".repeat(longest + 1));
        let text = format!("is too long (maximum is {longest} characters)");
        root.put(&path, body).assert(400, field(name, &text));
    }
    // Lists name people and no more.
    assert_lacks(&bob.get("/users?username=alice").json()[0], &FIELDS);
}

#[both_databases]
fn administrators_see_what_a_user_is_a_member_of(server: &TestServer) {
    let (root, alice, bob) = (server.root(), server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let tool = project(&alice, "tool", "private");
    member(&alice, &format!("/groups/{team}"), bob.id, 20);
    member(&alice, &format!("/projects/{tool}"), bob.id, 30);
    let path = format!("/users/{}/memberships", bob.id);
    let in_group = json!({"source_id": team, "source_name": "team", "source_type": "Namespace", "access_level": 20});
    let in_project = json!({"source_id": tool, "source_name": "tool", "source_type": "Project", "access_level": 30});
    for (query, want) in [
        ("", json!([in_group, in_project])),
        ("?type=Project", json!([in_project])),
        ("?type=Namespace", json!([in_group])),
        ("?per_page=1&page=2", json!([in_project])),
    ] {
        assert_eq!(root.get(&format!("{path}{query}")).assert_status(200).json(), want, "{query}");
    }
    assert_eq!(root.get(&path).header("x-total"), "2");
    root.get(&format!("{path}?type=project")).assert(400, parameter("type does not have a valid value"));
    for client in [&alice, &bob] {
        client.get(&path).assert(403, forbidden());
    }
    server.anonymous().get(&path).assert(401, unauthorized());
    root.get("/users/999999/memberships").assert(404, missing("User"));
    let _ = alice.delete(&format!("/groups/{team}")).assert_status(202);
    assert_eq!(root.get(&path).json(), json!([in_project]));
}

#[both_databases]
fn memberships_of_what_is_being_removed_are_neither_listed_nor_counted(server: &TestServer) {
    let (root, alice, bob) = (server.root(), server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    let inside = project_in(&alice, below, "inside", "private");
    let kept = group(&alice, "kept", "private");
    for source in [
        format!("/groups/{team}"),
        format!("/groups/{below}"),
        format!("/projects/{inside}"),
        format!("/groups/{kept}"),
    ] {
        member(&alice, &source, bob.id, 20);
    }
    let path = format!("/users/{}/memberships", bob.id);
    assert_eq!(root.get(&path).header("x-total"), "4");
    let _ = alice.delete(&format!("/groups/{team}")).assert_status(202);
    for (query, want) in [("", 1), ("?type=Project", 0), ("?type=Namespace", 1)] {
        let list = root.get(&format!("{path}{query}"));
        assert_eq!((list.each("source_id").len(), list.header("x-total")), (want, want.to_string()), "{query}");
    }
    // Objects that a removed account owned are hidden as well.
    let carol = server.user("carol");
    let tool = project(&carol, "tool", "private");
    member(&carol, &format!("/projects/{tool}"), bob.id, 20);
    let _ = root.delete(&format!("/users/{}?hard_delete=true", carol.id)).assert_status(204);
    assert_eq!(root.get(&path).each("source_id"), [json!(kept)]);
    server.run_jobs();
    assert_eq!(root.get(&path).each("source_id"), [json!(kept)]);
}
