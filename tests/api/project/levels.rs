//! Who has the parts of a project: for each level, what each role is answered.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::super::merge_request::{cast, fork, offer, with, work};
use crate::support::*;

fn statuses(clients: &[&Client], path: &str) -> Vec<u16> {
    clients.iter().map(|client| client.get(path).status()).collect()
}

/// The numbers of entries of a list.
fn lengths(clients: &[&Client], path: &str) -> Vec<usize> {
    clients.iter().map(|client| client.get(path).json().as_array().map_or(0, Vec::len)).collect()
}

#[both_databases]
fn parts_are_for_everybody_for_members_or_for_nobody(server: &TestServer) {
    let cast = cast(server, "public");
    let (path, owner) = (cast.path(), &cast.owner);
    made(owner, &format!("{path}/issues"), json!({"title": "needle in an issue"}));
    work(&cast.developer, cast.project, "topic");
    offer(&cast.developer, cast.project, "topic", "main", &json!({"title": "needle in a merge request"}));
    made(owner, &format!("{path}/releases"), json!({"tag_name": "v1", "ref": "main", "description": "d"}));
    made(owner, &format!("{path}/milestones"), json!({"title": "needle in a milestone"}));
    let (stranger, user) = (server.anonymous(), server.user("passer-by"));
    let admin = server.root();
    let all: [&Client; 4] = [&user, &cast.reporter, owner, &admin];
    let (yes, no) = (200, 403);
    for (level, everybody, members) in [("enabled", true, true), ("private", false, true), ("disabled", false, false)] {
        let has = [everybody, members, members, members];
        let pick = |there: u16, gone: u16| has.map(|has| if has { there } else { gone }).to_vec();
        let count = |there: usize| has.map(|has| if has { there } else { 0 }).to_vec();
        let set = |part: &str, level: &str| {
            let edited = changed(owner, &path, json!({part: level}));
            assert_eq!(edited[part], level);
        };
        // Issues: one is missing, and lists are shorter.
        set("issues_access_level", level);
        assert_eq!(statuses(&all, &format!("{path}/issues/1")), pick(yes, 404), "an issue, {level}");
        assert_eq!(lengths(&all, &format!("{path}/issues")), count(1), "issues, {level}");
        let found = lengths(&all, "/search?scope=issues&search=needle");
        assert_eq!(found, count(1), "search of issues, {level}");
        let shown: Vec<bool> =
            all.iter().map(|client| client.get(&path).json()["open_issues_count"].is_i64()).collect();
        assert_eq!(shown, has, "the count of issues, {level}");
        set("merge_requests_access_level", level);
        let planned = lengths(&all, "/search?scope=milestones&search=needle");
        assert_eq!(planned, count(1), "search of milestones, {level}");
        set("issues_access_level", "enabled");
        // Merge requests: refused where they are off, missing for those who do not have them.
        let gone = if level == "disabled" { no } else { 404 };
        assert_eq!(statuses(&all, &format!("{path}/merge_requests/1")), pick(yes, gone), "a merge request, {level}");
        let found = lengths(&all, "/search?scope=merge_requests&search=needle");
        assert_eq!(found, count(1), "search of merge requests, {level}");
        set("merge_requests_access_level", "enabled");
        // Releases.
        set("releases_access_level", level);
        assert_eq!(statuses(&all, &format!("{path}/releases")), pick(yes, no), "releases, {level}");
        assert_eq!(statuses(&all, &format!("{path}/releases/v1")), pick(yes, no), "a release, {level}");
        set("releases_access_level", "enabled");
        set("analytics_access_level", level);
        assert_eq!(statuses(&all, &format!("{path}/repository/contributors")), pick(yes, no), "contributors, {level}");
        set("analytics_access_level", "enabled");
        // The code, and what is about it.
        set("repository_access_level", level);
        for below in ["/repository/tree", "/repository/branches", "/repository/commits", "/releases"] {
            assert_eq!(statuses(&all, &format!("{path}{below}")), pick(yes, no), "{below}, {level}");
        }
        let git: Vec<u16> = [&stranger, &*user]
            .iter()
            .map(|client| client.get("//owner/tool.git/info/refs?service=git-upload-pack").status())
            .collect();
        assert!(git.iter().all(|status| (*status == 200) == everybody), "Git, {level}: {git:?}");
        assert_eq!(
            statuses(&all, &format!("{path}/merge_requests/1")),
            pick(yes, gone),
            "a merge request, code {level}"
        );
        let pushed =
            cast.developer.post(&format!("{path}/repository/branches"), json!({"branch": level, "ref": "main"}));
        assert_eq!(pushed.status() == 201, members, "a push, {level}");
        set("repository_access_level", "enabled");
    }
}

#[both_databases]
fn forks_are_for_those_whom_the_level_names(server: &TestServer) {
    let cast = cast(server, "public");
    let path = cast.path();
    let user = server.user("passer-by");
    let fork = |client: &Client| client.post(&format!("{path}/fork"), json!({})).status();
    changed(&cast.owner, &path, json!({"forking_access_level": "disabled"}));
    assert_eq!((fork(&user), fork(&cast.developer)), (409, 409));
    changed(&cast.owner, &path, json!({"forking_access_level": "private"}));
    assert_eq!((fork(&user), fork(&cast.developer)), (409, 201));
    changed(&cast.owner, &path, json!({"forking_access_level": "enabled"}));
    assert_eq!(fork(&user), 201);
}

#[both_databases]
fn the_short_form_stands_for_a_level(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "private"));
    let both = |answer: &Value| [answer["issues_enabled"].clone(), answer["issues_access_level"].clone()];
    for (body, want) in [
        (json!({"issues_enabled": false}), [json!(false), json!("disabled")]),
        (json!({"issues_access_level": "private"}), [json!(true), json!("private")]),
        // A client sends back the values that it has read.
        (json!({"issues_enabled": true, "issues_access_level": "private"}), [json!(true), json!("private")]),
        (json!({"issues_enabled": true}), [json!(true), json!("enabled")]),
    ] {
        assert_eq!(both(&changed(&alice, &path, body.clone())), want, "{body}");
    }
    let contrary = json!({"issues_enabled": true, "issues_access_level": "disabled"});
    alice.put(&path, contrary).assert(400, parameter("issues_access_level, issues_enabled are mutually exclusive"));
    let wrong = json!({"issues_access_level": "public"});
    alice.put(&path, wrong).assert(400, parameter("issues_access_level does not have a valid value"));
    assert_eq!(changed(&alice, &path, json!({"pages_access_level": "public"}))["pages_access_level"], "public");
}

#[both_databases]
fn what_is_told_of_a_part_ends_with_it(server: &TestServer) {
    let cast = cast(server, "public");
    let (path, owner) = (cast.path(), &cast.owner);
    label(owner, &path, "bug");
    made(owner, &format!("{path}/issues"), json!({"title": "i", "labels": "bug"}));
    made(owner, &format!("{path}/releases"), json!({"tag_name": "v1", "ref": "main", "description": "notes"}));
    let commit = json!({"branch": "main", "commit_message": "x",
        "actions": [{"action": "create", "file_path": "main.rs", "content": "fn main() {}\n"}]});
    made(owner, &format!("{path}/repository/commits"), commit);
    server.run_jobs();
    let (user, labels, tag) =
        (server.user("passer-by"), format!("{path}/labels"), format!("{path}/repository/tags/v1"));
    let opened =
        |client: &Client| client.get(&format!("{labels}?with_counts=true")).json()[0]["open_issues_count"].clone();
    let notes = |client: &Client| client.get(&tag).json()["release"]["description"].clone();
    let readme = |client: &Client| client.get(&path).json()["readme_url"].is_string();
    let languages = |client: &Client| client.get(&format!("{path}/languages")).assert_status(200).json();
    assert_eq!((opened(&user), notes(&user), readme(&user)), (json!(1), json!("notes"), true));
    assert_eq!(languages(&user), json!({"Rust": 100.0}));
    for level in ["private", "disabled"] {
        let member = level == "private";
        changed(owner, &path, json!({"issues_access_level": level, "releases_access_level": level}));
        assert_eq!((opened(&user), opened(owner)), (json!(0), json!(i32::from(member))), "{level}");
        assert_eq!((notes(&user), notes(owner).is_string()), (Value::Null, member), "{level}");
        changed(owner, &path, json!({"repository_access_level": level}));
        assert_eq!((readme(&user), readme(owner)), (false, member), "{level}");
        let known = if member { json!({"Rust": 100.0}) } else { json!({}) };
        assert_eq!((languages(&user), languages(owner)), (json!({}), known), "{level}");
        let back = json!({"issues_access_level": "enabled", "releases_access_level": "enabled"});
        changed(owner, &path, with(back, &json!({"repository_access_level": "enabled"})));
    }
}

#[both_databases]
fn a_fork_has_the_levels_of_its_origin(server: &TestServer) {
    let cast = cast(server, "public");
    let levels = json!({"repository_access_level": "private", "releases_access_level": "disabled", "issues_access_level": "private"});
    changed(&cast.owner, &cast.path(), levels.clone());
    let copy = fork(server, &cast.developer, cast.project);

    let made = cast.developer.get(&format!("/projects/{copy}")).json();
    for (name, level) in levels.as_object().expect("a value") {
        assert_eq!(&made[name], level, "{name}");
    }
}

#[both_databases]
fn a_wiki_for_members_is_read_back_by_its_switch(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "public"));
    let sent = json!({"wiki_access_level": "private", "wiki_enabled": true});
    let made = changed(&alice, &path, sent);
    assert_eq!((&made["wiki_access_level"], &made["wiki_enabled"]), (&json!("private"), &json!(true)));
}
