//! Merge requests on pages: the list, the obstacles to a merge, the changes with comments on lines, and the forms.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, followed, pattern, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s with a branch `topic` that changes two files, and a merge request for it.
pub(crate) fn offer(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"one\ntwo\nthree\nfour\n"), ("b.txt", b"b\n")]);
    let branch = json!({"branch": "topic", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), branch).assert_status(201);
    change(&ada, id, "topic", "one\nTWO\nthree\n<b>x</b>\n");
    let body = json!({
        "source_branch": "topic", "target_branch": "main", "title": format!("Say it {MARKER}"),
        "description": format!("Why. {MARKER}"),
    });
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    (ada, id)
}

fn change(ada: &User, id: i64, branch: &str, content: &str) {
    let body = json!({"branch": branch, "commit_message": "Change", "actions": [
        {"action": "update", "file_path": "a.txt", "content": content},
    ]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
}

const ONE: &str = "/ada/tool/merge_requests/1";

#[both_databases]
fn a_merge_request_has_pages(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let list = safe(&browser, "/ada/tool/merge_requests");
    assert!(
        list.contains("Open <span class=\"count\">1</span>") && list.contains("Merged <span class=\"count\">0</span>"),
        "{list}"
    );
    let page = safe(&browser, ONE);
    for text in [
        "Say it &#34;",
        "This can be merged automatically.",
        "<code>topic</code>",
        "<code>main</code>",
        "Changes <span class=\"count\">1</span>",
        "<span class=\"plus\">+2</span><span class=\"minus\">−2</span></li>",
        "action=\"/ada/tool/merge_requests/1/merge\"",
        "Close",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(safe(&browser, &format!("{ONE}/commits")).contains("Change"));
    let status = json!({"state": "success", "ref": "topic"});
    let head = ada.get(&format!("/projects/{id}/merge_requests/1")).json()["sha"].as_str().unwrap().to_owned();
    let _ = ada.post(&format!("/projects/{id}/statuses/{head}"), status).assert_status(201);
    assert!(safe(&browser, &format!("{ONE}/pipelines")).contains("passed"));
    assert!(safe(&browser, "/ada/tool/tree/topic").contains("title=\"Pipeline passed\""));
    assert!(!safe(&browser, "/ada/tool").contains("title=\"Pipeline passed\""));
    let diffs = safe(&browser, &format!("{ONE}/diffs"));
    assert!(
        diffs.contains("+2") && diffs.contains("<td>&#60;b&#62;x&#60;/b&#62;</td>") && diffs.contains("?comment=f"),
        "{diffs}"
    );
    let beside = safe(&browser, &format!("{ONE}/diffs?view=parallel"));
    assert!(
        beside.contains("class=\"code signs parallel\"")
            && beside.contains("<td class=\"removed\">two</td>")
            && beside.contains("<td class=\"added\">TWO</td>"),
        "{beside}"
    );
    for ending in ["diff", "patch"] {
        let patch = browser.get(&format!("{ONE}.{ending}")).assert_status(200);
        assert!(
            patch.html.contains("\n+TWO\n") && patch.reply.header("content-type").starts_with("text/plain"),
            "{}",
            patch.html
        );
        assert_eq!(patch.reply.header("content-security-policy"), "sandbox; default-src 'none'");
        // It would stay readable after the user has signed out.
        assert_eq!(patch.reply.header("cache-control"), "private, no-store");
        assert_eq!(
            Browser::of(server).get(&format!("{ONE}.{ending}")).reply.header("cache-control"),
            "private, no-cache"
        );
        let is_mail = patch.html.starts_with("From ") && patch.html.contains("\nSubject: [PATCH] Change\n");
        assert!(
            if ending == "patch" { is_mail } else { patch.html.starts_with("diff --git a/a.txt") },
            "{}",
            patch.html
        );
        let _ = browser.get(&format!("/ada/tool/merge_requests/9.{ending}")).assert_status(404);
    }
    let api = ada.get(&format!("/projects/{id}/merge_requests/1")).json();
    let address = api["web_url"].as_str().unwrap().strip_prefix(server.base()).unwrap().to_owned();
    assert_eq!(address.replace("/-/", "/"), ONE);
    for wrong in ["?diff_id=99", "?start_sha=0000000000000000000000000000000000000000"] {
        let _ = browser.get(&format!("{ONE}/diffs{wrong}")).assert_status(404);
    }
}

#[both_databases]
fn who_may_do_nothing_sees_no_empty_row_of_buttons(server: &TestServer) {
    let (ada, id) = offer(server);
    let author = Browser::signed_in(server, "ada", PASSWORD);
    assert!(safe(&author, ONE).contains("This can be merged automatically."));
    let page = safe(&Browser::of(server), ONE);
    let verdict = first(&page, "(?s)(<section class=\"box verdict.*?</section>)");
    assert!(verdict.contains("Members with merge access") && !verdict.contains("class=\"bar\""), "{verdict}");
    // The front of the project has none either.
    let front = safe(&Browser::of(server), "/ada/tool");
    assert!(front.contains("<div class=\"bar"), "{front}");
    assert!(!pattern("<div class=\"bar[^\"]*\">\\s*</div>").is_match(&front), "{front}");
    // Its author marks a draft as ready.
    let body = json!({"title": "Draft: Say it"});
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1"), body).assert_status(200);
    assert!(safe(&author, ONE).contains("Mark as ready"));
}

#[both_databases]
fn a_private_merge_request_is_missing_for_others(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let missing = bob.get("/no/page").assert_status(404).html;
    let token = bob.get("/").token();
    for below in ["", "/commits", "/diffs", "/pipelines", "/edit", ".diff", ".patch"] {
        assert_eq!(bob.get(&format!("{ONE}{below}")).assert_status(404).html, missing, "{below}");
    }
    for below in ["/merge", "/rebase", "/notes", "/remove_wip", "/toggle_subscription"] {
        let answer = bob.post(&format!("{ONE}{below}"), &[("authenticity_token", &token), ("note[note]", "x")]);
        assert_eq!(answer.assert_status(404).html, missing, "{below}");
    }
}

#[both_databases]
fn a_line_is_commented_on_and_the_thread_resolved(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let diffs = safe(&browser, &format!("{ONE}/diffs"));
    let line = first(&diffs, "comment=(f[0-9a-f]+_0_2)#");
    let open = browser.get(&format!("{ONE}/diffs?comment={line}")).assert_status(200);
    assert!(open.html.contains("Comment on this line"), "{}", open.html);
    let notes = first(&open.html, "action=\"([^\"]*/notes[?]diff_id=[0-9]+)\"");
    let blank = open.submit(&browser, &notes, &[("note[note]", " ")]).assert_status(422);
    assert!(blank.html.contains("Comment on this line") && blank.html.contains("can&#39;t be blank"), "{}", blank.html);
    let shown =
        open.submit(&browser, &notes, &[("note[note]", "**Louder**"), ("action", "preview")]).assert_status(200);
    assert!(shown.html.contains("<strong>Louder</strong>"), "{}", shown.html);
    let said = open.submit(&browser, &notes, &[("note[note]", format!("Louder {MARKER}").as_str())]);
    assert!(
        said.location().starts_with(&format!("{ONE}/diffs?diff_id=")) && said.location().contains("#note_"),
        "{}",
        said.location()
    );
    let page = safe(&browser, &format!("{ONE}/diffs"));
    let before = page.find("Louder &#34;").or_else(|| page.find("Louder")).unwrap();
    assert!(
        before > page.find("TWO</td>").unwrap() && before < page.find("three</td>").unwrap(),
        "below its line: {page}"
    );
    let beside = safe(&browser, &format!("{ONE}/diffs?view=parallel"));
    assert!(beside.contains("Louder"));
    let discussion = first(&page, "discussion_([0-9a-f]{40})");
    let resolve = format!("{ONE}/discussions/{discussion}/resolve");
    let resolved = browser.get(ONE).press(&browser, &resolve);
    assert!(followed(&browser, &resolved).contains("Unresolve"));
    let opened = browser.get(ONE).press(&browser, &resolve);
    assert!(followed(&browser, &opened).contains("Resolve</button>"));
    // A line that moves takes its thread along; one that is gone leaves it at the file, with the line quoted.
    change(&ada, id, "topic", "zero\none\nTWO\nthree\n");
    server.run_jobs();
    let moved = safe(&browser, &format!("{ONE}/diffs"));
    assert!(moved.contains("line 2 of an older version<"), "{moved}");
    change(&ada, id, "topic", "zero\none\nTwo and a half\nthree\n");
    server.run_jobs();
    let gone = safe(&browser, &format!("{ONE}/diffs"));
    assert!(gone.contains("line 2 (outdated)") && gone.contains("class=\"code signs quoted\""), "{gone}");
    assert!(gone.contains("name=\"diff_id\"") && gone.contains("name=\"start_sha\""), "{gone}");
    let version = first(&gone, "<option value=\"([0-9]+)\">version 1");
    let older = safe(&browser, &format!("{ONE}/diffs?diff_id={version}"));
    assert!(older.contains("TWO</td>") && !older.contains("(outdated)"), "{older}");
    let start = first(&gone, "<option value=\"([0-9a-f]{40})\">version 1");
    let since = safe(&browser, &format!("{ONE}/diffs?start_sha={start}"));
    assert!(since.contains("Two and a half") && !since.contains("?comment="), "{since}");
}

#[both_databases]
fn a_file_that_is_too_much_with_others_is_shown_alone(server: &TestServer) {
    let (ada, id) = offer(server);
    let long = |word: &str| (1..=3000).map(|line| format!("{word} {line}\n")).collect::<String>();
    let body = json!({"branch": "topic", "commit_message": "Much", "actions": [
        {"action": "create", "file_path": "m.txt", "content": long("m")}, {"action": "move", "file_path": "n & n.txt", "previous_path": "b.txt", "content": "b\nx\n"},
        {"action": "create", "file_path": "o.txt", "content": long("o")},
    ]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    server.run_jobs();
    let browser = Browser::of(server);
    let all = browser.get(&format!("{ONE}/diffs")).assert_status(200);
    assert!(all.html.contains("m 3000</td>") && !all.html.contains("o 3000</td>"), "the second long file is left out");
    let load: Vec<String> = all.links().into_iter().filter(|link| link.contains("new_path=")).collect();
    assert_eq!(load, [format!("{ONE}/diffs?old_path=o%2Etxt&new_path=o%2Etxt")]);
    let alone = browser.get(&load[0]).assert_status(200).html;
    assert!(
        alone.contains("o 3000</td>") && !alone.contains("m 3000") && alone.contains("Showing only <bdi>o.txt</bdi>."),
        "{alone}"
    );
    // Older links, and a file that was renamed.
    let renamed = browser.get(&format!("{ONE}/diff_for_path?old_path=b.txt&new_path=n%20%26%20n.txt"));
    let renamed = browser.get(&renamed.location()).assert_status(200).html;
    assert!(
        renamed.contains("renamed from b.txt") && renamed.contains("x</td>") && !renamed.contains("m 3000"),
        "{renamed}"
    );
    let missing = browser.get("/no/such/page").assert_status(404).html;
    for odd in ["..", "a//b", "%2E%2E%2Fx"] {
        assert!(!browser.get(&format!("{ONE}/diffs?new_path={odd}&old_path=x")).html.contains("o 3000"), "{odd}");
    }
    assert_eq!(browser.get(&format!("{ONE}/diffs?new_path=a//b")).assert_status(404).html, missing);
    assert!(browser.get(&format!("{ONE}/diffs?new_path=none.txt")).assert_status(200).html.contains("No changes"));
}

#[both_databases]
fn what_is_said_about_a_file_that_is_shown_alone_is_not_lost(server: &TestServer) {
    let (ada, id) = offer(server);
    let long = |word: &str| (1..=3000).map(|line| format!("{word} {line}\n")).collect::<String>();
    let commit = |actions: serde_json::Value| {
        let body = json!({"branch": "topic", "commit_message": "Much", "actions": actions});
        let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
        server.run_jobs();
    };
    commit(
        json!([{"action": "create", "file_path": "m.txt", "content": long("m")}, {"action": "create", "file_path": "o.txt", "content": long("o")}]),
    );
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let query = "old_path=o%2Etxt&new_path=o%2Etxt";
    let alone = own.get(&format!("{ONE}/diffs?{query}")).assert_status(200);
    let viewed = alone.press(&own, &format!("{ONE}/viewed?{}", query.replace('&', "&#38;")));
    assert!(followed(&own, &viewed).contains("1 of 1 viewed"));
    // Beside others its changes are too large to be shown, and no text mentions them.
    let all = safe(&own, &format!("{ONE}/diffs"));
    assert!(!all.contains("changed since you viewed it") && !all.contains("o 3000</td>"), "{all}");
    let line = first(&alone.html, "comment=(f[0-9a-f]+_0_2)#");
    let open = own.get(&format!("{ONE}/diffs?{query}&comment={line}")).assert_status(200);
    let notes = first(&open.html, "action=\"([^\"]*/notes[?][^\"]+)\"");
    assert_eq!(open.submit(&own, &notes, &[("note[note]", "Odd")]).reply.status(), 303);
    let all = safe(&own, &format!("{ONE}/diffs"));
    let address = format!("/diffs?{}#{line}", query.replace('&', "&#38;"));
    assert!(all.contains("(diff too large to display)") && all.contains(&address) && all.contains("Odd"), "{all}");
    // A reply is kept when the file leaves the difference in the meantime.
    let page = own.get(&format!("{ONE}/diffs?{query}")).assert_status(200);
    let notes = first(&page.html, "action=\"([^\"]*/notes[?][^\"]+)\"");
    commit(json!([{"action": "delete", "file_path": "o.txt"}]));
    let shown = page.submit(&own, &notes, &[("note[note]", "typed words"), ("action", "preview")]).assert_status(200);
    assert!(shown.html.contains("typed words</textarea>"), "{}", shown.html);
}

#[both_databases]
fn it_is_merged_with_a_form(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let stale = browser.get(ONE).assert_status(200);
    change(&ada, id, "topic", "other\n");
    server.run_jobs();
    let merge = format!("{ONE}/merge");
    let refused = stale.submit(&browser, &merge, &[]).assert_status(422);
    assert!(refused.html.contains("New commits were pushed after you loaded this page."), "{}", refused.html);
    let merged = browser.get(ONE).submit(&browser, &merge, &[("should_remove_source_branch", "1")]);
    let page = followed(&browser, &merged);
    assert!(
        page.contains("Merged <time")
            && page.contains("/ada/tool/commit/")
            && page.contains(">Merged</span>")
            && !page.contains("/merge\""),
        "{page}"
    );
    assert!(safe(&browser, "/ada/tool/merge_requests?state=merged").contains("1 total"));
}

#[both_databases]
fn what_stands_in_the_way_is_said_with_its_remedy(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let api = format!("/projects/{id}/merge_requests/1");
    let _ = ada.put(&api, json!({"title": "Draft: Say it"})).assert_status(200);
    let page = safe(&browser, ONE);
    assert!(page.contains("Draft merge requests can&#39;t be merged.") && page.contains(">Draft</span>"), "{page}");
    let ready = browser.get(ONE).submit(&browser, &format!("{ONE}/remove_wip"), &[]);
    assert!(followed(&browser, &ready).contains("This can be merged automatically."));
    // An open discussion, although none is allowed.
    let rule = json!({"only_allow_merge_if_all_discussions_are_resolved": true});
    let _ = ada.put(&format!("/projects/{id}"), rule).assert_status(200);
    let _ = ada.post(&format!("{api}/discussions"), json!({"body": "Why?"})).assert_status(201);
    assert!(safe(&browser, ONE).contains("Resolve 1 open discussion before merging."));
    let _ = ada
        .put(&format!("/projects/{id}"), json!({"only_allow_merge_if_all_discussions_are_resolved": false}))
        .assert_status(200);
    // A pipeline to wait for.
    let head = ada.get(&api).json()["sha"].as_str().unwrap().to_owned();
    let status = json!({"state": "running", "ref": "topic"});
    let _ = ada.post(&format!("/projects/{id}/statuses/{head}"), status).assert_status(201);
    let waiting = browser.get(ONE).submit(&browser, &format!("{ONE}/merge"), &[("action", "wait")]);
    let page = followed(&browser, &waiting);
    assert!(page.contains("Auto-merge enabled by ada."), "{page}");
    let cancelled = browser.get(ONE).submit(&browser, &format!("{ONE}/cancel_merge_when_pipeline_succeeds"), &[]);
    assert!(followed(&browser, &cancelled).contains("This can be merged automatically."));
    // A conflict.
    change(&ada, id, "main", "one\n2\nthree\nfour\n");
    server.run_jobs();
    let page = safe(&browser, ONE);
    assert!(
        page.contains("Resolve the conflicts with the target branch") && page.contains("git rebase origin/main"),
        "{page}"
    );
    assert!(page.contains("<li><code>a.txt</code></li>"), "the file in conflict is named: {page}");
    assert!(!page.contains(">Rebase</button>"), "a rebase would stop at the same conflict: {page}");
    let token = browser.get(ONE).token();
    let rebased = browser.post(&format!("{ONE}/rebase"), &[("authenticity_token", token.as_str())]);
    assert!(followed(&browser, &rebased).contains("Rebase failed"));
}

#[both_databases]
fn a_merge_request_is_made_and_changed_with_forms(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let branch = json!({"branch": "fix-the-crank", "ref": "topic"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), branch).assert_status(201);
    let form =
        browser.get("/ada/tool/merge_requests/new?merge_request[source_branch]=fix-the-crank").assert_status(200);
    assert!(
        form.html.contains("value=\"Fix the crank\"") && form.html.contains("value=\"fix-the-crank\" selected"),
        "{}",
        form.html
    );
    let wrong = form
        .submit(
            &browser,
            "/ada/tool/merge_requests",
            &[
                ("merge_request[source_branch]", "fix-the-crank"),
                ("merge_request[target_branch]", "none"),
                ("merge_request[title]", "T"),
                ("merge_request[description]", "Kept"),
            ],
        )
        .assert_status(422);
    assert!(wrong.html.contains("problem-target_branch") && wrong.html.contains("Kept</textarea>"), "{}", wrong.html);
    let made = form.submit(
        &browser,
        "/ada/tool/merge_requests",
        &[
            ("merge_request[source_branch]", "fix-the-crank"),
            ("merge_request[target_branch]", "main"),
            ("merge_request[title]", "Fix it"),
            ("merge_request[squash]", "1"),
        ],
    );
    assert_eq!(made.location(), "/ada/tool/merge_requests/2");
    let edit = browser.get("/ada/tool/merge_requests/2/edit").assert_status(200);
    assert!(edit.html.contains("name=\"merge_request[squash]\" value=\"1\" checked"), "{}", edit.html);
    let saved = edit.submit(
        &browser,
        "/ada/tool/merge_requests/2",
        &[
            ("merge_request[title]", "Fixed"),
            ("merge_request[target_branch]", "main"),
            ("merge_request[description]", "D"),
        ],
    );
    assert!(followed(&browser, &saved).contains("Fixed"));
    let mine = [
        ("merge_request[title]", "Mine"),
        ("merge_request[target_branch]", "main"),
        ("merge_request[description]", "My text"),
    ];
    let stale = edit.submit(&browser, "/ada/tool/merge_requests/2", &mine).assert_status(409);
    assert!(stale.html.contains("Current version") && stale.html.contains("My text</textarea>"), "{}", stale.html);
    let saved = stale.submit(&browser, "/ada/tool/merge_requests/2", &mine);
    assert!(followed(&browser, &saved).contains("My text"));
    let closed = browser.get("/ada/tool/merge_requests/2").submit(&browser, "/ada/tool/merge_requests/2", &[]);
    assert!(followed(&browser, &closed).contains("Reopen this merge request to merge it."));
    let opened = browser.get("/ada/tool/merge_requests/2").submit(
        &browser,
        "/ada/tool/merge_requests/2/notes",
        &[("note[note]", "Again"), ("action", "reopen")],
    );
    assert!(followed(&browser, &opened).contains("Again"));
}

#[both_databases]
fn a_page_of_a_merge_request_costs_a_bounded_number_of_statements(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let count = |path: &str| {
        let _ = browser.get(path).assert_status(200);
        server.count_statements(|| drop(browser.get(path)))
    };
    let paths =
        ["/ada/tool/merge_requests".to_owned(), ONE.to_owned(), format!("{ONE}/diffs"), format!("{ONE}/commits")];
    let before: Vec<_> = paths.iter().map(|path| count(path)).collect();
    for number in 0..20 {
        let body = json!({"body": format!("Note {number}")});
        let _ = ada.post(&format!("/projects/{id}/merge_requests/1/discussions"), body).assert_status(201);
    }
    let after: Vec<_> = paths.iter().map(|path| count(path)).collect();
    assert!(
        after.iter().zip(&before).all(|(after, before)| *after <= before + 5 && *after <= 110),
        "{before:?} {after:?}"
    );
}
