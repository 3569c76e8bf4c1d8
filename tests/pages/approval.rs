//! Approvals on the page of a merge request: their buttons, and a merge that waits for them.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::merge_request::offer;
use crate::{PASSWORD, member};

const ONE: &str = "/ada/tool/merge_requests/1";

#[both_databases]
fn an_approval_is_two_clicks(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let rule = json!({"name": "All", "rule_type": "any_approver", "approvals_required": 1});
    let _ = ada.post(&format!("/projects/{id}/approval_rules"), rule).assert_status(201);
    let (author, reviewer) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "bob", PASSWORD));
    // The author waits, and cannot approve.
    let page = safe(&author, ONE);
    assert!(page.contains("Approval required") && page.contains("1 more approval is required"), "{page}");
    assert!(!page.contains("/approve\"") && !page.contains("/merge\""), "{page}");
    let page = reviewer.get(ONE).assert_status(200);
    let asked = page.submit(&reviewer, &format!("{ONE}/request_changes"), &[]);
    assert!(followed(&reviewer, &asked).contains("Changes requested."));
    assert!(safe(&author, "/dashboard/todos").contains("requested changes to"));
    let page = reviewer.get(ONE).assert_status(200);
    assert!(!page.html.contains("/request_changes\""), "{}", page.html);
    let approved = page.submit(&reviewer, &format!("{ONE}/approve"), &[]);
    let after = followed(&reviewer, &approved);
    assert!(after.contains("Merge request approved.") && after.contains("1 of 1 approvals"), "{after}");
    assert!(safe(&author, ONE).contains("action=\"/ada/tool/merge_requests/1/merge\""));
    // A second press says that it is done; what was withdrawn is missing again.
    let twice = page.submit(&reviewer, &format!("{ONE}/approve"), &[]).assert_status(422);
    assert!(twice.html.contains("You cannot approve this merge request"), "{}", twice.html);
    let page = reviewer.get(ONE).assert_status(200);
    let _ = page.submit(&reviewer, &format!("{ONE}/unapprove"), &[]).location();
    assert!(safe(&author, ONE).contains("Approval required"));
}

#[both_databases]
fn commits_that_were_not_seen_are_not_approved(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let reviewer = Browser::signed_in(server, "bob", PASSWORD);
    let page = reviewer.get(ONE).assert_status(200);
    let body = json!({"branch": "topic", "commit_message": "More", "content": "more\n"});
    let _ = ada.put(&format!("/projects/{id}/repository/files/b.txt"), body).assert_status(200);
    let refused = page.submit(&reviewer, &format!("{ONE}/approve"), &[]).assert_status(422);
    assert!(refused.html.contains("New commits were pushed after you loaded this page."), "{}", refused.html);
    // Strangers and guests are offered no button.
    let stranger = Browser::of(server);
    assert!(!safe(&stranger, ONE).contains("/approve\""));
}

#[both_databases]
fn the_changes_have_one_toolbar_and_a_list_of_files(server: &TestServer) {
    let (_ada, _) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, &format!("{ONE}/diffs"));
    let bar = crate::browser::first(&page, "(?s)<div class=\"bar toolbar\">(.*?)</div>\n");
    for text in ["1 file ", "+2", "0 of 1 viewed", ">Side by side</a>", "Hide whitespace changes", "Mark as reviewed"] {
        assert!(bar.contains(text), "{text}: {bar}");
    }
    let list = crate::browser::first(&page, "(?s)<nav aria-label=\"Changed files\">(.*?)</nav>");
    assert!(list.contains("title=\"a.txt\"") && list.contains("+2"), "{list}");
    assert!(safe(&Browser::of(server), &format!("{ONE}/diffs")).contains("aria-label=\"Changed files\""));
}

#[both_databases]
fn approvals_are_set_on_the_page_of_settings(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/ada/tool/edit").assert_status(200);
    let fields = [("approvals[required]", "2"), ("approvals[author_may_approve]", "1")];
    let saved = page.submit(&browser, "/ada/tool/approvals", &fields);
    assert!(followed(&browser, &saved).contains("id=\"approvals_required\""));
    let set = ada.get(&format!("/projects/{id}/approvals")).assert_status(200).json();
    assert_eq!(
        (&set["approvals_before_merge"], &set["reset_approvals_on_push"], &set["merge_requests_author_approval"]),
        (&json!(2), &json!(false), &json!(true))
    );
    for wrong in ["101", "-1", "many", ""] {
        let refused = page.submit(&browser, "/ada/tool/approvals", &[("approvals[required]", wrong)]);
        assert!(refused.reply.status() == 422 && refused.html.contains("problem-approvals_required"), "{wrong}");
    }
    assert_eq!(ada.get(&format!("/projects/{id}/approvals")).json()["approvals_before_merge"], 2);
}

#[both_databases]
fn rules_by_name_are_made_changed_and_deleted(server: &TestServer) {
    let (ada, id) = offer(server);
    let [bob, carol] = ["bob", "carol"].map(|name| member(server, name));
    for user in [&bob, &carol] {
        let body = json!({"user_id": user.id, "access_level": 30});
        let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    }
    let crew = ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "private"}));
    let crew = crew.assert_status(201).json()["id"].clone();
    let body = json!({"user_id": carol.id, "access_level": 30});
    let _ = ada.post(&format!("/groups/{crew}/members"), body).assert_status(201);
    let at = "/ada/tool/settings/approval_rules";
    let (own, reviewer) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "bob", PASSWORD));
    let _ = reviewer.get(at).assert_status(403);
    let _ = Browser::of(server).get(at).location();
    let page = own.get(at).assert_status(200);
    assert!(page.html.contains("No approval rules"), "{}", page.html);
    let typed = |fields: &[(&str, &str)]| page.submit(&own, at, fields);
    let name = ("rule[name]", "Readers <b>");
    let unknown = typed(&[name, ("rule[approvals_required]", "1"), ("rule[users]", "bob, nobody")]).assert_status(422);
    assert!(unknown.html.contains("Users are not found") && unknown.html.contains("bob, nobody"), "{}", unknown.html);
    let unknown = typed(&[name, ("rule[approvals_required]", "1"), ("rule[groups]", "none")]).assert_status(422);
    assert!(unknown.html.contains("Groups include none, which does not exist"), "{}", unknown.html);
    for (number, says) in [("x", "is not a number"), ("101", "must be between 0 and 100")] {
        let wrong = typed(&[name, ("rule[approvals_required]", number)]).assert_status(422);
        assert!(wrong.html.contains(&format!("Approvals required {says}")), "{}", wrong.html);
    }
    let fields = [name, ("rule[approvals_required]", "2"), ("rule[users]", "@bob"), ("rule[groups]", "crew")];
    let made = typed(&fields);
    assert!(followed(&own, &made).contains("Approval rule saved."));
    assert!(typed(&fields).assert_status(422).html.contains("Name has already been taken"));
    let everyone = [("rule[name]", "All"), ("rule[approvals_required]", "1"), ("rule[for_all]", "1")];
    assert_eq!(typed(&everyone).location(), at);
    let list = safe(&own, at);
    assert!(!list.contains("Readers <b>") && list.contains("2 required from") && list.contains(">Crew<"), "{list}");
    // The merge box names what is missing.
    let page_of_one = reviewer.get(ONE).assert_status(200);
    let text = crate::browser::plain(&page_of_one.html);
    assert!(text.contains("Missing: ") && text.contains("Readers <b>") && text.contains("(0 of 2)"), "{text}");
    let _ = page_of_one.submit(&reviewer, &format!("{ONE}/approve"), &[]).location();
    let text = crate::browser::plain(&reviewer.get(ONE).html);
    assert!(text.contains("(1 of 2)") && !text.contains("(0 of 1)") && !text.contains("(1 of 1)"), "{text}");
    // Members of the group count.
    let carols = Browser::signed_in(server, "carol", PASSWORD);
    let _ = carols.get(ONE).submit(&carols, &format!("{ONE}/approve"), &[]).location();
    assert!(!carols.get(ONE).html.contains("Missing:"));
    let rules = ada.get(&format!("/projects/{id}/approval_rules")).json();
    let one = format!("{at}/{}", rules[0]["id"]);
    let edit = own.get(&format!("{one}/edit")).assert_status(200);
    // If another changes the name concurrently, that name is kept.
    let renamed = json!({"name": "Engineers"});
    let _ = ada.put(&format!("/projects/{id}/approval_rules/{}", rules[0]["id"]), renamed).assert_status(200);
    assert_eq!(edit.send_with(&own, &one, &[("rule[approvals_required]", "1")]).location(), at);
    let after = ada.get(&format!("/projects/{id}/approval_rules")).json();
    assert_eq!((&after[0]["name"], &after[0]["approvals_required"]), (&json!("Engineers"), &json!(1)));
    assert_eq!((&after[0]["users"][0]["username"], &after[0]["groups"][0]["id"]), (&json!("bob"), &crew));
    let deleted = own.get(at).submit(&own, &one, &[]);
    assert!(followed(&own, &deleted).contains("Approval rule deleted."));
    let _ = own.get(&format!("{one}/edit")).assert_status(404);
}

#[both_databases]
fn a_push_keeps_or_resets_approvals_as_the_setting_says(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let reviewer = Browser::signed_in(server, "bob", PASSWORD);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let given = || {
        let approvals = ada.get(&format!("/projects/{id}/merge_requests/1/approvals")).assert_status(200).json();
        approvals["approved_by"].as_array().map_or(0, Vec::len)
    };
    for (reset, after) in [(false, 1), (true, 0)] {
        let settings = own.get("/ada/tool/edit").assert_status(200);
        let ticked = if reset { "1" } else { "" };
        let fields = [("approvals[required]", "1"), ("approvals[reset_on_push]", ticked)];
        let _ = settings.submit(&own, "/ada/tool/approvals", &fields).location();
        if given() == 0 {
            let _ = reviewer.get(ONE).submit(&reviewer, &format!("{ONE}/approve"), &[]).location();
        }
        assert_eq!(given(), 1);
        let content = format!("{reset}\n");
        let body = json!({"branch": "topic", "commit_message": "More", "content": content});
        let _ = ada.put(&format!("/projects/{id}/repository/files/b.txt"), body).assert_status(200);
        server.run_jobs();
        assert_eq!(given(), after, "{reset}");
    }
}
