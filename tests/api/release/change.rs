//! Changing and removing releases.

use super::*;

#[both_databases]
fn a_release_is_changed_field_by_field(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let before = release(server, &alice, tool, "v1");
    let one = format!("{}/v1", at(tool));
    let change = |body: Value| changed(&alice, &one, body);
    assert_eq!(some(&change(json!({"name": "One"})), &["name", "description"]), json!(["One", "Notes of v1"]));
    assert_eq!(some(&change(json!({"description": "Other"})), &["name", "description"]), json!(["One", "Other"]));
    let later = change(json!({"released_at": "2030-01-02T03:04:05Z"}));
    assert_eq!(
        some(&later, &["released_at", "upcoming_release", "created_at"]),
        json!(["2030-01-02T03:04:05.000Z", true, before["created_at"]])
    );
    assert_eq!(some(&change(json!({"name": "", "description": null})), &["name", "description"]), json!(["v1", ""]));
    assert_eq!(later["commit"], before["commit"]);
    assert_eq!(alice.get(&one).json(), change(json!({"name": null})));
    alice.put(&one, json!({})).assert(400, message("params is empty"));
    alice.put(&one, json!({"ref": "main", "tag_name": "v9"})).assert(400, message("params is empty"));
    alice
        .put(&one, json!({"name": "n".repeat(256)}))
        .assert(400, message("Validation failed: Name is too long (maximum is 255 characters)"));
    alice.put(&one, json!({"milestones": ["x"]})).assert(400, message("Milestone(s) not found: x"));
}

#[both_databases]
fn a_release_is_removed_and_its_tag_stays(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let before = release(server, &alice, tool, "v/1");
    let one = format!("{}/v%2F1", at(tool));
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&one).assert(412, message("412 Precondition Failed"));
    assert_eq!(alice.delete(&one).assert_status(200).json(), before);
    alice.get(&one).assert(404, not_found());
    let tag = alice.get(&format!("/projects/{tool}/repository/tags/v%2F1")).assert_status(200).json();
    assert_eq!(tag["release"], json!(null));
    release(server, &alice, tool, "v/1");
}

#[both_databases]
fn what_is_missing_is_named(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    tag(&alice, tool, "v1");
    for (name, text) in
        [("v1", "Release does not exist"), ("v2", "Tag does not exist"), ("a%20b", "Tag does not exist")]
    {
        let one = format!("{}/{name}", at(tool));
        alice.put(&one, json!({"name": "x"})).assert(404, message(text));
        alice.delete(&one).assert(404, message(text));
    }
}

#[both_databases]
fn a_release_outlives_its_author(server: &TestServer) {
    let root = server.root();
    let tool = repository(&root, "tool", "public");
    let helper = server.user("helper");
    member(&root, &format!("/projects/{tool}"), helper.id, 30);
    assert_eq!(made(&helper, &at(tool), json!({"tag_name": "v1", "ref": "main"}))["author"]["username"], "helper");
    let _ = root.delete(&format!("/users/{}", helper.id)).assert_status(204);
    server.run_jobs();
    let shown = root.get(&format!("{}/v1", at(tool))).assert_status(200).json();
    assert_lacks(&shown, &["author"]);
    let _ = root.delete(&format!("/projects/{tool}")).assert_status(202);
    server.run_jobs();
    root.get(&at(tool)).assert(404, missing("Project"));
}
