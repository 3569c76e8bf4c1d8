//! The content of a merge request: commits, files, versions.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{branch, commit, merge, offer, offered, repository, simple, some, text, tip, work, write};
use crate::support::*;

/// A merge request that does everything that can be done to a file.
fn everything(client: &Client) -> String {
    let tool = repository(client, "tool", "public");
    let lines = "one\ntwo\nthree\nfour\nfive\n";
    let file =
        |action: &str, path: &str, content: &str| json!({"action": action, "file_path": path, "content": content});
    let first = json!([
        file("create", "changed.txt", lines),
        file("create", "gone.txt", "gone\n"),
        file("create", "old.txt", lines),
        file("create", "run.sh", "#!/bin/sh\n"),
        file("create", "end.txt", "end"),
        file("create", "folder/moved.txt", &lines.repeat(3)),
    ]);
    commit(client, tool, "main", "Before", &first);
    branch(client, tool, "topic", "main");
    let second = json!([
        file("update", "changed.txt", "one\ntwo\n3\nfour\nfive\n"),
        {"action": "delete", "file_path": "gone.txt"},
        {"action": "move", "file_path": "new.txt", "previous_path": "old.txt"},
        {"action": "chmod", "file_path": "run.sh", "execute_filemode": true},
        {"action": "move", "file_path": "moved.txt", "previous_path": "folder/moved.txt", "content": lines.repeat(3) + "more\n"},
        file("update", "end.txt", "END"), file("create", "added.txt", "a\n"), file("create", "empty.txt", ""),
        {"action": "create", "file_path": "pixel.bin", "content": "AAECAwD/", "encoding": "base64"},
    ]);
    commit(client, tool, "topic", "After\n\nWith a body", &second);
    offer(client, tool, "topic", "main", &json!({}))
}

#[both_databases]
fn every_kind_of_change_is_shown(server: &TestServer) {
    let alice = server.user("alice");
    let path = everything(&alice);
    let changes = alice.get(&format!("{path}/changes")).assert_status(200).json();
    assert_eq!(some(&changes, &["iid", "changes_count", "overflow"]), json!([1, "9", false]));
    assert_has(&changes, &["diff_refs", "subscribed", "sha", "merge_status", "pipeline"]);
    let fields = ["old_path", "new_path", "a_mode", "b_mode", "new_file", "renamed_file", "deleted_file", "diff"];
    let found: Vec<Value> =
        changes["changes"].as_array().expect("a list").iter().map(|file| some(file, &fields)).collect();
    let end = "@@ -1 +1 @@\n-end\n\\ No newline at end of file\n+END\n\\ No newline at end of file\n";
    let want = [
        json!(["added.txt", "added.txt", "0", "100644", true, false, false, "@@ -0,0 +1 @@\n+a\n"]),
        json!([
            "changed.txt",
            "changed.txt",
            "100644",
            "100644",
            false,
            false,
            false,
            "@@ -1,5 +1,5 @@\n one\n two\n-three\n+3\n four\n five\n"
        ]),
        json!(["empty.txt", "empty.txt", "0", "100644", true, false, false, ""]),
        json!(["end.txt", "end.txt", "100644", "100644", false, false, false, end]),
        json!(["gone.txt", "gone.txt", "100644", "0", false, false, true, "@@ -1 +0,0 @@\n-gone\n"]),
        json!([
            "folder/moved.txt",
            "moved.txt",
            "100644",
            "100644",
            false,
            true,
            false,
            "@@ -13,3 +13,4 @@ two\n three\n four\n five\n+more\n"
        ]),
        json!(["old.txt", "new.txt", "100644", "100644", false, true, false, ""]),
        json!([
            "pixel.bin",
            "pixel.bin",
            "0",
            "100644",
            true,
            false,
            false,
            "Binary files /dev/null and b/pixel.bin differ\n"
        ]),
        json!(["run.sh", "run.sh", "100644", "100755", false, false, false, ""]),
    ];
    for (found, want) in found.iter().zip(&want) {
        assert_eq!(found, want);
    }
    assert_eq!(found.len(), want.len());
    let list = alice.get(&format!("{path}/diffs?per_page=100")).assert_status(200);
    assert_eq!((&list.json(), list.header("x-total")), (&changes["changes"], "9".to_owned()));
    let page = alice.get(&format!("{path}/diffs?per_page=4&page=3"));
    assert_eq!(page.each("new_path"), ["run.sh"]);
}

#[both_databases]
fn the_patch_is_text(server: &TestServer) {
    let alice = server.user("alice");
    let path = everything(&alice);
    let raw = alice.get(&format!("{path}/raw_diffs")).assert_status(200);
    assert_eq!(raw.header("content-type"), "text/plain; charset=utf-8");
    let text = raw.text();
    for want in [
        "diff --git a/changed.txt b/changed.txt\n",
        "--- a/changed.txt\n+++ b/changed.txt\n@@ -1,5 +1,5 @@",
        "deleted file mode 100644\n",
        "rename from old.txt\nrename to new.txt\n",
        "new mode 100755\n",
        "-three\n+3\n",
    ] {
        assert!(text.contains(want), "{want}: {text}");
    }
}

#[both_databases]
fn commits_come_newest_first(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let first = work(&alice, tool, "topic");
    let second = commit(
        &alice,
        tool,
        "topic",
        "Title\n\nBody",
        &json!([{"action": "create", "file_path": "x", "content": "x"}]),
    );
    write(&alice, tool, "main", "elsewhere.txt", "x");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    let list = alice.get(&format!("{path}/commits")).assert_status(200);
    assert_eq!((list.each("id"), list.header("x-total")), (vec![json!(second), json!(first)], "2".to_owned()));
    let newest = list.json()[0].clone();
    let fields = ["short_id", "title", "message", "author_name", "author_email", "parent_ids"];
    let want = json!([&second[..8], "Title", "Title\n\nBody", "alice", "alice@example.org", [first]]);
    assert_eq!(some(&newest, &fields), want);
    assert_eq!(newest["created_at"], newest["committed_date"]);
    let page = alice.get(&format!("{path}/commits?per_page=1&page=2"));
    assert_eq!(page.each("id"), [json!(first)]);
    assert_eq!(alice.get(&format!("{path}/commits?per_page=1&page=3")).json(), json!([]));
}

#[both_databases]
fn the_difference_is_that_to_the_last_common_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let base = tip(&alice, tool, "main").expect("a branch");
    work(&alice, tool, "topic");
    let start = write(&alice, tool, "main", "elsewhere.txt", "x");
    let request = offered(&alice, tool, "topic", "main", &json!({}));
    assert_eq!(some(&request["diff_refs"], &["base_sha", "start_sha"]), json!([base, start]));
    let path = format!("/projects/{tool}/merge_requests/1");
    let changes = || alice.get(&format!("{path}/changes")).json()["changes"].clone();
    let before = changes();
    assert_eq!(before.as_array().map(Vec::len), Some(1));
    assert_eq!(before[0]["new_path"], "topic.txt");
    // It stays the same when all of it is merged, and the branch is gone.
    merge(&alice, &path, json!({"should_remove_source_branch": true}));
    server.run_jobs();
    assert_eq!(changes(), before);
    assert_eq!(alice.get(&format!("{path}/commits")).each("title"), ["Write topic.txt"]);
    assert!(alice.get(&format!("{path}/raw_diffs")).text().contains("b/topic.txt"));
}

#[both_databases]
fn nothing_brings_nothing(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "empty", "main");
    let path = offer(&alice, tool, "empty", "main", &json!({}));
    let changes = alice.get(&format!("{path}/changes")).assert_status(200).json();
    assert_eq!(some(&changes, &["changes", "changes_count"]), json!([[], null]));
    for below in ["commits", "diffs"] {
        let list = alice.get(&format!("{path}/{below}"));
        assert_eq!((list.json(), list.header("x-total")), (json!([]), "0".to_owned()), "{below}");
    }
    assert_eq!(alice.get(&format!("{path}/raw_diffs")).assert_status(200).text(), "");
    assert_eq!(alice.get(&format!("{path}/versions")).each("state"), ["empty"]);
}

#[both_databases]
fn versions_stay_as_they_were(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let first = alice.get(&path).json();
    write(&alice, tool, "topic", "more.txt", "m");
    server.run_jobs();
    let second = alice.get(&path).json();
    let list = alice.get(&format!("{path}/versions")).assert_status(200);
    assert_eq!((list.header("x-total"), list.each("real_size")), ("2".to_owned(), vec![json!("2"), json!("1")]));
    for (version, request) in [(&list.json()[0], &second), (&list.json()[1], &first)] {
        let refs = some(&request["diff_refs"], &["base_sha", "start_sha", "head_sha"]);
        assert_eq!(some(version, &["base_commit_sha", "start_commit_sha", "head_commit_sha"]), refs);
        assert_eq!(some(version, &["merge_request_id", "state"]), json!([request["id"], "collected"]));
        assert_has(version, &["id", "created_at"]);
    }
    let old = alice.get(&format!("{path}/versions/{}", list.json()[1]["id"])).assert_status(200).json();
    let files: Vec<String> =
        old["diffs"].as_array().expect("a list").iter().map(|file| text(&file["new_path"])).collect();
    assert_eq!((files, old["commits"].as_array().map(Vec::len)), (vec!["topic.txt".to_owned()], Some(1)));
    let other = simple(&alice, tool, "other");
    alice.get(&format!("{other}/versions/{}", old["id"])).assert(404, not_found());
    alice.get(&format!("{path}/versions/999999")).assert(404, not_found());
}

#[both_databases]
fn texts_and_distances_are_shown_on_request(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let path =
        offer(&alice, tool, "topic", "main", &json!({"title": "A *title*", "description": "Some **bold** words"}));
    for name in ["a.txt", "b.txt"] {
        write(&alice, tool, "main", name, "x");
    }
    let request = alice
        .get(&format!("{path}?render_html=true&include_diverged_commits_count=true&include_rebase_in_progress=true"))
        .assert_status(200)
        .json();
    assert_eq!(some(&request, &["diverged_commits_count", "rebase_in_progress"]), json!([2, false]));
    assert!(text(&request["title_html"]).contains("title"), "{request}");
    assert!(text(&request["description_html"]).contains("<strong>bold</strong>"), "{request}");
    assert_lacks(
        &alice.get(&path).json(),
        &["diverged_commits_count", "title_html", "description_html", "rebase_in_progress"],
    );
    let approvals = alice.get(&format!("{path}/approvals")).assert_status(200).json();
    assert_eq!(some(&approvals, &["approvals_required", "approvals_left", "approved_by"]), json!([0, 0, []]));
    assert_eq!(alice.get(&format!("{path}/approval_state")).json()["rules"], json!([]));
}

#[both_databases]
fn a_version_tells_the_id_of_its_patch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "one", "main");
    branch(&alice, tool, "two", "main");
    for name in ["one", "two"] {
        write(&alice, tool, name, "same.txt", "the same");
    }
    let first = offer(&alice, tool, "one", "main", &json!({}));
    let second = offer(&alice, tool, "two", "main", &json!({}));
    let ids = |path: &str| alice.get(&format!("{path}/versions")).each("patch_id_sha");
    let known = ids(&first);
    assert_eq!(text(&known[0]).len(), 40);
    assert_eq!(ids(&second), known, "the same change has the same id");
    write(&alice, tool, "one", "more.txt", "more");
    server.run_jobs();
    let now = ids(&first);
    assert_eq!((now.len(), &now[1], now[0] == now[1]), (2, &known[0], false));
    let version = alice.get(&format!("{first}/versions")).json()[0]["id"].clone();
    assert_eq!(alice.get(&format!("{first}/versions/{version}")).json()["patch_id_sha"], now[0]);
}

#[both_databases]
fn the_id_of_a_patch_is_computed_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    // The stored id is the one that later versions of the same patch have.
    server.database().execute("UPDATE merge_request_versions SET patch_id_sha = 'known'");
    for event in ["close", "reopen"] {
        changed(&alice, &path, json!({"state_event": event}));
    }
    server.run_jobs();
    let ids = || alice.get(&format!("{path}/versions")).each("patch_id_sha");
    assert_eq!(ids(), ["known", "known"]);
    write(&alice, tool, "topic", "more.txt", "more");
    server.run_jobs();
    assert_eq!(text(&ids()[0]).len(), 40, "another patch");
}
