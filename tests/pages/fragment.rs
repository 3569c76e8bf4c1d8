//! The fragments that the script asks for, and programs may: lines that a difference leaves out, rendered texts, names
//! that complete one.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::issue::tracker;
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

#[both_databases]
fn lines_that_a_difference_leaves_out_are_shown(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let lines = |changed: usize| {
        (1..=120)
            .map(|line| if line == changed { "<b>x</b>\n".to_owned() } else { format!("line {line}\n") })
            .collect::<String>()
    };
    let _ = commit(
        &ada,
        "ada/tool",
        "main",
        "First",
        &[("a.txt", lines(0).as_bytes()), ("bin", b"a\0b"), ("dir/diff", b"of a directory\n")],
    );
    let body = json!({"branch": "main", "commit_message": "Second", "actions": [
        {"action": "update", "file_path": "a.txt", "content": format!("new\n{}", lines(60))}, {"action": "create", "file_path": "new.txt", "content": "n\n"},
    ]});
    let head = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let browser = Browser::of(server);
    let shown = browser.get(&format!("/ada/tool/commit/{head}")).assert_status(200);
    let file = format!("/ada/tool/blob/{head}/a.txt/diff");
    let hrefs: Vec<String> = shown.links().into_iter().filter(|link| link.contains("/diff?")).collect();
    assert_eq!(
        hrefs,
        [format!("{file}?since=38&to=57&offset=1&first=5"), format!("{file}?since=65&to=84&offset=1&bottom=true")]
    );
    assert!(
        shown.html.contains("Show lines 38 to 57</a> @@") && shown.html.contains("Show more lines</a>"),
        "{}",
        shown.html
    );
    let page = browser.get(&hrefs[0]).assert_status(200);
    assert!(
        page.html.contains("<tr><td>37</td><td>38</td><td>line 37</td></tr>")
            && page.html.contains("line 56</td>")
            && !page.html.contains("line 57<"),
        "{}",
        page.html
    );
    assert!(
        page.html.contains(&format!("{file}?since=18&#38;to=37&#38;offset=1&#38;first=5\">Show lines 18 to 37</a>")),
        "{}",
        page.html
    );
    let rows = browser.send("GET", &hrefs[1], &[], &[("X-Fragment", "1")]).assert_status(200);
    assert!(
        rows.html.trim_start().starts_with("<tr><td>64</td><td>65</td>")
            && rows.html.contains("since=85&#38;to=104")
            && !rows.html.contains("<html"),
        "{}",
        rows.html
    );
    let beside = browser.get(&format!("{file}?since=60&to=62&offset=1&view=parallel")).assert_status(200);
    assert!(
        beside.html.contains(
            "<tr><td>60</td><td>&#60;b&#62;x&#60;/b&#62;</td><td>61</td><td>&#60;b&#62;x&#60;/b&#62;</td></tr>"
        ),
        "{}",
        beside.html
    );
    assert_eq!(browser.get(&format!("{file}?since=1&to=99999")).assert_status(200).html.matches("<tr>").count(), 100);
    assert!(
        browser
            .get(&format!("{file}?since=500&to=510"))
            .assert_status(200)
            .html
            .contains("These lines do not exist in the file.")
    );
    // If nothing follows, a row says so, and the script has the place from which to go on.
    let end = browser
        .send("GET", &format!("{file}?since=122&to=141&offset=1&bottom=true"), &[], &[("X-Fragment", "1")])
        .assert_status(200);
    assert_eq!(end.html.trim(), "<tr class=\"hunk\"><td colspan=\"3\">End of file.</td></tr>");
    // A file may be called as the page.
    assert!(browser.get("/ada/tool/blob/main/dir/diff").assert_status(200).html.contains("of a directory"));
    let missing = browser.get("/no/such/page").assert_status(404).html;
    for odd in [
        "a.txt/diff",
        "a.txt/diff?since=0&to=3",
        "a.txt/diff?since=3&to=2",
        "none/diff?since=1&to=3",
        "bin/diff?since=1&to=3",
        "dir/diff/diff/x?since=1&to=2",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool/blob/main/{odd}")).assert_status(404).html, missing, "{odd}");
    }
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    assert_eq!(browser.get(&hrefs[0]).assert_status(404).html, missing);
}

#[both_databases]
fn lines_of_a_file_that_is_too_large_are_in_the_raw_file(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let large = "a line\n".repeat(80_000);
    let _ = commit(&ada, "ada/tool", "main", "First", &[("large.txt", large.as_bytes())]);
    let browser = Browser::of(server);
    let asked = "/ada/tool/blob/main/large.txt/diff?since=7&to=26&offset=0&bottom=true";
    for headers in [&[][..], &[("X-Fragment", "1")]] {
        let page = browser.send("GET", asked, &[], headers).assert_status(200);
        let want = "This file is too large to display more lines. <a href=\"/ada/tool/raw/main/large.txt\">";
        assert!(page.html.contains(want), "{}", page.html);
    }
    let _ = browser.get("/ada/tool/raw/main/large.txt").assert_status(200);
}

#[both_databases]
fn a_text_is_shown_as_it_will_look(server: &TestServer) {
    let (ada, id) = tracker(server);
    let _ = member(server, "bob");
    let address = "/ada/tool/preview_markdown";
    let show = |browser: &Browser, text: &str| {
        let page =
            browser.post(address, &[("authenticity_token", &browser.get("/users/sign_in").token()), ("text", text)]);
        (
            page.reply.status(),
            page.reply.header("content-type"),
            page.reply.json()["body"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let token = own.get("/ada/tool").token();
    let send = |text: &str| own.post(address, &[("authenticity_token", &token), ("text", text)]).assert_status(200);
    let page = send(&format!("**b** {MARKER} #26 ~bug"));
    let html = page.reply.json()["body"].as_str().unwrap().to_owned();
    assert_eq!(page.reply.header("content-type"), "application/json");
    assert!(
        html.contains("<strong>b</strong>") && !html.contains("<img src=x") && html.contains("/ada/tool/-/issues/26\""),
        "{html}"
    );
    assert_eq!(send("").reply.json(), json!({"body": ""}));
    // Objects that others may not see are not named for them.
    let (status, kind, html) = show(&Browser::of(server), "*i* #26 #1");
    assert_eq!((status, kind.as_str()), (200, "application/json"));
    assert!(html.contains("<em>i</em>") && !html.contains("issues/26") && html.contains("issues/1\""), "{html}");
    let _ = own.post(address, &[("text", "x")]).assert_status(422);
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let token = bob.get("/").token();
    let missing =
        bob.post("/no/such/preview_markdown", &[("authenticity_token", &token), ("text", "x")]).assert_status(404).html;
    assert_eq!(bob.post(address, &[("authenticity_token", &token), ("text", "x")]).assert_status(404).html, missing);
}

#[both_databases]
fn names_complete_what_one_types(server: &TestServer) {
    let (ada, id) = tracker(server);
    let bobs = member(server, "bob");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let list = |browser: &Browser, what: &str| {
        browser.get(&format!("/ada/tool/autocomplete_sources/{what}")).assert_status(200).reply.json()
    };
    assert_eq!(list(&own, "issues?search=Hidden"), json!([{"iid": 26, "title": "Hidden issue"}]));
    assert_eq!(list(&bob, "issues?search=Hidden"), json!([]));
    let open = list(&own, "issues");
    assert!(
        open.as_array().unwrap().len() == 25 && open[0]["iid"] == 26 && !open.to_string().contains("\"iid\":2,"),
        "those that are open, newest first: {open}"
    );
    assert_eq!(list(&own, "merge_requests"), json!([]));
    let labels = list(&own, "labels?type=Issue&type_id=1");
    let labels: Vec<(String, bool)> = labels
        .as_array()
        .unwrap()
        .iter()
        .map(|label| (label["title"].as_str().unwrap().to_owned(), label["set"] == true))
        .collect();
    assert_eq!(labels, [("a\">x &c".to_owned(), false), ("bug".to_owned(), true)]);
    assert_eq!(list(&own, "labels?search=bug")[0]["color"], "#AD1F1A");
    assert_eq!(list(&own, "milestones")[0]["iid"], 1);
    let members = list(&own, "members?type=Issue&type_id=1");
    assert_eq!((&members[0]["username"], members.as_array().unwrap().len()), (&json!("ada"), 1));
    assert!(members[0]["avatar_url"].as_str().unwrap().starts_with("/uploads/-/system/user/"), "{members}");
    assert_eq!(list(&own, "members?search=none"), json!([]));
    // Participants are found by name, even if they are no members.
    assert_eq!(list(&own, "members?search=bob"), json!([]));
    let note = json!({"body": "It is loud, too."});
    let _ = bobs.post(&format!("/projects/{id}/issues/1/notes"), note).assert_status(201);
    for (below, want) in [
        ("search=BOB&type=Issue&type_id=1", json!(["bob"])),
        ("search=none&type=Issue&type_id=1", json!([])),
        ("type=Issue&type_id=1", json!(["ada", "bob"])),
    ] {
        let found = list(&own, &format!("members?{below}"));
        let names: Vec<&serde_json::Value> = found.as_array().unwrap().iter().map(|user| &user["username"]).collect();
        assert_eq!(json!(names), want, "{below}");
    }
    // A number finds the issue that has it, closed or not, and never a hidden one.
    for search in ["2", "%232"] {
        let found = list(&own, &format!("issues?search={search}"));
        assert_eq!((&found[0]["iid"], found.to_string().matches("\"iid\":2,").count()), (&json!(2), 1), "{found}");
    }
    assert_eq!(list(&bob, "issues?search=26"), json!([]));
    let commands = list(&own, "commands?type=Issue&type_id=1");
    let due = commands.as_array().unwrap().iter().find(|command| command["name"] == "due").unwrap();
    assert_eq!((&due["aliases"], &due["params"]), (&json!(["due_date"]), &json!(["2027-01-31"])));
    // Hidden and missing pages look the same.
    let missing = bob.get("/no/such/page").assert_status(404).html;
    for below in [
        "none",
        "labels?type=Issue&type_id=26",
        "labels?type=Issue&type_id=99",
        "labels?type=x&type_id=1",
        "members?type_id=1",
        "commands?type=Issue&type_id=x",
    ] {
        assert_eq!(
            bob.get(&format!("/ada/tool/autocomplete_sources/{below}")).assert_status(404).html,
            missing,
            "{below}"
        );
    }
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    for what in ["members", "issues", "merge_requests", "labels", "milestones", "commands"] {
        assert_eq!(
            bob.get(&format!("/ada/tool/autocomplete_sources/{what}")).assert_status(404).html,
            missing,
            "{what}"
        );
    }
}
