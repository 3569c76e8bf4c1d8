//! The milestones of a user's own groups and projects.

use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::{PageRequest, Query, milestone};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, User, on_both};

use crate::{member, of, project};

/// The titles of the milestones of a user.
fn titles(server: &TestServer, user: &User, active: Option<bool>) -> Vec<String> {
    let list = |query: &mut Query<'_>| milestone::list_of_caller(query, active, PageRequest::default());
    let page = server.app().read_now(&of(user), list).expect("milestones");
    assert_eq!(usize::try_from(page.total), Ok(page.items.len()));
    page.items.into_iter().map(|view| view.milestone.title).collect()
}

fn add(client: &Client, home: &str, title: &str) -> i64 {
    let path = format!("{home}/milestones");
    client.post(&path, json!({"title": title})).assert_status(201).json()["id"].as_i64().expect("an id")
}

on_both! {
    fn milestones_of_own_groups_and_projects_are_listed_newest_first(server) {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let group = alice.post("/groups", json!({"name": "g", "path": "g", "visibility": "public"})).assert_status(201).json();
        let group = group["id"].as_i64().expect("an id");
        let below = json!({"name": "below", "namespace_id": group, "visibility": "private"});
        let below = alice.post("/projects", below).assert_status(201).json()["id"].as_i64().expect("an id");
        let own = project(&alice, "own", "private");
        let open = project(&bob, "open", "public");
        let _ = add(&alice, &format!("/groups/{group}"), "of the group");
        let _ = add(&alice, &format!("/projects/{below}"), "below the group");
        let closed = add(&alice, &format!("/projects/{own}"), "closed");
        let _ = alice.put(&format!("/projects/{own}/milestones/{closed}"), json!({"state_event": "close"})).assert_status(200);
        let _ = add(&bob, &format!("/projects/{open}"), "of a public project");
        assert_eq!(titles(server, &alice, None), ["closed", "below the group", "of the group"]);
        assert_eq!(titles(server, &alice, Some(true)), ["below the group", "of the group"]);
        assert_eq!(titles(server, &alice, Some(false)), ["closed"]);
        // What is public is no one's own.
        assert_eq!(titles(server, &bob, None), ["of a public project"]);
        let until = server.now().date_naive() + TimeDelta::days(1);
        let body = json!({"user_id": bob.id, "access_level": 10, "expires_at": until.to_string()});
        let _ = alice.post(&format!("/groups/{group}/members"), body).assert_status(201);
        assert_eq!(titles(server, &bob, None), ["of a public project", "below the group", "of the group"]);
        server.advance(TimeDelta::days(1));
        assert_eq!(titles(server, &bob, None), ["of a public project"]);
    }

    fn milestones_of_archived_projects_and_without_planning_are_left_out(server) {
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

    fn strangers_have_no_milestones(server) {
        let list = |query: &mut Query<'_>| milestone::list_of_caller(query, None, PageRequest::default());
        let refused = server.app().read_now(&Identity::anonymous(), list);
        assert!(matches!(refused, Err(AppError::Unauthenticated)), "{refused:?}");
    }
}
