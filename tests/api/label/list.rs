//! Reading labels and following them.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_label_has_every_field(server: &TestServer) {
    let alice = server.user("alice");
    let labels = format!("/projects/{}/labels", project(&alice, "tool", "public"));
    let made = made(&alice, &labels, json!({"name": "bug", "color": "#aabbcc", "description": "d", "priority": 3}));
    let want = json!({
        "name": "bug", "description": "d", "open_issues_count": 0, "closed_issues_count": 0,
        "open_merge_requests_count": 0, "priority": 3, "subscribed": false,
    });
    for (name, value) in want.as_object().expect("an object") {
        assert_eq!(&made[name], value, "{name}");
    }
    assert!(made["color"].as_str().is_some_and(|color| color.eq_ignore_ascii_case("#aabbcc")), "{made}");
    for one in [format!("{labels}/{}", made["id"]), format!("{labels}/bug")] {
        assert_eq!(alice.get(&one).assert_status(200).json(), made, "{one}");
    }
    assert_eq!(alice.get(&labels).json(), json!([made]));
}

#[both_databases]
fn labels_of_the_groups_above_are_listed_by_title(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    label(&alice, &format!("/groups/{top}"), "beta");
    label(&alice, &format!("/groups/{below}"), "delta");
    for name in ["gamma", "alpha"] {
        label(&alice, &format!("/projects/{tool}"), name);
    }
    label(&alice, &format!("/projects/{}", project(&alice, "other", "public")), "foreign");
    let labels = format!("/projects/{tool}/labels");
    assert_eq!(names(&alice.get(&labels)), ["alpha", "beta", "delta", "gamma"]);
    assert_eq!(names(&alice.get(&format!("{labels}?include_ancestor_groups=false"))), ["alpha", "gamma"]);
    assert_eq!(names(&alice.get(&format!("{labels}?search=ELT"))), ["delta"]);
    assert_eq!(names(&alice.get(&format!("{labels}?search=%25"))), [""; 0]);
    let page = alice.get(&format!("{labels}?per_page=2&page=2"));
    assert_eq!((names(&page), page.header("x-total")), (vec!["delta".to_owned(), "gamma".to_owned()], "4".to_owned()));
    assert_eq!(names(&alice.get(&format!("/groups/{below}/labels"))), ["beta", "delta"]);
    assert_eq!(names(&alice.get(&format!("/groups/{top}/labels"))), ["beta"]);
}

#[both_databases]
fn counts_are_those_of_what_the_caller_sees(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let done = issue(&cast.owner, cast.project, json!({"title": "t", "labels": "bug"}));
    issue(&cast.owner, cast.project, json!({"title": "t", "labels": "bug"}));
    issue(&cast.owner, cast.project, json!({"title": "t", "labels": "bug", "confidential": true}));
    changed(&cast.owner, &done, json!({"state_event": "close"}));
    for (client, open) in [(&cast.stranger, 1), (&cast.guest, 1), (&cast.reporter, 2), (&cast.owner, 2)] {
        for path in [format!("{}/labels/bug", cast.path()), format!("{}/labels?with_counts=true", cast.path())] {
            let got = client.get(&path).assert_status(200).json();
            let got = got.get(0).unwrap_or(&got);
            assert_eq!(
                (&got["open_issues_count"], &got["closed_issues_count"]),
                (&json!(open), &json!(1)),
                "{} {path}",
                client.username
            );
        }
    }
}

#[both_databases]
fn everybody_who_sees_a_project_reads_its_labels(server: &TestServer) {
    let cast = Cast::of(server, "private");
    label(&cast.owner, &cast.path(), "bug");
    for path in [format!("{}/labels", cast.path()), format!("{}/labels/bug", cast.path())] {
        assert_eq!(cast.statuses(|client| client.get(&path)), [404, 200, 200, 200, 200, 200, 200], "{path}");
        cast.stranger.get(&path).assert(404, missing("Project"));
        server.anonymous().get(&path).assert(401, unauthorized());
    }
    cast.owner.get(&format!("{}/labels/nothing", cast.path())).assert(404, missing("Label"));
    cast.owner.get(&format!("{}/labels/999999", cast.path())).assert(404, missing("Label"));
    let open = project(&cast.owner, "open", "public");
    server.anonymous().get(&format!("/projects/{open}/labels")).assert(401, unauthorized());
    let _ = cast.stranger.get(&format!("/projects/{open}/labels")).assert_status(200);
    server.anonymous().get("/projects/999999/labels").assert(401, unauthorized());
}

#[both_databases]
fn a_label_is_followed_by_id_and_by_name(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let odd = id(&made(&alice, &format!("/projects/{tool}/labels"), json!({"name": "a b?&", "color": "red"})));
    for key in [odd.to_string(), "a%20b%3F%26".to_owned()] {
        let one = format!("/projects/{tool}/labels/{key}");
        let reply = bob.post(&format!("{one}/subscribe"), json!({})).assert_status(201).json();
        assert_eq!((&reply["id"], &reply["subscribed"]), (&json!(odd), &json!(true)));
        let again = bob.post(&format!("{one}/subscribe"), json!({}));
        assert_eq!((again.status(), again.text().as_str()), (304, ""));
        assert_eq!(alice.get(&one).json()["subscribed"], false);
        assert_eq!(bob.post(&format!("{one}/unsubscribe"), json!({})).assert_status(201).json()["subscribed"], false);
        assert_eq!(bob.post(&format!("{one}/unsubscribe"), json!({})).status(), 304);
    }
    let _ = bob.post(&format!("/projects/{tool}/labels/none/subscribe"), json!({})).assert_status(404);
    server.anonymous().post(&format!("/projects/{tool}/labels/{odd}/subscribe"), json!({})).assert(401, unauthorized());
}

#[both_databases]
fn a_priority_belongs_to_one_project(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let (one, two) = (project_in(&alice, team, "one", "public"), project_in(&alice, team, "two", "public"));
    let first = made(&alice, &format!("/projects/{one}/labels"), json!({"name": "own", "color": "red", "priority": 1}));
    made(&alice, &format!("/projects/{two}/labels"), json!({"name": "own", "color": "red"}));
    assert_eq!(first["priority"], 1);
    assert_eq!(alice.get(&format!("/projects/{two}/labels/own")).json()["priority"], Value::Null);
}

#[both_databases]
fn a_description_is_shown_as_html(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let labels = format!("/projects/{tool}/labels");
    let body = json!({"name": "bug", "color": "red", "description": "Is **bad**: <script>x</script> #1"});
    let made = made(&alice, &labels, body);
    let html = made["description_html"].as_str().expect("a text");
    assert!(html.starts_with("<p") && html.contains("<strong>bad</strong>") && !html.contains("<script"), "{html}");
    label(&alice, &format!("/projects/{tool}"), "plain");
    let listed = alice.get(&labels).assert_status(200);
    assert_eq!(listed.each("description_html"), [json!(html), json!("")]);
    issue(&alice, tool, json!({"title": "t", "labels": "bug"}));
    let detailed = alice.get(&format!("/projects/{tool}/issues?with_labels_details=true")).json();
    assert_eq!(detailed[0]["label_details"], detailed[0]["labels"]);
    let one = format!("/projects/{tool}/issues/{}", detailed[0]["iid"]);
    assert_eq!(alice.get(&format!("{one}?with_labels_details=true")).json()["label_details"], detailed[0]["labels"]);
    assert_lacks(&alice.get(&one).json(), &["label_details"]);
    assert_eq!(detailed[0]["labels"][0]["description_html"], html);
}
