//! Rendering Markdown.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

fn html(client: &Client, body: Value) -> String {
    made(client, "/markdown", body)["html"].as_str().expect("a text").to_owned()
}

#[both_databases]
fn without_more_it_is_plain(server: &TestServer) {
    let anonymous = server.anonymous();
    assert_eq!(html(&anonymous, json!({"text": "text"})).trim(), "<p>text</p>");
    let plain = html(&anonymous, json!({"text": "# Hello :tada: #1 @alice **bold**"}));
    assert!(
        plain.contains(":tada: #1 @alice") && plain.contains("<strong>bold</strong>") && plain.contains("<h1"),
        "{plain}"
    );
    assert!(!plain.contains("dir="), "{plain}");
    assert_eq!(anonymous.post("/markdown", json!({"text": "x"})).status(), 201);
    assert_eq!(html(&anonymous, json!({"text": "x", "gfm": ""})).trim(), "<p>x</p>");
}

#[both_databases]
fn with_more_it_has_emoji_and_task_lists(server: &TestServer) {
    let rich = html(&server.anonymous(), json!({"text": "hi :tada:\n\n- [ ] a\n- [x] b", "gfm": true}));
    assert!(rich.contains('🎉') && !rich.contains(":tada:"), "{rich}");
    assert_eq!((rich.matches("type=\"checkbox\"").count(), rich.matches("checked").count()), (2, 1), "{rich}");
}

#[both_databases]
fn with_more_blocks_have_their_place_and_direction(server: &TestServer) {
    let rich = |text: &str| html(&server.anonymous(), json!({"text": text, "gfm": true})).trim().to_owned();
    assert_eq!(rich("Hello world! :tada:"), "<p data-sourcepos=\"1:1-1:19\" dir=\"auto\">Hello world! 🎉</p>");
    let list = rich("# a\n\n- b\n  > c\n");
    assert!(list.starts_with("<h1 data-sourcepos=\"1:1-1:3\" id=\"user-content-a\" dir=\"auto\">"), "{list}");
    assert!(list.contains("<ul data-sourcepos=\"3:1-4:5\" dir=\"auto\">"), "{list}");
    // The direction of a block inside another one is that of the outer one.
    assert!(list.contains("<blockquote data-sourcepos=\"4:3-4:5\">"), "{list}");
    // A text cannot choose either.
    let own = rich("<p data-sourcepos=\"9:9-9:9\" dir=\"rtl\">x</p>");
    assert!(!own.contains("9:9") && !own.contains("rtl"), "{own}");
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let (alice, anonymous) = (server.user("alice"), server.anonymous());
    project(&alice, "hidden", "private");
    anonymous.post("/markdown", json!({})).assert(400, parameter("text is missing"));
    anonymous.post("/markdown", json!({"text": "x", "gfm": "maybe"})).assert(400, parameter("gfm is invalid"));
    for gfm in [true, false] {
        for project in ["alice/hidden", "alice/nothing", "nothing"] {
            for client in [anonymous.clone(), server.user(&format!("u{gfm}{}", project.len())).clone()] {
                let reply = client.post("/markdown", json!({"text": "#1", "gfm": gfm, "project": project}));
                reply.assert(404, missing("Project"));
            }
        }
    }
    let _ = alice.post("/markdown", json!({"text": "#1", "gfm": true, "project": "alice/hidden"})).assert_status(201);
    server.client("no such token").post("/markdown", json!({"text": "x"})).assert(401, unauthorized());
}

#[both_databases]
fn references_become_links_for_those_who_see_what_they_name(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let hidden = project(&cast.owner, "hidden", "private");
    titled(&cast.owner, cast.project, "open title");
    issue(&cast.owner, cast.project, json!({"title": "secret title", "confidential": true}));
    titled(&cast.owner, hidden, "hidden title");
    label(&cast.owner, &cast.path(), "bug");
    milestone(&cast.owner, &cast.path(), "v1");
    let text = "#1 #2 #99 owner/hidden#1 @guest ~bug %v1";
    let render = |client: &Client| html(client, json!({"text": text, "gfm": true, "project": "owner/tool"}));
    let base = server.base();
    for client in [&server.anonymous(), &*cast.stranger, &*cast.guest] {
        let seen = render(client);
        assert!(!seen.contains("secret title") && !seen.contains("hidden title"), "{seen}");
        assert!(!seen.contains("issues/2\"") && !seen.contains("hidden/-/issues"), "{seen}");
        assert!(!seen.contains("issues/99"), "{seen}");
    }
    let seen = render(&cast.guest);
    assert!(seen.contains(&format!("href=\"{base}/owner/tool/-/issues/1\"")), "{seen}");
    assert!(seen.contains(&format!("href=\"{base}/guest\"")), "{seen}");
    let all = render(&cast.owner);
    for want in ["owner/tool/-/issues/1\"", "owner/tool/-/issues/2\"", "owner/hidden/-/issues/1\"", "milestones/1"] {
        assert!(all.contains(want), "{want}: {all}");
    }
    let without = html(&cast.owner, json!({"text": "#1", "gfm": true}));
    assert!(!without.contains("issues/1"), "{without}");
}

#[both_databases]
fn code_names_nothing(server: &TestServer) {
    let alice = server.user("alice");
    titled(&alice, project(&alice, "tool", "public"), "t");
    let seen =
        html(&alice, json!({"text": "`#1 @alice :tada:`\n\n```\n#1\n```", "gfm": true, "project": "alice/tool"}));
    assert!(!seen.contains("href"), "{seen}");
}
