//! Lists of milestones, with what is done of each.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, safe};
use crate::project::project;
use crate::{PASSWORD, member};

/// A milestone of a project with issues, of which so many are closed.
fn milestone(owner: &User, path: &str, title: &str, issues: usize, closed: usize) -> i64 {
    let made = owner.post(&format!("{path}/milestones"), json!({"title": title})).assert_status(201).json();
    let id = made["id"].as_i64().unwrap();
    for number in 0..issues {
        let body = json!({"title": format!("{title} {number}"), "milestone_id": id});
        let iid = owner.post(&format!("{path}/issues"), body).assert_status(201).json()["iid"].clone();
        if number < closed {
            let _ = owner.put(&format!("{path}/issues/{iid}"), json!({"state_event": "close"})).assert_status(200);
        }
    }
    id
}

#[both_databases]
fn a_list_says_how_far_each_milestone_is(server: &TestServer) {
    let ada = member(server, "ada");
    let path = format!("/projects/{}", project(&ada, "tool", "public"));
    let first = milestone(&ada, &path, "1.0", 3, 1);
    let _ = milestone(&ada, &path, "2.0", 0, 0);
    let body = json!({"title": "Secret", "confidential": true, "milestone_id": first});
    let _ = ada.post(&format!("{path}/issues"), body).assert_status(201);
    let stranger = Browser::of(server);
    let list = safe(&stranger, "/ada/tool/milestones");
    assert!(list.contains("1 of 3<span") && list.contains("<rect width=\"33\""), "{list}");
    assert_eq!(list.matches("class=\"meter").count(), 1, "{list}");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    assert!(safe(&own, "/ada/tool/milestones").contains("1 of 4<span"));
    // The number of statements does not depend on that of milestones.
    let count = || server.count_statements(|| drop(own.get("/ada/tool/milestones")));
    let few = count();
    for number in 3..8 {
        let _ = milestone(&ada, &path, &format!("{number}.0"), 2, 2);
    }
    let _ = own.get("/ada/tool/milestones");
    let many = count();
    assert!(many <= few, "{few} statements for few milestones, {many} for many");
    assert!(safe(&own, "/ada/tool/milestones").matches("2 of 2<span").count() == 5);
}

#[both_databases]
fn a_group_counts_what_its_reader_may_see(server: &TestServer) {
    let (ada, _eve) = (member(server, "ada"), member(server, "eve"));
    let body = json!({"name": "Crew", "path": "crew", "visibility": "public"});
    let group = ada.post("/groups", body).assert_status(201).json()["id"].clone();
    let body = json!({"title": "All"});
    let goal = ada.post(&format!("/groups/{group}/milestones"), body).assert_status(201).json()["id"].clone();
    for (name, visibility) in [("open", "public"), ("own", "private")] {
        let body = json!({"name": name, "namespace_id": group, "visibility": visibility});
        let id = ada.post("/projects", body).assert_status(201).json()["id"].clone();
        let body = json!({"title": "One", "milestone_id": goal});
        let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    }
    let path = "/groups/crew/-/milestones";
    assert!(safe(&Browser::signed_in(server, "ada", PASSWORD), path).contains("0 of 2<span"));
    assert!(safe(&Browser::signed_in(server, "eve", PASSWORD), path).contains("0 of 1<span"));
    assert!(safe(&Browser::of(server), path).contains("0 of 1<span"));
}
