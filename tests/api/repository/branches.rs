//! Branches.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

#[both_databases]
fn a_branch_is_shown_whole(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "topic", "main");
    let path = format!("{}/branches", at(tool));
    let want = json!({
        "name": "main", "commit": listed(&alice, tool, "main"), "merged": false, "protected": true,
        "developers_can_push": false, "developers_can_merge": false, "can_push": true, "default": true,
        "web_url": format!("{}/alice/tool/-/tree/main", server.base()),
    });
    assert_eq!(alice.get(&format!("{path}/main")).assert_status(200).json(), want);
    assert_eq!(alice.get(&path).assert_status(200).json()[0], want);
    let topic = alice.get(&format!("{path}/topic")).json();
    assert_eq!(some(&topic, &["protected", "default", "can_push"]), json!([false, false, true]));
    assert_eq!(server.anonymous().get(&format!("{path}/topic")).assert_status(200).json()["can_push"], false);
}

#[both_databases]
fn a_missing_branch_is_distinguished_from_an_invalid_name(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "ends-with.json", "main");
    branch(&alice, tool, "a/b", "main");
    let path = format!("{}/branches", at(tool));
    for name in ["ends-with.json", "a%2Fb"] {
        let _ = alice.get(&format!("{path}/{name}")).assert_status(200);
        let head = alice.head(&format!("{path}/{name}")).assert_status(204);
        assert!(head.bytes().is_empty());
    }
    alice.get(&format!("{path}/nowhere")).assert(404, missing("Branch"));
    alice.get(&format!("{path}/branch*")).assert(400, message("The branch refname is invalid"));
    assert_eq!(alice.head(&format!("{path}/nowhere")).status(), 404);
    assert_eq!(alice.get(&format!("{path}/a/b")).status(), 404);
    // Tags and commits are no branches.
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1", "ref": "main"}));
    alice.get(&format!("{path}/v1")).assert(404, missing("Branch"));
}

#[both_databases]
fn branches_are_found_by_name_and_an_exact_match_comes_first(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for name in ["x-feat", "feat", "Feature-a", "feature/b"] {
        branch(&alice, tool, name, "main");
    }
    let list = |query: &str| found(&alice, &format!("{}/branches{query}", at(tool)), "name").0;
    assert_eq!(list(""), ["Feature-a", "feat", "feature/b", "main", "x-feat"]);
    assert_eq!(list("?search="), list(""));
    assert_eq!(list("?search=FEAT"), ["feat", "Feature-a", "feature/b", "x-feat"]);
    assert_eq!(list("?search=%5EFeat"), ["feat", "Feature-a", "feature/b"]);
    assert_eq!(list("?search=feat$"), ["feat", "x-feat"]);
    assert_eq!(list("?search=%5Efeature/b$"), ["feature/b"]);
    assert!(list("?search=f.*t").is_empty());
}

#[both_databases]
fn branches_are_found_by_a_regular_expression_of_bounded_cost(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for name in ["feat-1", "feat-22", "x/feat-3"] {
        branch(&alice, tool, name, "main");
    }
    let path = |query: &str| format!("{}/branches?{query}", at(tool));
    let list = |query: &str| found(&alice, &path(query), "name");
    assert_eq!(list("regex=%5Efeat-%5B0-9%5D%2B$").0, ["feat-1", "feat-22"]);
    assert_eq!(list("regex=%5Cd$&search=x/"), (vec!["x/feat-3".to_owned()], "1".to_owned()));
    assert_eq!(list("regex=&per_page=1").1, "4");
    for bad in ["(", "a{1000}{1000}{1000}", "(%3F%3Da)", "(a)%5C1"] {
        alice.get(&path(&format!("regex={bad}"))).assert(400, parameter("regex is an invalid regular expression"));
    }
    alice.get(&path(&format!("regex={}", "a".repeat(257)))).assert(400, parameter("regex is too long"));
    assert_eq!(list(&format!("regex={}", "a".repeat(256))).1, "0");
}

#[both_databases]
fn addresses_of_branches_and_commits_can_be_opened(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "a/100%#ä", "main");
    let made = alice.get(&format!("{}/branches/a%2F100%25%23%C3%A4", at(tool))).assert_status(200).json();
    let page = format!("{}/alice/tool", server.base());
    assert_eq!(made["web_url"], format!("{page}/-/tree/a/100%25%23%C3%A4"));
    assert_eq!(made["commit"]["web_url"], format!("{page}/-/commit/{}", text(&made["commit"]["id"])));
}

#[both_databases]
fn branches_are_sorted_and_paged(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for name in ["b", "c", "a"] {
        later(server);
        branch(&alice, tool, name, "main");
        write(&alice, tool, name, "file", name);
    }
    let path = format!("{}/branches", at(tool));
    for (sort, want) in [
        ("name", ["a", "b", "c", "main"]),
        ("updated_asc", ["main", "b", "c", "a"]),
        ("updated_desc", ["a", "c", "b", "main"]),
    ] {
        let (names, total) = found(&alice, &format!("{path}?sort={sort}"), "name");
        assert_eq!((names, total.as_str()), (want.map(str::to_owned).to_vec(), "4"), "{sort}");
    }
    assert_eq!(found(&alice, &format!("{path}?per_page=3&page=2"), "name"), (vec!["main".to_owned()], "4".to_owned()));
    alice.get(&format!("{path}?sort=age")).assert(400, parameter("sort does not have a valid value"));
}

#[both_databases]
fn a_branch_starts_at_a_branch_a_tag_or_a_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let old = tip(&alice, tool, "main").expect("a commit");
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1", "ref": "main", "message": "One"}));
    let new = write(&alice, tool, "main", "a", "a");
    for (name, from, want) in [("a", "main", &new), ("b", "v1", &old), ("c", &old[..8], &old), ("d/e", "a", &new)] {
        let made = made(&alice, &format!("{}/branches", at(tool)), json!({"branch": name, "ref": from}));
        assert_eq!((&made["name"], &made["commit"]["id"]), (&json!(name), &json!(want)));
        assert_eq!(made, alice.get(&format!("{}/branches/{}", at(tool), name.replace('/', "%2F"))).json());
    }
}

#[both_databases]
fn a_branch_that_cannot_be_made_is_refused_in_known_words(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/branches", at(tool));
    let refused = |name: &str, from: &str, text: &str| {
        alice.post(&path, json!({"branch": name, "ref": from})).assert(400, message(text));
    };
    let commit = tip(&alice, tool, "main").expect("a commit");
    for name in ["a b", "-x", "a..b", "x.lock", "a*", "HEAD", "refs/heads/x", "refs/remotes/x", "x/", "a@{b", &commit] {
        refused(name, "main", "Branch name is invalid");
    }
    refused("main", "main", "Branch already exists");
    refused("x", "nowhere", "Invalid reference name");
    refused("x", "main~9", "Invalid reference name");
    alice.post(&path, json!({})).assert(400, parameter("branch is missing, ref is missing"));
    alice.post(&path, json!({"branch": " ", "ref": "main"})).assert(400, parameter("branch is empty"));
    // A branch cannot lie below another one.
    let _ = alice.post(&path, json!({"branch": "main/x", "ref": "main"})).assert_status(400);
    assert_eq!(found(&alice, &path, "name").0, ["main"]);
}

#[both_databases]
fn who_may_push_makes_and_removes_branches(server: &TestServer) {
    let cast = cast(server, "private");
    let path = format!("{}/branches", at(cast.project));
    let make = cast.statuses(|client| client.post(&path, json!({"branch": "x", "ref": "nowhere"})));
    assert_eq!(make, [404, 403, 403, 400, 400, 400, 400]);
    let remove = cast.statuses(|client| client.delete(&format!("{path}/nowhere")));
    assert_eq!(remove, [404, 403, 403, 404, 404, 404, 404]);
    for path in [path.clone(), format!("{path}/main")] {
        assert_eq!(cast.statuses(|client| client.get(&path)), [404, 403, 200, 200, 200, 200, 200]);
        server.anonymous().get(&path).assert(404, missing("Project"));
    }
    server.anonymous().post(&path, json!({"branch": "x", "ref": "main"})).assert(401, unauthorized());
    cast.guest.get(&path).assert(403, forbidden());
}

#[both_databases]
fn a_branch_goes_unless_it_is_the_default_one(server: &TestServer) {
    let cast = cast(server, "public");
    branch(&cast.owner, cast.project, "a/b", "main");
    let path = format!("{}/branches", at(cast.project));
    let gone = cast.developer.delete(&format!("{path}/a%2Fb")).assert_status(204);
    assert!(gone.bytes().is_empty());
    cast.developer.delete(&format!("{path}/a%2Fb")).assert(404, missing("Branch"));
    for client in [&*cast.owner, &cast.admin] {
        client
            .delete(&format!("{path}/main"))
            .assert(400, message("The default branch of a project cannot be deleted."));
    }
    assert!(tip(&cast.owner, cast.project, "main").is_some());
}

#[both_databases]
fn a_protected_branch_is_removed_by_maintainers_only(server: &TestServer) {
    let cast = cast(server, "public");
    branch(&cast.owner, cast.project, "safe", "main");
    made(&cast.owner, &format!("{}/protected_branches", cast.path()), json!({"name": "s*", "push_access_level": 30}));
    let path = format!("{}/branches/safe", at(cast.project));
    let text = "You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.";
    cast.developer.delete(&path).assert(400, message(text));
    let _ = cast.maintainer.delete(&path).assert_status(204);
    assert_eq!(tip(&cast.owner, cast.project, "safe"), None);
}

#[both_databases]
fn a_branch_that_has_moved_since_is_not_removed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let path = format!("{}/branches/topic", at(tool));
    let before = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    before.delete(&path).assert(412, message("412 Precondition Failed"));
    let after = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 13:00:00 GMT");
    let _ = after.delete(&path).assert_status(204);
}

#[both_databases]
fn a_branch_is_merged_where_the_default_branch_went_on_from_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "behind", "main");
    write(&alice, tool, "main", "more", "m");
    work(&alice, tool, "ahead");
    branch(&alice, tool, "new", "main");
    let merged = |name: &str| alice.get(&format!("{}/branches/{name}", at(tool))).json()["merged"].clone();
    assert_eq!((merged("behind"), merged("ahead"), merged("main")), (json!(true), json!(false), json!(false)));
    assert_eq!(merged("new"), false, "nothing has come from it yet");
    let list = alice.get(&format!("{}/branches", at(tool)));
    assert_eq!(list.each("merged"), [false, true, false, false]);
}

#[both_databases]
fn merged_branches_go_but_for_those_that_are_still_wanted(server: &TestServer) {
    let cast = cast(server, "public");
    let path = format!("{}/branches", at(cast.project));
    for name in ["done", "kept", "source", "target", "closed"] {
        branch(&cast.owner, cast.project, name, "main");
    }
    write(&cast.owner, cast.project, "main", "more", "m");
    work(&cast.owner, cast.project, "ahead");
    made(&cast.owner, &format!("{}/protected_branches", cast.path()), json!({"name": "ke*"}));
    offer(&cast.owner, cast.project, "source", "main", &json!({}));
    offer(&cast.owner, cast.project, "ahead", "target", &json!({}));
    let closed = offer(&cast.owner, cast.project, "closed", "main", &json!({}));
    changed(&cast.owner, &closed, json!({"state_event": "close"}));
    let all = format!("{}/merged_branches", at(cast.project));
    cast.developer.delete(&all).assert(202, accepted());
    server.run_jobs();
    assert_eq!(found(&cast.owner, &path, "name").0, ["ahead", "kept", "main", "source", "target"]);
    cast.developer.delete(&all).assert(202, accepted());
    assert_eq!(found(&cast.owner, &path, "name").1, "5");
}

#[both_databases]
fn merged_branches_are_removed_by_who_may_push(server: &TestServer) {
    let cast = cast(server, "private");
    branch(&cast.owner, cast.project, "done", "main");
    write(&cast.owner, cast.project, "main", "more", "m");
    let path = format!("{}/merged_branches", at(cast.project));
    for (client, status) in [(&cast.stranger, 404), (&cast.guest, 403), (&cast.reporter, 403)] {
        assert_eq!(client.delete(&path).status(), status);
    }
    server.anonymous().delete(&path).assert(401, unauthorized());
    assert!(tip(&cast.owner, cast.project, "done").is_some());
    let _ = cast.developer.delete(&path).assert_status(202);
    assert_eq!(tip(&cast.owner, cast.project, "done"), None);
}

#[both_databases]
fn the_branches_of_an_archived_project_can_only_be_read(server: &TestServer) {
    let cast = cast(server, "public");
    branch(&cast.owner, cast.project, "topic", "main");
    archive(&cast.owner, cast.project);
    let path = format!("{}/branches", at(cast.project));
    for client in [&*cast.owner, &cast.admin] {
        client.post(&path, json!({"branch": "x", "ref": "main"})).assert(403, forbidden());
        client.delete(&format!("{path}/topic")).assert(403, forbidden());
        client.delete(&format!("{}/merged_branches", at(cast.project))).assert(403, forbidden());
        assert_eq!(client.get(&path).assert_status(200).each("can_push"), [false, false]);
    }
}

#[both_databases]
fn an_empty_repository_has_no_branches(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    assert_eq!(found(&alice, &format!("{}/branches", at(tool)), "name"), (vec![], "0".to_owned()));
    alice.get(&format!("{}/branches/main", at(tool))).assert(404, missing("Branch"));
    alice.delete(&format!("{}/branches/main", at(tool))).assert(404, missing("Branch"));
    alice.delete(&format!("{}/merged_branches", at(tool))).assert(202, accepted());
}

#[both_databases]
fn the_first_branch_of_an_empty_repository_brings_the_default_one(server: &TestServer) {
    let alice = server.user("alice");
    for (name, from) in [("a", "main"), ("b", "HEAD")] {
        let tool = project(&alice, name, "public");
        let branches = format!("{}/branches", at(tool));
        let topic = made(&alice, &branches, json!({"branch": "topic/x", "ref": from}));
        assert_eq!(some(&topic, &["name", "default", "protected", "can_push"]), json!(["topic/x", false, false, true]));
        let main = alice.get(&format!("{branches}/main")).assert_status(200).json();
        assert_eq!(some(&main, &["default", "protected"]), json!([true, true]));
        assert_eq!(main["commit"], topic["commit"]);
        assert_eq!(
            some(&main["commit"], &["title", "author_name", "parent_ids"]),
            json!(["Initial commit", "alice", []])
        );
        assert_eq!(content(&alice, tool, "topic/x", "README.md").as_deref(), Some(""));
        assert_eq!(alice.get(&format!("/projects/{tool}")).json()["default_branch"], "main");
        alice
            .post(&branches, json!({"branch": "topic/x", "ref": "main"}))
            .assert(400, message("Branch already exists"));
    }
}

#[both_databases]
fn the_default_branch_itself_can_be_asked_for_first(server: &TestServer) {
    let alice = server.user("alice");
    let tool = id(&made(&alice, "/projects", json!({"name": "tool", "default_branch": "trunk"})));
    let branches = format!("{}/branches", at(tool));
    alice.post(&branches, json!({"branch": "x", "ref": "main"})).assert(400, message("Invalid reference name"));
    alice.post(&branches, json!({"branch": "trunk/x", "ref": "trunk"})).assert(400, message("Branch name is invalid"));
    assert_eq!(found(&alice, &branches, "name").1, "0", "what is refused makes nothing");
    let trunk = made(&alice, &branches, json!({"branch": "trunk", "ref": "trunk"}));
    assert_eq!(some(&trunk, &["name", "default", "protected"]), json!(["trunk", true, true]));
    assert_eq!(found(&alice, &branches, "name").0, ["trunk"]);
}

#[both_databases]
fn the_first_branch_is_checked_like_a_first_push(server: &TestServer) {
    let owner = server.user("owner");
    let tool = project(&owner, "tool", "public");
    let developer = server.user("developer");
    member(&owner, &format!("/projects/{tool}"), developer.id, 30);
    let branches = format!("{}/branches", at(tool));
    let reply = developer.post(&branches, json!({"branch": "x", "ref": "main"})).assert_status(400);
    assert!(reply.text().contains("default branch"), "{}", reply.text());
    assert_eq!(found(&owner, &branches, "name").1, "0");
    let maintainer = server.user("maintainer");
    member(&owner, &format!("/projects/{tool}"), maintainer.id, 40);
    let made = made(&maintainer, &branches, json!({"branch": "x", "ref": "main"}));
    assert_eq!(made["commit"]["author_name"], "maintainer");
}

#[both_databases]
fn several_first_branches_at_once_share_the_first_commit(server: &TestServer) {
    let alice = server.user("alice");
    for round in 0..3 {
        let tool = project(&alice, &format!("tool{round}"), "public");
        let branches = format!("{}/branches", at(tool));
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let ask = |name: String| alice.post(&branches, json!({"branch": name, "ref": "main"})).status();
            let asked: Vec<_> = (0..6).map(|number| scope.spawn(move || ask(format!("b{}", number / 2)))).collect();
            asked.into_iter().map(|one| one.join().expect("an answer")).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 3, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 3, "{statuses:?}");
        assert_eq!(found(&alice, &branches, "name").0, ["b0", "b1", "b2", "main"]);
        assert_eq!(alice.get(&format!("/projects/{tool}")).json()["default_branch"], "main");
        assert_eq!(found(&alice, &format!("{}/commits?all=true", at(tool)), "id").1, "1");
    }
}

#[both_databases]
fn a_rule_that_refuses_one_of_the_first_branches_refuses_both(server: &TestServer) {
    server.set("default_branch_protection", &json!(0));
    let (owner, developer) = (server.user("owner"), server.user("developer"));
    let tool = project(&owner, "tool", "public");
    member(&owner, &format!("/projects/{tool}"), developer.id, 30);
    made(&owner, &format!("/projects/{tool}/protected_branches"), json!({"name": "secret"}));
    let branches = format!("{}/branches", at(tool));
    let _ = developer.post(&branches, json!({"branch": "secret", "ref": "main"})).assert_status(400);
    assert_eq!(found(&owner, &branches, "name").1, "0");
    made(&developer, &branches, json!({"branch": "free", "ref": "main"}));
    assert_eq!(found(&owner, &branches, "name").0, ["free", "main"]);
}
