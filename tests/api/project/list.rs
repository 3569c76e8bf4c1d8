//! Lists of projects: forms, filters, orders.

use serde_json::json;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::support::*;

/// Alice's `mine`, `closed` (archived) and, in her group, `shared`; Bob's `theirs`, in which she is a developer, and
/// `open`.
fn scene(server: &TestServer) -> (User, User) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    project(&alice, "mine", "private");
    let closed = project(&alice, "closed", "internal");
    project_in(&alice, team, "shared", "public");
    let theirs = project(&bob, "theirs", "private");
    member(&bob, &format!("/projects/{theirs}"), alice.id, 30);
    project(&bob, "open", "public");
    let _ = alice.post(&format!("/projects/{closed}/archive"), json!({})).assert_status(200);
    (alice, bob)
}

fn listed(client: &Client, query: &str) -> Vec<String> {
    let mut names = names(&client.get(&format!("/projects?{query}")).assert_status(200));
    names.sort();
    names
}

#[both_databases]
fn every_filter_works_alone(server: &TestServer) {
    let (alice, bob) = scene(server);
    let open = bob.get("/projects/bob%2Fopen").json()["id"].clone();
    let _ = alice.post(&format!("/projects/{open}/star"), json!({})).assert_status(200);
    for (query, want) in [
        ("", vec!["closed", "mine", "open", "shared", "theirs"]),
        ("owned=true", vec!["closed", "mine", "shared"]),
        ("membership=true", vec!["closed", "mine", "shared", "theirs"]),
        ("starred=true", vec!["open"]),
        ("archived=true", vec!["closed"]),
        ("archived=False", vec!["mine", "open", "shared", "theirs"]),
        ("visibility=private", vec!["mine", "theirs"]),
        ("visibility=internal", vec!["closed"]),
        ("min_access_level=40", vec!["closed", "mine", "shared"]),
        ("min_access_level=30", vec!["closed", "mine", "shared", "theirs"]),
        ("search=MIN", vec!["mine"]),
        ("search=op", vec![]),
        ("with_issues_enabled=true", vec!["closed", "mine", "open", "shared", "theirs"]),
        ("owned=true&archived=false&visibility=private", vec!["mine"]),
        ("wiki_checksum_failed=true", vec!["closed", "mine", "open", "shared", "theirs"]),
    ] {
        assert_eq!(listed(&alice, query), want, "{query}");
    }
    alice.get("/projects?min_access_level=33").assert(400, parameter("min_access_level does not have a valid value"));
    alice.get("/projects?visibility=x").assert(400, parameter("visibility does not have a valid value"));
}

#[both_databases]
fn anonymous_callers_own_nothing(server: &TestServer) {
    scene(server);
    let anonymous = server.anonymous();
    assert_eq!(listed(&anonymous, ""), ["open", "shared"]);
    for query in ["owned=true", "membership=true", "min_access_level=10"] {
        assert_eq!(listed(&anonymous, query), [""; 0], "{query}");
    }
    assert_eq!(listed(&anonymous, "starred=true"), ["open", "shared"]);
    assert_lacks(&anonymous.get("/projects").json()[0], &["visibility", "permissions"]);
}

#[both_databases]
fn simple_lists_are_short(server: &TestServer) {
    let (alice, _) = scene(server);
    assert_lacks(&alice.get("/projects?simple=true").json()[0], &["visibility", "permissions", "_links"]);
    assert_has(&alice.get("/projects?simple=false").json()[0], &["visibility", "permissions", "_links"]);
    assert_has(&alice.get("/projects?statistics=true").json()[0], &["statistics"]);
}

#[both_databases]
fn every_order_works_both_ways(server: &TestServer) {
    let alice = server.user("alice");
    for (name, path) in [("Beta", "zz"), ("alpha", "mm"), ("Gamma", "aa")] {
        made(&alice, "/projects", json!({"name": name, "path": path}));
    }
    let ordered = |query: &str| texts(&alice.get(&format!("/projects?{query}")).assert_status(200), "path");
    assert_eq!(ordered(""), ["aa", "mm", "zz"]);
    assert_eq!(ordered("sort=asc"), ["zz", "mm", "aa"]);
    assert_eq!(ordered("order_by=id&sort=asc"), ["zz", "mm", "aa"]);
    assert_eq!(ordered("order_by=path&sort=asc"), ["aa", "mm", "zz"]);
    assert_eq!(ordered("order_by=path"), ["zz", "mm", "aa"]);
    assert_eq!(ordered("order_by=created_at&sort=asc"), ["zz", "mm", "aa"]);
    assert_eq!(ordered("order_by=last_activity_at&sort=asc"), ["zz", "mm", "aa"]);
    let _ = alice.put("/projects/alice%2Fmm", json!({"description": "x"})).assert_status(200);
    assert_eq!(ordered("order_by=updated_at")[0], "mm");
    let mut by_name = ordered("order_by=name&sort=asc");
    let backwards = ordered("order_by=name&sort=desc");
    by_name.reverse();
    assert_eq!(by_name, backwards);
}

#[both_databases]
fn pages_do_not_overlap_where_values_are_equal(server: &TestServer) {
    let alice = server.user("alice");
    for number in 0..7 {
        made(&alice, "/projects", json!({"name": format!("p{number}")}));
    }
    server
        .database()
        .execute("UPDATE projects SET created_at = '2026-01-01 00:00:00', last_activity_at = '2026-01-01 00:00:00'");
    for order in ["created_at", "last_activity_at", "name", "id"] {
        let mut seen = Vec::new();
        for page in 1..=4 {
            seen.extend(ids(&alice.get(&format!("/projects?order_by={order}&per_page=2&page={page}"))));
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 7, "{order}");
    }
}

#[both_databases]
fn the_projects_of_a_user_are_those_of_the_personal_namespace(server: &TestServer) {
    let (alice, bob) = scene(server);
    let of = |client: &Client, user: &str| {
        let mut names = names(&client.get(&format!("/users/{user}/projects")).assert_status(200));
        names.sort();
        names
    };
    assert_eq!(of(&alice, "alice"), ["closed", "mine"]);
    assert_eq!(of(&alice, &alice.id.to_string()), ["closed", "mine"]);
    assert_eq!(of(&alice, "BOB"), ["open", "theirs"]);
    assert_eq!(of(&server.anonymous(), "bob"), ["open"]);
    assert_eq!(of(&bob, "alice"), ["closed"]);
    bob.get("/users/no-one/projects").assert(404, missing("User"));
    bob.get("/users/999999/projects").assert(404, missing("User"));
}

#[both_databases]
fn the_projects_of_a_group_are_its_own_and_those_shared_with_it(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let below = subgroup(&alice, team, "below", "public");
    project_in(&alice, below, "deep", "public");
    let old = project_in(&alice, team, "old", "public");
    project_in(&alice, team, "fresh", "public");
    let lent = project(&alice, "lent", "public");
    made(&alice, &format!("/projects/{lent}/share"), json!({"group_id": team, "group_access": 10}));
    let _ = alice.post(&format!("/projects/{old}/archive"), json!({})).assert_status(200);
    let of = |query: &str| {
        let mut names = names(&alice.get(&format!("/groups/{team}/projects?{query}")).assert_status(200));
        names.sort();
        names
    };
    assert_eq!(of(""), ["fresh", "lent"]);
    assert_eq!(of("archived=true"), ["old"]);
    assert_eq!(of("with_shared=false"), ["fresh"]);
    assert_eq!(of("include_subgroups=true"), ["deep", "fresh", "lent"]);
    assert_eq!(of("search=fresh"), ["fresh"]);
    assert_lacks(&alice.get(&format!("/groups/{team}/projects?simple=1")).json()[0], &["visibility"]);
}

/// Makes a project one that was imported.
fn imported(server: &TestServer, project: i64) {
    let done = "import_status = 'finished', imported_from = 'https://git.example.org/a.git', sealed_import_url = NULL";
    server.database().execute(&format!("UPDATE projects SET {done} WHERE id = {project}"));
}

#[both_databases]
fn by_id_topic_activity_and_source(server: &TestServer) {
    let (alice, bob) = scene(server);
    let path = |project: &str| format!("/projects/{}", project.replace('/', "%2F"));
    let number = |project: &str| id(&alice.get(&path(project)).json());
    changed(&alice, &path("alice/mine"), json!({"topics": ["rust", "git"]}));
    changed(&alice, &path("team/shared"), json!({"topics": ["rust"]}));
    let (mine, shared) = (number("alice/mine"), number("team/shared"));
    server.advance(tenon_domain::time::TimeDelta::days(2));
    let _ = alice.post(&format!("{}/star", path("team/shared")), json!({})).assert_status(200);
    titled(&alice, shared, "later");
    // Of another server, which is not called here. An import is known when it is over, too.
    imported(server, mine);
    let later = alice.get(&path("team/shared")).json()["last_activity_at"].as_str().expect("a moment").to_owned();
    for (query, want) in [
        ("active=true".to_owned(), vec!["mine", "open", "shared", "theirs"]),
        ("active=false".to_owned(), vec!["closed"]),
        (format!("id_after={mine}"), vec!["closed", "open", "shared", "theirs"]),
        (format!("id_after={mine}&id_before={shared}"), vec!["closed"]),
        ("topic=rust".to_owned(), vec!["mine", "shared"]),
        ("topic=rust,git".to_owned(), vec!["mine"]),
        ("topic=other".to_owned(), vec![]),
        (format!("last_activity_after={later}"), vec!["shared"]),
        (format!("last_activity_before={later}"), vec!["closed", "mine", "open", "shared", "theirs"]),
        ("imported=true".to_owned(), vec!["mine"]),
        ("with_programming_language=rust".to_owned(), vec![]),
        // For administrators only.
        ("repository_storage=other".to_owned(), vec!["closed", "mine", "open", "shared", "theirs"]),
    ] {
        assert_eq!(listed(&alice, &query), want, "{query}");
    }
    assert_eq!(listed(&server.root(), "repository_storage=other"), Vec::<String>::new());
    assert_eq!(listed(&server.root(), "repository_storage=default").len(), 5);
    assert_eq!(listed(&server.anonymous(), "imported=true"), Vec::<String>::new());
    assert_eq!(listed(&bob, "imported=true"), Vec::<String>::new());
    let many = vec!["t"; 21].join(",");
    alice.get(&format!("/projects?topic={many}")).assert(400, field("topic", "are too many (maximum is 20)"));
    // Of a group: the same filters.
    let team = names(&bob.get("/groups/team/projects?topic=rust&active=true").assert_status(200));
    assert_eq!(team, ["shared"]);
}

#[both_databases]
fn by_size_and_similarity(server: &TestServer) {
    let alice = server.user("alice");
    let make = |name: &str, more: serde_json::Value| {
        let mut body = json!({"name": name, "visibility": "public"});
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        id(&made(&alice, "/projects", body))
    };
    let far = make("far", json!({"path": "far", "description": "not the tool"}));
    let near = make("my tool", json!({"path": "my-tool"}));
    let same = make("tool", json!({"path": "tool"}));
    let of = |query: &str| ids(&alice.get(&format!("/projects?{query}")).assert_status(200));
    assert_eq!(of("search=tool&order_by=similarity"), [same, near, far]);
    assert_eq!(of("search=tool&order_by=similarity&sort=asc"), [same, near, far]);
    // Without a text, and by size for callers who are no administrators: the usual order.
    assert_eq!(of("order_by=similarity&sort=asc"), [far, near, same]);
    assert_eq!(of("order_by=repository_size&sort=asc"), [far, near, same]);
    let commit = json!({"branch": "main", "commit_message": "x",
        "actions": [{"action": "create", "file_path": "f", "content": "x".repeat(5000)}]});
    made(&alice, &format!("/projects/{near}/repository/commits"), commit);
    server.run_jobs();
    for order in ["repository_size", "storage_size"] {
        let sizes = ids(&server.root().get(&format!("/projects?order_by={order}&sort=desc")).assert_status(200));
        assert_eq!(sizes, [near, same, far], "{order}");
    }
    for order in ["packages_size", "wiki_size"] {
        let sizes = ids(&server.root().get(&format!("/projects?order_by={order}&sort=asc")).assert_status(200));
        assert_eq!(sizes, [far, near, same], "{order}");
    }
}
