//! Forms whose page was made before someone else changed the same object: only the fields changed in the form are
//! stored.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page};
use crate::issue::tracker;
use crate::merge_request::offer;
use crate::project::project;
use crate::{PASSWORD, member};

const ISSUE: &str = "/ada/tool/issues/3";
const REQUEST: &str = "/ada/tool/merge_requests/1";

/// The values of these fields.
fn values<const N: usize>(thing: &Value, fields: [&str; N]) -> [Value; N] {
    fields.map(|field| thing[field].clone())
}

#[track_caller]
fn assert_saved(answer: &Page) {
    assert_eq!(answer.reply.status(), 303, "{}", answer.html);
}

#[both_databases]
fn a_form_of_an_issue_takes_nothing_back(server: &TestServer) {
    let (ada, id) = tracker(server);
    let bob = member(server, "bob");
    let path = format!("/projects/{id}/issues/3");
    let milestone = ada.get(&format!("/projects/{id}/milestones")).json()[0]["id"].clone();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let open = browser.get(&format!("{ISSUE}/edit")).assert_status(200);
    let others = json!({
        "confidential": true, "discussion_locked": true, "labels": "bug", "assignee_ids": [bob.id], "milestone_id": milestone,
        "due_date": "2031-05-06",
    });
    let set = ada.put(&path, others).assert_status(200).json();
    let fields = ["confidential", "discussion_locked", "labels", "assignees", "milestone", "due_date", "title"];
    let preview = open
        .send_with(&browser, ISSUE, &[("issue[description]", "Mine\r\nand more"), ("action", "preview")])
        .assert_status(200);
    let wrong = preview.send_with(&browser, ISSUE, &[("issue[title]", " ")]).assert_status(422);
    assert_saved(&wrong.send_with(&browser, ISSUE, &[("issue[title]", "Issue 3")]));
    let now = ada.get(&path).json();
    assert_eq!(values(&now, fields), values(&set, fields));
    assert_eq!(now["description"], "Mine\nand more");
    // A changed field counts, even if it takes something back.
    let open = browser.get(&format!("{ISSUE}/edit"));
    assert_saved(&open.send_with(
        &browser,
        ISSUE,
        &[
            ("issue[confidential]", ""),
            ("issue[labels][]", ""),
            ("issue[milestone_id]", ""),
            ("issue[due_date]", ""),
            ("issue[assignee_ids][]", ""),
        ],
    ));
    let now = ada.get(&path).json();
    let cleared = [json!(false), json!(true), json!([]), json!([]), Value::Null, Value::Null, json!("Issue 3")];
    assert_eq!(values(&now, fields), cleared);
}

#[both_databases]
fn labels_that_others_have_given_stay(server: &TestServer) {
    let (ada, id) = tracker(server);
    let path = format!("/projects/{id}");
    for name in ["mine", "theirs", "old"] {
        let _ = ada.post(&format!("{path}/labels"), json!({"name": name, "color": "#112233"})).assert_status(201);
    }
    let path = format!("{path}/issues/3");
    let _ = ada.put(&path, json!({"labels": "old"})).assert_status(200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let open = browser.get(&format!("{ISSUE}/edit")).assert_status(200);
    let _ = ada.put(&path, json!({"labels": "old,theirs"})).assert_status(200);
    assert_saved(&open.send_with(&browser, ISSUE, &[("issue[labels][]", "mine")]));
    assert_eq!(ada.get(&path).json()["labels"], json!(["mine", "theirs"]));
}

#[both_databases]
fn a_text_that_others_have_changed_is_shown_and_the_rest_stays(server: &TestServer) {
    let (ada, id) = tracker(server);
    let path = format!("/projects/{id}/issues/3");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let long = "A long text.\n".repeat(20);
    let _ = ada.put(&path, json!({"description": format!("\n{long}")})).assert_status(200);
    let open = browser.get(&format!("{ISSUE}/edit")).assert_status(200);
    let _ = ada.put(&path, json!({"title": "Theirs", "confidential": true})).assert_status(200);
    // Neither text was changed in the form.
    assert_saved(&open.send_with(&browser, ISSUE, &[("issue[due_date]", "2031-05-06")]));
    assert_eq!(ada.get(&path).json()["title"], "Theirs");
    let stale = open.send_with(&browser, ISSUE, &[("issue[description]", "Mine")]).assert_status(409);
    assert!(stale.html.contains("Current version") && stale.html.contains(">Mine</textarea>"), "{}", stale.html);
    assert!(stale.html.contains("name=\"issue[title]\" value=\"Theirs\""), "{}", stale.html);
    assert_saved(&stale.send_with(&browser, ISSUE, &[]));
    let now = ada.get(&path).json();
    let fields = ["title", "description", "confidential", "due_date"];
    assert_eq!(values(&now, fields), [json!("Theirs"), json!("Mine"), json!(true), json!("2031-05-06")]);
    // A form without the values that its page has shown sends everything, as programs do.
    let token = open.token();
    let sent = browser.post(
        ISSUE,
        &[
            ("_method", "put"),
            ("authenticity_token", &token),
            ("issue[title]", "Issue 3"),
            ("issue[confidential]", "0"),
            ("shown", "{\"title\":7"),
        ],
    );
    assert_saved(&sent);
    assert_eq!(values(&ada.get(&path).json(), ["title", "confidential"]), [json!("Issue 3"), json!(false)]);
}

#[both_databases]
fn a_form_of_a_merge_request_takes_nothing_back(server: &TestServer) {
    let (ada, id) = offer(server);
    let path = format!("/projects/{id}/merge_requests/1");
    let branches = format!("/projects/{id}/repository/branches");
    let _ = ada.post(&branches, json!({"branch": "old", "ref": "main"})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let open = browser.get(&format!("{REQUEST}/edit")).assert_status(200);
    let others =
        json!({"squash": true, "remove_source_branch": true, "reviewer_ids": [ada.id], "target_branch": "old"});
    let set = ada.put(&path, others).assert_status(200).json();
    let fields = ["squash", "force_remove_source_branch", "reviewers", "target_branch"];
    assert_saved(&open.send_with(&browser, REQUEST, &[("merge_request[description]", "Mine")]));
    let now = ada.get(&path).json();
    assert_eq!((values(&now, fields), &now["description"]), (values(&set, fields), &json!("Mine")));
    // A target branch that is gone does not keep other fields from being changed.
    let _ = ada.delete(&format!("{branches}/old")).assert_status(204);
    let open = browser.get(&format!("{REQUEST}/edit")).assert_status(200);
    assert_saved(&open.send_with(&browser, REQUEST, &[("merge_request[title]", "Still here")]));
    assert_eq!(ada.get(&path).json()["title"], "Still here");
}

#[both_databases]
fn forms_of_settings_take_nothing_back(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let group =
        ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"})).assert_status(201).json()
            ["id"]
            .clone();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let open = browser.get("/ada/tool/edit").assert_status(200);
    let path = format!("/projects/{id}");
    let others = json!({"visibility": "private", "wiki_enabled": false, "merge_method": "ff", "name": "Tools", "tag_list": "a,b",
        "issues_access_level": "private", "squash_option": "always", "merge_commit_template": "%{title}"});
    let set = ada.put(&path, others).assert_status(200).json();
    assert_saved(&open.send_with(&browser, "/ada/tool/edit", &[("project[description]", "New")]));
    let fields = [
        "visibility",
        "wiki_enabled",
        "merge_method",
        "name",
        "tag_list",
        "issues_access_level",
        "squash_option",
        "merge_commit_template",
    ];
    let now = ada.get(&path).json();
    assert_eq!((values(&now, fields), &now["description"]), (values(&set, fields), &json!("New")));

    let open = browser.get("/groups/crew/-/edit").assert_status(200);
    let path = format!("/groups/{group}");
    let set = ada
        .put(&path, json!({"visibility": "private", "share_with_group_lock": true, "name": "Team"}))
        .assert_status(200)
        .json();
    assert_saved(&open.send_with(&browser, "/groups/crew/-/edit", &[("group[description]", "New")]));
    let fields = ["visibility", "share_with_group_lock", "name"];
    let now = ada.get(&path).json();
    assert_eq!((values(&now, fields), &now["description"]), (values(&set, fields), &json!("New")));
}

#[both_databases]
fn forms_of_administrators_take_nothing_back(server: &TestServer) {
    let bob = member(server, "bob");
    let root = server.root();
    let path = format!("/users/{}", bob.id);
    let _ = root.put(&path, json!({"admin": true})).assert_status(200);
    let browser = Browser::signed_in(server, "root", "root password");
    let page = format!("/admin/users/{}", bob.id);
    let open = browser.get(&format!("{page}/edit")).assert_status(200);
    let others = json!({"admin": false, "external": true, "projects_limit": 7, "can_create_group": false});
    let set = root.put(&path, others).assert_status(200).json();
    assert_saved(&open.send_with(&browser, &page, &[("user[name]", "Robert")]));
    let fields = ["is_admin", "external", "projects_limit", "can_create_group"];
    let now = root.get(&path).json();
    assert_eq!((values(&now, fields), &now["name"]), (values(&set, fields), &json!("Robert")));

    let address = "/admin/application_settings";
    let open = browser.get(&format!("{address}?area=0")).assert_status(200);
    let before = root.get("/application/settings").json();
    let _ = root.put("/application/settings", json!({"signup_enabled": false})).assert_status(200);
    assert_saved(&open.send_with(&browser, address, &[("application_setting[domain_whitelist]", "a.example")]));
    let mut want = before;
    want["signup_enabled"] = json!(false);
    want["domain_whitelist"] = json!(["a.example"]);
    want["domain_allowlist"] = json!(["a.example"]);
    let mut now = root.get("/application/settings").json();
    want["updated_at"] = now["updated_at"].take();
    now["updated_at"] = want["updated_at"].clone();
    assert_eq!(now, want, "a list that was not touched is no empty one");
}

#[both_databases]
fn small_forms_take_nothing_back(server: &TestServer) {
    let (ada, id) = tracker(server);
    let bob = member(server, "bob");
    let path = format!("/projects/{id}");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let open = browser.get("/ada/tool/milestones/1/edit").assert_status(200);
    let milestone = format!("{path}/milestones/{}", ada.get(&format!("{path}/milestones")).json()[0]["id"]);
    let set = ada.put(&milestone, json!({"title": "1.1", "due_date": "2031-01-01"})).assert_status(200).json();
    assert_saved(&open.send_with(&browser, "/ada/tool/milestones/1", &[("milestone[description]", "New")]));
    let now = ada.get(&milestone).json();
    assert_eq!(
        (values(&now, ["title", "due_date"]), &now["description"]),
        (values(&set, ["title", "due_date"]), &json!("New"))
    );

    let label = ada
        .post(&format!("{path}/labels"), json!({"name": "fresh", "color": "#112233"}))
        .assert_status(201)
        .json()["id"]
        .clone();
    let address = format!("/ada/tool/labels/{label}");
    let open = browser.get(&format!("{address}/edit")).assert_status(200);
    let _ = ada.put(&format!("{path}/labels/{label}"), json!({"new_name": "newer", "priority": 3})).assert_status(200);
    assert_saved(&open.send_with(&browser, &address, &[("label[color]", "#445566")]));
    let labels = ada.get(&format!("{path}/labels")).json();
    let now = labels.as_array().unwrap().iter().find(|one| one["id"] == label).unwrap();
    assert_eq!(values(now, ["name", "priority", "color"]), [json!("newer"), json!(3), json!("#445566")]);

    let hook = ada.post(&format!("{path}/hooks"), json!({"url": "https://hooks.example/a"})).assert_status(201).json()
        ["id"]
        .clone();
    let address = format!("/ada/tool/hooks/{hook}");
    let open = browser.get(&format!("{address}/edit")).assert_status(200);
    let hook = format!("{path}/hooks/{hook}");
    let set = ada
        .put(&hook, json!({"url": "https://hooks.example/b", "push_events": false, "issues_events": true}))
        .assert_status(200)
        .json();
    assert_saved(&open.send_with(&browser, &address, &[("hook[note_events]", "1")]));
    let now = ada.get(&hook).json();
    let fields = ["url", "push_events", "issues_events", "enable_ssl_verification"];
    assert_eq!((values(&now, fields), &now["note_events"]), (values(&set, fields), &json!(true)));

    let _ = ada.post(&format!("{path}/members"), json!({"user_id": bob.id, "access_level": 20})).assert_status(201);
    let row = format!("/ada/tool/project_members/{}", bob.id);
    let open = browser.get("/ada/tool/project_members").assert_status(200);
    let of_bob = format!("{path}/members/{}", bob.id);
    let _ = ada.put(&of_bob, json!({"access_level": 30})).assert_status(200);
    let wrong = open
        .send_with(
            &browser,
            &row,
            &[("project_member[access_level]", "10"), ("project_member[expires_at]", "tomorrow")],
        )
        .assert_status(422);
    assert!(
        wrong.html.contains("value=\"tomorrow\" aria-label") && wrong.html.contains("value=\"10\" selected>Guest"),
        "{}",
        wrong.html
    );
    assert_saved(&open.send_with(&browser, &row, &[("project_member[expires_at]", "2099-01-31")]));
    assert_eq!(values(&ada.get(&of_bob).json(), ["access_level", "expires_at"]), [json!(30), json!("2099-01-31")]);
}
