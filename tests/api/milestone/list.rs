//! Reading milestones and their issues.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn milestones_are_listed_newest_first_and_narrowed(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    for source in [format!("/projects/{tool}"), format!("/groups/{team}")] {
        let at = format!("{source}/milestones");
        let prefix = if source.starts_with("/groups") { "g" } else { "p" };
        for (number, text) in ["north", "south", "100% east"].iter().enumerate() {
            made(&alice, &at, json!({"title": format!("{prefix}{}", number + 1), "description": text}));
        }
        let last = ids(&alice.get(&at))[0];
        changed(&alice, &format!("{at}/{last}"), json!({"state_event": "close"}));
        let name = |numbers: &[i64]| numbers.iter().map(|number| format!("{prefix}{number}")).collect::<Vec<_>>();
        for (query, want) in [
            ("", vec![3, 2, 1]),
            ("state=active", vec![2, 1]),
            ("state=closed", vec![3]),
            ("state=all", vec![3, 2, 1]),
            ("state=", vec![3, 2, 1]),
            ("iids[]=1&iids[]=3", vec![3, 1]),
            ("iids[]=9", vec![]),
            ("search=south", vec![2]),
            ("search=SOUTH", vec![2]),
            ("search=100%25", vec![3]),
            ("search=%25", vec![3]),
            ("search=west", vec![]),
            ("state=active&search=north", vec![1]),
        ] {
            assert_eq!(titles(&alice, &format!("{at}?{query}")), name(&want), "{at}?{query}");
        }
        assert_eq!(titles(&alice, &format!("{at}?title={prefix}2")), name(&[2]));
        assert_eq!(titles(&alice, &format!("{at}?search={prefix}2")), name(&[2]));
        alice.get(&format!("{at}?state=x")).assert(400, parameter("state does not have a valid value"));
        alice.get(&format!("{at}?iids[]=x")).assert(400, parameter("iids is invalid"));
        let page = alice.get(&format!("{at}?per_page=1&page=2"));
        assert_eq!((texts(&page, "title"), page.header("x-total")), (name(&[2]), "3".to_owned()));
        server.anonymous().get(&at).assert(401, unauthorized());
    }
    let all = format!("/projects/{tool}/milestones?include_ancestors=true");
    assert_eq!(alice.get(&all).header("x-total"), "6");
    // One of the group is no milestone of the project.
    let above = ids(&alice.get(&format!("/groups/{team}/milestones")))[0];
    alice.get(&format!("/projects/{tool}/milestones/{above}")).assert(404, not_found());
}

#[both_databases]
fn the_issues_of_a_milestone_are_those_the_caller_sees(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    issue(&cast.owner, cast.project, json!({"title": "open", "milestone_id": goal}));
    issue(&cast.owner, cast.project, json!({"title": "secret", "milestone_id": goal, "confidential": true}));
    titled(&cast.owner, cast.project, "without");
    let list = format!("{}/milestones/{goal}/issues", cast.path());
    for (client, want) in [(&cast.stranger, 1), (&cast.guest, 1), (&cast.reporter, 2), (&cast.owner, 2)] {
        let reply = client.get(&list).assert_status(200);
        assert_eq!((ids(&reply).len(), reply.header("x-total")), (want, want.to_string()), "{}", client.username);
    }
    assert_lacks(&cast.owner.get(&list).json()[0], &["_links"]);
    assert_eq!(
        cast.owner.get(&format!("{}/milestones/{goal}/merge_requests", cast.path())).assert_status(200).json(),
        json!([])
    );
}

#[both_databases]
fn the_issues_of_a_milestone_come_by_priority_of_their_labels(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    for (name, priority) in [("late", Some(9)), ("soon", Some(1)), ("whenever", None)] {
        made(&alice, &format!("/projects/{tool}/labels"), json!({"name": name, "color": "red", "priority": priority}));
    }
    for (title, labels) in [("a", "whenever"), ("b", "late"), ("c", "soon"), ("d", "late,soon")] {
        issue(&alice, tool, json!({"title": title, "labels": labels, "milestone_id": goal}));
    }
    let order = titles(&alice, &format!("/projects/{tool}/milestones/{goal}/issues"));
    let place = |title: &str| order.iter().position(|each| each == title).expect("an issue");
    assert!(place("c") < place("b") && place("d") < place("b") && place("b") < place("a"), "{order:?}");
}

#[both_databases]
fn a_milestone_of_a_group_shows_issues_of_the_projects_the_caller_sees(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let (open, hidden) = (project_in(&alice, team, "open", "public"), project_in(&alice, team, "hidden", "private"));
    let goal = milestone(&alice, &format!("/groups/{team}"), "v1");
    for project in [open, hidden] {
        issue(&alice, project, json!({"title": project.to_string(), "milestone_id": goal}));
    }
    let list = format!("/groups/{team}/milestones/{goal}/issues");
    assert_eq!(titles(&bob, &list), [open.to_string()]);
    assert_eq!(bob.get(&list).header("x-total"), "1");
    assert_eq!(alice.get(&list).header("x-total"), "2");
}

#[both_databases]
fn everybody_who_sees_a_project_reads_its_milestones(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    for path in [format!("{}/milestones", cast.path()), format!("{}/milestones/{goal}", cast.path())] {
        assert_eq!(cast.statuses(|client| client.get(&path)), [404, 200, 200, 200, 200, 200, 200], "{path}");
        server.anonymous().get(&path).assert(401, unauthorized());
    }
}
