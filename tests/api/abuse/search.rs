//! Texts with a meaning in SQL have none in a search or an order.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_pattern_is_searched_for_as_it_is_written(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "abc_def", "public");
    group(&alice, "abcxdef", "public");
    project_in(&alice, team, "one_two", "public");
    project_in(&alice, team, "onextwo", "public");
    let found = |path: &str| names(&alice.get(path).assert_status(200));
    assert_eq!(found("/groups?search=abc_def"), ["abc_def"]);
    assert_eq!(found("/projects?search=one_two"), ["one_two"]);
    assert_eq!(found(&format!("/groups/{team}/projects?search=one_two")), ["one_two"]);
    for nothing in
        ["%25%25%25", "___", "one%25two", "%5c%5c%5c", "'''", "one'--", "%22%22%22", "%5B%5D%5B", "%28%28%28"]
    {
        assert_eq!(found(&format!("/projects?search={nothing}")), [""; 0], "{nothing}");
        assert_eq!(found(&format!("/groups?search={nothing}")), [""; 0], "{nothing}");
        assert_eq!(found(&format!("/users?search={nothing}")), [""; 0], "{nothing}");
        assert_eq!(found(&format!("/groups/{team}/members?query={nothing}")), [""; 0], "{nothing}");
        assert_eq!(found(&format!("/namespaces?search={nothing}")), [""; 0], "{nothing}");
    }
    alice.get("/projects?search=one%00two").assert(400, parameter("search is invalid"));
}

#[both_databases]
fn a_search_does_not_mind_letters_of_other_alphabets(server: &TestServer) {
    let alice = server.user("alice");
    for name in ["Größe", "данные", "数据库"] {
        made(&alice, "/groups", json!({"name": name, "path": format!("g{}", name.len()), "visibility": "public"}));
    }
    for (query, want) in [
        ("gr%C3%B6%C3%9Fe", "Größe"),
        ("%D0%94%D0%90%D0%9D%D0%9D%D0%AB%D0%95", "данные"),
        ("%E6%95%B0%E6%8D%AE%E5%BA%93", "数据库"),
    ] {
        assert_eq!(names(&alice.get(&format!("/groups?search={query}"))), [want], "{query}");
    }
}

#[both_databases]
fn an_unknown_order_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    for path in ["/projects", "/users", "/groups", "/users/alice/projects"] {
        for order in ["id;drop", "id desc", "password", "1", "ID", "(select 1)", "encrypted_password"] {
            let query = order.replace(' ', "%20");
            let reply = alice.get(&format!("{path}?order_by={query}"));
            reply.assert(400, parameter("order_by does not have a valid value"));
            alice.get(&format!("{path}?sort={query}")).assert(400, parameter("sort does not have a valid value"));
        }
    }
    let _ = alice.get("/projects").assert_status(200);
}

/// Values of filters are values.
#[both_databases]
fn values_of_filters_are_only_values(server: &TestServer) {
    let root = server.root();
    let odd = "x'%20OR%20'1'%3D'1";
    for path in [
        format!("/users?username={odd}"),
        format!("/users?custom_attributes[{odd}]={odd}"),
        format!("/projects?custom_attributes[{odd}]={odd}"),
        format!("/groups?custom_attributes[{odd}]={odd}"),
        format!("/users?extern_uid={odd}&provider={odd}"),
    ] {
        assert_eq!(root.get(&path).assert_status(200).json(), json!([]), "{path}");
    }
    root.get(&format!("/users/{odd}/projects")).assert(404, missing("User"));
}
