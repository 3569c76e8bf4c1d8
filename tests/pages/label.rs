//! Labels and milestones of a project: making, changing and deleting them.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::issue::tracker;
use crate::project::project;
use crate::{PASSWORD, member};

#[both_databases]
fn labels_and_milestones_are_made_changed_and_deleted(server: &TestServer) {
    let _ = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let labels = safe(&browser, "/ada/tool/labels");
    assert!(labels.contains("12 open issues") && labels.contains("class=\"on-light\""), "{labels}");
    let form = browser.get("/ada/tool/labels/new").assert_status(200);
    let fields = [("label[title]", "fresh"), ("label[color]", "no colour"), ("label[priority]", "x")];
    let refused = form.submit(&browser, "/ada/tool/labels", &fields).assert_status(422);
    assert!(refused.html.contains("problem-priority") && refused.html.contains("value=\"no colour\""));
    let refused = form.submit(&browser, "/ada/tool/labels", &fields[..2]).assert_status(422);
    assert!(refused.html.contains("must be a valid color code"), "{}", refused.html);
    let made = form.submit(
        &browser,
        "/ada/tool/labels",
        &[("label[title]", "fresh"), ("label[color]", "teal"), ("label[priority]", "1")],
    );
    let page = followed(&browser, &made);
    let id = first(&page, "labels/([0-9]+)/edit\" aria-label=\"Edit fresh\"");
    let one = format!("/ada/tool/labels/{id}");
    let edit = browser.get(&format!("{one}/edit")).assert_status(200);
    assert!(
        followed(&browser, &edit.submit(&browser, &one, &[("label[title]", "older"), ("label[color]", "#123456")]))
            .contains("Edit older")
    );
    let token = browser.get("/ada/tool/labels").token();
    let post = |path: &str, method: &str| {
        followed(&browser, &browser.post(path, &[("authenticity_token", &token), ("_method", method)]))
    };
    assert!(post(&format!("{one}/toggle_subscription"), "").contains("Unsubscribe from older"));
    assert!(!post(&one, "delete").contains("Edit older"));
    // Milestones.
    let form = browser.get("/ada/tool/milestones/new").assert_status(200);
    let refused = form
        .submit(
            &browser,
            "/ada/tool/milestones",
            &[
                ("milestone[title]", "2.0"),
                ("milestone[start_date]", "2030-02-02"),
                ("milestone[due_date]", "2030-02-01"),
            ],
        )
        .assert_status(422);
    assert!(refused.html.contains("must be greater than start date"), "{}", refused.html);
    let made = form.submit(
        &browser,
        "/ada/tool/milestones",
        &[("milestone[title]", "2.0"), ("milestone[description]", "Next"), ("milestone[due_date]", "2030-02-01")],
    );
    assert_eq!(made.location(), "/ada/tool/milestones/2");
    let page = safe(&browser, "/ada/tool/milestones/1");
    assert!(
        page.contains("Issues <span class=\"count\">1</span>")
            && page.contains("0 of 1 completed")
            && page.contains("due 31 Jan 2030"),
        "{page}"
    );
    let closed = browser.get("/ada/tool/milestones/2").submit(&browser, "/ada/tool/milestones/2", &[]);
    assert!(followed(&browser, &closed).contains("Reopen"));
    assert!(safe(&browser, "/ada/tool/milestones?state=closed").contains("2.0"));
    assert!(!post("/ada/tool/milestones/2", "delete").contains("2.0"));
}

#[both_databases]
fn a_label_in_a_text_looks_like_a_label(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let body = json!({"name": "bug", "color": "#cc0033", "description": "\"><b>x</b>"});
    let _ = ada.post(&format!("/projects/{id}/labels"), body).assert_status(201);
    let text = "See ~bug, ~none and `~bug`. <a class=\"gfm gfm-label\" data-color=\"#123456\" href=\"/x\">own</a>";
    let body = json!({"title": "One", "description": text});
    let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, "/ada/tool/issues/1");
    let pill = "class=\"gfm gfm-label label\"><svg aria-hidden=\"true\"";
    assert_eq!(page.matches(pill).count(), 1, "{page}");
    assert!(page.contains("fill=\"#cc0033\"/></svg><bdi class=\"on-dark\">bug</bdi></a>, ~none"), "{page}");
    assert!(!page.contains("data-color") && !page.contains("#123456"), "{page}");
    // The preview shows the same.
    let token = browser.get("/ada/tool/issues/1").token();
    let fields = [("authenticity_token", token.as_str()), ("text", "~bug")];
    let preview = browser.post("/ada/tool/preview_markdown", &fields).assert_status(200).reply.json();
    assert!(preview["body"].as_str().unwrap().contains(pill), "{preview}");
}
