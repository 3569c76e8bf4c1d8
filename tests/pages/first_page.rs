//! The first page of a user: everything that waits, and the branches that were just pushed.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

/// A private project of `ada`'s in which `bob` is a developer and `cleo` a guest, with a branch and its merge request.
fn world(server: &TestServer) -> (User, User, i64) {
    let (ada, bob, cleo) = (member(server, "ada"), member(server, "bob"), member(server, "cleo"));
    let id = project(&ada, "tool", "private");
    for (user, level) in [(&bob, 30), (&cleo, 10)] {
        let body = json!({"user_id": user.id, "access_level": level});
        let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    }
    let _ = commit(&ada, "ada/tool", "main", "Begin", &[("a.txt", b"a\n")]);
    branch(&bob, "topic");
    let body = json!({
        "source_branch": "topic", "target_branch": "main", "title": format!("Merge {MARKER}"), "reviewer_ids": [ada.id],
        "assignee_ids": [bob.id],
    });
    let _ = bob.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    (ada, bob, id)
}

/// A branch of `main` with one commit of this user's.
fn branch(user: &User, name: &str) {
    let body = json!({"branch": name, "ref": "main"});
    let _ = user.post("/projects/ada%2Ftool/repository/branches", body).assert_status(201);
    let _ = commit(user, "ada/tool", name, &format!("Work on {name}"), &[("b.txt", name.as_bytes())]);
}

fn tip(user: &User, name: &str) -> String {
    let found = user.get(&format!("/projects/ada%2Ftool/repository/branches/{name}")).assert_status(200).json();
    found["commit"]["id"].as_str().unwrap().to_owned()
}

fn part(title: &str, count: usize) -> String {
    format!("{title} <span class=\"count\">{count}</span>")
}

#[both_databases]
fn the_first_page_says_what_needs_me(server: &TestServer) {
    let (ada, bob, id) = world(server);
    let _ = ada
        .post(&format!("/projects/{id}/issues"), json!({"title": format!("Issue {MARKER}"), "assignee_ids": [bob.id]}))
        .assert_status(201);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "Two"})).assert_status(201);
    let body = json!({"body": format!("@bob look {MARKER}")});
    let _ = ada.post(&format!("/projects/{id}/issues/2/notes"), body).assert_status(201);
    let status = json!({"state": "failed", "name": "unit", "ref": "topic"});
    let _ = ada.post(&format!("/projects/{id}/statuses/{}", tip(&bob, "topic")), status).assert_status(201);
    branch(&bob, "loose");
    let own = Browser::signed_in(server, "bob", PASSWORD);
    for path in ["/", "/dashboard"] {
        let page = safe(&own, path);
        for text in [
            part("Failed pipelines", 1),
            // A pipeline has the subject of its commit.
            "<span class=\"muted\"><bdi>Pipeline #".to_owned(),
            part("Mentions and to-dos", 1),
            part("Issues assigned to you", 1),
            part("Merge requests assigned to you", 1),
            part("Recently pushed branches", 1),
            "merge_requests/new?merge_request[source_branch]=loose\"".to_owned(),
            "href=\"/ada/tool/issues/1\"".to_owned(),
            "href=\"/ada/tool/tree/loose\"".to_owned(),
        ] {
            assert!(page.contains(&text), "{text}: {page}");
        }
        assert!(!page.contains("source_branch]=topic") && !page.contains("Review requests"), "{page}");
    }
    let page = safe(&Browser::signed_in(server, "ada", PASSWORD), "/");
    assert!(page.contains(&part("Review requests", 1)) && page.contains("/merge_requests/1/diffs\""), "{page}");
    // The branches and pipelines of others are not mine.
    for other in ["Failed", "Recently pushed branches", "assigned to you", "Mentions"] {
        assert!(!page.contains(other), "{other}: {page}");
    }
}

#[both_databases]
fn the_first_page_shows_only_what_one_may_see(server: &TestServer) {
    let (ada, bob, id) = world(server);
    branch(&bob, "loose");
    let _ = ada
        .post(&format!("/projects/{id}/issues"), json!({"title": "Mine", "assignee_ids": [bob.id]}))
        .assert_status(201);
    let status = json!({"state": "failed", "name": "unit", "ref": "topic"});
    let _ = ada.post(&format!("/projects/{id}/statuses/{}", tip(&bob, "topic")), status).assert_status(201);
    let own = Browser::signed_in(server, "bob", PASSWORD);
    let all = safe(&own, "/");
    assert!(all.contains("tree/loose") && all.contains("Failed") && all.contains("Mine"), "{all}");
    let _ = ada.put(&format!("/projects/{id}/members/{}", bob.id), json!({"access_level": 10})).assert_status(200);
    let less = safe(&own, "/");
    assert!(!less.contains("tree/loose") && less.contains("Mine"), "{less}");
    let _ = ada.delete(&format!("/projects/{id}/members/{}", bob.id)).assert_status(204);
    let none = safe(&own, "/");
    assert!(none.contains("Create a project") || none.contains("You don't have any projects yet"), "{none}");
    for hidden in ["tree/loose", "Failed", "Mine", "ada/tool", "merge_requests/1"] {
        assert!(!none.contains(hidden), "{hidden}: {none}");
    }
}

#[both_databases]
fn the_first_page_is_bounded_and_its_counts_are_exact(server: &TestServer) {
    let (ada, bob, id) = world(server);
    let own = Browser::signed_in(server, "bob", PASSWORD);
    let make = |from: usize, to: usize| {
        for number in from..to {
            let body = json!({"title": format!("Issue {number}"), "assignee_ids": [bob.id]});
            let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
            branch(&bob, &format!("loose-{number}"));
        }
    };
    make(0, 1);
    let _ = own.get("/");
    let few = server.count_statements(|| drop(own.get("/")));
    make(1, 12);
    let _ = own.get("/");
    let many = server.count_statements(|| drop(own.get("/")));
    assert!(many <= few, "{few} statements for few entries, {many} for many");
    assert!(many <= 69, "{many} statements");
    let page = safe(&own, "/");
    for title in ["Issues assigned to you", "Recently pushed branches"] {
        assert!(page.contains(&part(title, 12)), "{title}: {page}");
    }
    assert_eq!(page.matches("source_branch]=loose%2D").count(), 10, "{page}");
    assert!(
        page.contains("href=\"/dashboard/issues\"") && page.contains("href=\"/dashboard?show=branches\""),
        "{page}"
    );
    assert_eq!(safe(&own, "/dashboard?show=branches").matches("source_branch]=loose%2D").count(), 12);
}

#[both_databases]
fn a_branch_is_left_out_once_it_is_merged_or_gone(server: &TestServer) {
    let (_ada, bob, id) = world(server);
    let own = Browser::signed_in(server, "bob", PASSWORD);
    for name in ["same", "gone", "closed"] {
        branch(&bob, name);
    }
    let shows = |name: &str| safe(&own, "/").contains(&format!("tree/{name}\""));
    assert!(shows("same") && shows("gone") && shows("closed"));
    let _ = bob.delete(&format!("/projects/{id}/repository/branches/gone")).assert_status(204);
    let body = json!({"source_branch": "closed", "target_branch": "main", "title": "No"});
    let iid = bob.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201).json()["iid"].clone();
    let path = format!("/projects/{id}/merge_requests/{iid}");
    let _ = bob.put(&path, json!({"state_event": "close"})).assert_status(200);
    assert!(shows("same") && !shows("gone") && !shows("closed"));
    let _ = commit(&bob, "ada/tool", "closed", "More", &[("c.txt", b"c")]);
    assert!(shows("closed"), "it has gone on since its merge request was closed");
}

#[both_databases]
fn a_branch_that_came_with_another_one_is_not_offered(server: &TestServer) {
    let (ada, bob, id) = world(server);
    branch(&bob, "part");
    let body = json!({"branch": "whole", "ref": "part"});
    let _ = bob.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    let _ = commit(&bob, "ada/tool", "whole", "The rest", &[("rest.txt", b"x\n")]);
    let body = json!({"source_branch": "whole", "target_branch": "main", "title": "All"});
    let iid = bob.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201).json()["iid"].clone();
    let own = Browser::signed_in(server, "bob", PASSWORD);
    let shows = |name: &str| safe(&own, "/").contains(&format!("source_branch]={name}\""));
    assert!(shows("part") && !shows("whole"));
    let _ = ada.put(&format!("/projects/{id}/merge_requests/{iid}/merge"), json!({})).assert_status(200);
    let _ = commit(&ada, "ada/tool", "main", "Go on", &[("on.txt", b"x\n")]);
    // The graph of commits, from which that is known, is written after a push.
    server.run_jobs();
    assert!(!shows("part"));
    for path in ["/ada/tool", "/ada/tool/branches", "/ada/tool/merge_requests"] {
        assert!(!safe(&own, path).contains("source_branch]=part\""), "{path}");
    }
    let _ = commit(&bob, "ada/tool", "part", "More", &[("more.txt", b"x\n")]);
    assert!(shows("part") && safe(&own, "/ada/tool").contains("source_branch]=part\""), "it has a commit again");
}

#[both_databases]
fn a_branch_just_pushed_is_offered_on_the_front_and_on_lists(server: &TestServer) {
    let (_ada, bob, id) = world(server);
    branch(&bob, "fix/the-crank");
    let link = "/ada/tool/merge_requests/new?merge_request[source_branch]=fix%2Fthe%2Dcrank\"";
    let own = Browser::signed_in(server, "bob", PASSWORD);
    for path in ["/ada/tool", "/ada/tool/branches", "/ada/tool/merge_requests"] {
        let page = safe(&own, path);
        assert!(page.contains(link) && !page.contains("source_branch]=topic"), "{path}: {page}");
        for other in ["ada", "cleo"] {
            let seen = Browser::signed_in(server, other, PASSWORD).get(path);
            assert!(!seen.html.contains("You pushed"), "{path}, {other}");
        }
    }
    let body = json!({"source_branch": "fix/the-crank", "target_branch": "main", "title": "Fix"});
    let _ = bob.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    assert!(!safe(&own, "/ada/tool").contains("You pushed"));
}

#[both_databases]
fn a_branch_without_commits_of_its_own_is_not_offered(server: &TestServer) {
    let (ada, bob, _id) = world(server);
    let body = json!({"branch": "early", "ref": "main"});
    let _ = bob.post("/projects/ada%2Ftool/repository/branches", body).assert_status(201);
    // The default branch goes on, so that the two are at different commits.
    let _ = commit(&ada, "ada/tool", "main", "Go on", &[("d.txt", b"d\n")]);
    let own = Browser::signed_in(server, "bob", PASSWORD);
    let (first, front) = (safe(&own, "/"), safe(&own, "/ada/tool"));
    assert!(!first.contains("source_branch]=early") && !first.contains("Recently pushed branches"), "{first}");
    assert!(!front.contains("You pushed"), "{front}");
    let _ = commit(&bob, "ada/tool", "early", "Work", &[("e.txt", b"e\n")]);
    assert!(safe(&own, "/").contains("source_branch]=early"), "it has a commit now");
    assert!(safe(&own, "/ada/tool").contains("source_branch]=early"), "it has a commit now");
}
