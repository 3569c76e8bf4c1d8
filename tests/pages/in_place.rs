//! Work where one looks: facts that are changed beside the conversation, tasks that are ticked in their text, and
//! changes of labels and commits in the conversation.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::issue::tracker;
use crate::merge_request::offer;
use crate::{PASSWORD, member};

const ISSUE: &str = "/ada/tool/issues/4";

fn issue(ada: &User, id: i64) -> Value {
    ada.get(&format!("/projects/{id}/issues/4")).json()
}

/// Sends the form of a fact of the page of the issue.
#[track_caller]
fn set(browser: &Browser, fact: &str, changes: &[(&str, &str)]) -> String {
    let page = browser.get(ISSUE).assert_status(200);
    followed(browser, &page.send_with(browser, &format!("{ISSUE}/facts/{fact}"), changes))
}

#[both_databases]
fn facts_are_changed_one_by_one(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let before = issue(&ada, id);
    let page = set(&browser, "labels", &[("issue[labels][]", "")]);
    assert!(page.contains("removed</span>"), "{page}");
    assert_eq!(issue(&ada, id)["labels"], json!([]));
    let _ = set(&browser, "labels", &[("issue[labels][]", "bug")]);
    let milestone = first(&page, "value=\"([0-9]+)\" aria-pressed=\"false\"><bdi>1.0 ");
    let page = set(&browser, "milestone_id", &[("issue[milestone_id]", &milestone)]);
    assert!(page.contains("id=\"fact_milestone_id\""), "{page}");
    let page = set(&browser, "due_date", &[("issue[due_date]", "2030-02-01")]);
    assert!(page.contains("1 Feb 2030"), "{page}");
    let page = set(&browser, "discussion_locked", &[("issue[discussion_locked]", "1")]);
    assert!(page.contains("Unlock conversation"), "{page}");
    let page = set(&browser, "confidential", &[("issue[confidential]", "1")]);
    assert!(page.contains("Remove confidentiality"), "{page}");
    let now = issue(&ada, id);
    assert_eq!(now["labels"], json!(["bug"]));
    assert_eq!(now["due_date"], "2030-02-01");
    assert_eq!((&now["confidential"], &now["discussion_locked"]), (&json!(true), &json!(true)));
    assert_eq!(now["milestone"]["id"].to_string(), milestone);
    assert_eq!((&now["title"], &now["description"]), (&before["title"], &before["description"]));
    let _ = set(&browser, "confidential", &[("issue[confidential]", "0")]);
    let _ = set(&browser, "due_date", &[("issue[due_date]", "")]);
    assert_eq!((&issue(&ada, id)["confidential"], &issue(&ada, id)["due_date"]), (&json!(false), &Value::Null));
}

#[both_databases]
fn one_assigns_oneself_and_keeps_the_others(server: &TestServer) {
    let (ada, id) = tracker(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(ISSUE).assert_status(200);
    // Another user is assigned after the page was made.
    let _ = ada.put(&format!("/projects/{id}/issues/4"), json!({"assignee_ids": [bob.id]})).assert_status(200);
    let answer = page.submit_last(&browser, &format!("{ISSUE}/facts/assignee_ids"), &[]);
    let page = followed(&browser, &answer);
    assert!(!page.contains("Assign yourself"), "{page}");
    assert_eq!(issue(&ada, id)["assignees"].as_array().unwrap().len(), 2);
}

#[both_databases]
fn a_fact_that_is_refused_is_shown_with_its_value(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let path = format!("{ISSUE}/facts/due_date");
    let page = browser.get(ISSUE).assert_status(200);
    let refused = page.send_with(&browser, &path, &[("issue[due_date]", "soon")]).assert_status(422);
    assert!(refused.html.contains("aria-describedby=\"problem-fact\" autofocus"), "{}", refused.html);
    assert!(
        refused.html.contains("Due date must be a date") && refused.html.contains("value=\"soon\""),
        "{}",
        refused.html
    );
    // A form changes its fact, and no other field that it sends.
    let sent = [("issue[due_date]", "2030-02-01"), ("issue[title]", "Forged"), ("issue[state_event]", "close")];
    let _ = followed(&browser, &page.submit(&browser, &path, &sent));
    assert_eq!((&issue(&ada, id)["title"], &issue(&ada, id)["state"]), (&json!("Issue 4"), &json!("opened")));
    let token = page.token();
    for fact in ["title", "reviewer_ids", "none"] {
        let sent = [("authenticity_token", token.as_str()), ("issue[title]", "x")];
        let _ = browser.post(&format!("{ISSUE}/facts/{fact}"), &sent).assert_status(404);
    }
    // Others see the facts that are set, and no form.
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let seen = safe(&bob, ISSUE);
    assert!(seen.contains("1 Feb 2030") && !seen.contains("/facts/"), "{seen}");
    let token = bob.get("/").token();
    let sent = [("authenticity_token", token.as_str()), ("issue[due_date]", "2031-01-01")];
    let _ = bob.post(&path, &sent).assert_status(403);
    assert_eq!(issue(&ada, id)["due_date"], "2030-02-01");
}

#[both_databases]
fn facts_of_a_merge_request_are_changed_in_place(server: &TestServer) {
    let (ada, id) = offer(server);
    let one = "/ada/tool/merge_requests/1";
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let send = |fact: &str, field: &str, value: &str| {
        browser.get(one).send_with(&browser, &format!("{one}/facts/{fact}"), &[(field, value)])
    };
    let user = ada.id.to_string();
    let page = followed(&browser, &send("reviewer_ids", "merge_request[reviewer_ids][]", &user));
    assert!(page.contains("id=\"fact_reviewer_ids\""), "{page}");
    let refused = send("target_branch", "merge_request[target_branch]", "none").assert_status(422);
    assert!(refused.html.contains("does not exist") && refused.html.contains("value=\"none\""), "{}", refused.html);
    let _ = send("target_branch", "merge_request[target_branch]", "main").assert_status(303);
    let now = ada.get(&format!("/projects/{id}/merge_requests/1")).json();
    assert_eq!((&now["reviewers"][0]["id"], &now["target_branch"]), (&json!(ada.id), &json!("main")));
}

#[both_databases]
fn tasks_are_ticked_in_place(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let api = format!("/projects/{id}/issues/4");
    let text = "- [ ] one\n- [x] two\n\n```\n- [ ] code\n```\n- [ ] three";
    let _ = ada.put(&api, json!({"description": text})).assert_status(200);
    let note = json!({"body": "* [ ] of a note"});
    let note = ada.post(&format!("{api}/notes"), note).assert_status(201).json()["id"].to_string();
    let page = browser.get(ISSUE).assert_status(200);
    assert!(page.html.contains("name=\"tasks[]\" value=\"3\" form=\"tasks\""), "{}", page.html);
    let path = format!("{ISSUE}/tasks");
    // Another user ticks one in the meantime. It stays.
    let _ = ada.put(&api, json!({"description": text.replace("[ ] three", "[x] three")})).assert_status(200);
    let _ = followed(&browser, &page.submit(&browser, &path, &[("tasks[]", "1")]));
    let want = text.replace("[ ] one", "[x] one").replace("[x] two", "[ ] two").replace("[ ] three", "[x] three");
    assert_eq!(ada.get(&api).json()["description"], want);
    let page = safe(&browser, ISSUE);
    assert!(page.contains("marked the task <strong>one</strong> as completed"), "{page}");
    let path = format!("{ISSUE}/notes/{note}/tasks");
    let page = browser.get(ISSUE).assert_status(200);
    let answer = page.submit(&browser, &path, &[("tasks[]", "1")]);
    assert!(answer.location().ends_with(&format!("#note_{note}")), "{}", answer.location());
    assert_eq!(ada.get(&format!("{api}/notes/{note}")).json()["body"], "* [x] of a note");
    // Users who may not edit the text have no form for it.
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let seen = safe(&bob, ISSUE);
    assert!(!seen.contains("tasks[]") && seen.contains("disabled=\"\""), "{seen}");
    let token = bob.get("/").token();
    let fields = [("authenticity_token", token.as_str()), ("tasks[]", "1")];
    for path in ["tasks".to_owned(), format!("notes/{note}/tasks")] {
        let _ = bob.post(&format!("{ISSUE}/{path}"), &fields);
    }
    assert_eq!(ada.get(&api).json()["description"], want);
    assert_eq!(ada.get(&format!("{api}/notes/{note}")).json()["body"], "* [x] of a note");
}

#[both_databases]
fn a_text_that_was_changed_is_not_ticked(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let api = format!("/projects/{id}/issues/4");
    let _ = ada.put(&api, json!({"description": "- [ ] one\n- [ ] two"})).assert_status(200);
    let body = json!({"body": "- [ ] of a note"});
    let note = ada.post(&format!("{api}/notes"), body).assert_status(201).json()["id"].to_string();
    let page = browser.get(ISSUE).assert_status(200);
    let other = "- [ ] zero\n- [ ] one\n- [ ] two";
    let _ = ada.put(&api, json!({"description": other})).assert_status(200);
    let _ = ada.put(&format!("{api}/notes/{note}"), json!({"body": "no task"})).assert_status(200);
    for path in [format!("{ISSUE}/tasks"), format!("{ISSUE}/notes/{note}/tasks")] {
        let answer = page.submit(&browser, &path, &[("tasks[]", "1")]).assert_status(409);
        for text in ["no task was ticked", "you ticked number 1.", "zero"] {
            assert!(answer.html.contains(text), "{text}: {}", answer.html);
        }
    }
    assert_eq!(ada.get(&api).json()["description"], other);
    assert_eq!(ada.get(&format!("{api}/notes/{note}")).json()["body"], "no task");
}

#[both_databases]
fn changes_of_labels_are_in_the_conversation(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let api = format!("/projects/{id}/issues/3");
    let words = "<span>added</span> <a class=\"label\"";
    assert!(!safe(&browser, "/ada/tool/issues/3").contains(words));
    let notes = |ada: &User| ada.get(&format!("{api}/notes")).json().as_array().unwrap().len();
    let before = notes(&ada);
    let _ = ada.put(&api, json!({"add_labels": "bug"})).assert_status(200);
    let _ = ada.post(&format!("{api}/notes"), json!({"body": "Later"})).assert_status(201);
    let page = safe(&browser, "/ada/tool/issues/3");
    let (change, note) = (page.find(words), page.find("Later"));
    assert!(change.is_some() && change < note, "{page}");
    // The API has records of these changes, and no notes.
    assert_eq!(notes(&ada), before + 1);
    let _ = ada.put(&api, json!({"remove_labels": "bug"})).assert_status(200);
    assert!(safe(&browser, "/ada/tool/issues/3").contains("<span>removed</span> <a class=\"label\""));
}

#[both_databases]
fn commits_in_notes_of_the_server_are_short_links(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "Crank"})).assert_status(201);
    let body = json!({"branch": "main", "commit_message": "Oil it, see #1", "actions": [
        {"action": "create", "file_path": "oil.txt", "content": "x"},
    ]});
    let commit = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201).json();
    let sha = commit["id"].as_str().unwrap();
    server.run_jobs();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, "/ada/tool/issues/1");
    let link = first(&page, "mentioned in commit <a href=\"([^\"]*)\"");
    assert!(link.ends_with(&format!("/ada/tool/-/commit/{sha}")), "{link}");
    assert!(page.contains(&format!("<code>{}</code></a>", &sha[..8])) && !page.contains(&format!(">{sha}<")), "{page}");
}

#[both_databases]
fn a_rebase_names_the_commits_of_the_target_in_one_line(server: &TestServer) {
    let (ada, id) = offer(server);
    for number in 1..=2 {
        let body = json!({"branch": "main", "commit_message": "Go on", "actions": [
            {"action": "create", "file_path": format!("{number}.txt"), "content": "x"},
        ]});
        let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    }
    let api = format!("/projects/{id}/merge_requests/1");
    let _ = ada.put(&format!("{api}/rebase"), json!({})).assert_status(202);
    server.run_jobs();
    let notes = ada.get(&format!("{api}/notes")).json();
    let bodies = notes.as_array().unwrap().iter().filter_map(|note| note["body"].as_str());
    let pushed: Vec<&str> = bodies.filter(|body| body.starts_with("added ")).collect();
    assert_eq!(pushed.len(), 1, "{notes}");
    assert!(pushed[0].starts_with("added 3 commits\n\n* 2 commits from branch `main`\n* "), "{pushed:?}");
    let page = safe(&Browser::signed_in(server, "ada", PASSWORD), "/ada/tool/merge_requests/1");
    assert!(page.contains("added 3 commits") && page.contains("/ada/tool/-/commit/"), "{page}");
}

#[both_databases]
fn a_level_of_notifications_is_chosen_on_pages(server: &TestServer) {
    let (ada, id) = tracker(server);
    let group = ada.post("/groups", json!({"name": "Acme", "path": "acme"})).assert_status(201).json()["id"].clone();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for (page, path, api) in [
        ("/ada/tool", "/ada/tool/notification_setting", format!("/projects/{id}/notification_settings")),
        ("/groups/acme", "/groups/acme/-/notification_setting", format!("/groups/{group}/notification_settings")),
    ] {
        let answer = browser.get(page).submit(&browser, path, &[("level", "watch")]);
        assert!(followed(&browser, &answer).contains("aria-label=\"Notifications: Watching\""), "{page}");
        assert_eq!(ada.get(&api).json()["level"], "watch");
        let _ = browser.get(page).submit(&browser, path, &[("level", "none")]);
        assert_eq!(ada.get(&api).json()["level"], "watch");
    }
    assert!(!Browser::of(server).get("/ada/tool").html.contains("notification_setting"));
}

#[both_databases]
fn several_issues_are_changed_at_once(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let list = "/ada/tool/issues";
    let page = browser.get(&format!("{list}?per_page=100")).assert_status(200);
    assert!(page.html.contains("name=\"iids[]\" value=\"4\" form=\"bulk\""), "{}", page.html);
    let path = format!("{list}/bulk_update");
    let fields = [
        ("iids[]", "4"),
        ("iids[]", "5"),
        ("update[state_event]", "close"),
        ("update[add_label]", "bug"),
        ("update[assignee_id]", &ada.id.to_string()),
    ];
    let page = followed(&browser, &page.submit(&browser, &format!("{path}?per_page=100"), &fields));
    assert!(page.contains("Changes saved."), "{page}");
    for number in [4, 5] {
        let now = ada.get(&format!("/projects/{id}/issues/{number}")).json();
        assert_eq!((&now["state"], &now["labels"]), (&json!("closed"), &json!(["bug"])));
        assert_eq!(now["assignees"][0]["id"], ada.id);
    }
    let third = ada.get(&format!("/projects/{id}/issues/3")).json();
    assert_eq!((&third["state"], &third["labels"]), (&json!("opened"), &json!([])));
    // The list keeps its filters and its page. Nothing is said to be saved if nothing was asked for.
    let filtered = browser.get(&format!("{list}?label_name[]=bug&page=2&per_page=5")).assert_status(200);
    let own = first(&filtered.html, "action=\"([^\"]*/bulk_update[^\"]*)\"").replace("&#38;", "&");
    let token = filtered.token();
    for fields in
        [&[("iids[]", "3")][..], &[("update[state_event]", "close")], &[("iids[]", "3"), ("update[add_label]", "")]]
    {
        let fields: Vec<_> = fields.iter().copied().chain([("authenticity_token", token.as_str())]).collect();
        let answer = browser.post(&own, &fields);
        assert!(answer.location().contains("label_name[]=bug&page=2&per_page=5"), "{}", answer.location());
        assert!(followed(&browser, &answer).contains("Nothing was changed"));
    }
    // Each entry is decided by itself, and their number is bounded.
    let token = browser.get(list).token();
    let fields =
        [("authenticity_token", token.as_str()), ("iids[]", "3"), ("iids[]", "99"), ("update[state_event]", "close")];
    let page = followed(&browser, &browser.post(&path, &fields));
    assert!(page.contains("Some items were not updated"), "{page}");
    let numbers: Vec<String> = (1..=101).map(|number| number.to_string()).collect();
    let mut fields: Vec<(&str, &str)> = numbers.iter().map(|number| ("iids[]", number.as_str())).collect();
    fields.push(("authenticity_token", &token));
    let _ = browser.post(&path, &fields).assert_status(422);
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let page = bob.get(list).assert_status(200);
    assert!(!page.html.contains("bulk"), "{}", page.html);
    let token = bob.get("/").token();
    let fields = [("authenticity_token", token.as_str()), ("iids[]", "6"), ("update[state_event]", "close")];
    let _ = bob.post(&path, &fields).assert_status(303);
    assert_eq!(ada.get(&format!("/projects/{id}/issues/6")).json()["state"], "opened");
}
