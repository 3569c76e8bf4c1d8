//! The boards of projects and groups.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, followed, pattern, safe};
use crate::project::MARKER;
use crate::{PASSWORD, member};

/// A project in a group of ada's, with five issues, of which the third is `doing` and the last is closed.
fn world(server: &TestServer) -> (User, i64, i64) {
    let ada = member(server, "ada");
    let made = |path: &str, body: Value| ada.post(path, body).assert_status(201).json()["id"].as_i64().expect("an id");
    let group = made("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"}));
    for name in ["doing", "done"] {
        made(&format!("/groups/{group}/labels"), json!({"name": name, "color": "#336699"}));
    }
    let project = made("/projects", json!({"name": "tool", "namespace_id": group, "visibility": "public"}));
    for number in 1..=5 {
        made(&format!("/projects/{project}/issues"), json!({"title": format!("Issue {number}")}));
    }
    let _ = ada.put(&format!("/projects/{project}/issues/3"), json!({"labels": "doing"})).assert_status(200);
    let _ = ada.put(&format!("/projects/{project}/issues/5"), json!({"state_event": "close"})).assert_status(200);
    (ada, group, project)
}

/// The board at an address, with the lists `doing` and `done`.
fn board(browser: &Browser, boards: &str) -> String {
    let made = browser.get(boards).assert_status(200).send_with(browser, boards, &[("board[name]", "Plan")]);
    let address = made.location();
    for label in ["doing", "done"] {
        let page = browser.get(&address).assert_status(200);
        let value = first(&page.html, &format!("<option value=\"([0-9]+)\">{label}</option>"));
        let added = page.submit(browser, &format!("{address}/lists"), &[("list[label_id]", &value)]);
        assert_eq!(added.location(), address);
    }
    address
}

/// The columns of a board: their names in forms, their totals, and the titles of their cards.
fn columns(html: &str) -> Vec<(String, String, Vec<String>)> {
    let sections = pattern("(?s)<section class=\"box\" data-column=.*?</section>");
    let one = |html: &str| {
        let titles = pattern("<h3><a href=\"[^\"]*\"><bdi>(.*?)</bdi>");
        let titles = titles.captures_iter(html).map(|found| found[1].to_owned()).collect();
        let (name, total) = (first(html, "data-column=\"([^\"]*)\""), first(html, "<span class=\"count\">([^<]*)<"));
        (name, total, titles)
    };
    sections.find_iter(html).map(|section| one(section.as_str())).collect()
}

fn titles(html: &str) -> Vec<Vec<String>> {
    columns(html).into_iter().map(|(_, _, titles)| titles).collect()
}

/// The id of the issue with this title on a board.
fn card(html: &str, title: &str) -> String {
    first(html, &format!("(?s)data-card=\"([0-9]+)\"[^>]*><div class=\"what\">\\s*<h3><a [^>]*><bdi>{title}<"))
}

#[both_databases]
fn issues_are_in_columns_and_move_between_them(server: &TestServer) {
    let (ada, _, project) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let issue = |iid: i64| ada.get(&format!("/projects/{project}/issues/{iid}")).assert_status(200).json();
    for (boards, is_group) in [("/crew/tool/boards", false), ("/groups/crew/-/boards", true)] {
        let address = board(&browser, boards);
        let html = safe(&browser, &address);
        let found = columns(&html);
        let totals: Vec<&str> = found.iter().map(|(_, total, _)| total.as_str()).collect();
        assert_eq!(totals, ["3", "1", "0", "1"]);
        assert_eq!(titles(&html)[0], ["Issue 4", "Issue 2", "Issue 1"]);
        assert_eq!(titles(&html)[3], ["Issue 5"]);
        assert_eq!(html.contains("crew/tool#3"), is_group);
        let [open, doing, done, closed] = [0, 1, 2, 3].map(|at: usize| found[at].0.clone());
        let to = |title: &str, from: &str, to: &str, beside: &[(&str, &str)]| {
            let page = browser.get(&address).assert_status(200);
            let id = card(&page.html, title);
            let mut fields = vec![
                ("authenticity_token", page.token()),
                ("move[issue]", id),
                ("move[from]", from.to_owned()),
                ("move[to]", to.to_owned()),
            ];
            fields.extend(beside.iter().map(|(name, title)| (*name, card(&page.html, title))));
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let moved = browser.post(&format!("{address}/move"), &fields);
            assert_eq!(moved.location(), address);
            let html = followed(&browser, &moved);
            assert!(html.contains("Issue moved."));
            titles(&html)
        };
        // From list to list: one label comes, the other goes, and the conversation tells.
        assert_eq!(to("Issue 3", &doing, &done, &[])[2], ["Issue 3"]);
        assert_eq!(issue(3)["labels"], json!(["done"]));
        let notes = ada.get(&format!("/projects/{project}/issues/3/notes")).json().to_string();
        let events = ada.get(&format!("/projects/{project}/issues/3/resource_label_events")).json();
        assert!(events.as_array().is_some_and(|events| events.len() >= 2), "{notes}");
        // Out of all lists, and to a place in the column.
        assert_eq!(
            to("Issue 3", &done, &open, &[("move[after]", "Issue 4")])[0],
            ["Issue 4", "Issue 3", "Issue 2", "Issue 1"]
        );
        assert_eq!(issue(3)["labels"], json!([]));
        assert_eq!(
            to("Issue 1", &open, &open, &[("move[before]", "Issue 4")])[0],
            ["Issue 1", "Issue 4", "Issue 3", "Issue 2"]
        );
        // Closed, and open again in a list.
        assert_eq!(to("Issue 2", &open, &closed, &[])[3], ["Issue 5", "Issue 2"]);
        assert_eq!(issue(2)["state"], "closed");
        assert_eq!(to("Issue 5", &closed, &doing, &[])[1], ["Issue 5"]);
        assert_eq!((&issue(5)["state"], &issue(5)["labels"]), (&json!("opened"), &json!(["doing"])));
        // As it was, for the next board.
        to("Issue 5", &doing, &open, &[]);
        to("Issue 5", &open, &closed, &[]);
        to("Issue 2", &closed, &open, &[]);
        to("Issue 3", &open, &doing, &[]);
        to("Issue 1", &open, &open, &[("move[after]", "Issue 2")]);
    }
}

#[both_databases]
fn the_forms_of_a_card_work_without_script(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let address = board(&browser, "/crew/tool/boards");
    let page = browser.get(&address).assert_status(200);
    // The first card of the first column: its button moves it down.
    let down = first(&page.html, "<button name=\"move\\[after\\]\" value=\"([0-9]+)\">Move down</button>");
    let moved = page.submit(&browser, &format!("{address}/move"), &[("move[to]", "open"), ("move[after]", &down)]);
    let html = followed(&browser, &moved);
    assert_eq!(titles(&html)[0], ["Issue 2", "Issue 4", "Issue 1"]);
    // Lists are moved and removed.
    let list = first(&html, &format!("action=\"({address}/lists/[0-9]+)\""));
    let moved = browser.get(&address).submit(&browser, &list, &[("list[position]", "1")]);
    let html = followed(&browser, &moved);
    assert!(html.contains("Board saved.") && titles(&html)[2] == ["Issue 3"], "{:?}", titles(&html));
    let refused = browser.get(&address).submit(&browser, &list, &[("list[position]", "7")]).assert_status(422);
    assert!(refused.html.contains("List could not be moved!"));
    let removed = browser.get(&address).submit_last(&browser, &list, &[]);
    assert_eq!(titles(&followed(&browser, &removed)).len(), 3);
}

#[both_databases]
fn a_board_is_renamed_reduced_and_deleted(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for boards in ["/crew/tool/boards", "/groups/crew/-/boards"] {
        let page = browser.get(boards).assert_status(200);
        assert!(page.html.contains("No boards"));
        let refused = page.send_with(&browser, boards, &[("board[name]", " ")]).assert_status(422);
        assert!(refused.html.contains("href=\"#board-name\""), "{}", refused.html);
        let address = board(&browser, boards);
        let form = browser.get(&address).assert_status(200);
        let refused = form.submit(&browser, &address, &[("board[name]", "")]).assert_status(422);
        assert!(refused.html.contains("aria-invalid=\"true\""));
        let changes = [("board[name]", MARKER), ("board[hides_open]", "1"), ("board[hides_closed]", "0")];
        let saved = browser.get(&address).submit(&browser, &address, &changes);
        let html = followed(&browser, &saved);
        assert!(html.contains("Board saved.") && !html.contains("<b>x</b>"));
        let names: Vec<String> = columns(&html).into_iter().map(|(name, _, _)| name).collect();
        assert!(names.len() == 3 && !names.contains(&"open".to_owned()), "{names:?}");
        let html = safe(&browser, boards);
        assert!(html.contains(&format!("href=\"{address}\"")) && html.contains("2 lists"));
        let gone = browser.get(&address).submit_last(&browser, &address, &[]);
        assert!(followed(&browser, &gone).contains("Board deleted."));
        let _ = browser.get(&address).assert_status(404);
    }
}

#[both_databases]
fn callers_see_what_they_may_and_change_nothing_else(server: &TestServer) {
    let (ada, _, project) = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let address = board(&own, "/crew/tool/boards");
    let of_group = board(&own, "/groups/crew/-/boards");
    let secret = json!({"title": "Secret plan", "confidential": true});
    let _ = ada.post(&format!("/projects/{project}/issues"), secret).assert_status(201);
    let bob = member(server, "bob");
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    for address in [&address, &of_group] {
        assert!(safe(&own, address).contains("Secret plan"));
        let html = safe(&browser, address);
        assert!(!html.contains("Secret plan") && !html.contains("<form method=\"post\" action=\"/crew/tool/boards"));
        assert_eq!(columns(&html)[0].1, "3", "it is not counted either");
        let token = browser.get(address).token();
        let id = card(&html, "Issue 4");
        let fields = [
            ("authenticity_token", token.as_str()),
            ("move[issue]", &id),
            ("move[from]", "open"),
            ("move[to]", "closed"),
        ];
        let _ = browser.post(&format!("{address}/move"), &fields).assert_status(403);
        let _ = browser.post(&format!("{address}/lists"), &[fields[0], ("list[label_id]", "1")]).assert_status(403);
        for (method, status) in [("put", 403), ("delete", 403)] {
            let fields = [fields[0], ("_method", method), ("board[name]", "x")];
            let _ = browser.post(address, &fields).assert_status(status);
        }
    }
    let stranger = Browser::of(server);
    assert_eq!(titles(&safe(&stranger, &address))[0], ["Issue 4", "Issue 2", "Issue 1"]);
    assert!(stranger.get(&of_group).location().starts_with("/users/sign_in"));
    // Fields that no form of ours sends.
    let token = own.get(&address).token();
    let elsewhere = ada.post("/projects", json!({"name": "other"})).assert_status(201).json()["id"].clone();
    let other = ada.post(&format!("/projects/{elsewhere}/issues"), json!({"title": "t"})).json()["id"].to_string();
    for (issue, to) in [("x", "open"), ("0", "open"), (other.as_str(), "open"), ("1", "999"), ("1", "x"), ("1", "")] {
        let fields =
            [("authenticity_token", &*token), ("move[issue]", issue), ("move[from]", "open"), ("move[to]", to)];
        let _ = own.post(&format!("{address}/move"), &fields).assert_status(404);
    }
    // Without issues there are no boards, whoever asks.
    let _ = ada.put(&format!("/projects/{project}"), json!({"issues_access_level": "private"})).assert_status(200);
    let _ = browser.get(&address).assert_status(404);
    let _ = bob.get(&format!("/projects/{project}/boards")).assert_status(403);
    let _ = ada.put(&format!("/projects/{project}"), json!({"issues_access_level": "disabled"})).assert_status(200);
    let _ = own.get(&address).assert_status(404);
    assert!(!safe(&own, &of_group).contains("Issue 4"));
}

#[both_databases]
fn a_board_costs_statements_for_no_list_and_no_card(server: &TestServer) {
    let (ada, group, project) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for (boards, home) in
        [("/crew/tool/boards", format!("/projects/{project}")), ("/groups/crew/-/boards", format!("/groups/{group}"))]
    {
        let address = board(&browser, boards);
        let id = address.rsplit('/').next().expect("an id").to_owned();
        let count = || {
            let _ = browser.get(&address).assert_status(200);
            server.count_statements(|| drop(browser.get(&address)))
        };
        let few = count();
        for number in 0..18 {
            let label = json!({"name": format!("{id}-{number}"), "color": "#123456"});
            let label = ada.post(&format!("/groups/{group}/labels"), label).assert_status(201).json()["id"].clone();
            let list = json!({"label_id": label});
            let _ = ada.post(&format!("{home}/boards/{id}/lists"), list).assert_status(201);
            let issue = json!({"title": "More", "labels": format!("{id}-{number}")});
            let _ = ada.post(&format!("/projects/{project}/issues"), issue).assert_status(201);
        }
        let many = count();
        assert!(many <= few, "{boards}: {few} statements for 2 lists, {many} for 20");
        let html = safe(&browser, &address);
        assert_eq!(columns(&html).len(), 22);
        for _ in 0..22 {
            let issue = json!({"title": "More", "labels": "done"});
            let _ = ada.post(&format!("/projects/{project}/issues"), issue).assert_status(201);
        }
        let html = safe(&browser, &address);
        let done = columns(&html).into_iter().find(|(_, total, _)| total.parse().is_ok_and(|count: i64| count >= 22));
        let (_, total, cards) = done.expect("the column");
        assert_eq!(cards.len(), 20);
        assert!(html.contains(&format!("All {total} issues")) && html.contains("issues?label_name[]=done"));
        assert!(count() <= few, "{few}");
    }
}
