//! Keyset pagination: `pagination=keyset`.

use serde_json::{Value, json};
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use crate::support::*;

/// The path of the part that follows, if there is one.
fn next(reply: &Reply) -> Option<String> {
    let link = reply.headers().get("link")?.to_str().expect("a text").to_owned();
    assert!(link.ends_with("; rel=\"next\"") && link.matches("rel=").count() == 1, "{link}");
    let url = link.trim_start_matches('<').split('>').next().expect("an address").to_owned();
    Some(url.split_once("/api/v4").expect("an address of the API").1.to_owned())
}

/// One part of a list, which has no totals.
#[track_caller]
fn part(client: &Client, path: &str) -> (Vec<i64>, Option<String>) {
    let reply = client.get(path).assert_status(200);
    for name in ["x-total", "x-total-pages", "x-page", "x-per-page", "x-next-page", "x-prev-page"] {
        assert!(!reply.headers().contains_key(name), "{path}: {name}");
    }
    (ids(&reply), next(&reply))
}

/// All parts of a list, one after the other.
#[track_caller]
fn walked(client: &Client, path: &str) -> Vec<i64> {
    let (mut found, mut following) = part(client, path);
    while let Some(path) = following {
        let (more, next) = part(client, &path);
        assert!(!more.is_empty(), "{path}: an empty part");
        found.extend(more);
        following = next;
    }
    found
}

/// The whole list by pages with numbers.
#[track_caller]
fn whole(client: &Client, path: &str) -> Vec<i64> {
    ids(&client.get(&format!("{path}&per_page=100")).assert_status(200))
}

/// Lists with more rows than a part has, with their orders.
fn lists(server: &TestServer) -> Vec<(String, Vec<&'static str>)> {
    let root = &server.root();
    let team = group(root, "team", "public");
    let mut project = 0;
    for name in ["delta", "alpha", "echo", "bravo", "Charlie"] {
        server.user(&format!("user-{name}"));
        subgroup(root, team, &format!("g-{name}"), "public");
        project = project_in(root, team, name, "public");
    }
    for number in 0..5 {
        titled(root, project, &format!("Issue {number}"));
        let branch = format!("branch-{number}");
        let commit = json!({"branch": branch, "start_branch": "main", "commit_message": "x",
            "actions": [{"action": "create", "file_path": format!("f{number}"), "content": "x"}]});
        let first = json!({"branch": "main", "commit_message": "x",
            "actions": [{"action": "create", "file_path": "f", "content": "x"}]});
        if number == 0 {
            made(root, &format!("/projects/{project}/repository/commits"), first);
        }
        made(root, &format!("/projects/{project}/repository/commits"), commit);
        let request = json!({"source_branch": branch, "target_branch": "main", "title": branch});
        made(root, &format!("/projects/{project}/merge_requests"), request);
    }
    let of_projects = vec!["id", "name", "path", "created_at", "updated_at", "last_activity_at"];
    let of_issuables = vec!["id", "created_at", "updated_at"];
    vec![
        ("/projects?".to_owned(), of_projects.clone()),
        (format!("/groups/{team}/projects?"), of_projects.clone()),
        (format!("/groups/{team}/projects?include_subgroups=true&with_shared=false&"), of_projects),
        ("/groups?".to_owned(), vec!["id", "name"]),
        (format!("/groups/{team}/subgroups?"), vec!["id", "name"]),
        (format!("/groups/{team}/descendant_groups?"), vec!["id", "name"]),
        ("/users?".to_owned(), vec!["id"]),
        ("/issues?scope=all&".to_owned(), of_issuables.clone()),
        (format!("/groups/{team}/issues?"), of_issuables.clone()),
        (format!("/projects/{project}/issues?state=opened&"), of_issuables.clone()),
        ("/merge_requests?scope=all&".to_owned(), of_issuables.clone()),
        (format!("/groups/{team}/merge_requests?"), of_issuables.clone()),
        (format!("/projects/{project}/merge_requests?"), of_issuables),
    ]
}

#[both_databases]
fn every_list_has_the_same_rows_as_by_pages(server: &TestServer) {
    let root = &server.root();
    for (list, orders) in lists(server) {
        for order in orders {
            for sort in ["asc", "desc"] {
                let path = format!("{list}order_by={order}&sort={sort}");
                let all = whole(root, &path);
                assert!(all.len() >= 5, "{path}: {all:?}");
                for per_page in [1, 2, all.len(), 100] {
                    let parts = walked(root, &format!("{path}&pagination=keyset&per_page={per_page}"));
                    assert_eq!(parts, all, "{path} by {per_page}");
                }
            }
        }
        let default = ids(&root.get(&format!("{list}per_page=100")).assert_status(200));
        let parts = walked(root, &format!("{list}pagination=keyset&per_page=2"));
        assert_eq!(parts, default, "{list}");
    }
}

#[both_databases]
fn rows_that_come_and_go_change_no_others(server: &TestServer) {
    let root = &server.root();
    let projects: Vec<i64> = ["b", "d", "f", "h"].into_iter().map(|name| project(root, name, "public")).collect();
    let path = "/projects?order_by=name&sort=asc&pagination=keyset&per_page=2";
    let (first, following) = part(root, path);
    assert_eq!(first, projects[..2]);
    // Before the row at which the list goes on, behind it, and that row itself.
    project(root, "a", "public");
    let between = project(root, "e", "public");
    let _ = root.delete(&format!("/projects/{}", projects[1])).assert_status(202);
    let (second, following) = part(root, &following.expect("more"));
    assert_eq!(second, [between, projects[2]]);
    assert_eq!(part(root, &following.expect("more")), (vec![projects[3]], None));
}

#[both_databases]
fn rows_with_the_same_value_are_told_apart_by_id(server: &TestServer) {
    let root = &server.root();
    let made: Vec<i64> = (0..5)
        .map(|number| {
            let place = group(root, &format!("place-{number}"), "public");
            project_in(root, place, "same", "public")
        })
        .collect();
    for (sort, want) in [("asc", made.clone()), ("desc", made.iter().rev().copied().collect())] {
        let path = format!("/projects?order_by=name&sort={sort}&pagination=keyset&per_page=2");
        assert_eq!(walked(root, &path), want, "{sort}");
    }
}

#[both_databases]
fn the_link_keeps_filters_and_no_secrets(server: &TestServer) {
    let alice = server.user("alice");
    for name in ["one", "two", "three"] {
        project(&alice, name, "private");
    }
    project(&server.root(), "other", "public");
    let token = alice.token.as_str();
    let path = format!("/projects?owned=true&order_by=id&sort=asc&pagination=keyset&per_page=2&private_token={token}");
    let (first, following) = part(&server.anonymous(), &path);
    let following = following.expect("more");
    assert!(!following.contains(token), "{following}");
    for kept in ["owned=true", "order_by=id", "sort=asc", "per_page=2", "pagination=keyset", "page_token="] {
        assert!(following.contains(kept), "{kept}: {following}");
    }
    let (second, end) = part(&alice, &following);
    assert_eq!((first.len(), second.len(), end), (2, 1, None));
    // Other clients name the place where the list goes on alone, or by another name.
    let other = following.replace("page_token", "cursor").replace("pagination=keyset&", "");
    assert_eq!(part(&alice, &other), (second, None));
}

#[both_databases]
fn other_orders_and_tokens_are_refused(server: &TestServer) {
    let root = &server.root();
    let home = project(root, "home", "public");
    project(root, "other", "public");
    for (path, served) in [
        ("/projects?order_by=star_count", "id, name, path, created_at, updated_at, last_activity_at"),
        ("/projects?order_by=similarity&search=home", "id, name, path, created_at, updated_at, last_activity_at"),
        ("/groups?order_by=path", "id, name"),
        ("/users?order_by=name", "id"),
        ("/issues?order_by=title", "id, created_at, updated_at"),
        (&format!("/projects/{home}/merge_requests?order_by=priority"), "id, created_at, updated_at"),
    ] {
        let text = format!("Keyset pagination is not available for this order. It is for: {served}");
        root.get(&format!("{path}&pagination=keyset")).assert(405, json!({"message": text, "error": text}));
        let _ = root.get(path).assert_status(200);
    }
    let invalid = json!({"message": "page_token is invalid", "error": "page_token is invalid"});
    let (_, following) = part(root, "/projects?order_by=id&sort=asc&pagination=keyset&per_page=1");
    let token =
        following.expect("more").split("page_token=").nth(1).expect("a token").split('&').next().map(str::to_owned);
    let token = token.expect("a token");
    for wrong in ["x", "00", "7b7d", "%00", &"a".repeat(5000), &token[2..], &token[..token.len() - 2]] {
        let path = format!("/projects?order_by=id&sort=asc&pagination=keyset&page_token={wrong}");
        root.get(&path).assert(400, invalid.clone());
    }
    // The token of another order or direction.
    for order in ["order_by=id&sort=desc", "order_by=name&sort=asc"] {
        root.get(&format!("/projects?{order}&pagination=keyset&page_token={token}")).assert(400, invalid.clone());
    }
    root.get("/projects?pagination=other").assert(400, parameter("pagination does not have a valid value"));
    let pages = root.get("/projects?pagination=offset&page_token=x").assert_status(200);
    assert_eq!((pages.header("x-total"), pages.json().as_array().map(Vec::len)), ("2".to_owned(), Some(2)));
}

#[both_databases]
fn a_part_hides_what_a_page_hides(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let open = project(&alice, "open", "public");
    project(&alice, "closed", "private");
    issue(&alice, open, json!({"title": "for all"}));
    issue(&alice, open, json!({"title": "for few", "confidential": true}));
    let seen = |client: &Client, path: &str| -> Vec<Value> {
        let reply = client.get(&format!("{path}pagination=keyset")).assert_status(200);
        reply.json().as_array().cloned().unwrap_or_default()
    };
    assert_eq!(seen(&bob, "/projects?").len(), 1);
    assert_eq!(seen(&server.anonymous(), "/projects?").len(), 1);
    assert_eq!(seen(&server.anonymous(), "/projects?membership=true&").len(), 0);
    assert_eq!(seen(&bob, "/issues?scope=all&").len(), 1);
    assert_eq!(seen(&alice, "/issues?scope=all&").len(), 2);
    assert_eq!(seen(&bob, &format!("/projects/{open}/issues?")).len(), 1);
    changed(&alice, &format!("/projects/{open}"), json!({"issues_enabled": false}));
    assert_eq!(seen(&alice, &format!("/projects/{open}/issues?")).len(), 0);
    bob.get(&format!("/projects/{}/issues?pagination=keyset", open + 1)).assert(404, missing("Project"));
    let _ = server.anonymous().get("/users?pagination=keyset").assert_status(403);
}
