//! Code owners on pages: of a file, of the file that names them, of a merge request, and of a protected branch.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::merge_request::offer;
use crate::{PASSWORD, member};

#[both_databases]
fn pages_name_the_owners_and_the_wrong_lines(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let file = "*.txt @bob\n[Docs] @ada\n/docs/\nsrc\n<b>x @bob no\n";
    let body = json!({"branch": "main", "commit_message": "Own", "content": file});
    let _ = ada.post(&format!("/projects/{id}/repository/files/CODEOWNERS"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, "/ada/tool/blob/main/b.txt");
    assert!(page.contains("Code owners: <bdi>@bob</bdi>"), "{page}");
    let page = safe(&browser, "/ada/tool/blob/main/CODEOWNERS");
    assert!(!page.contains("Code owners:"), "{page}");
    assert!(page.contains("<a href=\"#L5\">Line 5</a>: <bdi>“no” is not an owner</bdi>"), "{page}");
    // The rule of a branch, by its form.
    let _ = ada.delete(&format!("/projects/{id}/protected_branches/main"));
    let settings = browser.get("/ada/tool/settings/repository").assert_status(200);
    let fields = [("protected_branch[name]", "main"), ("protected_branch[code_owner_approval_required]", "1")];
    let saved = settings.submit(&browser, "/ada/tool/protected_branches", &fields);
    assert!(followed(&browser, &saved).contains(", code owners approve</span>"));
    server.run_jobs();
    let page = safe(&browser, "/ada/tool/merge_requests/1");
    assert!(page.contains("Approval required"), "{page}");
    assert!(page.contains("<bdi>code owners of *.txt</bdi> (0 of 1: @bob)"), "{page}");
    assert!(!page.contains("/merge_requests/1/merge\""), "{page}");
    let reviewer = Browser::signed_in(server, "bob", PASSWORD);
    let page = reviewer.get("/ada/tool/merge_requests/1").assert_status(200);
    let _ = page.submit(&reviewer, "/ada/tool/merge_requests/1/approve", &[]).location();
    assert!(safe(&browser, "/ada/tool/merge_requests/1").contains("/merge_requests/1/merge\""));
}

#[both_databases]
fn a_file_of_owners_that_is_too_large_says_so(server: &TestServer) {
    let (ada, id) = offer(server);
    let body = json!({"branch": "main", "commit_message": "Own", "content": "#\n".repeat(10_001)});
    let _ = ada.post(&format!("/projects/{id}/repository/files/CODEOWNERS"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, "/ada/tool/blob/main/CODEOWNERS");
    assert!(page.contains("Code owners are not known: CODEOWNERS has more than 10,000 lines."), "{page}");
}

#[both_databases]
fn a_nul_in_a_file_of_owners_is_a_wrong_line(server: &TestServer) {
    let (ada, id) = offer(server);
    let content = STANDARD.encode("*.txt @ada\nb.txt\0 @ada\n");
    let body = json!({"branch": "main", "commit_message": "Own", "content": content, "encoding": "base64"});
    let _ = ada.post(&format!("/projects/{id}/repository/files/CODEOWNERS"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, "/ada/tool/blob/main/b.txt");
    assert!(page.contains("Code owners: <bdi>@ada</bdi>"), "{page}");
    let page = safe(&browser, "/ada/tool/blob/main/CODEOWNERS");
    assert!(page.contains("<a href=\"#L2\">Line 2</a>: <bdi>the line has a NUL character</bdi>"), "{page}");
}
