//! Requests for access, on the page of the members.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::project::project;
use crate::{PASSWORD, member};

#[both_databases]
fn users_ask_for_access_and_managers_answer(server: &TestServer) {
    let ada = member(server, "ada");
    let (_eve, _ben) = (member(server, "eve"), member(server, "ben"));
    let tool = project(&ada, "tool", "public");
    let crew = json!({"name": "Crew", "path": "crew", "visibility": "public"});
    let _ = ada.post("/groups", crew).assert_status(201);
    for source in [format!("/projects/{tool}"), "/groups/crew".to_owned()] {
        let _ = ada.put(&source, json!({"request_access_enabled": false})).assert_status(200);
    }
    let [own, eve, ben] = ["ada", "eve", "ben"].map(|name| Browser::signed_in(server, name, PASSWORD));
    for (page, settings, object) in [
        ("/ada/tool/project_members", "/ada/tool/edit", "project"),
        ("/groups/crew/-/group_members", "/groups/crew/-/edit", "group"),
    ] {
        assert!(!safe(&eve, page).contains("Request access"));
        let form = own.get(settings).assert_status(200);
        let sent = form.submit(&own, settings, &[(&format!("{object}[request_access_enabled]"), "1")]);
        let _ = followed(&own, &sent);
        for asking in [&eve, &ben] {
            let form = asking.get(page).assert_status(200);
            let sent = form.submit(asking, &format!("{page}/request_access"), &[]);
            assert!(followed(asking, &sent).contains("Access requested."));
            let waits = safe(asking, page);
            assert!(waits.contains("Cancel access request") && !waits.contains("Access requests"), "{waits}");
        }
        let list = safe(&own, page);
        assert!(list.contains("Access requests <span class=\"count\">2</span>") && list.contains("@eve"), "{list}");
        let approval = |name: &str| {
            let id = member_id(&own, page, name);
            format!("{page}/requests/{id}")
        };
        let members = own.get(page).assert_status(200);
        let sent = members.submit(&own, &approval("eve"), &[("_method", "put"), ("access_level", "20")]);
        let answer = followed(&own, &sent);
        assert!(answer.contains("Access request approved.") && answer.contains("Reporter"), "{answer}");
        let form = ben.get(page).assert_status(200);
        let sent = form.submit(&ben, &format!("{page}/request_access"), &[("_method", "delete")]);
        assert!(followed(&ben, &sent).contains("Access request canceled."));
        assert!(!safe(&own, page).contains("Access requests"));
    }
}

/// The id of a user who waits, as the page has it.
#[track_caller]
fn member_id(browser: &Browser, page: &str, name: &str) -> String {
    let html = safe(browser, page);
    let rows =
        html.split("<li class=\"row\">").find(|row| row.contains(&format!("@{name}<")) && row.contains("/requests/"));
    let row = rows.unwrap_or_else(|| panic!("no request of {name}: {html}"));
    row.split("/requests/").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}
