//! Projects: making them, their settings, their members, forks and stars.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

/// Users with these levels in the project or group at `path` of the API, each in a browser.
pub(crate) fn members(server: &TestServer, owner: &User, path: &str, levels: &[(&str, i64)]) -> Vec<Browser> {
    let join = |(name, level): &(&str, i64)| {
        let user = member(server, name);
        let body = json!({"user_id": user.id, "access_level": level});
        let _ = owner.post(&format!("{path}/members"), body).assert_status(201);
        Browser::signed_in(server, name, PASSWORD)
    };
    levels.iter().map(join).collect()
}

#[both_databases]
fn a_project_is_made_with_a_form(server: &TestServer) {
    let ada = member(server, "ada");
    let group =
        ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].as_i64().unwrap();
    assert!(Browser::of(server).get("/projects/new").location().starts_with("/users/sign_in?return_to="));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser
        .get(&format!("/projects/new?namespace_id={group}&project[name]=%22%3E%3Cb%3Ex%3C%2Fb%3E"))
        .assert_status(200);
    assert!(
        form.html.contains(&format!("value=\"{group}\" selected>crew")) && !form.html.contains("<b>x"),
        "{}",
        form.html
    );
    let wrong = form
        .submit(&browser, "/projects", &[("project[name]", " "), ("project[description]", MARKER)])
        .assert_status(422);
    assert!(wrong.html.contains("problem-name") && wrong.html.contains("&#34;&#62;&#60;img"), "{}", wrong.html);
    let wrong = form
        .submit(&browser, "/projects", &[("project[name]", "Tool"), ("project[path]", "-bad path")])
        .assert_status(422);
    assert!(wrong.html.contains("problem-path") && wrong.html.contains("value=\"Tool\""), "{}", wrong.html);
    let wrong = form
        .submit(&browser, "/projects", &[("project[name]", "Tool"), ("project[namespace_id]", "999999")])
        .assert_status(422);
    assert!(wrong.html.contains("problem-namespace"), "{}", wrong.html);
    // Another place is another page, with everything that was typed.
    let typed = "project[visibility_level]=10&project[initialize_with_readme]=1\
                 &project[import_url]=https%3A%2F%2Felsewhere.example%2Fx.git";
    let kept = browser.get(&format!("/projects/new?{typed}")).assert_status(200).html;
    for text in
        ["value=\"10\" checked", "initialize_with_readme]\" value=\"1\" checked", "https://elsewhere.example/x.git"]
    {
        assert!(kept.contains(text), "{text}: {kept}");
    }
    let home = group.to_string();
    let made = form.submit(
        &browser,
        "/projects",
        &[
            ("project[name]", "Tool"),
            ("project[namespace_id]", &home),
            ("project[visibility_level]", "0"),
            ("project[initialize_with_readme]", "1"),
        ],
    );
    assert_eq!(made.location(), "/crew/tool");
    let page = followed(&browser, &made);
    assert!(page.contains("README.md"), "{page}");
    let api = ada.get("/projects/crew%2Ftool").json();
    assert_eq!(api["visibility"], "private");
    let again = form
        .submit(&browser, "/projects", &[("project[name]", "Tool"), ("project[namespace_id]", &home)])
        .assert_status(422);
    assert!(again.html.contains("already been taken"), "{}", again.html);
    assert_eq!(browser.get(&format!("/projects/{}", api["id"])).location(), "/crew/tool");
    let _ = Browser::of(server).get(&format!("/projects/{}", api["id"])).assert_status(404);
    let token = Browser::of(server).get("/users/sign_in").token();
    let _ = Browser::of(server)
        .post("/projects", &[("authenticity_token", &token), ("project[name]", "x")])
        .assert_status(422);
}

#[both_databases]
fn settings_are_for_those_who_may_change_them(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let path = format!("/projects/{id}");
    let others = members(server, &ada, &path, &[("guest", 10), ("dev", 30), ("lead", 40)]);
    assert!(Browser::of(server).get("/ada/tool/edit").reply.status() == 404);
    for (browser, want) in others.iter().zip([403, 403, 200]) {
        let _ = browser.get("/ada/tool/edit").assert_status(want);
    }
    let lead = &others[2];
    let page = lead.get("/ada/tool/edit").assert_status(200);
    assert!(
        !page.html.contains("visibility_level") && !page.html.contains("/transfer") && !page.html.contains("confirm"),
        "{}",
        page.html
    );
    let saved = page.submit(lead, "/ada/tool/edit", &[("project[description]", "Of ours")]);
    assert!(followed(lead, &saved).contains("Settings saved."));
    let api = ada.get(&path).json();
    assert_eq!((api["description"].as_str(), api["emails_enabled"].as_bool()), (Some("Of ours"), Some(false)));
    // An action for owners only is refused, whatever was sent.
    let token = page.token();
    let put = |fields: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> = [("_method", "put"), ("authenticity_token", token.as_str())]
            .into_iter()
            .chain(fields.iter().copied())
            .collect();
        lead.post("/ada/tool/edit", &all)
    };
    let _ = put(&[("project[visibility_level]", "20")]).assert_status(403);
    let _ = put(&[("project[name]", "Other")]).assert_status(403);
    for (address, method) in
        [("/ada/tool/archive", "post"), ("/ada/tool/transfer", "put"), ("/ada/tool/edit", "delete")]
    {
        let answer = lead.post(
            address,
            &[
                ("_method", method),
                ("authenticity_token", &token),
                ("confirm", "ada/tool"),
                ("new_namespace_id", "lead"),
            ],
        );
        let _ = answer.assert_status(403);
    }
    assert_eq!(ada.get(&path).json()["visibility"], "private");
    let missing = others[0].get("/no/page").html;
    let eve = {
        let _ = member(server, "eve");
        Browser::signed_in(server, "eve", PASSWORD)
    };
    let token = eve.get("/").token();
    for address in [
        "/ada/tool/edit",
        "/ada/tool/archive",
        "/ada/tool/transfer",
        "/ada/tool/toggle_star",
        "/ada/tool/forks",
        "/ada/tool/project_members",
    ] {
        let method = match address {
            "/ada/tool/edit" | "/ada/tool/transfer" => "put",
            _ => "post",
        };
        assert_eq!(
            eve.post(address, &[("_method", method), ("authenticity_token", &token)]).assert_status(404).html,
            missing,
            "{address}"
        );
    }
}

#[both_databases]
fn an_owner_archives_moves_and_deletes(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/ada/tool/edit").assert_status(200);
    let wrong =
        page.submit(&browser, "/ada/tool/edit", &[("project[name]", ""), ("project[path]", "-x")]).assert_status(422);
    assert!(wrong.html.contains("problem-name") && wrong.html.contains("problem-path"), "{}", wrong.html);
    let archived = page.submit(&browser, "/ada/tool/archive", &[]);
    let page = followed(&browser, &archived);
    assert!(page.contains("Unarchive") && page.contains("Archived</span>"), "{page}");
    let again = browser.get("/ada/tool/edit").submit(&browser, "/ada/tool/unarchive", &[]);
    assert!(followed(&browser, &again).contains("Project unarchived."));
    let page = browser.get("/ada/tool/edit");
    let wrong = page.submit(&browser, "/ada/tool/transfer", &[("new_namespace_id", "none")]).assert_status(422);
    assert!(wrong.html.contains("problem-new_namespace_id"), "{}", wrong.html);
    // A path of digits is no number of another group.
    let id = ada.post("/groups", json!({"name": "Other", "path": "other"})).assert_status(201).json()["id"].to_string();
    let _ = ada.post("/groups", json!({"name": "Digits", "path": id})).assert_status(201);
    let moved = page.submit(&browser, "/ada/tool/transfer", &[("new_namespace_id", &id)]);
    assert_eq!(moved.location(), format!("/{id}/tool"));
    let page = browser.get(&format!("/{id}/tool/edit"));
    let moved = page.submit(&browser, &format!("/{id}/tool/transfer"), &[("new_namespace_id", "crew")]);
    assert_eq!(moved.location(), "/crew/tool");
    let page = browser.get("/crew/tool/edit").assert_status(200);
    let token = page.token();
    for named in ["", "tool"] {
        let answer = browser
            .post("/crew/tool/edit", &[("_method", "delete"), ("authenticity_token", &token), ("confirm", named)]);
        assert!(answer.assert_status(422).html.contains("problem-confirm"));
    }
    let _ = browser.get("/crew/tool").assert_status(200);
    let deleted = browser
        .post("/crew/tool/edit", &[("_method", "delete"), ("authenticity_token", &token), ("confirm", "crew/tool")]);
    assert!(followed(&browser, &deleted).contains("The project is being deleted."));
    let _ = browser.get("/crew/tool").assert_status(404);
}

#[both_databases]
fn projects_are_starred_and_forked(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    assert!(!safe(&Browser::of(server), "/ada/tool").contains("toggle_star"));
    let page = bob.get("/ada/tool");
    let starred = page.submit(&bob, "/ada/tool/toggle_star", &[]);
    let page = followed(&bob, &starred);
    assert!(page.contains("<span>Unstar</span>") && page.contains(">1 star</a>"), "{page}");
    assert!(safe(&bob, "/dashboard/projects/starred").contains("/ada/tool\""));
    let again = bob.get("/ada/tool").submit(&bob, "/ada/tool/toggle_star", &[]);
    assert!(followed(&bob, &again).contains("0 stars"));
    let form = bob.get("/ada/tool/forks/new").assert_status(200);
    let wrong = form.submit(&bob, "/ada/tool/forks", &[("namespace_id", "99999")]).assert_status(422);
    assert!(wrong.html.contains("problem-namespace_id"), "{}", wrong.html);
    let forked = form.submit(&bob, "/ada/tool/forks", &[]);
    assert_eq!(forked.location(), "/bob/tool");
    server.run_jobs();
    assert!(safe(&bob, "/bob/tool").contains("Forked from"));
    assert!(safe(&Browser::of(server), "/ada/tool/forks").contains("/bob/tool\""));
    // A form that was opened before the name was taken; a new one does not offer that namespace.
    let taken = form.submit(&bob, "/ada/tool/forks", &[]).assert_status(422);
    assert!(taken.html.contains("taken") || taken.html.contains("exists"), "{}", taken.html);
    assert!(Browser::of(server).get("/ada/tool/forks/new").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn members_of_a_project_are_managed(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let others = members(server, &ada, &format!("/projects/{id}"), &[("dev", 30), ("lead", 40)]);
    let _ = member(server, "new");
    let _ = member(server, "other");
    assert!(Browser::of(server).get("/ada/tool/project_members").location().starts_with("/users/sign_in"));
    let dev = &others[0];
    let page = safe(dev, "/ada/tool/project_members");
    assert!(
        page.contains("@lead")
            && page.contains("Inherited members") == page.contains("@ada ")
            && !page.contains("name=\"user_ids\""),
        "{page}"
    );
    let lead = &others[1];
    let page = lead.get("/ada/tool/project_members").assert_status(200);
    for (users, day, field) in
        [("", "", "user_ids"), (" , ", "", "user_ids"), ("none", "", "user_ids"), ("new", "tomorrow", "expires_at")]
    {
        let wrong = page
            .submit(
                lead,
                "/ada/tool/project_members",
                &[("user_ids", users), ("access_level", "30"), ("expires_at", day)],
            )
            .assert_status(422);
        assert!(wrong.html.contains(&format!("problem-{field}")), "{users} {day}: {}", wrong.html);
    }
    let wrong = page.submit(lead, "/ada/tool/project_members", &[("user_ids", "new"), ("access_level", "50")]);
    assert_ne!(wrong.reply.status(), 303, "a maintainer makes no owner");
    let added = page.submit(
        lead,
        "/ada/tool/project_members",
        &[("user_ids", "@new, other"), ("access_level", "20"), ("expires_at", "2099-01-31")],
    );
    let html = followed(lead, &added);
    assert!(
        html.contains("Members added.") && html.contains("@other") && html.contains("expires 31 Jan 2099"),
        "{html}"
    );
    let list = ada.get(&format!("/projects/{id}/members")).json();
    let user = list.as_array().unwrap().iter().find(|one| one["username"] == "new").unwrap()["id"].as_i64().unwrap();
    let address = format!("/ada/tool/project_members/{user}");
    let page = lead.get("/ada/tool/project_members");
    let changed =
        page.submit(lead, &address, &[("project_member[access_level]", "30"), ("project_member[expires_at]", "")]);
    assert!(followed(lead, &changed).contains("Member updated."));
    let now = ada.get(&format!("/projects/{id}/members/{user}")).json();
    assert_eq!((now["access_level"].as_i64(), now["expires_at"].is_null()), (Some(30), true));
    let token = lead.get("/ada/tool/project_members").token();
    let fields = [("_method", "delete"), ("authenticity_token", token.as_str())];
    assert!(followed(lead, &lead.post(&address, &fields)).contains("Member removed."));
    let _ = lead.post("/ada/tool/project_members/999999", &fields).assert_status(404);
    // Those who may not manage members may only leave.
    let token = dev.get("/ada/tool/project_members").token();
    let _ = dev
        .post(
            "/ada/tool/project_members",
            &[("authenticity_token", &token), ("user_ids", "new"), ("access_level", "10")],
        )
        .assert_status(403);
    let left = dev.get("/ada/tool/project_members").submit(dev, "/ada/tool/project_members/leave", &[]);
    assert!(followed(dev, &left).contains("You left."));
}

#[both_databases]
fn inherited_members_say_where_they_come_from(server: &TestServer) {
    let ada = member(server, "ada");
    let id =
        ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].as_i64().unwrap();
    let others = members(server, &ada, &format!("/groups/{id}"), &[("dev", 30)]);
    let body = json!({"name": "Tool", "namespace_id": id});
    let _ = ada.post("/projects", body).assert_status(201);
    let page = safe(&others[0], "/crew/tool/project_members");
    assert!(
        page.contains("<a class=\"quiet\" href=\"/groups/crew\">")
            && page.contains("<span class=\"badge\">Developer</span>")
            && page.contains("<span class=\"badge\">Owner</span>"),
        "{page}"
    );
}

#[both_databases]
fn a_project_is_shared_with_a_group(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    for (path, visibility) in [("crew", "public"), ("deck", "private")] {
        let _ = ada.post("/groups", json!({"name": path, "path": path, "visibility": visibility})).assert_status(201);
    }
    let _ = member(server, "cleo")
        .post("/groups", json!({"name": "hold", "path": "hold", "visibility": "private"}))
        .assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = own.get("/ada/tool/project_members").assert_status(200);
    let share = |group: &str, level: &str, day: &str| {
        page.submit(
            &own,
            "/ada/tool/group_links",
            &[("link_group_id", group), ("link_group_access", level), ("expires_at", day)],
        )
    };
    for (group, level, day, want) in [
        ("none", "30", "", "problem-link_group_id"),
        ("hold", "30", "", "problem-link_group_id"),
        ("crew", "31", "", "problem-link_group_access"),
        ("crew", "50", "", "problem-link_group_access"),
        ("crew", "30", "soon", "problem-expires_at"),
    ] {
        let wrong = share(group, level, day).assert_status(422);
        assert!(
            wrong.html.contains(want)
                && wrong.html.contains(&format!("value=\"{group}\""))
                && wrong.html.contains("href=\"#share-"),
            "{want}: {}",
            wrong.html
        );
    }
    for group in ["crew", "deck"] {
        assert_eq!(share(group, "30", "2030-01-31").location(), "/ada/tool/project_members");
    }
    assert!(share("crew", "30", "").assert_status(422).html.contains("is already shared with this group"));
    let page = safe(&own, "/ada/tool/project_members");
    assert!(page.contains("Max role: Developer, expires 31 Jan 2030") && page.contains("/groups/deck\""), "{page}");
    // A path of digits is no number of another group.
    let number = ada.get("/groups/crew").json()["id"].to_string();
    let _ = ada.post("/groups", json!({"name": "Digits", "path": number})).assert_status(201);
    assert_eq!(share(&number, "30", "").location(), "/ada/tool/project_members");
    let page = safe(&own, "/ada/tool/project_members");
    assert!(page.contains(&format!("/groups/{number}\"")), "{page}");
    // Others see the groups that they may see, and change nothing.
    let bob = members(server, &ada, &format!("/projects/{id}"), &[("bob", 30)]).remove(0);
    let seen = safe(&bob, "/ada/tool/project_members");
    assert!(
        seen.contains("/groups/crew\"") && !seen.contains("/groups/deck\"") && !seen.contains("/group_links"),
        "{seen}"
    );
    let token = bob.get("/").token();
    let group = crate::browser::first(&page, "/ada/tool/group_links/([0-9]+)");
    let _ = bob
        .post(
            "/ada/tool/group_links",
            &[("authenticity_token", &token), ("link_group_id", "crew"), ("link_group_access", "30")],
        )
        .assert_status(403);
    let _ = bob
        .post(&format!("/ada/tool/group_links/{group}"), &[("authenticity_token", &token), ("_method", "delete")])
        .assert_status(403);
    let page = own.get("/ada/tool/project_members");
    assert_eq!(
        page.submit(&own, &format!("/ada/tool/group_links/{group}"), &[]).location(),
        "/ada/tool/project_members"
    );
    assert!(safe(&own, "/ada/tool/project_members").contains("Group removed from the project."));
    for below in ["settings/members", "group_links"] {
        assert_eq!(own.get(&format!("/ada/tool/{below}")).location(), "/ada/tool/project_members");
    }
    // Actions that a group forbids are not offered.
    let crew = ada.get("/groups/crew").json()["id"].clone();
    let _ = ada.post("/projects", json!({"name": "saw", "namespace_id": crew})).assert_status(201);
    assert!(safe(&own, "/crew/saw/project_members").contains("action=\"/crew/saw/group_links\""));
    let _ = ada.put("/groups/crew", json!({"share_with_group_lock": true})).assert_status(200);
    let locked = safe(&own, "/crew/saw/project_members");
    assert!(locked.contains("prevents its projects from being shared"), "{locked}");
    assert!(!locked.contains("/crew/saw/group_links"), "{locked}");
}

#[both_databases]
fn a_fork_becomes_a_project_of_its_own(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let bob = member(server, "bob");
    let _ = bob.post(&format!("/projects/{id}/fork"), json!({})).assert_status(201);
    server.run_jobs();
    let (own, other) = (Browser::signed_in(server, "bob", PASSWORD), Browser::signed_in(server, "ada", PASSWORD));
    assert!(!other.get("/ada/tool/edit").assert_status(200).html.contains("/remove_fork"));
    let token = other.get("/").token();
    let _ = other
        .post("/bob/tool/remove_fork", &[("authenticity_token", &token), ("_method", "delete")])
        .assert_status(403);
    let page = own.get("/bob/tool/edit").assert_status(200);
    assert_eq!(page.submit(&own, "/bob/tool/remove_fork", &[]).location(), "/bob/tool/edit");
    let page = safe(&own, "/bob/tool/edit");
    assert!(page.contains("Fork relationship removed.") && !page.contains("/remove_fork"), "{page}");
    assert!(bob.get("/projects/bob%2Ftool").json()["forked_from_project"].is_null());
}

#[both_databases]
fn tabs_count_what_is_open(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    for (title, confidential) in [("One", false), ("Two", false), ("Hidden", true)] {
        let body = json!({"title": title, "confidential": confidential});
        let _ = ada.post("/projects/ada%2Ftool/issues", body).assert_status(201);
    }
    let _ = ada.put("/projects/ada%2Ftool/issues/1", json!({"state_event": "close"})).assert_status(200);
    let release = json!({"tag_name": "v1", "ref": "main", "description": "x"});
    let _ = ada.post("/projects/ada%2Ftool/releases", release).assert_status(201);
    for title in ["1.0", "2.0", "Done"] {
        let _ = ada.post("/projects/ada%2Ftool/milestones", json!({"title": title})).assert_status(201);
    }
    let done = ada.get("/projects/ada%2Ftool/milestones?title=Done").assert_status(200).json()[0]["id"].clone();
    let close = json!({"state_event": "close"});
    let _ = ada.put(&format!("/projects/ada%2Ftool/milestones/{done}"), close).assert_status(200);
    let page = safe(&Browser::of(server), "/ada/tool/activity");
    assert!(page.contains("Milestones <span class=\"count\">2</span>"), "{page}");
    for text in ["Issues <span class=\"count\">1</span>", "Releases <span class=\"count\">1</span>"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(page.contains("Merge requests</a>"), "{page}");
    let front = safe(&Browser::of(server), "/ada/tool");
    assert!(
        front.contains("<strong><bdi>v1</bdi></strong></a> <time class=\"muted\" datetime=\"2026-03-02T"),
        "{front}"
    );
}
