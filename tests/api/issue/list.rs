//! Lists of issues: their authors, their order, their pages.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn the_list_of_everything_starts_with_what_the_caller_opened(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    titled(&alice, tool, "hers");
    titled(&bob, tool, "his");
    issue(&alice, tool, json!({"title": "for him", "assignee_ids": [bob.id]}));
    assert_eq!(titles(&bob, "/issues"), ["his"]);
    for (scope, want) in [
        ("created_by_me", vec!["his"]),
        ("created-by-me", vec!["his"]),
        ("assigned_to_me", vec!["for him"]),
        ("assigned-to-me", vec!["for him"]),
        ("all", vec!["for him", "his", "hers"]),
        ("", vec!["his"]),
    ] {
        assert_eq!(titles(&bob, &format!("/issues?scope={scope}")), want, "{scope}");
    }
    for odd in ["mine", "ALL", "created by me"] {
        let odd = odd.replace(' ', "+");
        bob.get(&format!("/issues?scope={odd}")).assert(400, parameter("scope does not have a valid value"));
    }
    server.anonymous().get("/issues").assert(401, unauthorized());
    server.anonymous().get("/issues?scope=all").assert(401, unauthorized());
}

#[both_databases]
fn lists_of_projects_and_groups_start_with_everything(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let below = subgroup(&alice, team, "below", "public");
    let (high, low) = (project_in(&alice, team, "high", "public"), project_in(&alice, below, "low", "public"));
    titled(&alice, high, "high");
    issue(&bob, low, json!({"title": "low"}));
    titled(&alice, project(&alice, "else", "public"), "else");
    assert_eq!(titles(&bob, &format!("/groups/{team}/issues")), ["low", "high"]);
    assert_eq!(titles(&bob, "/groups/team%2Fbelow/issues"), ["low"]);
    assert_eq!(titles(&bob, &format!("/groups/{team}/issues?scope=created_by_me")), ["low"]);
    assert_eq!(titles(&bob, &format!("/projects/{high}/issues")), ["high"]);
    assert_eq!(titles(&bob, "/projects/team%2Fhigh/issues"), ["high"]);
    assert_eq!(titles(&bob, &format!("/projects/{high}/issues?scope=created_by_me")), [""; 0]);
    let _ = alice.post(&format!("/projects/{low}/archive"), json!({})).assert_status(200);
    assert_eq!(titles(&bob, &format!("/groups/{team}/issues")), ["low", "high"]);
    bob.get("/groups/999999/issues").assert(404, missing("Group"));
    bob.get("/projects/999999/issues").assert(404, missing("Project"));
    bob.get("/projects/999999/issues?state=x").assert(400, parameter("state does not have a valid value"));
    for path in [format!("/groups/{team}/issues"), format!("/projects/{high}/issues")] {
        server.anonymous().get(&path).assert(401, unauthorized());
    }
}

#[both_databases]
fn an_item_of_a_list_is_an_issue_without_what_only_one_has(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path =
        issue(&alice, tool, json!({"title": "t", "description": "d", "labels": "b,a", "assignee_ids": [alice.id]}));
    let mut single = alice.get(&path).json();
    single.as_object_mut().expect("an object").retain(|name, _| name != "_links" && name != "subscribed");
    for list in ["/issues".to_owned(), format!("/projects/{tool}/issues")] {
        let mut item = alice.get(&list).json()[0].clone();
        item.as_object_mut().expect("an object").retain(|name, _| name != "_links" && name != "subscribed");
        assert_eq!(item, single, "{list}");
    }
}

#[both_databases]
fn lists_are_sorted_as_asked(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let paths = ["a", "b", "c"].map(|title| titled(&alice, tool, title));
    comment(&alice, &paths[0], "a note makes it the last changed");
    let list = format!("/projects/{tool}/issues");
    for (query, want) in [
        ("", ["c", "b", "a"]),
        ("sort=asc", ["a", "b", "c"]),
        ("sort=desc", ["c", "b", "a"]),
        ("order_by=created_at", ["c", "b", "a"]),
        ("order_by=updated_at", ["a", "c", "b"]),
        ("order_by=updated_at&sort=asc", ["b", "c", "a"]),
        ("order_by=&sort=", ["c", "b", "a"]),
    ] {
        assert_eq!(titles(&alice, &format!("{list}?{query}")), want, "{query}");
    }
    for odd in ["id;drop", "password", "CREATED_AT"] {
        alice.get(&format!("{list}?order_by={odd}")).assert(400, parameter("order_by does not have a valid value"));
        alice.get(&format!("{list}?sort={odd}")).assert(400, parameter("sort does not have a valid value"));
    }
}

#[both_databases]
fn those_of_one_moment_are_sorted_by_id_the_same_way(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for number in 0..5 {
        issue(&alice, tool, json!({"title": format!("{number}"), "created_at": "2026-01-01T00:00:00Z"}));
    }
    let list = format!("/projects/{tool}/issues?order_by=created_at");
    assert_eq!(iids(&alice, &format!("{list}&sort=asc")), [1, 2, 3, 4, 5]);
    assert_eq!(iids(&alice, &format!("{list}&sort=desc")), [5, 4, 3, 2, 1]);
    assert_eq!(ids(&alice.get(&format!("{list}&sort=asc&per_page=2&page=2"))).len(), 2);
}

#[both_databases]
fn pages_have_their_headers(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    for number in 0..5 {
        titled(&alice, tool, &format!("issue {number}"));
    }
    for list in ["/issues".to_owned(), format!("/groups/{team}/issues"), format!("/projects/{tool}/issues")] {
        let reply =
            alice.get(&format!("{list}?per_page=2&page=2&state=opened&search=issue&sort=asc")).assert_status(200);
        assert_eq!(texts(&reply, "title"), ["issue 2", "issue 3"], "{list}");
        let headers = ["x-total", "x-total-pages", "x-per-page", "x-page", "x-next-page", "x-prev-page"];
        assert_eq!(headers.map(|name| reply.header(name)), ["5", "3", "2", "2", "3", "1"], "{list}");
        let link = reply.header("link");
        let at = |rel: &str| link.find(&format!("rel=\"{rel}\"")).unwrap_or_else(|| panic!("no {rel}: {link}"));
        assert!(at("prev") < at("next") && at("next") < at("first") && at("first") < at("last"), "{link}");
        assert_eq!(link.matches("search=issue").count(), 4, "{link}");
        assert_eq!(link.matches("state=opened").count(), 4, "{link}");
        let beyond = alice.get(&format!("{list}?per_page=2&page=9")).assert_status(200);
        assert_eq!((beyond.json(), beyond.header("x-total")), (json!([]), "5".to_owned()), "{list}");
        let empty = alice.get(&format!("{list}?search=nothing")).assert_status(200);
        assert_eq!((empty.header("x-total"), empty.header("x-total-pages")), ("0".to_owned(), "1".to_owned()));
        alice.get(&format!("{list}?page=x&per_page=y")).assert(400, parameter("page is invalid, per_page is invalid"));
        assert_eq!(alice.get(&format!("{list}?per_page=100000")).header("x-per-page"), "100");
        assert_eq!(alice.get(&format!("{list}?per_page=0&page=-1")).assert_status(200).header("x-per-page"), "20");
    }
}

#[both_databases]
fn a_project_without_issues_has_an_empty_list(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let path = titled(&alice, tool, "t");
    comment(&alice, &path, "@alice");
    changed(&alice, &format!("/projects/{tool}"), json!({"issues_enabled": false}));
    for client in [alice.clone(), server.root()] {
        for list in
            ["/issues?scope=all".to_owned(), format!("/groups/{team}/issues"), format!("/projects/{tool}/issues")]
        {
            assert_eq!(iids(&client, &list), [0; 0], "{list}");
        }
        client.get(&path).assert(404, not_found());
        for below in [
            "/notes",
            "/discussions",
            "/participants",
            "/time_stats",
            "/award_emoji",
            "/links",
            "/resource_state_events",
        ] {
            let _ = client.get(&format!("{path}{below}")).assert_status(404);
        }
        let status = client.put(&path, json!({"title": "u"})).status();
        assert!(matches!(status, 403 | 404), "{status}");
    }
    changed(&alice, &format!("/projects/{tool}"), json!({"issues_enabled": true}));
    assert_eq!(alice.get(&path).assert_status(200).json()["title"], "t");
}

#[both_databases]
fn labels_can_be_listed_with_their_colours(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let bug = label(&alice, &format!("/projects/{tool}"), "bug");
    issue(&alice, tool, json!({"title": "t", "labels": "bug"}));
    let labels = alice.get(&format!("/projects/{tool}/issues?with_labels_details=true")).json()[0]["labels"].clone();
    let first = (&labels[0]["id"], &labels[0]["name"], &labels[0]["color"], &labels[0]["description"]);
    assert_eq!(first, (&json!(bug), &json!("bug"), &json!("#FF0000"), &Value::Null));
}

#[both_databases]
fn an_issue_is_found_by_its_number_only(server: &TestServer) {
    let alice = server.user("alice");
    titled(&alice, project(&alice, "first", "public"), "makes ids and numbers differ");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    let global = id(&alice.get(&path).json());
    assert_ne!(global, 1);
    for iid in [global, 0, -1, 99, 9_223_372_036_854_775_807] {
        alice.get(&format!("/projects/{tool}/issues/{iid}")).assert(404, not_found());
    }
    for odd in ["x", "1.5", "1x", "99999999999999999999"] {
        alice.get(&format!("/projects/{tool}/issues/{odd}")).assert(400, parameter("issue_iid is invalid"));
    }
    server.anonymous().get(&path).assert(401, unauthorized());
    assert_eq!(alice.get("/projects/ALICE%2FTool/issues/1").assert_status(200).json()["id"], global);
    let head = alice.head(&path).assert_status(200);
    assert_eq!(head.text(), "");
}
