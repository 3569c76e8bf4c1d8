//! One group and lists of groups.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 12] = [
    "id",
    "name",
    "path",
    "description",
    "visibility",
    "lfs_enabled",
    "avatar_url",
    "web_url",
    "request_access_enabled",
    "full_name",
    "full_path",
    "parent_id",
];

#[both_databases]
fn a_group_is_shown_with_its_projects(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let below = id(&made(
        &alice,
        "/groups",
        json!({"name": "Below It", "path": "below", "parent_id": team, "visibility": "public"}),
    ));
    let first = project_in(&alice, below, "first", "public");
    let second = project_in(&alice, below, "second", "public");
    for path in [format!("/groups/{below}"), "/groups/team%2Fbelow".to_owned(), "/groups/TEAM%2Fbelow".to_owned()] {
        let shown = server.anonymous().get(&path).assert_status(200).json();
        assert_has(&shown, &FIELDS);
        assert_eq!(
            (&shown["full_name"], &shown["full_path"], &shown["parent_id"]),
            (&json!("team / Below It"), &json!("team/below"), &json!(team))
        );
        assert_eq!(shown["web_url"], format!("{}/groups/team/below", server.base()));
        let projects: Vec<_> = shown["projects"].as_array().expect("projects").iter().map(id).collect();
        assert_eq!((projects, &shown["shared_projects"]), (vec![second, first], &json!([])));
    }
    let bare = alice.get(&format!("/groups/{below}?with_projects=false")).json();
    assert_lacks(&bare, &["projects", "shared_projects"]);
    assert_lacks(&alice.get("/groups").json()[0], &["projects"]);
    alice.get("/groups/999999").assert(404, missing("Group"));
    alice.get("/groups/team/below").assert(404, json!({"error": "404 Not Found"}));
}

#[both_databases]
fn a_fresh_group_has_the_documented_defaults(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/groups", json!({"name": "Team", "path": "team"}));
    for (name, want) in [
        ("description", json!("")),
        ("visibility", json!("private")),
        ("lfs_enabled", json!(true)),
        ("avatar_url", Value::Null),
        ("request_access_enabled", json!(false)),
        ("parent_id", Value::Null),
        ("projects", json!([])),
        ("shared_projects", json!([])),
    ] {
        assert_eq!(made[name], want, "{name}");
    }
    assert_eq!(alice.get(&format!("/groups/{}/members", id(&made))).json()[0]["access_level"], 50);
}

#[both_databases]
fn each_caller_has_a_set_of_groups(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let own = group(&alice, "own", "private");
    subgroup(&alice, own, "sub", "private");
    for (path, visibility) in [("open", "public"), ("house", "internal"), ("hidden", "private")] {
        group(&bob, path, visibility);
    }
    let listed = |client: &tenon_testkit::Client, query: &str| {
        texts(&client.get(&format!("/groups?{query}")).assert_status(200), "full_path")
    };
    let external = server.user_with("external", &json!({"external": true}));
    assert_eq!(listed(&server.anonymous(), ""), ["open"]);
    assert_eq!(listed(&server.anonymous(), "owned=true"), [""; 0]);
    assert_eq!(listed(&alice, ""), ["own", "own/sub"]);
    assert_eq!(listed(&alice, "all_available=true"), ["house", "open", "own", "own/sub"]);
    assert_eq!(listed(&external, "all_available=true"), ["open"]);
    assert_eq!(listed(&server.root(), ""), ["hidden", "house", "open", "own", "own/sub"]);
    assert_eq!(listed(&server.root(), "all_available=false"), [""; 0]);
    assert_eq!(listed(&server.root(), "owned=true"), [""; 0]);
}

#[both_databases]
fn a_full_path_finds_only_what_the_caller_may_see(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let top = group(&alice, "top", "private");
    let below = subgroup(&alice, top, "below", "private");
    let found = |client: &tenon_testkit::Client, list: &str| {
        texts(&client.get(&format!("/{list}?search=top%2Fbelow")).assert_status(200), "full_path")
    };
    for list in ["groups", "namespaces"] {
        assert_eq!(found(&server.root(), list), ["top/below"], "{list}");
        assert_eq!(found(&bob, list), [""; 0], "{list}");
    }
    assert_eq!(found(&alice, "groups"), ["top/below"]);
    assert_eq!(found(&alice, "namespaces"), ["top/below"]);
    assert_eq!(found(&server.anonymous(), "groups"), [""; 0]);
    member(&alice, &format!("/groups/{below}"), bob.id, 10);
    assert_eq!(found(&bob, "groups"), ["top/below"]);
    assert_eq!(found(&bob, "namespaces"), ["top/below"]);
    // Projects are found by the names of the groups above them if that is asked for.
    project_in(&alice, below, "tool", "private");
    project(&alice, "other", "private");
    let projects = |client: &tenon_testkit::Client, query: &str| {
        texts(&client.get(&format!("/projects?{query}")).assert_status(200), "path")
    };
    for search in ["top%2Fbelow", "top%2Fbelow%2Ftool", "below", "BELOW%2F"] {
        assert_eq!(projects(&alice, &format!("search={search}")), [""; 0], "{search}");
        assert_eq!(projects(&alice, &format!("search={search}&search_namespaces=true")), ["tool"], "{search}");
        assert_eq!(
            projects(&server.anonymous(), &format!("search={search}&search_namespaces=true")),
            [""; 0],
            "{search}"
        );
    }
    assert_eq!(projects(&alice, "search=tool&search_namespaces=true"), ["tool"]);
}

#[both_databases]
fn every_filter_and_order_works(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let first = group(&alice, "alpha", "public");
    let second = id(&made(&alice, "/groups", json!({"name": "Aaa", "path": "zulu", "visibility": "public"})));
    let third = group(&bob, "mike", "public");
    member(&bob, &format!("/groups/{third}"), alice.id, 30);
    let listed = |query: &str| texts(&alice.get(&format!("/groups?{query}")).assert_status(200), "path");
    assert_eq!(listed(""), ["zulu", "alpha", "mike"]);
    assert_eq!(listed("sort=desc"), ["mike", "alpha", "zulu"]);
    assert_eq!(listed("order_by=path"), ["alpha", "mike", "zulu"]);
    assert_eq!(listed("order_by=id&sort=desc"), ["mike", "zulu", "alpha"]);
    assert_eq!(listed("search=LPH"), ["alpha"]);
    assert_eq!(listed("search=aaa"), ["zulu"]);
    assert_eq!(listed("search=al"), [""; 0]);
    let below = subgroup(&alice, first, "tools", "public");
    let deepest = subgroup(&alice, below, "git", "public");
    assert_eq!(listed("search=alpha%2Ftools"), ["tools"]);
    assert_eq!(listed("search=Alpha%2FTools%2Fgit"), ["git"]);
    assert_eq!(listed("search=lpha%2Ftools"), [""; 0], "the whole path");
    assert_eq!(listed(&format!("search=alpha%2Ftools&skip_groups[]={below}")), [""; 0]);
    for group in [deepest, below] {
        let _ = alice.delete(&format!("/groups/{group}")).assert_status(202);
        server.run_jobs();
    }
    assert_eq!(listed("search=alpha%2Ftools"), [""; 0]);
    assert_eq!(listed("owned=true"), ["zulu", "alpha"]);
    assert_eq!(listed("min_access_level=30"), ["zulu", "alpha", "mike"]);
    assert_eq!(listed("min_access_level=40"), ["zulu", "alpha"]);
    assert_eq!(listed("min_access_level=40&all_available=true"), ["zulu", "alpha"]);
    assert_eq!(listed(&format!("skip_groups[]={first}&skip_groups[]={third}")), ["zulu"]);
    assert_eq!(listed(&format!("skip_groups={first},{second}")), ["mike"]);
    assert_eq!(listed(&format!("owned=True&search=alpha&skip_groups%5B%5D={second}")), ["alpha"]);
    alice.get("/groups?min_access_level=33").assert(400, parameter("min_access_level does not have a valid value"));
    alice.get("/groups?owned=perhaps").assert(400, parameter("owned is invalid"));
}

#[both_databases]
fn statistics_are_for_administrators(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    assert_lacks(&alice.get("/groups?statistics=true").json()[0], &["statistics"]);
    assert_lacks(&server.root().get("/groups").json()[0], &["statistics"]);
    let statistics = &server.root().get("/groups?statistics=true").json()[0]["statistics"];
    let none = json!({"storage_size": 0, "repository_size": 0, "wiki_size": 0, "lfs_objects_size": 0, "job_artifacts_size": 0});
    assert_eq!(*statistics, none);
    // Those of its own projects, and not of its subgroups.
    let below =
        alice.post("/groups", json!({"name": "below", "path": "below", "parent_id": team})).assert_status(201).json();
    for home in [json!(team), json!(team), below["id"].clone()] {
        let path = format!("p{}", server.root().get("/projects").json().as_array().expect("a list").len());
        let body = json!({"path": path, "namespace_id": home, "initialize_with_readme": true});
        let _ = alice.post("/projects", body).assert_status(201);
    }
    server.run_jobs();
    let size = |path: &str| {
        let answer = server.root().get(&format!("{path}?statistics=true")).json();
        let sizes = &answer["statistics"];
        assert_eq!(sizes["storage_size"], sizes["repository_size"]);
        sizes["repository_size"].as_i64().expect("a size")
    };
    let (one, other) = (size("/projects/team%2Fp0"), size("/projects/team%2Fp1"));
    assert!(one > 0 && other > 0);
    assert_eq!(size(&format!("/groups/{team}")), one + other);
    let _ = server.root().put(&format!("/groups/{team}/custom_attributes/a"), json!({"value": "b"})).assert_status(200);
    let path = format!("/groups/{team}?with_custom_attributes=true");
    assert_eq!(server.root().get(&path).json()["custom_attributes"], json!([{"key": "a", "value": "b"}]));
    assert_lacks(&alice.get(&path).json(), &["custom_attributes"]);
}

#[both_databases]
fn subgroups_are_the_direct_children(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let child = subgroup(&alice, top, "child", "public");
    subgroup(&alice, child, "grandchild", "public");
    let listed = |client: &tenon_testkit::Client, path: &str| {
        texts(&client.get(&format!("/groups/{top}/{path}")).assert_status(200), "path")
    };
    assert_eq!(listed(&alice, "subgroups"), ["child"]);
    assert_eq!(listed(&alice, "descendant_groups"), ["child", "grandchild"]);
    assert_eq!(listed(&server.anonymous(), "subgroups"), ["child"]);
    let stranger = server.user("stranger");
    assert_eq!(listed(&stranger, "subgroups"), [""; 0]);
    assert_eq!(listed(&stranger, "subgroups?all_available=true"), ["child"]);
    alice.get("/groups/999999/subgroups").assert(404, missing("Group"));
}

#[both_databases]
fn a_member_of_one_project_may_read_its_group(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let tool = project_in(&alice, team, "tool", "private");
    project_in(&alice, team, "other", "private");
    member(&alice, &format!("/projects/{tool}"), bob.id, 10);
    let shown = bob.get(&format!("/groups/{team}")).assert_status(200).json();
    assert_eq!(shown["projects"].as_array().map(Vec::len), Some(1));
    assert_eq!(texts(&bob.get("/groups"), "path"), ["team"]);
    assert_eq!(names(&bob.get(&format!("/groups/{team}/projects"))), ["tool"]);
}

#[both_databases]
fn by_visibility_and_state(server: &TestServer) {
    let alice = server.user("alice");
    for visibility in ["private", "internal", "public"] {
        group(&alice, &format!("g-{visibility}"), visibility);
    }
    let found = |client: &tenon_testkit::Client, query: &str| names(&client.get(&format!("/groups?{query}")));
    let all = ["g-internal", "g-private", "g-public"];
    for (query, want) in [
        ("visibility=private", vec!["g-private"]),
        ("visibility=public", vec!["g-public"]),
        ("active=true", all.to_vec()),
        ("active=false", vec![]),
        ("archived=false", all.to_vec()),
        ("archived=true", vec![]),
        ("marked_for_deletion_on=2026-03-01", vec![]),
        ("repository_storage=default", all.to_vec()),
    ] {
        assert_eq!(found(&alice, query), want, "{query}");
        assert_eq!(found(&server.root(), query), want, "{query}");
    }
    // A filter for administrators.
    assert_eq!(found(&server.root(), "repository_storage=other"), Vec::<String>::new());
    assert_eq!(found(&alice, "repository_storage=other"), all);
    alice.get("/groups?visibility=hidden").assert(400, parameter("visibility does not have a valid value"));
}
