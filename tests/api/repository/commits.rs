//! Reading commits.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// The titles and the total of a list of commits.
#[track_caller]
fn titles(client: &Client, project: i64, query: &str) -> (Vec<String>, String) {
    found(client, &format!("{}/commits?{query}", at(project)), "title")
}

/// The list with these titles.
fn whole(titles: &[&str]) -> (Vec<String>, String) {
    (titles.iter().map(|title| (*title).to_owned()).collect(), titles.len().to_string())
}

/// Three commits on `main`, an hour between them: the readme, `a.txt`, `docs/b.txt`. Yields their names.
fn history(server: &TestServer, client: &Client) -> (i64, [String; 3]) {
    let tool = repository(client, "tool", "public");
    let first = tip(client, tool, "main").expect("a commit");
    later(server);
    let body = json!({
        "branch": "main", "commit_message": "Second", "author_name": "Ann Other", "author_email": "ann@else.example",
        "actions": [new_file("a.txt", "one\ntwo\n")],
    });
    let second = text(&made(client, &format!("{}/commits", at(tool)), body)["id"]);
    later(server);
    let third = commit(client, tool, "main", "Third", &json!([new_file("docs/b.txt", "b\n")]));
    (tool, [first, second, third])
}

#[both_databases]
fn commits_come_newest_first_and_whole(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [first, second, third]) = history(server, &alice);
    let list = server.anonymous().get(&format!("{}/commits", at(tool))).assert_status(200);
    assert_eq!(
        (list.each("id"), list.header("x-total")),
        (vec![json!(third), json!(second), json!(first)], "3".to_owned())
    );
    let date = list.json()[1]["committed_date"].clone();
    assert!(text(&date).starts_with("2026-03-02T13:00:") && text(&date).get(19..) == Some(".000Z"), "{date}");
    assert_eq!(
        list.json()[1],
        json!({
            "id": second, "short_id": &second[..8], "created_at": date, "parent_ids": [first], "title": "Second", "message": "Second",
            "author_name": "Ann Other", "author_email": "ann@else.example", "authored_date": date,
            "committer_name": "alice", "committer_email": "alice@example.org", "committed_date": date,
            "web_url": format!("{}/alice/tool/-/commit/{second}", server.base()), "trailers": {}, "extended_trailers": {},
        })
    );
    assert_eq!(list.json()[2]["parent_ids"], json!([]));
}

#[both_databases]
fn commits_are_paged(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [_, second, _]) = history(server, &alice);
    let page = alice.get(&format!("{}/commits?per_page=1&page=2", at(tool))).assert_status(200);
    assert_eq!(page.each("id"), [json!(second)]);
    let header = |name: &str| page.header(name);
    assert_eq!(
        ["x-total", "x-total-pages", "x-page", "x-next-page", "x-prev-page"].map(header),
        ["3", "3", "2", "3", "1"]
    );
    assert_eq!(titles(&alice, tool, "per_page=2&page=3"), (vec![], "3".to_owned()));
}

#[both_databases]
fn commits_of_a_branch_a_tag_or_a_commit(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [first, second, _]) = history(server, &alice);
    branch(&alice, tool, "a/b", &second);
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1", "ref": first, "message": "One"}));
    for (name, want) in
        [("a/b", "2"), ("a%2Fb", "2"), ("v1", "1"), (&second[..7], "2"), ("main", "3"), ("", "3"), ("main~1", "2")]
    {
        assert_eq!(titles(&alice, tool, &format!("ref_name={name}")).1, want, "{name}");
    }
    alice.get(&format!("{}/commits?ref_name=nowhere", at(tool))).assert(404, missing("Commit"));
}

#[both_databases]
fn commits_of_all_refs(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, _) = history(server, &alice);
    later(server);
    work(&alice, tool, "topic");
    assert_eq!(titles(&alice, tool, "all=true").1, "4");
    assert_eq!(titles(&alice, tool, "all=true&per_page=1").0, ["Write topic.txt"]);
    assert_eq!(titles(&alice, tool, "all=false").1, "3");
}

#[both_databases]
fn commits_that_touch_a_path(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, _) = history(server, &alice);
    for (path, want) in [
        ("a.txt", &["Second"][..]),
        ("docs", &["Third"]),
        ("docs/b.txt", &["Third"]),
        ("b.txt", &[]),
        ("../a.txt", &[]),
        ("*.txt", &[]),
    ] {
        assert_eq!(titles(&alice, tool, &format!("path={path}")), whole(want), "{path}");
    }
    // A deleted file has a history.
    commit(&alice, tool, "main", "Fourth", &json!([{"action": "delete", "file_path": "a.txt"}]));
    assert_eq!(titles(&alice, tool, "path=a.txt"), whole(&["Fourth", "Second"]));
}

#[both_databases]
fn commits_of_a_time_both_ends_included(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [_, second, _]) = history(server, &alice);
    let at_second = text(&listed(&alice, tool, &second)["committed_date"]);
    assert_eq!(titles(&alice, tool, &format!("since={at_second}")), whole(&["Third", "Second"]));
    assert_eq!(titles(&alice, tool, &format!("until={at_second}")).1, "2");
    assert_eq!(titles(&alice, tool, &format!("since={at_second}&until={at_second}")), whole(&["Second"]));
    assert_eq!(titles(&alice, tool, "since=2026-03-02T15:30:00%2B01:00"), whole(&[]));
    assert_eq!(titles(&alice, tool, "since=2026-03-02T14:30:00%2B01:00"), whole(&["Third"]));
    // A day is the moment at which it begins.
    assert_eq!(
        (titles(&alice, tool, "since=2026-03-02").1, titles(&alice, tool, "until=2026-03-02").1),
        ("3".to_owned(), "0".to_owned())
    );
    for name in ["since", "until"] {
        alice
            .get(&format!("{}/commits?{name}=yesterday", at(tool)))
            .assert(400, parameter(&format!("{name} is invalid")));
    }
}

#[both_databases]
fn commits_of_an_author(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, _) = history(server, &alice);
    for (author, want) in [("Ann", "1"), ("else.example", "1"), ("alice", "2"), ("no-one", "0"), (".*", "0")] {
        assert_eq!(titles(&alice, tool, &format!("author={author}")).1, want, "{author}");
    }
    let both = titles(&alice, tool, "author=alice&path=docs");
    assert_eq!(both, whole(&["Third"]));
}

#[both_databases]
fn commits_that_were_merged_and_not_what_they_consist_of(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    later(server);
    let merged = merge(&alice, &path, json!({}));
    let list = alice.get(&format!("{}/commits?first_parent=true", at(tool))).assert_status(200);
    assert_eq!((list.each("id").first(), list.header("x-total")), (Some(&merged["merge_commit_sha"]), "2".to_owned()));
    assert_eq!(titles(&alice, tool, "").1, "3");
}

#[both_databases]
fn lines_are_counted_on_request(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, _) = history(server, &alice);
    let actions = json!([{"action": "update", "file_path": "a.txt", "content": "two\nthree\nfour\n"}]);
    later(server);
    let sha = commit(&alice, tool, "main", "Fourth", &actions);
    let list = alice.get(&format!("{}/commits?with_stats=true", at(tool))).assert_status(200);
    assert_eq!(
        list.each("stats")[..2],
        [json!({"additions": 2, "deletions": 1, "total": 3}), json!({"additions": 1, "deletions": 0, "total": 1})]
    );
    assert_lacks(&listed(&alice, tool, &sha), &["stats"]);
}

#[both_databases]
fn a_commit_is_shown_with_its_lines_and_its_project(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [_, second, _]) = history(server, &alice);
    let path = format!("{}/commits/{second}", at(tool));
    let plain =
        with(listed(&alice, tool, &second), &json!({"status": null, "last_pipeline": null, "project_id": tool}));
    let counted = with(plain.clone(), &json!({"stats": {"additions": 2, "deletions": 0, "total": 2}}));
    assert_eq!(alice.get(&path).assert_status(200).json(), counted);
    assert_eq!(alice.get(&format!("{path}?stats=true")).json(), counted);
    assert_eq!(alice.get(&format!("{path}?stats=false")).json(), plain);
}

#[both_databases]
fn a_commit_is_found_by_any_of_its_names(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [first, second, third]) = history(server, &alice);
    branch(&alice, tool, "a/b", &second);
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1.0", "ref": first, "message": "One"}));
    let show = |name: &str| alice.get(&format!("{}/commits/{name}", at(tool)));
    for (name, want) in
        [("main", &third), ("a%2Fb", &second), ("v1.0", &first), (&second[..7], &second), (&second[..20], &second)]
    {
        assert_eq!(show(name).assert_status(200).json()["id"], **want, "{name}");
    }
    let unknown = "0".repeat(40);
    for name in ["nowhere", &unknown, &second[..4], "main~3", "main%5E2", "-x", "main:a.txt", "main..a"] {
        show(name).assert(404, missing("Commit"));
    }
    for below in ["diff", "refs", "comments", "statuses"] {
        show(&format!("nowhere/{below}")).assert(404, missing("Commit"));
    }
}

#[both_databases]
fn a_long_title_is_cut_between_words(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let long = ["word"; 20].join(" ") + " more";
    let sha = commit(&alice, tool, "main", &format!("{long}\n\nBody\n"), &json!([new_file("a", "a")]));
    let shown = listed(&alice, tool, &sha);
    assert_eq!(
        some(&shown, &["title", "message"]),
        json!([format!("{}…", ["word"; 16].join(" ")), format!("{long}\n\nBody\n")])
    );
}

#[both_databases]
fn ci_is_seen_on_the_commit(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [_, second, _]) = history(server, &alice);
    let posted = made(&alice, &format!("/projects/{tool}/statuses/{second}"), json!({"state": "running"}));
    let shown = alice.get(&format!("{}/commits/{second}", at(tool))).json();
    let id = &posted["pipeline_id"];
    let want = json!({"id": id, "sha": second, "ref": "main", "status": "running", "web_url": format!("{}/alice/tool/-/pipelines/{id}", server.base())});
    assert_eq!((&shown["status"], &shown["last_pipeline"]), (&json!("running"), &want));
}

#[both_databases]
fn what_a_commit_changes_is_shown_against_its_parent(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [first, second, _]) = history(server, &alice);
    let diff = |sha: &str| alice.get(&format!("{}/commits/{sha}/diff", at(tool))).assert_status(200).json();
    assert_eq!(
        diff(&second),
        json!([{
            "old_path": "a.txt", "new_path": "a.txt", "a_mode": "0", "b_mode": "100644", "new_file": true, "renamed_file": false,
            "deleted_file": false, "diff": "@@ -0,0 +1,2 @@\n+one\n+two\n",
        }])
    );
    // The first commit is shown against nothing.
    assert_eq!(some(&diff(&first)[0], &["new_path", "new_file"]), json!(["README.md", true]));
    let actions = json!([
        {"action": "move", "previous_path": "a.txt", "file_path": "c.txt"}, {"action": "delete", "file_path": "docs/b.txt"},
        {"action": "create", "file_path": "bin", "content": "AAECAwD/", "encoding": "base64"},
    ]);
    let last = commit(&alice, tool, "main", "Fourth", &actions);
    let fields = ["old_path", "new_path", "a_mode", "b_mode", "new_file", "renamed_file", "deleted_file", "diff"];
    let found: Vec<Value> = diff(&last).as_array().expect("a list").iter().map(|file| some(file, &fields)).collect();
    assert_eq!(
        found,
        [
            json!(["bin", "bin", "0", "100644", true, false, false, "Binary files /dev/null and b/bin differ\n"]),
            json!(["a.txt", "c.txt", "100644", "100644", false, true, false, ""]),
            json!(["docs/b.txt", "docs/b.txt", "100644", "0", false, false, true, "@@ -1 +0,0 @@\n-b\n"]),
        ]
    );
    let page = alice.get(&format!("{}/commits/{last}/diff?per_page=2&page=2", at(tool))).assert_status(200);
    assert_eq!((page.each("new_path"), page.header("x-total")), (vec![json!("docs/b.txt")], "3".to_owned()));
}

#[both_databases]
fn a_merge_is_shown_against_what_it_was_merged_into(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    write(&alice, tool, "main", "other.txt", "o");
    let merged = merge(&alice, &path, json!({}));
    let diff = alice.get(&format!("{}/commits/{}/diff", at(tool), text(&merged["merge_commit_sha"])));
    assert_eq!(diff.assert_status(200).each("new_path"), ["topic.txt"]);
}

#[both_databases]
fn what_is_not_utf8_is_made_safe(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let sha = commit(
        &alice,
        tool,
        "main",
        "Latin",
        &json!([{"action": "create", "file_path": "l", "content": "/Ao=", "encoding": "base64"}]),
    );
    let diff = alice.get(&format!("{}/commits/{sha}/diff", at(tool))).assert_status(200);
    assert_eq!(diff.each("diff"), ["@@ -0,0 +1 @@\n+\u{fffd}\n"]);
}

#[both_databases]
fn branches_and_tags_that_have_a_commit(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [first, second, third]) = history(server, &alice);
    branch(&alice, tool, "topic", &second);
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1", "ref": second, "message": "One"}));
    let refs = |sha: &str, query: &str| {
        alice.get(&format!("{}/commits/{sha}/refs{query}", at(tool))).assert_status(200).json()
    };
    let (main, topic) = (json!({"type": "branch", "name": "main"}), json!({"type": "branch", "name": "topic"}));
    let tag = json!({"type": "tag", "name": "v1"});
    assert_eq!(refs(&first, ""), json!([main, topic, tag]));
    assert_eq!(refs(&second, "?type=all"), json!([main, topic, tag]));
    assert_eq!(refs(&second, "?type=branch"), json!([main, topic]));
    assert_eq!(refs(&second, "?type=tag"), json!([tag]));
    assert_eq!(refs(&third, ""), json!([main]));
    assert_eq!(refs(&second, "?per_page=1&page=2"), json!([topic]));
    alice
        .get(&format!("{}/commits/{second}/refs?type=note", at(tool)))
        .assert(400, parameter("type does not have a valid value"));
}

#[both_databases]
fn commits_are_for_who_may_read_the_code(server: &TestServer) {
    let cast = cast(server, "private");
    let sha = tip(&cast.owner, cast.project, "main").expect("a commit");
    let path = format!("{}/commits", at(cast.project));
    for path in [
        path.clone(),
        format!("{path}/{sha}"),
        format!("{path}/{sha}/diff"),
        format!("{path}/{sha}/refs"),
        format!("{path}/{sha}/comments"),
    ] {
        assert_eq!(cast.statuses(|client| client.get(&path)), [404, 403, 200, 200, 200, 200, 200], "{path}");
        cast.guest.get(&path).assert(403, forbidden());
        server.anonymous().get(&path).assert(404, missing("Project"));
    }
    archive(&cast.owner, cast.project);
    assert_eq!(cast.reporter.get(&path).assert_status(200).each("id"), [json!(sha)]);
}

#[both_databases]
fn an_empty_repository_has_no_commits(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for query in ["", "all=true", "ref_name=main", "with_stats=true"] {
        assert_eq!(titles(&alice, tool, query), whole(&[]), "{query}");
    }
    alice.get(&format!("{}/commits/main", at(tool))).assert(404, missing("Commit"));
}

#[both_databases]
fn merge_requests_of_a_commit_are_those_that_bring_it_or_have_made_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let first = tip(&alice, tool, "main").expect("a commit");
    let head = work(&alice, tool, "one");
    branch(&alice, tool, "two", "one");
    let more = write(&alice, tool, "two", "more.txt", "more");
    branch(&alice, tool, "next", "main");
    for (from, into) in [("one", "main"), ("two", "main"), ("two", "one"), ("two", "next")] {
        offer(&alice, tool, from, into, &json!({"title": format!("{from} into {into}")}));
    }
    let of =
        |sha: &str, query: &str| found(&alice, &format!("{}/commits/{sha}/merge_requests{query}", at(tool)), "title");
    assert_eq!(of(&head, ""), whole(&["two into next", "two into main", "one into main"]));
    assert_eq!(of("one", "?per_page=1&page=2"), (vec!["two into main".to_owned()], "3".to_owned()));
    assert_eq!(of(&more, ""), whole(&["two into next", "two into one", "two into main"]));
    assert_eq!(of(&first, ""), whole(&[]));
    let merged = merge(&alice, &format!("/projects/{tool}/merge_requests/1"), json!({}));
    server.run_jobs();
    assert_eq!(of(&text(&merged["merge_commit_sha"]), ""), whole(&["one into main"]));
    assert!(of(&head, "").0.contains(&"one into main".to_owned()));
    alice.get(&format!("{}/commits/nothing/merge_requests", at(tool))).assert(404, missing("Commit"));
}

#[both_databases]
fn merge_requests_of_a_commit_are_for_who_may_read_them(server: &TestServer) {
    let cast = cast(server, "private");
    simple(&cast.owner, cast.project, "topic");
    let path = format!("{}/commits/topic/merge_requests", at(cast.project));
    assert_eq!(cast.statuses(|client| client.get(&path)), [404, 403, 200, 200, 200, 200, 200]);
    assert_eq!(cast.reporter.get(&path).each("title"), ["topic"]);
    server.anonymous().get(&path).assert(401, unauthorized());
    changed(&cast.owner, &cast.path(), json!({"merge_requests_enabled": false}));
    cast.owner.get(&path).assert(403, forbidden());
}

#[both_databases]
fn trailers_of_messages_are_shown(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let said = "Add a\n\nText.\n\nSigned-off-by: Ann <a@example.org>\nSigned-off-by: Bea <b@example.org>\nIssue: 7\n";
    let sha = commit(&alice, tool, "main", said, &json!([new_file("a", "1")]));
    let last = json!({"Signed-off-by": "Bea <b@example.org>", "Issue": "7"});
    let all = json!({"Signed-off-by": ["Ann <a@example.org>", "Bea <b@example.org>"], "Issue": ["7"]});
    let one = alice.get(&format!("{}/commits/{sha}", at(tool))).assert_status(200).json();
    assert_eq!((&one["trailers"], &one["extended_trailers"]), (&last, &all));
    let listed = |query: &str| alice.get(&format!("{}/commits{query}", at(tool))).assert_status(200).json()[0].clone();
    let (with, without) = (listed("?trailers=true"), listed(""));
    assert_eq!((&with["trailers"], &with["extended_trailers"]), (&last, &all));
    assert_eq!((&without["trailers"], &without["extended_trailers"]), (&json!({}), &json!({})));
}

#[both_databases]
fn commits_are_ordered_by_lines_of_history_on_request(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    write(&alice, tool, "main", "a", "1");
    branch(&alice, tool, "side", "main");
    for (on, file) in [("side", "s1"), ("main", "m1"), ("side", "s2")] {
        later(server);
        write(&alice, tool, on, file, file);
    }
    later(server);
    let asked = json!({"source_branch": "side", "target_branch": "main", "title": "Side"});
    let request = made(&alice, &format!("/projects/{tool}/merge_requests"), asked);
    let _ =
        alice.put(&format!("/projects/{tool}/merge_requests/{}/merge", request["iid"]), json!({})).assert_status(200);
    let files = |query: &str| -> Vec<String> {
        let commits = alice.get(&format!("{}/commits{query}", at(tool))).assert_status(200).json();
        commits.as_array().into_iter().flatten().map(|commit| text(&commit["id"])).collect()
    };
    let (newest, topological) = (files(""), files("?order_by=topo"));
    assert_eq!(files("?order_by=default"), newest);
    assert_eq!((topological.len(), &topological[0]), (newest.len(), &newest[0]));
    // Newest first, the commits of the two lines alternate: s2, m1, s1.
    let place = |list: &[String], id: &String| list.iter().position(|other| other == id).unwrap_or_default();
    let between = place(&topological, &newest[3]).abs_diff(place(&topological, &newest[1]));
    assert_eq!(between, 1, "{topological:?}");
    assert_eq!(files("?order_by=topo&per_page=2&page=2"), topological[2..4]);
    alice
        .get(&format!("{}/commits?order_by=size", at(tool)))
        .assert(400, parameter("order_by does not have a valid value"));
}
