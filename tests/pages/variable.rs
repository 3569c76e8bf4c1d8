//! The variables of projects, of groups and of the server.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::admin::root;
use crate::browser::{Browser, first, followed, safe};
use crate::project::{MARKER, project};
use crate::{PASSWORD, member};

const VALUE: &str = "geheim-12345";

/// A project in a group of ada's.
fn world(server: &TestServer) -> (tenon_testkit::User, i64) {
    let ada = member(server, "ada");
    let group =
        ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"})).assert_status(201).json()
            ["id"]
            .clone();
    let body = json!({"name": "tool", "namespace_id": group, "visibility": "public"});
    let id = ada.post("/projects", body).assert_status(201).json()["id"].as_i64().unwrap_or_default();
    (ada, id)
}

#[both_databases]
fn a_variable_is_made_changed_and_deleted(server: &TestServer) {
    let _ = world(server);
    let ada = Browser::signed_in(server, "ada", PASSWORD);
    let admin = root(server);
    for (browser, list) in
        [(&ada, "/crew/tool/variables"), (&ada, "/groups/crew/-/variables"), (&admin, "/admin/variables")]
    {
        let is_of_server = list.starts_with("/admin");
        let page = browser.get(list).assert_status(200);
        assert!(
            page.html.contains("No variables")
                && page.html.contains("name=\"variable[protected]\" value=\"1\" checked")
        );
        assert_eq!(page.html.contains("variable[environment_scope]"), !is_of_server);
        assert_eq!(page.html.contains("never shown again"), !is_of_server);
        let wrong = [("variable[key]", "A-B"), ("variable[value]", "short"), ("variable[visibility]", "masked")];
        let refused = page.send_with(browser, list, &wrong).assert_status(422);
        for part in ["href=\"#variable-key\"", "href=\"#variable-value\"", "value=\"A-B\"", "value=\"masked\" selected"]
        {
            assert!(refused.html.contains(part), "{part}: {}", refused.html);
        }
        let right = [("variable[key]", "KEY"), ("variable[value]", VALUE), ("variable[description]", MARKER)];
        let made = refused.send_with(browser, list, &right);
        assert_eq!(made.location(), list);
        let shown = followed(browser, &made);
        assert!(shown.contains("Variable saved.") && !shown.contains(VALUE), "{shown}");
        assert!(shown.contains(">Masked<") && shown.contains(">Protected<"), "{shown}");
        let edit = first(&safe(browser, list), &format!("href=\"({list}/[0-9]+/edit)\" aria-label=\"Edit KEY\""));
        let one = edit.trim_end_matches("/edit");
        let form = browser.get(&edit).assert_status(200);
        assert!(!form.html.contains("never shown again"), "{}", form.html);
        assert_eq!(form.html.matches(VALUE).count(), 1, "the value stands in its field only: {}", form.html);
        let refused = form.send_with(browser, one, &[("variable[value]", "short")]).assert_status(422);
        assert!(refused.html.contains("Value is invalid") && refused.html.contains("short"), "{}", refused.html);
        let saved = refused.send_with(browser, one, &[("variable[value]", "x"), ("variable[visibility]", "visible")]);
        assert!(!followed(browser, &saved).contains(">Masked<"));
        let gone = browser.get(list).submit(browser, one, &[]);
        assert!(followed(browser, &gone).contains("Variable deleted."));
        let _ = browser.get(&edit).assert_status(404);
    }
}

#[both_databases]
fn a_form_changes_only_what_was_changed_in_it(server: &TestServer) {
    let (ada, id) = world(server);
    let path = format!("/projects/{id}/variables");
    let _ = ada.post(&path, json!({"key": "KEY", "value": "one\ntwo", "protected": true})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let edit = first(&browser.get("/crew/tool/variables").html, "href=\"(/crew/tool/variables/[0-9]+/edit)\"");
    let form = browser.get(&edit).assert_status(200);
    let _ = ada.put(&format!("{path}/KEY"), json!({"value": "three", "protected": false})).assert_status(200);
    let saved = form.send_with(&browser, edit.trim_end_matches("/edit"), &[("variable[raw]", "1")]);
    assert_eq!(saved.location(), "/crew/tool/variables");
    let stored = ada.get(&format!("{path}/KEY")).json();
    assert_eq!(
        (&stored["value"], &stored["protected"], &stored["raw"]),
        (&json!("three"), &json!(false), &json!(true))
    );
}

#[both_databases]
fn a_form_that_was_made_up_hides_no_variable_of_the_server(server: &TestServer) {
    let admin = root(server);
    let list = admin.get("/admin/variables").assert_status(200);
    let fields = [
        ("variable[key]", "KEY"),
        ("variable[value]", VALUE),
        ("variable[visibility]", "hidden"),
        ("variable[environment_scope]", "production"),
    ];
    let _ = list.send_with(&admin, "/admin/variables", &fields);
    let usual = "SELECT COUNT(*) FROM variables WHERE NOT hidden AND masked AND environment_scope = '*'";
    assert_eq!(server.database().count(usual), 1);
    let edit = first(&admin.get("/admin/variables").html, "href=\"(/admin/variables/[0-9]+/edit)\"");
    let form = admin.get(&edit).assert_status(200);
    let fields = [("variable[description]", "new"), ("variable[environment_scope]", "production")];
    let saved = form.send_with(&admin, edit.trim_end_matches("/edit"), &fields);
    assert_eq!(saved.location(), "/admin/variables");
    assert_eq!(server.database().count(&format!("{usual} AND description = 'new'")), 1);
}

#[both_databases]
fn the_lists_of_pages_read_no_value(server: &TestServer) {
    let (ada, id) = world(server);
    for home in [format!("projects/{id}"), "groups/crew".to_owned()] {
        let body = json!({"key": "KEY", "value": VALUE});
        let _ = ada.post(&format!("/{home}/variables"), body).assert_status(201);
    }
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for list in ["/crew/tool/variables", "/groups/crew/-/variables"] {
        let page = browser.get(list).assert_status(200);
        assert!(page.html.contains("KEY") && !page.html.contains(VALUE), "{}", page.html);
    }
}

#[both_databases]
fn a_hidden_value_stays_hidden(server: &TestServer) {
    let (ada, id) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let list = browser.get("/crew/tool/variables").assert_status(200);
    let fields = [("variable[key]", "KEY"), ("variable[value]", VALUE), ("variable[visibility]", "hidden")];
    let shown = followed(&browser, &list.send_with(&browser, "/crew/tool/variables", &fields));
    assert!(shown.contains(">Hidden<") && !shown.contains(VALUE), "{shown}");
    let edit = first(&shown, "href=\"(/crew/tool/variables/[0-9]+/edit)\"");
    let one = edit.trim_end_matches("/edit");
    let form = browser.get(&edit).assert_status(200);
    assert!(!form.html.contains(VALUE) && form.html.contains("leave empty to keep it"), "{}", form.html);
    assert!(!form.html.contains("variable[visibility]"));
    let saved = form.send_with(&browser, one, &[("variable[description]", "kept")]);
    assert_eq!(saved.location(), "/crew/tool/variables");
    let stored = ada.get(&format!("/projects/{id}/variables/KEY")).json();
    assert_eq!((&stored["description"], &stored["masked"]), (&json!("kept"), &json!(true)));
    let refused = browser.get(&edit).send_with(&browser, one, &[("variable[value]", "short")]).assert_status(422);
    assert!(refused.html.contains("Value is invalid"), "the stored value was kept, and not an empty one");
}

#[both_databases]
fn a_project_names_the_variables_of_its_groups_without_values(server: &TestServer) {
    let (ada, id) = world(server);
    let group = json!({"key": "SHARED", "value": VALUE, "environment_scope": "review/*"});
    let _ = ada.post("/groups/crew/variables", group).assert_status(201);
    let bob = member(server, "bob");
    let member = json!({"user_id": bob.id, "access_level": 40});
    let _ = ada.post(&format!("/projects/{id}/members"), member).assert_status(201);
    let page = safe(&Browser::signed_in(server, "bob", PASSWORD), "/crew/tool/variables");
    assert!(page.contains("SHARED") && page.contains("in review/*") && page.contains("Crew"), "{page}");
    assert!(!page.contains(VALUE));
}

#[both_databases]
fn only_maintainers_have_the_pages(server: &TestServer) {
    let (ada, id) = world(server);
    let _ = ada.post(&format!("/projects/{id}/variables"), json!({"key": "KEY", "value": VALUE})).assert_status(201);
    let _ = ada.post("/groups/crew/variables", json!({"key": "KEY", "value": VALUE})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let pages = ["/crew/tool/variables", "/groups/crew/-/variables"];
    let edits = pages.map(|page| first(&browser.get(page).html, "href=\"([^\"]*/variables/[0-9]+/edit)\""));
    let bob = member(server, "bob");
    let _ = ada.post("/groups/crew/members", json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    let developer = Browser::signed_in(server, "bob", PASSWORD);
    for page in pages.iter().copied().chain(edits.iter().map(String::as_str)) {
        let _ = developer.get(page).assert_status(403);
        let answer = Browser::of(server).get(page);
        assert!(answer.location().starts_with("/users/sign_in"), "{page}");
    }
    assert!(!developer.get("/groups/crew").html.contains("/-/variables"));
    let _ = ada.put(&format!("/groups/crew/members/{}", bob.id), json!({"access_level": 40})).assert_status(200);
    assert!(developer.get("/groups/crew").html.contains("href=\"/groups/crew/-/variables\""));
    let page = developer.get("/groups/crew/-/variables").assert_status(200).html;
    assert!(!page.contains("/-/edit\""), "the settings are for owners");
    assert!(developer.get("/crew/tool/edit").assert_status(200).html.contains("href=\"/crew/tool/variables\""));
    assert_eq!(developer.get("/crew/tool/settings/ci_cd").location(), "/crew/tool/variables");
    assert_eq!(developer.get("/groups/crew/-/settings/ci_cd").location(), "/groups/crew/-/variables");
    let _ = ada.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200);
    assert!(!developer.get("/crew/tool/edit").assert_status(200).html.contains("href=\"/crew/tool/variables\""));
    let _ = developer.get("/crew/tool/variables").assert_status(403);
}

#[both_databases]
fn the_settings_say_whether_new_variables_are_proposed_as_protected(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "private");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let ticked = || {
        let page = browser.get("/ada/tool/variables").assert_status(200).html;
        page.contains("name=\"variable[protected]\" value=\"1\" checked")
    };
    assert!(ticked());
    let _ = server.root().put("/application/settings", json!({"protected_ci_variables": false})).assert_status(200);
    assert!(!ticked());
}
