//! The pages of a project whose issues and merge requests are switched off, and the code that a guest sees.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// The number of places in which the caller finds milestones, by searching and among events.
fn found(client: &Client, project: i64) -> usize {
    let lists = [
        "/search?scope=milestones&search=Plan".to_owned(),
        format!("/projects/{project}/search?scope=milestones&search=Plan"),
        format!("/projects/{project}/events?target_type=milestone"),
    ];
    lists
        .iter()
        .filter(|list| client.get(list).assert_status(200).json().as_array().is_some_and(|all| !all.is_empty()))
        .count()
}

#[both_databases]
fn without_issues_and_merge_requests_there_are_no_labels_and_milestones(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let source = format!("/projects/{tool}");
    let (label, milestone) = (label(&alice, &source, "bug"), milestone(&alice, &source, "Plan"));
    let reads = [
        format!("{source}/labels"),
        format!("{source}/labels/{label}"),
        format!("{source}/milestones"),
        format!("{source}/milestones/{milestone}"),
        format!("{source}/milestones/{milestone}/issues"),
        format!("{source}/milestones/{milestone}/merge_requests"),
    ];
    let set = |issues: bool, merge_requests: bool| {
        let body = json!({"issues_enabled": issues, "merge_requests_enabled": merge_requests});
        changed(&alice, &source, body);
    };
    for (issues, merge_requests) in [(true, true), (false, true), (true, false)] {
        set(issues, merge_requests);
        for read in &reads {
            let _ = alice.get(read).assert_status(200);
        }
        assert_eq!(found(&alice, tool), 3, "{issues} {merge_requests}");
    }
    set(false, false);
    for client in [&*alice, &server.root()] {
        for read in &reads {
            client.get(read).assert(403, forbidden());
        }
        client.post(&format!("{source}/labels"), json!({"name": "x", "color": "#fff"})).assert(403, forbidden());
        client.post(&format!("{source}/labels/{label}/subscribe"), json!({})).assert(403, forbidden());
        client.post(&format!("{source}/milestones"), json!({"title": "x"})).assert(403, forbidden());
        assert_eq!(found(client, tool), 0);
    }
    // Nothing is lost.
    set(true, false);
    assert_eq!(found(&alice, tool), 3);
}

#[both_databases]
fn how_large_the_code_is_those_learn_who_may_read_it(server: &TestServer) {
    let alice = server.user("alice");
    let private = project(&alice, "private", "private");
    let public = project(&alice, "public", "public");
    let shown = |client: &Client, project: i64| {
        let one = client.get(&format!("/projects/{project}?statistics=true")).assert_status(200).json();
        let all = client.get("/projects?statistics=true").assert_status(200).json();
        let listed = all.as_array().and_then(|all| all.iter().find(|found| found["id"] == project).cloned());
        let has = |found: &Value| found["statistics"].is_object();
        assert_eq!(has(&one), has(&listed.expect("a project")), "{project}");
        has(&one)
    };
    for (name, level, sees) in [("guest", 10, false), ("reporter", 20, true)] {
        let user = server.user(name);
        member(&alice, &format!("/projects/{private}"), user.id, level);
        assert_eq!(shown(&user, private), sees, "{name}");
        assert!(shown(&user, public), "{name}");
    }
    assert!(shown(&alice, private) && shown(&server.root(), private));
    // Membership that comes by a share counts in lists, too.
    let (team, dan) = (group(&alice, "team", "private"), server.user("dan"));
    member(&alice, &format!("/groups/{team}"), dan.id, 30);
    let share = json!({"group_id": team, "group_access": 20});
    let _ = alice.post(&format!("/projects/{private}/share"), share).assert_status(201);
    assert!(shown(&dan, private));
}
