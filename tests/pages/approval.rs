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
    let list = crate::browser::first(&page, "(?s)<ul class=\"list-of-files\">(.*?)</ul>");
    assert!(list.contains("title=\"a.txt\"") && list.contains("+2"), "{list}");
    assert!(safe(&Browser::of(server), &format!("{ONE}/diffs")).contains("list-of-files"));
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
