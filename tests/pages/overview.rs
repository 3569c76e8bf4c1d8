//! The overview of a merge request shows the code of its discussions; the form of a new one shows what it brings.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, safe};
use crate::merge_request::offer;
use crate::project::{MARKER, commit};
use crate::{PASSWORD, member};

const ONE: &str = "/ada/tool/merge_requests/1";
const NEW: &str = "/ada/tool/merge_requests/new?merge_request[source_branch]=topic";

/// Begins a discussion on this line of `a.txt`.
fn discuss(ada: &User, id: i64, body: &str, line: Value) -> String {
    let api = format!("/projects/{id}/merge_requests/1");
    let mut position = ada.get(&api).json()["diff_refs"].clone();
    let fields = [("position_type", json!("text")), ("old_path", json!("a.txt")), ("new_path", json!("a.txt"))];
    let line = line.as_object().unwrap().clone();
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(line);
    position.as_object_mut().unwrap().extend(fields);
    let made = ada.post(&format!("{api}/discussions"), json!({"body": body, "position": position}));
    made.assert_status(201).json()["id"].as_str().unwrap().to_owned()
}

fn thread(html: &str, id: &str) -> String {
    first(html, &format!("(?s)(<section class=\"thread[^>]*id=\"discussion_{id}\".*?</section>)"))
}

#[both_databases]
fn the_code_of_a_discussion_stands_above_it(server: &TestServer) {
    let (ada, id) = offer(server);
    let added = discuss(&ada, id, "Why loud?", json!({"new_line": 2}));
    let removed = discuss(&ada, id, "It was fine.", json!({"old_line": 2}));
    let nowhere = discuss(&ada, id, "Here?", json!({"new_line": 4_000}));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, ONE);
    let rows = |html: &str, id: &str| {
        let rows = thread(html, id);
        rows.split("<tr").skip(1).map(|row| first(row, "<td>([^<]*)</td></tr>")).collect::<Vec<_>>()
    };
    assert_eq!(rows(&page, &added), ["one", "two", "TWO"]);
    assert_eq!(rows(&page, &removed), ["one", "two"]);
    assert!(!thread(&page, &nowhere).contains("<table") && thread(&page, &nowhere).contains("line 4000"), "{page}");
    assert!(!page.contains("(outdated)"), "{page}");
    // The discussions lead to each other, in a circle.
    let next = |id: &str| first(&thread(&page, id), "href=\"#discussion_([0-9a-f]+)\" aria-label=\"Next discussion\"");
    assert_eq!((next(&added), next(&removed), next(&nowhere)), (removed.clone(), nowhere.clone(), added.clone()));
    // A line that was changed since then is still shown as it was, and says so.
    let body = json!({"branch": "topic", "commit_message": "Softer", "actions": [
        {"action": "update", "file_path": "a.txt", "content": "zero\none\nTwo\nthree\nfour\n"},
    ]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    server.run_jobs();
    for _ in 0..2 {
        let page = safe(&browser, ONE);
        assert_eq!(rows(&page, &added), ["one", "two", "TWO"]);
        assert!(thread(&page, &added).contains("line 2 (outdated)"), "{page}");
        assert!(!thread(&page, &removed).contains("(outdated)"), "{page}");
    }
}

#[both_databases]
fn the_top_of_a_merge_request_has_commands_and_facts_in_short(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let _ =
        ada.post(&format!("/projects/{id}/members"), json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    let facts = json!({"reviewer_ids": [bob.id], "labels": "bug"});
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1"), facts).assert_status(200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, ONE);
    for text in [
        "value=\"git fetch origin refs/merge-requests/1/head\"",
        "value=\"git checkout -b merge-request-1 FETCH_HEAD\"",
        "data-copy-text=\"topic\" aria-label=\"Copy branch name\"",
        "title=\"Review requested\"",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Phones have the facts below the conversation, and this line above it.
    let brief = first(&page, "(?s)<a class=\"brief bar latest\" href=\"#facts\">(.*?)</a>");
    assert!(brief.contains("alt=\"Reviewers: bob\"") && brief.contains(">bug</bdi>"), "{brief}");
    assert!(page.contains("<aside class=\"facts\" id=\"facts\""), "{page}");
    let own = Browser::signed_in(server, "bob", PASSWORD);
    for (button, words) in [("request_changes", "Changes requested"), ("approve", "Approved")] {
        let _ = own.get(ONE).assert_status(200).submit(&own, &format!("{ONE}/{button}"), &[]).location();
        assert!(safe(&browser, ONE).contains(&format!("title=\"{words}\"")), "{words}");
    }
}

#[both_databases]
fn a_resolved_discussion_is_folded(server: &TestServer) {
    let (ada, id) = offer(server);
    let discussion = discuss(&ada, id, "Why loud?", json!({"new_line": 2}));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let fold = "<details class=\"fold\"><summary class=\"muted\">";
    for path in [ONE.to_owned(), format!("{ONE}/diffs")] {
        assert!(!safe(&browser, &path).contains(fold), "{path}");
    }
    let api = format!("/projects/{id}/merge_requests/1/discussions/{discussion}");
    let _ = ada.put(&api, json!({"resolved": true})).assert_status(200);
    for path in [ONE.to_owned(), format!("{ONE}/diffs"), format!("{ONE}/diffs?view=parallel")] {
        let folded = thread(&safe(&browser, &path), &discussion);
        assert!(folded.contains(fold) && folded.contains("Resolved by <bdi>ada</bdi> <time datetime="), "{folded}");
        assert!(folded.contains("Why loud?") && folded.contains("Unresolve</button>"), "{folded}");
    }
    // Its open form is not hidden.
    let note = ada.get(&api).json()["notes"][0]["id"].to_string();
    let open = safe(&browser, &format!("{ONE}?edit_note={note}"));
    assert!(thread(&open, &discussion).contains("<details class=\"fold\" open>"), "{open}");
    let _ = ada.put(&api, json!({"resolved": false})).assert_status(200);
    assert!(!safe(&browser, ONE).contains(fold));
}

#[both_databases]
fn a_new_merge_request_shows_what_it_brings(server: &TestServer) {
    let (ada, id) = offer(server);
    let branch = json!({"branch": "stable", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), branch).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, &format!("{NEW}&merge_request[target_branch]=stable"));
    for text in [
        "value=\"Topic\"",
        "Commits <span class=\"count\">1</span>",
        ">Change</bdi>",
        "Changed files <span class=\"count\">1</span>",
        "TWO",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // The target is chosen from the branches.
    assert!(
        page.contains("<option value=\"stable\" selected>stable</option>") && page.contains("<option value=\"main\">"),
        "{page}"
    );
    // Other branches are compared without making anything, and what was typed stays.
    let form = browser.get(NEW).assert_status(200);
    let fields = [
        ("merge_request[source_branch]", "stable"),
        ("merge_request[target_branch]", "main"),
        ("merge_request[title]", MARKER),
        ("action", "compare"),
    ];
    let compared = form.submit(&browser, "/ada/tool/merge_requests", &fields).assert_status(200).html;
    assert!(compared.contains("There are no differences") && !compared.contains("<img src=x"), "{compared}");
    assert!(compared.contains("value=\"&#34;") || compared.contains("value=\"&quot;"), "{compared}");
    assert_eq!(ada.get(&format!("/projects/{id}/merge_requests")).json().as_array().unwrap().len(), 1);
    // A branch that is missing is no failure of the page.
    let odd = [("merge_request[target_branch]", "none"), ("action", "compare")];
    let page = form.submit(&browser, "/ada/tool/merge_requests", &odd).assert_status(200).html;
    assert!(!page.contains("Changed files") && page.contains("<option value=\"none\" selected>"), "{page}");
    for odd in ["%3Cb%3Ex", "HEAD", "..", "-x", "refs%2Fheads%2Fmain"] {
        let _ = safe(&browser, &format!("{NEW}&merge_request[target_branch]={odd}"));
    }
}

#[both_databases]
fn a_merge_request_from_a_fork_offers_the_branches_of_its_origin(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let _ = bob.get("/ada/tool/forks/new").submit(&bob, "/ada/tool/forks", &[]);
    server.run_jobs();
    let branch = json!({"branch": "of-origin", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), branch).assert_status(201);
    let page = safe(&bob, "/bob/tool/merge_requests/new?merge_request[source_branch]=topic");
    assert!(
        page.contains("<option value=\"of-origin\">") && page.contains("<option value=\"main\" selected>"),
        "{page}"
    );
    assert!(page.contains("Changed files <span class=\"count\">1</span>"), "{page}");
    let own = bob.get("/bob/tool/merge_requests/new?merge_request[source_branch]=topic").assert_status(200);
    let target = first(&own.html, "<option value=\"([0-9]+)\"[^>]*>bob/tool</option>");
    let here = format!(
        "/bob/tool/merge_requests/new?merge_request[source_branch]=topic&merge_request[target_project_id]={target}"
    );
    let page = safe(&bob, &here);
    assert!(!page.contains("of-origin") && page.contains("Changed files <span class=\"count\">1</span>"), "{page}");
    // A project of others is named by its number in vain.
    let _ = commit(&ada, "ada/tool", "main", "Later", &[("c.txt", b"c\n")]);
    // The fork does not have that commit.
    let page = safe(&bob, "/bob/tool/merge_requests/new?merge_request[source_branch]=topic");
    assert!(page.contains("of-origin") && !page.contains("Changed files"), "{page}");
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let hidden = bob.get(&format!("{here}0")).html;
    assert!(!hidden.contains("of-origin"), "{hidden}");
}
