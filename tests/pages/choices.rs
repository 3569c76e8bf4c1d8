//! The choices that forms offer are accepted: none is refused afterwards, and no setting is shown that has no effect.

use serde_json::{Value, json};
use tenon_domain::notification_setting::NotificationEvent;
use tenon_domain::settings::{AREAS, Effect};
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, Page, first, pattern, plain};
use crate::project::{commit, fill, project};
use crate::{PASSWORD, member};

/// The values that a select or radio buttons of this name offer, as far as the page has them.
fn offered(page: &Page, name: &str) -> Vec<String> {
    let name = regex::escape(name);
    let select = pattern(&format!(r#"(?s)<select [^>]*name="{name}".*?</select>"#));
    let option = pattern(r#"<option value="([^"]*)""#);
    let radio = pattern(&format!(r#"<input type="radio" name="{name}" value="([^"]*)""#));
    let mut values: Vec<String> = radio.captures_iter(&page.html).map(|found| plain(&found[1])).collect();
    for select in select.find_iter(&page.html) {
        values.extend(option.captures_iter(select.as_str()).map(|found| plain(&found[1])));
    }
    values
}

/// Sends the form once with each value that is offered for `name`; the fields beside it are made anew for each.
#[track_caller]
fn accept_each(
    browser: &Browser,
    at: &str,
    to: &str,
    name: &str,
    beside: impl Fn(usize) -> Vec<(&'static str, String)>,
) -> Vec<String> {
    let values = offered(&browser.get(at).assert_status(200), name);
    for (number, value) in values.iter().enumerate() {
        let page = browser.get(at).assert_status(200);
        let beside = beside(number);
        let mut fields: Vec<(&str, &str)> = beside.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fields.push((name, value));
        let sent = page.send_with(browser, to, &fields);
        let status = sent.reply.status();
        assert!(
            matches!(status, 302 | 303),
            "{at}: {name}={value} is offered, and answered with {status}: {}",
            sent.html
        );
    }
    values
}

fn group(owner: &User, path: &str, visibility: &str, parent: Option<i64>) -> i64 {
    let body = json!({"name": path, "path": path, "visibility": visibility, "parent_id": parent});
    owner.post("/groups", body).assert_status(201).json()["id"].as_i64().unwrap()
}

fn restrict(server: &TestServer, levels: &Value) {
    let _ =
        server.root().put("/application/settings", json!({"restricted_visibility_levels": levels})).assert_status(200);
}

#[both_databases]
fn a_visibility_that_is_offered_is_accepted(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let places = [("closed", "private"), ("inner", "internal"), ("open", "public")];
    let groups = places.map(|(path, visibility)| group(&ada, path, visibility, None).to_string());
    let own = first(
        &browser.get("/projects/new").assert_status(200).html,
        r#"(?s)name="project\[namespace_id\]".*?<option value="([0-9]+)""#,
    );
    for (restricted, want) in [
        (json!([]), [vec!["0"], vec!["0", "10"], vec!["0", "10", "20"], vec!["0", "10", "20"]]),
        (json!(["public"]), [vec!["0"], vec!["0", "10"], vec!["0", "10"], vec!["0", "10"]]),
        (json!(["internal"]), [vec!["0"], vec!["0"], vec!["0", "20"], vec!["0", "20"]]),
    ] {
        restrict(server, &restricted);
        let count = restricted.as_array().unwrap().first().map_or("all", |level| level.as_str().unwrap());
        for (home, want) in groups.iter().chain([&own]).zip(want) {
            let at = format!("/projects/new?namespace_id={home}");
            let names = |number: usize| vec![("project[name]", format!("tool {count} {number}"))];
            let seen = accept_each(&browser, &at, "/projects", "project[visibility_level]", names);
            assert_eq!(seen, want, "{at}, without {restricted}");
            if *home == own {
                continue;
            }
            let at = format!("/groups/new?parent_id={home}");
            let names = |number: usize| {
                let path = format!("{count}-{number}");
                vec![("group[name]", path.clone()), ("group[path]", path)]
            };
            assert_eq!(
                accept_each(&browser, &at, "/groups", "group[visibility_level]", names),
                want,
                "{at}, without {restricted}"
            );
        }
    }
    // If another place is chosen than the one for which the form was made, nothing is refused either.
    restrict(server, &json!([]));
    let page = browser.get("/projects/new").assert_status(200);
    let fields = [
        ("project[name]", "lowered"),
        ("project[namespace_id]", groups[1].as_str()),
        ("project[visibility_level]", "20"),
    ];
    let made = page.send_with(&browser, "/projects", &fields);
    assert_eq!(made.location(), "/inner/lowered");
    assert_eq!(ada.get("/projects/inner%2Flowered").json()["visibility"], "internal");
    assert!(browser.get("/inner/lowered").html.contains("Its visibility was limited to that of its group."));
    // If one may choose, the usual visibility is chosen, as far as it is possible.
    restrict(server, &json!([]));
    let _ = server
        .root()
        .put("/application/settings", json!({"default_project_visibility": "internal"}))
        .assert_status(200);
    for (home, chosen) in groups.iter().zip(["0", "10", "10"]) {
        let page = browser.get(&format!("/projects/new?namespace_id={home}")).assert_status(200);
        assert!(page.html.contains(&format!("value=\"{chosen}\" checked")), "{}", page.html);
    }
}

#[both_databases]
fn a_visibility_to_which_something_can_be_changed_is_accepted(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let inner = group(&ada, "inner", "internal", None);
    let below = group(&ada, "below", "private", Some(inner));
    let top = group(&ada, "top", "public", None);
    let tool = |namespace: i64, name: &str, visibility: &str| {
        let body = json!({"name": name, "namespace_id": namespace, "visibility": visibility});
        ada.post("/projects", body).assert_status(201).json()["id"].as_i64().unwrap()
    };
    let _ = (tool(inner, "tool", "private"), tool(below, "tool", "private"), tool(top, "tool", "internal"));
    let nothing = |_: usize| Vec::new();
    let of_project = |path: &str| {
        accept_each(&browser, &format!("{path}/edit"), &format!("{path}/edit"), "project[visibility_level]", nothing)
    };
    let of_group = |path: &str| {
        let at = format!("/groups/{path}/-/edit");
        accept_each(&browser, &at, &at, "group[visibility_level]", nothing)
    };
    assert_eq!(of_project("/inner/tool"), ["0", "10"]);
    assert_eq!(of_project("/inner/below/tool"), ["0"]);
    assert_eq!(of_project("/top/tool"), ["0", "10", "20"]);
    // A group is not less open than its content, and not more than the group above it. Trying has left a public
    // project.
    assert_eq!(of_group("inner/below"), ["0", "10"]);
    assert_eq!(of_group("top"), ["20"]);
    let _ = ada.put(&format!("/groups/{below}"), json!({"visibility": "private"})).assert_status(200);
    assert_eq!(of_group("inner"), ["10", "20"]);
    // A fork is not more open than its origin.
    let _ = server.root().put(&format!("/groups/{inner}"), json!({"visibility": "internal"})).assert_status(200);
    let id = tool(top, "source", "internal");
    let _ = commit(&ada, "top/source", "main", "First", &[("a", b"a\n")]);
    let _ = ada.post(&format!("/projects/{id}/fork"), json!({"namespace": "ada"})).assert_status(201);
    assert_eq!(of_project("/ada/source"), ["0", "10"]);
    // The present value can stay, even if it could not be chosen any more.
    restrict(server, &json!(["internal"]));
    let page = browser.get("/ada/source/edit").assert_status(200);
    assert_eq!(offered(&page, "project[visibility_level]"), ["0", "10"]);
    assert_eq!(page.send_with(&browser, "/ada/source/edit", &[("project[description]", "x")]).reply.status(), 303);
}

#[both_databases]
fn a_place_that_is_offered_is_accepted(server: &TestServer) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let _ = project(&ada, "tool", "public");
    let _ = fill(&ada, "ada/tool");
    let groups = ["free", "named", "taken"].map(|path| group(&bob, path, "public", None));
    let _ =
        bob.post("/projects", json!({"name": "tool", "path": "other", "namespace_id": groups[1]})).assert_status(201);
    let _ =
        bob.post("/projects", json!({"name": "Other", "path": "tool", "namespace_id": groups[2]})).assert_status(201);
    let forked = accept_each(&browser, "/ada/tool/forks/new", "/ada/tool/forks", "namespace_id", |_| Vec::new());
    assert_eq!(forked.len(), 2, "the own namespace, and the group in which both are free");
    let none = browser.get("/ada/tool/forks/new").assert_status(200).html;
    assert!(
        none.contains("You don't have permission to create a project in any namespace where this name is available."),
        "{none}"
    );
    // The suggestions for a move.
    let suggested = |page: &Page| {
        let list = first(&page.html, r#"(?s)<datalist id="homes">(.*?)</datalist>"#);
        pattern(r#"<option value="([^"]*)""#).captures_iter(&list).map(|found| found[1].to_owned()).collect::<Vec<_>>()
    };
    let id = project(&bob, "mine", "public");
    let page = browser.get("/bob/mine/edit").assert_status(200);
    assert_eq!(suggested(&page), ["free", "named", "taken"]);
    let _ = bob.post("/projects", json!({"name": "mine", "namespace_id": groups[0]})).assert_status(201);
    let mut at = "bob".to_owned();
    for target in ["named", "taken"] {
        let page = browser.get(&format!("/{at}/mine/edit")).assert_status(200);
        assert!(
            suggested(&page).contains(&target.to_owned()) && !suggested(&page).contains(&"free".to_owned()),
            "{target}"
        );
        assert_eq!(
            page.submit(&browser, &format!("/{at}/mine/transfer"), &[("new_namespace_id", target)]).reply.status(),
            303
        );
        target.clone_into(&mut at);
    }
    assert_eq!(bob.get(&format!("/projects/{id}")).json()["path_with_namespace"], "taken/mine");
    // If the own namespace is full, it is not offered.
    let _ = server.root().put(&format!("/users/{}", bob.id), json!({"projects_limit": 0})).assert_status(200);
    let page = browser.get("/projects/new").assert_status(200);
    assert!(!page.html.contains(">bob</option>") && page.html.contains(">free</option>"), "{}", page.html);
    let made = accept_each(&browser, "/projects/new", "/projects", "project[visibility_level]", |number| {
        vec![("project[name]", format!("new {number}"))]
    });
    assert_eq!(made, ["0", "10", "20"]);
}

#[both_databases]
fn a_role_that_is_offered_is_accepted(server: &TestServer) {
    let ada = member(server, "ada");
    let (bob, eve) = (member(server, "bob"), member(server, "eve"));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let above = group(&ada, "above", "private", None);
    let below = group(&ada, "below", "private", Some(above));
    let _ = ada
        .post(&format!("/groups/{above}/members"), json!({"user_id": bob.id, "access_level": 30}))
        .assert_status(201);
    let _ = ada
        .post(&format!("/groups/{below}/members"), json!({"user_id": bob.id, "access_level": 40}))
        .assert_status(201);
    let _ = ada
        .post(&format!("/groups/{below}/members"), json!({"user_id": eve.id, "access_level": 10}))
        .assert_status(201);
    let at = "/groups/above/below/-/group_members";
    let levels = |user: &User, of: &str| {
        let object = if of == at { "group_member" } else { "project_member" };
        let page = browser.get(of).assert_status(200);
        let form = first(&page.html, &format!(r#"(?s)(<select id="member-{}-access_level".*?</select>)"#, user.id));
        let values: Vec<String> =
            pattern(r#"<option value="([^"]*)""#).captures_iter(&form).map(|found| found[1].to_owned()).collect();
        for value in &values {
            let page = browser.get(of).assert_status(200);
            let sent =
                page.send_with(&browser, &format!("{of}/{}", user.id), &[(&format!("{object}[access_level]"), value)]);
            assert_eq!(sent.reply.status(), 303, "{of}: {value}: {}", sent.html);
        }
        values
    };
    assert_eq!(levels(&bob, at), ["30", "40", "50"], "not below what the group above gives");
    assert_eq!(levels(&eve, at), ["10", "20", "30", "40", "50"]);
    // The only owner of a group, and the owner of a personal project, keep their role.
    let of_above = browser.get("/groups/above/-/group_members").assert_status(200).html;
    let own = format!("/groups/above/-/group_members/{}\"", ada.id);
    assert!(!of_above.contains(&own) && !of_above.contains("<summary>Leave</summary>"), "{of_above}");
    let id = project(&ada, "tool", "private");
    let _ =
        ada.post(&format!("/projects/{id}/members"), json!({"user_id": eve.id, "access_level": 30})).assert_status(201);
    let page = browser.get("/ada/tool/project_members").assert_status(200).html;
    assert!(
        !page.contains(&format!("/ada/tool/project_members/{}\"", ada.id))
            && !page.contains("<summary>Leave</summary>"),
        "{page}"
    );
    assert_eq!(levels(&eve, "/ada/tool/project_members"), ["10", "20", "30", "40"]);
}

#[both_databases]
fn a_branch_that_is_offered_is_accepted(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let id = project(&ada, "tool", "private");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a", b"a\n")]);
    for name in ["one", "two", "three"] {
        let _ = ada
            .post(&format!("/projects/{id}/repository/branches"), json!({"branch": name, "ref": "main"}))
            .assert_status(201);
    }
    let body = json!({"source_branch": "one", "target_branch": "main", "title": "One"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    let at = "/ada/tool/merge_requests/new";
    let page = browser.get(at).assert_status(200);
    assert_eq!(
        offered(&page, "merge_request[source_branch]"),
        ["", "three", "two"],
        "neither the target nor what is open already"
    );
    for branch in ["three", "two"] {
        let fields = [("merge_request[source_branch]", branch), ("merge_request[title]", "More")];
        assert_eq!(page.send_with(&browser, "/ada/tool/merge_requests", &fields).reply.status(), 303, "{branch}");
    }
    // The default branch can be named, and then is not its own target.
    let page = browser.get(&format!("{at}?merge_request[source_branch]=main")).assert_status(200);
    assert!(offered(&page, "merge_request[source_branch]").contains(&"main".to_owned()));
    assert_eq!(offered(&page, "merge_request[target_branch]").first().map(String::as_str), Some(""));
}

#[both_databases]
fn an_event_that_can_be_tried_is_one_of_which_there_is_something(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let id = project(&ada, "tool", "private");
    let hook =
        ada.post(&format!("/projects/{id}/hooks"), json!({"url": "https://hooks.example/x"})).assert_status(201).json()
            ["id"]
            .clone();
    let at = format!("/ada/tool/hooks/{hook}/edit");
    let events = || offered(&browser.get(&at).assert_status(200), "trigger");
    assert!(events().is_empty());
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a", b"a\n")]);
    assert_eq!(events(), ["push_events", "tag_push_events"]);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    assert_eq!(events(), ["push_events", "tag_push_events", "issues_events"]);
    let _ = ada.post(&format!("/projects/{id}/issues/1/notes"), json!({"body": "Yes."})).assert_status(201);
    assert_eq!(events(), ["push_events", "tag_push_events", "issues_events", "note_events"]);
}

#[both_databases]
fn what_the_other_forms_offer_is_accepted(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let id = project(&ada, "tool", "private");
    let _ = fill(&ada, "ada/tool");
    let _ = ada.post(&format!("/projects/{id}/milestones"), json!({"title": "1.0"})).assert_status(201);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    let nothing = |_: usize| Vec::new();
    for (at, to, name, least) in [
        ("/ada/tool/edit", "/ada/tool/edit", "project[merge_method]", 3),
        ("/ada/tool/settings/repository", "/ada/tool/settings/repository", "project[default_branch]", 3),
        ("/profile/notifications", "/profile/notifications", "notification[level]", 5),
        ("/profile/notifications", "/profile/notifications", "notification[email]", 1),
        ("/profile/preferences", "/profile/preferences", "user[theme]", 3),
        ("/profile/preferences", "/profile/preferences", "user[tab_width]", 3),
        ("/ada/tool/issues/1/edit", "/ada/tool/issues/1", "issue[milestone_id]", 2),
    ] {
        let seen = accept_each(&browser, at, to, name, nothing);
        assert!(seen.len() >= least, "{at}: {name}: {seen:?}");
    }
    for name in ["protected_branch[push_access_level]", "protected_branch[merge_access_level]"] {
        let rule = |number: usize| vec![("protected_branch[name]", format!("rule-{}-{number}", name.len()))];
        assert_eq!(
            accept_each(&browser, "/ada/tool/settings/repository", "/ada/tool/protected_branches", name, rule).len(),
            3
        );
    }
    let rule = |number: usize| vec![("protected_tag[name]", format!("v{number}"))];
    accept_each(
        &browser,
        "/ada/tool/settings/repository",
        "/ada/tool/protected_tags",
        "protected_tag[create_access_level]",
        rule,
    );
}

#[both_databases]
fn no_setting_is_shown_that_does_nothing(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let _ = project(&ada, "tool", "private");
    let page = browser.get("/ada/tool/edit").assert_status(200).html;
    assert!(!page.contains("container_registry") && page.contains("project[wiki_access_level]"), "{page}");
    // Of all events, those from which mail follows.
    let page = browser.get("/profile/notifications").assert_status(200);
    let boxes = pattern(r#"name="notification\[events\]\[\]" value="([^"]*)""#);
    let shown: Vec<String> = boxes.captures_iter(&page.html).map(|found| found[1].to_owned()).collect();
    let mailed: Vec<&str> =
        NotificationEvent::ALL.iter().filter(|event| event.is_mailed()).map(|event| event.as_str()).collect();
    assert_eq!(shown, mailed);
    // The others stay as clients have set them.
    let _ = ada.put("/notification_settings", json!({"level": "custom", "new_release": true})).assert_status(200);
    let page = browser.get("/profile/notifications").assert_status(200);
    let _ = page.send_with(&browser, "/profile/notifications", &[("notification[events][]", "new_note")]);
    assert_eq!(ada.get("/notification_settings").json()["events"]["new_release"], true);
    // Of the settings of the server, those that it obeys.
    let root = crate::admin::root(server);
    let front = root.get("/admin/application_settings").assert_status(200);
    let tabs = pattern(r#"href="\?area=([0-9]+)""#);
    let areas: Vec<usize> = tabs.captures_iter(&front.html).map(|found| found[1].parse().unwrap()).collect();
    for (number, area) in AREAS.iter().enumerate() {
        let obeyed = |setting: &&tenon_domain::settings::Setting| matches!(setting.effect, Effect::Obeyed);
        assert_eq!(areas.contains(&number), area.settings.iter().any(|setting| obeyed(&setting)), "{}", area.title);
        let page = root.get(&format!("/admin/application_settings?area={number}")).assert_status(200).html;
        for setting in area.settings {
            let is_shown = page.contains(&format!("name=\"application_setting[{}]", setting.name));
            assert_eq!(is_shown, obeyed(&setting), "{}", setting.name);
        }
    }
    let projects =
        AREAS.iter().position(|area| area.settings.iter().any(|setting| setting.name == "import_sources")).unwrap();
    let page = root.get(&format!("/admin/application_settings?area={projects}")).assert_status(200);
    let boxes = pattern(r#"type="checkbox" name="application_setting\[import_sources\]\[\]" value="([^"]*)""#);
    let shown: Vec<String> = boxes.captures_iter(&page.html).map(|found| found[1].to_owned()).collect();
    assert_eq!(shown, ["git"]);
    // Values that are not shown stay.
    let before = server.root().get("/application/settings").json()["import_sources"].clone();
    let saved = page.send_with(&root, "/admin/application_settings", &[("application_setting[import_sources][]", "")]);
    assert_eq!(saved.reply.status(), 303);
    let after = server.root().get("/application/settings").json()["import_sources"].clone();
    let without: Vec<Value> = before.as_array().unwrap().iter().filter(|source| **source != "git").cloned().collect();
    assert_eq!(after, json!(without));
}
