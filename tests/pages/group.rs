//! Pages behind `/-/` of a group.

use serde_json::json;
use tenon_testkit::{TestServer, User, on_both};

use crate::browser::{Browser, first};
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

fn safe(browser: &Browser, path: &str) -> String {
    let html = browser.get(path).assert_status(200).html;
    assert!(!html.contains("<b>x</b>"), "{path}: {html}");
    html
}

on_both! {
    fn a_page_of_a_group_answers_its_own_methods(server) {
        let (_ada, _) = world(server);
        let own = Browser::signed_in(server, "ada", PASSWORD);
        let token = own.get("/").token();
        let send = |method: &str, path: &str| own.send(method, path, &[("authenticity_token", token.as_str())], &[]);
        for (method, below, allowed) in [
            ("POST", "issues", "GET, HEAD"), ("DELETE", "group_members", "GET, HEAD, POST"), ("GET", "group_members/leave", "DELETE"),
            ("GET", "labels/7", "DELETE, PUT"), ("POST", "milestones/1", "DELETE, GET, HEAD, PUT"), ("POST", "edit", "DELETE, GET, HEAD, PUT"),
        ] {
            let page = send(method, &format!("/groups/crew/-/{below}")).assert_status(405);
            assert_eq!(page.reply.header("allow"), allowed, "{method} {below}");
        }
        let missing = own.get("/no/such/page").assert_status(404).html;
        let _ = member(server, "cleo").post("/groups", json!({"name": "Hold", "path": "hold", "visibility": "private"})).assert_status(201);
        for path in ["/groups/crew/-/none", "/groups/crew/-/labels/07", "/groups/hold/-/issues", "/groups/none/-/issues"] {
            assert_eq!(send("POST", path).assert_status(404).html, missing, "{path}");
        }
    }

    fn what_happened_in_a_group_is_what_the_caller_may_see(server) {
        let (_ada, _) = world(server);
        let stranger = Browser::of(server);
        let own = Browser::signed_in(server, "ada", PASSWORD);
        let (seen, mine) = (safe(&stranger, "/groups/crew/-/activity"), safe(&own, "/groups/crew/-/activity"));
        assert!(seen.contains("in <a href=\"/crew/open\">") && !seen.contains("crew/secret") && !seen.contains("About Secret"), "{seen}");
        assert!(mine.contains("in <a href=\"/crew/secret\">") && mine.contains("About Secret"), "{mine}");
        assert!(safe(&own, "/groups/crew/-/activity?event_filter=push").contains("Nothing has happened"));
        let moved = stranger.get("/groups/CREW/-/activity?event_filter=push").assert_status(301);
        assert_eq!(moved.reply.header("location"), "/groups/crew/-/activity?event_filter=push");
        assert_eq!(stranger.get("/groups/crew/activity").location(), "/groups/crew/-/activity");
    }

    fn projects_of_a_group_have_lists(server) {
        let (ada, group) = world(server);
        let body = json!({"name": "Elsewhere", "visibility": "public"});
        let other = ada.post("/projects", body).assert_status(201).json()["id"].clone();
        let _ = ada.post(&format!("/projects/{other}/share"), json!({"group_id": group, "group_access": 30})).assert_status(201);
        let stranger = Browser::of(server);
        for (path, has, lacks) in [
            ("projects", vec!["/crew/open\""], vec!["/crew/secret", "/crew/old\"", "/ada/elsewhere\""]),
            ("shared", vec!["/crew/open\"", "/ada/elsewhere\""], vec!["/crew/secret", "/crew/old\""]),
            ("archived", vec!["/crew/old\""], vec!["/crew/secret", "/crew/open\""]),
        ] {
            let page = safe(&stranger, &format!("/groups/crew/-/{path}"));
            assert!(has.iter().all(|part| page.contains(part)) && !lacks.iter().any(|part| page.contains(part)), "{path}: {page}");
        }
        assert!(safe(&Browser::signed_in(server, "ada", PASSWORD), "/groups/crew/-/projects").contains("/crew/secret\""));
        let _ = ada.post("/groups", json!({"name": "Deck", "path": "deck"})).assert_status(201);
        let missing = stranger.get("/no/page").assert_status(404).html;
        for path in ["activity", "projects", "shared", "archived"] {
            assert_eq!(stranger.get(&format!("/groups/deck/-/{path}")).assert_status(404).html, missing, "{path}");
        }
    }

    fn labels_of_a_group_are_made_changed_and_deleted(server) {
        let (_ada, _) = world(server);
        let own = Browser::signed_in(server, "ada", PASSWORD);
        let labels = "/groups/crew/-/labels";
        let new = own.get(&format!("{labels}/new")).assert_status(200);
        assert!(!new.html.contains("label[priority]"), "ranks are for projects: {}", new.html);
        let blank = new.submit(&own, labels, &[("label[title]", ""), ("label[color]", "none")]).assert_status(422);
        assert!(blank.html.contains("problem-title") && blank.html.contains("<h1>New label</h1>"), "{}", blank.html);
        let made = new.submit(&own, labels, &[("label[title]", "bug\"><b>x</b>"), ("label[color]", "#AD1F1A"), ("label[description]", "It fails")]);
        assert_eq!((made.reply.status(), made.location().as_str()), (303, labels));
        let page = safe(&own, labels);
        assert!(page.contains("It fails") && page.contains("The label was saved.") && page.contains(">New label</a>"), "{page}");
        let edit = format!("{labels}/{}", first(&page, "/labels/([0-9]+)/edit"));
        let form = own.get(&format!("{edit}/edit")).assert_status(200);
        let saved = form.send_with(&own, &edit, &[("label[title]", "defect")]);
        assert_eq!(saved.location(), labels);
        let page = own.get(labels);
        assert!(page.html.contains("<bdi class=\"on-dark\">defect</bdi>") && page.html.contains("It fails"), "{}", page.html);
        let followed = page.submit(&own, &format!("{edit}/toggle_subscription"), &[]);
        assert_eq!(followed.location(), labels);
        assert!(own.get(labels).html.contains(">Unsubscribe</button>"));
        // Projects of the group have it, and lead to where it is changed.
        assert!(own.get("/crew/open/labels").assert_status(200).html.contains("of a group"));
        // Others read.
        let stranger = Browser::of(server);
        let seen = safe(&stranger, labels);
        assert!(seen.contains("defect") && !seen.contains("New label") && !seen.contains("/edit\""), "{seen}");
        assert_eq!(stranger.get(&format!("{labels}/new")).location(), "/users/sign_in?return_to=%2Fgroups%2Fcrew%2F%2D%2Flabels%2Fnew");
        let _ = member(server, "bob");
        let bob = Browser::signed_in(server, "bob", PASSWORD);
        let token = bob.get("/").token();
        for path in [format!("{labels}/new"), format!("{edit}/edit")] {
            let _ = bob.get(&path).assert_status(403);
        }
        for (path, method) in [(labels, "post"), (edit.as_str(), "put"), (edit.as_str(), "delete")] {
            let _ = bob.post(path, &[("authenticity_token", &token), ("_method", method), ("label[title]", "x"), ("label[color]", "#fff")]).assert_status(403);
        }
        assert_eq!(stranger.get("/groups/crew/labels").location(), labels);
        let deleted = own.get(labels).submit_last(&own, &edit, &[]);
        assert_eq!(deleted.location(), labels);
        assert!(safe(&own, labels).contains("There are no labels"));
    }

    fn milestones_of_a_group_are_made_changed_and_deleted(server) {
        let (_ada, _) = world(server);
        let own = Browser::signed_in(server, "ada", PASSWORD);
        let list = "/groups/crew/-/milestones";
        let new = own.get(&format!("{list}/new")).assert_status(200);
        let wrong = new.submit(&own, list, &[("milestone[title]", "1.0"), ("milestone[due_date]", "soon")]).assert_status(422);
        assert!(wrong.html.contains("is not a day") && wrong.html.contains("value=\"1.0\""), "{}", wrong.html);
        let made = new.submit(&own, list, &[("milestone[title]", "1.0 \"><b>x</b>"), ("milestone[description]", "*All* of it"), ("milestone[due_date]", "2030-01-31")]);
        assert_eq!((made.reply.status(), made.location()), (303, format!("{list}/1")));
        let page = safe(&own, &format!("{list}/1"));
        assert!(page.contains("<em>All</em>") && page.contains("until 31 Jan 2030"), "{page}");
        let form = own.get(&format!("{list}/1/edit")).assert_status(200);
        assert_eq!(form.send_with(&own, &format!("{list}/1"), &[("milestone[title]", "2.0")]).location(), format!("{list}/1"));
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
            let _ = bob.post(&format!("{list}{path}"), &[("authenticity_token", &token), ("_method", method), ("milestone[title]", "x")]).assert_status(403);
        }
        let missing = own.get("/no/page").assert_status(404).html;
        for path in ["/9", "/9/edit", "/01", "/x"] {
            assert_eq!(own.get(&format!("{list}{path}")).assert_status(404).html, missing, "{path}");
        }
        let deleted = own.get(&format!("{list}/1")).submit_last(&own, &format!("{list}/1"), &[]);
        assert_eq!(deleted.location(), list);
        assert!(own.get(list).html.contains("The milestone was deleted."));
    }

    fn labels_and_milestones_of_a_project_become_those_of_its_group(server) {
        let (ada, group) = world(server);
        let lead = member(server, "lead");
        let project = ada.get("/projects/crew%2Fopen").json()["id"].clone();
        let _ = ada.post(&format!("/projects/{project}/members"), json!({"user_id": lead.id, "access_level": 40})).assert_status(201);
        let label = ada.post(&format!("/projects/{project}/labels"), json!({"name": "bug", "color": "#AD1F1A"})).assert_status(201).json()["id"].clone();
        let _ = ada.post(&format!("/projects/{project}/milestones"), json!({"title": "1.0"})).assert_status(201);
        let (own, lead) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "lead", PASSWORD));
        let token = lead.get("/").token();
        for (path, address) in [("labels", format!("/crew/open/labels/{label}/promote")), ("milestones/1", "/crew/open/milestones/1/promote".to_owned())] {
            // Who may change those of the project alone is not offered it.
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
        let _ = ada.post(&format!("/projects/{personal}/labels"), json!({"name": "x", "color": "#AD1F1A"})).assert_status(201);
        assert!(!safe(&own, "/ada/mine/labels").contains("/promote\""));
    }
}
