//! Reverting and cherry-picking on pages, and the source branch after a merge.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::merge_request::offer;
use crate::project::{MARKER, commit};
use crate::{PASSWORD, member};

const ONE: &str = "/ada/tool/merge_requests/1";

fn content(user: &User, id: i64, branch: &str) -> String {
    user.get(&format!("/projects/{id}/repository/files/a.txt/raw?ref={branch}")).assert_status(200).text()
}

/// The merge request of [`offer`], merged, and the commit of its merge.
fn merged(server: &TestServer) -> (User, i64, String) {
    let (ada, id) = offer(server);
    let merged = ada.put(&format!("/projects/{id}/merge_requests/1/merge"), json!({})).assert_status(200).json();
    (ada, id, merged["merge_commit_sha"].as_str().unwrap().to_owned())
}

#[both_databases]
fn the_box_of_a_merge_offers_to_take_it_back(server: &TestServer) {
    let (ada, id, sha) = merged(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, ONE);
    let target = format!("/ada/tool/commit/{sha}");
    assert!(page.contains(&format!("href=\"{target}/revert?branch=main\">Revert</a>")), "{page}");
    assert!(page.contains(&format!("href=\"{target}/cherry_pick?branch=main\">Cherry-pick</a>")), "{page}");
    assert!(!safe(&Browser::of(server), ONE).contains("/revert"));
    // On the branch itself: the page of the new commit.
    let form = browser.get(&format!("{target}/revert?branch=main")).assert_status(200);
    assert!(
        form.html.contains("value=\"main\"") && form.html.contains(&format!("revert-{}", &sha[..8])),
        "{}",
        form.html
    );
    let went = form.submit(&browser, &format!("{target}/revert"), &[("branch", "main")]);
    let after = followed(&browser, &went);
    assert!(after.contains("Commit reverted.") && after.contains("This reverts merge request !1"), "{after}");
    assert_eq!(content(&ada, id, "main"), "one\ntwo\nthree\nfour\n");
    // It cannot be reverted twice, and says so.
    let again = form.submit(&browser, &format!("{target}/revert"), &[("branch", "main")]).assert_status(422);
    assert!(again.html.contains("Sorry, we cannot revert this merge request automatically"), "{}", again.html);
}

#[both_databases]
fn a_commit_is_picked_to_a_new_branch(server: &TestServer) {
    let (ada, id) = offer(server);
    let head = ada.get(&format!("/projects/{id}/merge_requests/1")).json()["sha"].as_str().unwrap().to_owned();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, &format!("/ada/tool/commit/{head}"));
    let form = format!("/ada/tool/commit/{head}/cherry_pick");
    assert!(page.contains(&format!("href=\"{form}\"")), "{page}");
    let open = browser.get(&form).assert_status(200);
    let send = |branch: &str, new: &str| {
        open.submit(&browser, &form, &[("branch", branch), ("separate", "1"), ("new_branch", new)])
    };
    for (branch, new, words) in [
        ("nowhere", "x", "There is no such branch."),
        ("main", "topic", "A branch called &#39;topic&#39; already exists"),
        ("main", "a..b", "Something went wrong when we tried to create"),
    ] {
        let refused = send(branch, new).assert_status(422);
        assert!(refused.html.contains(words), "{words}: {}", refused.html);
    }
    let name = format!("cherry-pick-{}", &head[..8]);
    let went = send("main", "");
    assert_eq!(
        went.location(),
        format!(
            "/ada/tool/merge_requests/new?merge_request[source_branch]={}&merge_request[target_branch]=main",
            name.replace('-', "%2D")
        )
    );
    assert!(content(&ada, id, &name).contains("TWO") && !content(&ada, id, "main").contains("TWO"));
    let _ = safe(&browser, &went.location());
    // Conflicts are told, and no branch is left.
    let action = json!({"action": "update", "file_path": "a.txt", "content": "one\n2\n3\nfour\n"});
    let body = json!({"branch": "main", "commit_message": "Other", "actions": [action]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    let clash = send("main", "late").assert_status(422);
    assert!(clash.html.contains("Sorry, we cannot cherry-pick this commit automatically"), "{}", clash.html);
    assert_eq!(ada.get(&format!("/projects/{id}/repository/branches/late")).status(), 404);
}

#[both_databases]
fn who_may_not_push_neither_reverts_nor_picks(server: &TestServer) {
    let (ada, id, sha) = merged(server);
    let bob = member(server, "bob");
    let stranger = Browser::signed_in(server, "bob", PASSWORD);
    for verb in ["revert", "cherry_pick"] {
        let path = format!("/ada/tool/commit/{sha}/{verb}");
        assert_eq!(stranger.get(&path).reply.status(), 403, "{verb}");
        let mine = Browser::signed_in(server, "ada", PASSWORD);
        let odd = format!("/ada/tool/commit/{}/{verb}", "0".repeat(40));
        assert_eq!(mine.get(&odd).reply.status(), 404, "{verb}");
    }
    // A developer gets a new branch where the default branch is protected.
    let body = json!({"user_id": bob.id, "access_level": 30});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let form = stranger.get(&format!("/ada/tool/commit/{sha}/revert")).assert_status(200);
    assert!(form.html.contains("name=\"separate\" value=\"1\" checked"), "{}", form.html);
    let refused = form.submit(&stranger, &format!("/ada/tool/commit/{sha}/revert"), &[("branch", "main")]);
    assert!(refused.assert_status(422).html.contains("You are not allowed to push into this branch."));
    let hostile = format!(
        "/ada/tool/commit/{sha}/revert?branch={}",
        MARKER.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>()
    );
    let _ = safe(&stranger, &hostile);
}

#[both_databases]
fn the_source_branch_is_deleted_and_restored_after_the_merge(server: &TestServer) {
    let (ada, id, _) = merged(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let at = format!("/projects/{id}/repository/branches/topic");
    let target = format!("{ONE}/source_branch");
    let page = browser.get(ONE).assert_status(200);
    assert!(page.html.contains("<code>topic</code> still exists"), "{}", page.html);
    let after = followed(&browser, &page.submit(&browser, &target, &[]));
    assert!(after.contains("Source branch deleted.") && after.contains("<code>topic</code> was deleted"), "{after}");
    assert_eq!(ada.get(&at).status(), 404);
    // A second press finds it done.
    assert_eq!(page.submit(&browser, &target, &[]).reply.status(), 303);
    let page = browser.get(ONE).assert_status(200);
    let after = followed(&browser, &page.submit(&browser, &target, &[]));
    assert!(after.contains("Source branch restored."), "{after}");
    assert_eq!(ada.get(&at).status(), 200);
    // A branch that has gone on is not offered for deletion, and is not deleted by a page that does not know it yet.
    let sha = ada.get(&at).json()["commit"]["id"].as_str().unwrap().to_owned();
    let page = browser.get(ONE).assert_status(200);
    let _ = commit(&ada, "ada/tool", "topic", "More", &[("c.txt", b"c")]);
    assert_eq!(page.submit(&browser, &target, &[]).reply.status(), 403);
    let moved = ada.get(&at).json()["commit"]["id"].as_str().unwrap().to_owned();
    let store = |oid: &str| {
        server.database().execute(&format!("UPDATE refs SET oid = '{oid}' WHERE name = 'refs/heads/topic'"));
    };
    // Git has the newer commit before the database knows it.
    store(&sha);
    let refused = page.submit(&browser, &target, &[]).assert_status(409);
    assert!(refused.html.contains("Someone else changed this"), "{}", refused.html);
    assert_eq!(ada.get(&at).json()["commit"]["id"], moved);
    store(&moved);
    let page = safe(&browser, ONE);
    assert!(!page.contains("Delete source branch") && page.contains("still exists"), "{page}");
    assert!(!safe(&Browser::of(server), ONE).contains("Delete source branch"));
}
