//! Opening issues.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// The fields of an issue by itself.
const FIELDS: [&str; 26] = [
    "id",
    "iid",
    "project_id",
    "title",
    "description",
    "state",
    "created_at",
    "updated_at",
    "closed_at",
    "closed_by",
    "labels",
    "milestone",
    "assignees",
    "assignee",
    "author",
    "user_notes_count",
    "upvotes",
    "downvotes",
    "due_date",
    "confidential",
    "discussion_locked",
    "web_url",
    "time_stats",
    "_links",
    "subscribed",
    "references",
];

#[both_databases]
fn a_new_issue_has_every_field(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let issue = made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "  First  "}));
    assert_has(&issue, &FIELDS);
    let base = server.base();
    let want = json!({
        "iid": 1, "project_id": tool, "title": "First", "description": null, "state": "opened", "closed_at": null,
        "closed_by": null, "labels": [], "milestone": null, "assignees": [], "assignee": null,
        "user_notes_count": 0, "upvotes": 0, "downvotes": 0, "due_date": null, "confidential": false,
        "discussion_locked": null, "web_url": format!("{base}/alice/tool/-/issues/1"), "subscribed": true,
        "time_stats": {
            "time_estimate": 0, "total_time_spent": 0, "human_time_estimate": null, "human_total_time_spent": null,
        },
        "_links": {
            "self": format!("{base}/api/v4/projects/{tool}/issues/1"),
            "notes": format!("{base}/api/v4/projects/{tool}/issues/1/notes"),
            "award_emoji": format!("{base}/api/v4/projects/{tool}/issues/1/award_emoji"),
            "project": format!("{base}/api/v4/projects/{tool}"),
        },
        "references": {"short": "#1", "relative": "#1", "full": "alice/tool#1"},
    });
    for (name, value) in want.as_object().expect("an object") {
        assert_eq!(&issue[name], value, "{name}");
    }
    assert_eq!(issue["author"]["username"], "alice");
    assert_has(&issue["author"], &BASIC_USER);
    assert_eq!(issue["created_at"], issue["updated_at"]);
    assert_eq!(alice.get(&format!("/projects/{tool}/issues/1")).assert_status(200).json(), issue);
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "private"));
    alice.post(&issues, json!({})).assert(400, parameter("title is missing"));
    for blank in ["", "   ", "\t\n"] {
        alice.post(&issues, json!({"title": blank})).assert(400, field("title", "can't be blank"));
    }
    alice.post(&issues, json!({"title": null})).assert(400, field("title", "can't be blank"));
    alice
        .post(&issues, json!({"title": "é".repeat(256)}))
        .assert(400, field("title", "is too long (maximum is 255 characters)"));
    assert_eq!(made(&alice, &issues, json!({"title": "é".repeat(255)}))["iid"], 1);
    for (name, value) in [
        ("confidential", json!("maybe")),
        ("due_date", json!("soon")),
        ("due_date", json!("2026-02-30")),
        ("milestone_id", json!("x")),
        ("assignee_id", json!("x")),
        ("assignee_ids", json!(["x"])),
        ("iid", json!("x")),
        ("created_at", json!("yesterday")),
    ] {
        let reply = alice.post(&issues, json!({"title": "t", name: value}));
        reply.assert(400, parameter(&format!("{name} is invalid")));
    }
    server.anonymous().post(&issues, json!({"title": "t"})).assert(401, unauthorized());
    server.user("bob").post(&issues, json!({"title": "t"})).assert(404, missing("Project"));
    // Faults of the request come before missing objects.
    alice.post("/projects/999999/issues", json!({})).assert(400, parameter("title is missing"));
    alice.post("/projects/999999/issues", json!({"title": "t"})).assert(404, missing("Project"));
    assert_eq!(iids(&alice, &issues), [1]);
}

#[both_databases]
fn everybody_who_sees_a_project_opens_issues_there(server: &TestServer) {
    let public = Cast::of(server, "public");
    let issues = format!("{}/issues", public.path());
    assert_eq!(public.statuses(|client| client.post(&issues, json!({"title": "t", "confidential": true}))), [201; 7]);
    assert_eq!(public.admin.get(&issues).each("confidential"), vec![json!(true); 7]);
    let hidden = project(&public.owner, "hidden", "private");
    member(&public.owner, &format!("/projects/{hidden}"), public.guest.id, 10);
    let issues = format!("/projects/{hidden}/issues");
    public.stranger.post(&issues, json!({"title": "t"})).assert(404, missing("Project"));
    let _ = public.guest.post(&issues, json!({"title": "t"})).assert_status(201);
}

#[both_databases]
fn what_belongs_to_planning_is_for_reporters(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    label(&cast.owner, &cast.path(), "bug");
    let body = json!({
        "title": "t", "labels": "bug,new one", "milestone_id": goal, "assignee_ids": [cast.developer.id],
        "due_date": "2026-06-01",
    });
    for (role, client) in cast.everybody() {
        let issue = made(client, &format!("{}/issues", cast.path()), body.clone());
        let got = (&issue["labels"], &issue["milestone"]["title"], &issue["assignee"]["username"], &issue["due_date"]);
        if matches!(role, "stranger" | "guest") {
            assert_eq!(got, (&json!([]), &Value::Null, &Value::Null, &Value::Null), "{role}");
            assert_eq!(names(&cast.owner.get(&format!("{}/labels", cast.path()))), ["bug"], "{role}");
        } else {
            let want = (&json!(["bug", "new one"]), &json!("v1"), &json!("developer"), &json!("2026-06-01"));
            assert_eq!(got, want, "{role}");
        }
    }
}

#[both_databases]
fn numbers_and_dates_are_chosen_by_owners_and_administrators(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let issues = format!("{}/issues", cast.path());
    for (role, client) in cast.everybody() {
        let issue = made(client, &issues, json!({"title": "t", "iid": 70, "created_at": "2015-01-02T03:04:05Z"}));
        let early = issue["created_at"] == "2015-01-02T03:04:05.000Z";
        let chosen = issue["iid"] == 70;
        assert_eq!((early, chosen), (matches!(role, "owner" | "admin"), matches!(role, "owner" | "admin")), "{role}");
        if chosen {
            assert_eq!(issue["updated_at"], "2015-01-02T03:04:05.000Z", "{role}");
            let _ = client.delete(&format!("{issues}/70")).assert_status(204);
            break;
        }
    }
    // The number is taken for good.
    cast.admin.post(&issues, json!({"title": "t", "iid": 70})).assert(409, json!({"message": "Duplicated issue"}));
    assert_eq!(made(&cast.guest, &issues, json!({"title": "t"}))["iid"], 71);
}

#[both_databases]
fn a_chosen_number_moves_the_counter_only_upwards(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "public"));
    let open = |iid: Option<i64>| made(&alice, &issues, json!({"title": "t", "iid": iid}))["iid"].clone();
    assert_eq!([open(Some(10)), open(None), open(Some(3)), open(None)], [10, 11, 3, 12]);
    for used in [3, 10, 11, 12] {
        let again = alice.post(&issues, json!({"title": "t", "iid": used}));
        again.assert(409, json!({"message": "Duplicated issue"}));
    }
    assert_eq!(open(None), 13);
    for odd in [0, -1] {
        let status = alice.post(&issues, json!({"title": "t", "iid": odd})).status();
        assert!(matches!(status, 201 | 400), "{odd}: {status}");
    }
    assert!(iids(&alice, &issues).iter().all(|iid| *iid > 0));
}

#[both_databases]
fn each_project_counts_for_itself(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (project(&alice, "one", "public"), project(&alice, "two", "public"));
    assert_eq!(titled(&alice, one, "a"), format!("/projects/{one}/issues/1"));
    assert_eq!(titled(&alice, two, "b"), format!("/projects/{two}/issues/1"));
    assert_eq!(titled(&alice, one, "c"), format!("/projects/{one}/issues/2"));
    // Neither does a refusal show.
    let _ = alice.post(&format!("/projects/{one}/issues"), json!({"title": ""})).assert_status(400);
    let next = titled(&alice, one, "d");
    assert_eq!(next, format!("/projects/{one}/issues/3"));
    assert_eq!(milestone(&alice, &format!("/projects/{one}"), "v1"), 1);
    assert_eq!(alice.get(&format!("/projects/{one}/milestones/1")).json()["iid"], 1);
}

#[both_databases]
fn labels_come_as_text_or_list_and_go_out_sorted(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let issues = format!("/projects/{tool}/issues");
    let labels = |value: Value| made(&alice, &issues, json!({"title": "t", "labels": value}))["labels"].clone();
    assert_eq!(labels(json!("zeta, alpha ,,what?,a & b")), json!(["a & b", "alpha", "what?", "zeta"]));
    assert_eq!(labels(json!(["two", "one"])), json!(["one", "two"]));
    assert_eq!(labels(json!("one,one")), json!(["one"]));
    assert_eq!(labels(json!("")), json!([]));
    let form = alice.form("POST", &issues, "title=t&labels[]=x&labels[]=y").assert_status(201).json();
    assert_eq!(form["labels"], json!(["x", "y"]));
    let made = alice.get(&format!("/projects/{tool}/labels/alpha")).assert_status(200).json();
    assert_eq!(made["color"], "#428BCA");
}

#[both_databases]
fn names_of_labels_above_are_not_made_again(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    let (high, low) =
        (label(&alice, &format!("/groups/{top}"), "high"), label(&alice, &format!("/groups/{below}"), "low"));
    issue(&alice, tool, json!({"title": "t", "labels": "high,low,own"}));
    let labels = alice.get(&format!("/projects/{tool}/labels"));
    assert_eq!(names(&labels), ["high", "low", "own"]);
    assert_eq!(ids(&labels)[..2], [high, low]);
    assert_eq!(labels.each("is_project_label"), [json!(false), json!(false), json!(true)]);
}

#[both_databases]
fn a_milestone_is_one_of_the_project_or_above(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    let elsewhere = project(&alice, "other", "public");
    let cases = [
        (milestone(&alice, &format!("/projects/{tool}"), "own"), json!("own")),
        (milestone(&alice, &format!("/groups/{below}"), "low"), json!("low")),
        (milestone(&alice, &format!("/groups/{top}"), "high"), json!("high")),
        (milestone(&alice, &format!("/projects/{elsewhere}"), "foreign"), Value::Null),
        (999_999, Value::Null),
        (0, Value::Null),
    ];
    for (id, want) in cases {
        let issue = made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "t", "milestone_id": id}));
        assert_eq!(issue["milestone"]["title"], want, "{id}");
    }
    let issue = made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "t", "milestone_id": 1}));
    let fields = [
        "id",
        "iid",
        "project_id",
        "title",
        "description",
        "state",
        "created_at",
        "updated_at",
        "due_date",
        "start_date",
        "web_url",
        "closed_at",
    ];
    assert_has(&issue["milestone"], &fields);
}

#[both_databases]
fn assignees_are_those_who_can_see_the_issue(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let tool = project(&alice, "tool", "private");
    member(&alice, &format!("/projects/{tool}"), bob.id, 10);
    let issues = format!("/projects/{tool}/issues");
    let assigned = |more: Value| {
        let mut body = json!({"title": "t"});
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        let issue = made(&alice, &issues, body);
        assert_eq!(issue["assignee"], issue["assignees"].get(0).cloned().unwrap_or_default());
        let all = issue["assignees"].as_array().cloned().unwrap_or_default();
        all.iter().map(|user| user["username"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(assigned(json!({"assignee_ids": [alice.id, bob.id]})), ["alice", "bob"]);
    assert_eq!(assigned(json!({"assignee_ids": [carl.id, bob.id, 999_999]})), ["bob"]);
    assert_eq!(assigned(json!({"assignee_ids": [carl.id]})), [""; 0]);
    assert_eq!(assigned(json!({"assignee_ids": [0]})), [""; 0]);
    assert_eq!(assigned(json!({"assignee_ids": []})), [""; 0]);
    assert_eq!(assigned(json!({"assignee_ids": bob.id})), ["bob"]);
    assert_eq!(assigned(json!({"assignee_ids": format!("{},{}", alice.id, bob.id)})), ["alice", "bob"]);
    assert_eq!(assigned(json!({"assignee_id": bob.id})), ["bob"]);
    assert_eq!(assigned(json!({"assignee_id": bob.id, "assignee_ids": [alice.id]})), ["bob"]);
    assert_eq!(assigned(json!({"assignee_ids": [bob.id, bob.id]})), ["bob"]);
}

#[both_databases]
fn parameters_come_from_query_form_and_body(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "public"));
    let form =
        alice.form("POST", &format!("{issues}?title=query&description=d"), "title=body").assert_status(201).json();
    assert_eq!((&form["title"], &form["description"]), (&json!("body"), &json!("d")));
    let parts = tenon_testkit::Multipart::default().text("title", "parts").text("confidential", "yes");
    let made = alice.multipart("POST", &issues, &parts).assert_status(201).json();
    assert_eq!((&made["title"], &made["confidential"]), (&json!("parts"), &json!(true)));
    for (given, want) in [("1", true), ("T", true), ("On", true), ("no", false), ("0", false), ("", false)] {
        let issue = alice.form("POST", &issues, &format!("title=t&confidential={given}")).assert_status(201).json();
        assert_eq!(issue["confidential"], want, "{given}");
    }
    let dated =
        alice.post(&issues, json!({"title": "t", "due_date": "2026-05-01T00:00:00Z"})).assert_status(201).json();
    assert_eq!(dated["due_date"], "2026-05-01");
    let empty = alice.post(&issues, json!({"title": "t", "due_date": "", "milestone_id": "", "assignee_id": ""}));
    assert_eq!(empty.assert_status(201).json()["due_date"], Value::Null);
}

#[both_databases]
fn an_archived_project_and_one_without_issues_take_none(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let issues = format!("{}/issues", cast.path());
    changed(&cast.owner, &cast.path(), json!({"issues_enabled": false}));
    for (role, client) in cast.everybody() {
        let reply = client.post(&issues, json!({"title": "t"}));
        assert_eq!((reply.status(), reply.json()), (403, forbidden()), "{role}");
    }
    changed(&cast.owner, &cast.path(), json!({"issues_enabled": true}));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    for (role, client) in cast.everybody() {
        let reply = client.post(&issues, json!({"title": "t"}));
        assert_eq!((reply.status(), reply.json()), (403, forbidden()), "{role}");
    }
    let _ = cast.owner.post(&format!("{}/unarchive", cast.path()), json!({})).assert_status(200);
    assert_eq!(titled(&cast.owner, cast.project, "t"), format!("{issues}/1"));
}

#[both_databases]
fn the_project_counts_its_open_issues(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let count = || alice.get(&format!("/projects/{tool}")).json()["open_issues_count"].clone();
    let first = titled(&alice, tool, "a");
    titled(&alice, tool, "b");
    assert_eq!(count(), 2);
    changed(&alice, &first, json!({"state_event": "close"}));
    assert_eq!(count(), 1);
    changed(&alice, &first, json!({"state_event": "reopen"}));
    assert_eq!(count(), 2);
    let _ = alice.delete(&first).assert_status(204);
    assert_eq!(count(), 1);
}

#[both_databases]
fn where_an_issue_came_from_is_shown_to_administrators(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = issue(&alice.header("User-Agent", "Browser/1.0"), tool, json!({"title": "t"}));
    let detail = format!("{path}/user_agent_detail");
    let shown = server.root().get(&detail).assert_status(200).json();
    let want = (&json!("Browser/1.0"), &json!("127.0.0.1"), &json!(false));
    assert_eq!((&shown["user_agent"], &shown["ip_address"], &shown["spamfilter_submitted"]), want);
    alice.get(&detail).assert(403, forbidden());
    server.anonymous().get(&detail).assert(401, unauthorized());
    let _ = server.root().get(&format!("/projects/{tool}/issues/99/user_agent_detail")).assert_status(404);
}
