//! Groups: making, changing and deleting them, and the pages behind `/-/`.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::place::members;
use crate::project::MARKER;
use crate::{PASSWORD, member};

/// A public group with a public, a private and an archived project.
fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let body = json!({"name": "Crew", "path": "crew", "visibility": "public"});
    let group = ada.post("/groups", body).assert_status(201).json()["id"].as_i64().unwrap();
    for (name, visibility) in [("Open", "public"), ("Secret", "private"), ("Old", "public")] {
        let body = json!({"name": name, "namespace_id": group, "visibility": visibility});
        let id = ada.post("/projects", body).assert_status(201).json()["id"].clone();
        let body = json!({"title": format!("About {name} \"><b>x</b>")});
        let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    }
    let _ = ada.post("/projects/crew%2Fold/archive", json!({}));
    (ada, group)
}

#[both_databases]
fn a_page_of_a_group_answers_its_own_methods(server: &TestServer) {
    let (_ada, _) = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let token = own.get("/").token();
    let send = |method: &str, path: &str| own.send(method, path, &[("authenticity_token", token.as_str())], &[]);
    for (method, below, allowed) in [
        ("POST", "issues", "GET, HEAD"),
        ("DELETE", "group_members", "GET, HEAD, POST"),
        ("GET", "group_members/leave", "DELETE"),
        ("GET", "labels/7", "DELETE, PUT"),
        ("POST", "milestones/1", "DELETE, GET, HEAD, PUT"),
        ("POST", "edit", "DELETE, GET, HEAD, PUT"),
    ] {
        let page = send(method, &format!("/groups/crew/-/{below}")).assert_status(405);
        assert_eq!(page.reply.header("allow"), allowed, "{method} {below}");
    }
    let missing = own.get("/no/such/page").assert_status(404).html;
    let _ = member(server, "cleo")
        .post("/groups", json!({"name": "Hold", "path": "hold", "visibility": "private"}))
        .assert_status(201);
    for path in ["/groups/crew/-/none", "/groups/crew/-/labels/07", "/groups/hold/-/issues", "/groups/none/-/issues"] {
        assert_eq!(send("POST", path).assert_status(404).html, missing, "{path}");
    }
}

#[both_databases]
fn what_happened_in_a_group_is_what_the_caller_may_see(server: &TestServer) {
    let (_ada, _) = world(server);
    let stranger = Browser::of(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let (seen, mine) = (safe(&stranger, "/groups/crew/-/activity"), safe(&own, "/groups/crew/-/activity"));
    assert!(
        seen.contains("in <a href=\"/crew/open\">") && !seen.contains("crew/secret") && !seen.contains("About Secret"),
        "{seen}"
    );
    assert!(mine.contains("in <a href=\"/crew/secret\">") && mine.contains("About Secret"), "{mine}");
    assert!(safe(&own, "/groups/crew/-/activity?event_filter=push").contains("No activity"));
    let moved = stranger.get("/groups/CREW/-/activity?event_filter=push").assert_status(301);
    assert_eq!(moved.reply.header("location"), "/groups/crew/-/activity?event_filter=push");
    assert_eq!(stranger.get("/groups/crew/activity").location(), "/groups/crew/-/activity");
}

#[both_databases]
fn projects_of_a_group_have_lists(server: &TestServer) {
    let (ada, group) = world(server);
    let body = json!({"name": "Elsewhere", "visibility": "public"});
    let other = ada.post("/projects", body).assert_status(201).json()["id"].clone();
    let _ = ada
        .post(&format!("/projects/{other}/share"), json!({"group_id": group, "group_access": 30}))
        .assert_status(201);
    let stranger = Browser::of(server);
    for (path, has, lacks) in [
        ("projects", vec!["/crew/open\""], vec!["/crew/secret", "/crew/old\"", "/ada/elsewhere\""]),
        ("shared", vec!["/crew/open\"", "/ada/elsewhere\""], vec!["/crew/secret", "/crew/old\""]),
        ("archived", vec!["/crew/old\""], vec!["/crew/secret", "/crew/open\""]),
    ] {
        let page = safe(&stranger, &format!("/groups/crew/-/{path}"));
        assert!(
            has.iter().all(|part| page.contains(part)) && !lacks.iter().any(|part| page.contains(part)),
            "{path}: {page}"
        );
    }
    assert!(safe(&Browser::signed_in(server, "ada", PASSWORD), "/groups/crew/-/projects").contains("/crew/secret\""));
    let _ = ada.post("/groups", json!({"name": "Deck", "path": "deck"})).assert_status(201);
    let missing = stranger.get("/no/page").assert_status(404).html;
    for path in ["activity", "projects", "shared", "archived"] {
        assert_eq!(stranger.get(&format!("/groups/deck/-/{path}")).assert_status(404).html, missing, "{path}");
    }
}

#[both_databases]
fn labels_of_a_group_are_made_changed_and_deleted(server: &TestServer) {
    let (_ada, _) = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let labels = "/groups/crew/-/labels";
    let new = own.get(&format!("{labels}/new")).assert_status(200);
    assert!(!new.html.contains("label[priority]"), "ranks are for projects: {}", new.html);
    let blank = new.submit(&own, labels, &[("label[title]", ""), ("label[color]", "none")]).assert_status(422);
    assert!(blank.html.contains("problem-title") && blank.html.contains("<h1>New label</h1>"), "{}", blank.html);
    let made = new.submit(
        &own,
        labels,
        &[("label[title]", "bug\"><b>x</b>"), ("label[color]", "#AD1F1A"), ("label[description]", "It fails")],
    );
    assert_eq!((made.reply.status(), made.location().as_str()), (303, labels));
    let page = safe(&own, labels);
    assert!(page.contains("It fails") && page.contains("Label saved.") && page.contains(">New label</a>"), "{page}");
    let edit = format!("{labels}/{}", first(&page, "/labels/([0-9]+)/edit"));
    let form = own.get(&format!("{edit}/edit")).assert_status(200);
    let saved = form.send_with(&own, &edit, &[("label[title]", "defect")]);
    assert_eq!(saved.location(), labels);
    let page = own.get(labels);
    assert!(
        page.html.contains("<bdi class=\"on-dark\">defect</bdi>") && page.html.contains("It fails"),
        "{}",
        page.html
    );
    let followed = page.submit(&own, &format!("{edit}/toggle_subscription"), &[]);
    assert_eq!(followed.location(), labels);
    assert!(own.get(labels).html.contains(" Unsubscribe</button>"));
    // Projects of the group have it, and lead to the page on which it is changed.
    assert!(own.get("/crew/open/labels").assert_status(200).html.contains("Group label"));
    // Others read.
    let stranger = Browser::of(server);
    let seen = safe(&stranger, labels);
    assert!(seen.contains("defect") && !seen.contains("New label") && !seen.contains("/edit\""), "{seen}");
    assert_eq!(
        stranger.get(&format!("{labels}/new")).location(),
        "/users/sign_in?return_to=%2Fgroups%2Fcrew%2F%2D%2Flabels%2Fnew"
    );
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let token = bob.get("/").token();
    for path in [format!("{labels}/new"), format!("{edit}/edit")] {
        let _ = bob.get(&path).assert_status(403);
    }
    for (path, method) in [(labels, "post"), (edit.as_str(), "put"), (edit.as_str(), "delete")] {
        let _ = bob
            .post(
                path,
                &[("authenticity_token", &token), ("_method", method), ("label[title]", "x"), ("label[color]", "#fff")],
            )
            .assert_status(403);
    }
    assert_eq!(stranger.get("/groups/crew/labels").location(), labels);
    let deleted = own.get(labels).submit_last(&own, &edit, &[]);
    assert_eq!(deleted.location(), labels);
    assert!(safe(&own, labels).contains("No labels"));
}

#[both_databases]
fn milestones_of_a_group_are_made_changed_and_deleted(server: &TestServer) {
    let (_ada, _) = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let list = "/groups/crew/-/milestones";
    let new = own.get(&format!("{list}/new")).assert_status(200);
    let wrong =
        new.submit(&own, list, &[("milestone[title]", "1.0"), ("milestone[due_date]", "soon")]).assert_status(422);
    assert!(wrong.html.contains("must be a date") && wrong.html.contains("value=\"1.0\""), "{}", wrong.html);
    let made = new.submit(
        &own,
        list,
        &[
            ("milestone[title]", "1.0 \"><b>x</b>"),
            ("milestone[description]", "*All* of it"),
            ("milestone[due_date]", "2030-01-31"),
        ],
    );
    assert_eq!((made.reply.status(), made.location()), (303, format!("{list}/1")));
    let page = safe(&own, &format!("{list}/1"));
    assert!(page.contains("<em>All</em>") && page.contains("due 31 Jan 2030"), "{page}");
    let form = own.get(&format!("{list}/1/edit")).assert_status(200);
    assert_eq!(
        form.send_with(&own, &format!("{list}/1"), &[("milestone[title]", "2.0")]).location(),
        format!("{list}/1")
    );
    let shown = own.get(&format!("{list}/1")).assert_status(200);
    assert!(shown.html.contains("2.0</h1>") && shown.html.contains("<em>All</em>"), "{}", shown.html);
    assert_eq!(shown.submit(&own, &format!("{list}/1"), &[]).location(), format!("{list}/1"));
    assert!(own.get(&format!("{list}/1")).html.contains(">Reopen</button>"));
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let token = bob.get("/").token();
    assert!(!bob.get(&format!("{list}/1")).assert_status(200).html.contains("Reopen"));
    for path in ["/new", "/1/edit"] {
        let _ = bob.get(&format!("{list}{path}")).assert_status(403);
    }
    for (path, method) in [("", "post"), ("/1", "put"), ("/1", "delete")] {
        let _ = bob
            .post(
                &format!("{list}{path}"),
                &[("authenticity_token", &token), ("_method", method), ("milestone[title]", "x")],
            )
            .assert_status(403);
    }
    let missing = own.get("/no/page").assert_status(404).html;
    for path in ["/9", "/9/edit", "/01", "/x"] {
        assert_eq!(own.get(&format!("{list}{path}")).assert_status(404).html, missing, "{path}");
    }
    let deleted = own.get(&format!("{list}/1")).submit_last(&own, &format!("{list}/1"), &[]);
    assert_eq!(deleted.location(), list);
    assert!(own.get(list).html.contains("Milestone deleted."));
}

#[both_databases]
fn labels_and_milestones_of_a_project_become_those_of_its_group(server: &TestServer) {
    let (ada, group) = world(server);
    let lead = member(server, "lead");
    let project = ada.get("/projects/crew%2Fopen").json()["id"].clone();
    let _ = ada
        .post(&format!("/projects/{project}/members"), json!({"user_id": lead.id, "access_level": 40}))
        .assert_status(201);
    let label = ada
        .post(&format!("/projects/{project}/labels"), json!({"name": "bug", "color": "#AD1F1A"}))
        .assert_status(201)
        .json()["id"]
        .clone();
    let _ = ada.post(&format!("/projects/{project}/milestones"), json!({"title": "1.0"})).assert_status(201);
    let (own, lead) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "lead", PASSWORD));
    let token = lead.get("/").token();
    for (path, address) in [
        ("labels", format!("/crew/open/labels/{label}/promote")),
        ("milestones/1", "/crew/open/milestones/1/promote".to_owned()),
    ] {
        // A user who may change only those of the project is not offered it.
        let page = lead.get(&format!("/crew/open/{path}")).assert_status(200);
        assert!(page.html.contains("Delete") && !page.html.contains("/promote\""), "{}", page.html);
        let _ = lead.post(&address, &[("authenticity_token", &token)]).assert_status(403);
        let done = own.get(&format!("/crew/open/{path}")).submit(&own, &address, &[]);
        let there = if path == "labels" { "/crew/open/labels" } else { "/groups/crew/-/milestones/1" };
        assert_eq!(done.location(), there);
    }
    assert_eq!(ada.get(&format!("/groups/{group}/labels")).json()[0]["name"], "bug");
    assert_eq!(ada.get(&format!("/groups/{group}/milestones")).json()[0]["title"], "1.0");
    let personal = ada.post("/projects", json!({"name": "Mine"})).assert_status(201).json()["id"].clone();
    let _ =
        ada.post(&format!("/projects/{personal}/labels"), json!({"name": "x", "color": "#AD1F1A"})).assert_status(201);
    assert!(!safe(&own, "/ada/mine/labels").contains("/promote\""));
}

#[both_databases]
fn a_group_has_pages(server: &TestServer) {
    let ada = member(server, "ada");
    let group = ada
        .post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "private", "description": MARKER}))
        .assert_status(201);
    let id = group.json()["id"].as_i64().unwrap();
    let _ = ada
        .post("/groups", json!({"name": "Deck", "path": "deck", "parent_id": id, "visibility": "private"}))
        .assert_status(201);
    let body = json!({"name": "Tool", "namespace_id": id, "description": MARKER});
    let project = ada.post("/projects", body).assert_status(201).json()["id"].as_i64().unwrap();
    let _ = ada
        .post(&format!("/projects/{project}/issues"), json!({"title": format!("It sticks {MARKER}")}))
        .assert_status(201);
    let milestone = ada
        .post(&format!("/groups/{id}/milestones"), json!({"title": "1.0", "description": MARKER}))
        .assert_status(201)
        .json();
    let _ =
        ada.put(&format!("/projects/{project}/issues/1"), json!({"milestone_id": milestone["id"]})).assert_status(200);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let front = safe(&own, "/groups/crew");
    assert!(front.contains("<h2>Projects</h2>") && front.contains("<h3><a href=\"/crew/tool\">"), "{front}");
    for text in ["/groups/crew/deck\"", "/crew/tool\"", "/groups/crew/-/edit", "/projects/new?namespace_id="] {
        assert!(front.contains(text), "{text}: {front}");
    }
    assert!(safe(&own, "/groups/crew/-/issues").contains("crew/tool#1"));
    assert!(safe(&own, "/groups/crew/-/issues?search=nothing").contains("No issues"));
    assert!(safe(&own, "/groups/crew/-/merge_requests").contains("No merge requests"));
    assert!(safe(&own, "/groups/crew/-/milestones").contains("/groups/crew/-/milestones/1\""));
    let milestone = safe(&own, "/groups/crew/-/milestones/1");
    assert!(milestone.contains("crew/tool#1") && milestone.contains("0 of 1 completed (0%)"), "{milestone}");
    assert!(!milestone.contains("<svg class=\"chart\""), "{milestone}");
    server.advance(TimeDelta::days(1));
    let milestone = safe(&own, "/groups/crew/-/milestones/1");
    assert!(milestone.contains("1 open issue on ") && milestone.contains("points=\"0,0 600,0\""), "{milestone}");
    assert!(safe(&own, "/groups/crew/deck/-/group_members").contains("@ada"));
    for (from, to) in [
        ("/groups/crew/issues?state=all", "/groups/crew/-/issues?state=all"),
        ("/groups/crew/group_members", "/groups/crew/-/group_members"),
    ] {
        assert_eq!(own.get(from).location(), to);
    }
    let _ = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    let token = eve.get("/").token();
    let missing = eve.get("/no/page").html;
    let stranger = Browser::of(server);
    let missing_for_strangers = stranger.get("/no/page").html;
    for below in [
        "",
        "/-/issues",
        "/-/merge_requests",
        "/-/milestones",
        "/-/milestones/1",
        "/-/group_members",
        "/-/edit",
        "/-/none",
        "/-",
        "/-/milestones/x",
        "/issues",
        "/deck",
    ] {
        let path = format!("/groups/crew{below}");
        assert_eq!(eve.get(&path).assert_status(404).html, missing, "{path}");
        assert_eq!(stranger.get(&path).assert_status(404).html, missing_for_strangers, "{path}");
    }
    for (below, method) in [
        ("/-/edit", "put"),
        ("/-/edit", "delete"),
        ("/-/group_members", "post"),
        ("/-/group_members/1", "delete"),
        ("/-/group_members/leave", "delete"),
        ("", "put"),
    ] {
        let answer = eve.post(
            &format!("/groups/crew{below}"),
            &[("_method", method), ("authenticity_token", &token), ("user_ids", "eve"), ("access_level", "50")],
        );
        assert_eq!(answer.assert_status(404).html, missing, "{below} {method}");
    }
}

#[both_databases]
fn a_group_is_made_changed_and_deleted(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(Browser::of(server).get("/groups/new").location().starts_with("/users/sign_in"));
    let form = browser.get("/groups/new").assert_status(200);
    let wrong = form
        .submit(&browser, "/groups", &[("group[name]", "Crew"), ("group[path]", "-"), ("group[description]", MARKER)])
        .assert_status(422);
    assert!(wrong.html.contains("problem-path") && wrong.html.contains("value=\"Crew\""), "{}", wrong.html);
    let made = form.submit(
        &browser,
        "/groups",
        &[("group[name]", "Crew"), ("group[path]", "crew"), ("group[visibility_level]", "20")],
    );
    assert_eq!(made.location(), "/groups/crew");
    let id = ada.get("/groups/crew").json()["id"].as_i64().unwrap();
    let nested = browser.get(&format!("/groups/new?parent_id={id}")).assert_status(200);
    let made = nested.submit(
        &browser,
        "/groups",
        &[("group[name]", "Deck"), ("group[path]", "deck"), ("group[visibility_level]", "0")],
    );
    assert_eq!(made.location(), "/groups/crew/deck");
    let _ = browser.get("/groups/new?parent_id=999999").assert_status(404);
    let others = members(server, &ada, &format!("/groups/{id}"), &[("dev", 30), ("boss", 50)]);
    let _ = others[0].get("/groups/crew/-/edit").assert_status(403);
    let page = others[1].get("/groups/crew/-/edit").assert_status(200);
    let wrong = page
        .submit(&others[1], "/groups/crew/-/edit", &[("group[name]", ""), ("group[path]", "crew")])
        .assert_status(422);
    assert!(wrong.html.contains("problem-name"), "{}", wrong.html);
    let saved = page.submit(
        &others[1],
        "/groups/crew/-/edit",
        &[("group[name]", "The crew"), ("group[path]", "team"), ("group[share_with_group_lock]", "1")],
    );
    assert_eq!(saved.location(), "/groups/team/-/edit");
    let api = ada.get("/groups/team").json();
    assert_eq!((api["name"].as_str(), api["share_with_group_lock"].as_bool()), (Some("The crew"), Some(true)));
    let added = others[1].get("/groups/team/-/group_members");
    let _ = member(server, "new");
    let added =
        added.submit(&others[1], "/groups/team/-/group_members", &[("user_ids", "new"), ("access_level", "50")]);
    assert!(followed(&others[1], &added).contains("Members added."));
    let left =
        others[0].get("/groups/team/-/group_members").submit(&others[0], "/groups/team/-/group_members/leave", &[]);
    assert!(followed(&others[0], &left).contains("You left."));
    let token = browser.get("/groups/team/-/edit").token();
    let delete = |named: &str| {
        browser
            .post("/groups/team/-/edit", &[("_method", "delete"), ("authenticity_token", &token), ("confirm", named)])
    };
    assert!(delete("crew").assert_status(422).html.contains("problem-confirm"));
    assert!(followed(&browser, &delete("team")).contains("The group is being deleted."));
    let _ = browser.get("/groups/team").assert_status(404);
}
