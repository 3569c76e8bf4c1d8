//! The settings of a group that come from their table.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::{PASSWORD, member};

#[both_databases]
fn the_form_sets_what_the_server_acts_on(server: &TestServer) {
    let ada = member(server, "ada");
    let team = ada.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let path = format!("/groups/{}", team["id"]);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let edit = "/groups/team/-/edit";
    let page = browser.get(edit).assert_status(200);
    let sent = [
        ("group[default_branch]", "trunk"),
        ("group[emails_enabled]", "0"),
        ("group[enabled_git_access_protocol]", "ssh"),
        ("group[allowed_email_domains_list]", "example.org"),
        ("group[ip_restriction_ranges]", "127.0.0.0/8,::1"),
    ];
    let _ = page.send_with(&browser, edit, &sent);
    let now = ada.get(&path).json();
    assert_eq!(
        [&now["default_branch"], &now["enabled_git_access_protocol"], &now["ip_restriction_ranges"]],
        [&json!("trunk"), &json!("ssh"), &json!("127.0.0.0/8,::1")]
    );
    // A value that cannot be is kept in the form, and nothing is stored.
    let page = browser.get(edit).assert_status(200);
    let refused = page.send_with(&browser, edit, &[("group[ip_restriction_ranges]", "10.0.0.0/99 <b>")]);
    assert_eq!(refused.reply.status(), 422);
    assert!(refused.html.contains("10.0.0.0/99 &#60;b&#62;"), "{}", refused.html);
    assert_eq!(ada.get(&path).json()["ip_restriction_ranges"], "127.0.0.0/8,::1");
    // A group below has no field for what only the top can say.
    let below = json!({"name": "below", "path": "below", "parent_id": team["id"]});
    let _ = ada.post("/groups", below).assert_status(201);
    let page = browser.get("/groups/team/below/-/edit").assert_status(200);
    assert!(
        page.html.contains("group[default_branch]") && !page.html.contains("name=\"group[ip_restriction_ranges]\"")
    );
}
