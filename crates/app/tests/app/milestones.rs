//! The milestones of a user's own groups and projects.

use serde_json::{Value, json};
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::{ContainerReference, PageRequest, Query, Reference, milestone};
use tenon_domain::id::MilestoneId;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::{commit, member, of, project};

/// The titles of the milestones of a user.
fn titles(server: &TestServer, user: &User, active: Option<bool>) -> Vec<String> {
    let list = |query: &mut Query<'_>| milestone::list_of_caller(query, active, PageRequest::default());
    let page = server.app().read_now(&of(user), list).expect("milestones");
    assert_eq!(usize::try_from(page.total), Ok(page.items.len()));
    page.items.into_iter().map(|view| view.milestone.title).collect()
}

/// A user's view of the progress of a milestone of a project: issues that are open and closed, merge requests, and how
/// many issues were open on each day.
fn progress(server: &TestServer, user: &User, project: i64, id: i64) -> (i64, i64, i64, Vec<usize>) {
    let home = ContainerReference::Project(Reference::Id(project));
    let read = |query: &mut Query<'_>| milestone::progress(query, &home, MilestoneId::new(id));
    let seen = server.app().read_now(&of(user), read).expect("progress");
    let days = seen.open_by_day.into_iter().map(|(_, open)| open).collect();
    (seen.issues.opened, seen.issues.closed, seen.merge_requests.all, days)
}

fn add(client: &Client, home: &str, title: &str) -> i64 {
    let path = format!("{home}/milestones");
    client.post(&path, json!({"title": title})).assert_status(201).json()["id"].as_i64().expect("an id")
}

#[both_databases]
fn milestones_of_own_groups_and_projects_are_listed_newest_first(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let group =
        alice.post("/groups", json!({"name": "g", "path": "g", "visibility": "public"})).assert_status(201).json();
    let group = group["id"].as_i64().expect("an id");
    let below = json!({"name": "below", "namespace_id": group, "visibility": "private"});
    let below = alice.post("/projects", below).assert_status(201).json()["id"].as_i64().expect("an id");
    let own = project(&alice, "own", "private");
    let open = project(&bob, "open", "public");
    let _ = add(&alice, &format!("/groups/{group}"), "of the group");
    let _ = add(&alice, &format!("/projects/{below}"), "below the group");
    let closed = add(&alice, &format!("/projects/{own}"), "closed");
    let _ =
        alice.put(&format!("/projects/{own}/milestones/{closed}"), json!({"state_event": "close"})).assert_status(200);
    let _ = add(&bob, &format!("/projects/{open}"), "of a public project");
    assert_eq!(titles(server, &alice, None), ["closed", "below the group", "of the group"]);
    assert_eq!(titles(server, &alice, Some(true)), ["below the group", "of the group"]);
    assert_eq!(titles(server, &alice, Some(false)), ["closed"]);
    // A public project is no one's own.
    assert_eq!(titles(server, &bob, None), ["of a public project"]);
    let until = server.now().date_naive() + TimeDelta::days(1);
    let body = json!({"user_id": bob.id, "access_level": 10, "expires_at": until.to_string()});
    let _ = alice.post(&format!("/groups/{group}/members"), body).assert_status(201);
    assert_eq!(titles(server, &bob, None), ["of a public project", "below the group", "of the group"]);
    server.advance(TimeDelta::days(1));
    assert_eq!(titles(server, &bob, None), ["of a public project"]);
}

#[both_databases]
fn milestones_of_archived_projects_and_without_planning_are_left_out(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let [archived, without, gone] = ["archived", "without", "gone"].map(|name| project(&alice, name, "private"));
    for id in [archived, without, gone] {
        member(&alice, id, &bob, 30);
        let _ = add(&alice, &format!("/projects/{id}"), &format!("m{id}"));
    }
    assert_eq!(titles(server, &bob, None).len(), 3);
    let _ = alice.post(&format!("/projects/{archived}/archive"), json!({})).assert_status(200);
    let body = json!({"issues_enabled": false, "merge_requests_enabled": false});
    let _ = alice.put(&format!("/projects/{without}"), body).assert_status(200);
    let _ = alice.delete(&format!("/projects/{gone}")).assert_status(202);
    assert_eq!(titles(server, &bob, None), Vec::<String>::new());
    assert_eq!(titles(server, &alice, None), Vec::<String>::new());
}

#[both_databases]
fn strangers_have_no_milestones(server: &TestServer) {
    let list = |query: &mut Query<'_>| milestone::list_of_caller(query, None, PageRequest::default());
    let refused = server.app().read_now(&Identity::anonymous(), list);
    assert!(matches!(refused, Err(AppError::Unauthenticated)), "{refused:?}");
}

#[both_databases]
fn the_progress_of_a_milestone_counts_what_the_caller_sees_day_by_day(server: &TestServer) {
    let (alice, guest) = (server.user("alice"), server.user("guest"));
    let id = project(&alice, "p", "private");
    member(&alice, id, &guest, 10);
    let path = format!("/projects/{id}");
    let milestone = add(&alice, &path, "m");
    let issue = |body: Value| {
        alice.post(&format!("{path}/issues"), body).assert_status(201).json()["iid"].as_i64().expect("an iid")
    };
    let first = issue(json!({"title": "one", "milestone_id": milestone}));
    let _ = issue(json!({"title": "secret", "milestone_id": milestone, "confidential": true}));
    let _ = issue(json!({"title": "of no milestone"}));
    let _ = commit(&alice, id, "b", Some("main"), "change");
    let request = json!({"title": "r", "source_branch": "b", "target_branch": "main", "milestone_id": milestone});
    let _ = alice.post(&format!("{path}/merge_requests"), request).assert_status(201);
    server.advance(TimeDelta::days(1));
    let _ = issue(json!({"title": "two", "milestone_id": milestone}));
    server.advance(TimeDelta::days(1));
    let _ = alice.put(&format!("{path}/issues/{first}"), json!({"state_event": "close"})).assert_status(200);
    assert_eq!(progress(server, &alice, id, milestone), (2, 1, 1, vec![2, 3, 2]));
    assert_eq!(progress(server, &guest, id, milestone), (1, 1, 0, vec![1, 2, 1]));
    // From its first day to its last one.
    let yesterday = server.now().date_naive() - TimeDelta::days(1);
    let days = json!({"start_date": yesterday.to_string(), "due_date": yesterday.to_string()});
    let _ = alice.put(&format!("{path}/milestones/{milestone}"), days).assert_status(200);
    assert_eq!(progress(server, &alice, id, milestone).3, [3]);
}

#[both_databases]
fn the_progress_of_a_milestone_of_a_hidden_project_is_missing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = project(&alice, "p", "private");
    let milestone = add(&alice, &format!("/projects/{id}"), "m");
    let home = ContainerReference::Project(Reference::Id(id));
    let read = |query: &mut Query<'_>| milestone::progress(query, &home, MilestoneId::new(milestone));
    let missing = server.app().read_now(&of(&bob), read);
    assert!(matches!(missing, Err(AppError::NotFound(_))), "{missing:?}");
}
